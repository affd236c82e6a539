"""What programs write for what was asked and said: JSON in texts, messages in five dialects, mappings around a text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from annotation_platform.corpus.importers.conversations import Exchange, exchange_of
from annotation_platform.corpus.importers.mistakes import RowError

# In a mapping around a text, the text that counts, the likeliest name first.
ASKED = (
    "question",
    "query",
    "user_input",
    "input",
    "inputs",
    "prompt",
    "message",
    "user",
    "text",
    "content",
    "request",
)
SAID = (
    "answer",
    "response",
    "output",
    "outputs",
    "result",
    "completion",
    "generated_text",
    "message",
    "text",
    "content",
)
CONTEXT = ("context", "contexts", "documents", "retrieved_documents", "source_documents", "docs", "passages")
ROLES = {"human": "user", "ai": "assistant", "chat": "user", "AIMessageChunk": "assistant"}
CALL = {"args", "kwargs"}
CONTENTS = {"content", "contents", "parts"}  # of messages
DEEPEST = 6  # mappings around a text


def unpacked(value: Any) -> Any:
    """A value that was written as JSON within a text; any other text is itself."""
    if isinstance(value, str) and value[:1] in ("{", "[", '"'):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def asked_of(value: Any) -> Any:
    """What was asked: messages, a text, or None where there is neither."""
    return _read(value, ASKED)


def said_of(value: Any) -> Any:
    """What was said: messages, a text, or None where there is neither."""
    return _read(value, SAID)


def what_was_asked(value: Any) -> dict[str, Any]:
    """What was asked as fields of a :class:`Span`: what can be read of it, or else the value as it is."""
    found = asked_of(value)
    return {"asked": found} if found is not None else {"asked_as_is": as_is(value, ASKED)}


def what_was_said(value: Any) -> dict[str, Any]:
    """The same of what was said."""
    found = said_of(value)
    return {"said": found} if found is not None else {"said_as_is": as_is(value, SAID)}


def as_is(value: Any, names: Sequence[str]) -> str:
    """A value in which neither messages nor the text that counts can be told: its JSON, or the number that counts.

    "" for what says nothing, and for documents that were looked up.
    """
    inner = unpacked(value)
    if _says_nothing(inner) or context_in(inner):
        return ""
    if isinstance(inner, dict):
        numbers = (inner[name] for name in names if isinstance(inner.get(name), int | float))
        inner = next(numbers, inner)
    if isinstance(inner, dict | list) and isinstance(value, str):
        return value.strip()
    return inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False, indent=2, default=str)


def _says_nothing(value: Any) -> bool:
    """Whether there is no text but blank ones, no number and no truth value in a value, however deep."""
    inside = [value]
    while inside:
        each = unpacked(inside.pop())
        if isinstance(each, list):
            inside += each
        elif isinstance(each, dict):
            reply = _reply(each)
            inside += [reply] if reply is not None else () if _is_silent(each) else each.values()
        elif each is not None and (not isinstance(each, str) or each.strip()):
            return False
    return True


def _is_silent(message: Mapping[str, Any]) -> bool:
    """Whether a mapping is a message in which nothing is said, so that its other texts are about it."""
    role = message.get("role")
    if not isinstance(role, str) or not (CONTENTS & message.keys() or role == "assistant"):
        return False
    return not any(message.get(name) for name in (*CONTENTS, "refusal", "tool_calls", "function_call"))


def _read(value: Any, names: Sequence[str], deep: int = 0, *, by_name: bool = False) -> Any:
    """Messages, or the text that counts; ``by_name``: not the only text of a mapping, whatever it is called."""
    value = unpacked(value)
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, list):
        return _messages(value)
    if not isinstance(value, dict) or deep > DEEPEST:
        return None
    if (message := message_of(value)) is not None:
        return [message]
    for name in ("messages", "chat_history_with_input"):
        if messages := _messages(unpacked(value.get(name))):
            return messages
    if reply := _reply(value):
        return _read(reply, names, deep + 1)
    given = [value.get(name) for name in names]
    if value.keys() == CALL and isinstance(value["args"], list):  # as a decorator around a function notes its call
        named = _read(value["kwargs"], names, deep + 1, by_name=bool(value["args"]))
        given = [*value["args"], value["kwargs"]] if named is None else [named]
    for each in given:
        if (found := _read(each, names, deep + 1)) is not None:
            return found
    if by_name or _is_silent(value):
        return None
    texts = [each for each in value.values() if isinstance(each, str) and each.strip()]
    return texts[0].strip() if len(texts) == 1 else None


def _reply(value: Mapping[str, Any]) -> Any:
    """The first one of several replies, as the interfaces of models give them."""
    choices, generations = value.get("choices"), value.get("generations")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0].get("message") or choices[0].get("text")
    while isinstance(generations, list) and generations:
        generations = generations[0]
    if isinstance(generations, dict):
        return generations.get("message") or generations.get("text")
    return None


def _messages(value: Any) -> list[dict[str, Any]] | str | None:
    if not isinstance(value, list) or not value:
        return None
    if isinstance(value[0], list):  # several conversations, of which the first one counts
        return _messages(value[0])
    found = [message_of(each) for each in value]
    if all(found):
        return [each for each in found if each]
    texts = [each for each in value if isinstance(each, str)]
    return "\n".join(texts) if len(texts) == len(value) else None


def message_of(value: Any) -> dict[str, Any] | None:
    """A message in the words of conversations.py, from any dialect: OpenAI's, LangChain's, OpenInference's, or that of
    OpenTelemetry; None for what is none."""
    if not isinstance(value, dict):
        return None
    if isinstance(inner := value.get("message"), dict) and len(value) <= 2:
        value = inner
    if isinstance(value.get("kwargs"), dict) and isinstance(value.get("id"), list):  # LangChain's constructors
        kind = str(value["id"][-1]).removesuffix("Chunk").removesuffix("Message").lower()
        value = {"role": kind} | value["kwargs"]
    elif isinstance(value.get("data"), dict) and "content" in value["data"]:
        value = {"type": value.get("type")} | value["data"]
    role = value.get("role") or (value.get("type") if "content" in value else None)
    parts = value.get("parts", value.get("contents", value.get("content")))
    if not isinstance(role, str) or (parts is None and not (value.get("tool_calls") or value.get("function_call"))):
        return None
    calls = value.get("tool_calls") or value.get("function_call") or []
    if isinstance(parts, list):
        parts = [_part(part) for part in parts]
        calls = calls or [part for part in parts if part.get("type") == "tool_call"]
        parts = [part for part in parts if part.get("type") != "tool_call"]
    message: dict[str, Any] = {"role": ROLES.get(role, role), "content": parts}
    return message | ({"tool_calls": calls} if calls else {})


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if not isinstance(part, dict):
        return {"type": "text", "text": "" if part is None else str(part)}
    inner = part.get("message_content")
    part = inner if isinstance(inner, dict) else part
    kind = str(part.get("type", "text"))
    return {**part} | {"type": kind} | ({"text": part["content"]} if kind == "text" and "content" in part else {})


def exchange_in(asked: Any, said: Any) -> Exchange:
    """What was asked and said as a conversation whose last turn is judged."""
    turns = [*_as_turns(asked, "user"), *_as_turns(said, "assistant")]
    return exchange_of(turns) if turns else Exchange([], [])


def without_instructions(exchange: Exchange) -> Exchange:
    """The conversation as people judge it: what the system told the model is no part of what was asked."""
    return replace(exchange, before=[turn for turn in exchange.before if turn["role"] != "system"])


def _as_turns(value: Any, role: str) -> list[dict[str, Any]]:
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    return value if isinstance(value, list) else []


def documents_of(given: Any) -> list[dict[str, Any]]:
    """Documents as an import takes them, from texts or from objects of any dialect; what has no text is left out."""
    given = unpacked(given)
    if isinstance(given, dict):
        inner = next((given[name] for name in (*CONTEXT, "output", "result") if given.get(name)), None)
        given = [given] if inner is None else unpacked(inner)
    if isinstance(given, str):
        given = [given]
    found = (_document(each) for each in given) if isinstance(given, list) else ()
    return [document for document in found if document]


def _document(value: Any) -> dict[str, Any] | None:
    value = unpacked(value)
    if isinstance(value, str):
        return {"text": value} if value.strip() else None
    if not isinstance(value, dict):
        return None
    value = value.get("document") if isinstance(value.get("document"), dict) else value
    if isinstance(kwargs := value.get("kwargs"), dict):
        value = kwargs
    about = unpacked(value.get("metadata")) or {}
    about = about if isinstance(about, dict) else {}
    text = _first(value, ("content", "page_content", "pageContent", "text"))
    if not text:
        return None
    document = {
        "id": _first(value, ("id",)) or _first(about, ("id", "doc_id", "document_id")),
        "title": _first(value, ("title", "name")) or _first(about, ("title", "name", "file_name")),
        "url": _web_address(_first(value, ("url",)) or _first(about, ("url", "source", "link"))),
        "source": _first(about, ("source", "file_path")),
        "text": text,
    }
    return {name: each for name, each in document.items() if each}


def _first(value: Mapping[str, Any], names: Iterable[str]) -> str:
    for name in names:
        if isinstance(found := value.get(name), str | int) and not isinstance(found, bool) and str(found).strip():
            return str(found)
    return ""


def _web_address(text: str) -> str:
    return text if text.startswith(("https://", "http://")) and " " not in text else ""


def object_of(value: Any) -> dict[str, Any]:
    """A mapping, perhaps written as JSON within a text; nothing where it is another thing."""
    value = unpacked(value)
    return value if isinstance(value, dict) else {}


def context_in(value: Any) -> list[dict[str, Any]]:
    """The documents that were handed over together with a question."""
    value = object_of(value)
    return next((found for name in CONTEXT if (found := documents_of(value.get(name)))), [])


def text(value: Any) -> str:
    """A name or a time as a text; "" for nothing."""
    if isinstance(value, dict | list):
        raise RowError("corpus.value_no_text", field="id")
    return "" if value is None else str(value)
