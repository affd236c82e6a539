"""Conversations: turns with roles, the calls of tools inside them, and how they read as one text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from annotation_platform.core.segmentation import split_sentences

Role = Literal["system", "user", "assistant"]
BETWEEN_TURNS = "\n\n"
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


def _spoken(turns: Sequence[Turn], language: str, *, after: int) -> tuple[SpokenTurn, ...]:
    if not turns:  # most items have none, and a million of them may be read
        return ()
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
    return _joined(turns, _heads(turns))


def reply_as_text(turns: Sequence[Turn]) -> str:
    """What is judged as one text: of an assistant's turns those that call no tool, if any; else as a conversation."""
    return _joined(turns, _reply_heads(turns))


@dataclass(frozen=True)
class Piece:
    """Words of a conversation in its one text: from which character on, and what stands before them since the last."""

    text: str
    start: int
    before: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class PlacedTurn:
    """A turn, and where its text or its calls stand in the one text; nothing of a turn that is not part of it."""

    turn: Turn
    said: Piece | None = None
    calls: tuple[Piece, ...] = ()

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (self.said,) if self.said else self.calls


def placed_turns(turns: Sequence[Turn], text: str, *, is_reply: bool = False) -> tuple[PlacedTurn, ...]:
    """Turns with the places of their words in the text that :func:`as_text` or :func:`reply_as_text` makes of them.

    Empty where the text is another one, so that nobody knows which of its words are whose.
    """
    heads = _reply_heads(turns) if is_reply else _heads(turns)
    if _joined(turns, heads) != text:
        return ()
    found, place, end, first = list[PlacedTurn](), 0, 0, next(iter(heads), 0)
    for number, turn in enumerate(turns):
        if number not in heads:
            found.append(PlacedTurn(turn))
            continue
        place += len(heads[number]) + (0 if number == first else len(BETWEEN_TURNS))
        pieces = list[Piece]()
        for words in [turn.text] if turn.text else map(str, turn.calls):
            place += bool(pieces)  # the line end between two calls
            pieces.append(Piece(words, place, text[end:place]))
            place = end = place + len(words)
        found.append(PlacedTurn(turn, said=pieces[0]) if turn.text else PlacedTurn(turn, calls=tuple(pieces)))
    return tuple(found)


def _heads(turns: Sequence[Turn]) -> dict[int, str]:
    """The numbers of the turns that stand in the one text, with what stands before the words of each."""
    if len(turns) == 1 and turns[0].role == "user":
        return {0: ""}
    return {number: f"{turn.speaker}: " for number, turn in enumerate(turns)}


def _reply_heads(turns: Sequence[Turn]) -> dict[int, str]:
    if any(turn.role != "assistant" for turn in turns):
        return _heads(turns)
    said = [number for number, turn in enumerate(turns) if turn.text and not turn.calls]
    return dict.fromkeys(said or range(len(turns)), "")


def _joined(turns: Sequence[Turn], heads: Mapping[int, str]) -> str:
    return BETWEEN_TURNS.join(head + turns[number].words for number, head in heads.items())


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
