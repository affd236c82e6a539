"""Amounts: read, written, rounded; whole numbers and nothing else."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pay import money


def test_the_examples_hold() -> None:
    assert doctest.testmod(money).failed == 0


@given(st.integers(-money.MOST, money.MOST), st.sampled_from(sorted(money.DIGITS)))
def test_what_is_written_is_read_as_the_same_amount(amount: int, currency: str) -> None:
    assert money.amount_of(money.plain(amount, currency), currency) == amount


@pytest.mark.parametrize(
    ("text", "currency"), [("", "USD"), ("1,5", "USD"), ("1.005", "USD"), ("0.5", "JPY"), ("1e3", "USD"), ("1", "XXX")]
)
def test_what_is_no_amount_is_refused(text: str, currency: str) -> None:
    with pytest.raises(InvalidInputError):
        money.amount_of(text, currency)


@given(st.integers(0, 10**9), st.integers(0, 100), st.integers(1, 20))
def test_parts_are_never_more_than_the_whole(amount: int, percent: int, whole: int) -> None:
    parts = [money.share(amount, percent, part, whole) for part in range(whole + 1)]
    assert parts == sorted(parts)
    assert parts[-1] <= amount
