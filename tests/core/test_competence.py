"""Competence with its interval, and labels in three ways: planted annotators and spammers, and when nothing is said."""

import numpy as np
import pytest

from annotation_platform.core.statistics import Ratings, dawid_skene, mace
from annotation_platform.core.statistics.competence import AMBIGUOUS, TOO_MANY, competences
from annotation_platform.core.statistics.consensus import LabelTable
from annotation_platform.core.statistics.three_ways import three_ways
from tests import rests_on
from tests.core.coverage import competence as coverage

KNOWS = np.array([0.9, 0.8, 0.6, 0.3, 0.05, 0.05])  # the last two are spammers, who mostly click 2
HABIT = np.array([0.1, 0.2, 0.7])


def study(articles: int, of_each: int, rng: np.random.Generator) -> tuple[Ratings, np.ndarray]:
    n = articles * of_each
    truth = rng.integers(0, 3, n)
    raters = np.argsort(rng.random((n, len(KNOWS))), axis=1)[:, :5].ravel()
    items = np.repeat(np.arange(n), 5)
    guesses = rng.choice(3, 5 * n, p=HABIT)
    values = np.where(rng.random(5 * n) < KNOWS[raters], truth[items], guesses)
    units = np.repeat(np.arange(articles), of_each)
    return Ratings.from_arrays(items, raters, values, n_items=n, n_raters=6, units=units, repeated="error"), truth


def test_models_find_the_truth_more_often_than_the_majority_among_spammers() -> None:
    ratings, truth = study(60, 10, np.random.default_rng(0))
    labels = three_ways(ratings).labels
    right = {way: float((found == truth).mean()) for way, found in labels.items()}
    assert right["dawid_skene"] > right["majority"] + 0.08
    assert right["mace"] > right["majority"] + 0.08


def test_of_raters_who_split_two_against_two_nobody_is_said_to_know_more() -> None:
    items, raters = np.divmod(np.arange(4 * 120), 4)
    values = (items + ((items % 3 == 0) & (raters % 2 == 1))) % 4
    ratings = Ratings.from_arrays(items, raters, values.astype(np.float64), repeated="error")
    found = mace(ratings)
    assert found.competence.max() > 0.9 > 0.6 > found.competence.min()  # of which two is chance
    assert found.is_ambiguous
    assert {(each.interval, each.no_interval_because) for each in competences(ratings, found)} == {(None, AMBIGUOUS)}
    ordinary, _ = study(20, 5, np.random.default_rng(3))
    assert not mace(ordinary).is_ambiguous
    assert all(each.interval for each in competences(ordinary, mace(ordinary)))


def test_who_judged_alone_makes_nothing_ambiguous_for_the_others() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        ratings, _ = study(20, 5, rng)
        items = np.r_[ratings.items, np.arange(100, 103)]
        values = np.r_[ratings.numbers, rng.integers(0, 3, 3)]
        with_alone = Ratings.from_arrays(items, np.r_[ratings.raters, [6] * 3], values, repeated="error")
        found = mace(with_alone)
        assert not found.is_ambiguous
        *others, alone = competences(with_alone, found)
        assert all(each.interval for each in others)
        assert alone.value is None


def test_a_small_group_apart_whose_split_is_ambiguous_takes_no_interval_from_the_others() -> None:
    ratings, _ = study(20, 5, np.random.default_rng(3))
    items, raters = np.divmod(np.arange(4 * 60), 4)
    values = (items + ((items % 3 == 0) & (raters % 2 == 1))) % 4
    both = Ratings.from_arrays(
        np.r_[ratings.items, ratings.n_items + items],
        np.r_[ratings.raters, ratings.n_raters + raters],
        np.r_[ratings.numbers, values],
        repeated="error",
    )
    found = mace(both)
    each = competences(both, found)
    assert all(one.interval for one in each[:6])
    assert {(one.interval, one.no_interval_because) for one in each[6:]} == {(None, AMBIGUOUS)}
    assert found.ambiguous.tolist() == [False] * 6 + [True] * 4


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("model", ["mace", "dawid_skene"])
def test_intervals_hold_the_planted_competence(model: str) -> None:
    rng = np.random.default_rng(1)
    fit = {"mace": mace, "dawid_skene": dawid_skene}[model]
    true = KNOWS if model == "mace" else KNOWS + (1 - KNOWS) / 3
    held = []
    for _ in range(40):
        ratings, _ = study(30, 6, rng)
        for found, value in zip(competences(ratings, fit(ratings)), true, strict=True):
            assert found.interval is not None
            held.append(found.interval.low <= value <= found.interval.high)
    assert np.mean(held) >= 0.92


def test_articles_that_are_alike_widen_the_interval() -> None:
    """An annotator who only knows the answers of every second article."""
    rng = np.random.default_rng(2)
    ratings, truth = study(40, 10, rng)
    values = ratings.values.copy()
    own = ratings.raters == 2
    lost = own & (ratings.unit_of_item[ratings.items] % 2 == 0)
    values[lost] = rng.choice(3, int(lost.sum()), p=HABIT)
    values[own & ~lost] = truth[ratings.items[own & ~lost]]
    widths = []
    for units in (ratings.units, None):
        each = Ratings.from_arrays(
            ratings.items, ratings.raters, values, n_items=400, n_raters=6, units=units, repeated="error"
        )
        interval = competences(each, mace(each))[2].interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert widths[0] > 1.3 * widths[1]


