"""Arize Phoenix: spans with OpenInference's attributes, as its client gives them: a data frame's Parquet, or JSON."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.traces.attributes import STEPS, about_of, step_of, unfolded
from annotation_platform.corpus.importers.traces.format import Traces
from annotation_platform.corpus.importers.traces.spans import Span, Step
from annotation_platform.corpus.importers.traces.values import object_of, text

ATTRIBUTES, CONTEXT = "attributes.", "context."


class Phoenix(Traces):
    key = "phoenix"
    called = "corpus.format_phoenix"
    in_folders = (".json", ".jsonl", ".csv", ".parquet")

    def fits(self, beginning: str, suffix: str) -> bool:
        if suffix not in (".json", ".jsonl", ".csv", ".parquet"):
            return False
        flat = "context.trace_id" in beginning and "span_kind" in beginning
        return flat or ('"context"' in beginning and '"span_kind"' in beginning and '"span_id"' in beginning)

    def spans(self, said: Mapping[str, Any]) -> Iterator[Span]:
        context = object_of(said.get("context")) or {
            name: said.get(f"{CONTEXT}{name}") for name in ("trace_id", "span_id")
        }
        if not context.get("trace_id") or "span_kind" not in said:
            raise RowError("corpus.no_phoenix")
        flat = {name.removeprefix(ATTRIBUTES): each for name, each in said.items() if name.startswith(ATTRIBUTES)}
        tree = unfolded(object_of(said.get("attributes")) | {name: v for name, v in flat.items() if v is not None})
        kind = text(said["span_kind"]).lower()
        step = step_of(tree | {"openinference": {"span": {"kind": kind}}})
        yield Span(
            text(context["trace_id"]),
            span=text(context.get("span_id")),
            parent=text(said.get("parent_id")),
            name=text(said.get("name")),
            start=text(said.get("start_time")),
            about=about_of(tree),
            is_broken=said.get("status_code") == "ERROR",
            **step | {"step": STEPS.get(kind, Step.OTHER)},
        )
