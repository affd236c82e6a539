"""What the scheme language refuses: for each of its rules a file that breaks it, the line, and what is said."""

from typing import Any

import pytest

from annotation_platform.core.reasons import as_data
from annotation_platform.core.schemes import SchemeError, preset, presets, read_scheme
from annotation_platform.core.schemes.loading import MOST_CHARACTERS
from tests.core.whole_schemes import GROUP, ONE_ANSWER


def reasons_of(text: str) -> list[Any]:
    with pytest.raises(SchemeError) as caught:
        read_scheme(text, source="x.yaml")
    return caught.value.reasons


def broken(text: str, old: str, new: str) -> tuple[list[Any], int]:
    """The reasons after a change, and the line of its last line."""
    assert old in text, old
    line = text[: text.index(old)].count("\n") + 1 + new.count("\n")
    return reasons_of(text.replace(old, new, 1)), line


def test_the_whole_schemes_are_right() -> None:
    for text in (ONE_ANSWER, GROUP):
        assert read_scheme(text)["key"] in {"dish", "duel"}


@pytest.mark.parametrize(
    ("old", "new", "path", "reason"),
    [
        # the scheme
        ("key: dish", "key: Dish", "key", "must be a short name"),
        ("title: {en: A dish, ja: 料理}", "title: {ja: 料理}", "title", "needs at least 'en'"),
        ("title: {en: A dish, ja: 料理}", "title: {en: A, fr: B}", "title", "'fr' is none of them"),
        ("title: {en: A dish, ja: 料理}", "title: 5", "title", "put 5 in quotes"),
        ("title: {en: A dish, ja: 料理}", "title:", "title", "is empty"),
        ("title: {en: A dish, ja: 料理}", 'title: ""', "title", "must not be empty"),
        ("title: {en: A dish, ja: 料理}", 'title: "a\\0b"', "title", "cannot be stored (U+0000)"),
        ("title: {en: A dish, ja: 料理}", "titel: A dish", "titel", "no key 'titel' here; did you mean 'title'?"),
        ("judgments_per_item: 3", "judgments_per_item: 0", "judgments_per_item", "must be 1 or more, not 0"),
        ("judgments_per_item: 3", "judgments_per_item: 3\nkey: x", "", "the key 'key' is there already, in line 1"),
        # what is shown
        ("  - question", "  - qestion", "shown[2].part", "'question', 'choices'"),
        ("  - question", "  - article", "shown[2]", "'article' is there twice"),
        ("  - question", "  - {part: question, titel: Q}", "shown[2].titel", "did you mean 'title'?"),
        ("  - answer\n  - rationale", "  - candidates\n  - answer", "shown[6]", "leave out 'answer'"),
        ("  - rationale", "  - candidates\n  - rationale", "shown[7]", "leave out 'rationale'"),
        # every aspect
        ("key: overall", "key: taste", "aspects[1].key", "has the key 'taste' already"),
        ("kind: stars", "kind: star", "aspects[1].kind", "no kind 'star'; did you mean 'stars'?"),
        ("title: Why?", "titel: Why?", "aspects[7].titel", "did you mean 'title'?"),
        (
            "- key: overall\n    kind: stars\n    title: And over all?",
            "- key: overall",
            "aspects[1].kind",
            "is missing",
        ),
        ("{key: good, label: Good, number: 2}", "{key: good}", "aspects[0].scale.choices[0].label", "is missing"),
        ("title: And over all?", "title: x\n    required: maybe", "aspects[1].required", "must be true or false"),
        ("title: And over all?", "title: x\n    per: candidate", "aspects[1].per", "needs candidates in 'shown'"),
        ("    min_length: 3", "    required: true", "aspects[7].required", "not both"),
        # choice
        ("display: row", "display: rows", "aspects[0].display", "must be one of 'list', 'row', not 'rows'"),
        ("level: ordinal", "level: nominell", "aspects[0].scale.level", "'nominal', 'ordinal'"),
        ("key: bad, label", "key: good, label", "aspects[0].scale.choices[2].key", "'good' is there twice"),
        ("key: good, label: Good", "key: Good, label: Good", "aspects[0].scale.choices[0].key", "a number or a short"),
        ("key: good, label: Good", "key: 2, label: Good", "aspects[0].scale.choices[0].key", "put 2 in quotes"),
        ("number: 0}", "number: 1}", "aspects[0].scale.choices[2].number", "same number, 1"),
        (
            "level: ordinal\n      better: high\n      choices:\n        - {key: good, label: Good, number: 2}",
            "level: ratio\n      better: high\n      choices:\n        - {key: good, label: Good, number: -2}",
            "aspects[0].scale.choices[0].number",
            "a ratio scale has nothing below 0; with -2, use 'interval'",
        ),
        ("label: Bad, number: 0}", "label: Bad}", "aspects[0].scale.choices[2]", "needs a number for every choice"),
        ("      better: high", "      better: high\n      best: 1", "aspects[0].scale.best", "not both"),
        ("      better: high", "      best: 7", "aspects[0].scale.best", "no choice has the number 7"),
        # stars
        ("points: 4", "points: 11", "aspects[1].points", "must be 10 or less, not 11"),
        ("{1: Poor, 4: Great}", "{5: Great}", "aspects[1].labels.5", "no star 5; there are 1 to 4"),
        # yes or no
        ('better: "yes"', "better: true", "aspects[2].better", "must be one of 'yes', 'no'"),
        ("not_applicable: It is ice cream", 'yes: ""', "aspects[2].yes", "must not be empty"),
        # range
        ("high: 1", "high: -1", "aspects[3].high", "must be above 'low', which is -1"),
        ("step: 0.5", "step: 0.3", "aspects[3].step", "steps of 0.3 from -1 do not meet 1"),
        ("step: 0.5", "step: 0.001", "aspects[3].step", "2,001 points; at most 201"),
        ("step: 0.5", "step: 0", "aspects[3].step", "must be above 0, not 0"),
        ("best: 0", "best: 0.2", "aspects[3].best", "no choice has the number 0.2"),
        ("    best: 0", "    better: high\n    best: 0", "aspects[3].best", "not both"),
        ("{-1: bland, 0: right", "{-2: bland, 0: right", "aspects[3].labels.-2", "-2 is no point of the range"),
        ("low: -1", "low: .nan", "aspects[3].low", "finite number"),
        # the item's choices, several
        ("key: raw", "key: burnt", "aspects[5].choices[1].key", "'burnt' is there twice"),
        ("key: raw", "key: none", "aspects[5].choices[1].key", "taken by 'none_label'"),
        # text
        ("max_length: 40", "max_length: 2", "aspects[7].max_length", "below 'min_length', which is 3"),
        ("explains: [taste, warm]", "explains: [lines]", "aspects[7].explains[0]", "'lines' is no aspect with labels"),
        ("explains: [taste, warm]", "explains: [tast]", "aspects[7].explains[0]", "did you mean 'taste'?"),
        # conditions
        ("{aspect: why, answered: true}", "5", "aspects[8].shown_when", "must be a mapping"),
        ("{aspect: why, answered: true}", "{aspect: why}", "aspects[8].shown_when", "says one of 'is'"),
        ("{aspect: why, answered: true}", "{is: a}", "aspects[8].shown_when", "names an 'aspect'"),
        (
            "{aspect: why, answered: true}",
            "{aspect: why, answered: true, is: a}",
            "aspects[8].shown_when",
            "says one of 'is'",
        ),
        ("{aspect: why, answered: true}", "{all: []}", "aspects[8].shown_when.all", "must not be empty"),
        ("{aspect: why, answered: true}", "{not: {}}", "aspects[8].shown_when.not", "names an 'aspect'"),
        (
            "{aspect: why, answered: true}",
            "{aspect: why, answerd: true}",
            "aspects[8].shown_when.answerd",
            "did you mean 'answered'?",
        ),
        ('{aspect: warm, is: "no"}', "{aspect: why, is: x}", "aspects[5].shown_when.any[1].aspect", "no aspect above"),
        (
            '{aspect: warm, is: "no"}',
            "{aspect: flaws, is: x}",
            "aspects[5].shown_when.any[1].aspect",
            "no aspect above",
        ),
        ('{aspect: warm, is: "no"}', "{aspect: wram, is: x}", "aspects[5].shown_when.any[1].aspect", "mean 'warm'?"),
        (
            '{aspect: warm, is: "no"}',
            "{aspect: warm, is: nay}",
            "aspects[5].shown_when.any[1].is[0]",
            "no choice 'nay'",
        ),
        (
            '{aspect: warm, is: "no"}',
            "{aspect: warm, is: true}",
            "aspects[5].shown_when.any[1].is[0]",
            "put true in quotes",
        ),
        (
            "{aspect: taste, at_most: 1}",
            "{aspect: taste, at_most: -1}",
            "aspects[5].shown_when.any[0].at_most",
            "2, 1, 0",
        ),
        (
            "{aspect: taste, at_most: 1}",
            "{aspect: right, at_least: 1}",
            "aspects[5].shown_when.any[0].at_least",
            "none",
        ),
        ('is_not: ["0"]', 'is_not: ["7"]', "aspects[7].required_when.is_not[0]", "no choice '7'"),
        (
            "{aspect: flaws, is: none}",
            "{aspect: taste, is: none}",
            "aspects[6].at_least_one_when.all[1].not.is[0]",
            "'none'",
        ),
        # rescaling and composites
        (
            "{aspect: taste, explained_by",
            "{aspect: warm, explained_by",
            "rescale[0].aspect",
            "no aspect with an ordered scale",
        ),
        ("{aspect: taste, explained_by", "{aspect: salt, explained_by", "rescale[0].aspect", "which end is better"),
        ("explained_by: why", "explained_by: lines", "rescale[0].explained_by", "'lines' is no text aspect"),
        (
            "  - {aspect: taste, explained_by: why}",
            "  - {aspect: taste, explained_by: why}\n  - {aspect: taste, explained_by: why}",
            "rescale[1].aspect",
            "rescaled already",
        ),
        ("parts: [taste, salt]", "parts: [taste, right]", "composites[0].parts[1]", "'right' is no rated aspect"),
        ("predicts: overall", "predicts: why", "composites[0].predicts", "'why' is no rated aspect"),
        ("predicts: overall", "predicts: taste", "composites[0].predicts", "one of its own parts"),
        (
            "predicts: overall}",
            "predicts: overall}\n  - {key: quality, title: Q, parts: [salt], predicts: taste}",
            "composites[1].key",
            "has the key 'quality' already",
        ),
        # worked examples
        ("anchor: 2", "anchor: 3", "examples[0].anchor", "no sentence 3; there are 2"),
        ("taste: fair", "taste: foul", "examples[0].values.taste", "not one of the choices"),
        ("why: Salty.", "wy: Salty.", "examples[0].values.wy", "no such aspect"),
        ("why: Salty.", "remark: Salty.", "examples[0].values.why", "Please write something"),
        ('"R1:1"', '"R2:1"', "examples[0].values.lines", "no reference document R2"),
        ("values: {", "valeus: {", "examples[0].valeus", "did you mean 'values'?"),
    ],
)
def test_a_broken_rule_is_told_at_its_line(old: str, new: str, path: str, reason: str) -> None:
    reasons, line = broken(ONE_ANSWER, old, new)
    start = f"x.yaml, line {line}: {path}"
    assert any(told.startswith(start) and reason in told for told in reasons), reasons


