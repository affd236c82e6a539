"""A prediction-powered mean of 10,000 judgments of people and a million of a model, beside `ppi-python`.

    python -m benchmarks.prediction_powered [--rounds N] [--long]

Ours is by formulas, also where rows share articles, and draws nothing anew; ``--long`` adds the thousand resamples of
`ppi-python`'s bootstrap. `ppi-python` is no requirement: its wheel brings a package called ``tests`` along, which would
hide the project's own, and numba. It is compared where the environment variable PPI_PYTHON names a folder that it was
installed into (``pip install --target FOLDER ppi-python``).
"""

from __future__ import annotations

import os
import sys
import warnings
from argparse import ArgumentParser
from time import perf_counter
from typing import Any

import numpy as np

from annotation_platform.core.statistics.prediction_powered import PredictionPowered, prediction_powered_mean
from benchmarks.protocol import Side, compare, seconds, timed

PEOPLE, MODEL, ARTICLES, RESAMPLES = 10_000, 1_000_000, 50_000, 1_000


def columns(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People's numbers (NaN where they judged nothing), a biased model's, and each row's article."""
    random = np.random.default_rng(seed)
    said = random.normal(2, 1, PEOPLE + MODEL)
    model = 0.8 * said + random.normal(0, 0.6, len(said)) + 0.2
    articles = random.integers(0, ARTICLES, len(said))
    return np.where(np.arange(len(said)) < PEOPLE, said, np.nan), model, articles


def load_peer() -> Any | None:
    folder = os.environ.get("PPI_PYTHON")
    if not folder:
        return None
    sys.path.append(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ppi_py
    return ppi_py


def alike(ours: PredictionPowered, theirs: Any) -> bool:
    """To a hundredth of the interval's width: theirs is by z and with pooled variances, ours by t."""
    low, high = (float(np.ravel(end)[0]) for end in theirs)
    assert ours.interval is not None
    return max(abs(ours.interval.low - low), abs(ours.interval.high - high)) < 0.01 * (high - low)


def main() -> int:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--long", action="store_true", help=f"{RESAMPLES:,} resamples of ppi-python, too")
    options = parser.parse_args()
    said, model, articles = columns()
    lone = np.arange(len(said))
    print(timed(Side("rows that share articles", lambda: prediction_powered_mean(said, model, articles))))
    ours = Side("lone rows", lambda: prediction_powered_mean(said, model, lone))
    if (peer := load_peer()) is None:
        print(timed(ours))
        print("ppi-python is left out: PPI_PYTHON names no folder.")
        return 0
    parts = said[:PEOPLE], model[:PEOPLE], model[PEOPLE:]
    theirs = Side("ppi-python", lambda: peer.ppi_mean_ci(*parts, alpha=0.05))
    print(compare(ours, theirs, same=alike, rounds=options.rounds))
    if options.long:
        from ppi_py.ppi import ppboot

        started = perf_counter()
        ppboot(np.mean, *parts, n_resamples=RESAMPLES, alpha=0.05)
        print(f"{RESAMPLES:,} resamples, ppi-python {seconds(perf_counter() - started)}, once")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
