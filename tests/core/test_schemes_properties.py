"""What holds for every scheme and every judgment, whatever they are made of."""

import copy
import json
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from annotation_platform.core.locations import Location
from annotation_platform.core.schemes import (
    InvalidJudgmentError,
    ItemShape,
    Scheme,
    SchemeError,
    build_scheme,
    check_judgment,
    citations,
    labels_given,
    read_scheme,
    renumber_candidates,
)
from annotation_platform.core.schemes.languages import LANGUAGES, parts_of
from annotation_platform.core.schemes.writing import write_scheme
from tests import rests_on
from tests.core.any_judgment import accepted
from tests.core.whole_schemes import GROUP, ONE_ANSWER

Data = dict[str, Any]

words = st.sampled_from(["One", "Two", "はい", "yes", "no", "3", "a: b", "#", "- x", "{en}", "'", '"', "ع"])
texts = words | st.fixed_dictionaries({"en": words, "ja": words})


# --- Schemes that are right -------------------------------------------------------------------------------


@st.composite
def scales(draw: st.DrawFn) -> Data:
    level = draw(st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
    least = 0 if level == "ratio" else -3
    numbers = draw(st.lists(st.integers(least, least + 6), min_size=2, max_size=5, unique=True))
    choices = [{"key": f"c{place}", "label": draw(texts), "number": number} for place, number in enumerate(numbers)]
    end = draw(st.sampled_from([{}, {"better": "high"}, {"better": "low"}, {"best": numbers[0]}]))
    return {"level": level, "choices": choices, **end}


@st.composite
def kinds(draw: st.DrawFn, *, group: bool) -> Data:
    kind = draw(
        st.sampled_from(
            [
                "choice",
                "stars",
                "yes_no",
                "range",
                "several",
                "text",
                "sentences",
                "best_of" if group else "item_choice",
            ]
        )
    )
    none = {"none_label": draw(words)} if draw(st.booleans()) else {}
    fields: dict[str, Data] = {
        "choice": {"scale": draw(scales())},
        "stars": {"points": draw(st.integers(2, 10))},
        "yes_no": {"not_applicable": "N/A"} if none else {},
        "range": {"low": -1, "high": 1, "step": 0.5, "best": 0},
        "several": {"choices": [{"key": "x", "label": "X"}, {"key": "y", "label": "Y"}], **none},
        "text": {"min_length": draw(st.integers(1, 3)), "max_length": 9},
        "sentences": none,
        "item_choice": none,
        "best_of": {"forced_label": "None", "tie_label": draw(words)} if none else {},
    }
    return {"kind": kind, **fields[kind]}


def keys_of(aspect: Data) -> list[str]:
    """Choices that a condition on an aspect can ask for."""
    match aspect["kind"]:
        case "choice":
            return [choice["key"] for choice in aspect["scale"]["choices"]]
        case "stars":
            return [str(number) for number in range(1, aspect["points"] + 1)]
        case "several":
            return ["x", "y"]
        case kind:
            fixed = {"yes_no": ["yes", "no"], "range": ["-1", "0", "0.5"], "sentences": ["none"]}
            fixed |= {"item_choice": ["a", "b"], "best_of": ["1", "2", *(["tie"] if aspect.get("tie_label") else [])]}
            return fixed.get(kind, [])


@st.composite
def conditions(draw: st.DrawFn, earlier: list[Data], depth: int = 2) -> Data:
    form = draw(st.sampled_from(["is", "is_not", "answered", *(["all", "any", "not"] if depth else [])]))
    if form == "not":
        return {"not": draw(conditions(earlier, depth - 1))}
    if form in ("all", "any"):
        return {form: draw(st.lists(conditions(earlier, depth - 1), min_size=1, max_size=2))}
    aspect = draw(st.sampled_from(earlier))
    keys = keys_of(aspect)
    if form == "answered" or not keys:
        return {"aspect": aspect["key"], "answered": draw(st.booleans())}
    return {"aspect": aspect["key"], form: draw(st.lists(st.sampled_from(keys), min_size=1, max_size=2))}


@st.composite
def schemes(draw: st.DrawFn) -> Data:
    group = draw(st.booleans())
    answer = ["candidates"] if group else ["choices", "answer"]
    aspects: list[Data] = []
    for place in range(draw(st.integers(1, 5))):
        aspect = {"key": f"a{place}", "title": draw(texts), **draw(kinds(group=group))}
        if group and aspect["kind"] != "best_of" and all(each.get("per") for each in aspects) and draw(st.booleans()):
            aspect["per"] = "candidate"
        askable = [each for each in aspects if "per" not in each or "per" in aspect]
        for name in ("shown_when", "required_when", *(["at_least_one_when"] * (aspect["kind"] == "sentences"))):
            if askable and draw(st.booleans()):
                aspect[name] = draw(conditions(askable))
        if "required_when" not in aspect and draw(st.booleans()):
            aspect["required"] = draw(st.booleans())
        aspects.append(aspect)
    return {"key": "any", "title": draw(texts), "shown": ["article", "documents", *answer], "aspects": aspects}


@pytest.mark.long(*rests_on.CORE)
@given(schemes())
def test_a_scheme_made_by_the_rules_is_read_and_is_the_same_in_every_language_but_for_its_words(data: Data) -> None:
    read = read_scheme(yaml.safe_dump(data, allow_unicode=True, width=1000))
    assert read == json.loads(json.dumps(data))
    built = [build_scheme(read, language) for language in LANGUAGES]
    assert len({tuple((a.key, a.kind, a.per, a.required) for a in scheme.aspects) for scheme in built}) == 1
    assert read_scheme(json.dumps(read, ensure_ascii=False)) == read  # JSON is YAML


# --- Schemes that are wrong -------------------------------------------------------------------------------

junk: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 300)
    | st.floats(allow_nan=True)
    | st.sampled_from(["", "yes", "none", "taste", "a\x00b", "\ud800", "candidate", "high", "x" * 50])
    | st.sampled_from([{"en": "x"}, {"ja": "x"}, {"en": None}, {"fr": "x"}, {"is": "x"}, {"aspect": "taste"}]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["key", "all", "not", "q"]), inner),
    max_leaves=4,
)


