"""LangSmith: runs as its client, its bulk export and its tables write them, with the examples of a data set."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.traces.format import Traces
from annotation_platform.corpus.importers.traces.spans import Example, Score, Span, Step
from annotation_platform.corpus.importers.traces.trace import example_of
from annotation_platform.corpus.importers.traces.values import (
    context_in,
    documents_of,
    object_of,
    text,
    unpacked,
    what_was_asked,
    what_was_said,
)

STEPS = {"llm": Step.MODEL, "retriever": Step.RETRIEVAL}
OF_MODELS = ("ls_model_name", "model", "model_name")
OWN = ("ls_", "LANGSMITH", "langgraph_", "revision_id")  # what LangSmith itself puts into the metadata


class LangSmith(Traces):
    key = "langsmith"
    called = "corpus.format_langsmith"
    in_folders = (".json", ".jsonl", ".csv", ".parquet")

    def fits(self, beginning: str, suffix: str) -> bool:
        if suffix not in (".json", ".jsonl", ".csv", ".parquet"):
            return False
        is_run = "run_type" in beginning and ("dotted_order" in beginning or "parent_run_id" in beginning)
        return is_run or ('"dataset_id"' in beginning and '"inputs"' in beginning)

    def spans(self, said: Mapping[str, Any]) -> Iterator[Span | Score | Example]:
        if "run_type" in said:
            yield from self._run(said)
        elif "inputs" in said and "outputs" in said:
            name = text(said.get("id")) or json.dumps(said["inputs"], sort_keys=True)[:200]
            yield example_of(name, said["inputs"], said["outputs"])
        else:
            raise RowError("corpus.no_langsmith")

    def _run(self, said: Mapping[str, Any]) -> Iterator[Span | Score | Example]:
        kind, key = text(said["run_type"]), text(said.get("id") or said.get("run_id"))
        extra = object_of(said.get("extra"))
        metadata = object_of(extra.get("metadata")) | object_of(said.get("metadata"))
        settings = object_of(extra.get("invocation_params"))
        outputs, inputs = unpacked(said.get("outputs")), unpacked(said.get("inputs"))
        is_retrieval = kind == "retriever"
        model = next((each[name] for each in (metadata, settings) for name in OF_MODELS if each.get(name)), "")
        yield Span(
            text(said.get("trace_id")) or key,
            span=key,
            parent=text(said.get("parent_run_id")),
            step=STEPS.get(kind, Step.OTHER),
            kind=kind,
            name=text(said.get("name")),
            start=text(said.get("dotted_order") or said.get("start_time")),
            **what_was_asked(said.get("inputs")),
            **({} if is_retrieval else what_was_said(said.get("outputs"))),
            model=text(model) if kind == "llm" else "",
            documents=documents_of(outputs) if is_retrieval else context_in(inputs) or context_in(outputs),
            about=_about(metadata, said),
            scores=_feedback(said.get("feedback_stats")),
            project=text(said.get("session_id")),
            example=text(said.get("reference_example_id")),
            experiment=text(said.get("session_name")) if said.get("reference_example_id") else "",
            is_broken=bool(said.get("error")),
        )
        for child in said.get("child_runs") or []:
            yield from self._run({"trace_id": said.get("trace_id") or key, "parent_run_id": key, **child})


def _about(metadata: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    about = {
        f"metadata.{name}": json.dumps(value) if isinstance(value, dict) else value
        for name, value in metadata.items()
        if not name.startswith(OWN) and name not in OF_MODELS
    }
    return about | ({"tags": said["tags"]} if said.get("tags") else {})


def _feedback(given: Any) -> dict[str, Any]:
    """The mean of each kind of feedback."""
    found = {name: object_of(each).get("avg") for name, each in object_of(given).items()}
    return {name: mean for name, mean in found.items() if mean is not None}
