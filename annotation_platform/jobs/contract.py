"""What is done with every long job: claiming it, carrying it out, and noting how it ended.

A kind of job says which rows are its queue and what is done for one of them. ``workers/kinds.py`` lists all kinds;
``docs/how-to/extend.md`` shows a new one.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import override

from annotation_platform.core.errors import ConflictError, DomainError
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.heartbeat import Heartbeat, JobLostError, JobPausedError, JobStoppedError, Progress
from annotation_platform.jobs.rows import ACTIVE, Job, JobStatus, QueueQuerySet

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Job)


class JobDiedError(ConflictError):
    """The processes of several workers ended in the middle of a job."""


def in_words(error: Exception) -> Reason:
    """What people are told of an exception that ended a job."""
    if isinstance(error, DomainError):
        return error.reason
    return Reason("jobs.platform_error", error=f"{type(error).__name__}: {error}")


def failed(error: Exception) -> Mapping[str, Any]:
    """What an exception makes of a row."""
    return {"status": JobStatus.FAILED, "error": in_words(error), "finished_at": timezone.now()}


@dataclass(frozen=True)
class JobKind(Generic[Row]):
    """One kind of long job.

    Attributes
    ----------
    name : str
        In messages to the worker; never changed, for messages may be under way.
    model : type of Job
        The table whose rows are the queue.
    do : callable
        Does the work for a row that this process holds, and calls the heartbeat's ``beat`` after each step. It may be
        called twice for one row and then goes on, or begins anew. It ends by returning, or by :func:`leave` within
        the transaction that stores what it made.
    ended_by : callable
        What an exception makes of the row; by default a failure, with the reason.
    find : callable
        Makes rows of work that nobody asked for and that is due; called by every sweep.
    followed_by : str
        The kind whose ``find`` is called as soon as a job of this one is done; empty: none.
    tries : int
        How many workers may die over one job before it counts as failed.
    """

    name: str
    model: type[Row]
    do: Callable[[Row, Heartbeat], object]
    ended_by: Callable[[Exception], Mapping[str, Any]] = failed
    find: Callable[[], object] = lambda: None
    followed_by: str = ""
    tries: int = 2

    @property
    def rows(self) -> "QueueQuerySet[Row]":
        return QueueQuerySet(self.model)


Follower = Callable[[Any], None]
_followers: dict[type[Job], dict[str, Follower]] = {}


def add_follower(name: str, model: type[Job], follower: Follower) -> None:
    """Have a follower called whenever a job of this table is done or has failed; one of the same name is replaced.

    It is called with the row in the transaction that notes the end; what it raises undoes that, so it raises nothing.
    """
    _followers.setdefault(model, {})[name] = follower


@dataclass(frozen=True)
class Chore:
    """Something small that every sweep does."""

    name: str
    do: Callable[[], object]


def waiting(kind: JobKind[Any]) -> list[int]:
    """Keys of the jobs that wait for a worker and have no message, also of those that are only now found to be due."""
    kind.find()
    for job in kind.rows.stale().filter(attempts__gte=kind.tries):
        _end(kind, job, JobDiedError("jobs.worker_died", attempts=job.attempts))
    return kind.rows.hand_out()


def claim(kind: JobKind[Row], pk: int) -> Row | None:
    """Take a pending job, or one whose worker has gone silent; None when there is nothing to take."""
    now = timezone.now()
    claimed = (
        kind.rows.claimable()
        .filter(pk=pk, attempts__lt=kind.tries)
        .update(
            status=JobStatus.RUNNING,
            worker=secrets.token_hex(8),
            heartbeat_at=now,
            attempts=F("attempts") + 1,
            done=0,
            error="",
            started_at=Coalesce("started_at", now),
        )
    )
    return kind.rows.get(pk=pk) if claimed else None


def run_job(kind: JobKind[Row], pk: int) -> Row | None:
    """Claim a job and do its work; None when somebody else has it or nothing is left to do."""
    job = claim(kind, pk)
    return job and execute(kind, job)


def execute(kind: JobKind[Row], job: Row, on_progress: Progress | None = None) -> Row:
    """Do the work of a claimed job, up to its end or as far as it goes.

    This is the one place where an exception becomes a state. Afterwards the job is DONE; or FAILED or PAUSED, with the
    reason in ``error``; or PENDING again because this process is about to end, or because of an error of the database,
    which is raised. One whose worker dies stays RUNNING until it is stale and somebody else claims it.
    """
    heartbeat = Heartbeat(job, on_progress)
    try:
        with heartbeat, override(settings.LANGUAGE_CODE):  # what is stored is in nobody's own language
            kind.do(job, heartbeat)
            if job.status == JobStatus.RUNNING:
                leave(job, JobStatus.DONE, done=heartbeat.done)
    except JobLostError as error:
        logger.warning("%s: %s", job, error)
    except JobStoppedError:
        _leave_if_ours(job, status=JobStatus.PENDING, worker="", heartbeat_at=None, attempts=0, done=heartbeat.done)
    except JobPausedError as error:
        logger.info("%s pauses: %s", job, error)
        paused = {"status": JobStatus.PAUSED, "worker": "", "error": error.reason, "pause_asked": False}
        _leave_if_ours(job, **paused, done=heartbeat.done)
    except (OperationalError, InterfaceError) as error:
        _give_back_or_end(kind, job, error, heartbeat.done)
    except KeyboardInterrupt:
        _end(kind, job, DomainError("jobs.stopped_by_hand"), heartbeat.done)
        raise
    except Exception as error:
        if not isinstance(error, DomainError):
            logger.exception("%s failed", job)
        _end(kind, job, error, heartbeat.done)
    with suppress(ObjectDoesNotExist):  # it was deleted meanwhile
        job.refresh_from_db()
    return job


def leave(job: Job, status: str = JobStatus.DONE, **changes: Any) -> None:
    """Let go of a job that has come to an end, if it is still ours; in a transaction, together with what it stores.

    Raises
    ------
    JobLostError
        When another worker has it.
    """
    if not _note(_ours(job), job, {"status": status, "finished_at": timezone.now(), **changes}):
        raise JobLostError("jobs.taken_over", job=str(job))
    job.status = status


def stop(job: Job) -> bool:
    """End a job that waits, is under way or has paused, whoever holds it; False where it has ended already.

    It counts as failed, which nothing waits for; its worker loses it before the next step.
    """
    rows: QueueQuerySet[Any] = QueueQuerySet(type(job))
    unfinished = rows.filter(pk=job.pk, status__in=[*ACTIVE, JobStatus.PAUSED])
    ended = failed(DomainError("jobs.stopped_by_hand"))
    return _note(unfinished, job, {**ended, "worker": "", "pause_asked": False})


def _note(rows: QueueQuerySet[Any], job: Job, changes: Mapping[str, Any]) -> bool:
    """Write what became of a job, if it is among these rows, with what follows its end."""
    with transaction.atomic():
        if not rows.update(**changes):
            return False
        if changes.get("status") in (JobStatus.DONE, JobStatus.FAILED):
            for follower in _followers.get(type(job), {}).values():
                follower(type(job)._base_manager.get(pk=job.pk))
    return True


def _end(kind: JobKind[Any], job: Job, error: Exception, done: int | None = None) -> None:
    logger.warning("%s ended: %s", job, error)
    changes = dict(kind.ended_by(error))
    _leave_if_ours(job, **changes, **({} if done is None else {"done": done}))


def _give_back_or_end(kind: JobKind[Any], job: Job, error: Exception, done: int) -> None:
    """Give a job back that an error of the database broke off, and raise the error; end it after its last try.

    While the database is away neither can be written, so the row goes stale and is taken up again.
    """
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()  # what broke may be the connection; the next write makes a new one
    with suppress(DatabaseError, InterfaceError):
        if job.attempts >= kind.tries:
            logger.error("%s failed", job, exc_info=error)
            _end(kind, job, error, done)
            return
        _leave_if_ours(job, status=JobStatus.PENDING, worker="", heartbeat_at=None, done=done)
    raise error


def _leave_if_ours(job: Job, **changes: Any) -> None:
    if not _note(_ours(job), job, changes):
        logger.warning("%s was taken over by another worker.", job)


def _ours(job: Job) -> QueueQuerySet[Any]:
    """The row, if this claim still holds it."""
    rows: QueueQuerySet[Any] = QueueQuerySet(type(job))
    return rows.filter(pk=job.pk, worker=job.worker, status=JobStatus.RUNNING)