def test_equal_items_are_fitted_once_and_change_nothing() -> None:
    """Items with the same judgments are one class; told apart by one judgment each, they give the same."""
    ratings, _ = study(20, 2, np.random.default_rng(3))
    n = 10 * ratings.n_items
    items = np.concatenate([ratings.items + ratings.n_items * copy for copy in range(10)])
    many = Ratings.from_arrays(
        items, np.tile(ratings.raters, 10), np.tile(ratings.values, 10), n_items=n, repeated="error"
    )
    assert LabelTable.of(many).given.shape[0] <= ratings.n_items
    for model in (dawid_skene, mace):
        found = model(many, tolerance=0)
        assert found.probabilities[: ratings.n_items] == pytest.approx(found.probabilities[-ratings.n_items :])
    once, often = dawid_skene(ratings), dawid_skene(many)
    assert often.probabilities[: ratings.n_items] == pytest.approx(once.probabilities, abs=0.01)


def test_who_shares_no_item_and_who_judged_nothing_has_no_competence() -> None:
    rng = np.random.default_rng(4)
    items = np.concatenate([np.repeat(np.arange(40), 3), np.arange(40, 60)])
    raters = np.concatenate([np.tile([0, 1, 2], 40), np.full(20, 3)])
    ratings = Ratings.from_arrays(items, raters, rng.integers(0, 2, 140), n_items=60, n_raters=5, repeated="error")
    found = competences(ratings, mace(ratings))
    assert [each.value is None for each in found] == [False, False, False, True, True]
    assert found[3].undefined_because == "Nobody else judged any of these items."
    assert found[4].undefined_because == "There are no judgments."


def test_no_interval_for_one_article_and_where_none_is_asked_for() -> None:
    ratings, _ = study(1, 30, np.random.default_rng(5))
    assert {each.interval for each in competences(ratings, mace(ratings))} == {None}
    assert {each.value is None for each in competences(ratings, mace(ratings))} == {False}
    ratings, _ = study(10, 5, np.random.default_rng(5))
    without = competences(ratings, dawid_skene(ratings), with_intervals=False)
    assert {each.no_interval_because for each in without} == {TOO_MANY}


@pytest.mark.parametrize(
    ("items", "raters", "values", "why"),
    [
        ([], [], [], "no judgments"),
        ([0, 1], [0, 0], [0, 1], "by one annotator"),
        ([0, 0, 1], [0, 1, 0], [0, 1, 1], "by two annotators"),
        ([0, 1, 2], [0, 1, 2], [0, 1, 1], "No item was judged by two annotators"),
        ([0, 0, 0], [0, 1, 2], [1, 1, 1], "All labels are the same"),
        (np.repeat(np.arange(31), 3), np.tile([0, 1, 2], 31), np.repeat(np.arange(31), 3), "31 different labels"),
    ],
)
def test_where_models_say_nothing_there_is_still_the_majority(
    items: list, raters: list, values: list, why: str
) -> None:
    found = three_ways(Ratings.from_arrays(items, raters, np.array(values, dtype=float), repeated="error"))
    assert found.undefined_because is not None
    assert why in found.undefined_because
    assert list(found.labels) == ["majority"]


def test_a_tie_leaves_an_item_without_a_majority_but_not_without_a_label() -> None:
    items, raters = np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30)
    values = np.where(raters < 3, items % 2, 1)
    values[-4:] = [0, 0, 1, 1]
    found = three_ways(Ratings.from_arrays(items, raters, values, repeated="error"))
    assert np.isnan(found.labels["majority"][-1])
    assert np.isnan(found.votes[-1])
    assert not np.isnan(found.labels["mace"]).any()
    again = three_ways(found.ratings)
    assert (again.posteriors["mace"] == found.posteriors["mace"]).all()


def rated_by(each: int, items: int) -> Ratings:
    """Six raters, of whom so many judge each item."""
    rng = np.random.default_rng(6)
    raters = np.argsort(rng.random((items, 6)), axis=1)[:, :each].ravel()
    item = np.repeat(np.arange(items), each)
    truth = rng.integers(0, 3, items)
    values = np.where(rng.random(len(item)) < KNOWS[raters], truth[item], rng.choice(3, len(item), p=HABIT))
    return Ratings.from_arrays(item, raters, values, n_items=items, n_raters=6, repeated="error")


@pytest.mark.parametrize(("each", "items", "least"), [(3, 120, 180), (5, 60, 60)])
def test_dawid_and_skenes_competence_of_few_judgments_has_no_interval(each: int, items: int, least: int) -> None:
    ratings = rated_by(each, items)
    n = np.bincount(ratings.raters)
    assert n.max() < least
    for found, count in zip(competences(ratings, dawid_skene(ratings)), n, strict=True):
        assert found.value is not None
        assert found.interval is None
        assert found.no_interval_because == (
            f"It rests on {count} judgments of items that {each - 1}.0 others judged on average; an interval takes "
            f"{least} of such judgments, since with fewer the most reliable annotators come out too low."
        )
    assert all(found.interval for found in competences(ratings, mace(ratings)))
    enough = rated_by(each, 4 * items)
    assert np.bincount(enough.raters).min() >= least  # of three labels
    assert all(found.interval for found in competences(enough, dawid_skene(enough)))


def test_of_items_that_only_two_judged_dawid_and_skenes_competence_never_has_an_interval() -> None:
    ratings = rated_by(2, 900)
    (why,) = {found.no_interval_because for found in competences(ratings, dawid_skene(ratings))}
    assert why is not None
    assert why.startswith("It rests on items that 1.0 others judged on average; an interval takes more than one other")


@pytest.mark.long(*rests_on.CORE)
def test_with_fewer_the_most_reliable_would_come_out_too_low_and_with_enough_they_do_not() -> None:
    few, off = coverage.held(3, 3, 10, studies=60)
    enough, still_off = coverage.held(3, 3, 60, studies=60)
    assert few[0] < 0.88 < enough.min()
    assert off < -0.03 < still_off
