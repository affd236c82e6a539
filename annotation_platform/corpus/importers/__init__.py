"""Readers of file formats: from files to a checked :class:`ImportedStudy`; nothing here writes rows.

A format (format.py) reads its files into a stream of entries (study.py). These wait in a temporary file (staging.py)
until all of them are known to be right (checks.py); then whoever stores the study reads them in pages (staged.py).
Everything wrong is in one :class:`ImportFileError`.
"""

from pathlib import Path

from annotation_platform.corpus.importers.acorn import Acorn
from annotation_platform.corpus.importers.arena import Arena
from annotation_platform.corpus.importers.ebr import EbrRelease
from annotation_platform.corpus.importers.ecqa import Ecqa
from annotation_platform.corpus.importers.evouna import Evouna
from annotation_platform.corpus.importers.format import Field, Format, Options, Preview
from annotation_platform.corpus.importers.helm import Helm
from annotation_platform.corpus.importers.inspect_ai import InspectAi
from annotation_platform.corpus.importers.label_studio import LabelStudio
from annotation_platform.corpus.importers.lm_eval import LmEval
from annotation_platform.corpus.importers.mistakes import ImportFileError
from annotation_platform.corpus.importers.mt_bench import MtBench
from annotation_platform.corpus.importers.native import Native
from annotation_platform.corpus.importers.openai_evals import OpenAiEvals
from annotation_platform.corpus.importers.reading import open_files, read_study
from annotation_platform.corpus.importers.staged import ImportedStudy, StagedItem, StagedJudgment
from annotation_platform.corpus.importers.table import Table, size_to_read

BEGINNING = 1 << 16
# In this order a file is guessed to be of a format: the most special ones first.
FORMATS: dict[str, Format] = {
    format.key: format
    for format in (
        *(Native(), EbrRelease(), Evouna(), Acorn(), LabelStudio(), InspectAi(), LmEval(), OpenAiEvals(), Helm()),
        *(MtBench(), Arena(), Ecqa(), Table()),
    )
}


def guess_format(path: Path, name: str) -> Format:
    """The format that a file seems to be of, by its name's suffix and its beginning; when nothing fits, YAML is the
    platform's own format, which says what is wrong with it, and everything else a table."""
    with path.open("rb") as file:
        beginning = file.read(BEGINNING).decode("utf-8", errors="replace")
    suffix = Path(name).suffix.lower()
    return next(
        (format for format in FORMATS.values() if format.fits(beginning, suffix)),
        FORMATS["native" if suffix in (".yaml", ".yml") else "table"],
    )


__all__ = [
    "FORMATS",
    "Field",
    "Format",
    "ImportFileError",
    "ImportedStudy",
    "Options",
    "Preview",
    "StagedItem",
    "StagedJudgment",
    "guess_format",
    "open_files",
    "read_study",
    "size_to_read",
]
