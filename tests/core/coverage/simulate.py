"""Count over many worlds how often each figure's interval holds the truth, and how often its test rejects."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from annotation_platform.core.statistics import Bootstrap
from tests.core.coverage.figures import FIGURES
from tests.core.coverage.worlds import Design, draw

TRUTH_ARTICLES, TRUTH_WORLDS = 2_000, 3


@dataclass(frozen=True)
class Counted:
    """Of ``worlds``: in how many there was an interval and it held the truth, and how many p were below .05."""

    worlds: int
    intervals: int
    held: int
    width: float
    tests: int
    rejected: int

    @property
    def coverage(self) -> float | None:
        return self.held / self.intervals if self.intervals else None

    @property
    def rejection(self) -> float | None:
        return self.rejected / self.tests if self.tests else None


@lru_cache
def truths(large: Design, names: tuple[str, ...], seed: int, n_worlds: int = TRUTH_WORLDS) -> dict[str, float]:
    """Each figure of very many articles, as it would be with all there could be."""
    rng = np.random.default_rng([seed, 7])
    found: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(n_worlds):
        world = draw(large, rng)
        for name, values in found.items():
            values.append(FIGURES[name](world, None).value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def simulate(
    design: Design, names: list[str], *, worlds: int, resamples: int, seed: int = 0, truth_worlds: int = TRUTH_WORLDS
) -> dict[str, Counted]:
    truth = truths(replace(design, articles=TRUTH_ARTICLES), tuple(names), seed, truth_worlds)
    rng = np.random.default_rng([seed, design.articles, design.questions])
    intervals, held, tests, rejected = (dict.fromkeys(names, 0) for _ in range(4))
    widths: dict[str, list[float]] = {name: [] for name in names}
    for number in range(worlds):
        world = draw(design, rng)
        for name in names:
            found = FIGURES[name](world, Bootstrap(resamples, seed=number))
            if found.interval is not None:
                low, high = found.interval
                intervals[name] += 1
                held[name] += low <= truth[name] <= high
                widths[name].append(high - low)
            if found.p_value is not None:
                tests[name] += 1
                rejected[name] += found.p_value < 0.05
    return {
        name: Counted(
            worlds,
            intervals[name],
            held[name],
            float(np.mean(widths[name])) if widths[name] else float("nan"),
            tests[name],
            rejected[name],
        )
        for name in names
    }
