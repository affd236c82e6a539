import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.citations import (
    Citable,
    SentenceReferenceError,
    format_sentence_references,
    parse_sentence_references,
)

numbers = st.sets(st.integers(1, 60), max_size=30)


@given(numbers, st.integers(60, 90))
def test_what_is_written_is_read_back(cited: set[int], count: int) -> None:
    assert parse_sentence_references(format_sentence_references(cited), Citable(count)) == sorted(cited)


@given(numbers)
def test_a_reference_to_a_withheld_text_is_read_without_a_limit(cited: set[int]) -> None:
    assert parse_sentence_references(format_sentence_references(cited), Citable(0)) == sorted(cited)


@given(st.text(max_size=40), st.integers(0, 30))
def test_any_typing_gives_numbers_of_the_document_or_a_reason(typed: str, count: int) -> None:
    try:
        cited = parse_sentence_references(typed, Citable(count))
    except SentenceReferenceError:
        return
    assert cited == sorted(set(cited))
    assert all(number >= 1 and (not count or number <= count) for number in cited)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("3, 5-7", [3, 5, 6, 7]),
        ("7 3;3", [3, 7]),
        ("5 – 7", [5, 6, 7]),
        ("３、５〜７。", [3, 5, 6, 7]),
        ("none", []),
        ("None.", []),
        ("なし", []),
        ("", []),
        (" , ,", []),
        ("8-8", [8]),
    ],
)
def test_the_ways_people_type_sentence_numbers(typed: str, expected: list[int]) -> None:
    assert parse_sentence_references(typed, Citable(10)) == expected


@pytest.mark.parametrize(
    ("typed", "count", "reason"),
    [
        ("11", 10, "no sentence 11"),
        ("0", 10, "no sentence 0"),
        ("9-12", 10, "no sentence 12"),
        ("7-5", 10, "backwards"),
        ("three", 10, "“three” is not"),
        ("3.5", 10, "is not"),
        ("-3", 10, "is not"),
        ("1-999999", 0, "too long"),
        ("1-9000, 20000-29000", 0, "“20000-29000” is too long"),
        ("9999999", 10, "is not"),
    ],
)
def test_what_cannot_be_a_reference_is_named(typed: str, count: int, reason: str) -> None:
    with pytest.raises(SentenceReferenceError, match=reason):
        parse_sentence_references(typed, Citable(count))


def test_runs_of_three_are_written_as_ranges() -> None:
    assert format_sentence_references([7, 5, 6, 3, 1, 2]) == "1-3, 5-7"
    assert format_sentence_references([4, 5]) == "4, 5"
    assert format_sentence_references([]) == ""