@pytest.mark.parametrize(
    ("old", "new", "path", "reason"),
    [
        ("kind: best_of", "kind: best_of\n    per: candidate", "aspects[2].per", "cannot be asked per candidate"),
        (
            "kind: best_of\n    title: Which is best?\n    forced_label: None is good, but if I must choose",
            "kind: item_choice\n    title: Which?",
            "aspects[2].kind",
            "needs choices in 'shown'",
        ),
        (
            "shown: [question, documents, candidates]",
            "shown: [question, documents]",
            "aspects[2].kind",
            "needs candidates",
        ),
        (
            "shown: [question, documents, candidates]",
            "shown: [question, candidates]",
            "aspects[1].kind",
            "needs article or documents",
        ),
        ("    title: Why?", "    title: Why?\n    per: candidate", "aspects[3].per", "must stand together"),
        (
            "{aspect: preferred, answered: true}",
            "{aspect: truth, at_most: 2}",
            "aspects[3].required_when.aspect",
            "is asked per candidate",
        ),
        (
            "{aspect: preferred, answered: true}",
            "{aspect: preferred, answered: true}\nrescale: [{aspect: truth, explained_by: why}]",
            "rescale[0].aspect",
            "asked per candidate",
        ),
        (
            "{aspect: preferred, answered: true}",
            "{aspect: preferred, answered: true}\n  - {key: all, kind: stars, title: All}\n"
            "composites: [{key: c, title: C, parts: [truth], predicts: all}]",
            "composites[0]",
            "mixes",
        ),
    ],
)
def test_a_broken_rule_of_groups_is_told(old: str, new: str, path: str, reason: str) -> None:
    reasons, _ = broken(GROUP, old, new)
    assert any(f": {path}: " in told and reason in told for told in reasons), reasons


