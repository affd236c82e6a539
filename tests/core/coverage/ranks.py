"""How often the intervals of all ranks hold at once: ``python -m tests.core.coverage.ranks``.

Planted: on scales, articles of three questions that four systems answer, the mean of five annotators' labels each, with
systems that please some articles more than others; for preferences, the world of `tests.core.coverage.davidson`. An
interval of a rank holds if no system that is truly better is left out of those above, and none that is truly worse out
of those below: of equal systems neither may come first for certain.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from annotation_platform.core.rank_intervals import rank_intervals
from annotation_platform.core.statistics.clustered_means import ClusteredDifference, clustered_difference
from annotation_platform.core.statistics.davidson import davidson
from annotation_platform.core.statistics.davidson_contrasts import Estimate
from annotation_platform.core.statistics.differences import holm
from tests.core.coverage.davidson import world as compared
from tests.core.coverage.worlds import CUTS, LABELS, LENIENCY

SYSTEMS, QUESTIONS = 4, 3
OF_ARTICLE, OF_SYSTEM, OF_JUDGMENT = 0.8, 0.4, 0.8
TRUTHS = {"apart": (0.6, 0.4, 0.2, 0.0), "two alike": (0.6, 0.3, 0.3, 0.0), "all alike": (0.0,) * 4}
SIZES = (6, 20, 80)

Ranks = tuple[tuple[int, int], ...]
Pairs = Mapping[tuple[int, int], ClusteredDifference | Estimate]


class Held(NamedTuple):
    """In which share of studies all intervals held, and how many ranks they leave open to a system on average."""

    coverage: float
    width: float


def on_scale(seed: int, articles: int, truth: tuple[float, ...]) -> Pairs:
    """First less second of each pair of systems, by question."""
    random = np.random.default_rng([articles, seed])
    article = np.repeat(np.arange(articles), QUESTIONS)
    quality = random.normal(0, OF_ARTICLE, articles)[article] + random.normal(0, 1, len(article))
    of_system = (np.array(truth) + random.normal(0, OF_SYSTEM, (articles, SYSTEMS)))[article]
    seen = (quality[:, None] + of_system)[..., None] + LENIENCY
    values = LABELS[np.searchsorted(CUTS, seen + random.normal(0, OF_JUDGMENT, seen.shape))].mean(axis=2)
    pairs = combinations(range(SYSTEMS), 2)
    return {(a, b): clustered_difference(values[:, b], values[:, a], article) for a, b in pairs}


def preferred(seed: int, articles: int, truth: tuple[float, ...]) -> Pairs:
    return davidson(**compared(seed, articles=articles, systems=SYSTEMS, equal=len(set(truth)) == 1)).differences


def open_ranks(pairs: Pairs) -> Ranks:
    corrected = holm([each.p_value for each in pairs.values()])
    sure = [
        pair if (each.value or 0) > 0 else pair[::-1]
        for (pair, each), p in zip(pairs.items(), corrected, strict=True)
        if p is not None and p < 0.05
    ]
    return rank_intervals(SYSTEMS, sure)


def true_ranks(truth: tuple[float, ...]) -> Ranks:
    above = combinations(range(SYSTEMS), 2)
    return rank_intervals(SYSTEMS, [pair for pair in above if truth[pair[0]] > truth[pair[1]]])


def held(way: Callable[[int, int, tuple[float, ...]], Pairs], truth: str, *, articles: int, studies: int) -> Held:
    wanted = true_ranks(TRUTHS[truth])
    found = [open_ranks(way(seed, articles, TRUTHS[truth])) for seed in range(1, studies + 1)]
    inside = [
        all(low <= best and worst <= high for (low, high), (best, worst) in zip(ranks, wanted, strict=True))
        for ranks in found
    ]
    return Held(float(np.mean(inside)), float(np.mean([high - low + 1 for ranks in found for low, high in ranks])))


CASES: tuple[tuple[str, Callable[[int, int, tuple[float, ...]], Pairs], str], ...] = (
    *((f"scale, {truth}", on_scale, truth) for truth in TRUTHS),
    *((f"preferences, {truth}", preferred, truth) for truth in ("apart", "all alike")),
)


def main() -> None:
    print(
        "| four systems | " + " | ".join(f"{size} articles" for size in SIZES) + " |\n| --- |" + " --- |" * len(SIZES)
    )
    for name, way, truth in CASES:
        found = [held(way, truth, articles=size, studies=600) for size in SIZES]
        cells = [f"{each.coverage:.1%} ({each.width:.1f})" for each in found]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
