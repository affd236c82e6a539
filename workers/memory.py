"""What a job freed goes back to the system. The C library keeps it for later, and a worker is idle most of the time."""

import ctypes
from typing import Any

from celery import signals


@signals.task_postrun.connect
def give_memory_back(**_: Any) -> None:
    """Ask glibc for its free pages; other C libraries have nothing of that name, and keep less."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
