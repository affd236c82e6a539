"""What figures with a model say about other raters: every formula against one found by moving each rating a little."""

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from scipy.special import stdtrit

from annotation_platform.core.few_units import too_few_raters
from annotation_platform.core.statistics import RatingsError
from annotation_platform.core.statistics.active import active_mean
from annotation_platform.core.statistics.active_difference import active_difference
from annotation_platform.core.statistics.active_for_others import (
    active_difference_for_other_raters,
    weighted_difference_for_other_raters,
    weighted_mean_for_other_raters,
)
from annotation_platform.core.statistics.crossed import ForOtherRaters, Known
from annotation_platform.core.statistics.judge_bias import bias_apart, judge_leniency, length_bias
from annotation_platform.core.statistics.judge_bias_for_others import (
    apart_for_other_raters,
    length_for_other_raters,
    leniency_for_other_raters,
)
from annotation_platform.core.statistics.linear_for_others import Said, linear_for_other_raters
from annotation_platform.core.statistics.powered_for_others import (
    powered_difference_for_other_raters,
    powered_mean_for_other_raters,
)
from annotation_platform.core.statistics.prediction_powered import prediction_powered_mean
from annotation_platform.core.statistics.weighted_means import weighted_difference, weighted_mean

ARTICLES, HIDDEN, RATERS = 24, 60, 6
NAN = float("nan")
Floats = np.ndarray


