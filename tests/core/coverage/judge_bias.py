"""How often intervals of a judge's biases hold: ``python -m tests.core.coverage.judge_bias``.

Planted: articles of two questions, each answered by four systems, two of them of the judge's own family; every other
article is Japanese. Answers of one article are alike to the judge beyond what people see in them. Longer answers are
better, the own family's are longer, and three people and the judge give labels from 0 to 3. Of each question the judge
and three people also choose the best answer, people in orders of their own. The truth is what the same world says with
20,000 articles; for the tests, in a world without that bias it is 0.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from annotation_platform.core.statistics import Difference
from annotation_platform.core.statistics.judge_bias import bias_apart, judge_leniency, length_bias, place_share

QUESTIONS, SYSTEMS, PEOPLE = 2, 4, 3
OWN = (2, 3)
PLANTED = {"leniency": 0.3, "length": 0.15, "own_family": 0.3, "japanese": -0.3, "place": 0.6}
LARGE = 20_000
SIZES = (6, 20, 80)


class Held(NamedTuple):
    """Shares of intervals that had the truth in them, and of p below .05 where nothing is planted; and in how many
    studies there was an interval."""

    coverage: float
    type_one_error: float
    intervals: float


def world(seed: Any, *, articles: int, planted: dict[str, float]) -> dict[str, Difference]:
    """Every figure of one made-up study."""
    random = np.random.default_rng(seed)
    n = articles * QUESTIONS * SYSTEMS
    article = np.repeat(np.arange(articles), QUESTIONS * SYSTEMS)
    question = np.repeat(np.arange(articles * QUESTIONS), SYSTEMS)
    system = np.tile(np.arange(SYSTEMS), articles * QUESTIONS)
    own, japanese = np.isin(system, OWN), article % 2 == 1
    log_length = random.normal(0, 0.8, n) + 0.4 * own
    quality = 1.5 + 0.5 * log_length + random.normal(0, 0.5, articles)[article] + random.normal(0, 0.6, n)
    to_the_judge = random.normal(0, 0.4, articles)[article] + random.normal(0, 0.5, n)
    favour = planted["leniency"] + planted["length"] * log_length + planted["own_family"] * own
    favour += planted["japanese"] * japanese
    people = np.mean([_label(quality + random.normal(0, 0.5, n)) for _ in range(PEOPLE)], axis=0)
    judge = _label(quality + to_the_judge + favour)
    lengths = 200 * 2**log_length
    # A choice among the answers of a question; the first place is the first row, and systems are shuffled into places.
    order = np.argsort(random.random((articles * QUESTIONS, SYSTEMS)), axis=1)
    at = order + np.arange(articles * QUESTIONS)[:, None] * SYSTEMS
    seen = (quality + to_the_judge)[at] + planted["length"] * log_length[at] + planted["own_family"] * own[at]
    seen[:, 0] += planted["place"]
    chosen = seen.argmax(axis=1) + 1
    chosen[random.random(len(chosen)) < 0.1] = 0  # a tie
    votes = [np.argmax(quality[at] + random.normal(0, 0.5, at.shape), axis=1) for _ in range(PEOPLE)]
    shares = np.mean([vote[:, None] == np.arange(SYSTEMS) for vote in votes], axis=0)
    sizes, row = np.full(len(chosen), SYSTEMS), np.repeat(np.arange(len(chosen)), SYSTEMS)
    judged = np.stack([place_share(chosen, sizes, place) for place in range(1, SYSTEMS + 1)], axis=1)
    by_question = article[::SYSTEMS]
    rows = (shares.ravel(), judged.ravel())
    return {
        "leniency": judge_leniency(people, judge, article),
        "place": judge_leniency(shares[:, 0], judged[:, 0], by_question),
        "length": length_bias(people, judge, lengths, article),
        "length, of a choice": length_bias(*rows, lengths[at].ravel(), by_question[row], within=row),
        "own_family": bias_apart(people, judge, own, article, questions=question),
        "own_family, of a choice": bias_apart(*rows, own[at].ravel(), by_question[row], questions=row),
        "own_family, other questions": bias_apart(
            *(np.where(own == (question % 2 == 0), each, np.nan) for each in (people, judge)),
            own,
            article,
            questions=question,
        ),
        "japanese": bias_apart(people, judge, japanese, article),
    }


def held(*, articles: int, studies: int, names: Iterable[str] | None = None) -> dict[str, Held]:
    """By figure; for the test of each, its bias alone is not planted."""
    truth = world(0, articles=LARGE, planted=PLANTED)
    found = [world([articles, seed], articles=articles, planted=PLANTED) for seed in range(1, studies + 1)]
    result = {}
    for name in names or truth:
        real = truth[name].value
        assert real is not None
        intervals = [each[name].interval for each in found]
        inside = [each.low <= real <= each.high for each in intervals if each]
        kind = name.partition(",")[0]
        without = PLANTED | {kind: 0.0}
        null = world([1], articles=LARGE, planted=without)[name].value or 0.0
        p_values = [
            _p_of(world([articles, 7, seed], articles=articles, planted=without)[name], null)
            for seed in range(1, studies + 1)
        ]
        tested = [p < 0.05 for p in p_values if p is not None]
        result[name] = Held(float(np.mean(inside)), float(np.mean(tested)), len(inside) / studies)
    return result


def _p_of(found: Any, truth: float) -> float | None:
    """Of the hypothesis that is true: labels are coarse, so that a judge without this bias need not be at 0."""
    from scipy.stats import t

    if found.value is None or not found.standard_error:
        return None
    return float(2 * t.sf(abs(found.value - truth) / found.standard_error, found.degrees_of_freedom))


def _label(seen: np.ndarray) -> np.ndarray:
    return np.clip(np.round(seen), 0, 3)


def main() -> None:
    print("| figure | " + " | ".join(f"{size} articles: holds | type I error" for size in SIZES) + " |")
    print("| --- |" + " --- | --- |" * len(SIZES))
    found = {size: held(articles=size, studies=1_000) for size in SIZES}
    for name in found[SIZES[0]]:
        cells = [f"{found[size][name].coverage:.1%} | {found[size][name].type_one_error:.1%}" for size in SIZES]
        print(f"| {name.replace('_', ' ')} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
