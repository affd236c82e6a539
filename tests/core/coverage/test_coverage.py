"""Intervals hold what was planted about as often as they say, and tests reject no more of what is true.

Cheap and seeded here, with bounds that three standard errors of the simulation leave; the long one makes a part of the
table of ``docs/reference/statistics/coverage.md`` anew.
"""

from collections.abc import Callable
from dataclasses import replace
from math import sqrt

import pytest

from annotation_platform.core.statistics import Bootstrap
from tests import rests_on
from tests.core.coverage import coefficients, judge_bias, mate, ranks, rationales
from tests.core.coverage.__main__ import (
    DESIGNS,
    OF_MORE_WORLDS,
    PAGE,
    RESAMPLES,
    SHAPES,
    SIZES,
    WORLDS,
    as_table,
    cell_of,
    cells_outside,
    names_of,
)
from tests.core.coverage.figures import FIGURES, Found
from tests.core.coverage.simulate import Counted, simulate
from tests.core.coverage.worlds import Design, World
from tests.some import some

FORMULAS = [
    "share of a label",
    "share of a label, one annotator",
    "accuracy of a model",
    "same label as others, one annotator",
    "percent agreement",
]


def lies_within(share: float, low: float, high: float, n: int) -> bool:
    """Up to three standard errors of a share of so many worlds."""
    slack = 3 * sqrt(0.05 * 0.95 / n)
    return low - slack <= share <= high + slack


@pytest.mark.parametrize("articles", [6, 20, 80])
def test_intervals_of_shares_hold_the_planted_share(articles: int) -> None:
    for name, found in some(simulate(Design(articles, systems=1), FORMULAS, worlds=150, resamples=1).items()):
        assert found.intervals == 150
        assert found.coverage is not None
        assert lies_within(found.coverage, 0.92, 1, 150), (name, found)


@pytest.mark.parametrize("articles", [6, 20, 80])
def test_two_systems_that_do_not_differ_are_seldom_told_apart(articles: int) -> None:
    paired = ["paired difference of two systems", "share of judgments that prefer a system"]
    design = Design(articles, questions=2, alike=0.8)
    for name, found in some(simulate(design, paired, worlds=150, resamples=1).items()):
        assert found.coverage is not None
        assert found.rejection is not None
        assert lies_within(found.coverage, 0.92, 1, 150), (name, found)
        assert lies_within(found.rejection, 0, 0.07, 150), (name, found)


def test_an_interval_that_is_too_narrow_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the table is for: items of shared articles are no evidence of their own."""

    def by_item(world: World, bootstrap: Bootstrap | None) -> Found:
        return FIGURES["mean of a system"](replace(world, ratings=replace(world.ratings, units=None)), bootstrap)

    monkeypatch.setitem(FIGURES, "by item", by_item)
    shared = Design(20, questions=6, alike=2.0)
    right, narrow = simulate(shared, ["mean of a system", "by item"], worlds=60, resamples=100).values()
    assert right.coverage is not None
    assert narrow.coverage is not None
    assert narrow.coverage < 0.8 < right.coverage


@pytest.mark.long(*rests_on.CORE)
def test_intervals_of_a_judges_biases_hold_and_what_is_no_bias_is_seldom_called_one() -> None:
    names = ("leniency", "length", "own_family", "place")
    for name, found in some(judge_bias.held(articles=20, studies=100, names=names).items()):
        assert found.intervals == 1
        assert lies_within(found.coverage, 0.92, 1, 100), (name, found)
        assert lies_within(found.type_one_error, 0, 0.07, 100), (name, found)


@pytest.mark.long(*rests_on.CORE)
def test_intervals_of_rev_las_and_rq_hold_by_article_and_are_too_narrow_by_rationale() -> None:
    by_article, by_rationale = (
        rationales.held(articles=20, studies=60, resamples=100, by_rationale=each) for each in (False, True)
    )
    for name, found in some(by_article.items()):
        assert found.missing == 0
        assert lies_within(found.coverage, 0.92, 1, 60), (name, found)
    for name in ("mean REV", "LAS", "RQ"):
        assert by_rationale[name].width < 0.85 * by_article[name].width


@pytest.mark.long(*rests_on.CORE)
@pytest.mark.parametrize("way", [ranks.on_scale, ranks.preferred])
def test_the_intervals_of_all_ranks_hold_at_once(way: Callable[[int, int, tuple[float, ...]], ranks.Pairs]) -> None:
    found = ranks.held(way, "all alike", articles=20, studies=100)
    assert lies_within(found.coverage, 0.95, 1, 100), found
    assert ranks.held(way, "apart", articles=20, studies=20).width < ranks.SYSTEMS


def test_intervals_of_mates_weights_hold_by_article_and_not_by_judgment() -> None:
    found = mate.held(articles=20, studies=40, resamples=100)
    assert lies_within(found.weights, 0.92, 1, 120)
    assert found.by_rows < 0.8


def test_the_table_says_where_an_interval_does_not_hold() -> None:
    def of(held: int, rejected: int = 0, tests: int = 0) -> Counted:
        return Counted(200, 200, held, 0.25, tests, rejected)

    name = next(iter(FIGURES))
    found = {design: {name: of(190)} for design in DESIGNS} | {DESIGNS[0]: {name: of(170, 30, 200)}}
    row = next(line for line in as_table(found).splitlines() if line.startswith(f"| {name} "))
    assert "**.850**" in row
    assert "p **.150**" in row
    assert "| .950 (.25)" in row


def test_the_cells_that_stand_out_are_simulated_again() -> None:
    title, name = next(iter(SHAPES)), next(iter(FIGURES))
    page = f"### {title[0].upper()}{title[1:]}\n\n| {name} | .950 (.55) | **.910** (.28) | .940 (.1), p **.090** |\n"
    assert cells_outside(page, [name]) == [(title, name, 1), (title, name, 2)]


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
@pytest.mark.parametrize("title", SHAPES)
def test_the_table_in_the_docs_is_what_the_simulation_gives(title: str) -> None:
    """Designs of 20 articles anew; equal seeds draw equal studies, so that the cells are the very same. Where items
    share something, coefficients alone."""
    design = Design(SIZES[1], **SHAPES[title])  # type: ignore[arg-type]
    told = PAGE.read_text().partition(f"### {title[0].upper()}{title[1:]}")[2].partition("###")[0]
    cells = {row[1].strip(): row[3].strip() for line in told.splitlines() if len(row := line.split("|")) == 6}
    wanted = names_of(design) if title == next(iter(SHAPES)) else coefficients.COEFFICIENTS
    names = [name for name in wanted if OF_MORE_WORLDS not in cells.get(name, OF_MORE_WORLDS)]
    assert len(names) >= 5
    found = simulate(design, names, worlds=WORLDS, resamples=RESAMPLES)
    assert {name: cell_of(each) for name, each in found.items()} == {name: cells[name] for name in names}


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
@pytest.mark.parametrize("title", coefficients.SHAPES)
def test_coefficients_in_other_designs_are_those_in_the_docs(title: str) -> None:
    """Designs of 20 articles anew, but for the cells of more studies."""
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith(f"| {title} | ")]
    cells = {row[2].strip(): row[3].strip() for row in rows if OF_MORE_WORLDS not in row[3]}
    assert cells
    found = simulate(
        Design(20, **coefficients.SHAPES[title]),  # type: ignore[arg-type]
        list(cells),
        worlds=WORLDS,
        resamples=RESAMPLES,
    )
    assert {name: cell_of(each) for name, each in found.items()} == cells
