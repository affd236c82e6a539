"""What is asked of a model: which calls a scheme needs, the questions of a call, and the form of a reply.

The mapping between the labels that a prompt shows and the choices that are stored is a :class:`Question`'s options.
Prompts, reply schemas, worked examples and the reading of replies are all made from it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation_platform.core.items import ItemTexts
from annotation_platform.core.methods.ebr.prompts import PromptError
from annotation_platform.core.methods.judging.labels import Option, options_for_choices, options_for_points, plain
from annotation_platform.core.methods.judging.wording import Wording, wording
from annotation_platform.core.methods.messages import fill
from annotation_platform.core.schemes import (
    BestOfAspect,
    ChoiceAspect,
    ItemChoiceAspect,
    ItemShape,
    LabelledAspect,
    RangeAspect,
    Scheme,
    StarsAspect,
    TextAspect,
    YesNoAspect,
)
from annotation_platform.core.schemes.aspects import CHOICE_LETTERS, TIE, Aspect
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.definition import Slot
from annotation_platform.core.schemes.loading import YES_AND_NO


class Calling(StrEnum):
    """How many aspects one call asks for."""

    COMPOUND = "compound"
    """All of the item's in one call, and all of a candidate's in one call for each candidate."""
    SINGLE = "single"
    """One, so that no label can lean on another (LLM-MATE)."""


class ReplyForm(StrEnum):
    """The form in which a reply is asked for."""

    LINES = "lines"
    JSON = "json"


@dataclass(frozen=True)
class Call:
    """What one call asks for, in the scheme's order. ``candidate`` is the only one shown; 0 shows all."""

    slots: tuple[Slot, ...]
    candidate: int = 0


@dataclass(frozen=True)
class Question:
    """One thing that a reply is to say.

    Attributes
    ----------
    slot : Slot
        Whose label, or text, it is.
    key : str
        Its name in the reply: the aspect's key, or that of the mark beside the best candidate.
    title : str
        What is asked.
    options : tuple of Option
        The labels; none for a text.
    is_mark : bool
        Whether it is the mark "none is acceptable" beside the choice of the best candidate.
    condition : str
        When it is to be answered, in words; empty for always.
    not_applicable : str
        What is written where the condition does not hold; empty where it must always be answered.
    """

    slot: Slot
    key: str
    title: str
    options: tuple[Option, ...]
    is_mark: bool = False
    condition: str = ""
    not_applicable: str = ""

    @property
    def slot_key(self) -> str:
        """Where its value goes in a judgment."""
        return (self.slot.forced_key or "") if self.is_mark else self.slot.key

    @property
    def has_numbers(self) -> bool:
        return any(option.number is not None for option in self.options)

    def shown(self, choice: str) -> str:
        """The label shown for a stored choice.

        Raises
        ------
        KeyError
            When it has no such option.
        """
        for option in self.options:
            if option.choice == choice:
                return option.shown
        raise KeyError(choice)


def calls(scheme: Scheme, shape: ItemShape, calling: Calling, *, explain: bool = False) -> list[Call]:
    """The calls that judge one item: those about the item as a whole last, after those about each candidate.

    Only labelled aspects are asked for. With ``explain``, so are the texts that give reasons for them, in the call
    that asks for what they explain. Several choices at once and sentences are not asked of models.

    Raises
    ------
    PromptError
        The scheme has no labelled aspect.
    """
    if not scheme.labelled_aspects:
        raise PromptError("prompts.no_labels")
    found = []
    for candidate in (*range(1, shape.candidates + 1), 0):
        slots = [slot for slot in scheme.slots(shape) if slot.candidate == candidate]
        labelled = [slot for slot in slots if isinstance(slot.aspect, LabelledAspect)]
        groups = [labelled] if calling is Calling.COMPOUND else [[slot] for slot in labelled]
        for group in filter(None, groups):
            reasons = [slot for slot in slots if explain and _explains(scheme, slot.aspect, group)]
            found.append(Call(tuple(slot for slot in slots if slot in [*group, *reasons]), candidate))
    return found


def _explains(scheme: Scheme, aspect: Aspect, group: Sequence[Slot]) -> bool:
    if not isinstance(aspect, TextAspect):
        return False
    return any(slot.aspect in scheme.explained_by(aspect.key) for slot in group)


def questions(scheme: Scheme, call: Call, item: ItemTexts, language: str) -> tuple[Question, ...]:
    """The questions of a call about one item, in the scheme's order.

    Raises
    ------
    PromptError
        The item lacks what is to be chosen from.
    """
    words = wording(language)
    found = []
    for slot in call.slots:
        options = _options(slot.aspect, item, language)
        if not options and not isinstance(slot.aspect, TextAspect):
            raise PromptError("prompts.nothing_to_choose", title=slot.aspect.title)
        condition = _when_to_answer(scheme, slot.aspect, item, words, language)
        blank = words.not_applicable if condition else ""
        found.append(
            Question(slot, slot.aspect.key, slot.aspect.title, options, condition=condition, not_applicable=blank)
        )
        if slot.forced_key and isinstance(slot.aspect, BestOfAspect):
            title, yes_no = slot.aspect.forced_label, _yes_and_no(language)
            found.append(Question(slot, slot.forced_key, title, yes_no, True, condition, blank))
    return tuple(found)


