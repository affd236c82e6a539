"""How much narrower intervals are, and how often they hold, where a model's uncertainty chose what people judge.

``python -m tests.core.coverage.active`` for planted truth; with ``NQ.json`` on EVOUNA's verdicts, with the two files
of the EBR release on its scores. Three ways at equal cost, as many judgments: people alone, drawn at random; the same
with the model's help (prediction-powered); and drawn by the model's uncertainty, with its help.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from annotation_platform.core.methods.distilled.held_out import outputs_unseen
from annotation_platform.core.methods.distilled.rescaler import decide
from annotation_platform.core.methods.distilled.train import read_release
from annotation_platform.core.methods.distilled.uncertainty import calibrate
from annotation_platform.core.methods.equivalence.measuring import probabilities_in_folds
from annotation_platform.core.methods.equivalence.train import read_evouna
from annotation_platform.core.methods.equivalence.training import Settings
from annotation_platform.core.statistics.active import active_mean
from annotation_platform.core.statistics.chances import chances, spread_variances
from annotation_platform.core.statistics.prediction_powered import prediction_powered_mean

FLOOR = 0.3
QUESTIONS = 5  # of an article
BIAS = 0.3
Floats = np.ndarray


class Data(NamedTuple):
    """What people say of everything, the model's value and how far it may be off, and groups; drawn by ``lots``."""

    truth: Floats
    model: Floats
    spread: Floats
    groups: Floats
    lots: Floats


class Held(NamedTuple):
    """Over random draws: how often the interval held the truth, its mean width, and the estimates' own spread."""

    held: float
    width: float
    error: float

    @classmethod
    def of(cls, estimates: list[tuple[float, tuple[float, float]]], truths: list[float]) -> "Held":
        inside = [low <= truth <= high for (_, (low, high)), truth in zip(estimates, truths, strict=True)]
        width = float(np.mean([high - low for _, (low, high) in estimates]))
        error = np.sqrt(np.mean([(value - truth) ** 2 for (value, _), truth in zip(estimates, truths, strict=True)]))
        return cls(float(np.mean(inside)), width, float(error))


def drawn(pi: Floats, random: np.random.Generator) -> Floats:
    """As `chances.draw`, whose order comes from hashes, by a generator: a thousand times as fast."""
    order = random.permutation(len(pi))
    ends = np.cumsum(pi[order])
    n = round(ends[-1])
    return order[np.searchsorted(ends * (n / ends[-1]), random.random() + np.arange(n), side="right")]


def three_ways(
    world: Callable[[], Data], *, n: int, draws: int, floor: float = FLOOR, truth: float | None = None
) -> dict[str, Held]:
    """At equal cost, n lots: people alone, people and model, and people chosen by the model's uncertainty."""
    random, truths = np.random.default_rng(1), []
    ways: dict[str, list[tuple[float, tuple[float, float]]]] = {"people": [], "uniform": [], "active": []}
    for _ in range(draws):
        data = world()
        truths.append(float(data.truth.mean()) if truth is None else truth)
        size = np.bincount(data.lots, weights=data.spread**2)
        pi = chances(np.sqrt(size), n, floor=floor)
        seen = np.isin(data.lots, random.choice(len(pi), n, replace=False))
        found = prediction_powered_mean(np.where(seen, data.truth, np.nan), data.model, data.groups)
        chosen = np.isin(data.lots, drawn(pi, random))
        active = active_mean(np.where(chosen, data.truth, np.nan), data.model, 1 / pi[data.lots], data.groups)
        _note(ways["people"], found.people.value, found.people.interval)
        _note(ways["uniform"], found.value, found.interval)
        _note(ways["active"], active.value, active.interval)
    return {name: Held.of(estimates, truths) for name, estimates in ways.items()}


def _note(into: list[tuple[float, tuple[float, float]]], value: float | None, interval: object) -> None:
    into.append((value, (interval.low, interval.high)))  # type: ignore[arg-type, attr-defined]


def planted(random: np.random.Generator, *, articles: int, quality: float, knows: bool = True) -> Data:
    """Articles of five questions, drawn as a whole; how far the model is off differs fivefold from one article to the
    next, which it knows or not, and its bias is a part of that."""
    alike = np.repeat(random.normal(0, 0.5, articles), QUESTIONS)
    truth = alike + random.normal(0, 1, len(alike))
    groups = np.repeat(np.arange(articles), QUESTIONS)
    off = np.repeat(np.exp(random.normal(0, 0.8, articles)), QUESTIONS)
    noise = np.sqrt(1.25 * (1 / quality**2 - 1)) / np.sqrt(np.exp(2 * 0.8**2))
    model = truth + BIAS + noise * off * random.normal(0, 1, len(off))
    spread = off if knows else np.exp(np.repeat(random.normal(0, 0.8, articles), QUESTIONS))
    return Data(truth, model, spread, groups, groups)


