"""OpenTelemetry: spans and log records in OTLP's JSON, as the SDKs' and the collector's file exporters write them.

Attributes may follow the GenAI conventions, older (an event for each message) or newer (``gen_ai.input.messages``),
those of OpenInference, or Langfuse's own. Log records that are events of a span are joined with it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation_platform.core.text import LARGEST_NUMBER
from annotation_platform.corpus.importers.cells import whole_number
from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.traces.attributes import about_of, step_of, unfolded
from annotation_platform.corpus.importers.traces.format import Traces
from annotation_platform.corpus.importers.traces.spans import Span
from annotation_platform.corpus.importers.traces.values import text

FAILED = (2, "STATUS_CODE_ERROR")


class OpenTelemetry(Traces):
    key = "otel"
    called = "corpus.format_otel"

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix in (".json", ".jsonl") and ('"resourceSpans"' in beginning or '"resourceLogs"' in beginning)

    def spans(self, said: Mapping[str, Any]) -> Iterator[Span]:
        if not {"resourceSpans", "resourceLogs"} & said.keys():
            raise RowError("corpus.no_otel")
        for each in _inner(said, "resourceSpans", "scopeSpans", "spans"):
            yield _span(each)
        for each in _inner(said, "resourceLogs", "scopeLogs", "logRecords"):
            if each.get("traceId"):
                yield _event(each)


def _inner(said: Mapping[str, Any], *path: str) -> Iterator[dict[str, Any]]:
    name, *rest = path
    for each in said.get(name) or []:
        if rest:
            yield from _inner(each, *rest)
        else:
            yield each


def _span(said: Mapping[str, Any]) -> Span:
    tree = unfolded(attributes_of(said.get("attributes")))
    events = [(text(each.get("name")), attributes_of(each.get("attributes"))) for each in said.get("events") or []]
    return Span(
        text(said.get("traceId")),
        span=text(said.get("spanId")),
        parent=text(said.get("parentSpanId")),
        name=text(said.get("name")),
        start=text(said.get("startTimeUnixNano")).rjust(20, "0"),
        about=about_of(tree),
        is_broken=(said.get("status") or {}).get("code") in FAILED,
        **step_of(tree, events),
    )


def _event(said: Mapping[str, Any]) -> Span:
    """A log record, which tells more of a span that is elsewhere; its body is one message, or names attributes."""
    attributes = attributes_of(said.get("attributes"))
    body = value_of(said.get("body"))
    about = attributes | (body if isinstance(body, dict) else {})
    name = text(said.get("eventName") or attributes.get("event.name"))
    step = step_of({}, [(name, about)])
    return Span(
        text(said["traceId"]),
        span=text(said.get("spanId")),
        **{each: step[each] for each in ("asked", "said", "scores")},
    )


def attributes_of(given: Any) -> dict[str, Any]:
    """OTLP's list of keys and values as a mapping."""
    return {each["key"]: value_of(each.get("value")) for each in given or []}


def value_of(given: Any) -> Any:
    """What an ``AnyValue`` holds."""
    if not isinstance(given, dict) or not given:
        return None
    kind, value = next(iter(given.items()))
    match kind:
        case "intValue":
            return whole_number(value, kind, least=-LARGEST_NUMBER, most=LARGEST_NUMBER)
        case "arrayValue":
            return [value_of(each) for each in value.get("values") or []]
        case "kvlistValue":
            return attributes_of(value.get("values"))
        case _:
            return value
