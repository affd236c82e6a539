"""Numbers in sentences: no sentence says more than its figures do."""

import pytest

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import (
    Figure,
)
from annotation_platform.analysis.tables.words import number, sign
from tests.analysis.made_figures import difference, figure


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (-0.0004, "value", "0.000"),
        (-0.04, "score", "0.0"),
        (-0.0004, "share", "0.0\u00a0%"),
        (-0.25, "share", "−25.0\u00a0%"),
        (-0.0, "value", "0.000"),
        (-0.0006, "value", "−0.001"),
        (None, "value", "–"),
    ],
)
def test_what_rounds_to_zero_has_no_sign(value: float | None, kind: str, text: str) -> None:
    assert number(value, kind) == text


def test_a_difference_of_nothing_goes_nowhere() -> None:
    assert (sign(-0.0001), sign(0.0), sign(0.01), sign(-0.01)) == ("0.000", "0.000", "+0.010", "−0.010")


@pytest.mark.parametrize(
    ("found", "certain"),
    [
        (difference(0.2, (0.1, 0.3), p_holm=0.01), True),
        (difference(0.2, (-0.1, 0.3), p_holm=0.01), False),  # the interval that is shown holds 0
        (difference(0.2, (0.1, 0.3), p_holm=0.2), False),
        (difference(0.2, None, p_holm=0.01), True),
        (figure(0.2, (0.1, 0.3)), True),
        (figure(0.2), False),
        (difference(None, p_holm=None), False),
        (figure(-0.2, (-0.3, -0.1)), True),
        (figure(0.0, (0.0, 0.0)), False),
    ],
)
def test_a_difference_is_certain_where_its_p_and_its_interval_say_so(found: Figure, certain: bool) -> None:
    assert is_certain(found) is certain
