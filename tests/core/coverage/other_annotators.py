"""How often intervals hold for other articles and other annotators: ``python -m tests.core.coverage.other_annotators``.

Planted: articles of three questions that two equal systems answer; annotators drawn anew in every world, each with a
leniency and a taste for either system. They judge everything but 15 %, or each question has three of them. The truth is
what thousands of annotators say of thousands of articles.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import nan

import numpy as np

from annotation_platform.core.statistics import Bootstrap, Interval, Ratings, label_distributions
from annotation_platform.core.statistics.clustered_means import clustered_difference
from annotation_platform.core.statistics.davidson import davidson
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.pigeonhole import (
    difference_for_other_raters,
    means_for_other_raters,
    preference_for_other_raters,
    shares_for_other_raters,
)
from annotation_platform.core.statistics.shares import grouped_share
from tests.core.coverage.worlds import CUTS, LABELS, MISSING

QUESTIONS = 3
LENIENCY, TASTE, ALIKE = 0.4, 0.3, 0.8  # standard deviations
BEST = len(LABELS) - 1


@dataclass(frozen=True)
class Crossed:
    """``judges`` of the annotators for each question; None: all, with cells missing."""

    articles: int
    annotators: int
    judges: int | None = None


DESIGNS = [
    Crossed(articles, annotators, judges)
    for articles in (6, 20, 80)
    for annotators, judges in ((3, None), (5, None), (8, None), (20, 3))
]


@dataclass(frozen=True, eq=False)
class People:
    ratings: Ratings
    system: np.ndarray
    question: np.ndarray
    article: np.ndarray


def draw(design: Crossed, rng: np.random.Generator) -> People:
    n, m = design.articles * QUESTIONS, design.annotators
    of_question = rng.normal(0, 1, n) + np.repeat(rng.normal(0, ALIKE, design.articles), QUESTIONS)
    question, system = np.repeat(np.arange(n), 2), np.tile([0, 1], n)
    quality = of_question[question] + rng.normal(0, 0.5, 2 * n)
    leniency = rng.normal(0, LENIENCY, m)[:, None] + rng.normal(0, TASTE, (m, 2))
    if design.judges is None:
        item, rater = (each.ravel() for each in np.meshgrid(np.arange(2 * n), np.arange(m), indexing="ij"))
        kept = rng.random(len(item)) >= MISSING
        item, rater = item[kept], rater[kept]
    else:
        judges = np.argsort(rng.random((n, m)), axis=1)[:, : design.judges]
        item = np.repeat(np.arange(2 * n), design.judges)
        rater = judges[question].ravel()
    seen = quality[item] + leniency[rater, system[item]] + rng.normal(0, 0.8, len(item))
    article = question // QUESTIONS
    ratings = Ratings.from_arrays(
        item, rater, LABELS[np.searchsorted(CUTS, seen)], n_items=2 * n, n_raters=m, units=article, repeated="error"
    )
    return People(ratings, system, question, article)


@dataclass(frozen=True)
class Both:
    """A figure with its interval for other articles, and that for other annotators, too, with the p of each."""

    value: float | None
    articles: Interval | None
    annotators: Interval | None
    p_values: tuple[float | None, float | None] = (None, None)


def mean_of_system(world: People, bootstrap: Bootstrap | None) -> Both:
    ratings, system = replace(world.ratings, ends=(0.0, 100.0)), world.system[world.ratings.items]
    found = scale_means(ratings, system, 2, bootstrap=bootstrap)
    return Both(found[0].value, found[0].interval, means_for_other_raters(ratings, system, found)[0].interval)


def paired_difference(world: People, bootstrap: Bootstrap | None) -> Both:
    ratings = world.ratings
    n = np.maximum(ratings.per_item(), 1)
    means = np.where(ratings.per_item() > 0, np.bincount(ratings.items, ratings.values, ratings.n_items) / n, nan)
    first, second = (means[world.system == code] for code in (0, 1))
    found = clustered_difference(first, second, world.article[world.system == 0])
    item = ratings.items
    wider = difference_for_other_raters(
        ratings.values, world.question[item], world.system[item] == 1, ratings.raters, world.article[item], found
    )
    return Both(found.value, found.interval, wider.interval, (found.p_value, wider.p_value))


def share_of_label(world: People, bootstrap: Bootstrap | None) -> Both:
    shares = [each.share for each in label_distributions(world.ratings, LABELS.tolist())[0].shares]
    wider = shares_for_other_raters(world.ratings, LABELS.tolist(), [shares])[0][BEST]
    return Both(shares[BEST].value, shares[BEST].interval, wider.interval)


def compared(world: People) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether who judged both answers to a question prefers the second (equal labels as half), the article, and who."""
    item, rater = world.ratings.items, world.ratings.raters
    said = np.full((world.ratings.n_items, world.ratings.n_raters), nan)
    said[item, rater] = world.ratings.values
    apart = said[1::2] - said[::2]
    question, who = np.nonzero(~np.isnan(apart))
    return (np.sign(apart[question, who]) + 1) / 2, question // QUESTIONS, who