def places_in(data: Any) -> list[Location]:
    return [location for location, _ in parts_of(data) if location]


def put(data: Any, location: Location, value: Any) -> None:
    *way, last = location
    for part in way:
        data = data[part]
    data[last] = value


@pytest.mark.long(*rests_on.CORE)
@given(st.data(), st.sampled_from([ONE_ANSWER, GROUP]))
def test_whatever_is_put_anywhere_into_a_scheme_it_is_right_or_told_with_a_line(
    data: st.DataObject, source: str
) -> None:
    changed = read_scheme(source)
    for _ in range(data.draw(st.integers(1, 2))):
        put(changed, data.draw(st.sampled_from(places_in(changed))), copy.deepcopy(data.draw(junk)))
    text = json.dumps(changed)
    try:
        read = read_scheme(text.replace("NaN", ".nan").replace("-Infinity", "-.inf").replace("Infinity", ".inf"))
    except SchemeError as error:
        assert error.mistakes  # noqa: PT017
        assert all(mistake.reason and mistake.line <= 1 for mistake in error.mistakes)  # noqa: PT017
        return
    for language in LANGUAGES:
        scheme = build_scheme(read, language)
        for aspect in scheme.aspects:
            scheme.condition(aspect.key, "shown_when")
    json.dumps(read, allow_nan=False, ensure_ascii=False).encode()


@given(st.text(max_size=200))
def test_any_text_is_a_scheme_or_told(text: str) -> None:
    try:
        read_scheme(text)
    except SchemeError as error:
        assert error.reasons  # noqa: PT017


# --- Judgments --------------------------------------------------------------------------------------------

