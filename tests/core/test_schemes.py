"""Schemes from files, with the line of each mistake; judgments under a scheme, with a reason beside each aspect."""

import json
from typing import Any

import pytest

from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    ItemShape,
    Scheme,
    SchemeError,
    build_scheme,
    check_judgment,
    citations,
    labels_given,
    preset,
    presets,
    read_scheme,
)
from annotation_platform.core.schemes.loading import PRESETS
from annotation_platform.core.schemes.writing import write_scheme

SCHEME = """\
key: taste
title: {en: Taste, ja: 味}
shown: [article, question, answer]
aspects:
  - key: liked
    kind: choice
    title: Liked?
    scale:
      level: ordinal
      better: high
      choices:
        - {key: liked, label: Liked, number: 1}
        - {key: disliked, label: Disliked, number: 0}
  - key: flaw
    kind: choice
    title: Which flaw?
    shown_when: {aspect: liked, is: [disliked]}
    scale:
      level: nominal
      choices:
        - {key: salt, label: Salt}
        - {key: cold, label: Cold}
  - key: remedy
    kind: text
    title: What would help?
    required: false
    max_length: 40
    shown_when: {aspect: flaw, is: [salt]}
  - key: lines
    kind: sentences
    title: Where does it say so?
    shown_when: {aspect: flaw, is: [salt, cold]}
  - key: why
    kind: text
    title: Why?
    min_length: 3
rescale:
  - {aspect: liked, explained_by: why}
"""


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    return build_scheme(read_scheme(SCHEME))


def reasons_of(text: str) -> list[str]:
    with pytest.raises(SchemeError) as caught:
        read_scheme(text, source="taste.yaml")
    return caught.value.reasons


def changed(*pairs: tuple[str, str]) -> str:
    text = SCHEME
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return text


# --- Files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(PRESETS.glob("*.yaml")), ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_preset_is_a_scheme_in_every_language(path: Any, language: str) -> None:
    assert build_scheme(preset(path.stem), language).key == path.stem


def test_changing_a_presets_data_does_not_change_the_preset() -> None:
    preset("ebr")["aspects"].clear()
    assert preset("ebr")["aspects"]


def test_an_unknown_preset_is_told_which_there_are() -> None:
    with pytest.raises(SchemeError, match=r"erb: no preset has this name; there are: .*\bebr\b"):
        preset("erb")


def test_a_preset_is_a_name_and_never_a_path() -> None:
    with pytest.raises(SchemeError):
        preset("../presets/ebr")


def test_texts_are_in_the_language_asked_for_or_in_english(scheme: Scheme) -> None:
    japanese = build_scheme(read_scheme(SCHEME), "ja")
    assert (scheme.title, japanese.title) == ("Taste", "味")
    assert japanese.aspect("why").title == "Why?"


def test_each_of_several_mistakes_has_its_line_and_its_key_path() -> None:
    text = changed(
        ("better: high", "better: higher"),
        ("{key: salt, label: Salt}", "{key: salt, lable: Salt}"),
        ("max_length: 40", "max_length: 0"),
        ("title: Why?", "titel: Why?"),
    )
    lines = text.splitlines()
    reasons = reasons_of(text)
    expected = {
        "better: higher": "aspects[0].scale.better",
        "max_length: 0": "aspects[2].max_length",
        "titel: Why?": "aspects[4].titel",
    }
    for content, path in expected.items():
        line = next(number for number, line in enumerate(lines, start=1) if content in line)
        assert any(reason.startswith(f"taste.yaml, line {line}: {path}: ") for reason in reasons), reasons
    salt = next(number for number, line in enumerate(lines, start=1) if "lable" in line)
    assert any(reason.startswith(f"taste.yaml, line {salt}: aspects[1].scale.choices[0].lable") for reason in reasons)
    assert any("aspects[1].scale.choices[0].label: is missing" in reason for reason in reasons)


def test_no_path_names_a_key_that_the_file_does_not_have() -> None:
    (reason,) = reasons_of(changed(("      level: nominal\n", "")))
    assert "aspects[1].scale.level: is missing" in reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("key: [taste", "taste.yaml, line 1: "),
        ("key: taste\n\ttitle: x", "taste.yaml, line 2: "),
        ("- key: taste", "taste.yaml, line 1: a scheme is a mapping"),
        ("", "taste.yaml, line 1: a scheme is a mapping"),
    ],
)
def test_what_is_no_mapping_in_yaml_is_refused(text: str, reason: str) -> None:
    (told,) = reasons_of(text)
    assert told.startswith(reason)


def test_a_worked_example_must_itself_be_a_judgment() -> None:
    text = SCHEME + "examples:\n  - title: One\n    values: {liked: perhaps, why: So}\n"
    reasons = reasons_of(text)
    line = len(text.splitlines())
    assert any(told.startswith(f"taste.yaml, line {line}: examples[0].values.liked: ") for told in reasons)
    assert any("examples[0].values.why: Please write at least 3" in told for told in reasons)


# --- Judgments --------------------------------------------------------------------------------------------

GOOD = {"liked": "disliked", "flaw": "salt", "remedy": "less of it", "lines": [2, 1, 2], "why": " Too salty. "}


def errors_of(scheme: Scheme, raw: dict[str, Any], sentence_count: int = 5) -> dict[str, str]:
    with pytest.raises(InvalidJudgmentError) as caught:
        check_judgment(scheme, raw, ItemShape(sentences=sentence_count))
    return caught.value.errors


