"""Whether a planned study finds what it promises to: ``python -m tests.core.coverage.planning``.

Planted: articles, questions, annotators, noise and strictness of known variances. *As planned*: studies are made up in
which the true difference is the smallest one that the plan promises to find in 80 % of them, and the test of the page
Systems (`clustered_difference`) is made. *From a pilot*: the variances are estimated from a pilot instead, which has
missing judgments, and it is counted how often the interval of the smallest difference holds the one of the true
variances, and where the middle of the estimates lies.
"""

from dataclasses import astuple
from typing import NamedTuple

import numpy as np

from annotation_platform.core.power import (
    Components,
    Design,
    smallest_difference,
    spread_of,
    standard_error,
    variance_interval,
    weights,
)
from annotation_platform.core.statistics.clustered_means import clustered_difference
from annotation_platform.core.statistics.planning import PilotComponents, pilot_components

TRUE = Components(articles=60, questions=300, annotators=80, residual=900, strictness=300)
DESIGNS = (
    Design(6, 4, 3),
    Design(20, 1, 2),
    Design(20, 5, 3),
    Design(20, 5, 3, people=3),
    Design(20, 5, 3, people=6),
    Design(20, 5, 3, people=6, way="same"),
    Design(20, 5, 3, way="together"),
    Design(80, 2, 1),
    Design(80, 3, 5, people=8),
    Design(3, 20, 3, people=3),
)
PILOTS = ((6, 6, 3), (12, 5, 3), (30, 4, 4))
PLANNED = Design(40, 5, 3)
KEPT = 0.85


class World(NamedTuple):
    """One column a judgment; the second system is better by what was planted."""

    values: np.ndarray
    systems: np.ndarray
    questions: np.ndarray
    articles: np.ndarray
    annotators: np.ndarray


def world(seed: object, design: Design, difference: float, true: Components = TRUE, kept: float = 1.0) -> World:
    """Judgments by annotators of their own for each article, system by system or of both, as the design says.

    Annotators and, where these are no units, articles are those that there are: what they have in common is part of
    the difference. Judged apart, each of two tasks of an article has its systems in turn.
    """
    random = np.random.default_rng(seed)  # type: ignore[arg-type]
    a, q, k = design.articles, design.questions, design.annotators
    m = design.people or a * k * 2
    of_article = random.normal(0, true.articles**0.5, a)
    liking = random.normal(0, true.annotators**0.5, m)
    if design.people is not None:
        liking -= liking.mean()
    if design.unit == "question":
        of_article -= of_article.mean()
    strict = random.normal(0, (true.strictness / 2) ** 0.5, m)
    of_question = random.normal(0, true.questions**0.5, a * q)
    rows = []
    for article in range(a):
        groups = _groups(random, design, article, m)
        for place in range(q):
            question = article * q + place
            for system in (0, 1):
                people = groups[(place + system) % 2]
                side = system - 0.5
                true_value = side * (difference + of_article[article] + of_question[question] + liking[people])
                noise = random.normal(0, (true.residual / 2) ** 0.5, k)
                values = true_value + strict[people] + noise
                rows += [(value, system, question, article, who) for value, who in zip(values, people, strict=True)]
    table = np.array(rows)
    if kept < 1:
        table = table[random.random(len(table)) < kept]
    return World(table[:, 0], *(column.astype(int) for column in table[:, 1:].T))


def _groups(random: np.random.Generator, design: Design, article: int, m: int) -> list[np.ndarray]:
    k = design.annotators
    if design.people is None:  # nobody is met twice
        first = np.arange(k) + article * 2 * k
        return [first, first if design.way != "apart" else first + k]
    first = random.choice(m, k, replace=False)
    return [first, first if design.way != "apart" else random.choice(m, k, replace=False)]


def tested(study: World) -> float | None:
    """p of the paired difference of the two systems, by article, or else by question."""
    n = int(study.questions.max()) + 1
    means = [
        np.bincount(study.questions[own], weights=study.values[own], minlength=n)
        / np.bincount(study.questions[own], minlength=n)
        for own in (study.systems == 0, study.systems == 1)
    ]
    article = np.zeros(n, dtype=int)
    article[study.questions] = study.articles
    by_article = len(np.unique(article)) >= 5
    return clustered_difference(means[0], means[1], article if by_article else np.arange(n)).p_value


def found(design: Design, *, studies: int, times: float = 1.0) -> float:
    """In which share of studies p is below .05, when the difference is so many times the smallest one."""
    error = standard_error(TRUE, design)
    difference = times * smallest_difference(error, design.units)
    p_values = [tested(world([place, design.articles, seed], design, difference)) for place, seed in _seeds(studies)]
    return float(np.mean([p is not None and p < 0.05 for p in p_values]))


def _seeds(studies: int) -> list[tuple[int, int]]:
    return [(7, seed) for seed in range(studies)]


class Estimated(NamedTuple):
    """Of the smallest difference: how often its interval holds, its median beside the true one, and in how many
    pilots it was undefined."""

    coverage: float
    median: float
    undefined: int


def smallest_from(pilot: PilotComponents, design: Design) -> tuple[float, tuple[float, float] | None]:
    """The smallest difference of a design with a pilot's variances, with its interval."""
    assert pilot.components is not None
    error = standard_error(pilot.components, design)
    value = smallest_difference(error, design.units)
    if pilot.covariance is None or not error:
        return value, None
    spread = spread_of(pilot.covariance.tolist(), weights(design))
    low, high = variance_interval(error**2, spread)
    return value, (value * (low / error**2) ** 0.5, value * (high / error**2) ** 0.5)


def from_pilots(articles: int, questions: int, annotators: int, *, studies: int) -> Estimated:
    truth = smallest_difference(standard_error(TRUE, PLANNED), PLANNED.units)
    held, values, undefined = 0, [], 0
    pilot = Design(articles, questions, annotators, people=annotators + 2, way="apart")
    for seed in range(studies):
        estimated = pilot_components(*world([11, articles, seed], pilot, 10, kept=KEPT))
        if estimated.components is None:
            undefined += 1
            continue
        value, interval = smallest_from(estimated, PLANNED)
        values.append(value)
        held += interval is not None and interval[0] <= truth <= interval[1]
    return Estimated(held / max(len(values), 1), float(np.median(values)) / truth, undefined)


def _in_words(design: Design) -> str:
    people = "all different" if design.people is None else f"{design.people}"
    return f"{design.articles} | {design.questions} | {design.annotators} | {people} | {design.way}"


def main() -> int:
    print(f"Variances {astuple(TRUE)}")
    print("| articles | questions each | annotators an answer | in all | judged | power | with no difference |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for design in DESIGNS:
        power, error = found(design, studies=4000), found(design, studies=4000, times=0)
        print(f"| {_in_words(design)} | {100 * power:.1f} % | {100 * error:.1f} % |", flush=True)
    print("\n| pilot: articles | questions each | annotators | interval holds | median, of the true one | undefined |")
    print("| --- | --- | --- | --- | --- | --- |")
    for size in PILOTS:
        estimated = from_pilots(*size, studies=1000)
        cells = " | ".join(map(str, size))
        print(f"| {cells} | {100 * estimated.coverage:.1f} % | {estimated.median:.2f} | {estimated.undefined} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
