"""Removing all rows of a study or corpus that is hidden, piece by piece, so that others can write meanwhile."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from django.db import models
from django.db.models import ProtectedError

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
from annotation_platform.jobs.files import FileJob
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.studies.models import SchemeVersion, Study

ROWS_AT_ONCE = 1_000


def clear(row: Study | Corpus) -> None:
    """Remove a study or corpus that is hidden (``arriving_at``), with its files and all that hangs on it, in any app.

    Nothing happens to one that is there for everybody. Killed on the way, it is called again by the sweep.
    """
    if not type(row).every.filter(pk=row.pk, arriving_at__isnull=False).exists():
        return
    if isinstance(row, Corpus):
        for study in Study.every.filter(corpus=row):
            clear(study)
        for rows in _rows_of_corpus(row):
            _in_pieces(rows)
    else:
        for each in Study.every.filter(qualifies_for=row):
            clear(each)
        for relation, path in relations_to(Study):
            rows = relation.related_model._base_manager.filter(**{path: row})
            _in_pieces(rows, forget=relation.field.name if relation.on_delete is models.SET_NULL else "")
    in_short_transaction(lambda: _remove(type(row), [row.pk]))
    if isinstance(row, Study):
        with suppress(ProtectedError):  # somebody uses it
            SchemeVersion.objects.filter(pk=row.scheme_version_id, studies=None).delete()


def is_used(corpus: Corpus) -> bool:
    """Whether rows of another app, such as a study's, keep those of a corpus from going."""
    return any(map(_are_used, [Corpus.every.filter(pk=corpus.pk), *_rows_of_corpus(corpus)]))


def _are_used(rows: models.QuerySet[Any]) -> bool:
    relations: list[Any] = rows.model._meta.get_fields(include_hidden=True)
    return any(
        relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": rows}).exists()
        for relation in relations
        if relation.auto_created and not relation.concrete and relation.on_delete is models.PROTECT
        if relation.related_model._meta.app_label != Corpus._meta.app_label
    )


def relations_to(model: type[models.Model], path: str = "") -> Iterator[tuple[Any, str]]:
    """Every relation by which rows hang on a model's, the farthest first, with the look-up that leads to its rows.

    Django's own deletion refuses what is protected even where all of it goes, and loads every row to find that out.
    """
    relations: list[Any] = model._meta.get_fields(include_hidden=True)
    for relation in relations:
        is_reverse = relation.auto_created and not relation.concrete and (relation.one_to_many or relation.one_to_one)
        if not is_reverse or relation.related_model is model:  # rows of one table go in one statement
            continue
        lookup = f"{relation.field.name}__{path}" if path else relation.field.name
        if relation.on_delete is not models.SET_NULL:
            yield from relations_to(relation.related_model, lookup)
        yield relation, lookup


def _in_pieces(rows: models.QuerySet[Any], *, forget: str = "") -> None:
    """Remove rows, or empty their field ``forget``."""
    work = partial(_forget, field=forget) if forget else _remove
    while some := list(rows.order_by().values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        in_short_transaction(partial(work, rows.model, some))


def _remove(model: type[models.Model], pks: list[int]) -> None:
    rows: Any = model._base_manager.filter(pk__in=pks)
    if issubclass(model, FileJob):
        for job in rows.select_for_update():  # a worker that is making its file now finds no row later
            job.remove_files()
    rows._raw_delete(rows.db)  # what hangs on these rows is gone already


def _forget(model: type[models.Model], pks: list[int], *, field: str) -> None:
    model._base_manager.filter(pk__in=pks).update(**{field: None})


def _rows_of_corpus(corpus: Corpus) -> list[models.QuerySet[Any]]:
    return [
        ReferenceDocument.objects.filter(question__article__corpus=corpus),
        AnswerTrace.objects.filter(answer__question__article__corpus=corpus),
        Answer.objects.filter(question__article__corpus=corpus),
        Question.objects.filter(article__corpus=corpus),
        Sentence.objects.filter(article__corpus=corpus),
        Article.objects.filter(corpus=corpus),
        System.objects.filter(corpus=corpus),
    ]
