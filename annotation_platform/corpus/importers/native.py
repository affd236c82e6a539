"""The platform's own format, ``annotation-platform/1``: YAML or JSON with a corpus, settings and judgments."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from annotation_platform.core.locations import Location
from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    Scheme,
    SchemeError,
    build_scheme,
    check_judgment,
    preset,
)
from annotation_platform.core.text import split_sentences
from annotation_platform.corpus.importers.document import Document, ImportFileError, Part
from annotation_platform.corpus.importers.identifiers import Identifier, Pseudonym
from annotation_platform.corpus.importers.study import (
    AnswerKey,
    ImportedArticle,
    ImportedJudgment,
    ImportedQuestion,
    ImportedStudy,
)

SMALL = 32_767  # the largest number that the database's small columns hold


class NativeQuestion(Part):
    id: Identifier
    text: str = Field(min_length=1)
    anchor: int | None = Field(default=None, ge=1, le=1_000_000)
    answers: dict[Identifier, str]


class NativeArticle(Part):
    id: Identifier
    title: str = Field(default="", max_length=500)
    source: str = Field(default="", max_length=500)
    sentences: list[str] = []
    text: str = ""
    questions: list[NativeQuestion] = []

    @model_validator(mode="after")
    def _one_text(self) -> Self:
        if self.sentences and self.text:
            raise ValueError("has both 'sentences' and 'text'; give one of them")
        return self


class NativeCorpus(Part):
    name: str = Field(min_length=1, max_length=200)
    language: str = Field(default="en", pattern=r"^[a-z]{2,3}$")
    articles: list[NativeArticle] = Field(min_length=1)


class NativeSettings(Part):
    scheme: str = "ebr"
    overlap: int = Field(default=5, ge=1, le=SMALL)
    questions_per_hit: int = Field(default=5, ge=1, le=SMALL)
    hits_per_batch: int = Field(default=20, ge=1, le=SMALL)
    time_limit_minutes: int = Field(default=60, ge=1, le=SMALL)


class NativeJudgment(Part):
    annotator: Pseudonym
    article: Identifier
    question: Identifier
    system: Identifier
    values: dict[str, Any]
    seconds: float | None = Field(default=None, ge=0)
    replicate: int = Field(default=0, ge=0, le=SMALL)


class NativeStudy(Part):
    format: Literal["annotation-platform/1"]
    corpus: NativeCorpus
    study: NativeSettings = NativeSettings()
    not_asked: list[str] = []
    judgments: list[NativeJudgment] = []


Mistakes = list[tuple[Location, str]]


def read_native(documents: Sequence[Document], definition: Mapping[str, Any] | None) -> ImportedStudy:
    """Read one file of the platform's own format; see :data:`annotation_platform.corpus.importers.FORMATS`."""
    if len(documents) != 1:
        raise ImportFileError(["The native format is one file for a study; import each file as a study of its own"])
    document = documents[0]
    native = document.parse(NativeStudy)
    mistakes: Mistakes = []
    definition = definition or _named_scheme(native, mistakes)
    articles = [_article(native.corpus, index, mistakes) for index in range(len(native.corpus.articles))]
    _check_identifiers(native.corpus, mistakes)
    judgments: list[ImportedJudgment] = []
    if definition:
        judgments += _judgments(document, native, build_scheme(dict(definition)), articles, mistakes)
    if mistakes or definition is None:
        raise ImportFileError([f"{document.where(location)}: {reason}" for location, reason in mistakes])
    return ImportedStudy(
        corpus_name=native.corpus.name,
        language=native.corpus.language,
        definition=definition,
        articles=articles,
        judgments=judgments,
        settings=native.study.model_dump(exclude={"scheme"}),
    )


def _named_scheme(native: NativeStudy, mistakes: Mistakes) -> Mapping[str, Any] | None:
    try:
        return preset(native.study.scheme)
    except SchemeError as error:
        mistakes.append((("study", "scheme"), error.reasons[0]))
        return None


