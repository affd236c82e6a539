"""Holding a name against everybody else, in this process or another, for as long as one lives.

What holds it ends with whoever took it, however they end: on PostgreSQL a lock of the connection (an advisory one),
with SQLite, whose processes are all on one machine, the lock of a file.
"""

import fcntl
import os
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.db import Error, connection


class Hold(Protocol):
    """A name that is held."""

    def release(self) -> None: ...


def hold(name: str) -> Hold | None:
    """Hold a name in this thread until it is released; None where somebody else has it."""
    digest = sha256(name.encode()).digest()
    if connection.vendor == "postgresql":
        return _HeldByConnection.take(int.from_bytes(digest[:8], signed=True))
    return _HeldByFile.take(settings.HOLDS_DIR / digest.hex())


class _HeldByConnection:
    """The lock of a number by this thread's connection."""

    def __init__(self, number: int) -> None:
        self._number = number

    @classmethod
    def take(cls, number: int) -> "_HeldByConnection | None":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
            (is_ours,) = cursor.fetchone()
        return cls(number) if is_ours else None

    def release(self) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [self._number])
        except Error:  # the lock ends with the connection, which is of no use any more
            connection.close()


class _HeldByFile:
    """The lock of a file, which is gone when it is released."""

    def __init__(self, path: Path, file: int) -> None:
        self._path, self._file = path, file

    @classmethod
    def take(cls, path: Path) -> "_HeldByFile | None":
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                return None
            if _is_at(path, file):
                return cls(path, file)
            os.close(file)  # whoever had it has just removed it: another file is the one that counts

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._file)


def _is_at(path: Path, file: int) -> bool:
    """Whether an open file is the one that stands at a path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
