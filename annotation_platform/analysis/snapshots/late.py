"""Sections that are added to a snapshot after it was taken: what is read from texts would make everybody wait for it.

The worker adds them together with the explorer's rows; ``report_study --explanations`` does so at once.
"""

from typing import Any

from annotation_platform import __version__
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.snapshots.stored import FIGURES, of_another_version
from annotation_platform.core.signature import signature


def add_late_sections(snapshot: AgreementSnapshot) -> bool:
    """Measure what the snapshot does not have yet; whether it has everything now.

    A section whose judgments are the same as those of an earlier snapshot is taken over from there. Where judgments
    have changed since the snapshot was taken nothing is added: it would not be about the same.
    """
    # numpy and the readers of texts are for the worker and the command line.
    from annotation_platform.analysis.snapshots import sections
    from annotation_platform.analysis.snapshots.taking import read_closed
    from annotation_platform.core.statistics import Bootstrap

    there = snapshot.sections.filter(key__in=sections.LATE_SECTIONS).values_list("key", flat=True)
    missing = set(sections.LATE_SECTIONS) - set(there) - of_another_version(snapshot).keys()
    if not missing:
        return True
    how = snapshot.head.intervals
    bootstrap = Bootstrap(resamples=how.resamples, seed=how.seed)
    given, digests = read_closed(snapshot.study, snapshot.run, bootstrap)
    if {key: each.scored for key, each in digests.items()} != snapshot.head.data.judgments_sha256:
        return False
    for key in sorted(missing):
        read, identity = sections.LATE_SECTIONS[key].read(given)
        fingerprint = signature(
            {
                "section": key,
                "version": FIGURES[key].version,
                "scheme": snapshot.head.data.scheme,
                "read": [{aspect: each.labels for aspect, each in digests.items()}, identity],
                "seed": how.seed,
                "code_version": __version__,
            }
        )
        known = SnapshotSection.objects.filter(
            snapshot__study=snapshot.study_id, key=key, fingerprint=fingerprint
        ).first()
        figures: Any = (
            known.figures
            if known is not None
            else FIGURES[key].to_stored(sections.LATE_SECTIONS[key].measure(read, bootstrap))
        )
        SnapshotSection.objects.get_or_create(
            snapshot=snapshot, aspect="", key=key, defaults={"figures": figures, "fingerprint": fingerprint}
        )
    return True
