"""Whatever table there is, a figure is a number that can be believed, or none with the reason; never both, never ±∞."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from math import isfinite

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_platform.core.methods.equivalence.agreement import verdict_agreement
from annotation_platform.core.statistics import (
    Bootstrap,
    Difference,
    Measure,
    Ratings,
    RatingsError,
    Setting,
    Statistic,
    cohen_kappa,
    drift,
    fleiss_kappa,
    group_means,
    gwet_ac,
    icc2,
    kendall_tau_b,
    krippendorff_alpha,
    krippendorff_alpha_of_sets,
    label_distributions,
    leniency,
    mean_difference_test,
    mean_of_figures,
    paired_bootstrap,
    pairwise_agreement,
    pairwise_taus,
    pearson,
    percent_agreement,
    replacement,
    self_consistency,
    severity_shift,
    spearman,
    tau_change,
    vote_curve,
)
from annotation_platform.core.statistics.changes import PairChange
from annotation_platform.core.statistics.clustered import clustered_pearson
from annotation_platform.core.statistics.number_of_raters import VoteCurve
from annotation_platform.core.statistics.own_order import own_order
from annotation_platform.core.statistics.pair_taus import PairTau, PairwiseTau
from annotation_platform.core.statistics.pairs import PairAgreement
from annotation_platform.core.statistics.shares import Share, group_shares, grouped_share
from annotation_platform.core.statistics.stepped_up import spearman_brown
from annotation_platform.core.statistics.verdicts import area_under_curve
from annotation_platform.core.statistics.with_others import agreement_with_others, tau_with_others
from tests import rests_on
from tests.core.statistics_tables import LABELS, make, tables

FEW = Bootstrap(resamples=15, seed=2)
LARGEST = 1e6  # labels are at most 100: whatever is larger is what rounding left of a division by nothing


def last(ratings: Ratings) -> Ratings:
    """One judgment of each rater for each item, which an ICC needs."""
    kept = np.unique(ratings.items * ratings.n_raters + ratings.raters, return_index=True)[1]
    return ratings.where(np.sort(kept))


def one_each(ratings: Ratings) -> Ratings:
    """A candidate: the first rating of each item."""
    kept = np.sort(np.unique(ratings.items, return_index=True)[1])
    nobody = np.zeros(len(kept), dtype=int)
    return make(ratings.items[kept], nobody, ratings.values[kept], ratings.n_items, 1)


def changed(ratings: Ratings) -> Ratings:
    """The same judgments rescaled: what rater 0 said stays, the others' labels become one score."""
    values = np.where(ratings.raters == 0, ratings.values, 50.0)
    return make(ratings.items, ratings.raters, values, ratings.n_items, ratings.n_raters)


