"""What a rescaling leaves of each rater's own order and spread: by hand, by brute force, and in resamples."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.statistics import Bootstrap, Ratings, RatingsError, own_order_cells
from annotation_platform.core.statistics.own_order import OwnOrder, own_order, own_order_along
from tests import rests_on
from tests.core.statistics_tables import make, resampled, tables


def table(values: list[float], raters: list[int] | None = None) -> Ratings:
    n = len(values)
    return Ratings.from_arrays(np.arange(n), raters or [0] * n, values, n_items=n, repeated="cross")


def test_three_judgments_by_hand() -> None:
    """Labels 0, 30, 100 scored 10, 5, 90: one of three ordered pairs is turned round; SS 5266.67 → 4550."""
    pooled, only = own_order(table([0, 30, 100]), table([10, 5, 90]))
    assert (pooled.rater, only.rater, pooled.n_ordered) == (None, 0, 3)
    assert pooled.reversed.value == pytest.approx(1 / 3)
    assert pooled.tied.value == 0
    assert pooled.spread.value == pytest.approx(4550 / (15800 / 3))
    assert pooled.nuance.value == pytest.approx(0)
    assert only.reversed.value == pooled.reversed.value
    assert (only.reversed.n_items, only.reversed.n_raters, only.reversed.n_ratings) == (3, 1, 3)


def test_nuance_is_the_variance_among_equal_labels() -> None:
    """Labels 0, 0, 100, 100 scored 0, 20, 80, 100: SS 6800, of which 2 · 200 lies among equal labels."""
    pooled, _ = own_order(table([0, 0, 100, 100]), table([0, 20, 80, 100]))
    assert pooled.nuance.value == pytest.approx(400 / 6800)
    assert pooled.spread.value == pytest.approx(0.68)
    assert pooled.reversed.value == 0
    assert pooled.n_ordered == 4


def test_what_differs_between_raters_is_no_spread_of_theirs() -> None:
    """The second rater is 50 higher throughout; taking that away changes nothing within either."""
    raters = [0, 0, 1, 1]
    pooled, *_ = own_order(table([0, 10, 50, 60], raters), table([0, 10, 0, 10], raters))
    assert pooled.spread.value == pytest.approx(1)
    assert pooled.reversed.value == 0
    assert pooled.n_ordered == 2


def test_ordered_pairs_that_become_equal_are_ties_and_not_reversals() -> None:
    pooled, _ = own_order(table([0, 30, 100]), table([40, 40, 40]))
    assert (pooled.tied.value, pooled.reversed.value, pooled.spread.value) == (1, 0, 0)
    assert pooled.nuance.value is None
    assert "same value throughout" in str(pooled.nuance.undefined_because)


def test_a_rater_with_one_label_has_no_order_to_reverse() -> None:
    pooled, first, second = own_order(table([70, 70, 0, 100], [0, 0, 1, 1]), table([1, 2, 3, 4], [0, 0, 1, 1]))
    assert first.reversed.value is None
    assert first.spread.undefined_because == "Every rater gave one and the same label to everything."
    assert (second.n_ordered, pooled.n_ordered) == (1, 1)


@given(tables(), st.randoms(use_true_random=False))
def test_equals_counting_every_pair(before: Ratings, random: object) -> None:
    after = scored(before, random)
    for one in own_order(before, after):
        by_hand = brute_force(before, after, one.rater)
        assert shares(one) == pytest.approx(by_hand, abs=1e-9)


@given(tables(max_items=4), st.randoms(use_true_random=False))
def test_a_resample_is_the_figure_of_the_drawn_items(before: Ratings, random: object) -> None:
    after = scored(before, random)
    bootstrap = Bootstrap(resamples=3, seed=1)
    found = own_order(before, after, bootstrap=bootstrap)[0]
    weights = np.concatenate(list(bootstrap.weights(before.n_items)), axis=1)
    for draw in range(3):
        drawn = brute_force(resampled(before, weights[:, draw]), resampled(after, weights[:, draw]), None)
        sample = [figure.resampled.values[draw] for figure in figures(found) if figure.resampled]
        assert [None if value != value else value for value in sample] == pytest.approx(drawn, abs=1e-6)


@pytest.mark.parametrize("name", ["_CELLS_AT_ONCE", "_MOST_SUMS"])
@pytest.mark.parametrize("n_units", [0, 30])
def test_figures_are_the_same_by_few_and_by_many_raters_and_steps_at_once(
    name: str, n_units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, bootstrap = np.random.default_rng(1), Bootstrap(resamples=300)
    items, raters = np.repeat(np.arange(90), 3), np.tile([0, 1, 3], 90)  # rater 2 has judged nothing
    units = np.arange(90) % n_units if n_units else None
    labels = rng.choice([0.0, 30.0, 70.0, 100.0], 270)
    path = [labels, *(labels * part + (1 - part) * rng.uniform(0, 100, 270).round(-1) for part in (0.9, 0.5, 0.0))]
    before, *after = (
        Ratings.from_arrays(items, raters, values, units=units, n_items=90, n_raters=5, repeated="cross")
        for values in path
    )
    at_once = list(own_order_along(before, after, bootstrap=bootstrap))
    monkeypatch.setattr(own_order_cells, name, 1)
    for one, other in zip(at_once, own_order_along(before, after, bootstrap=bootstrap), strict=True):
        assert one == other
        assert one[0].reversed.value is not None
        for figure, anew in zip(figures(one[1]), figures(other[1]), strict=True):
            np.testing.assert_array_equal(figure.resampled.values, anew.resampled.values)


@pytest.mark.long(*rests_on.CORE)
def test_resamples_are_gone_through_some_at_a_time_so_that_many_judgments_fit_into_memory() -> None:
    n_items, resamples = 80_000, 500
    random = np.random.default_rng(5)
    raters, labels = np.arange(n_items) % 4, random.integers(0, 4, n_items)
    before, after = (
        Ratings(np.arange(n_items), raters, numbers, None, "error", n_items, 4)
        for numbers in (labels * 1.0, labels + random.random(n_items))
    )
    tracemalloc.start()
    own_order(before, after, bootstrap=Bootstrap(resamples=resamples))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000_000 < 8 * n_items * resamples


def test_tables_of_other_judgments_are_refused() -> None:
    with pytest.raises(RatingsError, match="same judgments"):
        own_order(table([1, 2]), table([1, 2], [0, 1]))


def scored(before: Ratings, random: object) -> Ratings:
    values = np.array([random.choice([0.0, 25.0, 50.0, 100.0]) for _ in range(len(before))])  # type: ignore[attr-defined]
    return make(before.items, before.raters, values, before.n_items, before.n_raters)


def figures(one: OwnOrder) -> list:
    return [one.reversed, one.tied, one.spread, one.nuance]


def shares(one: OwnOrder) -> list[float | None]:
    return [figure.value for figure in figures(one)]


def brute_force(before: Ratings, after: Ratings, rater: int | None) -> list[float | None]:
    ordered = turned = tied = 0
    old = new = among = 0.0
    for one in range(before.n_raters) if rater is None else [rater]:
        rows = np.flatnonzero(before.raters == one)
        for i, k in combinations(rows, 2):
            x, y = before.values[i] - before.values[k], after.values[i] - after.values[k]
            ordered, turned, tied = ordered + (x != 0), turned + (x * y < 0), tied + (x != 0 and y == 0)
        if len(rows):
            old += squares(before.values[rows])
            new += squares(after.values[rows])
            among += sum(squares(after.values[rows][before.values[rows] == x]) for x in set(before.values[rows]))
    return [
        turned / ordered if ordered else None,
        tied / ordered if ordered else None,
        new / old if old > 1e-9 else None,
        among / new if new > 1e-9 else None,
    ]


def squares(values: np.ndarray) -> float:
    return float(((values - values.mean()) ** 2).sum())
