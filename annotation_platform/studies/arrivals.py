"""Studies and corpora that are stored piece by piece, hidden until all is there.

Imports and the study builder store theirs this way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.corpus.columns import forget_plans, look_up_by_index
from annotation_platform.corpus.models import Corpus
from annotation_platform.jobs.transactions import in_short_transaction
from annotation_platform.studies.clearing import clear
from annotation_platform.studies.models import Study


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
            done = work()
            look_up_by_index()
            return done

        return in_short_transaction(alive)

    def end(self, *, actor: Actor) -> None:
        """Let everybody see it; call this within the last piece of the work."""
        self._mark(None)
        if self.corpus is not None:
            self.corpus.arriving_at = None
            record(actor, Verb.CORPUS_CREATED, self.corpus, study=self.study)
        if self.study is not None:
            self.study.arriving_at = None
            record(actor, Verb.STUDY_CREATED, self.study, study=self.study)

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
    forget_plans()
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
        clear(row)


def clear_left_behind() -> None:
    """Clear away all that killed processes left, of what they stored and of what they deleted."""
    for rows in (Study.every, Corpus.every):
        for row in rows.filter(arriving_at__lt=_left_behind_before()):
            clear(row)


def _left_behind_before() -> datetime:
    # A little sooner than their jobs are, so that whoever takes such a job up again finds the name free.
    return timezone.now() - timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS * 0.8)


def _clear(arrival: Arrival) -> None:
    if arrival.study is not None:
        clear(arrival.study)
    if arrival.corpus is not None:
        clear(arrival.corpus)
