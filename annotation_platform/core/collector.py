"""The garbage collector, out of the way of work that leaves nothing to it."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the search for cycles of objects, for work that makes very many objects and no cycles.

    Whatever nothing refers to is freed at once all the same. The collector belongs to the whole process: while one
    thread is in here, cycles of the others wait.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
