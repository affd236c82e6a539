"""The keys that choose: a number is its own key wherever it can be."""

import pytest

from annotation_platform.annotations.forms.keys import number_keys


@pytest.mark.parametrize(
    ("points", "keys"),
    [
        (["0", "1", "2", "3"], ["0", "1", "2", "3"]),
        (["1", "2", "3", "10"], ["1", "2", "3", "0"]),
        ([str(n) for n in range(11)], ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ""]),
        (["-1", "0", "1"], ["-1", "0", "1"]),
        (["-1", "-0.5", "0"], ["1", "2", "3"]),
        (["yes", "no"], ["1", "2"]),
        ([f"c{n}" for n in range(11)], ["1", "2", "3", "4", "5", "6", "7", "8", "9", "", ""]),
    ],
)
def test_whole_numbers_up_to_ten_are_their_own_keys_and_the_rest_go_by_place(
    points: list[str], keys: list[str]
) -> None:
    assert number_keys(points) == keys
