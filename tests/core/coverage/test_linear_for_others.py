"""Intervals for other annotators of estimates with a model, and of a judge's biases, hold what others would say."""

import pytest

from tests.core.coverage import drawn_for_others
from tests.core.coverage.linear_for_others import Design, held_with_gaps, holds, simulate, truths
from tests.core.coverage.test_coverage import lies_within
from tests.some import some

STUDIES = 100


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
@pytest.mark.parametrize("design", [Design(6, 8), Design(20, 5), Design(20, 20, each=3)], ids=str)
def test_what_other_people_would_say_is_within(design: Design) -> None:
    for name, found in some(simulate(design, STUDIES).items()):
        share = holds([each.annotators for each in found], truths()[name])
        assert lies_within(share, 0.92, 0.98, STUDIES), (name, share)


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
def test_intervals_for_other_articles_are_too_narrow_for_it() -> None:
    found = simulate(Design(40, 5), STUDIES)
    for name in ("mean, with the model", "difference, with the model", "leniency", "own family"):
        assert holds([each.articles for each in found[name]], truths()[name]) < 0.8


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
def test_of_six_articles_and_three_annotators_it_says_nothing() -> None:
    assert all(each.annotators is None for each in simulate(Design(6, 3), 5)["leniency"])


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
@pytest.mark.parametrize("apart", [False, True])
def test_what_other_people_would_say_is_within_where_tasks_were_drawn_by_uncertainty(apart: bool) -> None:
    held = drawn_for_others.simulate(drawn_for_others.Design(60, 60 if apart else 30, 8, 3, apart), STUDIES)
    for name in some(drawn_for_others.NAMES[:3]):
        assert lies_within(held[name], 0.92, 0.98, STUDIES), (name, held)
    assert held[drawn_for_others.NAMES[3]] < 0.85


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
def test_differences_of_which_some_judged_questions_have_no_value_hold_too() -> None:
    assert lies_within(held_with_gaps(Design(20, 20, each=3), 0.5, STUDIES), 0.92, 0.98, STUDIES)
