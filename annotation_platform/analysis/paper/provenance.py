"""What an archive for a paper says it was made from, and whether the snapshot has more by now."""

import json
import zipfile
from pathlib import Path

from annotation_platform.analysis.models import AgreementSnapshot

PROVENANCE = "provenance.json"


def sections_of(snapshot: AgreementSnapshot) -> list[str]:
    """The keys of all sections that a snapshot has by now: some are added later."""
    return sorted(set(snapshot.sections.order_by().values_list("key", flat=True)))


def has_all_sections(path: Path, snapshot: AgreementSnapshot) -> bool:
    """Whether the archive is there, and was made from all of them."""
    try:
        with zipfile.ZipFile(path) as archive:
            known = json.loads(archive.read(PROVENANCE)).get("sections", [])
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return False
    return set(sections_of(snapshot)) <= set(known)
