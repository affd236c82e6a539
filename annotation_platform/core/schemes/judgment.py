"""One judgment under a scheme: what was sent becomes checked values, or a reason beside each field."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation_platform.core.errors import CodedError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.aspects import (
    CANNOT_JUDGE,
    CANNOT_JUDGE_REASON,
    TIE,
    BestOfAspect,
    ItemChoiceAspect,
    RatedAspect,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
    TextAspect,
)
from annotation_platform.core.schemes.conditions import NONE
from annotation_platform.core.schemes.definition import ItemShape, Scheme, Slot
from annotation_platform.core.schemes.spans import Span, read_spans
from annotation_platform.core.text import (
    SentenceReference,
    SentenceReferenceError,
    check_sentence_exists,
    document_and_number,
    parse_sentence_references,
    sentence_reference,
)

MOST_OF_REASON = 5_000  # characters
_NOT_MARKED = ("", "0", "no", "false")  # in a table that says it of every row
_BLANK = " \t\r\n\u3000,;、，"


class InvalidJudgmentError(ValueError):
    """A judgment that the scheme does not accept. ``errors`` maps slot keys to what to do about them."""

    def __init__(self, errors: Mapping[str, Reason]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{key}: {reason}" for key, reason in self.errors.items()))


@dataclass(frozen=True)
class Label:
    """A label given to an aspect, and the number that its scale puts behind it (None where there is none).

    ``candidate`` is 0 for the item as a whole.
    """

    aspect: str
    candidate: int
    choice: str
    number: float | None


@dataclass(frozen=True)
class Citation:
    """A sentence that a judgment cites. ``document`` is 0 for the article, else the reference document's number."""

    aspect: str
    candidate: int
    document: int
    number: int


class _UnreadError(CodedError):
    """What was said cannot be understood."""


class _BrokenRuleError(CodedError):
    """What was said can be understood, but the scheme wants more of it, or less. ``said`` is what was said."""

    def __init__(self, code: str | Reason, /, said: Any, **parameters: Any) -> None:
        self.said = said
        super().__init__(code, **parameters)


@dataclass(frozen=True)
class EarlierJudgment:
    """What a scheme makes of a judgment that was given under an earlier version of it.

    ``values`` can be understood under the scheme, ``broken`` says which of them it would not accept today and why,
    and ``errors`` why others cannot be understood.
    """

    values: dict[str, Any]
    broken: dict[str, Reason]
    errors: dict[str, Reason]


class _Demand(NamedTuple):
    """What is asked of one slot, in one judgment."""

    slot: Slot
    shape: ItemShape
    is_required: bool
    needs_sentence: bool
    has_article: bool


def check_judgment(
    scheme: Scheme, raw: Mapping[str, Any], shape: ItemShape, *, not_asked: Collection[str] = ()
) -> dict[str, Any]:
    """Check what was sent for one item and return its values in their one canonical form.

    Parameters
    ----------
    scheme : Scheme
    raw : mapping of slot key to what was sent
        A choice's key; the number of the best candidate; a text; sentences as a list or as typed (``3, 5-7``,
        ``none``); several choices as a list or as typed (``a, c``, ``none``); marked spans as a list of mappings
        (spans.py), as the same in JSON, or ``none``. A slot's key is its aspect's, with
        ``.2`` for the second candidate; ``.forced`` beside the best candidate is the mark that none is acceptable.
        Where the scheme lets people say so, the mark ``cannot_judge`` with ``cannot_judge.reason`` takes the place of
        everything else.
    shape : ItemShape
        What the item has.
    not_asked : collection of aspect key
        Aspects that whoever collected the judgment never asked for (imported data): they may be absent even
        where the scheme requires them. When one is there all the same, it is checked.

    Returns
    -------
    dict
        Slot key → choice key or candidate number (str), text (str, line ends unified, outer space gone), sorted
        sentence references or marked spans, or chosen keys in the scheme's order (list; empty = the explicit
        "none"), or True for the mark. Hidden slots and optional ones left open are absent.

    Raises
    ------
    InvalidJudgmentError
        With a reason for every slot that is missing or wrong, and for keys that the scheme does not have.
    """
    read = _read(scheme, raw, shape, not_asked)
    if errors := read.errors | read.broken:
        raise InvalidJudgmentError(errors)
    return read.values