def _article(corpus: NativeCorpus, index: int, mistakes: Mistakes) -> ImportedArticle:
    article, at = corpus.articles[index], ("corpus", "articles", index)
    sentences = article.sentences
    for number, sentence in enumerate(sentences):
        if not sentence.strip():
            mistakes.append(((*at, "sentences", number), "a sentence must not be empty"))
    if article.text:
        try:
            sentences = split_sentences(article.text, corpus.language)
        except ValueError:
            reason = f"cannot be cut into sentences in the language {corpus.language!r}; give 'sentences' instead"
            mistakes.append(((*at, "text"), reason))
    for number, question in enumerate(article.questions):
        if question.anchor and sentences and question.anchor > len(sentences):
            reason = f"there is no sentence {question.anchor}; the article has {len(sentences)}"
            mistakes.append(((*at, "questions", number, "anchor"), reason))
        mistakes += (
            ((*at, "questions", number, "answers", system), "an answer must not be empty")
            for system, answer in question.answers.items()
            if not answer.strip()
        )
    return ImportedArticle(
        external_id=article.id,
        title=article.title,
        source=article.source,
        sentences=sentences,
        questions=[ImportedQuestion(q.id, q.text, q.anchor, q.answers) for q in article.questions],
    )


def _check_identifiers(corpus: NativeCorpus, mistakes: Mistakes) -> None:
    at = ("corpus", "articles")
    mistakes += _doubled([article.id for article in corpus.articles], "article", at)
    for index, article in enumerate(corpus.articles):
        mistakes += _doubled([question.id for question in article.questions], "question", (*at, index, "questions"))
    if not any(question.answers for article in corpus.articles for question in article.questions):
        mistakes.append((at, "no question has an answer, so there is nothing to judge"))


def _doubled(identifiers: Sequence[str], kind: str, at: Location) -> Iterator[tuple[Location, str]]:
    first: dict[str, int] = {}
    for index, identifier in enumerate(identifiers):
        if identifier in first:
            yield (*at, index, "id"), f"the {kind} {identifier!r} is there already (as number {first[identifier] + 1})"
        first.setdefault(identifier, index)


def _judgments(
    document: Document,
    native: NativeStudy,
    scheme: Scheme,
    articles: Sequence[ImportedArticle],
    mistakes: Mistakes,
) -> Iterator[ImportedJudgment]:
    known = {aspect.key for aspect in scheme.aspects}
    mistakes += (
        (("not_asked", index), f"the scheme {scheme.key!r} has no aspect {key!r}; it has {', '.join(sorted(known))}")
        for index, key in enumerate(native.not_asked)
        if key not in known
    )
    sentence_counts = {
        AnswerKey(article.external_id, question.external_id, system): len(article.sentences)
        for article in articles
        for question in article.questions
        for system in question.answers
    }
    seen: dict[tuple[AnswerKey, str, int], int] = {}
    for index, row in enumerate(native.judgments):
        at = ("judgments", index)
        key = AnswerKey(row.article, row.question, row.system)
        if key not in sentence_counts:
            mistakes.append((at, f"the corpus has no answer by {key.system!r} to {key.question!r} in {key.article!r}"))
            continue
        if (earlier := seen.setdefault((key, row.annotator, row.replicate), index)) != index:
            reason = f"{row.annotator!r} judged this answer already in judgments[{earlier}]"
            mistakes.append((at, f"{reason}; a second judgment by the same person needs another 'replicate'"))
        try:
            values = check_judgment(scheme, row.values, sentence_count=sentence_counts[key], not_asked=native.not_asked)
        except InvalidJudgmentError as error:
            mistakes += (((*at, "values", aspect), reason) for aspect, reason in error.errors.items())
            continue
        yield ImportedJudgment(key, row.annotator, values, document, at, row.replicate, row.seconds)