def _options(aspect: Aspect, item: ItemTexts, language: str) -> tuple[Option, ...]:
    if isinstance(aspect, StarsAspect | RangeAspect):
        return options_for_points(aspect.scale.choices)
    if isinstance(aspect, ChoiceAspect | YesNoAspect):
        return options_for_choices(aspect.scale.choices)
    if isinstance(aspect, ItemChoiceAspect):
        pairs = zip(CHOICE_LETTERS, item.choices, strict=False)
        letters = tuple(Option(letter, letter, names=(text,)) for letter, text in pairs)
        return (*letters, *_none_of_them(aspect, letters))
    if isinstance(aspect, BestOfAspect):
        tie = [Option(aspect.tie_label, TIE, names=(TIE,))] if aspect.tie_label else []
        return (*(Option(str(each.number), str(each.number), number=each.number) for each in item.candidates), *tie)
    return ()


def _none_of_them(aspect: ItemChoiceAspect, letters: Sequence[Option]) -> list[Option]:
    if not aspect.none_label:
        return []
    taken = {"", *(plain(name) for option in letters for name in (option.shown, *option.names))}
    is_clear = plain(aspect.none_label) not in taken
    shown, other = (aspect.none_label, NONE) if is_clear else (NONE, aspect.none_label)
    return [Option(shown, NONE, names=(other,), description="" if is_clear else aspect.none_label)]


def _yes_and_no(language: str) -> tuple[Option, ...]:
    return tuple(Option(texts.get(language, texts["en"]), key, names=(key,)) for key, texts in YES_AND_NO.items())


def _when_to_answer(scheme: Scheme, aspect: Aspect, item: ItemTexts, words: Wording, language: str) -> str:
    said = []
    for name in ("shown_when", "required_when"):
        if (plain_condition := scheme.condition(aspect.key, name)) is not None:
            condition = _in_words(scheme, plain_condition, item, words, language)
            values = {"condition": condition, "not_applicable": words.not_applicable}
            said.append(fill(words.conditions[name], values))
    if not said and not aspect.required:
        said.append(fill(words.conditions["optional"], {"not_applicable": words.not_applicable}))
    return " ".join(said)


def _in_words(scheme: Scheme, condition: Mapping[str, Any], item: ItemTexts, words: Wording, language: str) -> str:
    for name, joint in (("all", "and"), ("any", "or")):
        if name in condition:
            parts = (_in_words(scheme, part, item, words, language) for part in condition[name])
            return words.joints[joint].join(parts)
    if "not" in condition:
        inner = _in_words(scheme, condition["not"], item, words, language)
        return fill(words.conditions["not"], {"condition": inner})
    aspect = scheme.aspect(condition["aspect"])
    named = fill(words.conditions["aspect"], {"title": aspect.title, "key": aspect.key})
    if "answered" in condition:
        return fill(words.conditions["answered"], {"aspect": named})
    labels = {option.choice: option.shown for option in _options(aspect, item, language)}
    chosen = words.joints["labels"].join(labels.get(key, key) for key in condition["is"])
    return fill(words.conditions["is"], {"aspect": named, "labels": chosen})


def reply_schema(asked: Sequence[Question]) -> dict[str, Any]:
    """A JSON Schema of the reply, for servers with structured output: every key is required, and no other allowed."""
    properties: dict[str, Any] = {}
    for question in asked:
        labels = dict.fromkeys([option.shown for option in question.options])
        blank = {question.not_applicable: None} if question.not_applicable else {}
        properties[question.key] = {"type": "string", **({"enum": [*(labels | blank)]} if labels else {})}
    return {
        "type": "object",
        "properties": properties,
        "required": [question.key for question in asked],
        "additionalProperties": False,
    }


def render_reply(asked: Sequence[Question], values: Mapping[str, Any], form: ReplyForm) -> str:
    """A judgment's values as the reply that is asked for; what is not said is not applicable.

    Parameters
    ----------
    values : mapping of slot key to value
        As :func:`~annotation_platform.core.schemes.check_judgment` returns them.
    """
    said = {question.key: _said(question, values.get(question.slot_key)) for question in asked}
    return in_form(said, form)


def in_form(said: Mapping[str, str], form: ReplyForm) -> str:
    """Keys and labels in the form asked for."""
    if form is ReplyForm.JSON:
        return json.dumps(said, ensure_ascii=False, indent=2)
    return "\n".join(f"{key}: {label}" for key, label in said.items())


def _said(question: Question, value: Any) -> str:
    if question.is_mark and not value:
        return question.shown("no")
    if question.is_mark:
        return question.shown("yes")
    if value is None:
        return question.not_applicable
    return question.shown(value) if question.options else " ".join(str(value).split())
