"""Differences of means where rows come in groups: other programs, matrices written out, planted truth."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from annotation_platform.core.statistics import RatingsError
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE, ClusteredDifference, clustered_difference
from annotation_platform.core.text import ONE_GROUP
from tests import rests_on

NAN = float("nan")
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def ends(found: ClusteredDifference) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval.low, found.interval.high


def test_rows_of_their_own_give_the_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    first = rng.normal(size=25)
    second = first + rng.normal(0.3, 1, 25)
    found, other = clustered_difference(first, second, range(25)), stats.ttest_rel(second, first)
    assert found.p_value == pytest.approx(other.pvalue)
    assert ends(found) == pytest.approx(tuple(other.confidence_interval()))
    assert (found.n_items, found.n_units, found.degrees_of_freedom) == (25, 25, pytest.approx(24))


def test_groups_of_one_size_give_the_t_test_of_their_means() -> None:
    rng = np.random.default_rng(1)
    apart = (rng.normal(size=(8, 1)) + rng.normal(size=(8, 5))).ravel()
    found = clustered_difference(np.zeros(40), apart, np.repeat(np.arange(8), 5), level=0.9)
    other = stats.ttest_1samp(apart.reshape(8, 5).mean(axis=1), 0)
    assert found.p_value == pytest.approx(other.pvalue)
    assert ends(found) == pytest.approx(tuple(other.confidence_interval(0.9)))


def test_rows_that_share_nothing_give_welchs_test() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=9), rng.normal(1, 3, 17)
    rows = np.full((2, 26), NAN)
    rows[0, :9], rows[1, 9:] = first, second
    found = clustered_difference(rows[0], rows[1], range(26))
    other = stats.ttest_ind(second, first, equal_var=False)
    assert not found.is_paired
    assert found.p_value == pytest.approx(other.pvalue)
    assert found.degrees_of_freedom == pytest.approx(other.df)
    assert ends(found) == pytest.approx(tuple(other.confidence_interval()))


@pytest.mark.parametrize("sizes", [[1, 2, 9, 4, 10, 4], [12, 1, 1, 1], [3, 3]])
def test_unequal_groups_as_the_matrices_say(sizes: Sequence[int]) -> None:
    """Bell and McCaffrey's estimator and degrees of freedom of a regression on a constant."""
    rng = np.random.default_rng(3)
    groups, n = np.repeat(np.arange(len(sizes)), sizes), sum(sizes)
    apart = rng.normal(size=n) + rng.normal(size=len(sizes))[groups]
    residual_maker = np.eye(n) - np.ones((n, n)) / n
    columns = []
    for group in range(len(sizes)):
        inside = groups == group
        values, vectors = np.linalg.eigh(residual_maker[np.ix_(inside, inside)])
        adjusted = vectors @ np.diag(values**-0.5) @ vectors.T
        columns.append(residual_maker[:, inside] @ adjusted @ np.ones(inside.sum()) / n)
    terms = np.array(columns)
    found = clustered_difference(np.zeros(n), apart, groups)
    eigenvalues = np.linalg.eigvalsh(terms @ terms.T)
    assert found.standard_error == pytest.approx(np.sqrt(((terms @ apart) ** 2).sum()))
    assert found.degrees_of_freedom == pytest.approx(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def test_only_rows_with_both_are_compared() -> None:
    """The second looks better over all that it has, and is worse wherever the first has a value too."""
    first = [1.0, 2, 3, 4, 5, 6, NAN, NAN]
    second = [0.0, 1, 2, 4, 4, 5, 90, 95]
    found = clustered_difference(first, second, range(8))
    assert found.value == pytest.approx(-5 / 6)
    assert (found.is_paired, found.n_items, found.n_first, found.n_second) == (True, 6, 6, 8)


def test_rows_of_one_group_said_again_are_no_more_evidence() -> None:
    rng = np.random.default_rng(4)
    apart = rng.normal(0.5, 1, 12)
    once = clustered_difference(np.zeros(12), apart, range(12))
    often = clustered_difference(np.zeros(48), np.repeat(apart, 4), np.repeat(np.arange(12), 4))
    assert ends(often) == pytest.approx(ends(once))
    assert often.p_value == pytest.approx(once.p_value)


def test_what_cannot_be_said_has_its_reason() -> None:
    nothing = clustered_difference([NAN, NAN], [1.0, 2.0], [0, 1])
    assert (nothing.value, nothing.undefined_because) == (None, "One of the two has no values.")
    single = clustered_difference([1.0, 2, 5], [2.0, 4, 5], [7, 7, 7])
    assert (single.value, single.interval, single.p_value) == (1.0, None, None)
    assert single.no_interval_because == single.no_p_value_because == ONE_GROUP
    alike = clustered_difference([0.0] * 4, [1.0] * 4, range(4))
    assert (alike.value, alike.p_value, alike.no_p_value_because) == (1.0, None, ALL_ALIKE)
    apart = clustered_difference([1.0, 2, NAN, NAN], [NAN, NAN, 4, 5], [0, 0, 1, 2])
    assert (apart.value, apart.no_interval_because) == (3.0, ONE_GROUP)
    for first, groups in (([1.0, 2], [0, 1, 2]), ([1.0, np.inf, 2], [0, 1, 2])):
        with pytest.raises(RatingsError):
            clustered_difference(first, [1.0, 2, 3], groups)


def planted(rng: np.random.Generator, articles: int, effect: float, *, shared: bool) -> tuple[Floats, Floats, Codes]:
    """Two systems' mean judgments on 4 to 15 questions of each article, judged by five of eight people, a fifth of
    them missing; articles, questions, people and each system's own luck with an article and a question add up.

    If not ``shared``, every article is answered by one of the two.
    """
    sizes = rng.integers(4, 16, articles)
    article = np.repeat(np.arange(articles, dtype=np.int64), sizes)
    people = rng.normal(0, 0.5, 8)
    alike = rng.normal(0, 0.7, articles)[article] + rng.normal(0, 0.7, len(article))
    means = []
    for system in (0, 1):
        own = rng.normal(0, 0.4, articles)[article] + rng.normal(0, 0.4, len(article)) + system * effect
        judges = rng.permuted(np.tile(np.arange(8), (len(article), 1)), axis=1)[:, :5]
        judged = (alike + own)[:, None] + people[judges] + rng.normal(0, 0.5, judges.shape)
        judged[rng.random(judges.shape) < 0.2] = NAN
        counts = (~np.isnan(judged)).sum(axis=1)
        means.append(np.where(counts > 0, np.nansum(judged, axis=1) / np.maximum(counts, 1), NAN))
        means[system][rng.random(len(article)) < 0.15] = NAN
        if not shared:
            means[system][article % 2 == system] = NAN
    return means[0], means[1], article


def is_called(first: Floats, second: Floats, groups: Codes) -> bool:
    p_value = clustered_difference(first, second, groups).p_value
    return p_value is not None and p_value < 0.05


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("articles", [6, 20])
@pytest.mark.parametrize("shared", [True, False])
def test_the_level_holds_for_few_articles(articles: int, *, shared: bool) -> None:
    """Of 400 worlds without a difference about one in twenty is called one, and intervals hold a planted one."""
    rng = np.random.default_rng(articles)
    called = [is_called(*planted(rng, articles, 0, shared=shared)) for _ in range(400)]
    assert 0.02 <= np.mean(called) <= 0.08
    intervals = [ends(clustered_difference(*planted(rng, articles, 0.5, shared=shared))) for _ in range(400)]
    assert 0.92 <= np.mean([low <= 0.5 <= high for low, high in intervals]) <= 0.98


def test_pairing_finds_what_two_separate_means_do_not() -> None:
    """The same judgments, paired by question and, each system on half of the articles, unpaired."""
    rng = np.random.default_rng(9)
    found = {
        shared: np.mean([is_called(*planted(rng, 20, 0.5, shared=shared)) for _ in range(200)])
        for shared in (True, False)
    }
    assert found[True] > 0.8
    assert found[False] < 0.5
