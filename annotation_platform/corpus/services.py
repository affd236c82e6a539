"""Everything that writes corpora."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.columns import insert_rows
from annotation_platform.corpus.importers import ImportedStudy
from annotation_platform.corpus.importers.staged import StagedAnswer, StagedArticle, StagedQuestion
from annotation_platform.corpus.models import (
    Answer,
    AnswerTrace,
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
    systems = {system.name: system.pk for system in stored_systems}
    if imported.has_turns:
        write(lambda: Corpus.every.filter(pk=corpus.pk).update(has_turns=True))
    if imported.has_metrics:
        write(lambda: Corpus.every.filter(pk=corpus.pk).update(has_metrics=True))
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


ARTICLE = ("corpus", "external_id", "title", "source", "url", "position", "sentence_count")
QUESTION = ("article", "position", "external_id", "text", "anchor", "choices", "reference_answers", "turns")


def _store_articles(corpus: Corpus, articles: Sequence[StagedArticle]) -> list[int]:
    keys = insert_rows(
        Article,
        ARTICLE,
        [(corpus.pk, each.name, each.title, each.source, each.url, each.id, len(each.sentences)) for each in articles],
    )
    sentences = (
        (key, number, text)
        for key, article in zip(keys, articles, strict=True)
        for number, text in enumerate(article.sentences, start=1)
    )
    while some := list(islice(sentences, ROWS_AT_ONCE)):
        insert_rows(Sentence, ("article", "number", "text"), some)
    return keys


def _store_questions(questions: Sequence[StagedQuestion]) -> list[int]:
    return insert_rows(Question, QUESTION, [each[1:] for each in questions])


def _store_answers(answers: Sequence[StagedAnswer], systems: Mapping[str, int]) -> list[int]:
    rows = [
        (each.question_pk, systems[each.system], each.text, each.rationale, each.turns, each.metrics)
        for each in answers
    ]
    keys = insert_rows(Answer, ("question", "system", "text", "rationale", "turns", "metrics"), rows)
    traced = [(key, *each.traced) for key, each in zip(keys, answers, strict=True) if each.traced]
    if traced:
        insert_rows(AnswerTrace, ("answer", "tool", "trace", "span", "project"), traced)
    return keys


def _store_references(references: Sequence[tuple[int, int, int]]) -> None:
    insert_rows(ReferenceDocument, ("question", "article", "number"), references)


def _keys(stored: Iterable[int], staged: Iterable[Any]) -> Iterator[tuple[int, int]]:
    """The key of each stored row beside the id that it had before."""
    return ((key, before.id) for key, before in zip(stored, staged, strict=True))


def _chunks(rows: Iterator[Row], size: int = ROWS_AT_ONCE) -> Iterator[list[Row]]:
    while chunk := list(islice(rows, size)):
        yield chunk
