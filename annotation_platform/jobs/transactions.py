"""Short transactions: what is stored piece by piece, so that others can write between the pieces."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import OperationalError, connection, transaction

from annotation_platform.core.errors import ConflictError

PAUSES = (0.5, 2.0)  # seconds, after each of which a busy database is tried once more
LOCKED = ("database is locked", "database table is locked")  # as SQLite says it
DEADLOCK = "40P01"  # by its code: its words are those of the server's language
SHARE_OF_OTHERS = 0.2  # of the time that a piece held the database; who waits for SQLite looks only now and then
Result = TypeVar("Result")
Write = Callable[[Callable[[], Any]], Any]


class DatabaseBusyError(ConflictError):
    """Somebody else has been writing for too long."""

    def __init__(self) -> None:
        super().__init__("jobs.database_busy")


def is_busy(error: Exception) -> bool:
    """Whether an error says that nothing was stored since others were writing, so that it helps to try again.

    On SQLite its one writer is somebody else; on PostgreSQL two waited for each other, and this one was ended.
    """
    is_deadlock = getattr(error.__cause__, "sqlstate", None) == DEADLOCK
    return isinstance(error, OperationalError) and (is_deadlock or str(error).startswith(LOCKED))


@contextmanager
def told_when_busy() -> Iterator[None]:
    """Say it in a sentence when the database has no time."""
    try:
        yield
    except OperationalError as error:
        if is_busy(error):
            raise DatabaseBusyError from error
        raise


def in_short_transaction(work: Callable[[], Result]) -> Result:
    """Do ``work`` in a transaction of its own, again when the database is busy, and leave others time afterwards.

    Within a transaction of the caller's it is a part of that one.

    Raises
    ------
    DatabaseBusyError
        When the database stays busy.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            return work()
    for pause in PAUSES:
        try:
            return _alone(work)
        except OperationalError as error:
            if not is_busy(error):
                raise
            time.sleep(pause)
    with told_when_busy():
        return _alone(work)


def _alone(work: Callable[[], Result]) -> Result:
    with transaction.atomic():
        begun = time.monotonic()
        result = work()
    if connection.vendor == "sqlite":
        time.sleep((time.monotonic() - begun) * SHARE_OF_OTHERS)
    return result