def test_a_text_asked_per_candidate_rescales_nothing() -> None:
    text = ONE_ANSWER.replace("- answer\n  - rationale", "- candidates").split("examples:")[0]
    text = text.replace("    title: Why?", "    title: Why?\n    per: candidate")
    assert any("'why' is asked per candidate" in told for told in reasons_of(text))


def test_range_numbers_must_be_told_apart() -> None:
    text = ONE_ANSWER.replace("low: -1\n    high: 1\n", "low: 1000000\n    high: 1000001\n")
    assert any("aspects[3].step: makes numbers of more than six digits" in told for told in reasons_of(text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("key: [dish", "x.yaml, line 1: is no YAML"),
        ("key: dish\n\ttitle: x", "x.yaml, line 2: is no YAML"),
        ("key: &a [*a]", "x.yaml: is nested too deeply"),
        ("key: " + "[" * 5000, "x.yaml: is nested too deeply"),
        ("a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "\n".join(
            f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]" for old, new in zip("abcdef", "bcdefg", strict=True)
        ), "parts; at most 20,000"),
        ("? [a]\n: b", "x.yaml, line 1: is no YAML"),
        ("key: " + "1" * 5000, "a number of more digits"),
        ("key: !!python/object:os.system x", "x.yaml, line 1: is no YAML"),
        ("x" * (MOST_CHARACTERS + 1), "x.yaml: has 200,001 characters"),
        ("key: \x01", "x.yaml: is no YAML"),
        ("key: \ud800", "x.yaml: is no YAML: "),
    ],
)  # fmt: skip
def test_what_is_no_sensible_yaml_is_refused(text: str, reason: str) -> None:
    (told,) = reasons_of(text)
    assert reason in told


