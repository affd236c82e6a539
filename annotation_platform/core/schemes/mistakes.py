"""What is wrong in a scheme: where it stands, and what was expected, in words for people."""

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.languages import LANGUAGES

Mistake = tuple[Location, str]
KEY_PATTERN = r"^[a-z][a-z0-9_]{0,39}$"
POINT_PATTERN = r"^(-?[0-9]+(\.[0-9]+)?|[a-z0-9][a-z0-9_]{0,39})$"
_RULE = "rule_of_the_language"
_PATTERNS = {
    KEY_PATTERN: "must be a short name: a lower-case letter, then lower-case letters, digits and _ (at most 40)",
    POINT_PATTERN: "must be a number or a short name of lower-case letters, digits and _ (at most 40)",
}
_MAPPING = "must be a mapping of keys to values"
_WORDING = {
    "missing": "is missing",
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dict_type": _MAPPING,
    "mapping_type": _MAPPING,
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "union_tag_not_found": "is missing",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
}
_OPENINGS = ("Input should be", "String should", "Tuple should", "Value should")


def refuse(mistakes: Iterable[Mistake]) -> None:
    """Raise what a check within a model has found, all at once.

    Parameters
    ----------
    mistakes : iterable of (location within the model, reason)

    Raises
    ------
    ValidationError
        Unless there are none. Pydantic puts the model's own location in front.
    """
    found = [
        InitErrorDetails(type=PydanticCustomError(_RULE, "{reason}", {"reason": reason}), loc=location, input=None)
        for location, reason in mistakes
    ]
    if found:
        raise ValidationError.from_exception_data("scheme", found)


def mistakes_in(error: ValidationError, model: type[BaseModel]) -> Iterator[Mistake]:
    """Every mistake that pydantic found while it built ``model``, at its place in the file."""
    for found in error.errors(include_url=False):
        if found["type"] == "too_short" and len(found["input"]) >= found["ctx"]["min_length"]:
            continue  # pydantic counts the items that are right; what is wrong with the others is told by itself
        location, parts = _walk(model, found["loc"])
        if found["type"].startswith("union_tag"):
            location = (*location, found["ctx"]["discriminator"].strip("'"))
        yield location, _in_words(found, parts)


def did_you_mean(word: str, known: Sequence[str]) -> Reason:
    """The known word that is most like a wrong one; all of them when none is."""
    if near := get_close_matches(word, known, n=1):
        return Reason("words.did_you_mean", word=near[0])
    return Reason("words.there_are", known=list(known)) if known else Reason("words.there_are_none")


def _in_words(found: ErrorDetails, keys: Sequence[str]) -> str:
    kind, value, context = found["type"], found["input"], found.get("ctx", {})
    if kind in _WORDING:
        return _WORDING[kind] if value is not None or kind == "union_tag_not_found" else "is empty"
    if kind == "extra_forbidden":
        key = str(found["loc"][-1])
        return f"there is no key {key!r} here; {did_you_mean(key, keys)}"
    if kind == "union_tag_invalid":
        known = context["expected_tags"].replace("'", "").split(", ")
        return f"there is no kind {context['tag']!r}; {did_you_mean(context['tag'], known)}"
    if kind == "string_pattern_mismatch":
        return f"{_PATTERNS[context['pattern']]}, not {value!r}"
    if kind == "string_type" and value is not None:
        return _no_text(value)
    reason = found["msg"].removeprefix("Value error, ").replace(" after validation", "")
    if value is None and kind != _RULE:
        return "is empty"
    for opening in _OPENINGS:
        if reason.startswith(opening):
            is_told = isinstance(value, str | int | float) and kind != "string_too_short"
            return reason.replace(opening, "must be" if opening == "Input should be" else "must", 1) + (
                f", not {value!r}" if is_told else ""
            )
    return reason


def _no_text(value: Any) -> str:
    if isinstance(value, dict):
        strange = [f"; {key!r} is none of them" for key in value if key not in LANGUAGES]
        return f"must be a text, or a text for each language ({', '.join(LANGUAGES)}){''.join(strange[:1])}"
    if isinstance(value, int | float):
        return f"must be text; put {json.dumps(value)} in quotes"
    return "must be text"


def _walk(model: type[BaseModel], location: Location) -> tuple[Location, list[str]]:
    """A location without what pydantic adds to it (the kind of an aspect), and the keys that could end it."""
    path: list[str | int] = []
    models = [model]
    keys: dict[Any, Any] = {}
    for part in location:
        if of_kind := [each for each in models if len(models) > 1 and _kind(each) == part]:
            models = of_kind
            continue
        path.append(part)
        keys = fields_of(models)
        if part in keys:
            models = list(models_in(keys[part]))
    return tuple(path), sorted(keys)


def _kind(model: type[BaseModel]) -> Any:
    field = model.model_fields.get("kind")
    return get_args(field.annotation)[0] if field else None


def fields_of(models: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """The keys that files use for the fields of these models, with the fields' annotations."""
    return {field.alias or name: field.annotation for each in models for name, field in each.model_fields.items()}


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that an annotation (a union, a tuple, …) is made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from models_in(part)