def check_earlier_judgment(scheme: Scheme, raw: Mapping[str, Any], shape: ItemShape) -> EarlierJudgment:
    """Check a judgment that was given under an earlier version of a scheme.

    Nobody was asked for what it lacks. What breaks only a rule of how much must be said (lengths of texts, at least
    one of a list) is kept as it was said; parameters as in :func:`check_judgment`.
    """
    return _read(scheme, raw, shape, {aspect.key for aspect in scheme.aspects})


def _read(scheme: Scheme, raw: Mapping[str, Any], shape: ItemShape, not_asked: Collection[str]) -> EarlierJudgment:
    if scheme.cannot_judge:
        if cannot_judge(raw):
            return _without_judgment(raw)
        raw = {key: value for key, value in raw.items() if key not in (CANNOT_JUDGE, CANNOT_JUDGE_REASON)}
    slots = scheme.slots(shape)
    known = {slot.key for slot in slots} | {slot.forced_key for slot in slots if slot.forced_key}
    errors = {key: Reason("judgment.no_aspect") for key in raw if key not in known}
    broken: dict[str, Reason] = {}
    values: dict[str, Any] = {}
    for slot in scheme.shown_slots(shape, said_in(slots, raw)):
        if slot.aspect.key in not_asked and slot.key not in raw:
            continue
        demand = _Demand(
            slot,
            shape,
            is_required=scheme.is_required(slot, values),
            needs_sentence=scheme.holds(slot, "at_least_one_when", values),
            has_article="article" in scheme.parts,
        )
        try:
            value = _check_value(demand, raw.get(slot.key))
        except _BrokenRuleError as error:
            broken[slot.key], value = error.reason, error.said
        except CodedError as error:
            errors[slot.key] = error.reason
            continue
        if value is not None:
            values[slot.key] = value
            if slot.forced_key and raw.get(slot.forced_key) not in (None, "", False):
                values[slot.forced_key] = True
    return EarlierJudgment(values, broken, errors)


def cannot_judge(values: Mapping[str, Any]) -> bool:
    """Whether somebody said that they cannot judge the item: in a form, a file, or in checked values."""
    mark = values.get(CANNOT_JUDGE)
    return mark is not None and str(mark).strip().lower() not in _NOT_MARKED


def labels_given(scheme: Scheme, values: Mapping[str, Any], shape: ItemShape) -> list[Label]:
    """The labels of checked values, one for each choice made, with the numbers of their scales."""
    return [label for slot in scheme.slots(shape) if slot.key in values for label in _labels(slot, values[slot.key])]


def citations(scheme: Scheme, values: Mapping[str, Any], shape: ItemShape) -> list[Citation]:
    """Every sentence cited in checked values."""
    return [
        Citation(slot.aspect.key, slot.candidate, *document_and_number(reference))
        for slot in scheme.slots(shape)
        if isinstance(slot.aspect, SentencesAspect)
        for reference in values.get(slot.key, ())
    ]


def spans_given(scheme: Scheme, values: Mapping[str, Any], shape: ItemShape) -> list[Span]:
    """Every span marked in checked values."""
    return [
        Span(slot.aspect.key, slot.candidate, **span)
        for slot in scheme.slots(shape)
        if isinstance(slot.aspect, SpansAspect)
        for span in values.get(slot.key, ())
    ]


def renumber_candidates(scheme: Scheme, values: Mapping[str, Any], numbers: Mapping[int, int]) -> dict[str, Any]:
    """Checked values with other candidate numbers (old → new), in slot keys and in the choice of the best one."""
    best = {aspect.key for aspect in scheme.aspects if isinstance(aspect, BestOfAspect)}
    renumbered = {}
    for key, value in values.items():
        name, _, suffix = key.partition(".")
        if suffix.isdecimal():
            key = f"{name}.{numbers[int(suffix)]}"
        renumbered[key] = str(numbers[int(value)]) if key in best and value != TIE else value
    return renumbered


def read_sentences(text: str, shape: ItemShape, *, has_article: bool) -> list[SentenceReference]:
    """Typed sentence references of an item; errors as in :func:`parse_sentence_references`."""
    return parse_sentence_references(text, count=shape.sentences if has_article else None, documents=shape.documents)


