"""Strengths from comparisons: beside other programs, by hand, and with planted truth."""

from typing import Any

import choix
import numpy as np
import pytest
from scipy.optimize import minimize

from annotation_platform.core.few_units import too_few_raters
from annotation_platform.core.rank_intervals import rank_intervals
from annotation_platform.core.statistics.clustered_means import ALL_ALIKE
from annotation_platform.core.statistics.davidson import (
    NOT_TOLD_APART,
    NOTHING,
    ONLY_TIES,
    UNBOUNDED,
    davidson,
    preferred_share,
)
from annotation_platform.core.statistics.ratings import RatingsError
from annotation_platform.core.text import ONE_GROUP
from tests import rests_on
from tests.core.coverage.davidson import held, world


def values(found: Any) -> list[float]:
    return [each.value for each in found.strengths]


def test_without_ties_it_is_bradley_and_terry_as_choix_has_it() -> None:
    drawn = world(3, articles=60, systems=4)
    won = drawn["outcomes"] != 0.5
    first, second, outcomes, groups = (drawn[key][won] for key in ("first", "second", "outcomes", "groups"))
    pairs = [(a, b) if out else (b, a) for a, b, out in zip(first, second, outcomes, strict=True)]
    found = davidson(first, second, outcomes, groups, ridge=0)
    assert values(found) == pytest.approx(choix.ilsr_pairwise(4, pairs), abs=1e-6)
    assert found.tie == 0


def test_without_ties_it_is_bradley_and_terry_as_evalica_has_it() -> None:
    evalica = pytest.importorskip("evalica", reason="needs evalica (requirements-dev.txt)")
    drawn = world(3, articles=60, systems=4)
    won = drawn["outcomes"] != 0.5
    first, second, outcomes, groups = (drawn[key][won] for key in ("first", "second", "outcomes", "groups"))
    winners = [evalica.Winner.X if out else evalica.Winner.Y for out in outcomes]
    scores = evalica.bradley_terry(first.tolist(), second.tolist(), winners, tolerance=1e-12, limit=10_000).scores
    strengths = np.log([scores[system] for system in range(4)])
    found = davidson(first, second, outcomes, groups, ridge=0)
    assert values(found) == pytest.approx(strengths - strengths.mean(), abs=1e-6)


def test_ties_and_order_are_those_of_a_maximum_found_without_derivatives() -> None:
    drawn = world(4, articles=60, systems=3)
    first, second, out, order = (drawn[key] for key in ("first", "second", "outcomes", "covariates"))

    def loss(given: Any) -> float:
        strengths = np.array([given[0], given[1], -given[0] - given[1]])
        d = strengths[first] - strengths[second] + given[2] * order[:, 0]
        total = np.logaddexp(np.logaddexp(d / 2, -d / 2), given[3])
        return -float((np.where(out == 1, d / 2, np.where(out == 0, -d / 2, given[3])) - total).sum())

    best = minimize(loss, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 9_000}).x
    found = davidson(**drawn, ridge=0)
    assert values(found)[:2] == pytest.approx(best[:2], abs=1e-5)
    assert found.effects[0].value == pytest.approx(best[2], abs=1e-5)
    assert found.tie == pytest.approx(np.exp(best[3]), abs=1e-5)


def test_the_standard_error_is_that_of_leaving_out_each_article() -> None:
    drawn = world(5, articles=25, systems=3)
    found = davidson(**drawn, ridge=0)
    columns = {key: each for key, each in drawn.items() if key != "n_systems"}
    kept = [drawn["groups"] != article for article in range(25)]
    without = np.array(
        [values(davidson(**{key: each[rows] for key, each in columns.items()}, n_systems=3, ridge=0)) for rows in kept]
    )
    error = np.sqrt(24 / 25 * ((without - values(found)) ** 2).sum(axis=0))
    for each, expected in zip(found.strengths, error, strict=True):
        assert each.interval is not None
        half = (each.interval.high - each.interval.low) / 2
        # One step of Newton's in place of a whole fit, times Student's t of nine to 24 degrees of freedom.
        assert 0.95 * 2.06 * expected < half < 1.05 * 2.26 * expected


