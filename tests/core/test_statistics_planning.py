"""Plans promise what studies keep: power against scipy, components against the analysis of variance, planted truth."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annotation_platform.core.power import (
    Components,
    Design,
    power,
    smallest_difference,
    standard_error,
    variance_interval,
    weights,
)
from annotation_platform.core.statistics import RatingsError
from annotation_platform.core.statistics.pilot_differences import Differences
from annotation_platform.core.statistics.planning import pilot_components
from annotation_platform.core.statistics.variance_components import NAMES, SumsOfSquares
from tests import rests_on
from tests.core.coverage.planning import TRUE, World, found, from_pilots, world
from tests.some import some


@pytest.mark.parametrize("units", [2, 3, 5, 20, 400])
@pytest.mark.parametrize("shift", [0.0, 0.7, 3.0])
def test_power_is_that_of_the_noncentral_t_distribution(units: int, shift: float) -> None:
    critical = stats.t.ppf(0.975, units - 1)
    expected = stats.nct.sf(critical, units - 1, shift) + stats.nct.cdf(-critical, units - 1, shift)
    assert power(shift, 1.0, units) == pytest.approx(expected if shift else 0.05, abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.01, 50), st.integers(2, 300), st.floats(0.1, 0.99))
def test_the_smallest_difference_has_the_power_that_was_wanted(error: float, units: int, wanted: float) -> None:
    assert power(smallest_difference(error, units, wanted=wanted), error, units) == pytest.approx(wanted, abs=1e-6)


def test_more_of_anything_finds_no_less() -> None:
    base = Design(20, 4, 2, people=12)
    for way in ("apart", "same", "together"):
        error = standard_error(TRUE, replace(base, way=way))
        for more in ({"articles": 40}, {"questions": 8}, {"annotators": 4}):
            assert standard_error(TRUE, replace(base, way=way, **more)) < error


def test_where_all_judge_all_neither_strictness_nor_liking_counts_and_ways_are_the_same() -> None:
    apart, same = (standard_error(TRUE, Design(20, 4, 3, people=3, way=way)) for way in ("apart", "same"))
    assert apart == same == standard_error(replace(TRUE, annotators=0, strictness=0), Design(20, 4, 3))


def test_strictness_cancels_where_each_task_has_each_system_as_often() -> None:
    even, odd, of_three = (Design(20, q, 2, systems=s) for q, s in ((4, 2), (5, 2), (5, 3)))
    assert (even.uneven, odd.uneven, of_three.uneven) == (0, 1, 1)
    assert Design(20, 6, 2, per_task=5).uneven == 2  # 3 + 3
    assert weights(even)[4] == 0 < weights(odd)[4]


def test_tasks_are_counted_as_they_are_made() -> None:
    assert Design(20, 6, 3, systems=4, per_task=5).tasks == 20 * 2 * 4 * 3
    assert Design(20, 6, 3, systems=4, per_task=5, way="together").tasks == 20 * 2 * 3


def test_questions_about_no_document_are_units_that_share_tasks() -> None:
    design = Design(60, 1, 3, systems=2, per_task=5, about_none=True)
    assert (design.unit, design.units, design.tasks) == ("question", 60, 12 * 2 * 3)
    assert replace(design, articles=3).units == 3
    assert replace(design, way="together", per_task=None).tasks == 3
    # Each question is a unit of its own, as an article with one question is; a task's people differ from it to it.
    assert weights(design) == pytest.approx(weights(Design(60, 1, 3, systems=2, per_task=5)))
    with pytest.raises(ValueError, match="stand by themselves"):
        Design(1, 60, 3, about_none=True)


def test_of_few_articles_questions_are_the_units() -> None:
    assert (Design(4, 6, 1).unit, Design(4, 6, 1).units) == ("question", 24)
    assert (Design(5, 6, 1).unit, Design(5, 6, 1).units) == ("article", 5)
    assert weights(Design(1, 6, 1))[0] == 0


def test_what_cannot_be_planned_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Design(0, 1, 1)
    with pytest.raises(ValueError, match="cannot give"):
        Design(5, 1, 3, people=2)
    with pytest.raises(ValueError, match="not below 0"):
        Components(-1, 0, 0, 1)
    with pytest.raises(ValueError, match="two units"):
        power(1, 1, 1)
    with pytest.raises(ValueError, match="lies between"):
        smallest_difference(1, 9, wanted=0.04)


def crossed(seed: int, a: int = 7, q: int = 3, r: int = 4) -> tuple[World, np.ndarray]:
    """All judge all: judgments, and the differences by article, question and annotator."""
    study = world(seed, Design(a, q, r, people=r), 10)
    order = np.lexsort((study.annotators, study.questions, study.systems))
    table = study.values[order].reshape(2, a, q, r)
    return study, table[1] - table[0]


def test_components_of_complete_data_are_those_of_the_analysis_of_variance() -> None:
    study, d = crossed(3)
    a, q, r = d.shape
    grand = d.mean()
    of_article, of_question, of_annotator = d.mean(axis=(1, 2)), d.mean(axis=2), d.mean(axis=(0, 1))
    rest = d - of_question[:, :, None] - of_annotator + grand
    ms_rest = (rest**2).sum() / ((a * q - 1) * (r - 1))
    ms_question = r * ((of_question - of_article[:, None]) ** 2).sum() / (a * (q - 1))
    ms_article = q * r * ((of_article - grand) ** 2).sum() / (a - 1)
    ms_annotator = a * q * ((of_annotator - grand) ** 2).sum() / (r - 1)
    expected = (
        (ms_article - ms_question) / (q * r),
        (ms_question - ms_rest) / r,
        (ms_annotator - ms_rest) / (a * q),
        ms_rest,
    )
    estimated = pilot_components(*study).components
    assert estimated is not None
    values = (estimated.articles, estimated.questions, estimated.annotators, estimated.residual)
    assert values == pytest.approx([max(each, 0) for each in expected])


def test_components_come_out_where_judgments_are_missing_and_people_change() -> None:
    means = np.zeros(5)
    for seed in range(30):
        pilot = pilot_components(*world([5, seed], Design(40, 3, 4, people=8), 10, kept=0.8)).components
        assert pilot is not None
        means += np.array([getattr(pilot, name) for name in NAMES]) / 30
    true = [getattr(TRUE, name) for name in NAMES]
    assert means == pytest.approx(true, rel=0.3)


def test_three_systems_are_pooled_over_their_pairs() -> None:
    study, _ = crossed(4)
    twice = World(*(np.concatenate([column, column[study.systems == 0]]) for column in study))
    twice.systems[len(study.systems) :] = 2  # the first system once more
    pooled, alone = pilot_components(*twice), pilot_components(*study)
    assert (pooled.n_pairs, alone.n_pairs) == (3, 1)
    assert pooled.components is not None
    assert alone.components is not None
    assert pooled.components.residual == pytest.approx(alone.components.residual * 2 / 3)


def test_people_who_judge_one_system_only_are_noise() -> None:
    pilots = [pilot_components(*world([6, seed], Design(20, 4, 3), 10)) for seed in range(20)]
    found = [pilot.components for pilot in pilots if pilot.components is not None]
    assert len(found) == 20
    assert all("counted as noise" in (pilot.merged or "") for pilot in some(pilots))
    assert all((each.annotators, each.strictness) == (0, 0) for each in found)
    # Two judgments of different people: strictness, half of their liking, and what is left.
    truth = TRUE.residual + TRUE.strictness + TRUE.annotators / 2
    assert np.mean([each.residual for each in found]) == pytest.approx(truth, rel=0.1)
    assert np.mean([each.questions for each in found]) == pytest.approx(TRUE.questions, rel=0.35)


def test_one_question_an_article_is_said() -> None:
    pilot = pilot_components(*world(6, Design(30, 1, 3, people=3), 10))
    assert pilot.components is not None
    assert "No article has two questions" in (pilot.merged or "")
    assert pilot.components.questions == 0
    assert pilot.components.articles > 0


def test_estimates_below_zero_are_cut_and_named() -> None:
    for seed in range(40):
        pilot = pilot_components(*world([9, seed], Design(6, 3, 2, people=2), 0, replace(TRUE, articles=0)))
        assert pilot.components is not None
        assert all(getattr(pilot.components, name) == 0 for name in pilot.below_zero)
        if "articles" in pilot.below_zero:
            return
    pytest.fail("No estimate was below zero.")


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (lambda study: study.systems == 0, "Answers of two systems"),
        (lambda study: study.annotators == 0, "judged by two annotators"),
        (lambda study: study.articles == 0, "about one article"),
        (lambda study: study.systems == study.questions % 2, "No question has"),
    ],
)
def test_what_a_pilot_does_not_say_is_undefined_with_the_reason(part: object, why: str) -> None:
    study, _ = crossed(1)
    kept = part(study)  # type: ignore[operator]
    pilot = pilot_components(*(column[kept] for column in study))
    assert pilot.components is None
    assert why in (pilot.undefined_because or "")


@pytest.mark.parametrize("alike", [1.0, 0.1])
def test_where_all_judgments_are_alike_nothing_is_planned(alike: float) -> None:
    """A plan would say that a true difference of 0 is found."""
    study, _ = crossed(1)
    columns = np.full(len(study.values), alike), study.systems, study.questions, study.articles, study.annotators
    pilot = pilot_components(*columns)
    assert pilot.components is None
    assert "comes out above 0" in (pilot.undefined_because or "")


def test_columns_must_fit() -> None:
    study, _ = crossed(1)
    with pytest.raises(RatingsError, match="for each value"):
        pilot_components(study.values, study.systems[1:], study.questions, study.articles, study.annotators)
    with pytest.raises(RatingsError, match="not finite"):
        pilot_components(study.values * np.nan, study.systems, study.questions, study.articles, study.annotators)


@pytest.mark.parametrize("n_questions", [1, 3])
@pytest.mark.parametrize("is_of_means", [False, True])
def test_sums_and_what_is_expected_of_them_are_to_the_last_bit_what_the_formula_says(
    n_questions: int, is_of_means: bool
) -> None:
    rng = np.random.default_rng(n_questions)
    n = 3_000
    question = rng.integers(0, 40, n)
    rows = Differences(
        values=rng.normal(size=n).round(1),
        pair=rng.integers(0, 3, n),
        article=question // n_questions,
        question=question,
        annotator=rng.integers(0, 9, n),
        noise=rng.random(n) if is_of_means else None,
    )
    sums = SumsOfSquares(rows)
    for kept in (None, rng.random(n) < 0.9, question > 5):
        which = np.arange(n) if kept is None else np.flatnonzero(kept)
        values, found, expected = rows.values[which], *sums.of(kept)
        for name, codes in sums.groups.items():
            counts = np.maximum(np.bincount(codes[which], minlength=codes.max() + 1), 1)
            means = np.bincount(codes[which], values, minlength=len(counts)) / counts
            square = float(((values - means[codes[which]]) ** 2).sum())
            noise = 0.0 if rows.noise is None else float((rows.noise[which] * (1 - 1 / counts[codes[which]])).sum())
            assert found[name] == square - noise
            for component, other in sums.components.items():
                both = codes * (other.max() + 1) + other
                _, first, cell = np.unique(both, return_index=True, return_inverse=True)
                shared = np.bincount(cell[which], minlength=len(first))
                assert expected[name][component] == len(which) - float((shared**2 / counts[codes[first]]).sum())


def test_the_interval_of_a_variance_is_that_of_chi_square() -> None:
    low, high = variance_interval(1.0, 2 / 12)
    assert (low, high) == pytest.approx((12 / stats.chi2.ppf(0.975, 12), 12 / stats.chi2.ppf(0.025, 12)), rel=0.01)
    assert variance_interval(1.0, 0.0) == (1.0, 1.0)


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("design", [Design(8, 4, 3), Design(20, 3, 2, people=6), Design(3, 10, 2, people=2)])
def test_a_planned_study_finds_as_often_as_it_promises(design: Design) -> None:
    """400 studies: two standard errors are 4 points; the command runs more."""
    assert found(design, studies=400) == pytest.approx(0.8, abs=0.06)
    assert found(design, studies=300, times=0) < 0.09


def test_a_wrong_plan_is_found_out() -> None:
    assert found(Design(20, 3, 2, people=6), studies=200, times=0.6) < 0.6


def test_the_interval_of_a_pilot_holds_the_smallest_difference_of_the_true_variances() -> None:
    estimated = from_pilots(12, 4, 3, studies=60)
    assert estimated.coverage >= 0.85
    assert estimated.median == pytest.approx(1, abs=0.15)
