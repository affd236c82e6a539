"""Reading a body: JSON that can be stored."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.mistakes import UNSTORABLE

DEEPEST = 60


class BodyParser(BaseParser):
    """``application/json``, without numbers that are none or infinite, and without characters that databases refuse."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            text = stream.read().decode("utf-8-sig") or "null"
            data = json.loads(text, parse_constant=_refuse, parse_float=_finite, parse_int=_whole)
        except (ValueError, RecursionError) as error:
            raise ParseError(str(error)) from None
        if not _is_storable(data, DEEPEST):
            raise InvalidInputError("api.body_unstorable")
        return {} if data is None else data


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON.")


def _finite(written: str) -> float:
    if not isfinite(number := float(written)):
        raise ValueError(f"{written[:40]} is larger than any number that can be stored.")
    return number


def _whole(written: str) -> int:
    _finite(written)  # else whatever takes it for a float breaks
    return int(written)


def _is_storable(data: Any, depth: int) -> bool:
    if not depth:
        raise ParseError(Reason("corpus.nested_too_deeply"))
    if isinstance(data, str):
        return not UNSTORABLE.search(data)
    if isinstance(data, Mapping):
        return all(_is_storable(key, depth - 1) and _is_storable(value, depth - 1) for key, value in data.items())
    return not isinstance(data, list) or all(_is_storable(each, depth - 1) for each in data)
