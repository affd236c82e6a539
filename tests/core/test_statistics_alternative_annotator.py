"""The alternative annotator test: against a plain program, with planted candidates, and at its own error rate."""

import dataclasses
import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp

from annotation_platform.core.statistics import Bootstrap, Ratings, RatingsError
from annotation_platform.core.statistics.alpha import LEVELS
from annotation_platform.core.statistics.alternative_annotator import AlternativeAnnotator, alternative_annotator
from annotation_platform.core.winning_rates import LeadTest, benjamini_yekutieli, winning_rate
from tests import rests_on
from tests.some import some

Rows = list[tuple[int, int, float]]


def plainly(rows: Rows, candidate: list[float | None], level: str) -> dict[int, list[tuple[int, int]]]:
    """(rater does as well, candidate does as well) of each judgment that others made, too, one by one."""

    def far(value: float, others: list[float]) -> float:
        if level == "nominal":
            return -sum(value == each for each in others) / len(others)
        return float(np.sqrt(np.mean([(value - each) ** 2 for each in others])))

    found: dict[int, list[tuple[int, int]]] = {}
    for item, rater, value in rows:
        others = [each for of, who, each in rows if of == item and who != rater]
        mine = candidate[item]
        if not others:
            continue
        if mine is None:
            wins = (1, 0)
        else:
            apart = far(value, others) - far(mine, others)
            wins = (int(apart <= 1e-9), int(apart >= -1e-9))
        found.setdefault(rater, []).append(wins)
    return found


def by(p_values: list[float]) -> list[float]:
    """Benjamini and Yekutieli's correction, written out."""
    m, order = len(p_values), sorted(range(len(p_values)), key=p_values.__getitem__)
    harmonic, least = sum(1 / k for k in range(1, m + 1)), 1.0
    corrected = [1.0] * m
    for place in range(m, 0, -1):
        least = min(least, p_values[order[place - 1]] * m * harmonic / place)
        corrected[order[place - 1]] = least
    return corrected