def preferred(world: People, bootstrap: Bootstrap | None) -> Both:
    """How often the second system is preferred."""
    outcomes, article, who = compared(world)
    found = grouped_share(outcomes, article)
    wider = preference_for_other_raters(outcomes, article, who, found)
    narrow = None if found.interval is None else Interval(*found.interval, 0.95)
    return Both(found.value, narrow, wider.interval, (found.p_value, wider.p_value))


def stronger(world: People, bootstrap: Bootstrap | None) -> Both:
    """By how much the second system is stronger, as log π."""
    outcomes, article, who = compared(world)
    second, first = np.zeros(len(outcomes), dtype=np.int64), np.ones(len(outcomes), dtype=np.int64)
    found = davidson(second, first, outcomes, article, raters=who).differences[0, 1]
    wider = found.for_others
    assert wider is not None
    return Both(found.value, found.interval, wider.interval, (found.p_value, wider.p_value))


FIGURES = {
    "mean of a system": mean_of_system,
    "paired difference of two systems": paired_difference,
    "share of a label": share_of_label,
    "share that prefers a system": preferred,
    "difference of two strengths": stronger,
}
TESTED = ("paired difference of two systems", "share that prefers a system", "difference of two strengths")


@dataclass(frozen=True)
class Held:
    """Shares of intervals that hold the truth, for other articles alone and for other annotators, too; the mean width
    of the latter; and how often p is below .05 where nothing differs, by either."""

    articles: float
    annotators: float
    width: float
    rejected: tuple[float, float]


@lru_cache
def truths(seed: int) -> dict[str, float]:
    rng = np.random.default_rng([seed, 11])
    worlds = [draw(Crossed(3_000, 4_000, 5), rng) for _ in range(3)]
    found = {name: float(np.mean([figure(each, None).value for each in worlds])) for name, figure in FIGURES.items()}
    return found | dict(zip(TESTED, (0.0, 0.5, 0.0), strict=True))  # the systems are equal


def simulate(design: Crossed, *, worlds: int, resamples: int = 200, seed: int = 0) -> dict[str, Held]:
    truth = truths(seed)
    rng = np.random.default_rng([seed, design.articles, design.annotators, design.judges or 0])
    found: dict[str, list[Both]] = {name: [] for name in FIGURES}
    for number in range(worlds):
        world = draw(design, rng)
        for name, figure in FIGURES.items():
            found[name].append(figure(world, Bootstrap(resamples, seed=number)))
    return {name: _held(each, truth[name]) for name, each in found.items()}


def _held(found: list[Both], truth: float) -> Held:
    def share(intervals: list[Interval | None]) -> float:
        return float(np.mean([each.low <= truth <= each.high for each in intervals if each]))

    widths = [each.annotators.high - each.annotators.low for each in found if each.annotators]
    rejected = [[each.p_values[side] for each in found] for side in (0, 1)]
    first, second = (float(np.mean([p < 0.05 for p in side if p is not None] or [nan])) for side in rejected)
    return Held(
        share([each.articles for each in found]),
        share([each.annotators for each in found]),
        float(np.mean(widths)),
        (first, second),
    )


def as_table(found: dict[Crossed, dict[str, Held]]) -> str:
    lines = [
        f"| articles | annotators | {' | '.join(FIGURES)} | type I error: difference | preference | strengths |",
        f"| --- | --- | {'--- | ' * len(FIGURES)}--- | --- | --- |",
    ]
    for design, figures in found.items():
        who = f"{design.annotators}" + (f", {design.judges} a question" if design.judges else "")
        cells = [f"{_said(each.articles)} → {_said(each.annotators)} ({each.width:.2f})" for each in figures.values()]
        cells += [" → ".join(_said(each, (0, 0.07)) for each in figures[name].rejected) for name in TESTED]
        lines.append(f"| {design.articles} | {who} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _said(share: float, within: tuple[float, float] = (0.92, 1)) -> str:
    text = f"{share:.3f}".removeprefix("0") if share < 1 else "1.000"
    return text if within[0] <= share <= within[1] else f"**{text}**"


if __name__ == "__main__":
    # None of these intervals rests on resamples.
    print(as_table({design: simulate(design, worlds=600, resamples=1) for design in DESIGNS}))
