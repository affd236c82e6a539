"""The platform's own format, ``annotation-platform/1``: YAML or JSON with a corpus, settings and judgments."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import SchemeError, build_scheme, preset
from annotation_platform.core.segmentation import split_sentences
from annotation_platform.core.turns import Role, Turn, as_text, reply_as_text, stored_turns, turns_of
from annotation_platform.corpus.importers.document import LANGUAGE, WEB_ADDRESS, Document, Part
from annotation_platform.corpus.importers.format import PREVIEWED, Format, Options, Preview
from annotation_platform.corpus.importers.identifiers import Identifier, Pseudonym
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, RowError, wrong_at
from annotation_platform.corpus.importers.study import (
    LARGEST,
    MOST_CHOICES,
    NO_DOCUMENT,
    Entry,
    Header,
    ImportedAnswer,
    ImportedArticle,
    ImportedJudgment,
    ImportedQuestion,
    Origin,
)


class NativeCall(Part):
    name: str = ""
    arguments: str = ""
    result: str = ""


class NativeTurn(Part):
    role: Role
    text: str = ""
    name: str = Field(default="", max_length=200)
    calls: list[NativeCall] = []

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.text.strip() or self.calls):
            raise RowError("corpus.turn_empty")
        return self


class NativeAnswer(Part):
    """A text, or the turns to judge."""

    text: str = ""
    rationale: str = ""
    turns: list[NativeTurn] = []

    @model_validator(mode="after")
    def _something(self) -> Self:
        if self.text and self.turns:
            raise RowError("corpus.text_and_turns")
        if not (self.text.strip() or self.turns or self.rationale.strip()):
            raise RowError("corpus.answer_empty")
        return self

    @property
    def words(self) -> str:
        return reply_as_text(_turns(self.turns)) if self.turns else self.text


def _turns(written: Sequence[NativeTurn]) -> tuple[Turn, ...]:
    return turns_of(each.model_dump(exclude_defaults=True) for each in written)


def _as_answer(value: Any) -> Any:
    if not isinstance(value, str | dict):
        raise RowError("corpus.answer_malformed")
    return {"text": value} if isinstance(value, str) else value


class NativeQuestion(Part):
    """``turns``: the conversation before the answers, in place of a text."""

    id: Identifier
    text: str = ""
    turns: list[NativeTurn] = []
    anchor: int | None = Field(default=None, ge=1, le=1_000_000)
    choices: list[Annotated[str, Field(min_length=1)]] = Field(default=[], max_length=MOST_CHOICES)
    reference_answers: list[Annotated[str, Field(min_length=1)]] = []
    documents: list[Identifier] = []
    answers: dict[Identifier, Annotated[NativeAnswer, BeforeValidator(_as_answer)]]

    @model_validator(mode="after")
    def _text_or_turns(self) -> Self:
        if self.text and self.turns:
            raise RowError("corpus.text_and_turns")
        if not (self.text or self.turns):
            raise RowError("corpus.question_blank")
        return self

    @property
    def words(self) -> str:
        return as_text(_turns(self.turns)) if self.turns else self.text


class NativeArticle(Part):
    id: Identifier
    title: str = Field(default="", max_length=500)
    source: str = Field(default="", max_length=500)
    url: str = Field(default="", max_length=500, pattern=WEB_ADDRESS)
    sentences: list[str] = []
    text: str = ""
    questions: list[NativeQuestion] = []

    @model_validator(mode="after")
    def _one_text(self) -> Self:
        if self.sentences and self.text:
            raise RowError("corpus.sentences_and_text")
        return self


class NativeCorpus(Part):
    name: str = Field(min_length=1, max_length=200)
    language: str = Field(default="en", pattern=LANGUAGE)
    families: dict[Annotated[str, Field(min_length=1, max_length=200)], list[Identifier]] = {}
    articles: list[NativeArticle] = []
    questions: list[NativeQuestion] = []

    @model_validator(mode="after")
    def _families_of_systems(self) -> Self:
        asked = [question for article in self.articles for question in article.questions] + self.questions
        there = {system for question in asked for system in question.answers}
        family_of: dict[str, str] = {}
        for family, systems in self.families.items():
            if family in there:
                raise RowError("corpus.family_is_a_system", family=family)
            for system in systems:
                if system not in there:
                    raise RowError("corpus.family_without_answers", family=family, system=system)
                if system in family_of:
                    raise RowError(
                        "corpus.system_in_two_families", system=system, first=family_of[system], second=family
                    )
                family_of[system] = family
        return self


class NativeSettings(Part):
    scheme: str = "ebr"
    overlap: int = Field(default=5, ge=1, le=LARGEST)
    questions_per_hit: int = Field(default=5, ge=1, le=LARGEST)
    hits_per_batch: int = Field(default=20, ge=1, le=LARGEST)
    time_limit_minutes: int = Field(default=60, ge=1, le=LARGEST)


class NativeJudgment(Part):
    annotator: Pseudonym
    article: Identifier = NO_DOCUMENT
    question: Identifier
    system: Identifier | None = None
    values: dict[str, Any]
    seconds: float | None = Field(default=None, ge=0)
    replicate: int = Field(default=0, ge=0, le=LARGEST)


class NativeStudy(Part):
    format: Literal["annotation-platform/1"]
    corpus: NativeCorpus
    study: NativeSettings = NativeSettings()
    not_asked: list[str] = []
    judgments: list[NativeJudgment] = []


class Native(Format):
    """One file for a study."""

    key = "native"
    called = "corpus.format_native"

    def _open(self, path: Path, name: str, sheet: str) -> Document:
        return Document.read(path, name)

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix in (".yaml", ".yml", ".json") and "annotation-platform/1" in beginning

    def lacks_scheme(self, options: Options) -> bool:
        return False  # the file names one

    def preview(self, sources: Sequence[Document], options: Options) -> Preview:
        corpus = sources[0].parse(NativeStudy).corpus
        asked = [("", question) for question in corpus.questions]
        asked += [(article.id, question) for article in corpus.articles for question in article.questions]
        answers = (
            (article, question.id, question.words, system, answer.words or answer.rationale)
            for article, question in asked
            for system, answer in question.answers.items()
        )
        return Preview(("article", "question", "text", "system", "answer"), list(islice(answers, PREVIEWED)))

    def begin(
        self, sources: Sequence[Document], options: Options, mistakes: Mistakes
    ) -> tuple[Header, Iterator[Entry]]:
        if len(sources) != 1:
            raise ImportFileError([Reason("corpus.native_one_file")])
        reading = _RowReader(sources[0], mistakes)
        definition = options.definition or reading.named_scheme()
        reading.check_identifiers()
        if definition is None:  # nothing else can be told before the scheme is known
            mistakes.refuse()
        assert definition is not None
        reading.check_not_asked(definition)
        study = reading.native.study.model_dump(exclude={"scheme"})
        header = Header(
            language=reading.native.corpus.language,
            definition=definition,
            corpus_name=reading.native.corpus.name,
            settings=study,
            not_asked=frozenset(reading.native.not_asked),
            values_at=("values",),
            families={
                system: family for family, systems in reading.native.corpus.families.items() for system in systems
            },
        )
        return header, reading.entries()


class _RowReader:
    """One file while it is read."""

    def __init__(self, document: Document, mistakes: Mistakes) -> None:
        self.native = document.parse(NativeStudy)
        self._document = document
        self._mistakes = mistakes
        self._lengths: dict[str, int] = {}

    def named_scheme(self) -> Mapping[str, Any] | None:
        try:
            return preset(self.native.study.scheme)
        except SchemeError as error:
            self._refuse(("study", "scheme"), error.reasons[0])
            return None

    def check_not_asked(self, definition: Mapping[str, Any]) -> None:
        scheme = build_scheme(dict(definition))
        known = sorted(aspect.key for aspect in scheme.aspects)
        for index, key in enumerate(self.native.not_asked):
            if key not in known:
                self._refuse(
                    ("not_asked", index),
                    Reason("corpus.not_asked_unknown", scheme=scheme.key, aspect=key, known=[*known]),
                )

    def check_identifiers(self) -> None:
        """What the waiting entries cannot tell: places in the lists, and a file without anything to judge."""
        corpus = self.native.corpus
        if corpus.questions and any(article.id == NO_DOCUMENT for article in corpus.articles):
            self._refuse(("corpus", "questions"), Reason("corpus.article_name_reserved", name=NO_DOCUMENT))
        asked = [*corpus.questions, *(question for article in corpus.articles for question in article.questions)]
        if not any(question.answers for question in asked):
            self._refuse(("corpus",), Reason("corpus.nothing_to_judge"))

    def entries(self) -> Iterator[Entry]:
        """All articles before all questions, since a question may refer to any of them."""
        corpus = self.native.corpus
        for index, article in enumerate(corpus.articles):
            at = ("corpus", "articles", index)
            sentences = self._sentences(article, at)
            self._lengths[article.id] = len(sentences)
            yield ImportedArticle(
                article.id, Origin(0, at), article.title, article.source, article.url, sentences=sentences
            )
        for index, article in enumerate(corpus.articles):
            yield from self._questions(article.id, article.questions, ("corpus", "articles", index, "questions"))
        if corpus.questions:
            yield ImportedArticle(NO_DOCUMENT, Origin(0, ("corpus", "questions")))
            yield from self._questions(NO_DOCUMENT, corpus.questions, ("corpus", "questions"))
        for index, row in enumerate(self.native.judgments):
            yield ImportedJudgment(
                *(row.article, row.question, row.system or "", row.annotator, row.values),
                origin=Origin(0, ("judgments", index)),
                replicate=row.replicate,
                seconds=row.seconds,
            )

    def _sentences(self, article: NativeArticle, at: Location) -> Sequence[str]:
        for number, sentence in enumerate(article.sentences):
            if not sentence.strip():
                self._refuse((*at, "sentences", number), Reason("corpus.sentence_empty"))
        if not article.text:
            return article.sentences
        language = self.native.corpus.language
        try:
            return split_sentences(article.text, language)
        except ValueError:
            reason = Reason("corpus.text_not_cut", language=language)
            self._refuse((*at, "text"), reason)
            return []

    def _questions(self, article: str, questions: Sequence[NativeQuestion], at: Location) -> Iterator[Entry]:
        length = self._lengths.get(article, 0)
        for number, question in enumerate(questions):
            here = (*at, number)
            if question.anchor and length and question.anchor > length:
                reason = Reason("corpus.no_anchor", number=question.anchor, count=length)
                self._refuse((*here, "anchor"), reason)
            for index, name in enumerate(question.documents):
                if name not in self._lengths:
                    self._refuse((*here, "documents", index), Reason("corpus.no_article", name=name))
            yield ImportedQuestion(
                *(article, question.id, Origin(0, here), question.words, question.anchor),
                choices=question.choices,
                reference_answers=question.reference_answers,
                documents=[name for name in dict.fromkeys(question.documents) if name in self._lengths],
                turns=stored_turns(_turns(question.turns)),
            )
            for system, answer in question.answers.items():
                at_answer = Origin(0, (*here, "answers", system))
                yield ImportedAnswer(
                    *(article, question.id, system, at_answer, answer.words, answer.rationale),
                    turns=stored_turns(_turns(answer.turns)),
                )

    def _refuse(self, location: Location, reason: Reason) -> None:
        self._mistakes.add(wrong_at(self._document.where(location), reason))
