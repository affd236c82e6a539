"""How often intervals for other annotators hold where tasks were drawn by uncertainty: ``python -m …drawn_for_others``.

Articles of five questions, each answered by two systems, of which some are drawn; annotators are drawn anew in every
study, each with a leniency and a taste for the second system, and every drawn question has some of them. A model judges
all answers, kinder to the second system, and further off where articles are hard. On the whole the systems are alike.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation_platform.core.statistics.active_difference import active_difference
from annotation_platform.core.statistics.active_for_others import (
    active_difference_for_other_raters,
    weighted_difference_for_other_raters,
    weighted_mean_for_other_raters,
)
from annotation_platform.core.statistics.chances import chances
from annotation_platform.core.statistics.linear_for_others import Said
from annotation_platform.core.statistics.result import Interval
from annotation_platform.core.statistics.weighted_means import weighted_difference, weighted_mean
from tests.core.coverage.active import FLOOR, Floats, drawn
from tests.core.coverage.drawn_systems import GROWS, LEVEL, QUESTIONS

LENIENCY, TASTE = 0.4, 0.3


@dataclass(frozen=True)
class Design:
    """``apart``: an article is two tasks, each with one system's answer to a question, in turn; else one. ``each`` of
    the annotators for every question. Of judged answers so many are ``without_value``."""

    articles: int
    tasks: int
    annotators: int
    each: int
    apart: bool = False
    without_value: float = 0.0


DESIGNS = [
    Design(articles, round(share * articles) * (2 if apart else 1), annotators, each, apart)
    for articles, share in ((60, 0.5), (200, 0.1), (400, 0.2))
    for apart in (False, True)
    for annotators, each in ((3, 3), (5, 2), (8, 3), (20, 3))
] + [Design(200, 40, 8, 3, without_value=0.3)]


@dataclass(frozen=True, eq=False)
class World:
    """One row an answer; ``people`` are the means of what was ``said``."""

    said: Said
    people: Floats
    model: Floats
    second: Floats
    weights: Floats
    article: Floats
    silent: Floats


def draw(design: Design, random: np.random.Generator) -> World:
    n = design.articles
    article, question = np.repeat(np.arange(n), 2 * QUESTIONS), np.repeat(np.arange(n * QUESTIONS), 2)
    second = np.tile([False, True], n * QUESTIONS)
    lot = 2 * article + (second ^ (question % QUESTIONS % 2 == 1)) if design.apart else article
    hard = random.normal(0, 1, n)
    level = LEVEL - GROWS * hard + random.normal(0, 0.5, n)
    of_second = GROWS * hard + random.normal(0, 0.3, n)
    quality = level[article] + second * of_second[article] + random.normal(0, 0.5, len(article))
    spread = np.exp(0.8 * hard)[article]
    model = quality + 0.3 + 0.2 * second + 0.5 * np.sqrt(spread) * random.normal(0, 1, len(article))
    pi = chances(np.sqrt(np.bincount(lot, weights=spread**2)), design.tasks, floor=FLOOR)
    seen = np.isin(lot, drawn(pi, random))
    silent = seen & (random.random(len(article)) < design.without_value)
    said = _said(design, quality, question, second, np.flatnonzero(seen & ~silent), random)
    counts = np.bincount(said.rows, minlength=len(article))
    sums = np.bincount(said.rows, weights=said.values, minlength=len(article))
    people = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return World(said, people, model, second, 1 / pi[lot], article, silent)


def _said(
    design: Design, quality: Floats, question: Floats, second: Floats, rows: Floats, random: np.random.Generator
) -> Said:
    bias = random.normal(0, LENIENCY, (design.annotators, 1)) + random.normal(0, TASTE, (design.annotators, 2))
    order = np.argsort(random.random((int(question.max()) + 1, design.annotators)), axis=1)
    row, rater = np.repeat(rows, design.each), order[question[rows], : design.each].ravel()
    return Said(row, rater, quality[row] + bias[rater, second[row].astype(int)] + random.normal(0, 0.8, len(row)))


NAMES = ("mean of the first", "difference, people alone", "the same with the model", "with it, the same annotators")
TRUTHS = (LEVEL, 0.0, 0.0, 0.0)


def intervals(world: World) -> tuple[Interval | None, ...]:
    """By `NAMES`."""
    first = ~world.second
    columns = world.people[first], world.weights[first], world.article[first]
    mean = weighted_mean_for_other_raters(world.said.part(first), *columns, weighted_mean(*columns))
    both = world.people, world.second, world.weights, world.article
    alone = weighted_difference_for_other_raters(world.said, *both, weighted_difference(*both))
    asked = world.people, world.model, world.second, world.weights, world.article
    found = active_difference(*asked, without_value=world.silent)
    wider = active_difference_for_other_raters(world.said, *asked, found, without_value=world.silent)
    return mean.interval, alone.interval, wider.both.interval, found.interval


def simulate(design: Design, studies: int, seed: int = 6) -> dict[str, float]:
    """How often each interval held the truth, of those that there were."""
    random = np.random.default_rng([design.articles, design.annotators, seed])
    found = zip(*(intervals(draw(design, random)) for _ in range(studies)), strict=True)
    return {name: _held(each, truth) for name, each, truth in zip(NAMES, found, TRUTHS, strict=True)}


def _held(found: Iterable[Interval | None], truth: float) -> float:
    return float(np.mean([each.low <= truth <= each.high for each in found if each is not None]))


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"| tasks drawn of | annotators | {' | '.join(NAMES)} |")
    print("| --- | --- |" + " --- |" * len(NAMES))
    for design in DESIGNS:
        n = design.articles * (2 if design.apart else 1)
        what = "one system's answers each" if design.apart else "an article each"
        gaps = f", {design.without_value:.0%} without a value" if design.without_value else ""
        who = f"{design.annotators}, {design.each} a question"
        cells = [f"{held:.1%}" for held in simulate(design, studies).values()]
        print(f"| {design.tasks} of {n}, {what}{gaps} | {who} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
