"""How often intervals of macro-F1 and of the area under the ROC curve hold: ``python -m tests.core.coverage.verdicts``.

Articles of three questions, two systems; what makes an answer right, and the score that a classifier gives it, have an
article's, a question's and an answer's own part. A verdict is the score above the middle. The truth is that of 12,000
articles.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from annotation_platform.core.statistics import Bootstrap, Statistic
from annotation_platform.core.statistics.verdicts import area_under_curve, macro_f1
from tests.core.coverage.__main__ import cell_of
from tests.core.coverage.simulate import Counted

STUDIES, RESAMPLES = int(os.environ.get("WORLDS", "300")), 200
SIZES = (6, 20, 80)
APART = {".7": 0.8, ".9": 1.9, ".98": 3.1}  # the area, by how far the scores of right and wrong answers lie apart
RIGHT = (0.6, 0.85)
LARGE, LARGE_STUDIES = 4_000, 3
QUESTIONS, SYSTEMS = 3, 2
OWN = 0.8  # standard deviation of each part of what makes an answer right

Answers = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
FIGURES = ("macro-F1", "AUC")


def study(articles: int, apart: float, right: float, rng: np.random.Generator) -> Answers:
    """Of each answer whether it is right, its score, its question and its article."""
    n = articles * QUESTIONS
    question = np.repeat(np.arange(n), SYSTEMS)
    article = question // QUESTIONS

    def parts(*spreads: float) -> np.ndarray:
        of_articles, of_questions, own = (
            rng.normal(0, spread, size) for spread, size in zip(spreads, (articles, n, len(question)), strict=True)
        )
        return np.asarray(of_articles[article] + of_questions[question] + own)

    is_right = parts(OWN, OWN, OWN) > -ndtri(right) * OWN * np.sqrt(3)
    return is_right, apart * is_right + parts(0.5, 0.5, 0.7), question, article


def figures(answers: Answers, apart: float, bootstrap: Bootstrap | None = None) -> tuple[Statistic, Statistic]:
    right, score, question, article = answers
    return (
        macro_f1(right, score > apart / 2, question, units=article, bootstrap=bootstrap),
        area_under_curve(right, score, question, units=article),
    )


@lru_cache
def truths(apart: float, right: float) -> tuple[float, ...]:
    rng = np.random.default_rng(7)
    found = [figures(study(LARGE, apart, right, rng), apart) for _ in range(LARGE_STUDIES)]
    return tuple(float(np.mean([each.value for each in figure])) for figure in zip(*found, strict=True))


def held(articles: int, apart: float, right: float, *, studies: int, resamples: int) -> dict[str, Counted]:
    """Of each figure how many intervals there are, and how many hold the truth."""
    rng = np.random.default_rng([1, articles])
    widths, hits = ({name: [] for name in FIGURES} for _ in range(2))
    for seed in range(studies):
        found = figures(study(articles, apart, right, rng), apart, Bootstrap(resamples, seed=seed, unit="article"))
        for name, each, truth in zip(FIGURES, found, truths(apart, right), strict=True):
            if each.interval:
                widths[name].append(each.interval.high - each.interval.low)
                hits[name].append(each.interval.low <= truth <= each.interval.high)
    return {
        name: Counted(studies, len(hits[name]), sum(hits[name]), float(np.mean(widths[name] or [np.nan])), 0, 0)
        for name in FIGURES
    }


def _cells(design: tuple[float, str]) -> list[str]:
    right, area = design
    found = [held(n, APART[area], right, studies=STUDIES, resamples=RESAMPLES) for n in SIZES]
    truth = truths(APART[area], right)
    return [
        f"| {right:.0%} right | {name} {value:.3f} | {' | '.join(cell_of(each[name]) for each in found)} |"
        for name, value in zip(FIGURES, truth, strict=True)
    ]


def main() -> int:
    print(
        "| answers | figure, its true value | 6 articles | 20 articles | 80 articles |\n| --- | --- | --- | --- | --- |"
    )
    with ProcessPoolExecutor() as pool:
        for lines in pool.map(_cells, [(right, area) for right in RIGHT for area in APART]):
            print("\n".join(lines), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
