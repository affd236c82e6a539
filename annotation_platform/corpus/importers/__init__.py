"""Readers of file formats: pure functions from documents to an :class:`ImportedStudy`; nothing here writes rows.

A reader takes the documents and the scheme's definition (None: the format's own) and checks everything that can
be checked without a database. Every mistake it finds is in one :class:`ImportFileError`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotation_platform.corpus.importers.document import Document, ImportFileError
from annotation_platform.corpus.importers.ebr import read_release
from annotation_platform.corpus.importers.native import read_native
from annotation_platform.corpus.importers.study import (
    AnswerKey,
    ImportedArticle,
    ImportedJudgment,
    ImportedStudy,
    RecordedReply,
)

Reader = Callable[[Sequence[Document], Mapping[str, Any] | None], ImportedStudy]
FORMATS: dict[str, Reader] = {"ebr": read_release, "native": read_native}

__all__ = [
    "FORMATS",
    "AnswerKey",
    "Document",
    "ImportFileError",
    "ImportedArticle",
    "ImportedJudgment",
    "ImportedStudy",
    "Reader",
    "RecordedReply",
]
