"""Attributes of OpenTelemetry spans as steps: those of OpenInference, of the GenAI conventions, of Langfuse's own.

An attribute's dotted name is unfolded into a tree first, so that lists may be numbered names
(``llm.input_messages.0.message.role``), JSON in a text, or lists.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from annotation_platform.corpus.importers.traces.spans import Step
from annotation_platform.corpus.importers.traces.values import (
    ASKED,
    SAID,
    as_is,
    asked_of,
    context_in,
    documents_of,
    message_of,
    object_of,
    said_of,
    unpacked,
)

STEPS = {
    **dict.fromkeys(("llm", "chat", "generation", "text_completion", "generate_content", "completion"), Step.MODEL),
    **dict.fromkeys(("retriever", "retrieval"), Step.RETRIEVAL),
    "reranker": Step.RERANKING,
}
OWN = ""  # the value of a name that also has names below it
# Where something stands of any form.
ASKED_AT = ("input.value", "langfuse.trace.input", "traceloop.entity.input", "langfuse.observation.input")
SAID_AT = ("output.value", "langfuse.trace.output", "traceloop.entity.output", "langfuse.observation.output")
# Events of the GenAI conventions, each about one message: the event's name → whose it is.
EVENTS = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}


def unfolded(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted names as a tree; numbered names as lists."""
    tree: dict[str, Any] = {}
    for name in sorted(attributes):
        node = tree
        *path, last = name.split(".")
        for part in path:
            if not isinstance(node.get(part), dict):
                node[part] = {OWN: node[part]} if node.get(part) is not None else {}
            node = node[part]
        value = _inside(attributes[name])
        if isinstance(node.get(last), dict) and not isinstance(value, dict):
            node[last][OWN] = value
        elif value is not None:
            node[last] = value
    return {name: _with_lists(value) for name, value in tree.items()}


def _inside(value: Any) -> Any:
    if isinstance(value, list):
        return [unfolded(each) if isinstance(each, dict) else each for each in value]
    return unfolded(value) if isinstance(value, dict) and any("." in name for name in value) else value


def _with_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {name: _with_lists(each) for name, each in value.items()}
    if inner and all(name.isdecimal() for name in inner):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner


def at(tree: Any, path: str) -> Any:
    """What stands at a dotted name; None for nothing."""
    for part in path.split("."):
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree.get(OWN) if isinstance(tree, dict) and OWN in tree else tree


def first(tree: Any, *paths: str) -> Any:
    return next((found for path in paths if (found := at(tree, path)) not in (None, "", [], {})), None)


def step_of(tree: Mapping[str, Any], events: Iterable[tuple[str, Mapping[str, Any]]] = ()) -> dict[str, Any]:
    """What a span's attributes and events say of a step, as fields of a :class:`Span`."""
    kind = str(
        first(
            tree, "openinference.span.kind", "langfuse.observation.type", "gen_ai.operation.name", "traceloop.span.kind"
        )
        or ""
    ).lower()
    scores: dict[str, Any] = {}
    asked, said, trees = [], [], [tree]
    for name, said_there in events:
        about = unfolded(said_there)
        if name in EVENTS:
            asked.append(_of_event(about, EVENTS[name]))
        elif name == "gen_ai.choice":
            said.append(_of_event(about, "assistant"))
        elif name == "gen_ai.evaluation.result":
            scores |= _evaluation(about)
        elif name.startswith(("gen_ai.content.", "gen_ai.client.inference")):
            trees.append(about)
    asked_there = next(filter(None, map(_asked, trees)), None) or [each for each in asked if each] or None
    said_there_last = next(filter(None, map(_said, trees)), None) or [each for each in said if each][:1] or None
    step = STEPS.get(kind, Step.OTHER)
    if not kind and asked_there and first(tree, "gen_ai.request.model", "gen_ai.system"):
        step = Step.MODEL
    looks_up = step in (Step.RETRIEVAL, Step.RERANKING)
    return {
        "step": step,
        "kind": kind,
        "asked": asked_there,
        "said": said_there_last,
        "asked_as_is": "" if asked_there else as_is(first(tree, *ASKED_AT), ASKED),
        "said_as_is": "" if said_there_last or looks_up else as_is(first(tree, *SAID_AT), SAID),
        "model": str(first(tree, *MODELS) or ""),
        "documents": _documents(tree, step),
        "scores": scores,
    }


MODELS = (
    *("llm.model_name", "llm.response.model_name", "llm.request.model_name", "gen_ai.response.model"),
    *("gen_ai.request.model", "langfuse.observation.model.name"),
)


def _asked(tree: Mapping[str, Any]) -> Any:
    given = first(tree, "llm.input_messages", "gen_ai.input.messages", "gen_ai.prompt", "langfuse.observation.input")
    found = asked_of(given)
    if isinstance(found, list) and (rules := first(tree, "gen_ai.system_instructions")):
        parts = unpacked(rules)
        system = message_of({"role": "system", "parts": parts if isinstance(parts, list) else [rules]})
        found = [*([system] if system else []), *found]
    return found or asked_of(first(tree, *ASKED_AT))


def _said(tree: Mapping[str, Any]) -> Any:
    given = first(
        *(tree, "llm.output_messages", "gen_ai.output.messages", "gen_ai.completion", "langfuse.observation.output"),
    )
    return said_of(given) or said_of(first(tree, *SAID_AT))


def _of_event(about: Mapping[str, Any], role: str) -> dict[str, Any] | None:
    inner = object_of(about.get("message"))
    content = inner.get("content", about.get("content"))
    calls = inner.get("tool_calls", about.get("tool_calls"))
    return message_of({"role": str(about.get("role") or role), "content": unpacked(content), "tool_calls": calls})


def _evaluation(about: Mapping[str, Any]) -> dict[str, Any]:
    name = first(about, "gen_ai.evaluation.name")
    value = first(about, "gen_ai.evaluation.score.value", "gen_ai.evaluation.score.label")
    return {str(name): value} if name and value is not None else {}


def _documents(tree: Mapping[str, Any], step: str) -> list[dict[str, Any]]:
    if step == Step.RERANKING:
        return documents_of(first(tree, "reranker.output_documents"))
    found = documents_of(first(tree, "retrieval.documents", "gen_ai.retrieval.documents"))
    if not found and step == Step.RETRIEVAL:
        found = documents_of(first(tree, "output.value", "langfuse.observation.output", "traceloop.entity.output"))
    return found or context_in(first(tree, "input.value", "langfuse.observation.input"))


def about_of(tree: Mapping[str, Any]) -> dict[str, Any]:
    """What else a span's attributes say that somebody may want as a column."""
    about = {f"metadata.{name}": value for name, value in object_of(at(tree, "metadata")).items()}
    for path, name in (("langfuse.trace.metadata", "metadata"), ("langfuse.observation.metadata", "metadata")):
        about |= {f"{name}.{key}": value for key, value in object_of(at(tree, path)).items()}
    named = {"tags": ("tag.tags", "langfuse.trace.tags"), "trace": ("langfuse.trace.name",)}
    return about | {name: found for name, paths in named.items() if (found := first(tree, *paths)) is not None}
