"""How often intervals of MATE's weights hold: ``python -m tests.core.coverage.mate``.

Planted: articles of two questions, four answers to each, three judgments of each answer. What people say of an answer's
parts is alike within a question; how much more or less they mind, beyond the weights, is alike within an article. Truth
of the weights is what was planted. Truth of r held out is that of very many other articles under the fit that left
these out: what its interval says.
"""

from typing import NamedTuple

import numpy as np

from annotation_platform.core.methods.mate import fit_weights
from annotation_platform.core.statistics import Bootstrap

ASPECTS, WEIGHTS = ("factuality", "amount", "formality"), np.array([2.0, 0.7, 0.3])
QUESTIONS, CANDIDATES, PEOPLE = 2, 4, 3
OF_ARTICLE, OF_ANSWER, OF_JUDGMENT = 0.35, 0.3, 0.3
SIZES = (6, 20, 80, 200)


class Held(NamedTuple):
    """Shares of intervals that had the truth in them, by articles and by rows, and of r held out; NaN without any."""

    weights: float
    by_rows: float
    r: float


def study(random: np.random.Generator, articles: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Penalties, shortfalls, and codes of question and article, one row a judgment."""
    questions = articles * QUESTIONS
    answer = np.repeat(np.arange(questions * CANDIDATES), PEOPLE)
    question, article = answer // CANDIDATES, answer // (CANDIDATES * QUESTIONS)
    shape = (len(ASPECTS),)
    seen = random.normal(0, 0.6, (questions, *shape))[question]
    seen += random.normal(0, 0.8, (questions * CANDIDATES, *shape))[answer] + random.normal(
        0, 0.4, (len(answer), *shape)
    )
    penalty = -np.clip(np.round(1.5 + 1.5 * seen), 0, 3) / 3
    # How much more an article's people mind each part: rows of an article err alike.
    minded = WEIGHTS + random.normal(0, OF_ARTICLE, (articles, *shape))[article]
    noise = random.normal(0, OF_ANSWER, questions * CANDIDATES)[answer] + random.normal(0, OF_JUDGMENT, len(answer))
    return penalty, (penalty * minded).sum(axis=1) + noise, question, article


def held(*, articles: int, studies: int, resamples: int = 200) -> Held:
    far_penalty, far_shortfall, _, _ = study(np.random.default_rng(0), 4_000)
    weights, by_rows, r = [], [], []
    for seed in range(1, studies + 1):
        penalty, shortfall, question, article = study(np.random.default_rng([articles, seed]), articles)
        how = Bootstrap(resamples, seed=seed)
        found = fit_weights(
            ASPECTS, penalty, shortfall, question.tolist(), units=article.tolist(), bootstrap=how, seed=seed
        )
        weights += _inside(found.weights)
        by_rows += _inside(
            fit_weights(
                ASPECTS, penalty, shortfall, question.tolist(), units=range(len(article)), bootstrap=how
            ).weights
        )
        if interval := found.held_out.interval:
            out = np.isin(article, np.random.default_rng(seed).permutation(articles)[: round(0.2 * articles)])
            kept = np.linalg.lstsq(penalty[~out], shortfall[~out], rcond=None)[0]
            truth = float(np.corrcoef(far_penalty @ kept, far_shortfall)[0, 1])
            r.append(interval.low <= truth <= interval.high)
    return Held(*(float(np.mean(each)) if each else float("nan") for each in (weights, by_rows, r)))


def _inside(weights) -> list[bool]:  # type: ignore[no-untyped-def]
    pairs = zip(weights, WEIGHTS, strict=True)
    return [each.interval.low <= truth <= each.interval.high for each, truth in pairs if each.interval]


def main() -> None:
    print("| articles | weights, by article | weights, if rows were drawn | r held out |\n| --- | --- | --- | --- |")
    for articles in SIZES:
        found = held(articles=articles, studies=500)
        cells = ["–" if np.isnan(each) else f"{each:.1%}" for each in found]
        print(f"| {articles} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