def test_a_judgment_has_one_canonical_form(scheme: Scheme) -> None:
    values = check_judgment(scheme, {**GOOD, "lines": "2, 1"}, ItemShape(sentences=5))
    assert values == check_judgment(scheme, GOOD, ItemShape(sentences=5))
    assert values == {**GOOD, "lines": [1, 2], "why": "Too salty."}
    assert check_judgment(scheme, values, ItemShape(sentences=5)) == values


def test_hidden_aspects_are_not_stored_and_not_checked(scheme: Scheme) -> None:
    values = check_judgment(scheme, {**GOOD, "liked": "liked", "lines": [99]}, ItemShape(sentences=5))
    assert values == {"liked": "liked", "why": "Too salty."}


def test_what_a_hidden_aspect_would_show_is_hidden_too(scheme: Scheme) -> None:
    shown = [slot.key for slot in scheme.shown_slots(ItemShape(), {**GOOD, "liked": "liked"})]
    assert shown == ["liked", "why"]


def test_every_missing_aspect_that_is_shown_has_its_reason(scheme: Scheme) -> None:
    assert set(errors_of(scheme, {})) == {"liked", "why"}
    assert set(errors_of(scheme, {"liked": "disliked", "flaw": "cold"})) == {"lines", "why"}


@pytest.mark.parametrize(
    ("aspect", "value", "reason"),
    [
        ("liked", "loved", "not one of the choices (liked, disliked)"),
        ("liked", "", "Choose one"),
        ("liked", True, "not one of the choices"),
        ("liked", ["liked"], "not one of the choices"),
        ("why", "  \r\n ", "write something"),
        ("why", "ab", "at least 3 characters; there are 2"),
        ("why", 5, "must be text"),
        ("why", ["a", "b"], "must be text"),
        ("remedy", "x" * 41, "41 characters long; at most 40"),
        ("why", "x" * 100_000, "100,000 characters long"),
        ("lines", [6], "no sentence 6. Numbers lie between 1 and 5"),
        ("lines", [0], "no sentence 0"),
        ("lines", "4-9", "no sentence 9"),
        ("lines", [True], "list of sentence numbers"),
        ("lines", ["1"], "list of sentence numbers"),
        ("lines", {"1": 1}, "list of sentence numbers"),
        ("lines", "", "Cite the sentences"),
        ("lines", " , ", "Cite the sentences"),
        ("lines", ".", "Cite the sentences"),
        ("lines", "、。", "Cite the sentences"),
        ("lines", "；", "Cite the sentences"),
        ("lines", None, "Cite the sentences"),
        ("colour", "red", "no such aspect"),
    ],
)
def test_each_kind_of_mistake_in_a_judgment_is_told(scheme: Scheme, aspect: str, value: Any, reason: str) -> None:
    errors = errors_of(scheme, {**GOOD, aspect: value})
    assert reason in errors.pop(aspect)
    assert not errors or aspect == "liked"


def test_citing_nothing_is_an_answer_that_must_be_said(scheme: Scheme) -> None:
    for none in ([], "none", "なし"):
        assert check_judgment(scheme, {**GOOD, "lines": none}, ItemShape(sentences=5))["lines"] == []


@pytest.mark.parametrize("none", ["none", " NONE.", "no", "-", "なし", "無し。"])
def test_conditions_take_each_word_for_citing_nothing_as_the_check_does(none: str) -> None:
    asks = "  - {key: instead, kind: text, title: What instead?, shown_when: {aspect: lines, is: none}}\n"
    scheme = build_scheme(read_scheme(changed(("rescale:\n", f"{asks}rescale:\n"))))
    assert "write something" in errors_of(scheme, {**GOOD, "lines": none})["instead"]
    assert "instead" not in check_judgment(scheme, {**GOOD, "lines": "2"}, ItemShape(sentences=5))


def test_sentences_of_a_withheld_text_have_no_upper_limit(scheme: Scheme) -> None:
    assert check_judgment(scheme, {**GOOD, "lines": [70]}, ItemShape(sentences=0))["lines"] == [70]


def test_what_was_never_asked_may_be_absent_but_is_checked_when_it_is_there(scheme: Scheme) -> None:
    raw = {key: value for key, value in GOOD.items() if key != "lines"}
    assert "lines" not in check_judgment(scheme, raw, ItemShape(sentences=5), not_asked={"lines"})
    with pytest.raises(InvalidJudgmentError, match="no sentence 9"):
        check_judgment(scheme, {**raw, "lines": [9]}, ItemShape(sentences=5), not_asked={"lines"})


def test_ratings_carry_the_numbers_of_their_scales_and_references_their_aspect(scheme: Scheme) -> None:
    values = check_judgment(scheme, GOOD, ItemShape(sentences=5))
    assert [(r.aspect, r.choice, r.number) for r in labels_given(scheme, values, ItemShape(sentences=5))] == [
        ("liked", "disliked", 0.0),
        ("flaw", "salt", None),
    ]
    cited = citations(scheme, values, ItemShape(sentences=5))
    assert [(each.aspect, each.number) for each in cited] == [("lines", 1), ("lines", 2)]


# --- Files written ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", presets())
def test_a_preset_is_written_as_its_own_file_with_its_comments(key: str) -> None:
    assert write_scheme(preset(key)) == (PRESETS / f"{key}.yaml").read_text()


@pytest.mark.parametrize("key", presets())
def test_a_changed_preset_is_written_in_the_order_of_the_language(key: str) -> None:
    data = json.loads(json.dumps(preset(key) | {"judgments_per_item": 9}, sort_keys=True))  # as a database may store it
    text = write_scheme(data)
    assert read_scheme(text) == data
    assert text.startswith(f"key: {key}\ntitle:")
    assert "  - key: " in text