class Rows:
    """Two answers to each question, one question an article; raters judge most of those of the first articles."""

    def __init__(self, seed: int = 0, *, leniency: float = 1.0, raters: int = RATERS, articles: int = ARTICLES) -> None:
        rng = np.random.default_rng(seed)
        n = 2 * (articles + HIDDEN)
        self.question = np.repeat(np.arange(n // 2), 2)
        self.second = np.tile([False, True], n // 2)
        quality = rng.normal(0, 1, n)
        self.model = quality + rng.normal(0, 0.5, n) + 0.5
        self.length = np.exp(rng.normal(4, 1, n))
        rows, who = (each.ravel() for each in np.meshgrid(np.arange(2 * articles), np.arange(raters), indexing="ij"))
        kept = rng.random(len(rows)) < 0.7
        self.rows, self.who = rows[kept], who[kept]
        self.values = quality[self.rows] + rng.normal(0, leniency, raters)[self.who] + rng.normal(0, 0.7, kept.sum())

    def said(self, values: Floats | None = None) -> Said:
        return Said.of(self.rows, self.who, self.values if values is None else values)

    def people(self, values: Floats | None = None) -> Floats:
        given = self.values if values is None else values
        n = np.bincount(self.rows, minlength=len(self.model))
        return np.where(n > 0, np.bincount(self.rows, given, len(n)) / np.maximum(n, 1), NAN)

    def moved(self, figure: Callable[[Floats], float]) -> Floats:
        """How much a figure moves with each rating."""
        steps = 1e-4 * np.eye(len(self.values))
        here = figure(self.people())
        return np.array([figure(self.people(self.values + step)) - here for step in steps]) / 1e-4


def expected_interval(
    found: Known, moves: Floats, apart: Floats, groups: Floats, raters: Floats
) -> tuple[float, float, float]:
    """Low, high and p by the formulas, from how much each rating moves the figure and how far it is from expected."""
    assert found.value is not None
    assert found.standard_error is not None
    assert found.degrees_of_freedom is not None
    e = moves * apart
    m = len(np.unique(raters))
    a, freedom = found.standard_error**2, found.degrees_of_freedom
    b = m / (m - 1) * sum(e[raters == j].sum() ** 2 for j in np.unique(raters))
    pairs = {*zip(groups.tolist(), raters.tolist(), strict=True)}
    c = sum(e[(groups == g) & (raters == j)].sum() ** 2 for g, j in pairs)
    v = a + max(b - c, 0)
    half = stdtrit(v**2 / (a**2 / freedom + b**2 / (m - 1)), 0.975) * sqrt(v)
    return found.value - half, found.value + half, v


def told(found: ForOtherRaters) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval.low, found.interval.high


def test_a_mean_with_a_model() -> None:
    rows = Rows()
    people = rows.people()
    found = prediction_powered_mean(people, rows.model, rows.question)
    assert found.weight > 0
    wider = powered_mean_for_other_raters(rows.said(), people, rows.model, rows.question, found)
    for weight, known, other in ((found.weight, found, wider.both), (0.0, found.people, wider.people)):

        def figure(people: Floats, weight: float = weight) -> float:
            judged = ~np.isnan(people)
            return weight * rows.model[~judged].mean() + float(np.mean(people[judged] - weight * rows.model[judged]))

        judged = ~np.isnan(people)
        residues = people - weight * rows.model
        apart = rows.values - (weight * rows.model + residues[judged].mean())[rows.rows]
        low, high, _ = expected_interval(known, rows.moved(figure), apart, rows.question[rows.rows], rows.who)
        assert told(other) == pytest.approx((low, high))
        assert known.interval is not None
        assert high - low > (1.1 if weight else 1) * (known.interval.high - known.interval.low)  # raters do differ


def test_a_mean_of_drawn_rows_of_which_some_have_no_value() -> None:
    rows = Rows(1)
    people = rows.people()
    weights = np.random.default_rng(2).uniform(1, 4, len(people))
    silent = np.zeros(len(people), np.bool_)
    silent[-6:] = True
    model = rows.model.copy()
    judged = ~np.isnan(people)
    model[silent] = np.average(people[judged], weights=weights[judged])
    found = active_mean(people, model, weights, rows.question, without_value=silent)
    assert found.weight > 0
    wider = powered_mean_for_other_raters(
        rows.said(), people, model, rows.question, found, weights=weights, without_value=silent
    )

    def figure(people: Floats) -> float:
        """A ratio: people's mean is of the rows with a value, the model's correction of all that were judged."""
        mean = float(np.average(people[judged], weights=weights[judged]))
        either = judged | silent
        return mean + found.weight * (model.mean() - float(np.average(model[either], weights=weights[either])))

    assert found.value == pytest.approx(figure(people))
    w, either = np.where(judged, weights, 0), judged | silent
    share = w.sum() / weights[either].sum()
    middle = float(np.average(people[judged], weights=weights[judged]))
    linear = middle + (rows.values - middle) / share  # Y of each rating, as the estimate has it
    rest = found.weight * (model - np.average(model[either], weights=weights[either]))
    apart = (linear - middle - rest[rows.rows]) * share
    low, high, _ = expected_interval(found, rows.moved(figure), apart, rows.question[rows.rows], rows.who)
    assert told(wider.both) == pytest.approx((low, high))


def test_a_difference_with_a_model() -> None:
    rows = Rows(3)
    people = rows.people()
    apart = people[1::2] - people[::2]
    of_model = rows.model[1::2] - rows.model[::2]
    found = prediction_powered_mean(apart, of_model, np.arange(len(apart)))
    assert found.weight > 0
    judged = np.repeat(~np.isnan(apart), 2)
    wider = powered_difference_for_other_raters(
        rows.said(), rows.second, rows.question, judged, rows.model, rows.question, found
    )
    kept = ~np.isnan(apart)

    def figure(people: Floats) -> float:
        moved = (people[1::2] - people[::2])[kept]
        return float(np.mean(moved - found.weight * of_model[kept])) + found.weight * float(of_model[~kept].mean())

    expected = np.empty(len(people))
    for side in (False, True):
        of_side = (rows.second == side) & judged
        expected[rows.second == side] = (
            people[of_side].mean() + found.weight * (rows.model - rows.model[of_side].mean())[rows.second == side]
        )
    distance = rows.values - expected[rows.rows]
    low, high, _ = expected_interval(found, rows.moved(figure), distance, rows.question[rows.rows], rows.who)
    assert told(wider.both) == pytest.approx((low, high))
    assert wider.both.p_value is not None
    assert wider.both.p_value >= (found.p_value or 0)


def test_a_difference_of_which_some_judged_questions_have_no_value() -> None:
    rows = Rows(5)
    people = rows.people()
    apart = people[1::2] - people[::2]
    of_model = rows.model[1::2] - rows.model[::2]
    silent = np.zeros(len(apart), np.bool_)
    silent[-10:] = True
    found = prediction_powered_mean(apart, of_model, np.arange(len(apart)), without_value=silent)
    assert found.weight > 0
    judged = np.repeat(~np.isnan(apart), 2)
    wider = powered_difference_for_other_raters(
        rows.said(), rows.second, rows.question, judged, rows.model, rows.question, found
    )
    kept = ~np.isnan(apart)
    share = kept.sum() / (kept | silent).sum()

    def figure(people: Floats) -> float:
        """A ratio: people's mean is of the questions with a value, the model's correction of all that were judged."""
        mean = float(np.mean((people[1::2] - people[::2])[kept]))
        either = kept | silent
        return mean + found.weight * float(of_model[~either].mean() - of_model[either].mean())

    assert found.value == pytest.approx(figure(people))
    expected = np.empty(len(people))
    for side in (False, True):
        of_side = (rows.second == side) & judged
        rest = share * found.weight * (rows.model - rows.model[of_side].mean())
        expected[rows.second == side] = people[of_side].mean() + rest[rows.second == side]
    distance = rows.values - expected[rows.rows]
    low, high, _ = expected_interval(found, rows.moved(figure), distance, rows.question[rows.rows], rows.who)
    assert told(wider.both) == pytest.approx((low, high))


def test_a_difference_of_drawn_answers_with_a_model_of_which_some_have_no_value() -> None:
    rows = Rows(6)
    people, second = rows.people(), rows.second
    weights = np.random.default_rng(3).uniform(1, 4, len(people))
    silent = np.isnan(people) & (np.arange(len(people)) % 7 == 0)
    found = active_difference(people, rows.model, second, weights, rows.question, without_value=silent)
    assert found.weight > 0
    given = people, rows.model, second, weights, rows.question
    wider = active_difference_for_other_raters(rows.said(), *given, found, without_value=silent)
    has_value = ~np.isnan(people)

    def figure(people: Floats, weight: float) -> float:
        """Two ratios: people's means are of the answers with a value, the model's corrections of all that were
        judged."""
        told = []
        for side in (second, ~second):
            own, either = side & has_value, side & (has_value | silent)
            mean = float(np.average(people[own], weights=weights[own]))
            apart = rows.model[side].mean() - np.average(rows.model[either], weights=weights[either])
            told.append(mean + weight * float(apart))
        return told[0] - told[1]

    assert found.value == pytest.approx(figure(people, found.weight))
    for weight, known, other in ((found.weight, found, wider.both), (0.0, found.people, wider.people)):
        expected = np.empty(len(people))
        for side in (second, ~second):
            own, either = side & has_value, side & (has_value | silent)
            share = weights[own].sum() / weights[either].sum()
            rest = rows.model - np.average(rows.model[either], weights=weights[either])
            expected[side] = (np.average(people[own], weights=weights[own]) + share * weight * rest)[side]
        moves = rows.moved(lambda moved, weight=weight: figure(moved, weight))  # type: ignore[misc]
        apart = rows.values - expected[rows.rows]
        low, high, _ = expected_interval(known, moves, apart, rows.question[rows.rows], rows.who)
        assert told(other) == pytest.approx((low, high))


def test_weighted_figures_are_those_of_people_alone() -> None:
    rows = Rows(7)
    people, second = rows.people(), rows.second
    weights = np.random.default_rng(4).uniform(1, 4, len(people))
    alone = people, second, weights, rows.question
    apart = weighted_difference(*alone)
    wider = weighted_difference_for_other_raters(rows.said(), *alone, apart)
    both = people, rows.model, second, weights, rows.question
    found = active_difference_for_other_raters(rows.said(), *both, active_difference(*both))
    assert told(wider) == pytest.approx(told(found.people))
    assert wider.p_value == pytest.approx(found.people.p_value)
    mean = weighted_mean_for_other_raters(
        rows.said().part(second),
        *(each[second] for each in (people, weights, rows.question)),
        weighted_mean(people[second], weights[second], rows.question[second]),
    )
    with_model = active_mean(people[second], rows.model[second], weights[second], rows.question[second])
    of_people = powered_mean_for_other_raters(
        rows.said().part(second),
        people[second],
        rows.model[second],
        rows.question[second],
        with_model,
        weights=weights[second],
    )
    assert told(mean) == pytest.approx(told(of_people.people))


def test_leniency_and_what_sets_a_kind_apart() -> None:
    rows = Rows(4)
    people, groups = rows.people(), rows.question
    both = ~np.isnan(people)
    cases = [
        (
            judge_leniency(people, rows.model, groups),
            lambda found: leniency_for_other_raters(rows.said(), rows.model, groups, found),
            lambda people: float(np.mean((rows.model - people)[both])),
            np.full(len(people), float(np.mean((rows.model - people)[both]))),
        )
    ]
    for questions in (None, rows.question):
        found = bias_apart(people, rows.model, rows.second, groups, questions=questions)
        pairs = both if questions is None else both & np.repeat(both.reshape(-1, 2).all(axis=1), 2)
        sides = [pairs & ~rows.second, pairs & rows.second]
        apart = rows.model - people

        def difference(people: Floats, sides: list[Floats] = sides) -> float:
            one, other = (float(np.mean((rows.model - people)[side])) for side in sides)
            return other - one

        cases.append(
            (
                found,
                lambda found, questions=questions: apart_for_other_raters(
                    rows.said(), rows.model, rows.second, groups, found, questions=questions
                ),
                difference,
                np.where(rows.second, apart[sides[1]].mean(), apart[sides[0]].mean()),
            )
        )
    for found, for_others, figure, fitted in cases:
        assert found.value == pytest.approx(figure(people))
        distance = rows.values - (rows.model - fitted)[rows.rows]
        low, high, _ = expected_interval(found, rows.moved(figure), distance, groups[rows.rows], rows.who)
        assert told(for_others(found)) == pytest.approx((low, high))


@pytest.mark.parametrize("of_choice", [False, True])
def test_a_slope(of_choice: bool) -> None:
    rows = Rows(5)
    people, groups, within = rows.people(), rows.question, rows.question if of_choice else None
    found = length_bias(people, rows.model, rows.length, groups, within=within)
    both = ~np.isnan(people)
    along = np.log2(rows.length)
    if of_choice:
        for question in range(ARTICLES):
            of_question = both & (rows.question == question)
            if of_question.any():
                along[of_question] -= along[of_question].mean()

    def line(people: Floats) -> Floats:
        return np.polyfit(along[both], (rows.model - people)[both], 1)

    slope, height = line(people)
    assert found.value == pytest.approx(slope)
    distance = rows.values - (rows.model - height - slope * along)[rows.rows]
    low, high, _ = expected_interval(
        found, rows.moved(lambda people: float(line(people)[0])), distance, groups[rows.rows], rows.who
    )
    wider = length_for_other_raters(rows.said(), rows.model, rows.length, groups, found, within=within)
    assert told(wider)[0] == pytest.approx(min(low, found.interval.low if found.interval else low))
    assert told(wider)[1] == pytest.approx(max(high, found.interval.high if found.interval else high))


def test_on_a_scale_it_stays_there_and_is_never_narrower() -> None:
    rows = Rows(6, leniency=0.0)
    rows.values = np.clip(np.round(rows.values + 3.5), 1, 4)
    people, model = rows.people(), np.clip(rows.model + 3.5, 1, 4)
    found = prediction_powered_mean(people, model, rows.question, ends=(1, 4))
    wider = powered_mean_for_other_raters(rows.said(), people, model, rows.question, found, ends=(1, 4))
    for one, other in ((found.interval, wider.both), (found.people.interval, wider.people)):
        assert one is not None
        low, high = told(other)
        assert 1 <= low <= one.low < one.high <= high <= 4
        assert other.p_value is None


def test_a_difference_stays_between_the_ends_that_it_can_have() -> None:
    questions, second = np.tile(np.arange(6), 2), np.repeat([False, True], 6)
    rows, raters = (each.ravel() for each in np.meshgrid(np.arange(12), np.arange(5), indexing="ij"))
    is_right = second & (questions > 0)  # the second system's answers are, but for one
    apart = is_right[6:].astype(float)
    found = prediction_powered_mean(apart, np.zeros(6), np.arange(6))
    assert found.people.interval is not None
    assert found.people.interval.high > 1
    said = Said.of(rows, raters, is_right[rows])
    wider = powered_difference_for_other_raters(
        said, second, questions, np.ones(12, np.bool_), np.zeros(12), questions, found, ends=(-1.0, 1.0)
    )
    assert told(wider.people) == pytest.approx((found.people.interval.low, 1.0))


@pytest.mark.parametrize(
    ("articles", "raters", "why"),
    [(24, 2, too_few_raters(2)), (24, 3, None), (12, 4, too_few_raters(4, 5)), (12, 5, None)],
)
def test_of_few_raters_it_says_nothing_and_of_few_articles_it_takes_more(
    articles: int, raters: int, why: str | None
) -> None:
    rows = Rows(7, raters=raters, articles=articles)
    found = judge_leniency(rows.people(), rows.model, rows.question)
    wider = leniency_for_other_raters(rows.said(), rows.model, rows.question, found)
    assert wider.no_interval_because == why
    assert (wider.interval is None, wider.p_value is None) == (why is not None, why is not None)
    assert wider.n_raters == raters


def test_what_has_no_interval_has_none_for_others() -> None:
    found = judge_leniency([1, 2], [2, 3], groups=[1, 1])
    wider = leniency_for_other_raters(Said.of([0, 1], [0, 1], [1.0, 2.0]), [2.0, 3.0], [1, 1], found)
    assert (wider.interval, wider.no_interval_because) == (None, found.no_interval_because)


def test_columns_that_do_not_go_together_are_refused() -> None:
    found = judge_leniency([1, 2], [2, 3], groups=[1, 2])
    with pytest.raises(RatingsError):
        Said.of([0, 1], [0], [1.0, 2.0])
    with pytest.raises(RatingsError):
        linear_for_other_raters(Said.of([0], [0], [1.0]), [1.0, 2.0], [1.0], [1, 2], found)


def test_a_part_of_the_rows_counts_them_anew() -> None:
    said = Said.of([0, 1, 2, 2], [7, 8, 7, 9], [1.0, 2.0, NAN, 4.0]).part(np.array([False, True, True]))
    assert (said.rows.tolist(), said.raters.tolist(), said.values.tolist()) == ([0, 1], [8, 9], [2.0, 4.0])
