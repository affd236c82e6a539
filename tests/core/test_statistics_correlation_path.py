"""τ along a path of values is that of each step alone, to the last bit: by whole products, by changes, and apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_platform.core.statistics import (
    Bootstrap,
    Ratings,
    Setting,
    correlation_path,
    pair_counts,
    pairwise_taus,
    pairwise_taus_along,
    path_cells,
)
from annotation_platform.core.statistics.correlation import joined
from annotation_platform.core.statistics.joins import join_raters
from annotation_platform.core.statistics.quadratic_forms import Entries
from tests.core.statistics_tables import tables


def with_values(ratings: Ratings, values: np.ndarray) -> Ratings:
    return Ratings.from_arrays(
        ratings.items,
        ratings.raters,
        values,
        best=ratings.best,
        n_items=ratings.n_items,
        n_raters=ratings.n_raters,
        repeated="cross",
    )


def study(n_items: int = 120, n_raters: int = 4) -> tuple[Ratings, np.ndarray]:
    """Labels on four levels, and scores to fives that mostly keep their order."""
    rng = np.random.default_rng(4)
    items, raters = np.repeat(np.arange(n_items), n_raters), np.tile(np.arange(n_raters), n_items)
    quality = rng.uniform(0, 100, n_items)[items]
    labels = np.array([0.0, 30.0, 70.0, 100.0])[np.digitize(quality + rng.normal(0, 15, len(items)), [20, 45, 80])]
    scores = np.round(np.clip(quality + rng.normal(0, 10, len(items)), 0, 100) / 5) * 5
    best = labels == 100
    return Ratings.from_arrays(items, raters, labels, best=best, n_raters=n_raters, repeated="cross"), scores


def mixtures(labels: Ratings, scores: np.ndarray) -> list[Ratings]:
    means = np.array([scores[labels.values == value].mean() for value in (0, 30, 70, 100)])
    means = means[np.searchsorted([0, 30, 70, 100], labels.values)]
    return [with_values(labels, part / 10 * means + (1 - part / 10) * scores) for part in range(10, -1, -1)]


def assert_as_alone(path: list[Ratings], bootstrap: Bootstrap) -> None:
    for ratings, found in zip(path, pairwise_taus_along(path, bootstrap=bootstrap), strict=True):
        for setting, expected in pairwise_taus(ratings, noise=None, bootstrap=bootstrap).items():
            tau = found[setting]
            np.testing.assert_array_equal(tau.values, expected.values)
            np.testing.assert_array_equal(tau.sample, expected.sample)
            assert tau.pairs == expected.pairs
            assert (tau.mean.value, tau.mean.interval) == (expected.mean.value, expected.mean.interval)
            assert (tau.mean.n_items, tau.mean.n_ratings) == (expected.mean.n_items, expected.mean.n_ratings)


@settings(max_examples=40)
@given(tables(), st.data())
def test_each_step_is_what_it_is_alone(labels: Ratings, data: st.DataObject) -> None:
    numbers = st.lists(st.sampled_from([0.0, 5.0, 10.0, 50.0]), min_size=len(labels), max_size=len(labels))
    path = [labels, *(with_values(labels, np.array(data.draw(numbers), float)) for _ in range(3))]
    assert_as_alone(path, Bootstrap(resamples=7))


def test_steps_that_are_alike_are_measured_by_what_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, scores = study()
    by_changes: list[int] = []
    changed = correlation_path._Steps._changed

    def counted(steps: correlation_path._Steps, *entries: Entries) -> object:
        by_changes.append(len(entries[2].row))
        return changed(steps, *entries)

    monkeypatch.setattr(correlation_path._Steps, "_changed", counted)
    assert_as_alone([labels, *mixtures(labels, scores)], Bootstrap(resamples=30))
    assert len(by_changes) >= 7
    assert max(by_changes) > 0


def test_double_precision_where_single_would_not_be_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, scores = study(30)
    monkeypatch.setattr(path_cells, "_EXACT_IN_SINGLE", 1)
    assert_as_alone([labels, *mixtures(labels, scores)], Bootstrap(resamples=10))


def test_pairs_that_share_very_many_values_are_measured_step_by_step() -> None:
    rng = np.random.default_rng(0)
    items, raters = np.repeat(np.arange(2_100), 2), np.tile([0, 1], 2_100)
    path = [Ratings.from_arrays(items, raters, rng.normal(size=4_200), repeated="cross") for _ in range(2)]
    bootstrap, asked = Bootstrap(resamples=2), (Setting.ALL, Setting.NO_TIES)
    assert correlation_path._Steps.of(path, joined(path[0], asked), bootstrap) is None
    found = [step[Setting.ALL].mean.value for step in pairwise_taus_along(path, asked, bootstrap=bootstrap)]
    assert found == [pairwise_taus(each, asked)[Setting.ALL].mean.value for each in path]


def test_a_single_step_is_what_it_is_alone() -> None:
    labels, scores = study()
    for values in (labels, with_values(labels, scores)):
        assert correlation_path._Steps.of([values], joined(values, tuple(Setting)), Bootstrap(20)) is not None
        assert_as_alone([values], Bootstrap(resamples=20))


@given(tables(max_items=9, max_raters=5))
def test_rows_are_all_two_judgments_of_an_item_by_two_raters_pair_by_pair_and_there_item_by_item(
    ratings: Ratings,
) -> None:
    rows = join_raters(ratings)
    raters, items = ratings.raters.tolist(), ratings.items.tolist()
    found = list(zip(rows.first.tolist(), rows.second.tolist(), strict=True))
    n = len(ratings)
    assert sorted(found) == sorted(
        (i, k) for i in range(n) for k in range(n) if items[i] == items[k] and raters[i] < raters[k]
    )
    order = [(raters[first], raters[second], items[first]) for first, second in found]
    assert order == sorted(order)
    assert rows.item.tolist() == [item for *_, item in order]
    for code, pair in enumerate(zip(rows.rater_a.tolist(), rows.rater_b.tolist(), strict=True)):
        assert {each[:2] for each in order[rows.ends[code] : rows.ends[code + 1]]} == {pair}


@pytest.mark.parametrize("resamples", [2, 40])
def test_rows_that_are_known_already_give_the_same(resamples: int) -> None:
    labels, scores = study()
    bootstrap, rows = Bootstrap(resamples=resamples), joined(labels, tuple(Setting))
    for values in (labels, with_values(labels, scores)):
        alone = next(pairwise_taus_along([values], bootstrap=bootstrap))
        for setting, found in next(pairwise_taus_along([values], bootstrap=bootstrap, rows=rows)).items():
            assert found.pairs == alone[setting].pairs
            np.testing.assert_array_equal(found.sample, alone[setting].sample)


@pytest.mark.parametrize(("resamples", "size"), [(2, "_ROWS_MERGED"), (40, "_ROWS_AT_ONCE")])
def test_pairs_are_counted_in_blocks_as_they_are_at_once(
    monkeypatch: pytest.MonkeyPatch, resamples: int, size: str
) -> None:
    labels, scores = study()
    table = with_values(labels, scores)
    bootstrap = Bootstrap(resamples=resamples)  # few are gone through side by side
    at_once = pairwise_taus(table, noise=None, bootstrap=bootstrap)
    monkeypatch.setattr(pair_counts, size, 1)
    blocks = [pairs for pairs, _ in pair_counts._blocks(join_raters(table), 1)]
    assert len(blocks) == 6
    for setting, found in pairwise_taus(table, noise=None, bootstrap=bootstrap).items():
        np.testing.assert_array_equal(found.values, at_once[setting].values)
        np.testing.assert_array_equal(found.sample, at_once[setting].sample)


def test_a_pair_with_very_many_cells_is_found_before_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    labels, scores = study()
    path = [labels, with_values(labels, scores)]
    rows = joined(labels, tuple(Setting)).every
    assert not correlation_path._has_too_many_cells(path, rows)
    monkeypatch.setattr(correlation_path, "_MOST_CELLS_OF_PAIR", 30)
    assert correlation_path._has_too_many_cells(path, rows)
    assert not correlation_path._has_too_many_cells([labels], rows)