@pytest.mark.long("annotation_platform/core/statistics/**/*.py")
@pytest.mark.parametrize(("articles", "systems"), [(6, 2), (20, 4)])
def test_intervals_hold(articles: int, systems: int) -> None:
    found = held(articles=articles, systems=systems, studies=300)
    # Six articles are few, and four systems in twenty are compared in some only: not too narrow is what counts.
    assert all(0.91 <= each <= 0.99 for each in found[:3]), found
    assert 0.01 <= found.type_one_error <= 0.085, found


def test_what_nothing_connects_has_no_common_scale() -> None:
    found = davidson([0, 0, 2, 2], [1, 1, 3, 3], [1, 0, 1, 0], groups=range(4))
    assert found.parts == ((0, 1), (2, 3))
    assert all(each.value is None for each in found.strengths)
    assert "2 parts" in str(found.strengths[0].undefined_because)


def test_who_never_lost_has_a_finite_strength_without_an_interval() -> None:
    found = davidson([0, 0, 1, 1], [1, 2, 2, 2], [1, 1, 1, 0], groups=range(4))
    assert found.strengths[0].no_interval_because == UNBOUNDED
    assert found.strengths[0].value == max(values(found))
    assert max(values(found)) < 10


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (([], [], [], []), NOTHING),
        (([0, 0], [1, 1], [0.5, 0.5], [0, 1]), ONLY_TIES),
    ],
)
def test_what_is_undefined_says_why(given: Any, reason: str) -> None:
    found = davidson(*given, n_systems=2)
    assert {each.undefined_because for each in found.strengths} <= {reason, found.strengths[0].undefined_because}
    assert all(each.value is None for each in found.strengths)
    if len(given[0]):
        assert found.strengths[0].undefined_because == reason


def test_one_article_has_no_interval() -> None:
    found = davidson([0, 0, 0], [1, 1, 1], [1, 1, 0], groups=[7, 7, 7])
    assert found.strengths[0].value is not None
    assert found.strengths[0].no_interval_because == ONE_GROUP


def test_a_covariate_that_goes_with_the_systems_is_left_out() -> None:
    drawn = world(6, articles=40, systems=3)
    length = np.array([3.0, 2.0, 1.0])
    longer = length[drawn["first"]] - length[drawn["second"]]
    both = np.column_stack([drawn["covariates"][:, 0], longer])
    found = davidson(**drawn | {"covariates": both})
    assert found.effects[1].undefined_because == NOT_TOLD_APART
    assert found.effects[0].value == pytest.approx(davidson(**drawn).effects[0].value)


def test_a_share_counts_a_tie_as_half() -> None:
    assert preferred_share(0, 0.7) == 0.5
    assert preferred_share(np.log(3), 0) == pytest.approx(0.75)
    assert preferred_share(1.2, 0.5) + preferred_share(-1.2, 0.5) == pytest.approx(1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"second": [0]}, "with itself"),
        ({"outcomes": [0.7]}, "0.5"),
        ({"groups": [0, 1]}, "a row"),
        ({"covariates": [[np.nan]]}, "no number"),
    ],
)
def test_wrong_columns_are_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(RatingsError, match=said):
        davidson(**{"first": [0], "second": [1], "outcomes": [1], "groups": [0]} | changed)


def test_ranks_that_pairs_leave_open() -> None:
    assert rank_intervals(3, []) == ((1, 3),) * 3
    assert rank_intervals(3, [(2, 0), (2, 0), (2, 1)]) == ((2, 3), (2, 3), (1, 1))