def said_in(slots: Sequence[Slot], raw: Mapping[str, Any]) -> dict[str, Any]:
    """What was sent, with typed lists as lists, so that conditions see the same before and after the check."""
    said = dict(raw)
    for slot in slots:
        if isinstance(slot.aspect, SeveralAspect) and isinstance(raw.get(slot.key), str):
            said[slot.key] = _typed_keys(raw[slot.key])
        elif isinstance(slot.aspect, SpansAspect) and isinstance(raw.get(slot.key), str):
            said[slot.key] = _typed_spans(raw[slot.key])
        elif isinstance(slot.aspect, SentencesAspect) and isinstance(raw.get(slot.key), str):
            typed = raw[slot.key].strip(_BLANK)
            said[slot.key] = ([] if typed.lower() == NONE else [typed]) if typed else None
        elif isinstance(slot.aspect, TextAspect) and isinstance(raw.get(slot.key), str):
            said[slot.key] = raw[slot.key].strip()
    return said


def _labels(slot: Slot, value: Any) -> Iterator[Label]:
    aspect, candidate = slot.aspect, slot.candidate
    if isinstance(aspect, RatedAspect):
        yield Label(aspect.key, candidate, value, aspect.scale.choice(value).number)
    elif isinstance(aspect, ItemChoiceAspect | BestOfAspect):
        yield Label(aspect.key, candidate, value, None)
    elif isinstance(aspect, SeveralAspect):
        numbers = {choice.key: choice.number for choice in aspect.choices}
        yield from (Label(aspect.key, candidate, key, numbers[key]) for key in value)


def _without_judgment(raw: Mapping[str, Any]) -> EarlierJudgment:
    """The answer "I cannot judge this" with its reason; what else was said with it is no part of it."""
    values: dict[str, Any] = {CANNOT_JUDGE: True}
    given = raw.get(CANNOT_JUDGE_REASON)
    reason = _plain_text(given) if isinstance(given, str) else ""
    if not reason:
        return EarlierJudgment(values, {}, {CANNOT_JUDGE: Reason("judgment.why_not_missing")})
    values[CANNOT_JUDGE_REASON] = reason
    broken = {CANNOT_JUDGE: _too_long(reason, MOST_OF_REASON)} if len(reason) > MOST_OF_REASON else {}
    return EarlierJudgment(values, broken, {})


def _typed_spans(text: str) -> Any:
    """Marked spans as a form sends them; the word none as an empty list, None for nothing."""
    typed = text.strip(_BLANK)
    if not typed:
        return None
    if typed.lower() == NONE:
        return []
    try:
        return json.loads(typed)
    except ValueError:
        return typed


