"""Marked spans in a scheme: what a file may say, what a judgment may, and what becomes of it."""

import json
from typing import Any

import pytest

from annotation_platform.core.items import Answer, Document, ItemTexts
from annotation_platform.core.marked_text import ShownSpan, lanes, segments
from annotation_platform.core.qualification import AcceptedAnswersError, check_accepted, match
from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    ItemShape,
    Scheme,
    SchemeError,
    Span,
    build_scheme,
    check_judgment,
    read_scheme,
    renumber_candidates,
    spans_given,
)
from annotation_platform.core.schemes.judgment_schema import judgment_schema
from annotation_platform.core.schemes.migration import compare_schemes, migrate_draft, migrate_values, read_renamings
from annotation_platform.core.schemes.spans import in_words
from annotation_platform.core.schemes.summary import texts_of
from annotation_platform.core.schemes.typed_values import typed_spans

MARKS = """\
key: marks
title: Marks
shown: [article, documents, question, reference_answers, answer]
aspects:
  - key: errors
    kind: spans
    title: Mark
    marks: [answer, question, article, documents, reference_answers]
    max_spans: 3
    notes: true
    labels:
      - {key: wrong, label: Wrong, colour: blue}
      - {key: vague, label: Vague}
  - {key: why, kind: text, title: Why, shown_when: {aspect: errors, is: vague}}
  - {key: sure, kind: yes_no, title: Sure, shown_when: {aspect: errors, is_not: none}}
"""
TEXTS = ItemTexts(
    question="Why?",
    reference_answers=("It broke.",),
    answers=(Answer(0, "The \U0001f6a2 broke."),),
    article=Document(0, ("It broke.", "橋も。")),
    documents=(Document(1, ("One.", "Two.")),),
)
SHAPE = TEXTS.shape


@pytest.fixture
def scheme() -> Scheme:
    return build_scheme(read_scheme(MARKS))


def span(start: Any, end: int, label: Any = "wrong", text: Any = "answer", **more: Any) -> dict[str, Any]:
    return {"text": text, "start": start, "end": end, "label": label} | more


def reasons(scheme: Scheme, said: Any, shape: ItemShape = SHAPE) -> str:
    with pytest.raises(InvalidJudgmentError) as refused:
        check_judgment(scheme, {"errors": said, "sure": "yes"}, shape)
    return str(refused.value.errors["errors"])


def test_spans_are_sorted_may_overlap_and_count_code_points(scheme: Scheme) -> None:
    marks = [span(4, 12, note=" the ship\r\nitself "), span(0, 12), span(10, 13, text="article")]
    wanted = {"errors": [marks[1], span(4, 12, note="the ship\nitself"), marks[2]], "sure": "yes"}
    for said in (marks, json.dumps(marks), [*reversed(marks)]):
        assert check_judgment(scheme, {"errors": said, "sure": "yes"}, SHAPE) == wanted
    assert TEXTS.named["article"][10:13] == "橋も。"
    assert TEXTS.named["answer"][4:12] == "\U0001f6a2 broke."
    assert spans_given(scheme, wanted, SHAPE)[1] == Span("errors", 0, "answer", 4, 12, "wrong", "the ship\nitself")
    assert check_judgment(scheme, wanted, SHAPE) == wanted


