"""Conversations as programs write them: whose turns they are, which one is judged, and what of them cannot be shown.

A message is ``{"role": …, "content": …}``, or ``{"from": …, "value": …}``. Its content is a text, or a list of parts of
which those of text are taken.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.study import LeftOut

SYSTEM, USER, ASSISTANT = "System", "User", "Assistant"
ROLES = {
    **dict.fromkeys(("system", "developer"), SYSTEM),
    **dict.fromkeys(("user", "human", "prompter"), USER),
    **dict.fromkeys(("assistant", "gpt", "model", "bot", "chatgpt"), ASSISTANT),
}
OF_TOOLS = ("tool", "function", "observation", "ipython")
TEXTS = ("text", "input_text", "output_text")


class Turn(NamedTuple):
    """What one side said; ``role`` as annotators read it."""

    role: str
    text: str


class Exchange(NamedTuple):
    """The turn to judge (``answer``; "" where no assistant said anything), and all before it as one text."""

    question: str
    answer: str
    turns: Sequence[Turn]
    left_out: Sequence[LeftOut]


def exchange_of(messages: Any) -> Exchange:
    """The last turn of the assistant, and the conversation up to it.

    Raises
    ------
    RowError
        When this is no list of messages, or one has a role that nobody knows.
    """
    if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
        raise RowError("corpus.no_conversation")
    turns: list[Turn] = []
    left_out: list[LeftOut] = []
    for message in messages:
        role = str(message.get("role", message.get("from"))).lower()
        if role in OF_TOOLS:
            left_out.append(LeftOut("corpus.results_of_tools"))
            continue
        if role not in ROLES:
            raise RowError("corpus.strange_role", role=role[:40], known=sorted(ROLES))
        text, more = text_of_message(message)
        left_out += more
        if text and not _calls(message):
            turns.append(Turn(ROLES[role], text))
    last = max((place for place, turn in enumerate(turns) if turn.role == ASSISTANT), default=-1)
    if last < 0:
        return Exchange(as_text(turns), "", turns, left_out)
    if after := len(turns) - last - 1:
        left_out.append(LeftOut("corpus.turns_after_the_answer", number=after))
    return Exchange(as_text(turns[:last]), turns[last].text, turns[: last + 1], left_out)


def text_of_message(message: Mapping[str, Any]) -> tuple[str, list[LeftOut]]:
    """What a message says as text, and what else is in it."""
    left_out = []
    if calls := _calls(message):
        left_out.append(LeftOut("corpus.calls_of_tools", number=len(calls) if isinstance(calls, list) else 1))
    content = message.get("content", message.get("value"))
    texts = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("type", "text") in TEXTS:
            texts.append(str(part.get("text") or ""))
        elif isinstance(part, dict):
            left_out.append(LeftOut("corpus.parts_of_messages", {"kind": str(part["type"])[:40]}))
        elif part is not None:
            texts.append(str(part))
    return "\n".join(filter(None, map(str.strip, texts))), left_out


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


def question_and_answers(beside: Sequence[Exchange]) -> tuple[str, list[str]]:
    """What one or several conversations answer, and their answers.

    Where the earlier turns differ, as those of two models do, the question is what they have in common, the first turn
    of the user, and each answer is all that follows it, with roles.
    """
    if len({exchange.question for exchange in beside}) == 1:
        return beside[0].question, [exchange.answer for exchange in beside]
    starts = [
        next((place for place, turn in enumerate(exchange.turns) if turn.role == ASSISTANT), len(exchange.turns))
        for exchange in beside
    ]
    asked = {as_text(exchange.turns[:start]) for exchange, start in zip(beside, starts, strict=True)}
    if len(asked) > 1:
        raise RowError("corpus.conversations_differ")
    return asked.pop(), [as_text(exchange.turns[start:]) for exchange, start in zip(beside, starts, strict=True)]


def _calls(message: Mapping[str, Any]) -> Any:
    """The calls of tools in a message, whose text is no turn of the conversation either."""
    return message.get("tool_calls") or message.get("function_call")


def as_text(turns: Sequence[Turn]) -> str:
    """A conversation as one text, each turn after whose it is; a question alone is only its text."""
    if len(turns) == 1 and turns[0].role == USER:
        return turns[0].text
    return "\n\n".join(f"{turn.role}: {turn.text}" for turn in turns)
