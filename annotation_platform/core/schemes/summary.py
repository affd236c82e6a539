"""What is in a scheme, at a glance: its aspects and their conditions, and the texts that lack a language."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from annotation_platform.core.locations import Location
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.aspects import CONDITIONS, BestOfAspect
from annotation_platform.core.schemes.definition import Scheme, WorkedExample
from annotation_platform.core.schemes.languages import is_by_language
from annotation_platform.core.schemes.loading import build_scheme


def summary(scheme: Scheme) -> list[Reason]:
    """A line for the whole, then one for each aspect: its number, key, kind, and what its conditions are about."""
    whole = "summary.judges_groups" if scheme.judges_candidates else "summary.judges_answers"
    lines = [Reason(whole, key=scheme.key, parts=[*scheme.parts], count=scheme.judgments_per_item)]
    for number, aspect in enumerate(scheme.aspects, start=1):
        asked = {name: getattr(aspect, name, None) for name in CONDITIONS}
        conditions = [
            Reason("summary.condition", name=name, aspects=sorted(when.asked)) for name, when in asked.items() if when
        ]
        each = [Reason("summary.per_candidate")] if aspect.per == "candidate" else []
        optional = [] if aspect.required or aspect.required_when else [Reason("summary.optional")]
        said = [f"{aspect.key} ({aspect.kind})", *each, *optional, *conditions]
        lines.append(Reason("summary.aspect", number=number, words=said))
    lines.extend(_asked_after_the_answers(scheme))
    if scheme.cannot_judge:
        lines.append(Reason("summary.cannot_judge", words=scheme.cannot_judge))
    return lines


def _asked_after_the_answers(scheme: Scheme) -> Iterator[Reason]:
    """Choices among the candidates that stand above what is asked of each of them."""
    group = next((index for index, aspect in enumerate(scheme.aspects) if aspect.per == "candidate"), 0)
    early = [aspect.key for aspect in scheme.aspects[:group] if isinstance(aspect, BestOfAspect)]
    for key in early:
        yield Reason("summary.answers_first", key=key)


def texts_without(data: dict[str, Any], language: str) -> list[Location]:
    """Where checked plain data have a text for annotators that is not written in this language.

    A text that is not written by language counts as English. What a worked example judges (its document, question,
    answers) is material, not text, and stays out.
    """
    return [where for where in _texts(build_scheme(data), ()) if not _is_in(_at(data, where), language)]


def texts_of(data: dict[str, Any]) -> list[Location]:
    """Where checked plain data have a text for annotators."""
    return [where for where in _texts(build_scheme(data), ()) if _at(data, where) is not None]


def _texts(part: Any, location: Location) -> Iterator[Location]:
    if isinstance(part, tuple):
        for index, each in enumerate(part):
            if isinstance(each, BaseModel):
                yield from _texts(each, (*location, index))
    elif isinstance(part, dict):
        yield from ((*location, f"{key:g}") for key in part)
    elif isinstance(part, BaseModel):
        for name, field in type(part).model_fields.items():
            if isinstance(part, WorkedExample) and name not in ("title", "comment"):
                continue
            value, where = getattr(part, name), (*location, field.alias or name)
            if not isinstance(value, str):
                yield from _texts(value, where)
            elif value and field.annotation is str and not any(hasattr(rule, "pattern") for rule in field.metadata):
                yield where


def _at(data: Any, location: Location) -> Any:
    for part in location:
        if is_by_language(data):  # a whole list, say, once per language
            return data
        data = data[part] if isinstance(part, int) else data.get(part)
    return data


def _is_in(text: Any, language: str) -> bool:
    return text is None or language in (text if isinstance(text, dict) else ("en",))
