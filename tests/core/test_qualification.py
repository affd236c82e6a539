"""What matches accepted answers, and who is among the best."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation_platform.core.qualification import (
    AcceptedAnswersError,
    Match,
    Tally,
    best,
    check_accepted,
    match,
    migrate_accepted,
    tally,
)
from annotation_platform.core.schemes import ItemShape, Scheme, build_scheme, preset
from annotation_platform.core.schemes.migration import compare_schemes, read_renamings

SHAPE = ItemShape(sentences=8)


@pytest.fixture(scope="module")
def ebr() -> Scheme:
    return build_scheme(preset("ebr"))


def scheme_of(*aspects: dict[str, Any], **more: Any) -> Scheme:
    return build_scheme({"key": "t", "title": "T", "shown": ["article", "answer"], "aspects": list(aspects)} | more)


def test_one_of_the_accepted_choices_is_enough(ebr: Scheme) -> None:
    accepted = {"completeness": ["missing_minor", "missing_major"]}
    assert match(ebr, accepted, {"completeness": "missing_major"}).is_whole
    assert match(ebr, accepted, {"completeness": "complete"}).missed == ("completeness",)


def test_what_is_not_in_the_key_is_not_compared(ebr: Scheme) -> None:
    found = match(ebr, {"correct": ["yes"]}, {"correct": "yes", "completeness": "complete", "reasons": "Because."})
    assert (found.matched, found.compared) == (("correct",), 1)


@pytest.mark.parametrize(
    ("cited", "matches"),
    [([1, 2], True), ([1], True), ([1, 2, 3, 4], True), ([1, 2, 3, 4, 5], False), ([7], False), ([], False)],
)
def test_sentences_match_when_they_overlap_by_half(ebr: Scheme, cited: list[int], matches: bool) -> None:
    assert match(ebr, {"sentences": [1, 2]}, {"sentences": cited}).is_whole == matches


def test_the_least_overlap_can_be_set(ebr: Scheme) -> None:
    assert match(ebr, {"sentences": [1, 2, 3]}, {"sentences": [1]}, least_overlap=33).is_whole
    assert not match(ebr, {"sentences": [1, 2, 3]}, {"sentences": [1]}, least_overlap=34).is_whole


def test_none_matches_none_and_silence_does_not(ebr: Scheme) -> None:
    assert match(ebr, {"sentences": []}, {"sentences": []}).is_whole
    assert not match(ebr, {"sentences": []}, {}).is_whole


def test_nothing_said_matches_only_where_that_is_accepted(ebr: Scheme) -> None:
    assert match(ebr, {"completeness": ["complete", "-"]}, {}).is_whole
    assert not match(ebr, {"completeness": ["complete"]}, {}).is_whole


def test_who_cannot_judge_matches_nothing() -> None:
    aspect = {"key": "good", "kind": "yes_no", "title": "Good?"}
    scheme = scheme_of(aspect, cannot_judge="I cannot judge this")
    values = {"cannot_judge": True, "cannot_judge.reason": "Too long."}
    assert match(scheme, {"good": ["yes", "-"]}, values).missed == ("good",)


def test_several_choices_are_a_set() -> None:
    choices = [{"key": key, "label": key} for key in "abc"]
    scheme = scheme_of({"key": "flaws", "kind": "several", "title": "?", "choices": choices, "none_label": "None"})
    accepted = check_accepted(scheme, {"flaws": "c, a"}, SHAPE)
    assert accepted == {"flaws": ["a", "c"]}
    assert match(scheme, accepted, {"flaws": ["a"]}).is_whole
    assert not match(scheme, accepted, {"flaws": ["b"]}).is_whole
    assert check_accepted(scheme, {"flaws": "none"}, SHAPE) == check_accepted(scheme, {"flaws": []}, SHAPE)


def test_an_aspect_that_accepted_answers_hide_is_not_compared(ebr: Scheme) -> None:
    data = preset("ebr")
    data["aspects"][1]["shown_when"] = {"aspect": "correct", "is": "yes"}
    later = build_scheme(data)
    accepted = {"completeness": ["missing_all"], "correct": ["no"]}
    said = {"correct": "no", "completeness": "missing_all"}
    assert match(ebr, accepted, said) == Match(("completeness", "correct"), ())
    assert match(later, accepted, {"correct": "no"}) == Match(("correct",), ())
    hidden_by_a_wrong_answer = match(later, {"completeness": ["complete"], "correct": ["yes"]}, {"correct": "no"})
    assert hidden_by_a_wrong_answer == Match((), ("completeness", "correct"))
    assert match(later, {"completeness": ["complete"]}, {"correct": "no"}).missed == ("completeness",)
    assert match(later, accepted, {"correct": "yes", "completeness": "missing_all"}).missed == ("correct",)


def test_an_aspect_that_the_scheme_lost_is_not_compared(ebr: Scheme) -> None:
    assert match(ebr, {"gone": ["yes"], "correct": ["yes"]}, {"correct": "yes"}) == Match(("correct",), ())


def test_a_key_migrates_under_new_keys_without_what_is_gone(ebr: Scheme) -> None:
    data = preset("ebr")
    scale = data["aspects"][1]
    scale["key"] = data["rescale"][0]["aspect"] = "fullness"
    scale["scale"]["choices"][0]["key"] = "full"
    scale["scale"]["choices"].pop(3)
    new = build_scheme(data)
    renamings = read_renamings(["completeness = fullness", "completeness.complete = full"], ebr, new)
    changes = compare_schemes(ebr, new, renamings)
    accepted = {"correct": ["yes", "-"], "completeness": ["complete", "missing_minor"], "sentences": [2, 5]}
    assert migrate_accepted(accepted, changes) == {
        "correct": ["yes", "-"],
        "fullness": ["full", "missing_minor"],
        "sentences": [2, 5],
    }
    assert migrate_accepted({"correct": ["no"], "completeness": ["complete", "missing_all"]}, changes) == {
        "correct": ["no"]
    }


def test_a_key_is_read_as_it_is_typed(ebr: Scheme) -> None:
    typed = {"correct": "no, yes", "completeness": "", "sentences": "5-6, 2"}
    assert check_accepted(ebr, typed, SHAPE) == {"correct": ["yes", "no"], "sentences": [2, 5, 6]}
    assert check_accepted(ebr, {"correct": ["no", "-"], "sentences": [3]}, SHAPE) == {
        "correct": ["no", "-"],
        "sentences": [3],
    }


def test_each_mistake_of_a_key_is_told_at_its_aspect(ebr: Scheme) -> None:
    with pytest.raises(AcceptedAnswersError) as refused:
        check_accepted(ebr, {"correct": "perhaps", "sentences": "9", "reasons": "x", "unknown": "y"}, SHAPE)
    assert set(refused.value.errors) == {"correct", "sentences", "reasons", "unknown"}
    assert "perhaps" in refused.value.errors["correct"]


def test_the_percentage_is_over_all_slots_and_must_pass_items_count_whole(ebr: Scheme) -> None:
    accepted = {"correct": ["yes"], "completeness": ["complete"]}
    half = match(ebr, accepted, {"correct": "yes", "completeness": "missing_all"})
    whole = match(ebr, accepted, {"correct": "yes", "completeness": "complete"})
    assert tally([(half, False), (whole, True)]) == Tally(3, 4)
    assert tally([(half, True), (whole, True)]) == Tally(3, 4, failed=1)
    assert tally([(half, False), (whole, True)]).percent == 75


def test_the_least_percentage_is_met_exactly() -> None:
    assert Tally(59, 100).reaches(59)
    assert not Tally(58, 100).reaches(59)
    assert not Tally(4, 4, failed=1).reaches(0)
    assert not Tally(0, 0).reaches(0)
    assert Tally(0, 0).percent is None


def test_those_level_with_the_last_of_the_best_are_among_them() -> None:
    tallies = {1: Tally(9, 10), 2: Tally(8, 10), 3: Tally(4, 5), 4: Tally(1, 5)}
    assert best(tallies, 2) == {1, 2, 3}
    assert best(tallies, 9, least_percent=59) == {1, 2, 3}
    assert best(tallies, 0) == set()


@given(
    shares=st.dictionaries(st.integers(), st.tuples(st.integers(0, 10), st.booleans()), max_size=12),
    count=st.integers(0, 14),
)
def test_nobody_is_left_out_for_somebody_worse(shares: dict[int, tuple[int, bool]], count: int) -> None:
    tallies = {who: Tally(matched, 10, int(fails)) for who, (matched, fails) in shares.items()}
    chosen = best(tallies, count)
    eligible = {who for who, each in tallies.items() if not each.failed}
    assert chosen <= eligible
    assert len(chosen) >= min(count, len(eligible))
    outside = [tallies[who].matched for who in eligible - chosen]
    assert not chosen or all(matched < min(tallies[who].matched for who in chosen) for matched in outside)
