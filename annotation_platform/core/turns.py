"""Conversations: turns with roles, the calls of tools inside them, and how they read as one text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from annotation_platform.core.segmentation import split_sentences

Role = Literal["system", "user", "assistant"]
NAMES: Mapping[str, str] = {"system": "System", "user": "User", "assistant": "Assistant"}
"""Role → what a conversation as one text calls it."""


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool: its name, its arguments as they were written (mostly JSON), and what it gave back."""

    name: str = ""
    arguments: str = ""
    result: str = ""

    def __str__(self) -> str:
        return f"{self.name}({self.arguments})"


@dataclass(frozen=True)
class Turn:
    """What one side said. ``name`` tells apart several of one role; what tools did belongs to the turn that called."""

    role: Role
    text: str = ""
    name: str = ""
    calls: tuple[ToolCall, ...] = ()

    @property
    def speaker(self) -> str:
        return f"{NAMES[self.role]} ({self.name})" if self.name else NAMES[self.role]

    @property
    def is_plain(self) -> bool:
        """Whether its text is all there is."""
        return not self.name and not self.calls

    @property
    def words(self) -> str:
        """Its text; of a turn that only calls tools, the calls."""
        return self.text or "\n".join(map(str, self.calls))


@dataclass(frozen=True)
class SpokenTurn:
    """A turn at its place in its item's conversation (from 1), whose sentences can be cited: ``T3:2``.

    Its sentences are found when they are asked for, by the rules of its language, and are remembered.
    """

    number: int
    turn: Turn
    language: str = ""

    @property
    def name(self) -> str:
        return f"T{self.number}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """What its text says, sentence by sentence; none of a turn that only calls tools."""
        return _sentences(self.turn.text, self.language)

    def __len__(self) -> int:
        return len(self.sentences)


def as_turns(role: Role, turns: Sequence[Turn], text: str) -> tuple[Turn, ...]:
    """Turns where there are some; else a plain text as the one turn that it is, and nothing as none."""
    return tuple(turns) or ((Turn(role, text),) if text else ())


Conversation = tuple[tuple[SpokenTurn, ...], ...]
"""The turns of an item by number: first those of the question and the one answer, then each candidate's own."""


def conversation_of(
    question: Sequence[Turn], answer: Sequence[Turn], candidates: Iterable[Sequence[Turn]], language: str
) -> Conversation:
    """Number the turns of an item; those of candidates, by their numbers, go on from the question's."""
    alone = _spoken((*question, *answer), language, after=0)
    return (alone, *(_spoken(each, language, after=len(question)) for each in candidates))


def _spoken(turns: Iterable[Turn], language: str, *, after: int) -> tuple[SpokenTurn, ...]:
    return tuple(SpokenTurn(number, turn, language) for number, turn in enumerate(turns, start=after + 1))


@lru_cache(maxsize=4_096)
def _sentences(text: str, language: str) -> tuple[str, ...]:
    try:
        return tuple(split_sentences(text, language or "en"))
    except ValueError:  # no rules for this language
        return tuple(split_sentences(text))


def turns_of(stored: Iterable[Mapping[str, Any]] | None) -> tuple[Turn, ...]:
    """Turns as rows keep them: ``{"role": …, "text": …}``, with ``name`` and ``calls`` where there are some."""
    return tuple(
        Turn(
            each["role"],
            each.get("text", ""),
            each.get("name", ""),
            tuple(ToolCall(**call) for call in each.get("calls", ())),
        )
        for each in stored or ()
    )


def stored_turns(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """The same the other way round; what is empty is left out."""
    return [
        {"role": each.role, "text": each.text}
        | ({"name": each.name} if each.name else {})
        | ({"calls": [_present(vars(call)) for call in each.calls]} if each.calls else {})
        for each in turns
    ]


def as_text(turns: Sequence[Turn]) -> str:
    """A conversation as one text, each turn after whose it is; a question alone is only its text."""
    if len(turns) == 1 and turns[0].role == "user":
        return turns[0].words
    return "\n\n".join(f"{turn.speaker}: {turn.words}" for turn in turns)


def reply_as_text(turns: Sequence[Turn]) -> str:
    """What is judged as one text: of an assistant's turns those that call no tool, if any; else as a conversation."""
    if any(turn.role != "assistant" for turn in turns):
        return as_text(turns)
    said = [turn.text for turn in turns if turn.text and not turn.calls]
    return "\n\n".join(said or [turn.words for turn in turns])


def cited_prompt(turns: Sequence[SpokenTurn]) -> str:
    """As :func:`for_prompt`, with the names of turns and sentences by which people cite them."""
    return "\n".join(
        _in_prompt(each.name, each.turn, [f"    {number}. {_in_one_line(text)}" for number, text in _numbered(each)])
        for each in turns
    )


def _numbered(turn: SpokenTurn) -> Iterable[tuple[int, str]]:
    return enumerate(turn.sentences, start=1)


def for_prompt(turns: Sequence[Turn]) -> str:
    """A conversation for a model that judges it: a numbered head for each turn, and what was said indented below it.

    So no text can pretend to be another turn. Calls of tools stand below the turn that made them.
    """
    return "\n".join(_in_prompt(str(number), turn, _indented(turn.text)) for number, turn in enumerate(turns, start=1))


def _in_prompt(name: str, turn: Turn, said: Sequence[str]) -> str:
    lines = [f"[{name}] {_in_one_line(turn.speaker)}:", *said]
    for call in turn.calls:
        lines += [f"    -> {_in_one_line(str(call))}", *_indented(call.result, by=8)]
    return "\n".join(lines)


def _indented(text: str, by: int = 4) -> list[str]:
    return [f"{' ' * by}{line}".rstrip() for line in text.strip().splitlines()]


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _present(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in fields.items() if text}
