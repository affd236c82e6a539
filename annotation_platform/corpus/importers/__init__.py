"""Readers of file formats: from files to a checked :class:`ImportedStudy`; nothing here writes rows.

A format (format.py) reads its files into a stream of entries (study.py). These wait in a temporary file (staging.py)
until all of them are known to be right (consistency.py); then whoever stores the study reads them in pages (staged.py).
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
from annotation_platform.corpus.importers.labelers.argilla import Argilla
from annotation_platform.corpus.importers.labelers.doccano import Doccano
from annotation_platform.corpus.importers.labelers.inception import Inception
from annotation_platform.corpus.importers.labelers.label_studio import LabelStudio
from annotation_platform.corpus.importers.labelers.potato import Potato
from annotation_platform.corpus.importers.labelers.prodigy import Prodigy
from annotation_platform.corpus.importers.lm_eval import LmEval
from annotation_platform.corpus.importers.mistakes import ImportFileError
from annotation_platform.corpus.importers.mt_bench import MtBench
from annotation_platform.corpus.importers.native import Native
from annotation_platform.corpus.importers.openai_evals import OpenAiEvals
from annotation_platform.corpus.importers.reading import open_files, read_study
from annotation_platform.corpus.importers.staged import ImportedStudy, StagedItem, StagedJudgment
from annotation_platform.corpus.importers.table import Table, size_to_read
from annotation_platform.corpus.importers.traces.langfuse import Langfuse
from annotation_platform.corpus.importers.traces.langsmith import LangSmith
from annotation_platform.corpus.importers.traces.opentelemetry import OpenTelemetry
from annotation_platform.corpus.importers.traces.phoenix import Phoenix

BEGINNING = 1 << 16
# In this order a file is guessed to be of a format: the most special ones first.
FORMATS: dict[str, Format] = {
    format.key: format
    for format in (
        *(Native(), EbrRelease(), Evouna(), Acorn()),
        *(LabelStudio(), Argilla(), Potato(), Doccano(), Inception(), Prodigy()),
        *(InspectAi(), LmEval(), OpenAiEvals(), Helm(), MtBench(), Arena(), Ecqa()),
        *(OpenTelemetry(), Phoenix(), LangSmith(), Langfuse(), Table()),
    )
}


def guess_format(path: Path, name: str) -> Format:
    """The format that a file seems to be of, by its name's suffix and its beginning (of Parquet its end); when nothing
    fits, YAML is the platform's own format, which says what is wrong with it, and everything else a table."""
    suffix = Path(name).suffix.lower()
    with path.open("rb") as file:
        if suffix == ".parquet":  # which names its columns at its end
            file.seek(max(path.stat().st_size - BEGINNING, 0))
        beginning = file.read(BEGINNING).decode("utf-8", errors="replace")
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
