"""What was freed goes back to the system. The C library keeps it, and the next part would come on top of it."""

import ctypes

M_MMAP_THRESHOLD = -3  # by malloc.h
LARGE = 1 << 20


def give_large_back_at_once() -> None:
    """Let glibc take arrays of a megabyte from the system, each by itself, and give each back when it is freed.

    Left to itself it comes to keep those of up to 32 MB, and the columns of a million judgments have 8 MB.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(M_MMAP_THRESHOLD, LARGE)


def give_memory_back() -> None:
    """Ask glibc for its free pages; other C libraries have nothing of that name, and keep less."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