def crossed(articles: int, raters: int) -> dict[str, Any]:
    """Everybody compares in every article, with a taste of their own."""
    random = np.random.default_rng(5)
    group, rater = (each.ravel() for each in np.meshgrid(np.arange(articles), np.arange(raters), indexing="ij"))
    first = random.integers(0, 3, len(group))
    second = (first + random.integers(1, 3, len(group))) % 3
    strengths = np.array([0.5, 0.0, -0.5]) + random.normal(0, 0.5, (raters, 3))[rater]
    strengths += random.normal(0, 0.5, (articles, 3))[group]
    rows = np.arange(len(group))
    wins = random.random(len(group)) < 1 / (1 + np.exp(strengths[rows, second] - strengths[rows, first]))
    outcomes = np.where(random.random(len(group)) < 0.2, 0.5, wins)
    return {"first": first, "second": second, "outcomes": outcomes, "groups": group, "raters": rater, "n_systems": 3}


@pytest.mark.long(*rests_on.CORE)
def test_for_other_raters_it_varies_as_drawn_articles_and_raters_do() -> None:
    articles, raters = 40, 15
    told = crossed(articles, raters)
    found = davidson(**told).differences[0, 2]
    random = np.random.default_rng(6)
    drawn = []
    for _ in range(600):
        weight = np.bincount(random.integers(0, articles, articles), minlength=articles)[told["groups"]]
        weight = weight * np.bincount(random.integers(0, raters, raters), minlength=raters)[told["raters"]]
        columns = {name: np.repeat(told[name], weight) for name in ("first", "second", "outcomes", "groups")}
        drawn.append(davidson(**columns, n_systems=3).differences[0, 2].value)
    assert found.for_others is not None
    assert found.for_others.interval is not None
    wide = found.for_others.interval.high - found.for_others.interval.low
    assert wide / 2 == pytest.approx(2.03 * np.std(drawn), rel=0.15)  # t of some thirty degrees of freedom


def test_for_other_raters_nothing_is_narrower_and_two_raters_say_nothing() -> None:
    told = crossed(20, 4)
    found = davidson(**told, covariates=np.where(np.arange(80) % 2, 1.0, -1.0)[:, None])
    alone = davidson(**{**told, "raters": None})
    assert alone.strengths[0].for_others is None
    for each in (*found.strengths, *found.differences.values(), *found.effects):
        wider = each.for_others
        assert each.interval is not None
        assert each.p_value is not None
        assert wider is not None
        assert wider.interval is not None
        assert wider.p_value is not None
        assert wider.interval.low < each.interval.low < each.interval.high < wider.interval.high
        assert (wider.p_value, wider.n_units, wider.n_raters) >= (each.p_value, 20, 4)
    two = davidson(**crossed(20, 2)).strengths[0]
    assert two.interval is not None
    assert two.for_others is not None
    assert two.for_others.interval is None
    assert two.for_others.no_interval_because == too_few_raters(2)


def test_groups_that_all_say_the_same_have_no_interval() -> None:
    found = davidson([0] * 30, [1] * 30, [1, 1, 0] * 10, np.repeat(np.arange(10), 3), raters=[0, 1, 2] * 10)
    for each in (*found.strengths, *found.differences.values()):
        assert (each.interval, each.p_value, each.no_interval_because) == (None, None, ALL_ALIKE)
        assert each.for_others is not None
        assert each.for_others.no_interval_because == ALL_ALIKE


def test_a_system_or_an_effect_of_one_article_has_no_interval() -> None:
    """There its scores sum to nothing, so that leaving the article out would seem to change nothing."""
    first = [0] * 40 + [0] * 10
    second = [1] * 40 + [2] * 10
    outcomes = [1, 0] * 10 + [1, 0.5] * 10 + [1, 0, 0, 0, 0, 0, 1, 1, 1, 0.5]
    groups = [*np.repeat(np.arange(20), 2), *[0] * 10]
    known_there = [0] * 40 + [1, -1] * 5
    found = davidson(
        first, second, outcomes, groups, covariates=np.array(known_there)[:, None], raters=[0, 1, 2, 3, 4] * 10
    )
    for each in (found.strengths[2], found.differences[0, 2], found.differences[1, 2], found.effects[0]):
        assert each.value is not None
        assert (each.interval, each.p_value, each.no_interval_because) == (None, None, ONE_GROUP)
        assert each.for_others is not None
        assert each.for_others.no_interval_because == ONE_GROUP
    assert found.differences[0, 1].interval is not None
