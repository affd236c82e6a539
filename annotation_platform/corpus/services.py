"""Everything that writes corpora."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from django.db import transaction

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.importers import ImportedStudy
from annotation_platform.corpus.models import (
    Answer,
    Article,
    Corpus,
    Question,
    ReferenceDocument,
    Sentence,
    System,
)

ROWS_AT_ONCE = 1_000
Row = TypeVar("Row")


@transaction.atomic
def store_corpus(
    *,
    name: str,
    imported: ImportedStudy,
    owner: User | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Corpus:
    """Store the corpus of a study that was read, in the order of the file, and note there what became of it.

    ``progress`` is told how many of the questions are stored.

    Raises
    ------
    InvalidInputError
        When the name is taken, empty or too long.
    """
    if not name.strip() or len(name) > 200:
        raise InvalidInputError("A corpus needs a name of 1 to 200 characters.")
    if Corpus.objects.filter(name=name).exists():
        raise InvalidInputError(f"There is a corpus named “{name}” already. Choose another name.")
    corpus = Corpus.objects.create(name=name, language=imported.header.language, owner=owner)
    family_of = imported.header.families
    stored_systems = System.objects.bulk_create(
        System(corpus=corpus, name=name, family=family_of.get(name, "")) for name in imported.systems()
    )
    systems = {system.name: system for system in stored_systems}
    _store_articles(corpus, imported)
    done, total = 0, imported.counts.questions
    for questions in _chunks(imported.questions()):
        progress(done, total)
        stored = Question.objects.bulk_create(
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
        imported.note_keys("question", _keys(stored, questions))
        done += len(questions)
    for answers in _chunks(imported.answers()):
        stored_answers = Answer.objects.bulk_create(
            Answer(
                question_id=answer.question_pk,
                system=systems[answer.system],
                text=answer.text,
                rationale=answer.rationale,
            )
            for answer in answers
        )
        imported.note_keys("answer", _keys(stored_answers, answers))
    for references in _chunks(imported.references()):
        ReferenceDocument.objects.bulk_create(
            ReferenceDocument(question_id=question, article_id=article, number=number)
            for question, article, number in references
        )
    return corpus


def _store_articles(corpus: Corpus, imported: ImportedStudy) -> None:
    for articles in _chunks(imported.articles(), size=ROWS_AT_ONCE // 10):  # each has many sentences
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
        imported.note_keys("article", _keys(stored, articles))
        sentences = (
            Sentence(article=row, number=number, text=text)
            for row, article in zip(stored, articles, strict=True)
            for number, text in enumerate(article.sentences, start=1)
        )
        while some := list(islice(sentences, ROWS_AT_ONCE)):
            Sentence.objects.bulk_create(some)


def _keys(stored: Iterable[Any], staged: Iterable[Any]) -> Iterator[tuple[int, int]]:
    """The key of each stored row beside the id that it had before."""
    return ((row.pk, before.id) for row, before in zip(stored, staged, strict=True))


def _chunks(rows: Iterator[Row], size: int = ROWS_AT_ONCE) -> Iterator[list[Row]]:
    while chunk := list(islice(rows, size)):
        yield chunk
