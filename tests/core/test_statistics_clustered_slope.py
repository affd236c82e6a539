"""Slopes in groups: scipy's for lone rows, the matrices written out for groups, and why there is none."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from annotation_platform.core.statistics import RatingsError
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE, clustered_difference
from annotation_platform.core.statistics.clustered_slope import (
    ONE_PLACE,
    TOO_FEW_GROUPS,
    TOO_FEW_ROWS,
    clustered_slope,
)

NAN = float("nan")


def drawn(n: int = 40, groups: int = 7, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    x, group = random.normal(size=n), random.integers(0, groups, n)
    return x, 0.3 * x + random.normal(0, 1, groups)[group] + random.normal(size=n), group


def written_out(x: np.ndarray, y: np.ndarray, group: np.ndarray) -> tuple[float, float, float]:
    """Slope, standard error and degrees of freedom by matrices of rows."""
    design = np.column_stack([np.ones(len(x)), x])
    inverse = np.linalg.inv(design.T @ design)
    hat = design @ inverse @ design.T
    residuals = y - hat @ y
    rows = []
    for code in np.unique(group):
        inside = np.flatnonzero(group == code)
        shares, axes = np.linalg.eigh(np.eye(len(inside)) - hat[np.ix_(inside, inside)])
        row = np.zeros(len(x))
        row[inside] = inverse[1] @ design[inside].T @ axes @ np.diag(shares**-0.5) @ axes.T
        rows.append(row)
    weights = np.array(rows)
    shared = weights @ (np.eye(len(x)) - hat) @ weights.T
    error = np.sqrt(((weights @ residuals) ** 2).sum())
    return float((inverse @ design.T @ y)[1]), float(error), float(np.trace(shared) ** 2 / np.trace(shared @ shared))


def test_the_line_is_scipys() -> None:
    x, y, _ = drawn()
    found, expected = clustered_slope(x, y, range(40)), stats.linregress(x, y)
    assert found.value == pytest.approx(expected.slope)
    assert found.intercept == pytest.approx(expected.intercept)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_is_that_of_the_matrices(seed: int) -> None:
    x, y, group = drawn(seed=seed)
    found = clustered_slope(x, y, group)
    value, error, freedom = written_out(x, y, group)
    assert (found.value, found.standard_error, found.degrees_of_freedom) == pytest.approx((value, error, freedom))
    assert found.interval is not None
    half = stats.t.ppf(0.975, freedom) * error
    assert (found.interval.low, found.interval.high) == pytest.approx((value - half, value + half))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(value) / error, freedom))
    assert (found.n_items, found.n_units) == (40, 7)


def test_along_two_values_of_groups_of_their_own_it_is_the_unpaired_difference() -> None:
    """Where x is 0 or 1 and no group has both, the slope is the difference of two means."""
    _, y, group = drawn(n=60, groups=12)
    x = (group >= 6).astype(float)
    slope = clustered_slope(x, y, group)
    apart = clustered_difference(np.where(x == 0, y, NAN), np.where(x == 1, y, NAN), group)
    assert slope.value == pytest.approx(apart.value)
    assert slope.standard_error == pytest.approx(apart.standard_error)


finite = st.floats(-50, 50).map(lambda value: round(value, 3))
lines = st.lists(st.tuples(finite, finite, st.integers(0, 5)), min_size=8, max_size=30)


@given(lines, finite, st.floats(0.1, 10), st.randoms(use_true_random=False))
def test_where_zero_is_and_the_order_of_rows_do_not_matter(
    rows: list[tuple[float, float, int]], shift: float, factor: float, random: Any
) -> None:
    x, y, group = (np.array(column) for column in zip(*rows, strict=True))
    found = clustered_slope(x, y, group)
    order = random.sample(range(len(rows)), len(rows))
    again = clustered_slope(x[order] + shift, factor * y[order] - shift, 3 - group[order])
    if found.value is None:
        assert again.value is None
        return
    assert again.value == pytest.approx(factor * found.value, rel=1e-6, abs=1e-6)
    if found.interval and again.interval:
        assert again.interval.low == pytest.approx(factor * found.interval.low, rel=1e-4, abs=1e-4)


def test_rows_without_a_value_are_left_out() -> None:
    x, y, group = drawn()
    more = clustered_slope([*x, 1.0, NAN], [*y, NAN, 2.0], [*group, 1, 2])
    assert more == clustered_slope(x, y, group)


@pytest.mark.parametrize(
    ("x", "y", "groups", "reason", "of"),
    [
        ([1, 2], [1, 2], [0, 1], TOO_FEW_ROWS, "value"),
        ([], [], [], TOO_FEW_ROWS, "value"),
        ([3, 3, 3], [1, 2, 3], [0, 1, 2], ONE_PLACE, "value"),
        ([1, 2, 3, 4], [1, 3, 2, 5], [0, 0, 1, 1], TOO_FEW_GROUPS, "interval"),
        ([1, 2, 3, 4], [2, 4, 6, 8], [0, 1, 2, 3], ALL_ALIKE, "interval"),
        ([1, 2, 3, 4], [5, 5, 5, 5], [0, 1, 2, 3], ALL_ALIKE, "interval"),
    ],
)
def test_why_there_is_none(x: list[float], y: list[float], groups: list[int], reason: str, of: str) -> None:
    found = clustered_slope(x, y, groups)
    assert (found.value is None) == (of == "value")
    assert found.interval is None
    assert found.p_value is None
    assert (found.undefined_because if of == "value" else found.no_interval_because) == reason


def test_a_group_that_alone_decides_the_slope_has_no_say_about_itself() -> None:
    found = clustered_slope([0, 0, 0, 0, 4, 5], [0, 2, 4, 6, 8, 10], groups=[1, 1, 2, 2, 3, 3])
    assert found.interval is not None
    assert np.isfinite([found.interval.low, found.interval.high, found.p_value]).all()


@pytest.mark.parametrize(("x", "y"), [([1, 2, 3], [1, 2]), ([1, float("inf"), 3], [1, 2, 3])])
def test_what_is_no_column_is_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(RatingsError):
        clustered_slope(x, y, [0, 1, 2])
