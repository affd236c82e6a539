"""How often prediction-powered intervals hold: ``python -m tests.core.coverage.prediction_powered [NQ.json]``.

``--differences`` simulates only differences of two systems, whose truth is planted, too.

With EVOUNA's file: its human verdicts are hidden but for a random part of the questions; the estimator sees these, and
of all answers how likely each is right by an answer-equivalence model that has not seen its question. Without it:
planted truth, articles of five questions each, a model that is as good as is said, and biased.
"""

import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annotation_platform.core.methods.equivalence.measuring import probabilities_in_folds
from annotation_platform.core.methods.equivalence.train import read_evouna
from annotation_platform.core.methods.equivalence.training import JudgedPairs, Settings
from annotation_platform.core.statistics.prediction_powered import PredictionPowered, prediction_powered_mean

QUESTIONS = 5  # of an article
BIAS = 0.3
Floats = np.ndarray


class Held(NamedTuple):
    """Over random draws: how often the interval had the truth in it, for both at once and for people alone, and the
    mean widths of the two."""

    both: float
    alone: float
    width: float
    width_alone: float

    @property
    def narrower(self) -> float:
        return self.width_alone / self.width


def held(found: list[PredictionPowered], truth: float) -> Held:
    def of(intervals: list) -> tuple[float, float]:
        inside = [each.low <= truth <= each.high for each in intervals]
        return float(np.mean(inside)), float(np.mean([each.high - each.low for each in intervals]))

    (both, width), (alone, width_alone) = (
        of([each.interval for each in found]),
        of([each.people.interval for each in found]),
    )
    return Held(both, alone, width, width_alone)


def planted(*, articles: int, judged: int, quality: float, studies: int) -> Held:
    """Of so many articles people judged some; the model's noise is such that it correlates with people by quality."""
    random, found = np.random.default_rng(1), []
    for _ in range(studies):
        alike = np.repeat(random.normal(0, 0.5, articles), QUESTIONS)
        truth = alike + random.normal(0, 1, len(alike))
        noise = np.sqrt(1.25 * (1 / quality**2 - 1)) if quality else 0
        model = (truth if quality else 0) + BIAS + random.normal(0, noise or 1, len(alike))
        groups = np.repeat(np.arange(articles), QUESTIONS)
        shown = np.isin(groups, random.choice(articles, judged, replace=False))
        found.append(prediction_powered_mean(np.where(shown, truth, np.nan), model, groups))
    return held(found, 0.0)


class DifferenceHeld(NamedTuple):
    """Of a difference of two systems: what `Held` says where they differ, and how often each is found to differ from
    nothing where they do not."""

    held: Held
    type_one_error: float
    type_one_error_alone: float
    power: float
    power_alone: float


def planted_differences(
    *, articles: int, judged: int, quality: float, studies: int, apart: float = 0.2, noise: float = 0.6
) -> DifferenceHeld:
    """Two systems answered each question; the second is better by ``apart``, or by nothing.

    What the two answers to a question share cancels; articles favour one system or the other a little. The model's
    differences correlate with people's by ``quality``, it favours the second system, and of each article people judged
    all questions or none.
    """
    random, found, null = np.random.default_rng(2), [], []
    for _ in range(studies):
        alike = np.repeat(random.normal(0, 0.4, articles), QUESTIONS)
        difference = alike + random.normal(0, noise, len(alike))
        spread = np.sqrt(0.4**2 + noise**2)
        astray = spread * np.sqrt(1 / quality**2 - 1) if quality else spread
        model = (difference if quality else 0) + BIAS + random.normal(0, 1, len(alike)) * astray
        groups = np.repeat(np.arange(articles), QUESTIONS)
        shown = np.isin(groups, random.choice(articles, judged, replace=False))
        for true, into in ((apart, found), (0.0, null)):
            people = np.where(shown, difference + true, np.nan)
            into.append(prediction_powered_mean(people, model + (true if quality else 0), groups))

    def rejected(results: list[PredictionPowered]) -> tuple[float, float]:
        pairs = [(each.p_value, each.people.p_value) for each in results]
        return tuple(float(np.mean([p is not None and p < 0.05 for p in side])) for side in zip(*pairs, strict=True))

    error, error_alone = rejected(null)
    power, power_alone = rejected(found)
    return DifferenceHeld(held(found, apart), error, error_alone, power, power_alone)


def evouna(judged: JudgedPairs, probabilities: Floats, *, shown: float, draws: int) -> Iterator[tuple[str, Held]]:
    """For each system, with people's verdicts of this share of its questions; truth is the share right of all."""
    for system, name in enumerate(judged.system_names):
        rows = judged.systems == system
        right, model, questions = judged.right[rows].astype(float), probabilities[rows], judged.questions[rows]
        random, found = np.random.default_rng(system), []
        for _ in range(draws):
            seen = random.random(len(right)) < shown
            found.append(prediction_powered_mean(np.where(seen, right, np.nan), model, questions))
        yield name, held(found, float(right.mean()))


def evouna_differences(
    judged: JudgedPairs, probabilities: Floats, *, shown: float, draws: int
) -> Iterator[tuple[str, Held]]:
    """For every two systems, over the questions with both; of this share of them people's verdicts are shown."""
    questions = np.unique(judged.questions)
    people, model = (np.full((len(judged.system_names), len(questions)), np.nan) for _ in range(2))
    place = judged.systems, np.searchsorted(questions, judged.questions)
    people[place], model[place] = judged.right, probabilities
    for a, b in combinations(range(len(people)), 2):
        random, found = np.random.default_rng(100 * a + b), []
        apart, apart_by_model = people[b] - people[a], model[b] - model[a]
        both = ~np.isnan(apart)
        for _ in range(draws):
            seen = random.random(both.sum()) < shown
            said = np.where(seen, apart[both], np.nan)
            found.append(prediction_powered_mean(said, apart_by_model[both], questions[both]))
        names = f"{judged.system_names[a]} → {judged.system_names[b]}"
        yield names, held(found, float(apart[both].mean()))


def row(name: str, found: Held) -> str:
    return f"| {name} | {found.both:.1%} | {found.alone:.1%} | {found.narrower:.2f} |"


def differences() -> None:
    print(
        "| articles judged of all, correlation of the model | both at once | people alone | narrower by "
        "| type I error, both | alone | power, both | alone |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    for judged_articles, articles in ((20, 200), (80, 800)):
        for quality in (0.0, 0.5, 0.8, 0.95):
            found = planted_differences(articles=articles, judged=judged_articles, quality=quality, studies=2000)
            rates = " | ".join(f"{each:.1%}" for each in found[1:])
            print(f"{row(f'{judged_articles} of {articles}, r = {quality}', found.held)} {rates} |", flush=True)


def main(file: str | None = None) -> None:
    if file == "--differences":
        differences()
        return
    head = "both at once | people alone | narrower by |\n| --- | --- | --- | --- |"
    if file:
        judged = read_evouna(Path(file))
        probabilities = probabilities_in_folds(judged, Settings())
        for shown in (0.05, 0.1):
            print(f"| EVOUNA, {shown:.0%} shown | {head}")
            for each in (evouna, evouna_differences):
                for name, found in each(judged, probabilities, shown=shown, draws=200):
                    print(row(name, found))
        return
    print(f"| articles judged of all, correlation of the model | {head}")
    for judged_articles, articles in ((20, 200), (80, 800)):
        for quality in (0.0, 0.5, 0.8, 0.95):
            found = planted(articles=articles, judged=judged_articles, quality=quality, studies=2000)
            print(row(f"{judged_articles} of {articles}, r = {quality}", found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
