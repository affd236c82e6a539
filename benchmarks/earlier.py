"""Statistics of this checkout beside those of an earlier commit, in turn. ``python -m benchmarks.earlier COMMIT``.

The commit is checked out into a folder of its own. Two versions of a package do not fit into one process, so each has a
process that waits, with the judgments made already, for the name of what it shall compute next: neither starting nor
importing counts. What both give is compared first; statistics that have changed in between are said to, and not timed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.protocol import DifferentAnswersError, Side, compare

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ("α", "κ of all pairs", "Fleiss κ", "τ of all pairs", "α with 1,000 resamples", "mean with 1,000 resamples")
WORKER = r"""
import json, sys
import numpy as np
from annotation_platform.core.statistics import (
    Bootstrap, Measure, Ratings, fleiss_kappa, group_means, krippendorff_alpha, pairwise_agreement, pairwise_tau
)
n, raters = int(sys.argv[1]), 28
rng = np.random.default_rng(0)
first = rng.integers(0, raters, n)
who = (first[:, None] + np.arange(5)) % raters
truth = rng.integers(0, 5, n)
seen = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 5)), 0, 4)
ratings = Ratings.from_arrays(np.repeat(np.arange(n), 5), who.ravel(), seen.ravel(), n_items=n, repeated="error")
one, drawn = np.zeros(len(ratings), dtype=np.int64), Bootstrap(1_000)
figures = {
    "α": lambda: krippendorff_alpha(ratings, "ordinal"),
    "κ of all pairs": lambda: pairwise_agreement(ratings, Measure.COHEN_QUADRATIC).mean,
    "Fleiss κ": lambda: fleiss_kappa(ratings, 5),
    "τ of all pairs": lambda: pairwise_tau(ratings).mean,
    "α with 1,000 resamples": lambda: krippendorff_alpha(ratings, "ordinal", bootstrap=drawn),
    "mean with 1,000 resamples": lambda: group_means(ratings, one, 1, bootstrap=drawn)[0],
}
for line in sys.stdin:
    found = figures[line.strip()]()
    ends = [found.interval.low, found.interval.high] if found.interval else []
    print(json.dumps([found.value, *ends]), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit")
    parser.add_argument("--items", type=int, default=100_000, help="with five judgments each, of 28 annotators")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with checkout(options.commit) as folder, worker(ROOT, options.items) as now, worker(folder, options.items) as then:
        for name in FIGURES:
            sides = Side(f"{name}: now", partial(asked, now, name)), Side(options.commit, partial(asked, then, name))
            try:
                print(compare(*sides, same=same, rounds=options.rounds), flush=True)
            except DifferentAnswersError as error:
                print(error, flush=True)


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "earlier"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(folder), commit], cwd=ROOT, check=True)
        try:
            yield folder
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(folder)], cwd=ROOT, check=True)


@contextmanager
def worker(folder: Path, items: int) -> Iterator[subprocess.Popen[str]]:
    """A process that computes with the package in this folder."""
    command = [sys.executable, "-c", WORKER, str(items)]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def asked(process: subprocess.Popen[str], name: str) -> list[float]:
    assert process.stdin is not None
    assert process.stdout is not None
    print(name, file=process.stdin, flush=True)
    found: list[float] = json.loads(process.stdout.readline())
    return found


def same(now: Any, then: Any) -> bool:
    return len(now) == len(then) and all(isclose(a, b, rel_tol=1e-9) for a, b in zip(now, then, strict=True))


if __name__ == "__main__":
    main()
