"""What is wrong in a scheme: where it stands, and what was expected, as a reason with its code."""

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from annotation_platform.core.constraints import broken_constraint
from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.languages import LANGUAGES

Mistake = tuple[Location, Reason]
KEY_PATTERN = r"^[a-z][a-z0-9_]{0,39}$"
POINT_PATTERN = r"^(-?[0-9]+(\.[0-9]+)?|[a-z0-9][a-z0-9_]{0,39})$"
_RULE = "rule_of_the_language"
_PATTERNS = {KEY_PATTERN: "data.no_short_name", POINT_PATTERN: "data.no_point"}
_UNTOLD = ("finite_number", "bool_type", "bool_parsing")  # kinds of mistakes that need not repeat what was written
LONGEST_TOLD = 80  # characters


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
        yield location, _reason(found, parts)


def did_you_mean(word: str, known: Sequence[str]) -> Reason:
    """The known word that is most like a wrong one; all of them when none is."""
    if near := get_close_matches(word, known, n=1):
        return Reason("words.did_you_mean", word=near[0])
    return there_are(known)


def there_are(known: Sequence[str]) -> Reason:
    """What there is to choose from."""
    return Reason("words.there_are", known=list(known)) if known else Reason("words.there_are_none")


def _reason(found: ErrorDetails, keys: Sequence[str]) -> Reason:
    kind, value, context = found["type"], found["input"], found.get("ctx", {})
    if kind == _RULE:
        reason: Reason = context["reason"]
        return reason
    if kind in ("missing", "union_tag_not_found"):
        return Reason("data.missing")
    if kind == "extra_forbidden":
        key = str(found["loc"][-1])
        return Reason("scheme.no_key", key=key, hint=did_you_mean(key, keys))
    if kind == "union_tag_invalid":
        known = context["expected_tags"].replace("'", "").split(", ")
        return Reason("scheme.no_kind", kind=context["tag"], hint=did_you_mean(context["tag"], known))
    if value is None:
        return Reason("data.empty")
    if kind == "string_type":
        return _no_text(value)
    return _limit_broken(found)


def _limit_broken(found: ErrorDetails) -> Reason:
    """What a value of the right kind breaks, with the value."""
    kind, value, context = found["type"], found["input"], found.get("ctx", {})
    if context.get("min_length") == 1:
        return Reason("data.text_empty")
    is_pattern = kind == "string_pattern_mismatch"
    reason = Reason(_PATTERNS[context["pattern"]]) if is_pattern else broken_constraint(found)
    if reason is None:
        return Reason("data.in_other_words", words=found["msg"].removeprefix("Value error, "))
    if kind in _UNTOLD or not isinstance(value, str | int | float):
        return reason
    told = value[:LONGEST_TOLD] if isinstance(value, str) else value
    return Reason("data.not_this", what=reason, value=told)


def _no_text(value: Any) -> Reason:
    if isinstance(value, dict):
        strange = [key for key in value if key not in LANGUAGES]
        if strange:
            return Reason("scheme.strange_language", languages=LANGUAGES, key=strange[0])
        return Reason("scheme.no_text_by_language", languages=LANGUAGES)
    if isinstance(value, int | float):
        return Reason("data.text_unquoted", written=json.dumps(value))
    return Reason("data.no_text")


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