def test_none_is_said_and_leaves_open_what_asks_for_a_mark(scheme: Scheme) -> None:
    assert check_judgment(scheme, {"errors": "none"}, SHAPE) == {"errors": []}
    assert check_judgment(scheme, {"errors": []}, SHAPE) == {"errors": []}
    assert reasons(scheme, "") == "Mark words in the text, or say “Nothing to mark”."
    with pytest.raises(InvalidJudgmentError) as refused:
        check_judgment(scheme, {"errors": [span(0, 3, "vague")], "sure": "yes"}, SHAPE)
    assert list(refused.value.errors) == ["why"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("[1", "This must be a list of marks."),
        ({}, "This must be a list of marks."),
        ([1], "Mark 1: it needs a text"),
        ([span(0, 3), span(1.0, 3)], "Mark 2: it needs a text, whole numbers"),
        ([span(True, 3)], "Mark 1: it needs a text"),
        ([span(0, 3, colour="red")], "Mark 1: it needs a text"),
        ([span(0, 3, "other")], "“other” is not one of the labels (wrong, vague)"),
        ([span(0, 3, ["wrong"])], "is not one of the labels"),
        ([span(0, 3, text="rationale")], "“rationale” is no text that can be marked here"),
        ([span(0, 3, text="R2")], "“R2” is no text"),
        ([span(0, 3, text=["answer"])], "is no text"),
        ([span(3, 3)], "ends at 3"),
        ([span(0, 13)], "0 to 13 is not within the text “answer”, which has 12 characters"),
        ([span(-1, 3)], "is not within"),
        ([span(0, 3), span(0, 3, note="again")], "marked twice"),
        ([span(0, 3, note=5)], "no words can be written"),
        ([span(0, 3, note="x" * 1001)], "1,001 characters"),
        ([span(0, end) for end in range(1, 5)], "at most 3 fit"),
    ],
)
def test_what_is_wrong_is_told_with_the_number_of_the_mark(scheme: Scheme, said: Any, reason: str) -> None:
    assert reason in reasons(scheme, said)


def test_where_lengths_are_unknown_any_span_is_taken(scheme: Scheme) -> None:
    marks = [span(5, 5_000, text="R7")]
    assert check_judgment(scheme, {"errors": marks, "sure": "no"}, ItemShape())["errors"] == marks


@pytest.mark.parametrize(
    ("before", "after", "mistake"),
    [
        (
            "marks: [answer, question",
            "marks: [rationale, question",
            "line 8: aspects[0].marks[0]: needs rationale in 'shown'",
        ),
        ("marks: [answer, question", "marks: [answer, answer", "marks[1]: answer is in the list twice"),
        ("marks: [answer, question", "marks: [anser, question", "aspects[0].marks[0]: must be one of"),
        ("max_spans: 3", "max_spans: 3\n    min_spans: 4", "aspects[0].max_spans: is below min_spans, which is 4"),
        ("key: vague, label", "key: wrong, label", "line 13: aspects[0].labels[1].key"),
        ("key: vague, label", "key: none, label", "aspects[0].labels[1].key"),
        ("colour: blue", "colour: navy", "aspects[0].labels[0].colour: must be one of 'red'"),
        ("is: vague", "is: vauge", "did you mean 'vague'"),
        ("kind: spans", "kind: spans\n    per: candidate", "aspects[0].per"),
        ("labels:", "lables:", "aspects[0].lables: there is no key 'lables' here; did you mean 'labels'"),
    ],
)
def test_mistakes_are_told_with_their_place(before: str, after: str, mistake: str) -> None:
    with pytest.raises(SchemeError) as refused:
        read_scheme(MARKS.replace(before, after))
    assert mistake in str(refused.value)


def test_candidates_are_marked_one_by_one() -> None:
    text = MARKS.replace("reference_answers, answer]\nasp", "reference_answers, candidates]\nasp")
    with pytest.raises(SchemeError, match="write 'per: candidate'"):
        read_scheme(text)
    single = text.replace(
        "    marks: [answer, question, article, documents, reference_answers]\n", "    per: candidate\n"
    )
    each = single.replace("title: Why,", "title: Why, per: candidate,").replace(
        "title: Sure,", "title: Sure, per: candidate,"
    )
    scheme = build_scheme(read_scheme(each))
    texts = ItemTexts(answers=(Answer(1, "One two"), Answer(2, "One")))
    said = {"errors.1": [span(4, 7)], "errors.2": [span(0, 3)], "sure.1": "yes", "sure.2": "no"}
    assert check_judgment(scheme, said, texts.shape) == said
    with pytest.raises(InvalidJudgmentError, match="4 to 7 is not within"):
        check_judgment(scheme, said | {"errors.2": [span(4, 7)]}, texts.shape)
    assert renumber_candidates(scheme, said, {1: 2, 2: 1})["errors.2"] == [span(4, 7)]
    assert [each.candidate for each in spans_given(scheme, said, texts.shape)] == [1, 2]


