"""An item with its texts, as everything takes it that shows one, asks about one or measures one.

Which item it is in a study, and who wrote its answers, is not here: whoever judges an item sees these texts alone.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from annotation_platform.core.citations import SentenceReference, sentence_reference
from annotation_platform.core.schemes import ItemShape
from annotation_platform.core.schemes.definition import WorkedExample
from annotation_platform.core.schemes.spans import BETWEEN_SENTENCES, document_text, name_in_shape, named_texts
from annotation_platform.core.turns import Conversation, SpokenTurn, Turn, as_turns, conversation_of, for_prompt

CANDIDATE_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MANY_SENTENCES = 20


@dataclass(frozen=True)
class Sentence:
    """A sentence, its number in its document (from 1), and how it is cited: 5, or R2:5.

    ``start`` is where it begins in the document's text, in code points.
    """

    number: int
    text: str
    reference: SentenceReference
    start: int


def numbered(document: int, sentences: Sequence[str]) -> tuple[Sentence, ...]:
    """Sentences with their numbers and names; ``document`` as rows count it."""
    starts = accumulate((len(text) + len(BETWEEN_SENTENCES) for text in sentences), initial=0)
    return tuple(
        Sentence(number, text, sentence_reference(document, number), start)
        for number, (text, start) in enumerate(zip(sentences, starts, strict=False), start=1)
    )


@dataclass(frozen=True)
class Document:
    """The article (``number`` 0), or the reference document R1, R2, …

    Attributes
    ----------
    number : int
    sentences : tuple of str
        In the order of their numbers; empty where the publisher withholds the text.
    title, source, url : str
    anchor : int, optional
        The number of the sentence that raised the question.
    """

    number: int
    sentences: tuple[str, ...] = ()
    title: str = ""
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

    @cached_property
    def numbered(self) -> tuple[Sentence, ...]:
        """Its sentences with their numbers and names."""
        return numbered(self.number, self.sentences)


@dataclass(frozen=True)
class Answer:
    """An answer and the explanation that came with it.

    ``number`` is 0 where the item is this one answer, and from 1 that of a candidate of a group: as the ``candidate``
    of a slot and of whatever is stored about it. ``turns``: those to judge, where it is more than one plain text;
    ``text`` is then what they say as one.
    """

    number: int
    text: str
    rationale: str = ""
    turns: tuple[Turn, ...] = ()

    @property
    def in_prompt(self) -> str:
        """Its text as a model is given it."""
        return for_prompt(self.turns) if self.turns else self.text


@dataclass(frozen=True)
class ItemTexts:
    """The texts of one item; what it does not have, or what was not asked for, is empty.

    Attributes
    ----------
    id, question_id : int
        The keys of item and question; 0 for what is in no study.
    language : str
        Of the texts; empty where it is unknown.
    question : str
    choices, reference_answers : tuple of str
    turns : tuple of Turn
        The conversation before what is judged, where the question is more than a plain text; ``question`` is then this
        conversation as one text.
    answers : tuple of Answer
        The one answer, or the candidates of a group in the order in which they are shown.
    article : Document, optional
        None where the scheme shows none; without sentences where its publisher withholds them.
    documents : tuple of Document
        Reference documents, by number.
    """

    id: int = 0
    question_id: int = 0
    language: str = ""
    question: str = ""
    choices: tuple[str, ...] = ()
    reference_answers: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    answers: tuple[Answer, ...] = ()
    article: Document | None = None
    documents: tuple[Document, ...] = ()

    @property
    def answer(self) -> str:
        """The text of the one answer; empty for a group."""
        return next((each.text for each in self.answers if not each.number), "")

    @property
    def rationale(self) -> str:
        """The explanation of the one answer; empty for a group."""
        return next((each.rationale for each in self.answers if not each.number), "")

    @property
    def asked(self) -> str:
        """The question; of a conversation its last turn."""
        return self.turns[-1].words if self.turns else self.question

    @property
    def question_in_prompt(self) -> str:
        """The question as a model is given it; a conversation turn by turn."""
        return for_prompt(self.turns) if self.turns else self.question

    @property
    def answer_in_prompt(self) -> str:
        """The one answer as a model is given it; empty for a group."""
        return next((each.in_prompt for each in self.answers if not each.number), "")

    @cached_property
    def conversation(self) -> Conversation:
        """Its turns with their numbers; a plain question is its first turn, and a plain answer the one after."""
        said = {each.number: as_turns("assistant", each.turns, each.text) for each in self.answers}
        own = [said.get(number, ()) for number in range(1, max(said, default=0) + 1)]
        return conversation_of(as_turns("user", self.turns, self.question), said.get(0, ()), own, self.language)

    @property
    def question_turns(self) -> tuple[SpokenTurn, ...]:
        """Of the conversation what stands before the answers."""
        return self.conversation[0][: len(self.turns) or bool(self.question)]

    @property
    def answer_turns(self) -> tuple[SpokenTurn, ...]:
        """Of the conversation what the one answer says."""
        return self.conversation[0][len(self.question_turns) :]

    def turns_of(self, number: int) -> tuple[SpokenTurn, ...]:
        """Of the conversation what the answer of this number says: the one answer (0), or a candidate."""
        return self.conversation[number] if number else self.answer_turns

    @property
    def is_conversation(self) -> bool:
        return bool(self.turns) or any(each.turns for each in self.answers)

    @property
    def judged_turns(self) -> tuple[Turn, ...]:
        """The turns of the one answer; none where it is a plain text, and for a group."""
        return next((each.turns for each in self.answers if not each.number), ())

    @cached_property
    def candidates(self) -> tuple[Answer, ...]:
        """The answers of a group."""
        return tuple(each for each in self.answers if each.number)

    @cached_property
    def letters(self) -> dict[int, str]:
        """The letter under which each candidate is shown, by its number; the first is A."""
        return dict(zip((each.number for each in self.candidates), CANDIDATE_LETTERS, strict=False))

    @cached_property
    def shape(self) -> ItemShape:
        lengths = {document.number: len(document.sentences) for document in self.documents}
        return ItemShape(
            sentences=len(self.article.sentences) if self.article else 0,
            documents=tuple(lengths.get(number, 0) for number in range(1, max(lengths, default=0) + 1)),
            choices=len(self.choices),
            candidates=len(self.candidates),
            texts=tuple((name, len(text)) for name, text in self.named.items()),
            turns=self.conversation,
        )

    @cached_property
    def named(self) -> dict[str, str]:
        """The texts that can be marked, by the names that marked spans have for them; a candidate's is ``answer.2``."""
        alone = {"question": self.question, "answer": self.answer, "rationale": self.rationale}
        texts = named_texts(alone, (), self.article.sentences if self.article else (), (), self.reference_answers)
        texts |= {name_in_shape("answer", each.number): each.text for each in self.candidates if each.text}
        return texts | {each.name: document_text(each.sentences) for each in self.documents if each.sentences}

    @property
    def has_documents(self) -> bool:
        return self.article is not None or bool(self.documents)

    @property
    def is_long(self) -> bool:
        """Whether its documents are worth a search."""
        return len(self.documents) > 1 or sum(self.shape.documents) + self.shape.sentences > MANY_SENTENCES


def answers_of(answer: str = "", rationale: str = "", candidates: Iterable[str] = ()) -> tuple[Answer, ...]:
    """The answers of an item from their texts: the one answer if there is any, and candidates numbered from 1."""
    alone = (Answer(0, answer, rationale),) if answer or rationale else ()
    return (*alone, *(Answer(number, text) for number, text in enumerate(candidates, start=1)))


def texts_of_example(example: WorkedExample, parts: Collection[str]) -> ItemTexts:
    """What a worked example shows under a scheme with these parts, its candidates in the order written."""
    documents = (
        Document(number, document.sentences, document.title)
        for number, document in enumerate(example.documents, start=1)
    )
    return ItemTexts(
        question=example.question,
        choices=example.choices,
        reference_answers=example.reference_answers,
        answers=answers_of(
            example.answer, example.rationale, candidates=example.candidates if "candidates" in parts else ()
        ),
        article=Document(0, example.sentences, anchor=example.anchor) if "article" in parts else None,
        documents=tuple(documents) if "documents" in parts else (),
    )
