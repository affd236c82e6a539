"""Label distributions, overall and by group."""

import numpy as np
import pytest
from hypothesis import given

from annotation_platform.core.statistics import Ratings, RatingsError, group_means, label_distributions
from tests.core.statistics_tables import LABELS, tables

ITEMS, RATERS = [0, 0, 1, 1, 2], [0, 1, 0, 1, 0]
VALUES = [100.0, 70, 100, 0, 0]


def ratings() -> Ratings:
    return Ratings.from_arrays(ITEMS, RATERS, VALUES, repeated="error")


def test_overall_in_the_order_asked_for_with_absent_labels() -> None:
    (overall,) = label_distributions(ratings(), [100, 70, 30, 0])
    assert [label.count for label in overall.shares] == [2, 1, 0, 2]
    assert [label.share.value for label in overall.shares] == [0.4, 0.2, 0.0, 0.4]
    assert (overall.n_items, overall.n_raters, overall.n_ratings) == (3, 2, 5)


def test_by_rater_and_by_system() -> None:
    by_rater = label_distributions(ratings(), [100, 70, 30, 0], groups=ratings().raters)
    assert [[label.count for label in group.shares] for group in by_rater] == [[2, 0, 0, 1], [0, 1, 0, 1]]
    system = np.array([1, 0, 1])
    by_system = label_distributions(ratings(), [100, 70, 30, 0], groups=system[ratings().items])
    assert [group.n_ratings for group in by_system] == [2, 3]
    assert [group.n_items for group in by_system] == [1, 2]


def test_a_group_without_ratings_has_undefined_shares() -> None:
    groups = label_distributions(ratings(), [100, 70, 0], groups=np.zeros(5, int), n_groups=2)
    empty = groups[1].shares[0]
    assert empty.count == 0
    assert empty.share.value is None
    assert empty.share.undefined_because == "The group has no ratings."


def test_refuses_values_off_the_scale_and_groups_that_do_not_fit() -> None:
    with pytest.raises(RatingsError, match="has the value 70, which the scale does not have"):
        label_distributions(ratings(), [100, 30, 0])
    with pytest.raises(RatingsError, match="at least one"):
        label_distributions(ratings(), [])
    with pytest.raises(RatingsError, match="one code for each of 5 ratings"):
        label_distributions(ratings(), LABELS, groups=[0, 1])
    with pytest.raises(RatingsError, match="run from 0 to 3, not from 0 to 1"):
        label_distributions(ratings(), LABELS, groups=[0, 1, 2, 3, 0], n_groups=2)


@given(tables())
def test_shares_sum_to_one_and_counts_to_the_ratings(table: Ratings) -> None:
    (overall,) = label_distributions(table, LABELS)
    assert sum(label.count for label in overall.shares) == len(table)
    for label in overall.shares:
        assert label.count == (table.values == label.value).sum()
    if len(table):
        assert sum(label.share.value or 0 for label in overall.shares) == pytest.approx(1)


def test_means_by_group_with_an_empty_one() -> None:
    ann, bob, nobody = group_means(ratings(), ratings().raters, 3)
    assert (ann.value, bob.value) == (200 / 3, 35.0)
    assert (ann.n_items, ann.n_raters, ann.n_ratings) == (3, 1, 3)
    assert nobody.value is None
    assert nobody.undefined_because is not None
    with pytest.raises(RatingsError, match="from 0 to 1, not from 0 to 0"):
        group_means(ratings(), ratings().raters, 1)
