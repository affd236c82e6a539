"""What was freed goes back to the system. The C library keeps it, and the next part would come on top of it."""

import ctypes


def give_memory_back() -> None:
    """Ask glibc for its free pages; other C libraries have nothing of that name, and keep less."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
