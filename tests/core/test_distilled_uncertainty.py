"""The intervals of distilled scores: their widths by hand, and that they hold what they promise."""

import json
from dataclasses import replace

import numpy as np
import pytest

from annotation_platform.core.methods.distilled.judgments import ScoredJudgments
from annotation_platform.core.methods.distilled.uncertainty import (
    calibrate,
    coverage,
    learn_uncertainty,
)


def judgments(labels: list[int] | np.ndarray, scores: list[float] | np.ndarray) -> ScoredJudgments:
    n = len(labels)
    return ScoredJudgments(
        labels=np.asarray(labels, dtype=np.int64),
        explanations=["so it is"] * n,
        scores=np.asarray(scores, dtype=np.float64),
        annotators=np.arange(n) % 3,
        items=np.arange(n),
        articles=np.arange(n) // 2,
        corpora=np.zeros(n, dtype=np.int64),
        scale_numbers=(0.0, 100.0),
    )


def undecided(scores: list[float] | np.ndarray) -> np.ndarray:
    """Outputs that lean to neither end."""
    return np.column_stack([scores, np.zeros(len(scores)), np.zeros(len(scores))])


def test_spread_and_half_width_by_hand() -> None:
    # Errors 1, 2, …, 20. ⌈21 · 0.9⌉ = 19, so the half-width is the 19th. Mean square: 20 · 21 · 41 / 6 / 20 = 143.5,
    # which is everybody's, the label's and the cell's.
    learned = calibrate(judgments([1] * 20, 40 + np.arange(1, 21)), undecided([40.0] * 20))
    label, outputs = np.array([1]), undecided([40.0])
    assert learned.spread(label, outputs)[0] == pytest.approx(143.5**0.5)
    assert [end[0] for end in learned.interval(label, outputs)] == [21, 59]
    assert learned.counts.sum() == learned.counts[1, 3] == 20


def test_a_cell_that_knows_too_little_takes_from_its_label_and_then_from_all() -> None:
    errors = np.r_[np.arange(1, 21), [50.0]]
    learned = calibrate(judgments([1] * 20 + [0], 40 + errors), undecided([40.0] * 21))
    sure = np.array([[100.0, 1.0, 0.0]])
    # ⌈22 · 0.9⌉ = 20th of 1, …, 20, 50
    assert learned.interval(np.array([0]), undecided([40.0]))[1][0] == 40 + 20
    assert learned.interval(np.array([1]), sure)[0][0] == 100 - 19


def test_too_few_residuals_for_the_level_say_nothing() -> None:
    learned = calibrate(judgments([0, 1], [10.0, 90.0]), undecided([10.0, 90.0]))
    low, high = learned.interval(np.array([0, 1]), undecided([10.0, 90.0]))
    assert low.tolist() == [0, 0]
    assert high.tolist() == [100, 100]
    unknown = learn_uncertainty(judgments([0], [10.0]), folds=3)
    assert unknown.spread(np.array([0]), undecided([10.0])).tolist() == [100]


def test_how_far_a_prediction_leans_tells_the_sure_from_the_unsure() -> None:
    n = 60
    outputs = np.vstack([np.tile([100.0, 0.97, 0.0], (n, 1)), np.tile([100.0, 0.65, 0.0], (n, 1))])
    scores = np.r_[np.full(n, 100.0), np.where(np.arange(n) % 3, 100.0, 40.0)]
    learned = calibrate(judgments([1] * 2 * n, scores), outputs)
    sure, unsure = learned.spread(np.array([1, 1]), outputs[[0, -1]])
    assert sure < 15 < 30 < unsure


def test_no_prediction_has_no_uncertainty() -> None:
    learned = calibrate(judgments([1] * 20, np.arange(20.0)), undecided(np.arange(20.0)))
    nothing = np.full((1, 3), np.nan)
    assert np.isnan(learned.spread(np.array([1]), nothing)).all()
    assert np.isnan(learned.interval(np.array([1]), nothing)).all()


def test_judgments_without_a_score_teach_nothing() -> None:
    scores = np.r_[np.arange(20.0), [np.nan] * 5]
    learned = calibrate(judgments([1] * 25, scores), undecided(np.r_[np.arange(20.0), [99.0] * 5]))
    assert learned.counts.sum() == 20


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_intervals_hold_the_share_of_new_scores_that_they_promise(level: float) -> None:
    rng = np.random.default_rng(4)

    def draw(n: int) -> tuple[ScoredJudgments, np.ndarray]:
        labels = rng.integers(0, 2, n)
        predicted = rng.uniform(30, 70, n)
        noise = rng.normal(0, np.where(labels == 0, 2, 12))
        return judgments(labels, np.clip(predicted + noise, 0, 100)), undecided(predicted)

    held, outputs = draw(20_000)
    reached = coverage(calibrate(*draw(2_000), level=level), held, outputs)
    assert (reached.n, reached.level) == (20_000, level)
    assert reached.share == pytest.approx(level, abs=0.03)
    assert reached.by_label == pytest.approx((level, level), abs=0.04)


def test_coverage_of_nothing_is_undefined() -> None:
    learned = calibrate(judgments([1] * 20, np.arange(20.0)), undecided(np.arange(20.0)))
    nothing = coverage(learned, judgments([0], [np.nan]), undecided([5.0]))
    assert (nothing.n, nothing.share, nothing.mean_width, nothing.by_label) == (0, None, None, (None, None))


def test_errors_are_learned_on_articles_that_the_model_has_not_seen() -> None:
    """Each article has a word of its own that tells its score: known by heart, of no use for another article."""
    rng = np.random.default_rng(0)
    n, per_article = 240, 24
    article = np.arange(n) // per_article
    told = rng.choice([0.0, 100.0], n // per_article)
    told[:2] = 0.0, 100.0
    base = judgments(np.ones(n), told[article])
    secret = replace(base, articles=article, explanations=[f"word{'abcdefghij'[a]} x" for a in article])
    leaky = replace(secret, articles=np.arange(n))
    labels, outputs = np.array([1]), undecided([50.0])
    assert learn_uncertainty(secret, folds=5).spread(labels, outputs)[0] > 30
    assert learn_uncertainty(leaky, folds=5).spread(labels, outputs)[0] < 20


def test_what_an_artefact_keeps_are_its_tables_as_json() -> None:
    learned = calibrate(judgments([1] * 20, 40 + np.arange(1, 21)), undecided([40.0] * 20))
    kept = json.loads(json.dumps(learned.as_json()))
    assert kept["level"] == learned.level
    np.testing.assert_allclose(kept["spreads"], learned.spreads, atol=1e-3)
    np.testing.assert_array_equal(kept["half_widths"], learned.half_widths)
    np.testing.assert_array_equal(kept["counts"], learned.counts)


@pytest.mark.parametrize("level", [0, 1, 90])
def test_refuses_a_level_that_is_no_share(level: float) -> None:
    with pytest.raises(ValueError, match=r"such as 0\.9"):
        calibrate(judgments([1], [1.0]), undecided([1.0]), level=level)