def world(
    n: int, right: list[float], candidate: float, *, seed: int, labels: int = 3, units: int | None = None
) -> tuple[Ratings, np.ndarray]:
    """Raters and a candidate who give the true one of some labels with these chances, else any other."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, n)

    def say(chance: float) -> np.ndarray:
        return np.where(rng.random(n) < chance, truth, (truth + rng.integers(1, labels, n)) % labels)

    values = np.stack([say(chance) for chance in right], axis=1)
    ratings = Ratings.from_arrays(
        np.repeat(np.arange(n), len(right)),
        np.tile(np.arange(len(right)), n),
        values.ravel(),
        repeated="error",
        units=None if units is None else np.arange(n) * units // n,
    )
    return ratings, say(candidate).astype(np.float64)


def p_value(found: AlternativeAnnotator, epsilon: float) -> float:
    """Of the first rater."""
    test = found.raters[0].test
    assert test
    return test.p_value(epsilon)


@settings(max_examples=60, deadline=None)
@given(
    table=st.lists(
        st.tuples(
            st.lists(st.none() | st.sampled_from([0.0, 1.0, 2.0, 5.0]), min_size=4, max_size=4),
            st.none() | st.sampled_from([0.0, 1.0, 2.0, 5.0]),
        ),
        min_size=1,
        max_size=30,
    ),
    level=st.sampled_from(LEVELS),
)
def test_who_agrees_with_the_others_is_what_a_plain_program_says(
    table: list[tuple[list[float | None], float | None]], level: str
) -> None:
    rows = [
        (item, rater, value)
        for item, (values, _) in enumerate(table)
        for rater, value in enumerate(values)
        if value is not None
    ]
    candidate = [mine for _, mine in table]
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.empty(0)] * 3
    ratings = Ratings.from_arrays(
        columns[0].astype(int), columns[1].astype(int), columns[2], n_items=len(table), n_raters=4, repeated="error"
    )
    given = np.array([np.nan if mine is None else mine for mine in candidate])
    expected = plainly(rows, candidate, level)
    for each in some(alternative_annotator(ratings, given, level).raters):
        wins = expected.get(each.rater, [])
        assert each.lead.n_items == len(wins)
        if wins:
            shares = np.mean(wins, axis=0)
            assert (each.rater_share, each.candidate_share) == (pytest.approx(shares[0]), pytest.approx(shares[1]))
            assert each.lead.value == pytest.approx(shares[0] - shares[1])
        else:
            assert (each.rater_share, each.candidate_share, each.lead.value) == (None, None, None)


@pytest.mark.parametrize("candidate", [0.5, 0.7, 0.9])
def test_the_winning_rate_is_that_of_t_tests_corrected_by_hand(candidate: float) -> None:
    ratings, given = world(80, [0.9, 0.8, 0.7, 0.6], candidate, seed=3)
    rows = list(zip(ratings.items.tolist(), ratings.raters.tolist(), ratings.values.tolist(), strict=True))
    wins = plainly(rows, given.tolist(), "nominal")
    found = alternative_annotator(ratings, given, "nominal", bootstrap=Bootstrap(resamples=50))
    for epsilon in (0, 0.05, 0.1, 0.15, 0.2, 0.5):
        p_values = [
            float(ttest_1samp([a - b for a, b in wins[rater]], epsilon, alternative="less").pvalue)
            for rater in range(4)
        ]
        rate = found.winning_rate(epsilon)
        assert rate.p_values == pytest.approx(by(p_values))
        assert rate.value == sum(p <= 0.05 for p in by(p_values)) / 4
        assert rate.is_passed == (rate.value >= 0.5)
    shares = [np.mean([candidate_wins for _, candidate_wins in wins[rater]]) for rater in range(4)]
    assert found.advantage.value == pytest.approx(np.mean(shares))
    assert found.advantage.interval is not None
    assert found.advantage.interval.low <= found.advantage.value <= found.advantage.interval.high


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_the_correction_is_that_of_scipy(p_values: list[float]) -> None:
    assert benjamini_yekutieli(p_values) == pytest.approx(false_discovery_control(p_values, method="by").tolist())
    assert benjamini_yekutieli(p_values) == pytest.approx(by(p_values))


def test_a_larger_epsilon_is_won_against_more_raters() -> None:
    found = alternative_annotator(*world(120, [0.95, 0.85, 0.8, 0.7], 0.8, seed=2), "nominal")
    rates = [found.winning_rate(epsilon) for epsilon in (0, 0.05, 0.1, 0.2, 0.4, 0.999)]
    values = [rate.value or 0.0 for rate in rates]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0.0, 1.0)
    for one, other in pairwise(rates):
        assert all((less or 0) <= (p or 0) for p, less in zip(one.p_values, other.p_values, strict=True))


def test_who_cannot_be_tested_keeps_the_place_and_says_why() -> None:
    ratings, given = world(60, [0.9] * 4, 0.9, seed=4)
    of_few = ratings.where((ratings.raters != 2) | (ratings.items < 29))
    found = alternative_annotator(of_few, given, "nominal")
    assert [bool(each.test) for each in found.raters] == [True, True, False, True]
    assert found.raters[2].no_test_because == "Not tested: it takes 30 items, and there are 29."
    rate = found.winning_rate(0.15)
    assert [p is None for p in rate.p_values] == [False, False, True, False]
    together = alternative_annotator(*world(60, [0.9] * 3, 0.9, seed=0, units=1), "nominal").raters[0]
    assert (together.test, "about one article" in (together.no_test_because or "")) == (None, True)


def test_the_leads_alone_give_the_same_rate_for_any_epsilon() -> None:
    """As a snapshot stores them, and gives them back."""
    found = alternative_annotator(*world(90, [0.9, 0.8, 0.7], 0.75, seed=6, units=30), "nominal")
    stored = json.dumps([each.test and dataclasses.astuple(each.test) for each in found.raters])
    leads = [LeadTest(*each) for each in json.loads(stored)]
    for epsilon in (0, 0.05, 0.15, 0.4):
        assert winning_rate(leads, epsilon) == found.winning_rate(epsilon)


def test_a_good_candidate_wins_against_everybody_and_a_poor_one_against_nobody() -> None:
    good, poor = (
        alternative_annotator(*world(200, [0.75] * 4, chance, seed=1), "nominal").winning_rate(0.15)
        for chance in (0.95, 0.4)
    )
    assert (good.value, good.is_passed) == (1.0, True)
    assert (poor.value, poor.is_passed) == (0.0, False)


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("units", [None, 40])
def test_the_error_of_a_single_test_is_what_it_says(units: int | None) -> None:
    """Where the rater's true lead is ε, the hypothesis falls in about 5 of 100 studies, articles shared or not."""
    rng = np.random.default_rng(11)
    n, epsilon, rejected, worlds = 120, 0.15, 0, 600
    groups = np.arange(n) if units is None else np.arange(n) * units // n
    for _ in range(worlds):
        # Two others always agree on 1; the rater's chance and the candidate's differ by ε, by article.
        shift = np.zeros(n) if units is None else rng.choice([-0.2, 0.2], groups.max() + 1)[groups]
        mine, theirs = rng.random(n) < 0.75 + shift, rng.random(n) < 0.6 - shift
        values = np.stack([mine, np.ones(n), np.ones(n)], axis=1).astype(float)
        ratings = Ratings.from_arrays(
            np.repeat(np.arange(n), 3), np.tile(np.arange(3), n), values.ravel(), repeated="error", units=groups
        )
        found = alternative_annotator(ratings, theirs.astype(float), "nominal")
        rejected += p_value(found, epsilon) <= 0.05
    assert 0.03 <= rejected / worlds <= 0.07


