"""A worker does not keep the memory that its last job took."""

import ctypes
import subprocess
import sys

import pytest

PROGRAM = """
import os
from pathlib import Path

import numpy as np

from workers.celery import app


def held():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024


@app.task
def fill_and_free():
    small = [np.ones(8_000) for _ in range(3_000)]  # below the size from which glibc maps each one by itself
    global last
    last = small[-1]  # above all others, so that the heap cannot shrink from its end
    print(held())


fill_and_free.apply()
print(held())
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="needs Linux with glibc, whose way of keeping memory this is about",
)
def test_what_a_task_freed_is_given_back_when_it_ends() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)
    during, after = map(float, done.stdout.split())
    assert during - after > 150, "of 190 MB"
