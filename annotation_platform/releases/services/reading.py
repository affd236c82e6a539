"""Reading very many rows by their keys: all from one moment, and only some of them in memory at a time."""

from array import array
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from annotation_platform.releases.selectors.dialects import dialect

T = TypeVar("T")
KEYS_AT_ONCE = 10_000

# Each table joined by an index in the written order. Left to itself, the planner reads whole tables for some keys; and
# right after a run, when it has not counted the scores yet, it would keep them all aside and compare each with each.
INDEXED_PLAN = {
    "enable_hashjoin": "off",
    "enable_material": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "join_collapse_limit": "1",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}


def in_turn(
    keys: Callable[[BaseDatabaseWrapper], Iterable[int]],
    read: Callable[[BaseDatabaseWrapper, Sequence[int]], T],
    *,
    at_once: int,
) -> Generator[T, None, None]:
    """What ``read`` gives for all keys, ``at_once`` of them at a time, in their order. To be closed when something
    fails on the way.

    On PostgreSQL two connections are read where there is more than one such lot, each in a thread of its own: they are
    two processes of the server, which wait whenever nobody takes what they send.
    """
    with ExitStack() as stack:
        readers = [stack.enter_context(_reader())]
        found = array("q", keys(readers[0]))
        if len(found) > at_once and readers[0].vendor == "postgresql" and not connection.in_atomic_block:
            readers.append(stack.enter_context(_reader(as_seen_by=readers[0])))
        for reader in readers:
            _plan(reader, INDEXED_PLAN)
        threads = stack.enter_context(ThreadPoolExecutor(len(readers)))
        reading: deque[Future[T]] = deque()
        for number, start in enumerate(range(0, len(found), at_once)):
            done = [reading.popleft().result()] if len(reading) == len(readers) else []
            reading.append(threads.submit(read, readers[number % len(readers)], found[start : start + at_once]))
            yield from done
        while reading:
            yield reading.popleft().result()


def keys_of(rows: QuerySet[Any, Any]) -> Callable[[BaseDatabaseWrapper], Iterator[int]]:
    """All numbers of a ``values_list``, row by row."""
    sql, parameters = rows.query.sql_with_params()

    def keys(reader: BaseDatabaseWrapper) -> Iterator[int]:
        _plan(reader, {"cursor_tuple_fraction": "1"})  # all rows are wanted, not the first ones soon
        with reader.chunked_cursor() as cursor:
            cursor.execute(sql, parameters)
            while some := cursor.fetchmany(KEYS_AT_ONCE):
                yield from chain.from_iterable(some)

    return keys


@contextmanager
def _reader(*, as_seen_by: BaseDatabaseWrapper | None = None) -> Iterator[BaseDatabaseWrapper]:
    """A connection that sees the data of one moment, or of that of another reader, and locks nobody out.

    On PostgreSQL it is a new one, which no thread calls its own: a stream is sent by whichever thread is free, while
    others answer requests. Within a transaction it is the one that this is on, which alone sees its rows.
    """
    own = connections[DEFAULT_DB_ALIAS]
    with ExitStack() as stack:
        reader = own if own.in_atomic_block or own.vendor != "postgresql" else own.copy()
        reader.inc_thread_sharing()
        stack.callback(reader.dec_thread_sharing)
        if reader is not own:
            stack.callback(reader.close)
        if not own.in_atomic_block:
            _ask(reader, dialect().begin_snapshot)
            stack.callback(_ask, reader, "ROLLBACK")
        if as_seen_by is not None:
            _ask(reader, f"SET TRANSACTION SNAPSHOT '{_ask(as_seen_by, 'SELECT pg_export_snapshot()')}'")
        yield reader


def _plan(reader: BaseDatabaseWrapper, settings: Mapping[str, str]) -> None:
    """How the planner is to work until the end of the transaction."""
    if reader.vendor == "postgresql":
        for name, value in settings.items():
            _ask(reader, "SELECT set_config(%s, %s, true)", name, value)


def _ask(reader: BaseDatabaseWrapper, sql: str, *parameters: Any) -> Any:
    with reader.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchone()[0] if cursor.description else None