def test_items_of_few_articles_are_no_proof() -> None:
    """The same figures, as 120 items of their own and as items of 6 articles that stand or fall together."""
    rng = np.random.default_rng(0)
    article = np.repeat(np.arange(6), 20)
    mine, theirs = np.ones(120), np.repeat([1.0, 1.0, 1.0, 1.0, 1.0, 0.0], 20)
    theirs = np.where(rng.random(120) < 0.05, 1 - theirs, theirs)
    values = np.stack([mine, np.ones(120), np.ones(120)], axis=1).ravel()
    items, raters = np.repeat(np.arange(120), 3), np.tile(np.arange(3), 120)
    alone = Ratings.from_arrays(items, raters, values, repeated="error")
    shared = Ratings.from_arrays(items, raters, values, repeated="error", units=article)
    by_item, by_article = (p_value(alternative_annotator(table, theirs, "nominal"), 0.3) for table in (alone, shared))
    assert by_item < 0.05 < by_article


def test_a_lead_that_is_the_same_throughout_has_an_exact_p() -> None:
    items, raters = np.repeat(np.arange(30), 3), np.tile(np.arange(3), 30)
    table = Ratings.from_arrays(items, raters, np.ones(90), repeated="error")
    found = alternative_annotator(table, np.ones(30), "nominal")
    assert p_value(found, 0.15) == pytest.approx(0.85**30)
    assert p_value(found, 0) == 1.0
    assert found.winning_rate(0.15).value == 1.0
    assert p_value(alternative_annotator(table, np.zeros(30), "nominal"), 0.15) == 1.0


def test_a_reply_that_is_missing_loses_and_an_item_that_was_not_asked_is_left_out() -> None:
    ratings, given = world(60, [0.9] * 3, 0.9, seed=5)
    given[:30] = np.nan
    lost = alternative_annotator(ratings, given, "nominal").raters[0]
    assert lost.lead.n_items == 60
    assert lost.test
    assert lost.candidate_share is not None
    assert lost.candidate_share <= 0.5
    asked = ~np.isnan(given)
    left = alternative_annotator(ratings, given, "nominal", asked=asked).raters[0]
    assert left.lead.n_items == 30
    assert left.candidate_share is not None
    assert left.candidate_share > 0.5


def why_not(found: AlternativeAnnotator) -> str:
    rate = found.winning_rate(0.15)
    assert rate.value is None
    assert found.advantage.value is None
    assert found.advantage.undefined_because == rate.undefined_because
    return rate.undefined_because or ""


def test_too_few_people_or_items_are_said() -> None:
    assert "3 people with 30 items each" in why_not(
        alternative_annotator(*world(60, [0.9] * 2, 0.9, seed=0), "nominal")
    )
    assert "nobody has" in why_not(alternative_annotator(*world(29, [0.9] * 3, 0.9, seed=0), "nominal"))
    assert "nobody has" in why_not(alternative_annotator(*world(60, [0.9] * 3, 0.9, seed=0, units=1), "nominal"))
    nobody = Ratings.from_arrays([], [], [], n_items=0, n_raters=0, repeated="error")
    assert "nobody has" in why_not(alternative_annotator(nobody, [], "interval", bootstrap=Bootstrap(resamples=3)))


def test_what_cannot_be_read_is_refused() -> None:
    ratings, given = world(40, [0.9] * 3, 0.9, seed=0)
    with pytest.raises(RatingsError, match="one for each of 40 items"):
        alternative_annotator(ratings, given[:39], "nominal")
    twice = Ratings.from_arrays([0, 0, 0], [0, 0, 1], [1, 2, 1], repeated="cross")
    with pytest.raises(RatingsError, match="several ratings of one item"):
        alternative_annotator(twice, [1.0], "nominal")
    for epsilon in (1, -0.01, float("nan")):
        with pytest.raises(ValueError, match="epsilon is"):
            alternative_annotator(ratings, given, "nominal").winning_rate(epsilon)
