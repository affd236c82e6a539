"""Agreement of marked spans: F1 against all pairs written out, α against the package krippendorff, planted truth."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_platform.core.statistics import MarkedTexts, RatingsError, span_f1, token_alpha
from annotation_platform.core.statistics.spans import NOT_TWICE, NOTHING_MARKED
from annotation_platform.core.tokens import tokens, tokens_within
from tests.core.coverage.spans import held
from tests.some import some

Spans = list[tuple[int, int, int]]  # first token, one behind the last, label


def texts_of(*texts: tuple[int, list[Spans]], n_labels: int = 2, units: list[int] | None = None) -> MarkedTexts:
    """Texts by their length and what each of their readers marked."""
    rows, spans = [], []
    for text, (_, readings) in enumerate(texts):
        for rater, marked in enumerate(readings):
            spans += [(len(rows), *span) for span in marked]
            rows.append((text, rater))
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    found = np.array(spans, dtype=np.int64).reshape(-1, 4)
    lengths = np.array([length for length, _ in texts], dtype=np.int64)
    drawn = np.arange(len(texts)) if units is None else np.array(units)
    return MarkedTexts(table[:, 0], table[:, 1], lengths, *found.T, n_labels, drawn)


def f1_of_pairs(texts: list[tuple[int, list[Spans]]], match: str) -> float | None:
    def elements(spans: Spans) -> set[tuple[int, ...]]:
        if match == "exact":
            return set(spans)
        return {(token, label) for start, end, label in spans for token in range(start, end)}

    both = either = 0
    for _, readings in texts:
        for first, second in combinations(map(elements, readings), 2):
            both += 2 * len(first & second)
            either += len(first) + len(second)
    return both / either if either else None


def drawn_spans(length: int) -> st.SearchStrategy[Spans]:
    place = st.integers(0, length)
    span = st.tuples(place, place, st.integers(0, 1)).filter(lambda each: each[0] < each[1])
    return st.lists(span, max_size=4, unique=True)


drawn_texts = st.lists(st.tuples(st.just(6), st.lists(drawn_spans(6), min_size=1, max_size=4)), min_size=1, max_size=5)


@given(texts=drawn_texts, match=st.sampled_from(["overlap", "exact"]))
def test_f1_equals_that_of_all_pairs(texts: list[tuple[int, list[Spans]]], match: str) -> None:
    found = span_f1(texts_of(*texts), match)  # type: ignore[arg-type]
    wanted = f1_of_pairs(texts, match)
    assert found.value == (None if wanted is None else pytest.approx(wanted))


@settings(max_examples=40)
@given(texts=drawn_texts)
def test_alpha_equals_the_package_krippendorff_over_tokens(texts: list[tuple[int, list[Spans]]]) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    for label in (None, 0, 1):
        columns = []
        for length, readings in texts:
            table = np.full((4, length), np.nan)
            for rater, spans in enumerate(readings):
                table[rater] = 0
                for token in range(length):
                    over = {each for start, end, each in spans if start <= token < end}
                    table[rater, token] = sum(2.0**each for each in over) if label is None else float(label in over)
            columns.append(table)
        table = np.hstack(columns)
        counted = table[:, (~np.isnan(table)).sum(axis=0) > 1]
        found = token_alpha(texts_of(*texts), label=label)
        if len(np.unique(counted[~np.isnan(counted)])) < 2:
            assert found.value is None
        else:
            assert found.value == pytest.approx(krippendorff.alpha(counted, level_of_measurement="nominal"))


def test_what_is_marked_alike_agrees_wholly_and_what_is_not_does_not() -> None:
    same = texts_of((8, [[(1, 3, 0), (2, 5, 1)]] * 3))
    apart = texts_of((8, [[(0, 2, 0)], [(4, 6, 0)]]))
    for match in ("overlap", "exact"):
        assert span_f1(same, match).value == 1  # type: ignore[arg-type]
        assert span_f1(apart, match).value == 0  # type: ignore[arg-type]
    assert token_alpha(same).value == 1
    assert token_alpha(apart).value == pytest.approx(1 - (4 / 8) / (2 * 4 * 12 / (16 * 15)))
    half = texts_of((8, [[(0, 4, 0)], [(2, 6, 0)]]))
    assert span_f1(half, "overlap").value == 0.5
    assert span_f1(half, "exact").value == 0
    assert span_f1(half, "overlap", label=1).undefined_because == NOTHING_MARKED


def test_overlap_with_one_label_counts_once() -> None:
    twice = texts_of((6, [[(0, 3, 0), (1, 4, 0)], [(0, 4, 0)]]))
    assert span_f1(twice, "overlap").value == 1
    assert token_alpha(twice, label=0).value == 1


def test_undefined_cases_say_why() -> None:
    alone, blank = texts_of((5, [[(0, 2, 0)]])), texts_of((5, [[], []]))
    for figure in (lambda given: span_f1(given, "overlap"), token_alpha):
        assert figure(alone).undefined_because == NOT_TWICE
        assert figure(blank).undefined_because == NOTHING_MARKED
    everything = texts_of((5, [[(0, 5, 0)], [(0, 5, 0)]]))
    assert "have the same value" in str(token_alpha(everything).undefined_because), "they did mark something"
    found = span_f1(blank, "exact")
    assert (found.n_items, found.n_ratings, found.n_raters) == (1, 2, 2)


def test_spans_outside_of_their_text_are_refused() -> None:
    for span in ((2, 2, 0), (0, 9, 0), (-1, 2, 0)):
        with pytest.raises(RatingsError, match="not within its text"):
            texts_of((5, [[span], []]))
    with pytest.raises(ValueError, match="neither"):
        span_f1(texts_of((5, [[], []])), "near")  # type: ignore[arg-type]


def test_a_span_counts_the_tokens_that_it_touches() -> None:
    text = "Its engine broke in June、船長も。"
    places = tokens(text)
    assert [text[start:end] for start, end in places] == [
        "Its",
        "engine",
        "broke",
        "in",
        "June",
        "、",
        "船",
        "長",
        "も",
        "。",
    ]
    assert tokens_within(places, 5, 12) == (1, 3)
    assert tokens_within(places, 3, 4) == (1, 1)
    assert tokens_within(places, 0, len(text)) == (0, len(places))


# --- Planted truth ------------------------------------------------------------------------------------------


def test_intervals_hold_what_was_planted() -> None:
    """F1 and α of 20 articles hold those of very many about as often as they say."""
    for name, found in some(held(articles=20, studies=60, resamples=150).items()):
        assert found.missing == 0
        assert found.coverage >= 0.86, (name, found)
