"""What holds for every scheme: prompts are the same each time, texts stay in their fence, replies are read back."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation_platform.core.items import Document, ItemTexts, answers_of
from annotation_platform.core.methods.extraction import judgment_values, read_labels
from annotation_platform.core.methods.judging import (
    Calling,
    Format,
    JudgeFormat,
    JudgePrompt,
    ReplyForm,
    judge_prompts,
    render_reply,
)
from annotation_platform.core.schemes import LabelledAspect, Scheme, build_scheme, labels_given, preset, presets
from annotation_platform.core.schemes.definition import Slot
from tests.core.test_schemes_properties import schemes

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60)
askings = st.builds(
    JudgeFormat,
    examples=st.integers(0, 1),
    format=st.sampled_from(Format),
    calling=st.sampled_from(Calling),
    form=st.sampled_from(ReplyForm),
    seed=st.integers(0, 3),
    language=st.sampled_from(["en", "ja"]),
)


@st.composite
def items(draw: st.DrawFn) -> ItemTexts:
    lists = st.lists(words, min_size=2, max_size=4).map(tuple)
    return ItemTexts(
        article=Document(0, draw(st.lists(words, max_size=3).map(tuple))),
        documents=tuple(
            Document(number, draw(lists), title=draw(words), url=draw(words))
            for number in range(1, draw(st.integers(0, 2)) + 1)
        ),
        question=draw(words),
        choices=draw(lists),
        reference_answers=draw(lists),
        answers=answers_of(draw(words), draw(words), candidates=draw(lists)),
    )


PRESETS = {(key, language): build_scheme(preset(key), language) for key in presets() for language in ("en", "ja")}


@st.composite
def asked_schemes(draw: st.DrawFn) -> Scheme:
    """Any scheme that has something to ask a model for."""
    if draw(st.booleans()):
        return PRESETS[draw(st.sampled_from(sorted(PRESETS)))]
    data = draw(schemes().filter(lambda data: any(aspect["kind"] in LABELLED for aspect in data["aspects"])))
    return build_scheme(data, draw(st.sampled_from(["en", "ja"])))


LABELLED = ("choice", "stars", "yes_no", "range", "item_choice", "best_of")


@st.composite
def labels(draw: st.DrawFn, scheme: Scheme, prompt: JudgePrompt, item: ItemTexts) -> dict[str, Any]:
    """Labels that the questions of a prompt allow, with the scheme's conditions honoured."""
    drawn: dict[str, Any] = {}
    by_key = {question.slot_key: question for question in prompt.questions}
    slots = {slot.key: slot for slot in prompt.call.slots}
    for slot in scheme.slots(item.shape):
        if slot.key not in slots or not isinstance(slot.aspect, LabelledAspect):
            continue
        if not _is_shown(scheme, slot, drawn, set(slots)):
            continue
        if by_key[slot.key].not_applicable and _may_stay_open(scheme, slot, drawn, set(slots)) and draw(st.booleans()):
            continue
        drawn[slot.key] = draw(st.sampled_from([option.choice for option in by_key[slot.key].options]))
        if slot.forced_key and draw(st.booleans()):
            drawn[slot.forced_key] = True
    return drawn


def _is_known(slot: Slot, name: str, asked: set[str]) -> bool:
    """Whether a condition is about aspects that the same call asks for."""
    condition = getattr(slot.aspect, name)
    return condition is None or all(f"{key}.{slot.candidate}" in asked or key in asked for key in condition.asked)


def _is_shown(scheme: Scheme, slot: Slot, values: dict[str, Any], asked: set[str]) -> bool:
    return not _is_known(slot, "shown_when", asked) or scheme.holds(slot, "shown_when", values)


def _may_stay_open(scheme: Scheme, slot: Slot, values: dict[str, Any], asked: set[str]) -> bool:
    if not _is_known(slot, "shown_when", asked):
        return True
    if slot.aspect.required_when is not None:
        return _is_known(slot, "required_when", asked) and not scheme.holds(slot, "required_when", values)
    return not slot.aspect.required


