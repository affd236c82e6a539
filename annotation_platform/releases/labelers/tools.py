"""The tools that a release is written for, and what writes the files of each."""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.releases.freeze.archive import AT
from annotation_platform.releases.freeze.rows import scheme_of
from annotation_platform.releases.labelers.argilla import argilla_files
from annotation_platform.releases.labelers.items import Project, project_of
from annotation_platform.releases.labelers.label_studio import label_studio_files

Files = Iterator[tuple[str, bytes]]
TOOLS: Mapping[str, tuple[str, Callable[[Project], Files]]] = {
    "label_studio": ("Label Studio", label_studio_files),
    "argilla": ("Argilla 2", argilla_files),
}


def files_for(folder: Path, tool: str) -> Files:
    """Name and content of each file of a release, in a folder of its own, for a tool.

    Raises
    ------
    InvalidInputError
        When the release has no judgment, or there is no such tool.
    """
    if tool not in TOOLS:
        raise InvalidInputError("releases.no_such_tool", tool=tool, known=[*TOOLS])
    project = project_of(folder, scheme_of(folder))
    if not project.items:
        raise InvalidInputError("releases.no_judgments_for_tool")
    _, files = TOOLS[tool]
    return files(project)


def zipped_for(folder: Path, tool: str) -> bytes:
    """The same as one ZIP file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files_for(folder, tool):
            archive.writestr(zipfile.ZipInfo(name, AT), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
