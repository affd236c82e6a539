"""Agreement statistics at 3.5 k, 100 k and 1 M items × 5 ratings beside the strongest peers.

    python -m benchmarks.statistics [--rounds N] [--parts alpha,tau,…] [--long]

Every comparison first checks that both sides give the same answer. ``--long`` adds the peers that take minutes:
joins with scipy for 200 raters, a pivot of a million items (13 GB), crowd-kit on a million.
crowd-kit is compared where it is installed; it is no requirement, for it brings transformers and nltk along.
"""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kendalltau
from statsmodels.stats import inter_rater

from annotation_platform.core.statistics import (
    Bootstrap,
    Ratings,
    dawid_skene,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_tau,
    replacement,
)
from annotation_platform.core.statistics.alpha import LEVELS
from benchmarks.protocol import Side, compare, timed

SIZES = ((3_500, 28), (100_000, 200), (1_000_000, 1_000))
ITERATIONS, ASPECTS, DRAWS = 10, 8, 20
LEVEL_VALUES = np.arange(1, 6)
ALPHA_ONCE = """from annotation_platform.core.statistics import Ratings, krippendorff_alpha
import numpy as np
n = 1_000_000
items = np.repeat(np.arange(n, dtype=np.int32), 5)
rng = np.random.default_rng(0)
raters, values = rng.integers(0, 1000, 5 * n, dtype=np.int16), rng.integers(1, 6, 5 * n, dtype=np.int8)
for level in ("nominal", "ordinal", "interval", "ratio"):
    krippendorff_alpha(Ratings.from_arrays(items, raters, values, repeated="cross"), level)"""


@dataclass(frozen=True)
class Study:
    """Five ratings an item on ``n_levels`` levels from 1, by different raters; small types, as they are stored."""

    n_items: int
    n_raters: int
    n_levels: int
    items: NDArray[np.int32]
    raters: NDArray[np.int16]
    values: NDArray[np.int8]
    wide_items: NDArray[np.int64]
    wide_values: NDArray[np.int64]

    @property
    def ratings(self) -> Ratings:
        return Ratings.from_arrays(self.items, self.raters, self.values, repeated="cross")

    def value_counts(self) -> NDArray[np.int64]:
        """What a competent user feeds `krippendorff` with, from columns that need no conversion."""
        keys = self.wide_items * self.n_levels + self.wide_values
        return np.bincount(keys, minlength=self.n_items * self.n_levels).reshape(self.n_items, self.n_levels)

    @property
    def frame(self) -> pd.DataFrame:
        return pd.DataFrame({"item": self.items, "rater": self.raters, "value": self.values})


