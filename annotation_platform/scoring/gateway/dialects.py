"""How a server wants to be asked: what it does not take of a request is said otherwise, which stays the same question.

What was found out so is remembered for each model on each server, for the life of the process.
"""

from collections import defaultdict
from typing import Any

from annotation_platform.scoring.gateway.endpoint import ModelRequestError
from annotation_platform.scoring.gateway.requests import SCHEMA, Question
from annotation_platform.scoring.parameters import ModelCall

LENGTH = "max_tokens"
NEW_NAME_OF_LENGTH = "max_completion_tokens"
SCHEMA_NOT_UNDERSTOOD = {400, 415, 422}

_not_taken: dict[tuple[str, str], set[str]] = defaultdict(set)  # by address and model


def prepare(question: Question[Any], parameters: ModelCall) -> None:
    """Say it as the server is known to want it."""
    unwanted = _not_taken[parameters.base_url, parameters.model]
    for part in unwanted | ({SCHEMA} if parameters.structured == "never" else set()):
        _reword(question, part)


def adapt(question: Question[Any], error: Exception) -> bool:
    """Say a refused question otherwise, for another try; False when there is no other way."""
    part = _unwanted(question.body, error) if isinstance(error, ModelRequestError) else None
    if part is None:
        return False
    question.refused.add(part)
    _reword(question, part)
    return True


def remember(question: Question[Any], parameters: ModelCall) -> None:
    """The question has a reply, so what it was refused for is what the server does not take."""
    if question.refused:
        _not_taken[parameters.base_url, parameters.model] |= question.refused


def forget() -> None:
    _not_taken.clear()


def _unwanted(body: dict[str, Any], error: ModelRequestError) -> str | None:
    words = str(error)
    is_length = NEW_NAME_OF_LENGTH in words or (LENGTH in words and "support" in words)
    if error.status == 400 and is_length and LENGTH in body:
        return LENGTH
    return SCHEMA if error.status in SCHEMA_NOT_UNDERSTOOD and SCHEMA in body else None


def _reword(question: Question[Any], part: str) -> None:
    if part in question.body:
        body = dict(question.body)
        value = body.pop(part)
        question.body = body | {NEW_NAME_OF_LENGTH: value} if part == LENGTH else body
