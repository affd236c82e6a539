"""What judgments say as numbers: the same where they say the same, another wherever they do not."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from annotation_platform.releases.freeze.judged import Units, _added_up, _digests

DIFFERENT = [
    (["yes", "no", "", None, "Yes", "yes "], pa.string()),
    ([1, 2, 0, -1, -2, None], pa.int64()),
    ([0.5, -0.5, 0.0, 100.0, None], pa.float64()),
    ([[1, 2], [12], [1], [], [0], [1, 2, 0], None], pa.list_(pa.int32())),
    ([["a", "b"], ["ab"], [""], ["", ""], [], None], pa.list_(pa.string())),
]


@pytest.mark.parametrize(("values", "kind"), DIFFERENT)
def test_whatever_differs_has_another_number_and_what_does_not_the_same(values: list[Any], kind: Any) -> None:
    found = _digests("aspect", pa.array(values, kind))
    assert len(set(found.tolist())) == len(values)
    assert found[values.index(None)] == 0
    again = _digests("aspect", pa.array([*reversed(values)], kind).slice(1))  # another place, a part of an array
    assert again.tolist() == found[::-1][1:].tolist()
    assert not set(_digests("other", pa.array(values, kind)).tolist()) & set(found.tolist()) - {0}


def test_choices_say_the_same_in_any_order() -> None:
    one, other, less = _digests("aspect", pa.array([["a", "b"], ["b", "a"], ["b"]]))
    assert one == other != less


def test_a_unit_is_told_from_its_number() -> None:
    units = Units(np.array([3, 7, 2**40]), np.array([5, 11]))
    rows = np.array([[7, 5, 0], [7, 11, 0], [7, 11, 1], [2**40, 5, 99_999], [3, 11, 0]]).T
    numbers = units.numbers(*rows)
    assert len(set(numbers.tolist())) == 5
    assert [each.tolist() for each in units.items_and_members(numbers)] == [rows[0].tolist(), rows[1].tolist()]
    with pytest.raises(LookupError):
        units.numbers(np.array([4]), np.array([5]), np.array([0]))


def test_the_rows_of_a_group_are_one_judgment() -> None:
    numbers, said = _added_up(np.array([1, 4, 4, 9, 9]), np.array([5, 2, 4, 1, 3], dtype=np.uint64))
    assert (numbers.tolist(), said.tolist()) == ([1, 4, 9], [5, 6, 4])