def evouna(file: Path) -> dict[str, Data]:
    """By system: people's verdicts, and the probabilities of models that have not seen the question."""
    judged = read_evouna(file)
    p = probabilities_in_folds(judged, Settings())
    found = {}
    for system, name in enumerate(judged.system_names):
        rows = judged.systems == system
        own = p[rows]
        lots = np.arange(len(own))
        found[name] = Data(
            judged.right[rows].astype(float), own, np.sqrt(own * (1 - own)), judged.questions[rows], lots
        )
    return found


def ebr(files: list[Path]) -> dict[str, Data]:
    """The language model's scores of judgments, predicted by rescalers that have not seen the article; and of answers
    with four judgments or more two as a judge's two replies, the mean of the others as what people say."""
    judgments = read_release(files)
    outputs = outputs_unseen(judgments, judgments.articles, folds=5)
    known = ~np.isnan(decide(outputs)) & ~np.isnan(judgments.scores)
    spread = calibrate(judgments, outputs).spread(judgments.labels, outputs)
    n = int(known.sum())
    found = {
        "judgments for the language model": Data(
            judgments.scores[known], decide(outputs)[known], spread[known], judgments.articles[known], np.arange(n)
        )
    }
    random, rows = np.random.default_rng(0), []
    for item in np.unique(judgments.items):
        own = random.permutation(np.flatnonzero((judgments.items == item) & ~np.isnan(judgments.scores)))
        if len(own) >= 4:
            first, others = judgments.scores[own[:2]], judgments.scores[own[2:]]
            rows.append((others.mean(), first.mean(), np.sum((first - first.mean()) ** 2), judgments.articles[own[0]]))
    truth, model, squares, articles = (np.array(column) for column in zip(*rows, strict=True))
    variances = spread_variances(np.full(len(truth), 2), squares)
    found["answers for people, two replies of a judge"] = Data(
        truth, model, np.sqrt(variances), articles.astype(int), np.arange(len(truth))
    )
    return found


HEAD = (
    "| {} | people alone | people and model | chosen by uncertainty | narrower than people alone, than both | "
    "error of the estimate, likewise |\n| --- | --- | --- | --- | --- | --- |"
)


def row(name: str, found: dict[str, Held]) -> str:
    people, uniform, active = found["people"], found["uniform"], found["active"]
    cells = [f"{each.held:.1%}, {each.width:.3g}" for each in (people, uniform, active)]
    narrower = f"{1 - active.width / people.width:.0%}, {1 - active.width / uniform.width:.0%}"
    smaller = f"{1 - active.error / people.error:.0%}, {1 - active.error / uniform.error:.0%}"
    return f"| {name} | {' | '.join(cells)} | {narrower} | {smaller} |"


def simulate_planted(*, articles: int, judged: int, quality: float, knows: bool, studies: int) -> dict[str, Held]:
    """Truth is the mean of all there could be."""
    random = np.random.default_rng(2)
    world = partial(planted, random, articles=articles, quality=quality, knows=knows)
    return three_ways(world, n=judged, draws=studies, truth=0.0)


def main(files: list[str]) -> None:
    if not files:
        print(HEAD.format("articles judged of all, correlation of the model"))
        for judged, articles in ((20, 200), (80, 800)):
            for quality in (0.5, 0.8, 0.95):
                for knows in (True, False):
                    found = simulate_planted(
                        articles=articles, judged=judged, quality=quality, knows=knows, studies=1000
                    )
                    what = "" if knows else ", its uncertainty says nothing"
                    print(row(f"{judged} of {articles}, r = {quality}{what}", found), flush=True)
        return
    paths = [Path(file) for file in files]
    for name, data in (evouna(paths[0]) if len(paths) == 1 else ebr(paths)).items():
        for share in (0.05, 0.1):
            n = round(share * len(data.truth))
            for floor in (0.1, FLOOR, 0.5):
                found = three_ways(lambda data=data: data, n=n, draws=200, floor=floor)
                print(row(f"{name}, {n:,} of {len(data.truth):,}, m = {floor}", found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
