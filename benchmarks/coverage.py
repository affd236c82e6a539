"""Coverage of the interval of a share in groups, with planted truth: ``python -m benchmarks.coverage``.

Groups (articles) of four questions with three judgments each, or of unequal size; chances vary between groups and
questions by normal draws on the logit scale; a tenth of the judgments are ties, 15 % are missing.
"""

from typing import Any

import numpy as np
from scipy.special import expit, logit

from annotation_platform.core.statistics.shares import grouped_share

WORLDS = 1_000
TIES, MISSING = 0.1, 0.15
QUESTIONS, JUDGMENTS = 4, 3
MEAN_SIZE = 7.0  # judgments of a group, where groups differ in size (geometric)
SETTINGS = [
    (share, spread, unequal)
    for share in (0.5, 0.7, 0.9)
    for spread, unequal in (((0.0, 0.0), False), ((0.8, 0.8), False), ((1.5, 0.5), False), ((1.2, 0.0), True))
]


def main() -> int:
    print("share | sd of groups, questions | sizes | coverage, width, rejected at one half: 6, 20, 80 groups")
    for share, spread, unequal in SETTINGS:
        rng = np.random.default_rng(1)
        drawn = expit(logit(share) + rng.normal(0, np.hypot(*spread), 400_000))
        truth = (1 - TIES) * float(drawn.mean()) + TIES / 2
        cells = [_cell(rng, groups, share, spread, unequal=unequal, truth=truth) for groups in (6, 20, 80)]
        sizes = "unequal" if unequal else "equal"
        print(f"{truth:.3f} | {spread[0]:g}, {spread[1]:g} | {sizes} | {' | '.join(cells)}", flush=True)
    return 0


def _cell(rng: Any, groups: int, share: float, spread: tuple[float, float], *, unequal: bool, truth: float) -> str:
    covered, refused, widths = 0, 0, []
    for _ in range(WORLDS):
        found = grouped_share(*(_unequal if unequal else _equal)(rng, groups, share, spread))
        if found.interval is None or found.p_value is None:
            continue
        low, high = found.interval
        covered += low <= truth <= high
        refused += found.p_value < 0.05
        widths.append(high - low)
    return f"{covered / WORLDS:.3f}, {np.mean(widths):.2f}, {refused / WORLDS:.3f}"


def _equal(rng: Any, groups: int, share: float, spread: tuple[float, float]) -> tuple[Any, Any]:
    shape = (groups, QUESTIONS, JUDGMENTS)
    of_group = rng.normal(0, spread[0], groups)[:, None, None]
    of_question = rng.normal(0, spread[1], shape[:2])[:, :, None]
    chance = np.broadcast_to(expit(logit(share) + of_group + of_question), shape).ravel()
    codes = np.repeat(np.arange(groups), QUESTIONS * JUDGMENTS)
    kept = rng.random(len(codes)) >= MISSING
    return _judged(rng, chance[kept]), codes[kept]


def _unequal(rng: Any, groups: int, share: float, spread: tuple[float, float]) -> tuple[Any, Any]:
    codes = np.repeat(np.arange(groups), rng.geometric(1 / MEAN_SIZE, groups))
    return _judged(rng, expit(logit(share) + rng.normal(0, spread[0], groups))[codes]), codes


def _judged(rng: Any, chance: Any) -> Any:
    won = (rng.random(len(chance)) < chance).astype(float)
    return np.where(rng.random(len(chance)) < TIES, 0.5, won)


if __name__ == "__main__":
    raise SystemExit(main())
