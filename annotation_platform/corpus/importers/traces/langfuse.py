"""Langfuse: traces and observations as its pages, its API and its downloads write them, with runs over data sets.

A trace has what was asked and answered; its observations say which model did it and what was retrieved. Files of runs
and items of a data set join traces with what they were run on.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
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

STEPS = {"GENERATION": Step.MODEL, "RETRIEVER": Step.RETRIEVAL}
ABOUT = ("tags", "release", "version", "environment")
# What a row of the table of traces has besides its scores, each of which is a column with a list.
OF_TRACES = {
    *("id", "timestamp", "name", "userId", "sessionId", "input", "output", "metadata", "observations", "scores"),
    *("latency", "level", "bookmarked", "public", "usage", "inputTokens", "outputTokens", "totalTokens", "comments"),
    *("inputCost", "outputCost", "totalCost", "htmlPath", "createdAt", "updatedAt", "externalId", "projectId"),
    *("observationCount", "errorCount", "warningCount", "defaultCount", "debugCount", "usageDetails", "costDetails"),
    *(*ABOUT, "traceId", "type"),
}


class Langfuse(Traces):
    key = "langfuse"
    called = "corpus.format_langfuse"
    in_folders = (".json", ".jsonl", ".csv")

    def fits(self, beginning: str, suffix: str) -> bool:
        if suffix not in (".json", ".jsonl", ".csv"):
            return False
        names = {
            "sessionId",
            "parentObservationId",
            "datasetRunItems",
            "htmlPath",
            "traceName",
            "datasetItemId",
            "datasetId",
        }
        quote = "" if suffix == ".csv" else '"'
        ends = ("timestamp", "traceId", "datasetRunItems", "expectedOutput")
        return any(f"{quote}{each}{quote}" in beginning for each in ends) and any(
            f"{quote}{each}{quote}" in beginning for each in names
        )

    def spans(self, said: Mapping[str, Any]) -> Iterator[Span | Score | Example]:
        if isinstance(said.get("datasetRunItems"), list):
            for item in said["datasetRunItems"]:
                yield _run_item(item, text(said.get("name")))
        elif "datasetItemId" in said or "experimentItemId" in said:
            yield _run_item(said, "")
        elif "expectedOutput" in said:
            yield example_of(text(said["id"]), said.get("input"), said["expectedOutput"])
        elif "dataType" in said and "value" in said:
            yield _score(said)
        elif isinstance(said.get("trace"), dict):
            yield from self.spans({**said["trace"], **{name: said[name] for name in said.keys() - {"trace"}}})
        elif said.get("traceId") and "id" in said:
            yield _observation(said)
        elif "id" in said and ("timestamp" in said or "observations" in said):
            yield from self._trace(said)
        else:
            raise RowError("corpus.no_langfuse")

    def _trace(self, said: Mapping[str, Any]) -> Iterator[Span | Score | Example]:
        trace = text(said["id"])
        inner = unpacked(said.get("observations"))
        observations = [each for each in inner if isinstance(each, dict)] if isinstance(inner, list) else []
        yield Span(
            trace,
            name=text(said.get("name")),
            **what_was_asked(said.get("input")),
            **what_was_said(said.get("output")),
            documents=context_in(said.get("input")),
            about=_about(said),
            scores=_columns_of_scores(said),
            project=text(said.get("projectId")),
            kind="trace",
        )
        for each in observations:
            yield _observation({"traceId": trace, **each})
        scores = unpacked(said.get("scores"))
        for each in scores if isinstance(scores, list) else []:
            if isinstance(each, dict):
                yield _score({"traceId": trace, **each})


def _observation(said: Mapping[str, Any]) -> Span:
    kind = text(said.get("type")).upper()
    given = said.get("output")
    return Span(
        text(said["traceId"]),
        span=text(said["id"]),
        parent=text(said.get("parentObservationId")),
        step=STEPS.get(kind, Step.MODEL if said.get("model") and kind in ("", "SPAN") else Step.OTHER),
        kind=kind.lower(),
        name=text(said.get("name")),
        start=text(said.get("startTime")),
        **what_was_asked(said.get("input")),
        **({} if kind == "RETRIEVER" else what_was_said(given)),
        model=text(said.get("model") or said.get("providedModelName")),
        documents=documents_of(given) if kind == "RETRIEVER" else context_in(said.get("input")),
        about=_about(said),
        scores=_columns_of_scores(said) if "traceName" in said else {},
        project=text(said.get("projectId")),
        is_broken=said.get("level") == "ERROR",
    )


def _about(said: Mapping[str, Any]) -> dict[str, Any]:
    about = {f"metadata.{name}": _cell(value) for name, value in object_of(said.get("metadata")).items()}
    return about | {name: said[name] for name in ABOUT if said.get(name) not in (None, "", [])}


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


def _columns_of_scores(said: Mapping[str, Any]) -> dict[str, Any]:
    """Scores that have columns: lists of what was given, of which numbers are averaged."""
    scores = {}
    for name in said.keys() - OF_TRACES:
        value = unpacked(said[name])
        if isinstance(value, list) and value and all(isinstance(each, int | float | str) for each in value):
            scores[name] = _mean(value)
    return scores


def _mean(values: list[Any]) -> Any:
    with suppress(TypeError, OverflowError):
        return sum(values) / len(values)
    return values[0] if len(values) == 1 else ", ".join(map(str, values))


def _score(said: Mapping[str, Any]) -> Score:
    label = said.get("stringValue")
    return Score(text(said.get("traceId")), text(said.get("name")), label if label is not None else said.get("value"))


def _run_item(said: Mapping[str, Any], run: str) -> Span:
    example = said.get("datasetItemId") or said.get("experimentItemId")
    named = said.get("datasetRunName") or said.get("experimentName") or run
    return Span(text(said.get("traceId")), example=text(example), experiment=text(named), kind="run")