def columns(ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
    half = len(ratings) // 2
    return ratings.values[:half], ratings.values[half : 2 * half]


def over_aspects(ratings: Ratings) -> Statistic:
    both = [krippendorff_alpha(each, "interval", bootstrap=FEW) for each in (ratings, changed(ratings))]
    return mean_of_figures(both)


FIGURES: dict[str, Callable[[Ratings], object]] = {
    **{
        f"alpha {level}": lambda ratings, level=level: krippendorff_alpha(ratings, level, bootstrap=FEW)
        for level in ("nominal", "ordinal", "interval", "ratio")
    },
    "alpha of sets": lambda ratings: krippendorff_alpha_of_sets(
        make(ratings.items, ratings.raters, ratings.values > 50, ratings.n_items, ratings.n_raters),
        [frozenset({1}), frozenset({1, 2})],
        "masi",
        bootstrap=FEW,
    ),
    "stepped up": lambda ratings: spearman_brown(krippendorff_alpha(ratings, "interval", bootstrap=FEW), 3),
    "kappa": lambda ratings: fleiss_kappa(ratings, 2, bootstrap=FEW),
    "ac": lambda ratings: gwet_ac(ratings, bootstrap=FEW),
    "percent agreement": percent_agreement,
    "icc": lambda ratings: icc2(last(ratings), bootstrap=FEW),
    "icc of scores": lambda ratings: icc2(last(changed(ratings)), bootstrap=FEW),
    "taus": lambda ratings: pairwise_taus(ratings, noise=None, bootstrap=FEW),
    "taus with noise": lambda ratings: pairwise_taus(ratings, [Setting.NO_TIES]),
    "tau of raters": lambda ratings: tau_with_others(pairwise_taus(ratings, [Setting.ALL], bootstrap=FEW)[Setting.ALL]),
    "change of tau": lambda ratings: tau_change(
        *(pairwise_taus(each, [Setting.ALL], bootstrap=FEW)[Setting.ALL] for each in (ratings, changed(ratings)))
    ),
    **{
        str(measure): lambda ratings, measure=measure: pairwise_agreement(ratings, measure, bootstrap=FEW)
        for measure in Measure
    },
    "kappa of columns": lambda ratings: cohen_kappa(*columns(ratings), weights="quadratic", bootstrap=FEW),
    "pearson": lambda ratings: pearson(*columns(ratings), bootstrap=FEW),
    "spearman": lambda ratings: spearman(*columns(ratings), bootstrap=FEW),
    "kendall": lambda ratings: kendall_tau_b(*columns(ratings), bootstrap=FEW),
    "pearson of groups": lambda ratings: clustered_pearson(
        *columns(ratings), np.arange(len(ratings) // 2) // 2, bootstrap=FEW
    ),
    "means": lambda ratings: group_means(ratings, ratings.raters, ratings.n_raters, bootstrap=FEW),
    "mean of figures": over_aspects,
    "labels": lambda ratings: label_distributions(ratings, LABELS, groups=ratings.raters, n_groups=ratings.n_raters),
    "shares": lambda ratings: group_shares(
        make(ratings.items, ratings.raters, ratings.values / 100, ratings.n_items, ratings.n_raters),
        ratings.raters,
        ratings.n_raters,
    ),
    "grouped share": lambda ratings: grouped_share(ratings.values / 100, ratings.items),
    "own order": lambda ratings: own_order(ratings, changed(ratings), bootstrap=FEW),
    "leniency": lambda ratings: leniency(ratings, bootstrap=FEW),
    "shift": lambda ratings: severity_shift(ratings, changed(ratings), bootstrap=FEW),
    "drift": lambda ratings: drift(ratings, np.arange(len(ratings)) // 2, bootstrap=FEW),
    "consistency": lambda ratings: self_consistency(ratings, bootstrap=FEW),
    "with others": agreement_with_others,
    "replacement": lambda ratings: replacement(ratings, one_each(ratings), "ordinal", draws=2, bootstrap=FEW),
    "votes": lambda ratings: vote_curve(ratings, one_each(ratings), better="high", draws=2, bootstrap=FEW),
    "difference": lambda ratings: paired_bootstrap(
        krippendorff_alpha(ratings, "interval", bootstrap=FEW),
        krippendorff_alpha(changed(ratings), "interval", bootstrap=FEW),
    ),
    "test of a mean": lambda ratings: mean_difference_test(*columns(ratings)),
    "verdicts": lambda ratings: verdict_agreement(
        ratings.values > 50, ratings.raters == 0, ratings.items, bootstrap=FEW
    ),
    "area under the curve": lambda ratings: area_under_curve(ratings.values > 50, ratings.raters, ratings.items),
}


def figures_in(found: object) -> Iterator[object]:
    """All figures within a result, also in its pairs and points."""
    if isinstance(found, Statistic | Difference | Share | PairTau | PairAgreement | PairChange):
        yield found
    elif isinstance(found, dict):
        for each in found.values():
            yield from figures_in(each)
    elif isinstance(found, PairwiseTau):
        yield from [found.mean, *found.pairs]
    elif isinstance(found, list | tuple):
        for each in found:
            yield from figures_in(each)
    elif is_dataclass(found):
        for column in fields(found):
            yield from figures_in(getattr(found, column.name))


def check(figure: object) -> None:
    if isinstance(figure, Share):
        value, because = figure.value, None if figure.value is not None else figure.no_interval_because
    else:
        value = next(getattr(figure, name) for name in ("value", "tau", "change") if hasattr(figure, name))
        because = figure.undefined_because  # type: ignore[attr-defined]
    assert (value is None) == bool(because), figure
    assert value is None or (isfinite(value) and abs(value) < LARGEST), figure
    interval, why_not = figure.interval, figure.no_interval_because  # type: ignore[attr-defined]
    assert (interval is None) == bool(why_not), figure
    assert value is not None or interval is None, figure
    if interval is not None:
        ends = interval if isinstance(interval, tuple) else (interval.low, interval.high)
        assert all(isfinite(end) and abs(end) < LARGEST for end in ends), figure
        assert ends[0] <= ends[1], figure
    if isinstance(figure, Difference):
        assert (figure.p_value is None) == bool(figure.no_p_value_because), figure


def empty() -> Ratings:
    return make(np.array([], int), np.array([], int), np.array([], float), 1, 1)


def table(items: list[int], raters: list[int], values: list[float]) -> Ratings:
    return make(np.array(items), np.array(raters), np.array(values), max(items) + 1, max(raters) + 1)


PLAIN = {
    "nothing": empty(),
    "a single rating": table([0], [0], [70]),
    "a single item": table([0, 0, 0], [0, 1, 2], [70, 70, 30]),
    "a single annotator": table([0, 1, 2, 3], [0, 0, 0, 0], [70, 30, 0, 100]),
    "one label throughout": table([0, 0, 1, 1, 2, 2], [0, 1] * 3, [70] * 6),
    "all at the best": table([0, 0, 1, 1, 2, 2], [0, 1] * 3, [100] * 6),
    "an annotator with one label": table([0, 0, 1, 1, 2, 2], [0, 1] * 3, [70, 0, 70, 30, 70, 100]),
    "annotators who contradict each other": table([0, 0, 1, 1], [0, 1] * 2, [0, 100, 100, 0]),
    "no item in common": table([0, 1, 2, 3], [0, 0, 1, 1], [70, 30, 0, 100]),
}


def check_all(figure: str, ratings: Ratings) -> None:
    with suppress(RatingsError):  # a table that it cannot be asked of is refused with the reason
        found = FIGURES[figure](ratings)
        if not isinstance(found, VoteCurve):
            assert found is not None
        for each in figures_in(found):
            check(each)


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("plain", PLAIN)
def test_a_figure_of_a_degenerate_table_is_none_exactly_where_it_has_a_reason(figure: str, plain: str) -> None:
    check_all(figure, PLAIN[plain])


@pytest.mark.long(*rests_on.CORE)
@settings(max_examples=20)
@given(st.one_of(tables(), tables(values=st.just(70.0)), tables(values=st.floats(0, 100), max_items=4, max_raters=3)))
@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_of_any_table_is_none_exactly_where_it_has_a_reason(figure: str, ratings: Ratings) -> None:
    check_all(figure, ratings)
