"""What every format is read into: entries in a stream, each of which knows where in the files it stands.

An article comes before its questions, a question before its answers, an answer before its judgments. Nothing here
knows a database.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason

NO_DOCUMENT = "questions"  # the article of the questions that are about none
MOST_CHOICES = 26  # of a question; they are named a to z
LARGEST = 32_767  # the largest number that the database's small columns hold


class Source(Protocol):
    """A file, which can say where in it a location is."""

    @property
    def name(self) -> str: ...

    def where(self, location: Location) -> str: ...


class Origin(NamedTuple):
    """Where an entry stands: the number of its file among the files read, and the location there."""

    file: int
    location: Location

    def inside(self, *inner: str | int) -> "Origin":
        return Origin(self.file, (*self.location, *inner))


class ImportedArticle(NamedTuple):
    """A document. Without sentences its text is withheld, or its questions are about no document.

    ``may_repeat``: a later entry of that name says the same again, or leaves blank what was said before; otherwise
    a second one is a mistake.
    """

    name: str
    origin: Origin
    title: str = ""
    source: str = ""
    url: str = ""
    sentences: Sequence[str] = ()
    may_repeat: bool = False


class ImportedQuestion(NamedTuple):
    """A question. ``documents`` names the articles that it refers to, R1 first. ``may_repeat`` as for articles.

    ``turns``: of a conversation, which is ``text`` as one; as :func:`~annotation_platform.core.turns.turns_of` reads
    them.
    """

    article: str
    name: str
    origin: Origin
    text: str = ""
    anchor: int | None = None
    choices: Sequence[str] = ()
    reference_answers: Sequence[str] = ()
    documents: Sequence[str] = ()
    may_repeat: bool = False
    turns: Sequence[Mapping[str, Any]] = ()


class Traced(NamedTuple):
    """Where a running application's answer was recorded: the program that keeps the record, its names for the trace,
    the step (empty: the trace as a whole) and the project."""

    tool: str
    trace: str
    span: str = ""
    project: str = ""


class ImportedAnswer(NamedTuple):
    """An answer. ``number`` is what the file calls it among the candidates of its group, if anything.

    ``turns``: those to judge, where they are more than a plain text. ``metrics``: what automatic metrics said of it, by
    the format of the file that tells, and by name.
    """

    article: str
    question: str
    system: str
    origin: Origin
    text: str = ""
    rationale: str = ""
    may_repeat: bool = False
    number: int | None = None
    turns: Sequence[Mapping[str, Any]] = ()
    traced: Traced | None = None
    metrics: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


class RecordedReply(NamedTuple):
    """What a model said when it was asked to read an explanation, as it came with the data."""

    aspect: str
    reply: str
    model: str


class ImportedJudgment(NamedTuple):
    """One annotator's judgment, its values as the file has them, by slot key.

    A group of candidates names no ``system``; in its values an aspect per candidate has a mapping by system, and the
    best candidate is named by its system. ``replicate`` counts their judgments of the same answer, from 0.
    ``goes_on``: the values of several entries are one judgment (a row for each candidate). There, the best candidate
    may also be a mapping: system → yes, no, or tie. ``presented`` has the candidates' numbers in the order shown.
    """

    article: str
    question: str
    system: str
    annotator: str
    values: Mapping[str, Any]
    origin: Origin
    replicate: int = 0
    seconds: float | None = None
    replies: Sequence[RecordedReply] = ()
    goes_on: bool = False
    judged_at: datetime | None = None
    presented: Sequence[int] = ()


class LeftOut(NamedTuple):
    """Something that is not taken, and why: the code of a reason with its parameters; these are counted."""

    code: str
    parameters: Mapping[str, Any] = MappingProxyType({})
    number: int = 1


Entry = ImportedArticle | ImportedQuestion | ImportedAnswer | ImportedJudgment | LeftOut


class Finished(StrEnum):
    """Which items are finished: nobody will judge them any more, and each is a HIT of its own in a closed batch."""

    NONE = "none"
    """None: the platform cuts HITs and batches itself, and places that nobody has filled stay open."""
    JUDGED = "judged"
    """Those with judgments; the platform cuts HITs of the others."""
    ALL = "all"
    """All of them."""


@dataclass(frozen=True)
class Header:
    """What is said of a study as a whole, before its entries.

    ``is_spelled``: values may be spelled as people write them (a label, a number, another case); otherwise they are
    exactly what the scheme's form would send. ``needs``: the parts that no answer may lack. A judgment's values stand
    at ``values_at`` in its place in the file; ``names`` has what the file calls an aspect, where that is another name.
    ``families``: the family of each system that has one. ``is_export``: the platform wrote the file, so its judgments
    were accepted once; what they lack was never asked, and what breaks a rule was given under an earlier one.
    ``warnings`` tell what was seen before the first entry.
    """

    language: str
    definition: Mapping[str, Any]
    corpus_name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    not_asked: frozenset[str] = frozenset()
    finished: Finished = Finished.NONE
    is_spelled: bool = False
    needs: frozenset[str] = frozenset()
    values_at: Location = ()
    names: Mapping[str, str] = field(default_factory=dict)
    families: Mapping[str, str] = field(default_factory=dict)
    is_export: bool = False
    warnings: Sequence[Reason] = ()


@dataclass(frozen=True)
class Counts:
    """How much of everything was read; ``left_out`` says why things were not taken, and how many."""

    articles: int
    questions: int
    answers: int
    judgments: int
    annotators: int
    left_out: Mapping[Reason, int] = field(default_factory=dict)
