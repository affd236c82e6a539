"""The value of one slot: what was sent for it becomes its one canonical form, or a reason why it cannot."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from annotation_platform.core.citations import (
    SentenceReference,
    SentenceReferenceError,
    check_sentence_exists,
    document_and_number,
    says_nothing,
    sentence_reference,
)
from annotation_platform.core.errors import CodedError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.aspects import (
    BestOfAspect,
    ItemChoiceAspect,
    SentencesAspect,
    SeveralAspect,
    SpansAspect,
    TextAspect,
)
from annotation_platform.core.schemes.definition import ItemShape, Slot
from annotation_platform.core.schemes.spans import read_spans
from annotation_platform.core.schemes.typed_values import (
    citable,
    plain_text,
    read_sentences,
    typed_keys,
    typed_spans,
)


class UnreadValueError(CodedError):
    """What was said cannot be understood."""


class BrokenRuleError(CodedError):
    """What was said can be understood, but the scheme wants more of it, or less. ``said`` is what was said."""

    def __init__(self, code: str | Reason, /, said: Any, **parameters: Any) -> None:
        self.said = said
        super().__init__(code, **parameters)


class Demand(NamedTuple):
    """What is asked of one slot, in one judgment."""

    slot: Slot
    shape: ItemShape
    is_required: bool
    needs_sentence: bool
    has_article: bool


def check_value(demand: Demand, raw: Any) -> Any:
    """The canonical value of a slot, None where an optional one is left open; forms as in ``check_judgment``.

    Raises
    ------
    BrokenRuleError
        For a value that the scheme wants longer, shorter, or otherwise.
    CodedError
        For what cannot be understood, or is missing.
    """
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


def too_long(text: str, most: int) -> Reason:
    return Reason("judgment.text_too_long", length=len(text), most=most)


def _check_choice(demand: Demand, raw: Any, keys: Sequence[str]) -> str | None:
    if raw is None or raw == "":
        if demand.is_required:
            raise UnreadValueError("judgment.choose_one")
        return None
    if raw not in keys:
        raise UnreadValueError("judgment.no_choice", value=str(raw)[:40], choices=list(keys))
    return str(raw)


def _check_several(aspect: SeveralAspect, demand: Demand, raw: Any) -> list[str] | None:
    chosen = typed_keys(raw) if isinstance(raw, str) else raw
    if chosen is None:
        if demand.is_required:
            if aspect.none_label:
                raise UnreadValueError("judgment.choose_some_or_none", none=aspect.none_label)
            raise UnreadValueError("judgment.choose_some")
        return None
    if not isinstance(chosen, list):
        raise UnreadValueError("judgment.no_list_of_choices")
    keys = [choice.key for choice in aspect.choices]
    if strange := [each for each in chosen if each not in keys]:
        raise UnreadValueError("judgment.no_choice", value=str(strange[0])[:40], choices=keys)
    if not chosen and not aspect.none_label:
        raise BrokenRuleError("judgment.choose_at_least_one", said=[])
    return [key for key in keys if key in chosen]


def _check_spans(aspect: SpansAspect, demand: Demand, raw: Any) -> list[dict[str, Any]] | None:
    said = typed_spans(raw) if isinstance(raw, str) else raw
    if said is None:
        if demand.is_required:
            if aspect.none_label:
                raise UnreadValueError("judgment.mark_or_none", none=aspect.none_label)
            raise UnreadValueError("judgment.mark_some", least=aspect.min_spans)
        return None
    spans = read_spans(aspect, said, dict(demand.shape.texts), candidate=demand.slot.candidate)
    if not spans and aspect.none_label:
        return []
    if len(spans) < aspect.min_spans:
        raise BrokenRuleError("judgment.too_few_spans", said=spans, least=aspect.min_spans, count=len(spans))
    if len(spans) > aspect.max_spans:
        raise BrokenRuleError("judgment.too_many_spans", said=spans, most=aspect.max_spans, count=len(spans))
    return spans


def _check_text(aspect: TextAspect, demand: Demand, raw: Any) -> str | None:
    if raw is not None and not isinstance(raw, str):
        raise UnreadValueError("judgment.no_text")
    text = plain_text(raw or "")
    if not text:
        if demand.is_required:
            raise UnreadValueError("judgment.text_missing")
        return None
    if len(text) < aspect.min_length:
        raise BrokenRuleError("judgment.text_too_short", said=text, least=aspect.min_length, length=len(text))
    if len(text) > aspect.max_length:
        raise BrokenRuleError(too_long(text, aspect.max_length), said=text)
    return text


def _check_sentences(aspect: SentencesAspect, demand: Demand, raw: Any) -> list[SentenceReference] | None:
    must_cite = demand.needs_sentence or not aspect.none_label
    if raw is None or (isinstance(raw, str) and says_nothing(raw)):  # "none" is said, never left open
        if demand.needs_sentence or (demand.is_required and must_cite):
            raise UnreadValueError("judgment.cite_at_least_one")
        if demand.is_required:
            raise UnreadValueError("judgment.cite_or_none", none=aspect.none_label)
        return None
    cited = _typed_sentences(demand, raw) if isinstance(raw, str) else _listed_sentences(demand, raw)
    if not cited and must_cite:
        raise BrokenRuleError("judgment.cite_at_least_one", said=cited)
    return cited


def _typed_sentences(demand: Demand, raw: str) -> list[SentenceReference]:
    return read_sentences(raw, demand.slot, demand.shape, has_article=demand.has_article)


def _listed_sentences(demand: Demand, raw: Any) -> list[SentenceReference]:
    if not isinstance(raw, list) or any(not isinstance(each, int | str) or isinstance(each, bool) for each in raw):
        raise UnreadValueError("judgment.no_list_of_sentences")
    try:
        named = sorted({document_and_number(each) for each in raw})
    except SentenceReferenceError as error:
        raise UnreadValueError("judgment.unread_sentence", why=error.reason) from None
    there = citable(demand.slot, demand.shape, has_article=demand.has_article)
    for document, number in named:
        check_sentence_exists(document, number, there)
    return [sentence_reference(document, number) for document, number in named]
