"""The learning curve: what it compares, what it leaves out, and where a figure is undefined."""

from dataclasses import replace

import numpy as np
import pytest

from annotation_platform.core.methods.distilled.curve import learning_curve, spread
from annotation_platform.core.methods.distilled.held_out import held_out, mean_taus
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments, TrainingError

from .test_distilled_selection import some_judgments


@pytest.fixture(scope="module")
def judgments() -> ScoredJudgments:
    return some_judgments(240)


def test_paying_for_everything_keeps_everything(judgments: ScoredJudgments) -> None:
    (point,) = learning_curve(judgments, shares=(1.0,), seeds=(0, 1))
    assert point.n_paid == 240
    assert point.kept is not None
    assert (point.kept.mean, point.kept.seeds, point.kept.deviation) == (1.0, 1, None)
    assert (point.pearson, point.covered) == (None, None)
    assert point.tau is not None
    assert point.tau.mean == mean_taus(judgments, judgments.scores)[0]


def test_each_choice_and_share_is_a_point_over_all_seeds(judgments: ScoredJudgments) -> None:
    points = list(learning_curve(judgments, shares=(0.1, 0.4), seeds=(0, 1, 2)))
    assert [(p.choice, p.share, p.n_paid) for p in points] == [
        ("random", 0.1, 24),
        ("active", 0.1, 24),
        ("random", 0.4, 96),
        ("active", 0.4, 96),
    ]
    for point in points:
        assert point.pearson is not None
        assert point.pearson.low <= point.pearson.mean <= point.pearson.high
        assert point.pearson.seeds == 3
    few, many = (point.pearson.mean for point in points[::2] if point.pearson)
    assert few < many


def test_unseen_groups_are_predicted_as_cross_validation_does(judgments: ScoredJudgments) -> None:
    (point,) = learning_curve(judgments, shares=(1.0,), unseen=judgments.annotators)
    figure = held_out(judgments, judgments.annotators, split="annotators")
    assert point.n_paid == 180
    assert point.pearson is not None
    assert point.tau_incomplete is not None
    assert point.pearson.mean == pytest.approx(figure.pearson)
    assert point.tau_incomplete.mean == pytest.approx(figure.tau_incomplete)


def test_judgments_without_a_score_are_left_out(judgments: ScoredJudgments) -> None:
    partly = replace(judgments, scores=np.where(np.arange(240) < 200, judgments.scores, np.nan))
    (point,) = learning_curve(partly, shares=(1.0,))
    assert point.n_paid == 200


def test_the_share_kept_is_undefined_where_the_model_gains_nothing(judgments: ScoredJudgments) -> None:
    as_labels = replace(judgments, scores=np.asarray(judgments.scale_numbers)[judgments.labels])
    (point,) = learning_curve(as_labels, shares=(1.0,))
    assert point.kept is None
    assert point.tau is not None


def test_there_is_no_curve_without_scores_or_groups(judgments: ScoredJudgments) -> None:
    with pytest.raises(TrainingError, match="No judgment"):
        next(learning_curve(replace(judgments, scores=np.full(240, np.nan))))
    with pytest.raises(TrainingError, match="1 groups; 2 are needed"):
        next(learning_curve(judgments, unseen=np.zeros(240, dtype=np.int64)))


def test_spread_over_seeds_by_hand() -> None:
    figure = spread([1.0, 3.0, None, float("nan")])
    assert figure is not None
    assert (figure.mean, figure.low, figure.high, figure.seeds) == (2.0, 1.0, 3.0, 2)
    assert figure.deviation == pytest.approx(2**0.5)
    assert spread([float("nan")]) is None