def test_all_mistakes_are_told_in_one_go_in_the_order_of_their_lines() -> None:
    text = ONE_ANSWER.replace("is: bad}", "is: foul}").replace("parts: [taste, salt]", "parts: [tast, salt]")
    reasons = reasons_of(text.replace("explains: [taste, warm]", "explains: [taste, hot]"))
    assert [told.split(": ")[1] for told in reasons] == [
        "aspects[6].at_least_one_when.all[0].is[0]",
        "aspects[7].explains[1]",
        "composites[0].parts[0]",
    ]


def test_an_alias_may_write_a_scale_once() -> None:
    text = GROUP.replace("    title: True?", "    title: &t True?").replace("    title: Where?", "    title: *t")
    assert read_scheme(text)["aspects"][1]["title"] == "True?"


@pytest.mark.parametrize("key", presets())
def test_every_preset_keeps_the_rules(key: str) -> None:
    assert preset(key)["key"] == key


def test_a_mistake_is_a_code_with_its_line_and_place() -> None:
    with pytest.raises(SchemeError) as caught:
        read_scheme(ONE_ANSWER.replace("kind: stars", "kind: star"), source="x.yaml")
    (reason,) = caught.value.reasons
    line = ONE_ANSWER[: ONE_ANSWER.index("kind: stars")].count("\n") + 1
    assert (reason.code, reason.parameters["line"]) == ("scheme.at_line", line)
    mistake = reason.parameters["mistake"]
    assert (mistake.code, mistake.parameters["path"]) == ("scheme.at_path", "aspects[1].kind")
    assert mistake.parameters["reason"].code == "scheme.no_kind"


def test_no_mistake_is_prose() -> None:
    """Each broken rule of this page is made of codes alone; the rest would be English to every reader."""
    [cases] = [mark.args[1] for mark in test_a_broken_rule_is_told_at_its_line.pytestmark]  # type: ignore[attr-defined]
    told = [reason for old, new, *_ in cases for reason in broken(ONE_ANSWER, old, new)[0]]
    assert {type(reason.parameters["mistake"]).__name__ for reason in told} == {"Reason"}
    assert not [reason for reason in told if "data.in_other_words" in str(as_data(reason))]
