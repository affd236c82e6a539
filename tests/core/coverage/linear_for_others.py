"""How often intervals for other annotators hold of estimates with a model and of a judge's biases.

``python -m tests.core.coverage.linear_for_others [studies]``, or ``--gaps`` of differences of which some judged
questions have no value. Annotators are drawn anew in every study, each with a
leniency, a taste for the second system, for long answers and for the place that comes first; they judge everything but
15 %, or each question has three of them. A model judges all answers, kinder to the second system and to long ones, and
four times as many again. The truth is the mean of forty studies of 1,000 articles and 2,000 annotators.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from annotation_platform.core.statistics.clustered_means import ClusteredDifference
from annotation_platform.core.statistics.clustered_slope import ClusteredSlope
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.judge_bias import bias_apart, judge_leniency, length_bias
from annotation_platform.core.statistics.judge_bias_for_others import (
    apart_for_other_raters,
    length_for_other_raters,
    leniency_for_other_raters,
)
from annotation_platform.core.statistics.linear_for_others import Said
from annotation_platform.core.statistics.powered_for_others import (
    powered_difference_for_other_raters,
    powered_mean_for_other_raters,
)
from annotation_platform.core.statistics.prediction_powered import prediction_powered_mean
from annotation_platform.core.statistics.result import Interval

QUESTIONS = 3
LENIENCY, TASTE, FOR_LENGTH, FOR_PLACE, MISSING = 0.4, 0.3, 0.15, 0.4, 0.15
ENDS = (0.0, 100.0)
STEP, MIDDLE = 14.0, 55.0  # of the scale
HIDDEN = 4  # times as many articles that only the model has judged


@dataclass(frozen=True)
class Design:
    """``each`` of the annotators for every question; None: all, with cells missing."""

    articles: int
    annotators: int
    each: int | None = None


DESIGNS = [
    Design(articles, annotators, each)
    for articles in (6, 20, 80)
    for annotators, each in ((3, None), (5, None), (8, None), (20, 3))
]


class Both(NamedTuple):
    value: float
    articles: Interval | None
    annotators: Interval | None


@dataclass(frozen=True, eq=False)
class World:
    """One row an answer: two to a question, of the first and of the second system."""

    article: np.ndarray
    question: np.ndarray
    second: np.ndarray
    log_length: np.ndarray
    model: np.ndarray
    said: Said

    @property
    def people(self) -> np.ndarray:
        n = np.bincount(self.said.rows, minlength=len(self.model))
        total = np.bincount(self.said.rows, weights=self.said.values, minlength=len(n))
        return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def label(seen: np.ndarray) -> np.ndarray:
    """Eleven steps from 0 to 100."""
    return np.clip(10 * np.round((MIDDLE + STEP * seen) / 10), *ENDS)


def draw(design: Design, rng: np.random.Generator, *, hidden: int = 0) -> World:
    """``hidden`` times as many articles are there that no annotator judges."""
    articles = design.articles * (1 + hidden)
    n, m, seen = articles * QUESTIONS, design.annotators, design.articles * QUESTIONS
    of_question = rng.normal(0, 1, n) + np.repeat(rng.normal(0, 0.8, articles), QUESTIONS)
    question, second = np.repeat(np.arange(n), 2), np.tile([False, True], n)
    log_length = rng.normal(0, 0.8, 2 * n)
    quality = of_question[question] + rng.normal(0, 0.5, 2 * n) + 0.3 * log_length
    of_article = np.repeat(rng.normal(0, 0.3, articles), 2 * QUESTIONS)
    model = label(quality + 0.3 + 0.2 * second + 0.15 * log_length + of_article + rng.normal(0, 0.7, 2 * n))
    leniency = rng.normal(0, LENIENCY, m)[:, None] + rng.normal(0, TASTE, (m, 2))
    for_length = rng.normal(0, FOR_LENGTH, m)
    if design.each is None:
        item, rater = (each.ravel() for each in np.meshgrid(np.arange(2 * seen), np.arange(m), indexing="ij"))
        kept = rng.random(len(item)) >= MISSING
        item, rater = item[kept], rater[kept]
    else:
        judges = np.argsort(rng.random((seen, m)), axis=1)[:, : design.each]
        item, rater = np.repeat(np.arange(2 * seen), design.each), judges[question[: 2 * seen]].ravel()
    said = quality[item] + leniency[rater, second[item].astype(int)] + for_length[rater] * log_length[item]
    values = label(said + rng.normal(0, 0.8, len(item)))
    return World(question // QUESTIONS, question, second, log_length, model, Said(item, rater, values))


def powered_mean(world: World) -> tuple[Both, Both]:
    """Of the second system: by people alone, and with the model."""
    rows = world.second
    people, model, group = world.people[rows], world.model[rows], world.article[rows]
    found = prediction_powered_mean(people, model, group, ends=ENDS)
    wider = powered_mean_for_other_raters(world.said.part(rows), people, model, group, found, ends=ENDS)
    assert found.value is not None
    assert found.people.value is not None
    return (
        Both(found.people.value, found.people.interval, wider.people.interval),
        Both(found.value, found.interval, wider.both.interval),
    )


def powered_difference(world: World) -> tuple[Both, Both]:
    people, model = (each[1::2] - each[::2] for each in (world.people, world.model))
    group = world.article[::2]
    found = prediction_powered_mean(people, model, group)
    judged = np.repeat(~np.isnan(people), 2)
    wider = powered_difference_for_other_raters(
        world.said, world.second, world.question, judged, world.model, world.article, found
    )
    assert found.value is not None
    assert found.people.value is not None
    return (
        Both(found.people.value, found.people.interval, wider.people.interval),
        Both(found.value, found.interval, wider.both.interval),
    )


def held_with_gaps(design: Design, gaps: float, studies: int) -> float:
    """How often the difference with the model holds for other annotators, where so many of the judged questions have no
    value of the second system. The systems are alike."""
    rng = np.random.default_rng([design.articles, design.annotators, 9])
    found: list[Interval | None] = []
    for _ in range(studies):
        world = draw(design, rng, hidden=HIDDEN)
        silent = rng.random(len(world.model) // 2) < gaps
        lost = world.second & silent[world.question]
        people, said = np.where(lost, np.nan, world.people), world.said
        kept = ~lost[said.rows]
        apart, model = (each[1::2] - each[::2] for each in (people, world.model))
        silent &= ~np.isnan(world.people[::2])
        group, judged = world.article[::2], np.repeat(~np.isnan(apart), 2)
        known = prediction_powered_mean(apart, model, group, without_value=silent)
        with_value = Said(said.rows[kept], said.raters[kept], said.values[kept])
        asked = with_value, world.second, world.question, judged, world.model, world.article, known
        found.append(powered_difference_for_other_raters(*asked).both.interval)
    return holds(found, 0.0)


def leniency(world: World) -> Both:
    found = judge_leniency(world.people, world.model, world.article)
    return _both(found, leniency_for_other_raters(world.said, world.model, world.article, found))


def length(world: World) -> Both:
    lengths = 200 * 2**world.log_length
    found = length_bias(world.people, world.model, lengths, world.article)
    return _both(found, length_for_other_raters(world.said, world.model, lengths, world.article, found))


def own_family(world: World) -> Both:
    """By question."""
    asked = (world.model, world.second, world.article)
    found = bias_apart(world.people, *asked, questions=world.question)
    return _both(found, apart_for_other_raters(world.said, *asked, found, questions=world.question))


def japanese(world: World) -> Both:
    """Of articles: unpaired."""
    asked = (world.model, world.article % 2 == 1, world.article)
    found = bias_apart(world.people, *asked)
    return _both(found, apart_for_other_raters(world.said, *asked, found))


def place(world: World, rng: np.random.Generator, annotators: int) -> Both:
    """How much more often the judge chooses what is first; people have habits of their own, and other orders."""
    row = np.arange(0, len(world.model), 2)
    first = rng.random(len(row)) < 0.5  # whether the second system's answer is first before the judge
    apart = np.where(first, 1, -1) * (world.model[1::2] - world.model[::2]) + rng.normal(0, 5, len(row))
    judge = (apart + 4 > 0).astype(float)
    habit, taste = rng.normal(0, FOR_PLACE, annotators), rng.normal(0, TASTE, annotators)
    both = np.isin(world.said.rows, row)
    at, rater = world.said.rows[both] // 2, world.said.rows[both] * 0 + world.said.raters[both]
    order = np.where(rng.random(len(at)) < 0.5, 1, -1)
    seen = (world.model[1::2] - world.model[::2])[at] / STEP + taste[rater] + order * habit[rater]
    chose_second = seen + rng.normal(0, 1, len(at)) > 0
    said = Said(at, rater, (chose_second == first[at]).astype(float))
    n = np.bincount(at, minlength=len(row))
    people = np.where(n > 0, np.bincount(at, weights=said.values, minlength=len(row)) / np.maximum(n, 1), np.nan)
    group = world.article[::2]
    found = judge_leniency(people, judge, group, ends=(0.0, 1.0))
    return _both(found, leniency_for_other_raters(said, judge, group, found, ends=(0.0, 1.0)))


def _both(found: ClusteredDifference | ClusteredSlope, wider: ForOtherRaters) -> Both:
    assert found.value is not None
    return Both(found.value, found.interval, wider.interval)


POWERED = ("mean, people alone", "mean, with the model", "difference, people alone", "difference, with the model")
BIASES = ("leniency", "place", "length", "own family", "Japanese")


def powered_of(design: Design, rng: np.random.Generator) -> dict[str, Both]:
    world = draw(design, rng, hidden=HIDDEN)
    return dict(zip(POWERED, (*powered_mean(world), *powered_difference(world)), strict=True))


def biases_of(design: Design, rng: np.random.Generator) -> dict[str, Both]:
    world = draw(design, rng)
    found = (leniency(world), place(world, rng, design.annotators), length(world), own_family(world), japanese(world))
    return dict(zip(BIASES, found, strict=True))


@lru_cache
def truths() -> dict[str, float]:
    """By figure, from forty large studies."""
    rng = np.random.default_rng(0)
    found: list[dict[str, float]] = []
    for _ in range(40):
        design = Design(1_000, 2_000, 3)
        large = draw(design, rng)
        means = [large.people[large.second].mean()] * 2
        apart = [np.mean(large.people[1::2] - large.people[::2])] * 2
        told = {
            "leniency": leniency(large),
            "place": place(large, rng, design.annotators),
            "length": length(large),
            "own family": own_family(large),
            "Japanese": japanese(large),
        }
        found.append(
            dict(zip(POWERED, [*means, *apart], strict=True)) | {name: each.value for name, each in told.items()}
        )
    return {name: float(np.mean([each[name] for each in found])) for name in found[0]}


def simulate(design: Design, studies: int) -> dict[str, list[Both]]:
    """By figure, one entry a study; of estimates with a model, which take twenty articles, nothing below."""
    rng = np.random.default_rng([design.articles, design.annotators])
    found = [
        (powered_of(design, rng) if design.articles >= 20 else {}) | biases_of(design, rng) for _ in range(studies)
    ]
    return {name: [each[name] for each in found] for name in found[0]}


def holds(intervals: Iterable[Interval | None], truth: float) -> float:
    """Which share of the intervals that there are has the truth in it."""
    return float(np.mean([each.low <= truth <= each.high for each in intervals if each is not None]))


def cell(found: list[Both], truth: float) -> str:
    narrow = f"{holds([each.articles for each in found], truth):.3f}"
    wide = [each.annotators for each in found if each.annotators is not None]
    if not wide:
        return f"{narrow} → none"
    return f"{narrow} → {holds(wide, truth):.3f} ({np.mean([each.high - each.low for each in wide]):.2f})"


def main() -> None:
    if "--gaps" in sys.argv:
        for design in (Design(20, 5), Design(20, 20, 3), Design(80, 5), Design(80, 8)):
            print(design, [f"{held_with_gaps(design, gaps, 600):.3f}" for gaps in (0.3, 0.6)], flush=True)
        return
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    names = (*POWERED, *BIASES)
    print("| articles | annotators | " + " | ".join(names) + " |")
    print("| --- | --- |" + " --- |" * len(names))
    for design in DESIGNS:
        found = simulate(design, studies)
        who = f"{design.annotators}" + (f", {design.each} a question" if design.each else "")
        cells = [cell(found[name], truths()[name]) if name in found else "—" for name in names]
        print(f"| {design.articles} | {who} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
