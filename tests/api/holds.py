"""Names that somebody else holds."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from django.db import connection

from annotation_platform.api.frame.holding import Hold, hold


def _close(held: Hold | None) -> None:
    if held is not None:
        held.release()
    connection.close()


@contextmanager
def held_by_another(name: str) -> Iterator[bool]:
    """Another thread, with a connection of its own, tries to hold a name; gives whether it could."""
    with ThreadPoolExecutor(1) as thread:
        held = thread.submit(hold, name).result()
        try:
            yield held is not None
        finally:
            thread.submit(_close, held).result()
