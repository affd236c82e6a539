"""Labels in the structured parts of a reply: JSON, whole or cut off, and what Python prints for it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation_platform.core.methods.judging import Question

_START = re.compile(r"\{(?=\s*[\"'“{])|\[(?=\s*\{)")
_PAIR = re.compile(
    r"""(?P<quote>["'])(?P<key>[^"'\\\n]{1,300})(?P=quote)\s*:\s*"""
    r"""(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)*'|-?\d+(?:\.\d+)?|true|false|null|True|False|None)"""
    r"""(?=\s*[,}\]\n]|\s*//)""",
    re.DOTALL,
)
_NAMES = ("criterion", "aspect", "name", "key", "question", "id", "観点", "項目")
_LABELS = ("label", "rating", "score", "answer", "value", "choice", "judgment", "judgement", "verdict", "評価", "判定")


@dataclass(frozen=True)
class _Pairs:
    """A JSON object with all its pairs, also those whose key occurs twice."""

    pairs: Sequence[tuple[str, Any]]


def bare_name(text: str) -> str:
    """A name without the signs between its words: good_fit, goodFit and Good-fit are one."""
    return re.sub(r"[\W_]+", "", text).casefold()


def structured_statements(text: str, questions: Sequence[Question]) -> tuple[list[tuple[Question, str]], str]:
    """What the JSON in a reply says to which question, and the rest of the reply without it.

    An object that cannot be decoded (cut off, with comments, in Python's quotes) is read pair by pair; a value that
    is cut off is left out.
    """
    names = {name: question for question in questions for name in _names_of(question)}
    found: list[tuple[Question, str]] = []
    kept, position = [], 0
    while start := _START.search(text, position):
        kept.append(text[position : start.start()])
        try:
            value, end = _DECODER.raw_decode(text, start.start())
        except (json.JSONDecodeError, RecursionError):
            end = _end_of_broken(text, start.start())
            value = _Pairs(
                [(match["key"], _scalar(match["value"])) for match in _PAIR.finditer(text, start.start(), end)]
            )
        found.extend(_walk(value, names))
        position = end
    return found, "".join([*kept, text[position:]])


_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs, strict=False)


def _names_of(question: Question) -> set[str]:
    return {bare_name(name) for name in (question.key, question.slot_key, question.title)} - {""}


def _end_of_broken(text: str, start: int) -> int:
    """Where an object that cannot be decoded ends: after its last brace before a fence, or with the text."""
    fence = text.find("```", start)
    limit = len(text) if fence < 0 else fence
    brace = max(text.rfind("}", start, limit), text.rfind("]", start, limit))
    return limit if brace < 0 else brace + 1


def _scalar(written: str) -> Any:
    if written[0] == "'":
        return written[1:-1].replace("\\'", "'")
    plain = {"True": True, "False": False, "None": None}
    return plain[written] if written in plain else json.loads(written, strict=False)


def _walk(value: Any, names: Mapping[str, Question]) -> Iterator[tuple[Question, str]]:
    if isinstance(value, list):
        for part in value:
            yield from _walk(part, names)
    elif isinstance(value, _Pairs):
        named = [part for key, part in value.pairs if bare_name(key) in _NAMES and isinstance(part, str)]
        question = names.get(bare_name(named[0])) if len(named) == 1 else None
        if question is not None:
            yield from ((question, said) for said in _labels_in(value))
            return
        for key, part in value.pairs:
            if (asked := names.get(bare_name(key))) is not None:
                yield from ((asked, said) for said in _labels_in(part))
            else:
                yield from _walk(part, names)


def _labels_in(value: Any) -> Iterator[str]:
    """The label of a key: itself, each of a list, or the one called label, rating … in an object."""
    if isinstance(value, _Pairs):
        for key, part in value.pairs:
            if bare_name(key) in _LABELS:
                yield from _labels_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _labels_in(part)
    elif isinstance(value, str):
        yield value
    else:
        yield json.dumps(value)
