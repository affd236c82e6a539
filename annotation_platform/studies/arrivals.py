"""Studies and corpora that are stored piece by piece, hidden until all is there; clearing away what was left.

Imports and the study builder store theirs this way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DatabaseError, models
from django.db.models import Model, ProtectedError
from django.utils import timezone

from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.corpus.models import (
    Answer,
    Article,
    Corpus,
    Question,
    ReferenceDocument,
    Sentence,
    System,
)
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.studies.models import SchemeVersion, Study
from annotation_platform.studies.services.deleting import relations_to

ROWS_AT_ONCE = 1_000


class ArrivalLostError(ConflictError):
    """What was stored so far was taken for left behind, and cleared away."""


class Arrival:
    """A corpus, a study or both, while their rows are being stored."""

    def __init__(self) -> None:
        self.corpus: Corpus | None = None
        self.study: Study | None = None

    def write(self, work: Callable[[], Any]) -> Any:
        """Do a piece of the work in a short transaction that shows that somebody is at it."""

        def alive() -> Any:
            if not self._mark(timezone.now()):
                raise ArrivalLostError("studies.arrival_lost")
            return work()

        return in_short_transaction(alive)

    def end(self) -> None:
        """Let everybody see it; call this within the last piece of the work."""
        self._mark(None)
        for row in (self.corpus, self.study):
            if row is not None:
                row.arriving_at = None

    def _mark(self, at: datetime | None) -> bool:
        changed = [
            type(row).every.filter(pk=row.pk, arriving_at__isnull=False).update(arriving_at=at)
            for row in (self.corpus, self.study)
            if row is not None
        ]
        return all(changed)


@contextmanager
def arriving() -> Iterator[Arrival]:
    """Store something in here; whatever is not ended is cleared away afterwards."""
    arrival = Arrival()
    try:
        yield arrival
    finally:
        with suppress(DatabaseError):  # the database is away: the sweep clears it later
            _clear(arrival)


def free_names(*, study: str = "", corpus: str = "") -> None:
    """Clear away what a killed process left under these names.

    Raises
    ------
    InvalidInputError
        When something is being stored under one of them.
    """
    for name, rows in ((study, Study.every), (corpus, Corpus.every)):
        row: Any = rows.filter(name=name, arriving_at__isnull=False).first() if name else None
        if row is None:
            continue
        if row.arriving_at >= _left_behind_before():
            raise InvalidInputError("studies.name_being_made", name=name)
        _clear_rows(row)


def clear_left_behind() -> None:
    """Clear away all that killed processes left."""
    for rows in (Study.every, Corpus.every):
        for row in rows.filter(arriving_at__lt=_left_behind_before()):
            _clear_rows(row)


def _left_behind_before() -> datetime:
    # A little sooner than their jobs are, so that whoever takes such a job up again finds the name free.
    return timezone.now() - timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS * 0.8)


def _clear(arrival: Arrival) -> None:
    if arrival.study is not None:
        _clear_rows(arrival.study)
    if arrival.corpus is not None:
        _clear_rows(arrival.corpus)


def _clear_rows(row: Study | Corpus) -> None:
    """Remove a study or corpus that is still arriving; nothing happens to one that is there."""
    if not type(row).every.filter(pk=row.pk, arriving_at__isnull=False).exists():
        return
    if isinstance(row, Corpus):
        for study in Study.every.filter(corpus=row):
            _clear_rows(study)
    for rows in _rows_of_study(row) if isinstance(row, Study) else _rows_of_corpus(row):
        while some := list(rows.order_by().values_list("pk", flat=True)[:ROWS_AT_ONCE]):
            in_short_transaction(partial(_remove, rows.model, some))
    in_short_transaction(lambda: _remove(type(row), [row.pk]))
    if isinstance(row, Study):
        with suppress(ProtectedError):  # somebody uses it
            SchemeVersion.objects.filter(pk=row.scheme_version_id, studies=None).delete()


def _remove(model: type[Model], pks: list[int]) -> None:
    rows: Any = model._base_manager.filter(pk__in=pks)
    rows._raw_delete(rows.db)  # what hangs on these rows is gone already


def _rows_of_study(study: Study) -> list[models.QuerySet[Any]]:
    """All that hangs on a study, in whatever app, what hangs on others first."""
    return [
        relation.related_model._base_manager.filter(**{path: study})
        for relation, path in relations_to(Study)
        if relation.on_delete is not models.SET_NULL
    ]


def _rows_of_corpus(corpus: Corpus) -> list[models.QuerySet[Any]]:
    return [
        ReferenceDocument.objects.filter(question__article__corpus=corpus),
        Answer.objects.filter(question__article__corpus=corpus),
        Question.objects.filter(article__corpus=corpus),
        Sentence.objects.filter(article__corpus=corpus),
        Article.objects.filter(corpus=corpus),
        System.objects.filter(corpus=corpus),
    ]
