"""The guard tells a rescaling that refines from one that compresses and one that overrides its annotators."""

import numpy as np
import pytest

from annotation_platform.core.methods.ebr.guard import GuardVerdict, guard_rescaling
from annotation_platform.core.statistics import Bootstrap, Ratings
from annotation_platform.core.statistics.own_order import own_order
from benchmarks.studies import RELEASE, released_study

LABELS = np.tile([0.0, 30.0, 70.0, 100.0], 50)
RATERS = np.repeat([0, 1], 100)
NAMES = ("ada", "ben")


def verdict(values: np.ndarray, *, bootstrap: Bootstrap | None = None) -> GuardVerdict:
    tables = [
        Ratings.from_arrays(np.arange(200), RATERS, column, n_items=200, repeated="cross")
        for column in (LABELS, values)
    ]
    return guard_rescaling(own_order(*tables, bootstrap=bootstrap), NAMES)


def test_labels_as_they_are_and_refined_ones_meet_no_objection() -> None:
    refined = LABELS + np.linspace(-10, 10, 200)
    for values in (LABELS, refined):
        found = verdict(values, bootstrap=Bootstrap(resamples=100))
        assert found.is_good
        assert found.sentence.startswith("No objection: it leaves")
    assert "100\u00a0% of the variance" in verdict(LABELS).sentence


def test_drawing_everything_together_is_called_so() -> None:
    found = verdict(50 + 0.3 * (LABELS - 50), bootstrap=Bootstrap(resamples=100))
    assert (found.merely_compresses, found.reverses_too_often) == (True, False)
    assert "leaves 9.0\u00a0% of the variance" in found.sentence
    assert "only 0\u00a0% of that tells judgments with one label apart" in found.sentence


def test_a_constant_is_the_greatest_compression() -> None:
    assert verdict(np.full(200, 60.0)).merely_compresses


def test_narrow_values_that_say_more_than_the_label_do_not_merely_compress() -> None:
    narrow = 50 + 0.3 * (LABELS - 50) + np.tile(np.repeat([-4.0, 4.0], 4), 25)
    assert not verdict(narrow).merely_compresses


def test_scores_dealt_out_at_random_reverse_too_often() -> None:
    found = verdict(np.random.default_rng(0).permutation(LABELS), bootstrap=Bootstrap(resamples=100))
    assert found.reverses_too_often
    assert found.reversed_annotators == NAMES
    assert "It reverses annotators too often: it turns 41\u00a0%" in found.sentence
    assert "annotators ada and ben" in found.sentence


def test_one_annotator_who_is_overridden_is_named_though_the_others_are_not() -> None:
    values = LABELS.copy()
    values[RATERS == 1] = values[RATERS == 1][::-1] * 0.2 + 40
    values[RATERS == 0] += 1
    alone = verdict(values, bootstrap=Bootstrap(resamples=100))
    assert alone.reversed_annotators == ("ben",)
    assert "own order of annotator ben" in alone.sentence


def test_a_few_judgments_raise_no_alarm_where_the_interval_reaches_the_limit() -> None:
    few, turned = (
        Ratings.from_arrays(np.arange(4), [0] * 4, values, n_items=4, repeated="cross")
        for values in ([0, 30, 70, 100], [30, 0, 70, 100])
    )
    assert not guard_rescaling(own_order(few, turned), NAMES).is_good
    assert guard_rescaling(own_order(few, turned, bootstrap=Bootstrap(resamples=200)), NAMES).is_good


def test_where_there_is_nothing_to_compare_it_says_so() -> None:
    one = Ratings.from_arrays([0], [0], [70.0], repeated="cross")
    assert guard_rescaling(own_order(one, one), NAMES).sentence == (
        "Nothing can be said of this rescaling: Every rater gave one and the same label to everything."
    )


@pytest.mark.release
@pytest.mark.skipif(not RELEASE.is_dir(), reason="needs the released EBR data in ../shared/data/ebr")
def test_the_published_rescaling_meets_no_objection() -> None:
    """Computed independently with plain loops over pairs: 1.206, 0.337, 0.0407; annotator 0 has 0.104 ± 0.05."""
    study = released_study()
    before, after = (
        Ratings.from_arrays(study.items, study.raters, values, n_items=2532, n_raters=8, repeated="cross")
        for values in (study.numbers, study.scores)
    )
    own = own_order(before, after, bootstrap=Bootstrap(resamples=200))
    pooled = own[0]
    assert (pooled.spread.value, pooled.nuance.value, pooled.reversed.value) == pytest.approx(
        (1.206, 0.337, 0.0407), abs=5e-4
    )
    assert own[1].reversed.value == pytest.approx(0.104, abs=5e-4)
    assert guard_rescaling(own, [str(code) for code in range(8)]).is_good
