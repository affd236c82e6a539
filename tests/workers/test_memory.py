"""A worker does not keep the memory that its last job took."""

import ctypes
import subprocess
import sys

import pytest

HELD = """
from pathlib import Path


def held():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024
"""

LARGE = """
import numpy as np

import workers.memory

for _ in range(2):  # what glibc frees once, it keeps from then on
    columns = [np.ones(1_000_000) for _ in range(20)]
    last = np.ones(200_000)
    before = held()
    del columns
print(before - held())
"""

PROGRAM = """
import numpy as np

from workers.celery import app


@app.task
def fill_and_free():
    small = [np.ones(8_000) for _ in range(3_000)]  # below the size from which glibc maps each one by itself
    global last
    last = small[-1]  # above all others, so that the heap cannot shrink from its end
    print(held())


fill_and_free.apply()
print(held())
"""


pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="needs Linux with glibc, whose way of keeping memory this is about",
)


def printed(program: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", HELD + program], check=True, capture_output=True, text=True)
    return list(map(float, done.stdout.split()))


def test_what_a_task_freed_is_given_back_when_it_ends() -> None:
    during, after = printed(PROGRAM)
    assert during - after > 150, "of 190 MB"


def test_large_arrays_are_given_back_as_soon_as_they_are_freed() -> None:
    (freed,) = printed(LARGE)
    assert freed > 140, "of 152 MB"
