"""How often intervals of strengths hold: ``python -m tests.core.coverage.davidson``.

Planted: articles of five comparisons each, in which the systems' strengths differ from article to article, ties, and an
order that matters. The truth is what the same world says with 40,000 articles.
"""

from typing import Any, NamedTuple

import numpy as np

from annotation_platform.core.statistics.davidson import davidson
from annotation_platform.core.statistics.davidson_contrasts import Estimate

COMPARISONS = 5  # of an article
TIES, ORDER, SPREAD = 0.5, 0.3, 0.5


class Held(NamedTuple):
    """Shares of intervals that had the truth in them, and of studies that called two equal systems different."""

    strengths: float
    differences: float
    order: float
    type_one_error: float


def world(seed: int, *, articles: int, systems: int, equal: bool = False) -> dict[str, Any]:
    """Columns of `davidson`; ``outcomes`` by the model, with log π between 1 and −1 or all alike."""
    random = np.random.default_rng(seed)
    strengths = np.zeros(systems) if equal else np.linspace(1, -1, systems)
    groups = np.repeat(np.arange(articles), COMPARISONS)
    first = random.integers(0, systems, len(groups))
    second = (first + random.integers(1, systems, len(groups))) % systems
    order = random.choice([-1.0, 1.0], len(groups))
    of_article = strengths + random.normal(0, SPREAD, (articles, systems))
    d = of_article[groups, first] - of_article[groups, second] + ORDER * order
    chances = np.stack([np.exp(d / 2), np.full(len(d), TIES), np.exp(-d / 2)]).cumsum(axis=0)
    drawn = random.random(len(d)) * chances[-1]
    outcomes = np.where(drawn < chances[0], 1.0, np.where(drawn < chances[1], 0.5, 0.0))
    return {
        "first": first,
        "second": second,
        "outcomes": outcomes,
        "groups": groups,
        "covariates": order[:, None],
        "n_systems": systems,
    }


def held(*, articles: int, systems: int, studies: int) -> Held:
    """Studies in which an interval has a reason not to be there do not count for it."""
    truth = davidson(**world(0, articles=40_000, systems=systems))
    strengths, differences, order, errors = [], [], [], []
    for seed in range(1, studies + 1):
        found = davidson(**world(seed, articles=articles, systems=systems))
        strengths += _inside(found.strengths, truth.strengths)
        differences += _inside(found.differences.values(), truth.differences.values())
        order += _inside(found.effects, truth.effects)
        null = davidson(**world(seed, articles=articles, systems=systems, equal=True)).differences[0, 1]
        errors += [] if null.p_value is None else [null.p_value < 0.05]
    return Held(*(float(np.mean(each)) for each in (strengths, differences, order, errors)))


def _inside(found: Any, truth: Any) -> list[bool]:
    def has(one: Estimate, real: Estimate) -> bool:
        assert one.interval is not None
        assert real.value is not None
        return one.interval.low <= real.value <= one.interval.high

    return [has(one, real) for one, real in zip(found, truth, strict=True) if one.interval]


if __name__ == "__main__":
    print(
        "| articles | systems | strengths | differences | order | type I error |\n| --- | --- | --- | --- | --- | --- |"
    )
    for articles in (6, 20, 80):
        for systems in (2, 4):
            found = held(articles=articles, systems=systems, studies=1_000)
            print(f"| {articles} | {systems} | " + " | ".join(f"{each:.1%}" for each in found) + " |", flush=True)
