"""A judge's biases: planted ones come out, what people see too does not count, and only what both judged does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.statistics import RatingsError
from annotation_platform.core.statistics.clustered_means import NOTHING_TO_COMPARE, clustered_difference
from annotation_platform.core.statistics.judge_bias import bias_apart, judge_leniency, length_bias, place_share

NAN = float("nan")
N = 240
ARTICLE = np.arange(N) // 6
QUESTION = np.arange(N) // 3
LENGTHS = np.random.default_rng(1).integers(50, 900, N).astype(float)


def quality() -> np.ndarray:
    """What people see, in which longer is better."""
    return np.log2(LENGTHS) + np.random.default_rng(2).normal(0, 1, N)


def noise() -> np.ndarray:
    return np.random.default_rng(3).normal(0, 0.3, N)


def test_leniency_is_the_mean_difference_of_what_both_judged() -> None:
    people, judge = quality(), quality() + 0.7 + noise()
    people[:20], judge[30:50] = NAN, NAN
    found = judge_leniency(people, judge, ARTICLE)
    both = ~np.isnan(people) & ~np.isnan(judge)
    assert found.value == pytest.approx((judge - people)[both].mean())
    assert (found.n_items, found.n_first, found.n_second) == (200, 200, 200)
    assert found == clustered_difference(people[both], judge[both], ARTICLE[both])


def test_what_nobody_else_judged_says_nothing_about_leniency() -> None:
    """Else two means of different items would be compared, and their difference taken for a bias."""
    found = judge_leniency([1, 2, NAN, NAN], [NAN, NAN, 3, 4], [0, 1, 2, 3])
    assert (found.value, found.undefined_because) == (None, NOTHING_TO_COMPARE)


def test_a_judge_who_likes_length_as_people_do_has_no_bias() -> None:
    people = quality()
    fair = length_bias(people, people + noise(), LENGTHS, ARTICLE)
    biased = length_bias(people, people + noise() + 0.4 * np.log2(LENGTHS), LENGTHS, ARTICLE)
    assert fair.interval is not None
    assert fair.interval.low < 0 < fair.interval.high
    assert biased.value == pytest.approx(0.4 + (fair.value or 0))
    assert biased.interval is not None
    assert biased.interval.low > 0.3


def test_twice_as_long_is_one_step_and_blank_answers_have_no_length() -> None:
    people, lengths = [0.0] * 5, [100, 200, 400, 800, 0]
    found = length_bias(people, [1, 2, 3, 4, 9], lengths, [0, 1, 2, 3, 4])
    assert found.value == pytest.approx(1)
    assert found.n_items == 4


def test_within_a_choice_only_differences_of_length_count() -> None:
    """One choice is among long answers, the other among short ones; in both the shorter one is chosen."""
    lengths = np.array([800, 1600, 100, 200] * 6, dtype=float)
    people, judge, choice = np.full(24, 0.5), np.array([1, 0, 1, 0] * 6, dtype=float), np.arange(24) // 2
    found = length_bias(people, judge, lengths, choice, within=choice)
    assert found.value == pytest.approx(-1)
    assert length_bias(people, judge, lengths, choice).value == pytest.approx(-1 / 10)


@pytest.mark.parametrize("paired", [True, False])
def test_a_favoured_family_comes_out_whatever_its_answers_are_worth(paired: bool) -> None:
    own = np.arange(N) % 3 == 0 if paired else QUESTION % 2 == 0
    people = quality() + 2.0 * own
    judge = people + noise() - 0.2 + 0.5 * own
    found = bias_apart(people, judge, own, ARTICLE, questions=QUESTION)
    assert found.is_paired == paired
    assert found.n_items == 80
    assert found.interval is not None
    assert found.interval.low < 0.5 < found.interval.high
    assert found.interval.low > 0
    fair = bias_apart(people, people + noise() - 0.2, own, ARTICLE, questions=QUESTION)
    assert fair.interval is not None
    assert fair.interval.low < 0 < fair.interval.high


def test_pairing_takes_out_how_hard_questions_are_for_the_judge() -> None:
    own = np.arange(N) % 3 == 0
    people = quality()
    hard = np.random.default_rng(5).normal(0, 3, N // 3)[QUESTION]
    judge = people + noise() - hard
    judge[own & (hard < 0)] = NAN  # the family answered the questions that are hard for the judge
    paired = bias_apart(people, judge, own, QUESTION, questions=QUESTION)
    unpaired = bias_apart(people, judge, own, QUESTION)
    assert paired.interval is not None
    assert unpaired.interval is not None
    assert unpaired.interval.high < 0
    assert paired.interval.low < 0 < paired.interval.high


def test_one_kind_alone_has_nothing_to_compare_with() -> None:
    assert bias_apart([1, 2], [2, 2], [True, True], [0, 1]).undefined_because == NOTHING_TO_COMPARE
    assert bias_apart([1, 2], [2, NAN], [True, False], [0, 1]).undefined_because == NOTHING_TO_COMPARE


def test_shares_of_a_place() -> None:
    chosen, sizes = [1, 3, 2, 0, NAN], [3, 3, 2, 4, 2]
    assert place_share(chosen, sizes, 1).tolist()[:4] == [1, 0, 0, 0.25]
    assert place_share(chosen, sizes, -1).tolist()[:4] == [0, 1, 1, 0.25]
    assert np.isnan(place_share(chosen, sizes, 1)[4])


@given(st.lists(st.integers(0, 4), min_size=2, max_size=20))
def test_the_places_of_a_choice_share_it(chosen: list[int]) -> None:
    sizes = [4] * len(chosen)
    every = sum(place_share(chosen, sizes, place) for place in range(1, 5))
    assert np.asarray(every).tolist() == [1.0] * len(chosen)


values = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans(), st.integers(0, 4)), min_size=6)


@given(values, st.integers(-3, 3))
def test_what_people_see_too_changes_no_bias_and_a_constant_only_leniency(
    rows: list[tuple[int, int, bool, int]], shift: int
) -> None:
    people, judge, kind, group = (np.array(column) for column in zip(*rows, strict=True))
    worth = np.random.default_rng(len(rows)).integers(0, 9, len(rows))
    lengths = 10 + 7 * np.arange(len(rows))
    for name, bias in {
        "leniency": lambda *pair: judge_leniency(*pair, group).value,
        "length": lambda *pair: length_bias(*pair, lengths, group).value,
        "family": lambda *pair: bias_apart(*pair, kind, group).value,
    }.items():
        found = bias(people, judge)
        if found is None:
            assert bias(people + worth, judge + worth) is None
            continue
        assert bias(people + worth, judge + worth) == pytest.approx(found, abs=1e-9)
        moved = found + (shift if name == "leniency" else 0)
        assert bias(people, judge + shift) == pytest.approx(moved, abs=1e-9)


@pytest.mark.parametrize("length", [3, 5])
def test_columns_of_other_lengths_are_refused(length: int) -> None:
    with pytest.raises(RatingsError):
        judge_leniency([1.0] * 4, [1.0] * length, [0] * 4)
    with pytest.raises(RatingsError):
        length_bias([1.0] * 4, [1.0] * 4, [1.0] * length, [0] * 4)
