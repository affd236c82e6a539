"""Exact match, token F1 and containment, by hand and against the published script's definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.methods.equivalence.overlap import (
    TokenOverlap,
    contains,
    exact_match,
    normalise,
    token_overlap,
)

answers = st.text(alphabet="aAnthe bc.’'-é0 1\n", max_size=24)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("The Spider-Man, a hero!", ["spiderman", "hero"]),
        ("  Mount\tEverest\n", ["mount", "everest"]),
        ("An apple a day", ["apple", "day"]),
        ("U.S.A.", ["usa"]),
        ("Theatre", ["theatre"]),
        ("São Paulo’s", ["são", "paulo’s"]),
        ("1,200.5", ["12005"]),
        ("東京 Tokyo", ["東京", "tokyo"]),
        ("A+", ["a+"]),
        ("The The", ["the", "the"]),
        ("%", ["%"]),
        (" \n", []),
    ],
)
def test_normalises_as_squad_does_and_never_to_nothing(answer: str, words: list[str]) -> None:
    assert normalise(answer) == words


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        # CFMatch, section 2.1, counts two words in common of three and seven: precision 0.67, recall 0.29, F1 0.4.
        (
            "WHO global leader",
            "World Health Organization global public health leader",
            TokenOverlap(f1=0.4, precision=2 / 3, recall=2 / 7),
        ),
        # CFMatch, section 3.3, prints 0.67, 0.5, 1.0 and 0.86, 1.0, 0.75 as F1, precision, recall of these two pairs.
        # The second pair is printed with precision and recall changed over: the candidate has the further word.
        ("Volume one", "one", TokenOverlap(f1=2 / 3, precision=0.5, recall=1.0)),
        ("pentalogy Truth and Justice", "Truth and Justice", TokenOverlap(f1=6 / 7, precision=0.75, recall=1.0)),
        # By hand: a word that the candidate repeats counts as often as both have it.
        ("no no no", "no no", TokenOverlap(f1=0.8, precision=2 / 3, recall=1.0)),
        ("the cat sat", "a cat sat down", TokenOverlap(f1=0.8, precision=1.0, recall=2 / 3)),
        ("Paris", "London", TokenOverlap(0, 0, 0)),
        ("", "London", TokenOverlap(0, 0, 0)),
        ("London", "", TokenOverlap(0, 0, 0)),
        ("", "", TokenOverlap(0, 0, 0)),
    ],
)
def test_token_f1_precision_and_recall(candidate: str, reference: str, expected: TokenOverlap) -> None:
    assert token_overlap(candidate, reference) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("candidate", "reference", "exact", "contained"),
    [
        ("The Beatles", "beatles", True, True),
        ("Mt. Everest", "Mount Everest", False, False),
        ("It is Mount Everest.", "Mount Everest", False, True),
        ("Everest, Mount", "Mount Everest", False, False),
        ("thirteen", "three", False, False),
        ("19451", "1945", False, False),
        ("", "x", False, False),
        ("x", " ", False, False),
        ("", "", False, False),
        ("A-", "A+", False, False),
    ],
)
def test_exact_match_and_containment(candidate: str, reference: str, exact: bool, contained: bool) -> None:
    assert (exact_match(candidate, reference), contains(candidate, reference)) == (exact, contained)


@given(answers, answers)
def test_f1_lies_between_precision_and_recall_and_does_not_care_who_is_who(one: str, other: str) -> None:
    f1, precision, recall = token_overlap(one, other)
    assert 0 <= min(precision, recall) <= f1 + 1e-12
    assert f1 <= max(precision, recall) + 1e-12 <= 1 + 1e-12
    assert token_overlap(other, one) == pytest.approx((f1, recall, precision))


@given(answers, answers)
def test_an_exact_match_is_contained_and_has_f1_1(one: str, other: str) -> None:
    if exact_match(one, other):
        assert contains(one, other)
        assert token_overlap(one, other) == (1, 1, 1)
    if contains(one, other):
        assert token_overlap(one, other).recall == 1
    assert exact_match(one, one) == bool(one.strip())
