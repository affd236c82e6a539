from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.allocation import plan_hits, split_evenly

# Questions 0, 1, … with any subset of systems answering each.
corpora = st.lists(st.lists(st.sampled_from("abcdef"), unique=True, max_size=6), max_size=14).map(
    lambda answers: dict(enumerate(answers))
)
complete_corpora = st.tuples(st.integers(1, 14), st.integers(1, 6)).map(
    lambda size: {question: list("abcdef"[: size[1]]) for question in range(size[0])}
)
most = st.integers(1, 7)


@given(corpora, most)
def test_every_answer_is_in_exactly_one_hit(answers: dict[int, list[str]], most: int) -> None:
    planned = Counter(item for hit in plan_hits(answers, questions_per_hit=most) for item in hit.items)
    assert planned == Counter((question, system) for question, systems in answers.items() for system in systems)


@given(corpora, most)
def test_a_hit_shows_a_question_once_in_the_order_of_the_document(answers: dict[int, list[str]], most: int) -> None:
    for hit in plan_hits(answers, questions_per_hit=most):
        questions = [question for question, _ in hit.items]
        assert questions == sorted(set(questions))
        assert 1 <= len(questions) <= most


@given(complete_corpora, most)
def test_hits_of_a_complete_corpus_differ_in_size_by_at_most_one(answers: dict[int, list[str]], most: int) -> None:
    sizes = {len(hit.items) for hit in plan_hits(answers, questions_per_hit=most)}
    assert max(sizes) - min(sizes) <= 1


@given(complete_corpora, most)
def test_systems_take_turns_within_a_hit(answers: dict[int, list[str]], most: int) -> None:
    systems = len(answers[0])
    for hit in plan_hits(answers, questions_per_hit=most):
        shown = Counter(system for _, system in hit.items)
        assert max(shown.values()) - (min(shown.values()) if len(shown) == systems else 0) <= 1


@given(st.lists(st.integers(), max_size=60), st.integers(1, 12))
def test_even_runs_keep_all_in_order_and_are_as_few_as_can_be(items: list[int], most: int) -> None:
    runs = split_evenly(items, most)
    assert [item for run in runs for item in run] == items
    assert len(runs) == -(-len(items) // most)
    sizes = [len(run) for run in runs]
    assert not sizes or (max(sizes) <= most and max(sizes) - min(sizes) <= 1)


def test_nobody_opens_a_document_for_a_single_question() -> None:
    assert [len(run) for run in split_evenly(range(6), 5)] == [3, 3]


def test_a_hit_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        split_evenly([1], 0)


def test_the_latin_square_of_three_questions_and_three_systems() -> None:
    answers = {question: ["a", "b", "c"] for question in (1, 2, 3)}
    hits = plan_hits(answers, questions_per_hit=5)
    assert ["".join(system for _, system in hit.items) for hit in hits] == ["abc", "bca", "cab"]
