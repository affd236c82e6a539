"""What every format is read into: plain, checked data that knows no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation_platform.core.locations import Location
from annotation_platform.corpus.importers.document import Document


class AnswerKey(NamedTuple):
    """Names one answer in its corpus by the identifiers of the file."""

    article: str
    question: str
    system: str


@dataclass(frozen=True, slots=True)
class ImportedQuestion:
    external_id: str
    text: str
    anchor: int | None
    answers: Mapping[str, str]  # by system


@dataclass(frozen=True, slots=True)
class ImportedArticle:
    """A document; without sentences its text is withheld."""

    external_id: str
    title: str
    source: str
    sentences: Sequence[str]
    questions: Sequence[ImportedQuestion]


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """What a model said when it was asked to read an explanation, as it came with the data."""

    aspect: str
    reply: str
    model: str


@dataclass(frozen=True, slots=True)
class ImportedJudgment:
    """One annotator's checked judgment. ``replicate`` counts their judgments of the same answer, from 0."""

    answer: AnswerKey
    annotator: str
    values: Mapping[str, Any]
    document: Document
    location: Location
    replicate: int = 0
    seconds: float | None = None
    replies: Sequence[RecordedReply] = ()

    @property
    def where(self) -> str:
        return self.document.where(self.location)


@dataclass(frozen=True, slots=True)
class ImportedStudy:
    """A whole study as read from files.

    ``finished_batches``: the answers of each batch, where the data are finished and every answer is a HIT of
    its own. None: the platform cuts HITs and batches itself, and places nobody has filled stay open.
    """

    language: str
    definition: Mapping[str, Any]
    articles: Sequence[ImportedArticle]
    judgments: Sequence[ImportedJudgment]
    corpus_name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    finished_batches: Sequence[Sequence[AnswerKey]] | None = None
