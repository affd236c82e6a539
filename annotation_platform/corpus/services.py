"""Everything that writes corpora."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.importers import ImportedStudy
from annotation_platform.corpus.importers.staged import StagedAnswer, StagedArticle, StagedQuestion
from annotation_platform.corpus.models import (
    Answer,
    Article,
    Corpus,
    Question,
    ReferenceDocument,
    Sentence,
    System,
)
from annotation_platform.jobs.transactions import Write, in_short_transaction

ROWS_AT_ONCE = 1_000
Row = TypeVar("Row")


def begin_corpus(*, name: str, language: str, owner: User | None = None) -> Corpus:
    """A corpus that is arriving: nobody sees it before its ``arriving_at`` is emptied.

    Raises
    ------
    InvalidInputError
        When the name is taken, empty or too long.
    """
    if not name.strip() or len(name) > 200:
        raise InvalidInputError("corpus.name_wrong")
    taken = InvalidInputError("corpus.name_taken", name=name)
    if Corpus.every.filter(name=name).exists():
        raise taken
    try:
        with transaction.atomic():
            return Corpus.every.create(name=name, language=language, owner=owner, arriving_at=timezone.now())
    except IntegrityError:  # somebody else was faster
        raise taken from None


def fill_corpus(
    *,
    corpus: Corpus,
    imported: ImportedStudy,
    write: Write = in_short_transaction,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Store the texts of a study that was read, in the order of the file, and note there what became of them.

    Parameters
    ----------
    write
        Does one piece of the work at a time, in a transaction.
    progress
        Told how many of the questions are stored.
    """
    family_of = imported.header.families
    stored_systems = write(
        lambda: System.objects.bulk_create(
            System(corpus=corpus, name=name, family=family_of.get(name, "")) for name in imported.systems()
        )
    )
    systems = {system.name: system for system in stored_systems}
    for articles in _chunks(imported.articles(), size=ROWS_AT_ONCE // 10):  # each has many sentences
        stored = write(partial(_store_articles, corpus, articles))
        imported.note_keys("article", _keys(stored, articles))
    done, total = 0, imported.counts.questions
    for questions in _chunks(imported.questions()):
        progress(done, total)
        stored = write(partial(_store_questions, questions))
        imported.note_keys("question", _keys(stored, questions))
        done += len(questions)
    for answers in _chunks(imported.answers()):
        stored = write(partial(_store_answers, answers, systems))
        imported.note_keys("answer", _keys(stored, answers))
    for references in _chunks(imported.references()):
        write(partial(_store_references, references))


def _store_articles(corpus: Corpus, articles: Sequence[StagedArticle]) -> list[Article]:
    stored = Article.objects.bulk_create(
        Article(
            corpus=corpus,
            external_id=article.name,
            title=article.title,
            source=article.source,
            url=article.url,
            position=article.id,
            sentence_count=len(article.sentences),
        )
        for article in articles
    )
    sentences = (
        Sentence(article=row, number=number, text=text)
        for row, article in zip(stored, articles, strict=True)
        for number, text in enumerate(article.sentences, start=1)
    )
    while some := list(islice(sentences, ROWS_AT_ONCE)):
        Sentence.objects.bulk_create(some)
    return stored


def _store_questions(questions: Sequence[StagedQuestion]) -> list[Question]:
    return Question.objects.bulk_create(
        Question(
            article_id=question.article_pk,
            external_id=question.name,
            position=question.position,
            text=question.text,
            anchor=question.anchor,
            choices=question.choices,
            reference_answers=question.reference_answers,
        )
        for question in questions
    )


def _store_answers(answers: Sequence[StagedAnswer], systems: Mapping[str, System]) -> list[Answer]:
    return Answer.objects.bulk_create(
        Answer(
            question_id=answer.question_pk,
            system=systems[answer.system],
            text=answer.text,
            rationale=answer.rationale,
        )
        for answer in answers
    )


def _store_references(references: Sequence[tuple[int, int, int]]) -> list[ReferenceDocument]:
    return ReferenceDocument.objects.bulk_create(
        ReferenceDocument(question_id=question, article_id=article, number=number)
        for question, article, number in references
    )


def _keys(stored: Iterable[Any], staged: Iterable[Any]) -> Iterator[tuple[int, int]]:
    """The key of each stored row beside the id that it had before."""
    return ((row.pk, before.id) for row, before in zip(stored, staged, strict=True))


def _chunks(rows: Iterator[Row], size: int = ROWS_AT_ONCE) -> Iterator[list[Row]]:
    while chunk := list(islice(rows, size)):
        yield chunk
