"""How often intervals of REV, LAS and RQ hold: ``python -m tests.core.coverage.rationales``.

Planted: articles of three questions, each with a rationale by people and one by a model. What rationales of an article
say beyond their answers is alike, and so is how often they give the answer away, and how often the evaluator knows it
without them. People's score, −1 to 3 in whole numbers, follows REV with noise. The truth is what the same world says
with 20,000 articles.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from annotation_platform.core.methods.rev.scores import las, report, rq
from annotation_platform.core.statistics import Bootstrap, Difference, Statistic, spearman

QUESTIONS, KINDS = 3, ("people", "model")
OF_ARTICLE, OF_QUESTION, OF_RATIONALE = 0.6, 0.4, 0.8  # standard deviations; REV itself has far tails
MODEL_SAYS_LESS = 0.4
MANY = 20_000
SIZES = (6, 20, 80)


class World(NamedTuple):
    """An entry a rationale."""

    rev: np.ndarray
    people: np.ndarray
    helped: np.ndarray
    alone: np.ndarray
    leaks: np.ndarray
    question: np.ndarray
    article: np.ndarray
    kind: np.ndarray


class Held(NamedTuple):
    """Share of the intervals that held the truth, their mean width, and in which share of studies there was none."""

    coverage: float
    width: float
    missing: float


def draw(random: np.random.Generator, articles: int) -> World:
    question = np.repeat(np.arange(articles * QUESTIONS), len(KINDS))
    article, kind = question // QUESTIONS, np.tile(np.arange(len(KINDS)), articles * QUESTIONS)
    told, hard, given_away = (random.normal(0, OF_ARTICLE, articles)[article] for _ in range(3))
    told = told + random.normal(0, OF_QUESTION, articles * QUESTIONS)[question] - MODEL_SAYS_LESS * kind
    rev = told + OF_RATIONALE * random.standard_t(4, len(question))
    people = np.clip(np.round(1 + told + random.normal(0, OF_RATIONALE, len(question))), -1, 3)
    of_question = random.normal(0, 1, articles * QUESTIONS)[question] + hard
    leaks = random.normal(0, 1, len(question)) + given_away > 0.5
    helped = random.normal(0, 0.5, len(question)) + 0.7 * rev + of_question + leaks > 0
    return World(rev, people, helped, of_question > 0, leaks, question, article, kind)


FIGURES: dict[str, Callable[[World, Bootstrap | None, np.ndarray | None], Statistic | Difference]] = {
    "mean REV": lambda w, b, units: _report(w, b, units).overall,
    "REV, people less model": lambda w, b, units: _report(w, b, units).steps[0],
    "LAS": lambda w, b, units: las(w.helped, w.alone, w.leaks, units=units, bootstrap=b),
    "RQ": lambda w, b, units: rq(w.helped, w.alone, units=units, bootstrap=b),
    "ρ of REV with people": lambda w, b, units: spearman(w.rev, w.people, units=units, bootstrap=b),
}


def _report(world: World, bootstrap: Bootstrap | None, units: np.ndarray | None):  # type: ignore[no-untyped-def]
    items = world.question if units is not None else np.arange(len(world.rev))
    kinds = [KINDS[code] for code in world.kind]
    return report(world.rev, items.tolist(), kinds, units=units, bootstrap=bootstrap)


def held(*, articles: int, studies: int, resamples: int = 200, by_rationale: bool = False) -> dict[str, Held]:
    """With ``by_rationale`` as if rationales were no more alike within an article than between articles."""
    large = draw(np.random.default_rng(0), MANY)
    truths = {name: figure(large, None, large.article).value for name, figure in FIGURES.items()}
    random = np.random.default_rng([1, articles])
    found: dict[str, list[tuple[bool, float]]] = {name: [] for name in FIGURES}
    for seed in range(studies):
        world = draw(random, articles)
        for name, figure in FIGURES.items():
            each = figure(world, Bootstrap(resamples, seed=seed), None if by_rationale else world.article).interval
            if each is not None:
                found[name].append((each.low <= truths[name] <= each.high, each.high - each.low))
    return {
        name: Held(*np.mean(each, axis=0).tolist() if each else (np.nan, np.nan), missing=1 - len(each) / studies)
        for name, each in found.items()
    }


def main() -> None:
    print("| figure | " + " | ".join(f"{size} articles" for size in SIZES) + " | 20, if rationales were drawn |")
    print("| --- |" + " --- |" * (len(SIZES) + 1))
    columns = [held(articles=size, studies=300) for size in SIZES]
    columns.append(held(articles=20, studies=300, by_rationale=True))
    for name in FIGURES:
        print(f"| {name} | {' | '.join(_cell(each[name]) for each in columns)} |")


def _cell(found: Held) -> str:
    if found.missing == 1:
        return "no interval"
    none = f", none in {found.missing:.2f}" if found.missing else ""
    return f"{found.coverage:.1%} ({found.width:.2f}){none}"


if __name__ == "__main__":
    main()
