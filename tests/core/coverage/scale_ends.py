"""How often intervals of means hold near the ends of a scale: ``python -m tests.core.coverage.scale_ends``.

Planted: articles of three questions that two systems answer, five annotators who are the same in every study, 15 % of
the judgments missing; answers so good that the mean is in the middle of the scale, towards its end, or close to it. The
second system is a little worse. The truth is what these annotators say of 40,000 articles.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import inf, nan

import numpy as np

from annotation_platform.core.statistics import Bootstrap, Interval, Ratings
from annotation_platform.core.statistics.active import active_mean
from annotation_platform.core.statistics.chances import chances
from annotation_platform.core.statistics.clustered_means import clustered_difference
from annotation_platform.core.statistics.means import group_means, scale_means
from annotation_platform.core.statistics.prediction_powered import FEWEST_GROUPS, prediction_powered_mean
from annotation_platform.core.statistics.result import ends_of_difference
from tests.core.coverage.active import FLOOR, drawn
from tests.core.coverage.worlds import LENIENCY, MISSING

QUESTIONS, ALIKE, WORSE = 3, 0.8, 0.3
TIMES = 5  # so many articles a model has judged for one that people have
SIZES = (6, 10, 20, 80)
LEVEL = 0.95


@dataclass(frozen=True)
class Scale:
    numbers: tuple[float, ...]
    cuts: tuple[float, ...]
    ends: tuple[float, float]


SCALES = {
    "yes or no": Scale((0, 1), (0,), (0, 1)),
    "five points": Scale((1, 2, 3, 4, 5), (-1.5, -0.5, 0.5, 1.5), (1, 5)),
    "0 to 100": Scale((0, 30, 70, 100), (-1, 0, 1), (0, 100)),
    "a count": Scale((0, 1, 2, 3), (0.5, 1.5, 2.5), (0, inf)),
}
QUALITIES = {"middle": 0.0, "towards the end": 1.5, "close to the end": 3.0}


@dataclass(frozen=True)
class Design:
    scale: str
    quality: str
    articles: int

    @property
    def shift(self) -> float:
        """How good answers are; a count has its end below."""
        return QUALITIES[self.quality] * (-0.6 if self.scale == "a count" else 1)


@dataclass(frozen=True, eq=False)
class Study:
    """Values are NaN where nobody judged: (questions, systems, annotators)."""

    values: np.ndarray
    model: np.ndarray
    article: np.ndarray
    ends: tuple[float, float]


def draw(design: Design, rng: np.random.Generator, articles: int | None = None) -> Study:
    scale = SCALES[design.scale]
    n = (articles or design.articles) * QUESTIONS
    article = np.repeat(np.arange(n // QUESTIONS), QUESTIONS)
    of_question = rng.normal(0, 1, n) + rng.normal(0, ALIKE, n // QUESTIONS)[article] + design.shift
    quality = of_question[:, None] - [0, WORSE] + rng.normal(0, 0.5, (n, 2))
    seen = quality[:, :, None] + LENIENCY + rng.normal(0, 0.8, (n, 2, len(LENIENCY)))
    values = np.array(scale.numbers)[np.searchsorted(scale.cuts, seen)]
    model = np.array(scale.numbers)[np.searchsorted(scale.cuts, quality[:, 0] + rng.normal(0.3, 0.8, n))]
    return Study(np.where(rng.random(values.shape) < MISSING, nan, values), model, article, scale.ends)


def _means(study: Study, of: Callable[..., tuple]) -> Interval | None:
    question, rater = np.nonzero(~np.isnan(study.values[:, 0]))
    ratings = Ratings.from_arrays(
        question,
        rater,
        study.values[question, 0, rater],
        n_items=len(study.article),
        n_raters=len(LENIENCY),
        units=study.article,
        ends=study.ends,
        repeated="error",
    )
    return of(ratings, np.zeros(len(question), dtype=np.int64), 1, bootstrap=Bootstrap(100))[0].interval


def mean(study: Study) -> Interval | None:
    return _means(study, scale_means)


def mean_by_t(study: Study) -> Interval | None:
    """As it would be without the ends: what `scale_means` is for."""
    return _means(study, group_means)


def _by_question(study: Study) -> tuple[np.ndarray, np.ndarray]:
    n = (~np.isnan(study.values)).sum(axis=2)
    sums = np.nansum(study.values, axis=2)
    first, second = np.where(n > 0, sums / np.maximum(n, 1), nan).T
    return first, second


def difference(study: Study) -> tuple[Interval | None, float | None]:
    first, second = _by_question(study)
    possible = ends_of_difference(study.ends, study.ends)
    found = clustered_difference(first, second, study.article, ends=possible)
    return found.interval, found.p_value


def powered(study: Study) -> Interval | None:
    """People's judgments of the first articles, of which there are `TIMES` as many."""
    said = _by_question(study)[0]
    kept = ~np.isnan(said)
    shown = study.article < study.article.max() // TIMES + 1
    people = np.where(shown, said, nan)
    found = prediction_powered_mean(people[kept], study.model[kept], study.article[kept], ends=study.ends)
    return found.interval


