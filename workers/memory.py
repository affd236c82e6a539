"""What a job freed goes back to the system. The C library keeps it for later, and a worker is idle most of the time."""

import ctypes
import os
from typing import Any

from celery import signals

# Each thread of the linear algebra library keeps room of its own, and the tables here are too small for several.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@signals.task_postrun.connect
def give_memory_back(**_: Any) -> None:
    """Ask glibc for its free pages; other C libraries have nothing of that name, and keep less."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
