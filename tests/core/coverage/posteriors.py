"""How often labels of which Dawid–Skene and MACE are sure are right: ``python -m tests.core.coverage.posteriors``.

Eight annotators know 60 to 95 % of three labels. Of items that mislead only 35 % do, and all others give the same wrong
label, so that annotators no longer err independently of each other.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from annotation_platform.core.statistics import Consensus, Ratings, dawid_skene, mace

ITEMS, ANNOTATORS, LABELS = 300, 8, 3
KNOWN_WHERE_MISLED = 0.35
SURE = 0.99


def study(random: np.random.Generator, *, judgments: int, misleading: float) -> tuple[Ratings, np.ndarray]:
    """Judgments of all items, as many of each, and the true labels; of the items this share misleads."""
    truth = random.integers(0, LABELS, ITEMS)
    skill = random.uniform(0.6, 0.95, ANNOTATORS)
    raters = np.array([random.choice(ANNOTATORS, judgments, replace=False) for _ in range(ITEMS)])
    misleads = (random.random(ITEMS) < misleading)[:, None]
    knows = random.random(raters.shape) < np.where(misleads, KNOWN_WHERE_MISLED, skill[raters])
    lone, shared = (truth[:, None] + random.integers(1, LABELS, size) for size in (raters.shape, (ITEMS, 1)))
    given = np.where(knows, truth[:, None], np.where(misleads, shared, lone) % LABELS)
    items = np.repeat(np.arange(ITEMS), judgments)
    return Ratings.from_arrays(items, raters.ravel(), given.ravel().astype(float), repeated="error"), truth


def right_where_sure(
    model: Callable[[Ratings], Consensus], *, judgments: int, misleading: float, studies: int
) -> tuple[float, float]:
    """The share of items with a posterior of .99 or more, and the share of those whose label is the true one."""
    random, sure, right = np.random.default_rng(1), 0, 0
    for _ in range(studies):
        ratings, truth = study(random, judgments=judgments, misleading=misleading)
        found = model(ratings)
        is_sure = found.probabilities.max(axis=1) >= SURE
        sure += int(is_sure.sum())
        right += int((found.labels == truth)[is_sure].sum())
    return sure / (studies * ITEMS), right / sure


def main() -> None:
    print("| judgments of an item, items that mislead | Dawid–Skene: sure of | right | MACE: sure of | right |")
    print("| --- | --- | --- | --- | --- |")
    for judgments in (3, 5):
        for misleading in (0, 0.1, 0.2, 0.3):
            cells = [
                f"{share:.2f}".lstrip("0")
                for model in (dawid_skene, partial(mace, restarts=3))
                for share in right_where_sure(model, judgments=judgments, misleading=misleading, studies=40)
            ]
            print(f"| {judgments}, {misleading:.0%} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
