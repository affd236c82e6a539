"""Messages of a chat as turns, as rows keep them: see :mod:`annotation_platform.core.turns`."""

import json
from collections.abc import Iterator, Mapping
from itertools import chain, count
from typing import Any

from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.study import LeftOut

StoredTurn = dict[str, Any]
ROLES = {
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("user", "human", "prompter"), "user"),
    **dict.fromkeys(("assistant", "gpt", "model", "bot", "chatgpt"), "assistant"),
}
OF_TOOLS = ("tool", "function", "observation", "ipython")
TEXTS = ("text", "input_text", "output_text")
JUDGE = "judge"


class Messages:
    """Messages while they are read.

    Attributes
    ----------
    turns : list of dict
    marked : list of int
        The places of turns that are marked as those to judge.
    left_out : list of LeftOut
    """

    def __init__(self) -> None:
        self.turns: list[StoredTurn] = []
        self.marked: list[int] = []
        self.left_out: list[LeftOut] = []
        self._numbers = count(1)
        self._calls: dict[str, dict[str, str]] = {}  # those that wait for what the tool gave back

    def take(self, messages: Any) -> None:
        """Read a list of messages.

        Raises
        ------
        RowError
            When this is none, or one has a role that nobody knows.
        """
        if not isinstance(messages, list) or not all(isinstance(each, dict) for each in messages):
            raise RowError("corpus.no_conversation")
        for message in messages:
            role = str(message.get("role", message.get("from"))).lower()
            if role in OF_TOOLS:
                self._given_back(message, self._text(message))
            elif role not in ROLES:
                raise RowError("corpus.strange_role", role=role[:40], known=sorted(ROLES))
            else:
                self._said(ROLES[role], message)

    def _said(self, role: str, message: Mapping[str, Any]) -> None:
        text = self._text(message)
        calls = [self._call(each) for each in _calls_in(message)]
        if not text and not calls:
            return
        turn: StoredTurn = {"role": role, "text": text}
        if name := str(message.get("name") or ""):
            if role == "assistant":  # it may tell which system this is
                self.left_out.append(LeftOut("corpus.names_of_assistants"))
            else:
                turn["name"] = name
        if calls:
            turn["calls"] = calls
        if message.get(JUDGE) is True:
            self.marked.append(len(self.turns))
        self.turns.append(turn)

    def _text(self, message: Mapping[str, Any]) -> str:
        """What a message says as text."""
        content = next((message[key] for key in ("content", "value", "text") if message.get(key) is not None), None)
        texts = []
        parts: list[Any] = content if isinstance(content, list) else [content]
        for part in parts:
            kind = part.get("type", "text") if isinstance(part, dict) else ""
            if kind in TEXTS:
                texts.append(str(part.get("text") or ""))
            elif kind == "tool_result":
                self._given_back(part, self._text(part))
            elif kind and kind != "tool_use":
                self.left_out.append(LeftOut("corpus.parts_of_messages", {"kind": str(kind)[:40]}))
            elif part is not None and not kind:
                texts.append(str(part))
        return "\n".join(filter(None, map(str.strip, texts)))

    def _call(self, given: Mapping[str, Any]) -> dict[str, str]:
        """A call as rows keep it; one that is still without a result waits for it."""
        function = given.get("function")
        of = function if isinstance(function, dict) else given
        name = str(of.get("name") or (function if isinstance(function, str) else ""))
        arguments = next((of[key] for key in ("arguments", "input") if of.get(key) not in (None, "", {})), "")
        call = {"name": name, "arguments": as_json(arguments)} if arguments else {"name": name}
        if result := as_json(given.get("result") or ""):
            return call | {"result": result}
        self._calls[str(given.get("id") or f"call {next(self._numbers)}")] = call
        return call

    def _given_back(self, message: Mapping[str, Any], text: str) -> None:
        """What a tool gave back goes to its call: the one of that key or name, or the first that waits."""
        key = str(message.get("tool_call_id") or message.get("tool_use_id") or "")
        name = str(message.get("name") or message.get("function") or "")
        named = next((each for each, call in self._calls.items() if call["name"] == name), "")
        waiting = key if key in self._calls else named or next(iter(self._calls), "")
        if call := self._calls.pop(waiting, None):
            call |= {"result": text} if text else {}
        elif text:
            self.turns.append({"role": "assistant", "text": "", "calls": [{"name": name, "result": text}]})


def _calls_in(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The calls of tools in a message, wherever they stand there."""
    content = message.get("content")
    beside = [message.get(key) for key in ("tool_calls", "function_call", "calls")]
    yield from (
        each
        for each in chain.from_iterable(given if isinstance(given, list) else [given] for given in beside)
        if isinstance(each, dict)
    )
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("type") == "tool_use":
            yield part


def as_json(value: Any) -> str:
    """A value as text: texts as they are, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