def study(n_items: int, n_raters: int, n_levels: int = 5, *, seed: int = 0) -> Study:
    rng = np.random.default_rng(seed)
    quality = rng.integers(1, n_levels + 1, n_items, dtype=np.int8)
    spread = max(1, n_levels // 5)
    noise = rng.integers(-spread, spread + 1, 5 * n_items, dtype=np.int8)
    # Five different raters: a random one, and four at random distances on a circle of all.
    gaps = rng.integers(1, n_raters // 5 + 1, (n_items, 5))
    raters = np.cumsum(gaps, axis=1) % n_raters
    items = np.repeat(np.arange(n_items, dtype=np.int32), 5)
    values = np.clip(np.repeat(quality, 5) + noise, 1, n_levels).astype(np.int8)
    return Study(
        n_items=n_items,
        n_raters=n_raters,
        n_levels=n_levels,
        items=items,
        raters=((raters + rng.integers(0, n_raters, (n_items, 1))) % n_raters).ravel().astype(np.int16),
        values=values,
        wide_items=items.astype(np.int64),
        wide_values=values.astype(np.int64) - 1,
    )


def close(ours: object, theirs: object) -> bool:
    return bool(np.allclose(np.asarray(ours), np.asarray(theirs), rtol=0, atol=1e-10, equal_nan=True))


def alpha(rounds: int, long: bool) -> None:
    """Krippendorff's α."""
    for n_items, n_raters in SIZES:
        data = study(n_items, n_raters)
        for level in LEVELS:
            comparison = compare(
                Side("ours", lambda data=data, level=level: krippendorff_alpha(data.ratings, level).value),
                Side(
                    "krippendorff, value counts",
                    lambda data=data, level=level: krippendorff.alpha(
                        value_counts=data.value_counts(), value_domain=LEVEL_VALUES, level_of_measurement=level
                    ),
                ),
                same=close,
                rounds=rounds,
            )
            print(f"  {n_items:,} × 5, {level}: {comparison}")
        wide = Ratings.from_arrays(data.items.astype(int), data.raters.astype(int), data.values * 1.0, repeated="cross")
        print(f"  {n_items:,} × 5: {timed(Side('ours from int64 and float64', partial(ordinal, wide)), rounds=rounds)}")
        if n_items <= 100_000 or long:
            comparison = compare(
                Side("ours", lambda data=data: krippendorff_alpha(data.ratings, "ordinal").value),
                Side("krippendorff, pivot", partial(alpha_of_pivot, data)),
                same=close,
                rounds=rounds if n_items <= 100_000 else 1,
            )
            print(f"  {n_items:,} × 5, ordinal: {comparison}")
    peak, start = (peak_megabytes(program) for program in (ALPHA_ONCE, ALPHA_ONCE.splitlines()[0]))
    print(
        f"  1,000,000 × 5, all levels, in a process of its own: {peak:.0f} MB at most, of which {start:.0f} MB are "
        "there when the program has been imported and 35 MB are the ratings"
    )


def peak_megabytes(program: str) -> float:
    """The most memory that a Python program had, from the kernel's account of its own pages."""
    status = "\nprint(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    done = subprocess.run([sys.executable, "-c", program + status], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) * 1024 / 1e6


def ordinal(ratings: Ratings) -> float | None:
    return krippendorff_alpha(ratings, "ordinal").value


def alpha_of_pivot(data: Study) -> float:
    wide = data.frame.pivot(index="rater", columns="item", values="value")
    return float(krippendorff.alpha(reliability_data=wide.to_numpy(), level_of_measurement="ordinal"))


def bootstrap(rounds: int, long: bool) -> None:
    """2,000 resamples of α on 100 k items."""
    data = study(100_000, 200)
    counts = data.value_counts()
    for level in ("nominal", "ordinal"):
        once = timed(
            Side(
                "one evaluation by krippendorff, counting included",
                lambda level=level: krippendorff.alpha(
                    value_counts=data.value_counts(), value_domain=LEVEL_VALUES, level_of_measurement=level
                ),
            ),
            rounds=rounds,
        )
        ours = timed(
            Side(
                f"2,000 resamples, {level}",
                lambda level=level: krippendorff_alpha(data.ratings, level, bootstrap=Bootstrap(2000)),
            ),
            rounds=min(rounds, 5),
        )
        print(f"  {ours}; {once}: {ours.median / once.median:.0f} evaluations")
    rng = np.random.default_rng(0)
    classes = np.unique(counts, axis=0, return_inverse=True)[1].astype(np.int64)

    def draw() -> None:
        for _ in range(2000):
            np.bincount(classes.take(rng.integers(0, 100_000, 100_000, dtype=np.int32)), minlength=126)

    print(f"  the limit, {timed(Side('drawing the items and counting their classes', draw), rounds=3)}")


def tau(rounds: int, long: bool) -> None:
    """Kendall's τ-b of all pairs of raters."""
    for n_items, n_raters, n_levels in ((3_500, 28, 5), (100_000, 50, 5), (100_000, 200, 5), (100_000, 200, 101)):
        data = study(n_items, n_raters, n_levels)
        ours = Side("ours", lambda data=data: pairwise_tau(data.ratings).matrix())
        name = f"{n_items:,} × 5, {n_raters} raters, {n_levels} levels"
        comparison = compare(ours, Side("pivot.corr", partial(tau_of_pivot, data)), same=close, rounds=rounds)
        print(f"  {name}: {comparison}")
        if n_raters < 100 or long:
            peer = Side("merge + scipy", partial(tau_of_joins, data))
            print(f"  {name}: {compare(ours, peer, same=close, rounds=rounds if n_raters < 50 else 1)}")
    data = study(1_000_000, 1_000)
    print(f"  1,000,000 × 5, 1,000 raters: {timed(Side('ours', lambda: pairwise_tau(data.ratings)), rounds=1)}")


def tau_of_pivot(data: Study) -> NDArray[np.float64]:
    wide = data.frame.pivot(index="item", columns="rater", values="value")
    return wide.corr("kendall").to_numpy()


def tau_of_joins(data: Study) -> NDArray[np.float64]:
    by_rater = dict(list(data.frame.groupby("rater")[["item", "value"]]))
    matrix = np.eye(data.n_raters)
    for a, b in combinations(range(data.n_raters), 2):
        joined = by_rater[a].merge(by_rater[b], on="item")
        value = kendalltau(joined["value_x"].to_numpy(), joined["value_y"].to_numpy()).statistic
        matrix[a, b] = matrix[b, a] = value
    return matrix


def kappa(rounds: int, long: bool) -> None:
    """Fleiss' κ from the long table."""
    for n_items, n_raters in SIZES:
        data = study(n_items, n_raters)
        comparison = compare(
            Side("ours", lambda data=data: fleiss_kappa(data.ratings, 5).value),
            Side("statsmodels", partial(kappa_by_statsmodels, data)),
            same=close,
            rounds=rounds,
        )
        print(f"  {n_items:,} × 5: {comparison}")


def kappa_by_statsmodels(data: Study) -> float:
    """Items are in order and have five ratings each, so a reshape makes its subjects × raters table."""
    counts, _ = inter_rater.aggregate_raters(data.values.reshape(-1, 5))
    return float(inter_rater.fleiss_kappa(counts))


def labels(rounds: int, long: bool) -> None:
    """True labels by Dawid and Skene."""
    for n_items, n_raters in SIZES[: 3 if long else 2]:
        data = study(n_items, n_raters)
        ours = Side("ours", lambda data=data: dawid_skene(data.ratings, max_iterations=ITERATIONS, tolerance=-1).labels)
        name = f"{n_items:,} × 5, {ITERATIONS} iterations"
        if find_spec("crowdkit") is None:
            print(f"  {name}: {timed(ours, rounds=rounds)}; crowd-kit is not installed")
            continue
        few = rounds if n_items < 100_000 else min(rounds, 5) if n_items < 1_000_000 else 1
        print(f"  {name}: {compare(ours, Side('crowd-kit', partial(by_crowd_kit, data)), same=close, rounds=few)}")


def by_crowd_kit(data: Study) -> NDArray[np.float64]:
    from crowdkit.aggregation import DawidSkene

    frame = data.frame.set_axis(["task", "worker", "label"], axis=1)
    found = DawidSkene(n_iter=ITERATIONS, tol=-1e9).fit(frame)
    return np.asarray(found.labels_.sort_index(), dtype=float)


def replacing(rounds: int, long: bool) -> None:
    """ACORN's replacement: 8 aspects × 20 draws, 3,500 items."""
    aspects = [study(3_500, 28, seed=seed) for seed in range(ASPECTS)]
    rng = np.random.default_rng(1)
    candidates = [rng.integers(1, 6, 3_500) for _ in aspects]

    def ours() -> list[float]:
        return [
            replacement(data.ratings, single(candidate), "nominal", draws=DRAWS).mean_of_draws or 0.0
            for data, candidate in zip(aspects, candidates, strict=True)
        ]

    def theirs() -> list[float]:
        return [
            float(np.mean(list(alphas_with_pandas(data, candidate))))
            for data, candidate in zip(aspects, candidates, strict=True)
        ]

    # Both draw whom to replace, each by itself; the mean of 20 draws is as sharp as this.
    comparison = compare(
        Side("ours", ours),
        Side("pandas + krippendorff", theirs),
        same=lambda a, b: bool(np.allclose(a, b, rtol=0, atol=2e-3)),
        rounds=rounds,
    )
    print(f"  {comparison}")


def single(values: NDArray[np.int64] | NDArray[np.float64]) -> Ratings:
    return Ratings.from_arrays(np.arange(len(values)), np.zeros(len(values), int), values, repeated="error")


def alphas_with_pandas(data: Study, candidate: NDArray[np.int64]) -> NDArray[np.float64]:
    frame = data.frame
    found = []
    for seed in range(DRAWS):
        drawn = frame.sample(frac=1, random_state=seed).drop_duplicates("item").index
        values = data.values.copy()
        values[drawn] = candidate[data.items[drawn]]
        counts = frame.assign(value=values).groupby(["item", "value"]).size().unstack(fill_value=0).to_numpy()
        found.append(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))
    return np.array(found)


def growth(rounds: int, long: bool) -> None:
    """Cost by number of ratings, nanoseconds each; a flat row is linear."""
    sizes = (10_000, 30_000, 100_000, 300_000, 1_000_000)
    works: dict[str, Callable[[Study], object]] = {
        "α, ordinal": lambda data: krippendorff_alpha(data.ratings, "ordinal"),
        "Fleiss κ": lambda data: fleiss_kappa(data.ratings, 5),
        "τ-b, 28 raters": lambda data: pairwise_tau(data.ratings),
        "Dawid–Skene, 10 iterations": lambda data: dawid_skene(data.ratings, max_iterations=10, tolerance=-1),
        "replacement, 20 draws": lambda data: replacement(data.ratings, single(np.ones(data.n_items)), "ordinal"),
    }
    print(f"  {'ratings':28}" + "".join(f"{5 * size:>12,}" for size in sizes))
    for name, work in works.items():
        cells = []
        for size in sizes:
            data = study(size, 28)
            found = timed(Side(name, lambda work=work, data=data: work(data)), rounds=min(rounds, 3))
            cells.append(f"{found.median / (5 * size) * 1e9:>9.1f} ns")
        print(f"  {name:28}" + "".join(cells))


PARTS = {
    "alpha": alpha,
    "bootstrap": bootstrap,
    "tau": tau,
    "kappa": kappa,
    "labels": labels,
    "replacing": replacing,
    "growth": growth,
}


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--parts", default=",".join(PARTS), help="which, with commas between")
    parser.add_argument("--long", action="store_true", help="also the peers that take minutes")
    arguments = parser.parse_args()
    for name in arguments.parts.split(","):
        print(f"\n{PARTS[name].__doc__}", flush=True)
        PARTS[name](arguments.rounds, arguments.long)


if __name__ == "__main__":
    main()
