"""How often intervals of Dawid and Skene's competence hold, by judgments: ``python -m tests.core.coverage.competence``.

Six annotators know 95, 85, 70, 55, 40 and 10 % of the labels and else mostly guess the last of them; articles of ten
items. The intervals are given here however few judgments there are.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from unittest.mock import patch

import numpy as np

from annotation_platform.core.statistics import Ratings, dawid_skene
from annotation_platform.core.statistics import competence as module

KNOWS = np.array([0.95, 0.85, 0.7, 0.55, 0.4, 0.1])
OF_ARTICLE = 10
STUDIES = int(os.environ.get("WORLDS", "200"))
LABELS, JUDGMENTS, PER_LABEL = (2, 3), (2, 3, 4, 5), (10, 20, 30, 60, 100)


def study(items: int, judgments: int, labels: int, rng: np.random.Generator) -> tuple[Ratings, np.ndarray]:
    """The judgments, as many of each item, and the chance of each annotator to give the true label."""
    truth = rng.integers(0, labels, items)
    raters = np.argsort(rng.random((items, len(KNOWS))), axis=1)[:, :judgments].ravel()
    item = np.repeat(np.arange(items), judgments)
    habit = np.r_[np.full(labels - 1, 0.3 / (labels - 1)), 0.7]
    guesses = rng.choice(labels, len(item), p=habit)
    given = np.where(rng.random(len(item)) < KNOWS[raters], truth[item], guesses)
    ratings = Ratings.from_arrays(
        item, raters, given, n_items=items, n_raters=len(KNOWS), units=np.arange(items) // OF_ARTICLE, repeated="error"
    )
    return ratings, KNOWS + (1 - KNOWS) / labels


def held(judgments: int, labels: int, per_label: int, *, studies: int) -> tuple[np.ndarray, float]:
    """By annotator the share of intervals that hold the truth, and how far the first one's competence is off."""
    items = round(per_label * labels * len(KNOWS) / judgments)
    rng = np.random.default_rng([judgments, labels, per_label])
    hits, off = [], []
    with patch.object(module, "FEWEST", 0):
        for _ in range(studies):
            ratings, truth = study(items, judgments, labels, rng)
            found = module.competences(ratings, dawid_skene(ratings))
            hits.append([each.interval.low <= true <= each.interval.high for each, true in zip(found, truth)])  # type: ignore[union-attr] # noqa: B905
            off.append((found[0].value or 0.0) - truth[0])
    return np.mean(hits, axis=0), float(np.mean(off))


def _row(design: tuple[int, int]) -> str:
    labels, judgments = design
    cells = []
    for per_label in PER_LABEL:
        shares, off = held(judgments, labels, per_label, studies=STUDIES)
        cells.append(f"{shares.min():.2f} ({off:+.2f})".replace("-", "−"))
    return f"| {labels} labels, {judgments} | {' | '.join(cells)} |"


def main() -> int:
    print(f"| judgments of an item \\ of an annotator for each label | {' | '.join(map(str, PER_LABEL))} |")
    print(f"| --- |{' --- |' * len(PER_LABEL)}")
    with ProcessPoolExecutor() as pool:
        for line in pool.map(_row, [(labels, judgments) for labels in LABELS for judgments in JUDGMENTS]):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