def active(study: Study, rng: np.random.Generator) -> Interval | None:
    """People's judgments of as many articles, drawn where the model is farthest from both ends."""
    said = _by_question(study)[0]
    kept = ~np.isnan(said)
    n = study.article.max() + 1
    part = (study.model - study.ends[0]) / (study.ends[1] - study.ends[0])
    spread = np.sqrt(0.05 + np.bincount(study.article, part * (1 - part)) / QUESTIONS)
    probabilities = chances(spread, n // TIMES, floor=FLOOR)
    shown = np.isin(study.article, drawn(probabilities, rng))
    people = np.where(shown, said, nan)
    weights = (1 / probabilities)[study.article]
    found = active_mean(people[kept], study.model[kept], weights[kept], study.article[kept], ends=study.ends)
    return found.interval


@dataclass(frozen=True)
class Held:
    """Share of intervals that hold the truth, their mean width in lengths of the scale, and in how many studies there
    is none; of a difference also how often p and interval contradict each other."""

    coverage: float
    width: float
    missing: float
    contradictions: int = 0


@lru_cache
def truth(scale: str, quality: str) -> tuple[float, float, float]:
    """The mean by judgments, by answers, and the difference of the two systems by questions."""
    study = draw(Design(scale, quality, 0), np.random.default_rng(7), articles=40_000)
    first, second = _by_question(study)
    return float(np.nanmean(study.values[:, 0])), float(np.nanmean(first)), float(np.nanmean(second - first))


def held(intervals: list[Interval | None], value: float, ends: tuple[float, float]) -> Held:
    there = [each for each in intervals if each is not None]
    length = ends[1] - ends[0] if ends[1] < inf else 1.0
    inside = [each.low - 1e-9 <= value <= each.high + 1e-9 for each in there]
    widths = [(each.high - each.low) / length for each in there]
    return Held(float(np.mean(inside)), float(np.mean(widths)), 1 - len(there) / len(intervals))


def simulate(design: Design, *, studies: int, seed: int = 0) -> dict[str, Held]:
    rng = np.random.default_rng([seed, design.articles, *map(ord, design.scale[:3] + design.quality[:3])])
    by_judgment, by_answer, apart = truth(design.scale, design.quality)
    drawn = [draw(design, rng) for _ in range(studies)]
    ends = drawn[0].ends
    found = {
        "mean": held([mean(each) for each in drawn], by_judgment, ends),
        "mean by t": held([mean_by_t(each) for each in drawn], by_judgment, ends),
    }
    tested = [difference(each) for each in drawn]
    against = [
        (interval.low > 0 or interval.high < 0) != (p < 1 - LEVEL)
        for interval, p in tested
        if interval is not None and p is not None
    ]
    of_difference = held([interval for interval, _ in tested], apart, ends)
    found["difference"] = Held(of_difference.coverage, of_difference.width, of_difference.missing, sum(against))
    if design.articles >= FEWEST_GROUPS and ends[1] < inf:
        larger = [draw(design, rng, articles=TIMES * design.articles) for _ in range(studies)]
        found["powered"] = held([powered(each) for each in larger], by_answer, ends)
        found["active"] = held([active(each, rng) for each in larger], by_answer, ends)
    return found


def as_table(studies: int) -> str:
    lines = [
        f"| scale | mean | figure | {' | '.join(f'{size} articles' for size in SIZES)} |",
        f"| --- | --- | --- | {'--- | ' * len(SIZES)}",
    ]
    for scale in SCALES:
        for quality in QUALITIES:
            found = [simulate(Design(scale, quality, size), studies=studies) for size in SIZES]
            for name in dict.fromkeys(name for each in found for name in each):
                cells = [_cell(each.get(name)) for each in found]
                lines.append(f"| {scale} | {truth(scale, quality)[0]:.2f} | {name} | {' | '.join(cells)} |")
            print(*lines, sep="\n", flush=True)
            lines.clear()
    return "\n".join(lines)


def _cell(found: Held | None) -> str:
    if found is None:
        return "—"
    share = f"{found.coverage:.3f}".removeprefix("0") if found.coverage < 1 else "1.000"
    share = share if 0.92 <= found.coverage <= 0.98 else f"**{share}**"
    none = f", none in {found.missing:.2f}" if found.missing else ""
    return f"{share} ({found.width:.2f}){none}"


if __name__ == "__main__":
    as_table(300)
