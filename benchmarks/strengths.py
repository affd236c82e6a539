"""Strengths of 50 systems from a million comparisons, with all intervals, beside choix and evalica.

    python -m benchmarks.strengths [--rounds N] [--comparisons N]

choix and evalica fit strengths alone, without ties, covariates or intervals, and are compared on that: all sides must
give the same strengths. Ours gives the intervals, too; from the peers they would take a fit for each of 1,000
resamples. evalica is compared where it is installed; it is no requirement, for it is used nowhere else.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import choix
import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.statistics.davidson import Strengths, davidson
from benchmarks.protocol import Side, compare, timed

N_SYSTEMS, PER_GROUP, N_RATERS, RESAMPLES = 50, 10, 500, 1_000


@dataclass(frozen=True)
class Comparisons:
    """Ten comparisons a group, of systems whose true strengths lie between −1 and 1."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    outcomes: NDArray[np.float64]
    groups: NDArray[np.int64]
    order: NDArray[np.float64]
    raters: NDArray[np.int64]

    @classmethod
    def drawn(cls, n: int, *, tied: float) -> Comparisons:
        rng = np.random.default_rng(0)
        first = rng.integers(0, N_SYSTEMS, n)
        second = (first + rng.integers(1, N_SYSTEMS, n)) % N_SYSTEMS
        strengths, order = np.linspace(-1, 1, N_SYSTEMS), rng.choice([-1.0, 1.0], n)
        wins = rng.random(n) < 1 / (1 + np.exp(strengths[second] - strengths[first] - 0.1 * order))
        outcomes = np.where(rng.random(n) < tied, 0.5, wins)
        return cls(first, second, outcomes, np.arange(n) // PER_GROUP, order, rng.integers(0, N_RATERS, n))

    def strengths(self) -> Strengths:
        """As *Ranking* asks for them."""
        return davidson(
            self.first, self.second, self.outcomes, self.groups, covariates=self.order[:, None], raters=self.raters
        )

    def values(self) -> NDArray[np.float64]:
        found = davidson(self.first, self.second, self.outcomes, self.groups, ridge=0)
        return np.array([each.value for each in found.strengths], dtype=np.float64)


def of_choix(data: Comparisons) -> Callable[[], NDArray[np.float64]]:
    """Pairs of winner and loser, as choix takes them, are made before the clock starts."""
    won = data.outcomes == 1
    winners, losers = np.where(won, data.first, data.second), np.where(won, data.second, data.first)
    pairs = list(zip(winners.tolist(), losers.tolist(), strict=True))
    return lambda: np.asarray(choix.ilsr_pairwise(N_SYSTEMS, pairs, alpha=0))


def of_evalica(data: Comparisons) -> Callable[[], NDArray[np.float64]]:
    """Its lists are made before the clock starts; it stops at differences of 1e-6 unless told otherwise."""
    import evalica

    x, y = data.first.tolist(), data.second.tolist()
    winners = [evalica.Winner.X if won else evalica.Winner.Y for won in (data.outcomes == 1).tolist()]

    def run() -> NDArray[np.float64]:
        scores = evalica.bradley_terry(x, y, winners, tolerance=1e-9, limit=1_000).scores
        found = np.log(scores.sort_index().to_numpy())
        return np.asarray(found - found.mean())

    return run


def close(ours: Any, theirs: Any) -> bool:
    return bool(np.allclose(ours, theirs, rtol=0, atol=1e-4))


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--comparisons", type=int, default=1_000_000)
    arguments = parser.parse_args()
    n, rounds = arguments.comparisons, arguments.rounds
    print(f"{n:,} comparisons of {N_SYSTEMS} systems in groups of {PER_GROUP}")
    tied, plain = Comparisons.drawn(n, tied=0.2), Comparisons.drawn(n, tied=0)
    full = timed(Side("ours, with ties, order and all intervals, for other raters, too", tied.strengths), rounds=rounds)
    print(f"  {full}", flush=True)
    peers = {"choix": of_choix(plain)}
    if find_spec("evalica"):
        peers["evalica"] = of_evalica(plain)
    for name, fit in peers.items():
        found = compare(Side("ours, with all intervals", plain.values), Side(name, fit), same=close, rounds=rounds)
        one = sorted(found.reference_seconds)[len(found.reference_seconds) // 2]
        print(f"  without ties: {found}; {RESAMPLES:,} fits of {name} would take {RESAMPLES * one:,.0f} s", flush=True)


if __name__ == "__main__":
    main()