@settings(deadline=None, max_examples=60)
@given(st.data(), asked_schemes(), items(), askings)
def test_the_right_reply_is_read_back_to_just_its_labels(
    data: st.DataObject, scheme: Scheme, item: ItemTexts, asking: JudgeFormat
) -> None:
    prompt = data.draw(st.sampled_from(judge_prompts(scheme, item, asking)))
    values = data.draw(labels(scheme, prompt, item))
    for form in ReplyForm:
        reply = render_reply(prompt.questions, values, form)
        readings = read_labels(scheme, item.shape, prompt.questions, reply)
        assert judgment_values(readings, scheme, item.shape) == values, reply
        assert all(reading.failure is None for reading in readings.values()), reply
    assert labels_given(scheme, values, item.shape) is not None


@settings(deadline=None, max_examples=60)
@given(st.data(), asked_schemes(), items(), askings)
def test_a_reply_in_other_dress_is_never_read_wrongly(
    data: st.DataObject, scheme: Scheme, item: ItemTexts, asking: JudgeFormat
) -> None:
    prompt = data.draw(st.sampled_from(judge_prompts(scheme, item, asking)))
    values = data.draw(labels(scheme, prompt, item))
    said = dict(line.split(": ", 1) for line in render_reply(prompt.questions, values, ReplyForm.LINES).splitlines())
    dressed = data.draw(st.sampled_from(DRESSES))(said)
    shuffled = data.draw(st.permutations(dressed.splitlines()))
    reply = "\n".join(shuffled) if not dressed.startswith(("{", "|", "<")) else dressed
    readings = read_labels(scheme, item.shape, prompt.questions, reply)
    for question in prompt.questions:
        reading = readings[question.slot_key]
        wanted = values.get(question.slot_key)
        wanted = ("yes" if wanted else "no") if question.is_mark and question.slot.key in values else wanted
        assert reading.failure is not None or reading.value == wanted, reply


DRESSES = (
    lambda said: "\n".join(f"- **{key}**: {label}" for key, label in said.items()),
    lambda said: "\n".join(f"{place}. {key}: {label}." for place, (key, label) in enumerate(said.items(), start=1)),
    lambda said: "\n".join(f"{key.replace('_', ' ').title()} = {label.upper()}" for key, label in said.items()),
    lambda said: "\n".join(f"{key} → {label}" for key, label in said.items()),
    lambda said: "\n".join(f"{key}: {label} (because of what it says)" for key, label in said.items()),
    lambda said: "| name | label |\n|---|---|\n" + "\n".join(f"| {key} | {label} |" for key, label in said.items()),
    lambda said: json.dumps({"ratings": {key: {"label": label, "reason": "x: 1"} for key, label in said.items()}}),
    lambda said: "".join(f"<{key}>{label}</{key}>\n" for key, label in said.items()),
)


@settings(deadline=None, max_examples=60)
@given(asked_schemes(), st.text(max_size=300) | st.lists(words).map("\n".join))
def test_anything_is_read_or_not_but_never_an_error(scheme: Scheme, reply: str) -> None:
    item = ItemTexts(choices=("x", "y"), answers=answers_of(candidates=("p", "q")))
    for prompt in judge_prompts(scheme, item, JudgeFormat(examples=0, explain=True)):
        readings = read_labels(scheme, item.shape, prompt.questions, reply)
        assert list(readings) == [question.slot_key for question in prompt.questions]
        for question in prompt.questions:
            reading = readings[question.slot_key]
            assert reading.value is None or reading.failure is None
            if question.options and reading.value is not None:
                assert reading.value in [option.choice for option in question.options]


@settings(deadline=None, max_examples=60)
@given(asked_schemes(), items(), askings)
def test_prompts_are_deterministic_and_every_text_stays_in_its_fence(
    scheme: Scheme, item: ItemTexts, asking: JudgeFormat
) -> None:
    prompts = judge_prompts(scheme, item, asking)
    assert prompts == judge_prompts(scheme, item, asking)
    for prompt in prompts:
        system, user = (message["content"] for message in prompt.messages)
        start = system[system.index("[[text ") :].split("]]", 1)[0] + "]]"
        end = start.replace("[[text", "[[end of text")
        answers = (text for each in item.answers for text in (each.text, each.rationale))
        written = "\0".join([item.question, *item.choices, *answers])
        assert start not in written
        assert end not in written
        assert user.count(f"{start}\n") == user.count(f"\n{end}")
        inside = [part.split(f"\n{end}", 1)[0] for part in user.split(f"{start}\n")[1:]]
        assert all(end not in part and start not in part for part in inside)