def test_labels_get_free_colours_and_the_texts_for_annotators_are_known(scheme: Scheme) -> None:
    assert scheme.aspects[0].colours == {"wrong": "blue", "vague": "red"}  # type: ignore[union-attr]
    assert ("aspects", 0, "labels", 1, "label") in texts_of(read_scheme(MARKS))


def test_the_schema_of_a_judgment_describes_a_span(scheme: Scheme) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = judgment_schema(scheme)
    jsonschema.validate({"errors": [span(0, 3, note="so")], "sure": "yes"}, schema)
    for wrong in ([span(0, 3, "other")], [{"text": "answer"}], 5):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"errors": wrong}, schema)


def test_renamed_labels_migrate_and_lost_ones_are_told(scheme: Scheme) -> None:
    new = build_scheme(read_scheme(MARKS.replace("key: vague", "key: unclear").replace("is: vague", "is: unclear")))
    said = {"errors": [span(0, 3), span(4, 5, "vague")], "why": "So.", "sure": "no"}
    changes = compare_schemes(scheme, new)
    assert changes.loses_something
    assert "errors" in migrate_values(said, new=new, changes=changes, shape=SHAPE).lost
    renamed = compare_schemes(scheme, new, read_renamings(["errors.vague = unclear"], scheme, new))
    migrated = migrate_values(said, new=new, changes=renamed, shape=SHAPE)
    assert migrated.lost == {}
    assert migrated.values["errors"] == [span(0, 3), span(4, 5, "unclear")]
    draft = migrate_draft({"errors": json.dumps(said["errors"])}, renamed)
    assert json.loads(draft["errors"]) == migrated.values["errors"]


def test_accepted_spans_match_by_the_characters_that_both_have(scheme: Scheme) -> None:
    accepted = check_accepted(scheme, {"errors": json.dumps([span(0, 10, note="seen")])}, SHAPE)
    assert accepted == {"errors": [span(0, 10)]}
    for said, is_match in (
        ([span(0, 5)], True),  # half of it
        ([span(0, 4)], False),
        ([span(0, 6), span(4, 10)], True),
        ([span(0, 10, "vague")], False),
        ([], False),
    ):
        assert match(scheme, accepted, {"errors": said}).is_whole is is_match, said
    assert match(scheme, accepted, {"errors": [span(0, 6)]}, least_overlap=61).missed == ("errors",)
    assert match(scheme, {"errors": []}, {"errors": []}).is_whole
    assert check_accepted(scheme, {"errors": "none"}, SHAPE) == {"errors": []}
    with pytest.raises(AcceptedAnswersError, match="not within"):
        check_accepted(scheme, {"errors": [span(0, 99)]}, SHAPE)


def test_words_for_people(scheme: Scheme) -> None:
    aspect = scheme.spans_aspects[0]
    assert (
        in_words(aspect, [span(0, 3, note="so"), span(0, 3, "vague", "R1")], TEXTS.named)
        == "Wrong: “The” (so); Vague: “One”"
    )
    assert in_words(aspect, [span(0, 3)]) == "Wrong: answer 0–3"
    assert in_words(aspect, []) == "Nothing to mark"


def test_overlapping_spans_are_drawn_in_lanes() -> None:
    assert lanes([(0, 5), (3, 9), (5, 7), (0, 9)]) == [1, 2, 1, 0]
    spans = [ShownSpan(0, 5, "red", "1"), ShownSpan(3, 9, "blue", "2")]
    drawn = [
        (each.text, [(cover.span.sign, cover.begins) for cover in each.covers])
        for each in segments("abcdefghij", spans)
    ]
    assert drawn == [("abc", [("1", True)]), ("de", [("2", True), ("1", False)]), ("fghi", [("2", False)]), ("j", [])]
    assert [each.text for each in segments("fghij", spans, start=5)] == ["fghi", "j"]


def test_a_list_nested_without_end_is_no_list_of_spans() -> None:
    nested = "[" * 5_000
    assert typed_spans(nested) == nested
