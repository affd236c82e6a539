"""How often intervals of marked spans hold: ``python -m tests.core.coverage.spans``.

Planted: articles of two texts of thirty tokens. How often a token is wrong differs from article to article; three
readers see a wrong token with a chance of .8 and mark another with one of .05. The truth is what the same world says
with 5,000 articles.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from annotation_platform.core.statistics import Bootstrap, MarkedTexts, Statistic, span_f1, token_alpha

TEXTS, LENGTH, READERS = 2, 30, 3
SEEN, TAKEN_FOR_WRONG = 0.8, 0.05
MANY = 5_000

FIGURES: dict[str, Callable[[MarkedTexts, Bootstrap | None], Statistic]] = {
    "F1, overlap": lambda marked, drawn: span_f1(marked, "overlap", bootstrap=drawn),
    "F1, exact": lambda marked, drawn: span_f1(marked, "exact", bootstrap=drawn),
    "α over tokens": lambda marked, drawn: token_alpha(marked, bootstrap=drawn),
}


class Held(NamedTuple):
    """Share of the intervals that held the truth, their mean width, and in which share of studies there was none."""

    coverage: float
    width: float
    missing: float


def world(random: np.random.Generator, articles: int) -> MarkedTexts:
    """Tokens that are marked side by side are one span."""
    n_texts = articles * TEXTS
    often = np.repeat(random.beta(2, 6, articles), TEXTS)
    wrong = random.random((n_texts, 1, LENGTH)) < often[:, None, None]
    seen = random.random((n_texts, READERS, LENGTH)) < np.where(wrong, SEEN, TAKEN_FOR_WRONG)
    edges = np.diff(np.pad(seen.reshape(-1, LENGTH).astype(np.int64), ((0, 0), (1, 1))), axis=1)
    (readings, starts), (_, ends) = (np.nonzero(edges == way) for way in (1, -1))
    return MarkedTexts(
        texts=np.repeat(np.arange(n_texts), READERS),
        raters=np.tile(np.arange(READERS), n_texts),
        lengths=np.full(n_texts, LENGTH),
        readings=readings,
        starts=starts,
        ends=ends,
        labels=np.zeros(len(starts), dtype=np.int64),
        n_labels=1,
        units=np.arange(n_texts) // TEXTS,
    )


def held(*, articles: int, studies: int, resamples: int = 200) -> dict[str, Held]:
    large = world(np.random.default_rng(1), MANY)
    truths = {name: figure(large, None).value for name, figure in FIGURES.items()}
    random = np.random.default_rng([2, articles])
    found: dict[str, list[tuple[bool, float]]] = {name: [] for name in FIGURES}
    for seed in range(studies):
        study = world(random, articles)
        for name, figure in FIGURES.items():
            if interval := figure(study, Bootstrap(resamples, seed=seed)).interval:
                found[name].append((interval.low <= truths[name] <= interval.high, interval.high - interval.low))
    return {
        name: Held(*np.mean(each, axis=0).tolist() if each else (np.nan, np.nan), missing=1 - len(each) / studies)
        for name, each in found.items()
    }


def main() -> None:
    print("| articles | " + " | ".join(FIGURES) + " |\n| --- |" + " --- |" * len(FIGURES))
    for articles in (6, 8, 20, 80):
        found = held(articles=articles, studies=300).values()
        cells = [f"{each.coverage:.1%} ({each.width:.2f})" if each.missing < 1 else "no interval" for each in found]
        print(f"| {articles} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
