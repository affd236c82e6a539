"""Conversations as programs write them: whose turns they are, which are judged, and what of them cannot be shown.

A message is ``{"role": …, "content": …}``, or ``{"from": …, "value": …}``. Its content is a text, or a list of parts of
which those of text are taken. Calls of tools are read as chat completions, Anthropic's messages and Inspect AI write
them, and what the tools gave back goes to the call. ``"judge": true`` marks a turn to judge; without a mark it is the
assistant's last reply, with all turns of the assistant since somebody else spoke.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation_platform.core.turns import as_text, reply_as_text, turns_of
from annotation_platform.corpus.importers.messages import JUDGE, Messages, StoredTurn
from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.study import LeftOut

QUESTION_TURNS, ANSWER_TURNS = "question_turns", "answer_turns"


@dataclass(frozen=True)
class Exchange:
    """The turns before what is judged, and those to judge (none where no assistant said anything)."""

    before: Sequence[StoredTurn]
    reply: Sequence[StoredTurn]
    left_out: Sequence[LeftOut] = ()

    @property
    def turns(self) -> list[StoredTurn]:
        return [*self.before, *self.reply]

    @property
    def question(self) -> str:
        return as_text(turns_of(self.before))

    @property
    def answer(self) -> str:
        return reply_as_text(turns_of(self.reply))

    @property
    def question_turns(self) -> list[StoredTurn]:
        """The turns before; nothing where they are one plain text of the user."""
        return [] if _is_plain(self.before, "user") else [*self.before]

    @property
    def answer_turns(self) -> list[StoredTurn]:
        """The turns to judge; nothing where they are one plain text of the assistant."""
        return [] if _is_plain(self.reply, "assistant") else [*self.reply]


def exchange_of(messages: Any) -> Exchange:
    """What is judged of a conversation, and the turns up to it.

    Raises
    ------
    RowError
        When this is no list of messages, or one has a role that nobody knows.
    """
    read = Messages()
    read.take(messages)
    turns, marked = read.turns, read.marked
    if not marked:
        last = max((place for place, turn in enumerate(turns) if turn["role"] == "assistant"), default=-1)
        if last < 0:
            return Exchange(turns, [], read.left_out)
        first = last
        while first and turns[first - 1]["role"] == "assistant":
            first -= 1
    else:
        first, last = min(marked), max(marked)
    after = len(turns) - last - 1
    left_out = [*read.left_out, *[LeftOut("corpus.turns_after_the_answer", number=after)] * bool(after)]
    return Exchange(turns[:first], turns[first : last + 1], left_out)


def marked(exchange: Exchange) -> list[StoredTurn] | None:
    """A conversation that a cell can hold; None where question and answer say it all."""
    if not exchange.question_turns and not exchange.answer_turns:
        return None
    return [*exchange.before, *({**turn, JUDGE: True} for turn in exchange.reply)]


def turns_in(given: Any) -> list[StoredTurn]:
    """Turns in one cell, as rows keep them.

    Raises
    ------
    RowError
        When they are no list of messages.
    """
    read = Messages()
    read.take(list_of_messages(given))
    return read.turns


def is_conversation(field: str) -> bool:
    """Whether a field holds a conversation: ``conversation``, or ``conversation.1`` of several beside one another."""
    return field.partition(".")[0] == "conversation"


def list_of_messages(given: Any) -> Any:
    """The messages of a cell, which may have them as JSON."""
    if isinstance(given, str):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            raise RowError("corpus.no_conversation") from None
    return given


def from_where_they_part(beside: Sequence[Exchange]) -> list[Exchange]:
    """Conversations beside one another as replies to the same turns.

    Where the turns before what is judged differ, as those of two models do, what is judged is all that follows the
    turns that they share, from the first one of an assistant on.

    Raises
    ------
    RowError
        When they share none.
    """
    if all(each.before == beside[0].before for each in beside):
        return [*beside]
    talks = [each.turns for each in beside]
    shared = 0
    for place, side_by_side in enumerate(zip(*talks, strict=False)):
        if all(turn["role"] == "assistant" for turn in side_by_side):
            shared = place
        if any(turn != side_by_side[0] for turn in side_by_side):
            break
    if not shared:
        raise RowError("corpus.conversations_differ")
    return [replace(each, before=talk[:shared], reply=talk[shared:]) for each, talk in zip(beside, talks, strict=True)]


def told_by(found: Mapping[str, Exchange], said: Mapping[str, Any]) -> dict[str, Any]:
    """A row with what its conversations tell: the question, the answers, and the turns of those that are more than one
    text. A question or an answer that is one plain text may be said otherwise by a column of its own."""
    alike = from_where_they_part([*found.values()])
    told: dict[str, Any] = {"question": alike[0].question} | dict(said)
    if turns := alike[0].question_turns:
        told |= {"question": alike[0].question, QUESTION_TURNS: turns}
    for field, exchange in zip(found, alike, strict=True):
        answer = field.replace("conversation", "answer")
        turns = exchange.answer_turns
        if turns or (exchange.answer and answer not in said):
            told |= {answer: exchange.answer, field.replace("conversation", ANSWER_TURNS): turns}
    return told


def _is_plain(turns: Sequence[StoredTurn], role: str) -> bool:
    return not turns or (len(turns) == 1 and turns[0]["role"] == role and turns[0].keys() == {"role", "text"})