def _plain_text(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\x00", "").strip()


def _too_long(text: str, most: int) -> Reason:
    return Reason("judgment.text_too_long", length=len(text), most=most)


def _check_value(demand: _Demand, raw: Any) -> Any:
    aspect = demand.slot.aspect
    if isinstance(aspect, TextAspect):
        return _check_text(aspect, demand, raw)
    if isinstance(aspect, SentencesAspect):
        return _check_sentences(aspect, demand, raw)
    if isinstance(aspect, SeveralAspect):
        return _check_several(aspect, demand, raw)
    if isinstance(aspect, SpansAspect):
        return _check_spans(aspect, demand, raw)
    if isinstance(aspect, ItemChoiceAspect):
        return _check_choice(demand, raw, aspect.keys(demand.shape.choices))
    if isinstance(aspect, BestOfAspect):
        return _check_choice(demand, raw, aspect.keys(demand.shape.candidates))
    return _check_choice(demand, raw, [choice.key for choice in aspect.scale.choices])


def _check_choice(demand: _Demand, raw: Any, keys: Sequence[str]) -> str | None:
    if raw is None or raw == "":
        if demand.is_required:
            raise _UnreadError("judgment.choose_one")
        return None
    if raw not in keys:
        raise _UnreadError("judgment.no_choice", value=str(raw)[:40], choices=list(keys))
    return str(raw)


def _check_several(aspect: SeveralAspect, demand: _Demand, raw: Any) -> list[str] | None:
    chosen = _typed_keys(raw) if isinstance(raw, str) else raw
    if chosen is None:
        if demand.is_required:
            if aspect.none_label:
                raise _UnreadError("judgment.choose_some_or_none", none=aspect.none_label)
            raise _UnreadError("judgment.choose_some")
        return None
    if not isinstance(chosen, list):
        raise _UnreadError("judgment.no_list_of_choices")
    keys = [choice.key for choice in aspect.choices]
    if strange := [each for each in chosen if each not in keys]:
        raise _UnreadError("judgment.no_choice", value=str(strange[0])[:40], choices=keys)
    if not chosen and not aspect.none_label:
        raise _BrokenRuleError("judgment.choose_at_least_one", said=[])
    return [key for key in keys if key in chosen]


def _typed_keys(text: str) -> list[str] | None:
    """``a, c`` as a list; the word none as an empty one; None when nothing was typed."""
    keys = [key.strip() for key in text.split(",") if key.strip()]
    return None if not keys else [] if keys == [NONE] else keys


def _check_spans(aspect: SpansAspect, demand: _Demand, raw: Any) -> list[dict[str, Any]] | None:
    said = _typed_spans(raw) if isinstance(raw, str) else raw
    if said is None:
        if demand.is_required:
            if aspect.none_label:
                raise _UnreadError("judgment.mark_or_none", none=aspect.none_label)
            raise _UnreadError("judgment.mark_some", least=aspect.min_spans)
        return None
    spans = read_spans(aspect, said, dict(demand.shape.texts), candidate=demand.slot.candidate)
    if not spans and aspect.none_label:
        return []
    if len(spans) < aspect.min_spans:
        raise _BrokenRuleError("judgment.too_few_spans", said=spans, least=aspect.min_spans, count=len(spans))
    if len(spans) > aspect.max_spans:
        raise _BrokenRuleError("judgment.too_many_spans", said=spans, most=aspect.max_spans, count=len(spans))
    return spans


def _check_text(aspect: TextAspect, demand: _Demand, raw: Any) -> str | None:
    if raw is not None and not isinstance(raw, str):
        raise _UnreadError("judgment.no_text")
    text = _plain_text(raw or "")
    if not text:
        if demand.is_required:
            raise _UnreadError("judgment.text_missing")
        return None
    if len(text) < aspect.min_length:
        raise _BrokenRuleError("judgment.text_too_short", said=text, least=aspect.min_length, length=len(text))
    if len(text) > aspect.max_length:
        raise _BrokenRuleError(_too_long(text, aspect.max_length), said=text)
    return text


def _check_sentences(aspect: SentencesAspect, demand: _Demand, raw: Any) -> list[SentenceReference] | None:
    must_cite = demand.needs_sentence or not aspect.none_label
    if raw is None or (isinstance(raw, str) and not raw.strip(_BLANK)):  # "none" is said, never left open
        if demand.needs_sentence or (demand.is_required and must_cite):
            raise _UnreadError("judgment.cite_at_least_one")
        if demand.is_required:
            raise _UnreadError("judgment.cite_or_none", none=aspect.none_label)
        return None
    cited = _typed_sentences(demand, raw) if isinstance(raw, str) else _listed_sentences(demand, raw)
    if not cited and must_cite:
        raise _BrokenRuleError("judgment.cite_at_least_one", said=cited)
    return cited


def _typed_sentences(demand: _Demand, raw: str) -> list[SentenceReference]:
    return read_sentences(raw, demand.shape, has_article=demand.has_article)


def _listed_sentences(demand: _Demand, raw: Any) -> list[SentenceReference]:
    if not isinstance(raw, list) or any(not isinstance(each, int | str) or isinstance(each, bool) for each in raw):
        raise _UnreadError("judgment.no_list_of_sentences")
    try:
        named = sorted({document_and_number(each) for each in raw})
    except SentenceReferenceError as error:
        raise _UnreadError("judgment.unread_sentence", why=error.reason) from None
    count = demand.shape.sentences if demand.has_article else None
    for document, number in named:
        check_sentence_exists(document, number, count=count, documents=demand.shape.documents)
    return [sentence_reference(document, number) for document, number in named]
