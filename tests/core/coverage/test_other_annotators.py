"""Intervals for other annotators hold what they would say; those for other articles alone do not."""

import pytest

from tests import rests_on
from tests.core.coverage.other_annotators import DESIGNS, TESTED, Crossed, as_table, simulate
from tests.core.coverage.test_coverage import lies_within
from tests.some import some

WORLDS = 80


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
@pytest.mark.parametrize("design", [Crossed(6, 5), Crossed(20, 5), Crossed(20, 20, judges=3)], ids=str)
def test_what_other_people_would_say_is_within(design: Crossed) -> None:
    for name, found in some(simulate(design, worlds=WORLDS, resamples=100).items()):
        assert lies_within(found.annotators, 0.92, 1, WORLDS), (name, found)
        if name in TESTED:
            assert lies_within(found.rejected[1], 0, 0.07, WORLDS), (name, found)


@pytest.mark.long("annotation_platform/core/statistics/**/*.py", "tests/core/coverage/*.py")
def test_intervals_for_other_articles_are_too_narrow_for_it() -> None:
    """What the wider ones are for: five people's taste is no taste of all."""
    found = simulate(Crossed(40, 5), worlds=WORLDS, resamples=100)["paired difference of two systems"]
    assert found.articles < 0.8 < 0.9 < found.annotators
    assert found.rejected[0] > 0.2 > 0.1 > found.rejected[1]


@pytest.mark.long(*rests_on.CORE)
def test_the_table_has_a_line_for_each_design() -> None:
    few = simulate(Crossed(6, 3), worlds=5, resamples=20)
    lines = as_table(dict.fromkeys(DESIGNS, few)).splitlines()
    assert len(lines) == 2 + len(DESIGNS)
    assert "| 80 | 20, 3 a question |" in lines[-1]
