"""Sums of joined rows by merging are those of every two rows."""

import numpy as np
import pytest

from annotation_platform.core.statistics import Bootstrap, Ratings, Setting, pair_counts, pairwise_taus
from annotation_platform.core.statistics.merges import Packed, sums_of_rows


@pytest.mark.parametrize("n_levels", [1, 3, 400])
@pytest.mark.parametrize("heaviest", [2, 1 << 16])
@pytest.mark.parametrize("n_columns", [1, 5])
def test_sums_are_those_of_every_two_rows(n_levels: int, heaviest: int, n_columns: int) -> None:
    """Of pairs of one row, of several and of none; heavy rows leave room for two columns in a word."""
    rng = np.random.default_rng(n_levels)
    pair = np.repeat([0, 2, 3], [1, 70, 29])
    levels, weights = rng.integers(0, n_levels, (2, 100)), rng.integers(0, heaviest, (n_columns, 100))
    found = sums_of_rows(pair, levels[0], levels[1], Packed.of(weights, int(weights.sum(axis=1).max())), 4)
    for each in range(4):
        (x, y), drawn = levels[:, pair == each], weights[:, pair == each].astype(object)
        signs = np.sign(np.subtract.outer(x, x)) * np.sign(np.subtract.outer(y, y))
        ties = [np.equal.outer(side, side).astype(int) for side in (x, y)]
        assert found.rows[each].tolist() == drawn.sum(axis=1).tolist()
        assert (2 * found.difference[each]).tolist() == [c @ signs @ c for c in drawn]
        assert found.first_squared[each].tolist() == [c @ ties[0] @ c for c in drawn]
        assert found.second_squared[each].tolist() == [c @ ties[1] @ c for c in drawn]


def test_codes_too_large_to_be_sorted_with_their_places_give_the_same() -> None:
    rng = np.random.default_rng(3)
    pair, weights = np.repeat([0, 1], 50), Packed.of([rng.integers(0, 5, 100)], 500)
    x, y = rng.integers(0, 20, (2, 100))
    large = sums_of_rows(pair, x << 26, y << 26, weights, 2)
    for found, expected in zip(large, sums_of_rows(pair, x, y, weights, 2), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_packed_columns_are_those_that_were_put_in() -> None:
    columns = np.random.default_rng(4).integers(0, 1 << 20, (5, 30))
    largest = int(columns.sum(axis=1).max())
    packed = Packed.of(columns, largest)
    assert packed.of_word == (2, 2, 1)
    beside = Packed.beside([packed, packed.each(lambda word: word * 0)])
    assert beside.n_columns == 10
    np.testing.assert_array_equal(np.stack(list(beside.columns())), np.vstack([columns, columns * 0]))
    sums = [int(each) for (each,) in packed.each(lambda word: word.sum(keepdims=True)).columns()]
    assert sums == columns.sum(axis=1).tolist()


@pytest.mark.parametrize("n_values", [4, 300])
def test_few_resamples_are_the_first_of_many(n_values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whichever way they are counted, to the last bit."""
    rng = np.random.default_rng(5)
    items, raters = np.repeat(np.arange(200), 5), np.tile(np.arange(5), 200)
    values = rng.integers(0, n_values, len(items)).astype(float)
    ratings = Ratings.from_arrays(
        items, raters, values, best=values > 0.7 * n_values, units=np.arange(200) // 3, repeated="cross"
    )
    monkeypatch.setattr(pair_counts, "_FEW_LEVELS", 0)
    bootstrap = Bootstrap(resamples=pair_counts._MOST_MERGED - 1)
    merged = pairwise_taus(ratings, noise=None, bootstrap=bootstrap)
    monkeypatch.setattr(pair_counts, "_MOST_MERGED", 0)
    otherwise = pairwise_taus(ratings, noise=None, bootstrap=bootstrap)
    for setting in Setting:
        np.testing.assert_array_equal(merged[setting].sample, otherwise[setting].sample)
        assert merged[setting].pairs == otherwise[setting].pairs
