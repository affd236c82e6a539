"""Sums of joined rows as quadratic forms in the units drawn are those by digits, to the last bit."""

import numpy as np
import pytest

from annotation_platform.core.statistics import Bootstrap, Ratings, Setting, pair_counts, pairwise_taus, unit_forms
from annotation_platform.core.statistics.unit_forms import UnitForms


def crowd(n_items: int = 300, per_unit: int = 4, n_raters: int = 4, n_values: int = 200) -> Ratings:
    """Scores with some ties, by raters who leave some items out and judge some twice."""
    rng = np.random.default_rng(7)
    items, raters = np.repeat(np.arange(n_items), n_raters), np.tile(np.arange(n_raters), n_items)
    kept = np.flatnonzero(rng.random(len(items)) < 0.8)
    kept = np.sort(np.concatenate([kept, kept[:40]]))
    values = rng.integers(0, n_values, len(kept)).astype(float)
    units = rng.permutation(n_items) // per_unit
    units[units == 0] = 1  # one unit has no items, and one has many
    return Ratings.from_arrays(
        items[kept],
        raters[kept],
        values,
        best=values > n_values * 0.7,
        n_items=n_items,
        n_raters=n_raters,
        units=units,
        repeated="cross",
    )


def assert_the_same(ratings: Ratings, monkeypatch: pytest.MonkeyPatch, resamples: int = 150) -> None:
    found = []
    for nanoseconds in (0.0, 1e9):
        monkeypatch.setattr(pair_counts, "_BY_DIGIT", nanoseconds)
        found.append(pairwise_taus(ratings, noise=None, bootstrap=Bootstrap(resamples=resamples)))
    by_digits, by_units = found
    for setting in Setting:
        np.testing.assert_array_equal(by_digits[setting].values, by_units[setting].values)
        np.testing.assert_array_equal(by_digits[setting].sample, by_units[setting].sample)
        assert by_digits[setting].pairs == by_units[setting].pairs


def test_forms_are_what_digits_count(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []
    made = UnitForms.of.__func__  # type: ignore[attr-defined]

    def noted(cls: type[UnitForms], *columns: np.ndarray, n_pairs: int) -> UnitForms:
        used.append(n_pairs)
        return made(cls, *columns, n_pairs=n_pairs)

    monkeypatch.setattr(UnitForms, "of", classmethod(noted))
    assert_the_same(crowd(), monkeypatch)
    assert used


@pytest.mark.parametrize(("name", "value"), [("_UNITS_AT_ONCE", 7), ("_COLUMNS_AT_ONCE", 5), ("_MOST_IN_A_BYTE", 2)])
def test_they_are_the_same_in_small_parts(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_forms, name, value)
    assert_the_same(crowd(120), monkeypatch, resamples=20)


def test_double_precision_where_single_would_not_be_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_forms, "_EXACT_IN_SINGLE", 1)
    assert_the_same(crowd(60), monkeypatch, resamples=20)


def test_single_precision_is_left_before_it_is_inexact(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 3_000
    rng = np.random.default_rng(2)
    unit, levels = np.repeat(np.arange(n // 60), 60), rng.integers(0, n, (2, n))
    forms = UnitForms.of(np.zeros(n, int), unit, *levels, n_pairs=1)
    weights = rng.integers(0, 4_000, (n // 60, 3)).astype(float)
    order = np.sign(np.subtract.outer(levels[0], levels[0])) * np.sign(np.subtract.outer(levels[1], levels[1]))
    drawn = weights[unit]
    np.testing.assert_array_equal(forms.sums(weights).difference[0], ((order @ drawn) * drawn).sum(axis=0) / 2)


def test_few_resamples_or_few_levels_are_counted_by_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("These take longer.")

    monkeypatch.setattr(UnitForms, "of", never)
    pairwise_taus(crowd(), noise=None, bootstrap=Bootstrap(resamples=2))
    pairwise_taus(crowd(n_values=4), noise=None, bootstrap=Bootstrap(resamples=200))
    pairwise_taus(crowd(per_unit=150), noise=None, bootstrap=Bootstrap(resamples=200))
