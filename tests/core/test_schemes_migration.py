"""From one version of a scheme to the next: what migrates, what is lost, and that nothing else happens."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    ItemShape,
    Scheme,
    build_scheme,
    check_judgment,
    preset,
    read_scheme,
)
from annotation_platform.core.schemes.migration import (
    Renamings,
    compare_schemes,
    migrate_draft,
    migrate_values,
    read_renamings,
    unanswered,
)
from tests.core.test_schemes_properties import Data, checked, judgments, schemes
from tests.core.whole_schemes import GROUP, ONE_ANSWER

SHAPE = ItemShape(sentences=5)
GOOD = {"correct": "yes", "completeness": "missing_minor", "sentences": [2], "reasons": "It leaves out the roof."}


def ebr(change: Any = None) -> Scheme:
    data = preset("ebr") | {"examples": []}
    if change:
        change(data)
    return build_scheme(data)


def aspect(data: Data, key: str) -> Data:
    found: Data = next(each for each in data["aspects"] if each["key"] == key)
    return found


def migrated(new: Scheme, renamings: list[str] | None = None, values: Any = GOOD) -> tuple[Data, dict[str, str]]:
    old = ebr()
    changes = compare_schemes(old, new, read_renamings(renamings or [], old, new))
    result = migrate_values(values, new=new, changes=changes, shape=SHAPE)
    return result.values, result.lost


def report(new: Scheme, *renamings: str) -> list[str]:
    old = ebr()
    return compare_schemes(old, new, read_renamings(renamings, old, new)).lines


def test_without_a_change_everything_is_kept() -> None:
    assert report(ebr()) == ["correct: kept", "completeness: kept", "sentences: kept", "reasons: kept"]
    assert migrated(ebr()) == (GOOD, {})


def test_a_renamed_aspect_and_its_choices_migrate_by_the_renaming_only() -> None:
    def change(data: Data) -> None:
        aspect(data, "completeness")["key"] = data["rescale"][0]["aspect"] = "fullness"
        aspect(data, "fullness")["scale"]["choices"][1]["key"] = "almost"

    new = ebr(change)
    assert "completeness: dropped; the new version does not ask it" in report(new)
    assert "fullness: new; judgments made so far say nothing to it" in report(new)
    assert migrated(new)[1] == {"completeness": "the new version does not ask it"}

    renamings = ["completeness = fullness", "completeness.missing_minor = almost"]
    assert report(new, *renamings)[1:3] == [
        "completeness: renamed to fullness",
        "completeness.missing_minor: becomes almost",
    ]
    values, lost = migrated(new, renamings)
    assert values == {"correct": "yes", "fullness": "almost", "sentences": [2], "reasons": "It leaves out the roof."}
    assert lost == {}


def test_labels_of_a_choice_that_is_gone_are_lost_and_the_rest_stays() -> None:
    new = ebr(lambda data: aspect(data, "completeness")["scale"]["choices"].pop(1))
    assert "completeness.missing_minor: there is no such choice any more; its labels are lost" in report(new)
    values, lost = migrated(new)
    assert set(values) == {"correct", "sentences", "reasons"}
    assert lost == {"completeness": "there is no choice 'missing_minor' any more"}
    assert unanswered(values, new, SHAPE) == ["completeness"]
    assert migrated(new, values=GOOD | {"completeness": "complete"})[1] == {}
    assert migrated(new, ["completeness.missing_minor = missing_major"])[0]["completeness"] == "missing_major"


def test_a_choice_that_counts_differently_is_told() -> None:
    def change(data: Data) -> None:
        aspect(data, "completeness")["scale"]["choices"][1]["number"] = 75

    assert "completeness.missing_minor: counts 75, not 70" in report(ebr(change))


def test_another_kind_or_unit_drops_an_aspect_but_scales_may_change_places() -> None:
    def to_sentences(data: Data) -> None:
        data["aspects"][1] = {"key": "completeness", "kind": "sentences", "title": "Where?"}
        data["rescale"] = []

    assert "completeness: dropped; its kind was 'choice' and is 'sentences'" in report(ebr(to_sentences))
    assert migrated(ebr(to_sentences))[1] == {"completeness": "its kind was 'choice' and is 'sentences'"}

    def to_yes_no(data: Data) -> None:
        data["aspects"][0] = {"key": "correct", "kind": "yes_no", "title": "Correct?"}

    assert "correct: kept" in report(ebr(to_yes_no))
    assert migrated(ebr(to_yes_no)) == (GOOD, {})
    old = build_scheme(read_scheme(GROUP))
    text = GROUP.replace("    title: True?\n    per: candidate", "    title: True?")
    text = text.replace("    shown_when: {aspect: truth, at_most: 2}\n", "")
    lines = compare_schemes(old, build_scheme(read_scheme(text))).lines
    assert lines[0] == "truth: dropped; it was asked per candidate and is asked per item"


def test_what_the_new_version_refuses_or_hides_is_lost_with_the_reason() -> None:
    def shorter(data: Data) -> None:
        aspect(data, "reasons")["max_length"] = 5

    assert migrated(ebr(shorter)) == (GOOD, {})

    def conditional(data: Data) -> None:
        aspect(data, "sentences")["shown_when"] = {"aspect": "correct", "is": "no"}

    values, lost = migrated(ebr(conditional))
    assert "sentences" not in values
    assert lost == {"sentences": "it is not asked under these conditions any more"}


@pytest.mark.parametrize(
    ("key", "rule", "reason"),
    [
        ("reasons", {"min_length": 200}, "Please write at least 200 characters; there are 23."),
        ("reasons", {"max_length": 5}, "This is 23 characters long; at most 5 fit. Shorten it."),
        ("sentences", {"none_label": ""}, "Cite at least one sentence."),
        (
            "sentences",
            {"at_least_one_when": {"aspect": "completeness", "is": "missing_minor"}},
            "Cite at least one sentence.",
        ),
    ],
)
def test_an_answer_that_a_stricter_rule_would_refuse_is_kept_and_named(key: str, rule: Data, reason: str) -> None:
    values, old = GOOD | {"sentences": []}, ebr()
    new = ebr(lambda data: aspect(data, key).update(rule))
    result = migrate_values(values, new=new, changes=compare_schemes(old, new), shape=SHAPE)
    assert (result.values, result.lost, result.broken) == (values, {}, {key: reason})
    with pytest.raises(InvalidJudgmentError):
        check_judgment(new, values, SHAPE)


def test_a_group_migrates_candidate_by_candidate_with_its_mark() -> None:
    old = build_scheme(read_scheme(GROUP))
    new = build_scheme(read_scheme(GROUP.replace("truth", "truthful").replace("key: preferred", "key: best").replace(
        "preferred", "best")))  # fmt: skip
    changes = compare_schemes(old, new, read_renamings(["truth = truthful", "preferred = best"], old, new))
    shape = ItemShape(documents=(3,), candidates=2)
    values = {
        "truth.1": "4",
        "truth.2": "2",
        "proof.2": ["R1:1"],
        "preferred": "1",
        "preferred.forced": True,
        "why": "So.",
    }
    result = migrate_values(values, new=new, changes=changes, shape=shape)
    assert result.lost == {}
    assert result.values == {
        "truthful.1": "4", "truthful.2": "2", "proof.2": ["R1:1"], "best": "1", "best.forced": True, "why": "So.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("completeness", "is no renaming. Write old = new"),
        ("completness = fullness", "the old scheme has no aspect 'completness'; did you mean 'completeness'?"),
        ("completeness = fulness", "the new scheme has no aspect 'fulness'; there are: correct"),
        ("correct.maybe = yes", "'correct' has no choice 'maybe'"),
        ("correct.no = nay", "the new scheme has no choice 'nay'"),
        ("sentences.a = b", "'sentences' has no choice 'a'; there are none"),
    ],
)
def test_a_renaming_that_makes_no_sense_is_refused(line: str, reason: str) -> None:
    with pytest.raises(ValueError, match="“") as caught:
        read_renamings([line], ebr(), ebr())
    assert reason in str(caught.value)


def test_two_aspects_cannot_become_one() -> None:
    with pytest.raises(ValueError, match="two aspects cannot both become 'correct'"):
        read_renamings(["completeness = correct", "reasons = correct"], ebr(), ebr())
    lines = report(ebr(), "completeness = correct")
    assert lines[0] == "correct: dropped; another aspect becomes 'correct'"


def test_a_draft_keeps_what_was_typed_under_its_new_keys() -> None:
    def change(data: Data) -> None:
        aspect(data, "reasons")["key"] = data["rescale"][0]["explained_by"] = "why"
        aspect(data, "completeness")["scale"]["choices"][0]["key"] = "full"
        data["aspects"].pop(2)

    old, new = ebr(), ebr(change)
    changes = compare_schemes(old, new, read_renamings(["reasons = why", "completeness.complete = full"], old, new))
    typed = {"reasons": "It", "completeness": "complete", "sentences": "3, x", "strange": "kept"}
    assert migrate_draft(typed, changes) == {
        "why": "It",
        "completeness": "full",
        "sentences": "3, x",
        "strange": "kept",
    }


def test_a_draft_keeps_what_another_aspect_has_the_key_of_now() -> None:
    def with_notes(*keys: str) -> Scheme:
        notes = [{"key": key, "kind": "text", "title": key, "required": False} for key in keys]
        return ebr(lambda data: data["aspects"].extend(notes))

    old, new = with_notes("first", "second"), with_notes("second")
    changes = compare_schemes(old, new, read_renamings(["first = second"], old, new))
    typed = {"first": "One", "second": "Two"}
    kept = {"second": "One", "earlier: second": "Two"}
    assert migrate_draft(typed, changes) == migrate_draft(dict(reversed(typed.items())), changes) == kept
    assert migrate_draft({"second": "Two"}, changes) == {"earlier: second": "Two"}, "nobody answered the other with it"
    again = migrate_draft({"first": "1", "second": "2", "earlier: second": "0"}, changes)
    assert sorted(again.values()) == ["0", "1", "2"]


def test_a_draft_keeps_what_was_typed_to_a_question_that_is_of_another_kind_now() -> None:
    choices = [{"key": key, "label": key} for key in ("short", "wrong")]

    def change(data: Data) -> None:
        data["rescale"] = []
        data["aspects"][3] = {"key": "reasons", "kind": "several", "title": "Why?", "choices": choices}

    old, new = ebr(), ebr(change)
    changes = compare_schemes(old, new)
    assert changes.new == ("reasons",)
    assert migrate_draft({"reasons": "Half a thou"}, changes) == {"earlier: reasons": "Half a thou"}
    assert migrate_draft({"earlier: reasons": "Half a thou"}, compare_schemes(new, old)) == {
        "earlier: reasons": "Half a thou"
    }


def test_a_draft_of_several_choices_keeps_each_under_its_new_key() -> None:
    def with_tags(*keys: str) -> Scheme:
        choices = [{"key": key, "label": key} for key in keys]
        tags = {"key": "tags", "kind": "several", "title": "Which?", "choices": choices, "none_label": "None"}
        return ebr(lambda data: data["aspects"].append(tags))

    old, new = with_tags("short", "vague", "wrong"), with_tags("brief", "unclear", "wrong")
    renamings = ["tags.short = brief", "tags.vague = unclear"]
    changes = compare_schemes(old, new, read_renamings(renamings, old, new))
    typed = {"short, wrong": "brief, wrong", "short": "brief", "none": "none", "vague, short": "unclear, brief"}
    for before, after in typed.items():
        assert migrate_draft({"tags": before, "reasons": "short, vague"}, changes) == {
            "tags": after,
            "reasons": "short, vague",
        }


# --- For every scheme and judgment ------------------------------------------------------------------------


@settings(max_examples=40)
@given(judgments().map(checked))
def test_the_same_version_changes_nothing(judgment: tuple[Scheme, Data, ItemShape]) -> None:
    scheme, values, shape = judgment
    changes = compare_schemes(scheme, scheme)
    assert not changes.loses_something
    result = migrate_values(values, new=scheme, changes=changes, shape=shape)
    assert (result.values, result.lost) == (values, {})


@settings(max_examples=40)
@given(judgments().map(checked), schemes())
def test_into_any_version_each_value_is_migrated_or_lost_with_a_reason(
    judgment: tuple[Scheme, Data, ItemShape], data: Data
) -> None:
    old, values, shape = judgment
    new = build_scheme(data)
    before = copy.deepcopy(values)
    result = migrate_values(values, new=new, changes=compare_schemes(old, new), shape=shape)
    assert values == before
    assert all(result.lost.values())
    assert set(result.lost) | set(result.values) == set(values)  # nothing is renamed here
    assert not set(result.lost) & set(result.values)
    everything = {each.key for each in new.aspects}
    assert check_judgment(new, result.values, shape, not_asked=everything) == result.values


@settings(max_examples=40)
@given(judgments().map(checked), st.integers(0, 4))
def test_a_renaming_there_and_back_is_no_change(judgment: tuple[Scheme, Data, ItemShape], which: int) -> None:
    scheme, values, shape = judgment
    key = scheme.aspects[which % len(scheme.aspects)].key
    if any(
        each.required_when or each.shown_when or getattr(each, "at_least_one_when", None) for each in scheme.aspects
    ):
        return  # conditions name aspects by their keys
    other = scheme.model_copy(
        update={"aspects": tuple(e.model_copy(update={"key": "b"}) if e.key == key else e for e in scheme.aspects)}
    )
    there = compare_schemes(scheme, other, Renamings({key: "b"}))
    back = compare_schemes(other, scheme, Renamings({"b": key}))
    moved = migrate_values(values, new=other, changes=there, shape=shape)
    assert migrate_values(moved.values, new=scheme, changes=back, shape=shape).values == values


def test_the_whole_scheme_migrates_to_itself() -> None:
    data = read_scheme(ONE_ANSWER)
    scheme = build_scheme(data)
    (example,) = scheme.examples
    result = migrate_values(example.values, new=scheme, changes=compare_schemes(scheme, scheme), shape=example.shape)
    assert result.lost == {}
