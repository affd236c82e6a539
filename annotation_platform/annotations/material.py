"""What an annotator is shown of an item: the parts that its scheme names.

It comes from rows (``selectors.material_of``), or from a worked example.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from annotation_platform.core.schemes import ItemShape
from annotation_platform.core.schemes.definition import WorkedExample
from annotation_platform.core.text import SentenceReference, sentence_reference

CANDIDATE_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class ShownSentence:
    number: int
    text: str
    reference: SentenceReference
    """How it is cited: 5, or R2:5."""


@dataclass(frozen=True)
class ShownDocument:
    """The article (``number`` 0), or the reference document R1, R2, …"""

    number: int
    title: str
    sentences: tuple[ShownSentence, ...]
    source: str = ""
    url: str = ""
    anchor: int | None = None

    @property
    def name(self) -> str:
        return f"R{self.number}" if self.number else ""

    @property
    def link(self) -> str:
        """Its address, if that leads to the web: data could name a script."""
        return self.url if self.url.startswith(("https://", "http://")) else ""


@dataclass(frozen=True)
class Material:
    """The parts of one item. What the scheme does not show is empty."""

    parts: Mapping[str, str]
    """The scheme's parts in their order, with its own headings."""
    language: str = ""
    question: str = ""
    article: ShownDocument | None = None
    sentence_count: int = 0
    documents: tuple[ShownDocument, ...] = ()
    choices: tuple[str, ...] = ()
    answer: str = ""
    rationale: str = ""
    reference_answers: tuple[str, ...] = ()
    candidates: Mapping[int, str] = field(default_factory=dict)
    """Texts by candidate number, in the order shown; the first is A."""

    @cached_property
    def shape(self) -> ItemShape:
        lengths = {document.number: len(document.sentences) for document in self.documents}
        return ItemShape(
            sentences=self.sentence_count,
            documents=tuple(lengths.get(number, 0) for number in range(1, max(lengths, default=0) + 1)),
            choices=len(self.choices),
            candidates=len(self.candidates),
        )

    @cached_property
    def letters(self) -> dict[int, str]:
        """The letter under which each candidate is shown, by its number."""
        return dict(zip(self.candidates, CANDIDATE_LETTERS, strict=False))

    @property
    def has_documents(self) -> bool:
        return self.article is not None or bool(self.documents)

    @property
    def is_long(self) -> bool:
        """Whether its documents are worth a search."""
        return len(self.documents) > 1 or sum(self.shape.documents) + self.sentence_count > 20


def shown_sentences(document: int, sentences: Iterable[tuple[int, str]]) -> tuple[ShownSentence, ...]:
    """The sentences of a document from their numbers and texts."""
    return tuple(ShownSentence(number, text, sentence_reference(document, number)) for number, text in sentences)


def material_of_example(example: WorkedExample, parts: Mapping[str, str]) -> Material:
    """What a page would show of a worked example, its candidates in the order written."""
    article = ShownDocument(0, "", shown_sentences(0, enumerate(example.sentences, start=1)), anchor=example.anchor)
    documents = (
        ShownDocument(number, document.title, shown_sentences(number, enumerate(document.sentences, start=1)))
        for number, document in enumerate(example.documents, start=1)
    )
    return Material(
        parts=parts,
        question=example.question,
        article=article if "article" in parts else None,
        sentence_count=len(example.sentences),
        documents=tuple(documents) if "documents" in parts else (),
        choices=example.choices,
        answer=example.answer,
        rationale=example.rationale,
        reference_answers=example.reference_answers,
        candidates=dict(enumerate(example.candidates, start=1)) if "candidates" in parts else {},
    )
