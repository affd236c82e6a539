"""What happens between the short transactions of a long piece of work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event, Thread
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection

from annotation_platform.jobs import transactions


@contextmanager
def after_each_piece(then: Callable[[], Any]) -> Iterator[list[int]]:
    """Call ``then`` after each short transaction in here; the list grows by one each time."""
    counted: list[int] = []
    alone = transactions._alone

    def observed(work: Callable[[], Any]) -> Any:
        result = alone(work)
        counted.append(len(counted) + 1)
        then()
        return result

    with patch.object(transactions, "_alone", observed):
        yield counted


def somebody_else(work: Callable[[], Any]) -> Callable[[], None]:
    """``work`` on a connection of its own; fails when it has to wait for long."""

    def run() -> None:
        errors: list[BaseException] = []

        def apart() -> None:
            try:
                work()
            except BaseException as error:
                errors.append(error)
            finally:
                connection.close()

        person = Thread(target=apart, daemon=True)
        person.start()
        person.join(timeout=10)
        assert not person.is_alive(), "the database was held"
        assert not errors, errors

    return run


class Killed(BaseException):
    """The process ends here."""


def killed_after(pieces: int) -> Callable[[], None]:
    """Ends the work after so many pieces; what is done about it afterwards is left alone."""
    done = count(1)

    def run() -> None:
        if next(done) == pieces:
            raise Killed

    return run


@contextmanager
def gone_after(pieces: int) -> Iterator[None]:
    """The process is killed after so many pieces: nothing more is written, not even to clear up."""
    left = iter(range(pieces))
    alone = transactions._alone
    is_gone = Event()

    def ended(work: Callable[[], Any]) -> Any:
        if next(left, None) is None:
            is_gone.set()
            raise OperationalError("gone")
        return alone(work)

    def refused(execute: Any, sql: str, *args: Any) -> Any:
        if is_gone.is_set():
            raise OperationalError("gone")
        return execute(sql, *args)

    refusing = connection.execute_wrapper(refused)
    with refusing, patch.object(transactions, "_alone", ended), pytest.raises(OperationalError, match="gone"):
        yield
