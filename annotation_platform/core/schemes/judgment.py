"""One judgment under a scheme: what was sent becomes checked values, or a reason beside each aspect."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation_platform.core.schemes.definition import (
    Aspect,
    ChoiceAspect,
    Scheme,
    SentencesAspect,
    TextAspect,
)
from annotation_platform.core.text import SentenceReferenceError, parse_sentence_references

_BLANK = " \t\r\n\u3000,;、，"


class InvalidJudgmentError(ValueError):
    """A judgment that the scheme does not accept. ``errors`` maps aspect keys to what to do about them."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{key}: {reason}" for key, reason in self.errors.items()))


@dataclass(frozen=True)
class RatedChoice:
    """A label given to an aspect, and the number that its scale puts behind it (None on a nominal scale)."""

    aspect: str
    choice: str
    number: float | None


def shown_aspects(scheme: Scheme, values: Mapping[str, Any]) -> Iterator[Aspect]:
    """The aspects whose condition holds, in order; one hidden aspect hides those that ask for it."""
    visible: dict[str, Any] = {}
    for aspect in scheme.aspects:
        if aspect.shown_when is None or aspect.shown_when.holds(visible):
            visible[aspect.key] = values.get(aspect.key)
            yield aspect


def check_judgment(
    scheme: Scheme, raw: Mapping[str, Any], *, sentence_count: int, not_asked: Collection[str] = ()
) -> dict[str, Any]:
    """Check what was sent for one item and return its values in their one canonical form.

    Parameters
    ----------
    scheme : Scheme
    raw : mapping of aspect key to what was sent
        A choice's key; a text; sentence numbers as a list of int or as typed (``3, 5-7``, ``none``).
    sentence_count : int
        Sentences in the document; 0 when its text is withheld.
    not_asked : collection of aspect key
        Aspects that whoever collected the judgment never asked for (imported data): they may be absent even
        where the scheme requires them. When one is there all the same, it is checked.

    Returns
    -------
    dict
        Aspect key → choice key (str), text (str, line ends unified, outer space gone) or sorted sentence
        numbers (list of int; empty = the explicit "none"). Hidden aspects and optional ones left open are absent.

    Raises
    ------
    InvalidJudgmentError
        With a reason for every aspect that is missing or wrong, and for keys that the scheme does not have.
    """
    errors = {key: "This scheme has no such aspect." for key in raw if key not in {a.key for a in scheme.aspects}}
    values: dict[str, Any] = {}
    for aspect in shown_aspects(scheme, raw):
        if aspect.key in not_asked and aspect.key not in raw:
            continue
        try:
            value = _check_value(aspect, raw.get(aspect.key), sentence_count)
        except ValueError as error:
            errors[aspect.key] = str(error)
            continue
        if value is not None:
            values[aspect.key] = value
    if errors:
        raise InvalidJudgmentError(errors)
    return values


def rated_choices(scheme: Scheme, values: Mapping[str, Any]) -> list[RatedChoice]:
    """The rated aspects of checked values, with the numbers of their scales."""
    return [
        RatedChoice(aspect.key, choice.key, choice.number)
        for aspect in scheme.choice_aspects
        if aspect.key in values
        for choice in [aspect.scale.choice(values[aspect.key])]
    ]


def cited_sentences(scheme: Scheme, values: Mapping[str, Any]) -> list[tuple[str, int]]:
    """(aspect key, sentence number) for every sentence cited in checked values."""
    return [
        (aspect.key, number)
        for aspect in scheme.aspects
        if isinstance(aspect, SentencesAspect)
        for number in values.get(aspect.key, ())
    ]


def _check_value(aspect: Aspect, raw: Any, sentence_count: int) -> Any:
    if isinstance(aspect, ChoiceAspect):
        return _check_choice(aspect, raw)
    if isinstance(aspect, TextAspect):
        return _check_text(aspect, raw)
    return _check_sentences(aspect, raw, sentence_count)


def _check_choice(aspect: ChoiceAspect, raw: Any) -> str | None:
    if raw is None or raw == "":
        if aspect.required:
            raise ValueError("Choose one.")
        return None
    keys = [choice.key for choice in aspect.scale.choices]
    if raw not in keys:
        raise ValueError(f"“{str(raw)[:40]}” is not one of the choices ({', '.join(keys)}).")
    return str(raw)


def _check_text(aspect: TextAspect, raw: Any) -> str | None:
    if raw is not None and not isinstance(raw, str):
        raise ValueError("This must be text.")
    text = (raw or "").replace("\r\n", "\n").replace("\x00", "").strip()
    if not text:
        if aspect.required:
            raise ValueError("Please write something here.")
        return None
    if len(text) < aspect.min_length:
        raise ValueError(f"Please write at least {aspect.min_length} characters; there are {len(text)}.")
    if len(text) > aspect.max_length:
        raise ValueError(f"This is {len(text):,} characters long; at most {aspect.max_length:,} fit. Shorten it.")
    return text


def _check_sentences(aspect: SentencesAspect, raw: Any, count: int) -> list[int] | None:
    if raw is None or (isinstance(raw, str) and not raw.strip(_BLANK)):  # "none" is said, never left open
        if aspect.required:
            raise ValueError(f"Cite the sentences, or say “{aspect.none_label}”.")
        return None
    if isinstance(raw, str):
        return parse_sentence_references(raw, count=count)
    if not isinstance(raw, list) or any(not isinstance(n, int) or isinstance(n, bool) for n in raw):
        raise ValueError("This must be a list of sentence numbers.")
    for number in raw:
        if number < 1 or (count and number > count):
            where = f"between 1 and {count}" if count else "above 0"
            raise SentenceReferenceError(f"There is no sentence {number}. Numbers lie {where}.")
    return sorted(set(raw))
