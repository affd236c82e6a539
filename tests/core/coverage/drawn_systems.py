"""How often differences of two systems hold where tasks were drawn by uncertainty: ``python -m …drawn_systems``.

Articles of five questions, each answered by two systems. In some articles the systems differ more than in others, and
a model is less certain there, so that these are drawn more often. Beside the weighted difference stands the plain one
of the questions of which both answers were judged, and the weighted one with what the model says of all answers: it is
kinder to the second system, and further off where it is less certain.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from annotation_platform.core.statistics.active_difference import active_difference
from annotation_platform.core.statistics.chances import chances
from annotation_platform.core.statistics.clustered_means import ClusteredDifference, clustered_difference
from annotation_platform.core.statistics.prediction_powered import PredictionPowered
from annotation_platform.core.statistics.result import Interval
from annotation_platform.core.statistics.weighted_means import weighted_difference, weighted_mean
from tests.core.coverage.active import FLOOR, Floats, drawn

QUESTIONS = 5  # of an article
LEVEL = 2.0  # of the first system
GROWS = 0.4  # how much more the systems differ, and how much lower both are, where the model is less certain


class Held(NamedTuple):
    """Over studies: how often an interval held the truth, how often its test said no to it, and the mean error."""

    held: float
    rejected: float
    bias: float

    @classmethod
    def of(cls, found: Sequence[ClusteredDifference | PredictionPowered], truth: float) -> "Held":
        ends = [each.interval for each in found if each.interval is not None]
        held = float(np.mean([end.low <= truth <= end.high for end in ends]))
        bias = float(np.mean([each.value for each in found if each.value is not None])) - truth
        return cls(held, float(np.mean([(each.p_value or 1) < 0.05 for each in found])), bias)


class Simulated(NamedTuple):
    """The weighted difference, the plain one, the weighted mean of the first system, and the weighted difference with a
    model, whose intervals are so many times as narrow."""

    weighted: Held
    plain: Held
    mean: Held
    with_model: Held
    narrower: float


def simulate(*, articles: int, tasks: int, apart: bool, studies: int, difference: float = 0.0) -> Simulated:
    """So many tasks are drawn. ``apart``: an article is two tasks, each with one system's answer to a question, in
    turn; else one, with all answers."""
    random = np.random.default_rng(4)
    weighted, plain, means, powered, narrower = [], [], [], [], []
    article = np.repeat(np.arange(articles), 2 * QUESTIONS)
    question = np.repeat(np.arange(articles * QUESTIONS), 2)
    second = np.tile([False, True], articles * QUESTIONS)
    lot = 2 * article + (second ^ (question % QUESTIONS % 2 == 1)) if apart else article
    for _ in range(studies):
        values, model, spread = _said(random, article, second, difference)
        pi = chances(np.sqrt(np.bincount(lot, weights=spread[article] ** 2)), tasks, floor=FLOOR)
        seen = np.isin(lot, drawn(pi, random))
        judged, weights = np.where(seen, values, np.nan), 1 / pi[lot]
        weighted.append(weighted_difference(judged, second, weights, article))
        plain.append(clustered_difference(judged[~second], judged[second], article[second]))
        means.append(weighted_mean(judged[~second], weights[~second], article[~second]))
        both = active_difference(judged, model, second, weights, article)
        powered.append(both)
        narrower.append(width(weighted[-1].interval) / width(both.interval))
    of_differences = [Held.of(found, difference) for found in (weighted, plain, powered)]
    return Simulated(*of_differences[:2], Held.of(means, LEVEL), of_differences[2], float(np.mean(narrower)))


def width(interval: Interval | None) -> float:
    return np.nan if interval is None else interval.high - interval.low


def _said(
    random: np.random.Generator, article: Floats, second: Floats, difference: float
) -> tuple[Floats, Floats, Floats]:
    """People's judgments and the model's, and how far off the model is, by article."""
    n = int(article.max()) + 1
    hard = random.normal(0, 1, n)
    level = LEVEL - GROWS * hard + random.normal(0, 0.5, n)
    of_second = difference + GROWS * hard + random.normal(0, 0.3, n)
    noise, spread = random.normal(0, 0.8, len(article)), np.exp(0.8 * hard)
    values = level[article] + second * of_second[article] + noise
    off = 0.5 * spread[article] * random.normal(0, 1, len(article))
    return values, values + 0.5 + 0.3 * second + off, spread


def main() -> None:
    print(
        "| tasks drawn of | difference, weighted: held, rejected | not weighted | its error | mean, weighted: held | "
        "difference with a model: held, rejected | narrower by |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for articles, share in ((60, 0.5), (200, 0.1), (800, 0.1)):
        for apart in (False, True):
            n = articles * (2 if apart else 1)
            tasks = round(share * n)
            found = simulate(articles=articles, tasks=tasks, apart=apart, studies=2000)
            told = (found.weighted, found.plain, found.with_model)
            weighted, plain, with_model = (f"{each.held:.1%}, {each.rejected:.1%}" for each in told)
            cells = [weighted, plain, f"{found.plain.bias:+.2f}", f"{found.mean.held:.1%}"]
            cells += [with_model, f"{found.narrower:.2f}"]
            what = "one system's answers each" if apart else "an article each"
            print(f"| {tasks} of {n}, {what} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