answers = (
    st.none()
    | st.booleans()
    | st.integers(-1, 4)
    | st.sampled_from(["c0", "c1", "yes", "no", "na", "1", "2", "0.5", "a", "none", "x", "y, x", "1-2, R1:1", "word"])
    | st.lists(st.integers(0, 4) | st.sampled_from(["x", "y", "R1:1", "R2:1"]), max_size=3)
    | st.text(max_size=12)
)
shapes = st.builds(
    ItemShape,
    sentences=st.integers(0, 4),
    documents=st.lists(st.integers(0, 3), max_size=2).map(tuple),
    choices=st.integers(2, 4),
    candidates=st.integers(2, 3),
)


@st.composite
def judgments(draw: st.DrawFn) -> tuple[Scheme, Data, ItemShape]:
    scheme = build_scheme(draw(schemes()))
    shape = draw(shapes)
    slots = list(scheme.slots(shape))
    keys = [slot.key for slot in slots] + [slot.forced_key for slot in slots if slot.forced_key]
    return scheme, draw(st.fixed_dictionaries({}, optional=dict.fromkeys(keys, answers))), shape


def checked(judgment: tuple[Scheme, Data, ItemShape]) -> tuple[Scheme, Data, ItemShape]:
    """The judgment put right, if it can be."""
    scheme, raw, shape = judgment
    values = accepted(scheme, raw, shape, Random(str(raw)))
    assume(values is not None)
    assert values is not None
    return scheme, values, shape


@given(judgments())
def test_whatever_is_sent_becomes_a_judgment_or_reasons_beside_its_fields(
    judgment: tuple[Scheme, Data, ItemShape],
) -> None:
    scheme, raw, shape = judgment
    try:
        values = check_judgment(scheme, raw, shape)
    except InvalidJudgmentError as error:
        slots = {slot.key for slot in scheme.slots(shape)}
        assert set(error.errors) <= slots  # noqa: PT017
        return
    shown = {slot.key: slot for slot in scheme.shown_slots(shape, values)}
    marks = {slot.forced_key for slot in shown.values()}
    assert set(values) <= set(shown) | marks
    assert {key for key, slot in shown.items() if scheme.is_required(slot, values)} <= set(values)
    assert json.loads(json.dumps(values)) == values


@given(judgments().map(checked))
def test_a_checked_judgment_stays_as_it_is(judgment: tuple[Scheme, Data, ItemShape]) -> None:
    scheme, values, shape = judgment
    assert check_judgment(scheme, values, shape) == values


@given(judgments().map(checked))
def test_labels_and_citations_are_those_of_the_values(judgment: tuple[Scheme, Data, ItemShape]) -> None:
    scheme, values, shape = judgment
    labels = labels_given(scheme, values, shape)
    labelled = {aspect.key for aspect in scheme.labelled_aspects}
    assert {(label.aspect, label.candidate) for label in labels if label.aspect in labelled} == {
        (slot.aspect.key, slot.candidate)
        for slot in scheme.slots(shape)
        if slot.key in values and slot.aspect.key in labelled
    }
    cited = sum(len(values.get(slot.key, ())) for slot in scheme.slots(shape) if slot.aspect.kind == "sentences")
    assert len(citations(scheme, values, shape)) == cited


@given(judgments().map(checked), st.randoms(use_true_random=False))
def test_a_judgment_of_a_group_says_the_same_when_its_candidates_change_places(
    judgment: tuple[Scheme, Data, ItemShape], random: Any
) -> None:
    scheme, values, shape = judgment
    numbers = list(range(1, shape.candidates + 1))
    places = random.sample(numbers, k=len(numbers))
    there = dict(zip(numbers, places, strict=True))
    moved = renumber_candidates(scheme, values, there)
    assert renumber_candidates(scheme, moved, {new: old for old, new in there.items()}) == values
    if not any("1" in str(scheme.condition(a.key, n)) for a in scheme.aspects for n in ("shown_when", "required_when")):
        assert check_judgment(scheme, moved, shape) == moved


@pytest.mark.long(*rests_on.CORE)
@given(schemes())
def test_a_scheme_that_was_written_is_read_as_it_was(data: Data) -> None:
    read = read_scheme(json.dumps(data))
    shuffled = json.loads(json.dumps(read, sort_keys=True))
    assert read_scheme(write_scheme(shuffled)) == read
