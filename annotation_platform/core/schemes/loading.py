"""From a scheme file to a :class:`Scheme`, with the line of whatever is wrong."""

import copy
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from annotation_platform.core.locations import Location, key_path, line_of
from annotation_platform.core.schemes.definition import LANGUAGES, Scheme, localise
from annotation_platform.core.schemes.judgment import InvalidJudgmentError, check_judgment

PRESETS = Path(__file__).parent / "presets"


class SchemeError(ValueError):
    """A scheme that cannot be used. Each of ``reasons`` says where and why."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = list(reasons)
        super().__init__("\n".join(self.reasons))


def read_scheme(text: str, *, source: str = "scheme") -> dict[str, Any]:
    """Read and check a scheme file; return its plain data, good for :func:`build_scheme` in any language.

    Parameters
    ----------
    text : str
        YAML.
    source : str
        The file's name, for messages.

    Raises
    ------
    SchemeError
        One reason for each mistake, as ``source, line 12: aspects[2].scale: …``.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{source}, line {mark.line + 1}" if mark else source
        raise SchemeError([f"{where}: {getattr(error, 'problem', None) or error}"]) from None
    if not isinstance(data, dict):
        raise SchemeError([f"{source}, line 1: a scheme is a mapping with 'key', 'title', 'shown' and 'aspects'."])
    reasons: dict[str, None] = {}
    for language in LANGUAGES:
        for location, message in _mistakes(data, language):
            line, path = line_of(node, location), key_path(location)
            reasons[f"{source}, line {line}: {path + ': ' if path else ''}{message}"] = None
    if reasons:
        raise SchemeError(list(reasons))
    return data


def build_scheme(data: dict[str, Any], language: str = "en") -> Scheme:
    """The scheme in one language, from the plain data that :func:`read_scheme` returned."""
    return Scheme.model_validate(localise(data, language))


def preset(key: str) -> dict[str, Any]:
    """The plain data of a scheme that comes with the platform; each caller gets a copy of its own.

    Raises
    ------
    SchemeError
        When there is no such preset; the message lists those that there are.
    """
    return copy.deepcopy(_preset(key))


@cache
def _preset(key: str) -> dict[str, Any]:
    path = PRESETS / f"{key}.yaml"
    if path not in PRESETS.glob("*.yaml"):
        known = ", ".join(sorted(path.stem for path in PRESETS.glob("*.yaml")))
        raise SchemeError([f"There is no preset {key!r}; there are: {known}."])
    return read_scheme(path.read_text(encoding="utf-8"), source=path.name)


def _mistakes(data: dict[str, Any], language: str) -> list[tuple[Location, str]]:
    try:
        scheme = build_scheme(data, language)
    except ValidationError as error:
        return [
            (_without_union_tag(mistake["loc"]), mistake["msg"].removeprefix("Value error, "))
            for mistake in error.errors(include_url=False)
        ]
    except ValueError as error:
        return [((), str(error))]
    found: list[tuple[Location, str]] = []
    for index, example in enumerate(scheme.examples):
        try:
            check_judgment(scheme, example.values, sentence_count=len(example.sentences))
        except InvalidJudgmentError as invalid:
            found += [(("examples", index, "values", key), reason) for key, reason in invalid.errors.items()]
    return found


def _without_union_tag(location: Location) -> Location:
    """Drop the kind of aspect that pydantic puts into a location: the file has no such key."""
    return location[:2] + location[3:] if location[:1] == ("aspects",) else location
