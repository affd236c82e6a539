"""Labels from a whole reply: every way of saying them is looked for, and they must agree."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from annotation_platform.core.methods.extraction.lines import (
    FULL_WIDTH,
    NamesInLines,
    Statement,
    by_number,
    by_position,
    in_tags,
    named_labels,
)
from annotation_platform.core.methods.extraction.structured import structured_statements
from annotation_platform.core.methods.extraction.values import LabelReading, Unread, ValueReader, value_reader
from annotation_platform.core.methods.extraction.words import pattern
from annotation_platform.core.methods.judging import Question
from annotation_platform.core.methods.replies import is_cited, without_thoughts

LONGEST = 20_000  # characters, without thoughts; a longer reply is not read
_SHAPELESS = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_BREAK_TAG = re.compile(r"<br\s*/?>|</(?:li|p|tr|h\d)>", re.IGNORECASE)
_MARKUP = re.compile(r"\*+|`+|(?<!\w)__|__(?!\w)|</?(?:b|i|u|em|strong|p|li|ul|ol|code)>", re.IGNORECASE)
_COUNTED = re.compile(r"\s*(?:[-–—+*•・]\s+|>\s*)*\(?(\d{1,2})(?:[.):、。/]\)?(?!\d)|\s+[-–—]\s)")
_SECOND = re.compile(r"(?<=[\s;,、。])\(?2[.):、]\)?\s")  # within the line of the first
_ESCAPED = re.compile(r"\\([_*#.|\-])")


def read_reply(questions: Sequence[Question], reply: str) -> dict[str, LabelReading]:
    """What a reply says to each question.

    Labels are looked for in JSON, tags, lines that begin with a question's name, tables, numbered lists and, when one
    thing alone was asked for, in the reply as a whole. A label counts only where a person would have no doubt: words
    that merely contain one, ranges, hedges and two different labels give a failure, which costs a second look; a wrong
    label would go unnoticed.

    Parameters
    ----------
    questions : sequence of Question
        In the order in which the prompt numbered them.
    reply : str
        As it came; the thoughts of a reasoning model are left out.

    Returns
    -------
    dict
        Slot key → reading, for every question. Conditions are not looked at; see
        :func:`~annotation_platform.core.methods.extraction.settle`. Never raises.
    """
    text = _SHAPELESS.sub("", without_thoughts(reply)).replace("\r\n", "\n")
    if len(text) > LONGEST:
        return {question.slot_key: LabelReading(failure=Unread.MISSING, said=text[-300:]) for question in questions}
    structured, rest = structured_statements(text, questions)
    said = _ESCAPED.sub(r"\1", _MARKUP.sub("", _BREAK_TAG.sub("\n", rest)))
    tagged = list(in_tags(said, questions))
    named = NamesInLines(tuple(questions)).statements(said) if not tagged else []
    statements = [*(Statement(question, value) for question, value in structured), *tagged, *named]
    if not statements and len(questions) > 1:
        statements = _without_names(questions, said)
    readings = {question.slot_key: _read(question, statements) for question in questions}
    if len(questions) == 1 and questions[0].options:
        readings = {key: _joined([reading, *_as_a_whole(questions[0], said)]) for key, reading in readings.items()}
    return dict(_finished(readings, said))


def _finished(readings: Mapping[str, LabelReading], said: str) -> Iterator[tuple[str, LabelReading]]:
    """Nothing counts when something is taken back; nothing read from an apology is a refusal."""
    is_taken_back = bool(pattern("retraction").search(said))
    is_refused = bool(pattern("refusal").search(said)) and all(each.failure for each in readings.values())
    for key, reading in readings.items():
        if is_taken_back and reading.failure is None:
            yield key, LabelReading(failure=Unread.AMBIGUOUS, said=reading.said)
        elif is_refused and reading.failure is Unread.MISSING:
            yield key, replace(reading, failure=Unread.REFUSED)
        else:
            yield key, reading


def _read(question: Question, statements: Iterable[Statement]) -> LabelReading:
    own = [statement for statement in statements if statement.question == question]
    if not question.options:
        return _text(own)
    reader = value_reader(question)
    return _joined([reading for statement in own for reading in _readings(reader, statement)])


def _text(statements: Sequence[Statement]) -> LabelReading:
    texts = dict.fromkeys("\n".join([each.value, *each.below]).strip() for each in statements)
    found = [text for text in texts if text]
    if len(found) == 1:
        return LabelReading(value=found[0], said=found[0])
    return LabelReading(failure=Unread.AMBIGUOUS if found else Unread.MISSING)


def _readings(reader: ValueReader, statement: Statement) -> Iterator[LabelReading]:
    """What one statement says: behind the name, in a bracket before that, or in the lines below."""
    if statement.bracket:
        in_bracket = reader.read_whole(statement.bracket)
        if in_bracket.failure is None:
            yield in_bracket
    beside = reader.read(statement.value)
    yield beside
    is_beside = beside.failure is not Unread.MISSING
    lines = [line for line in statement.below if line.strip()]
    is_counted = statement.question.has_numbers and _is_list(lines)
    for place, line in enumerate(lines):
        yield from _certain(reader.read(value) for value in named_labels(line))
        if not is_beside and not (is_counted and place == 0):
            yield from _certain([reader.read(line) if place == 0 else reader.read_whole(line)])
    if not is_beside:
        yield from _certain(reader.read(value) for value in named_labels(statement.value))


def _certain(readings: Iterable[LabelReading]) -> Iterator[LabelReading]:
    return (reading for reading in readings if reading.failure is not Unread.MISSING)


def _joined(readings: Sequence[LabelReading]) -> LabelReading:
    """One reading out of several: what they agree on."""
    said = [reading for reading in readings if reading.failure is not Unread.MISSING]
    labels = {(reading.value, reading.failure) for reading in said if reading.failure is not Unread.REFUSED}
    if len(labels) > 1:
        return LabelReading(failure=Unread.AMBIGUOUS, said=" … ".join(dict.fromkeys(each.said for each in said)))
    if labels:
        return next(reading for reading in said if reading.failure is not Unread.REFUSED)
    return said[0] if said else next(iter(readings), LabelReading(failure=Unread.MISSING))


def _is_list(lines: Sequence[str]) -> bool:
    """Whether their numbers count them, from 1 on, so that the first is no label."""
    found = [_COUNTED.match(line.translate(FULL_WIDTH)) for line in lines]
    if not found or (first := found[0]) is None:
        return False
    numbers = [match[1] for match in found if match]
    if numbers[:2] == ["1", "2"] or first[1] != "1":
        return numbers[:2] == ["1", "2"]
    line = first.string
    return any(not is_cited(line, second.start()) for second in _SECOND.finditer(line, first.end()))


def _as_a_whole(question: Question, said: str) -> Iterator[LabelReading]:
    """A reply about one question alone, as its first line, its last line, or behind "Answer:".

    Lines that begin with the question's name are statements, and were read as such.
    """
    reader, names = value_reader(question), NamesInLines((question,))
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for line in lines:
        yield from _certain(reader.read(value) for value in named_labels(line))
    is_counted = question.has_numbers and _is_list(lines)
    if lines and not is_counted and not names.statements(lines[0]):
        yield from _certain([reader.read(lines[0])])
    if len(lines) > 1 and not names.statements(lines[-1]):
        yield from _certain([reader.read_whole(lines[-1])])


def _without_names(questions: Sequence[Question], said: str) -> list[Statement]:
    """A list by numbers or by position; by position only when every single line is a label."""
    if numbered := by_number(said, questions):
        return numbered
    listed = by_position(said, questions)
    are_labels = all(value_reader(each.question).read_whole(each.value).failure is None for each in listed)
    return listed if are_labels else []
