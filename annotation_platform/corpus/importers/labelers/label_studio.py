"""Label Studio's exports: JSON, and with the labelling configuration also JSON-MIN and CSV.

Columns are the task's fields (``data.question``) and the controls of the labelling form by ``from_name``
(``result.overall``). Choices, ratings, numbers, texts, pairwise selections and rankings are read. ``completed_by``
becomes the pseudonym (its number; never an e-mail address), ``lead_time`` the time on task. Cancelled annotations are
left out. The configuration (XML), given as one of the files, is the scheme where none is chosen.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from annotation_platform.core.schemes.aspects import CANNOT_JUDGE
from annotation_platform.corpus.importers.cells import finite_number
from annotation_platform.corpus.importers.labelers.controls import DATA, SAID, Control, Form, numbered
from annotation_platform.corpus.importers.labelers.label_studio_config import form_of
from annotation_platform.corpus.importers.labelers.labelled import (
    Judged,
    Labelled,
    Task,
    code_points,
    of_config,
    offset_of,
    seconds_of,
    tasks_of,
)
from annotation_platform.corpus.importers.mistakes import Mistakes, RowError
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import LeftOut

REGION = {"start", "end", "x", "y", "points"}  # a result with one of these is about a part of a text or picture
OF_MIN = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement")
TEXTS_OF_ITEMS = ("body", "text", "html", "title")


class LabelStudio(Labelled):
    key = "label_studio"
    called = "corpus.format_label_studio"
    in_folders = (".json", ".xml", ".csv")

    def fits(self, beginning: str, suffix: str) -> bool:
        if suffix == ".xml":
            return "<View" in beginning
        return suffix == ".json" and '"annotations"' in beginning and '"from_name"' in beginning

    def form(self, sources: Sequence[RowFile]) -> Form | None:
        config = next(filter(_is_config, sources), None)
        if config is None:
            return None
        with of_config(config):
            return form_of(config)

    def tasks(self, sources: Sequence[RowFile], mistakes: Mistakes) -> Iterator[tuple[int, Task]]:
        form = self.form(sources)
        controls = {control.name: control for control in form.controls} if form else {}
        for file, source in enumerate(sources):
            if not _is_config(source):
                yield from tasks_of(file, source, mistakes, partial(_task, controls=controls))


def _is_config(source: RowFile) -> bool:
    return source.name.lower().endswith(".xml")


def _task(row: Row, controls: Mapping[str, Control]) -> Task:
    if "data" not in row.values and "annotation_id" in row.values and controls:
        return _of_min(row, controls)
    data = _data(row)
    judged, left_out = [], []
    for number, annotation in enumerate(_annotations(row)):
        if annotation.get("was_cancelled"):
            left_out.append(LeftOut("corpus.annotations_cancelled"))
            continue
        results = _results_of(annotation)
        left_out += _left_out(results, row, controls)
        judged.append(
            Judged(
                _annotator(annotation),
                _said(results, row, controls, data),
                inside=("annotations", number),
                seconds=seconds_of(annotation.get("lead_time")),
                judged_at=annotation.get("created_at"),
            )
        )
    return Task(row.line, data, judged, left_out)


def _of_min(row: Row, controls: Mapping[str, Control]) -> Task:
    """A row of JSON-MIN or CSV: the task's fields, and one annotation by control beside them."""
    values = {name: _parsed(value) if name in controls else value for name, value in row.values.items()}
    results = [
        {"from_name": name, "value": each if isinstance(each, dict) else {"text": each}}
        for name in controls & values.keys()
        for each in (values[name] if isinstance(values[name], list) else [values[name]])
        if each not in (None, "")
    ]
    data = {f"{DATA}{name}": value for name, value in values.items() if name not in {*OF_MIN, *controls}}
    if not str(values.get("annotation_id") or "").strip():
        return Task(row.line, data)
    annotation = {"completed_by": values.get("annotator")}
    seconds = values.get("lead_time")
    judged = Judged(
        _annotator(annotation),
        _said(results, row, controls, data),
        seconds=seconds_of(finite_number(seconds, "lead_time") if isinstance(seconds, str) and seconds else seconds),
        judged_at=values.get("created_at"),
    )
    return Task(row.line, data, [judged], [*_left_out(results, row, controls)])


def _parsed(value: Any) -> Any:
    """What a cell of a CSV says, which has lists and objects as JSON."""
    if isinstance(value, str) and value.startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _data(row: Row) -> dict[str, Any]:
    data = row.values.get("data")
    if not isinstance(data, dict):
        if "annotation_id" in row.values:
            raise RowError("corpus.label_studio_min")
        raise RowError("corpus.label_studio_without_data")
    cells: dict[str, Any] = {}
    for name, value in data.items():
        listed = _listed(value)
        cells |= {f"{DATA}{name}.{n}": text for n, (_, text) in enumerate(listed, start=1)}
        cells |= {f"{DATA}{name}.{n}.id": each for n, (each, _) in enumerate(listed, start=1)}
        if not listed:
            cells[f"{DATA}{name}"] = value
    return cells


def _listed(value: Any) -> list[tuple[str, str]]:
    """The id and text of what a List shows, to be ranked."""
    items = value if isinstance(value, list) else []
    if not items or not all(isinstance(each, dict) and "id" in each for each in items):
        return []
    return [(str(each["id"]), next((str(each[n]) for n in TEXTS_OF_ITEMS if each.get(n)), "")) for each in items]


def _annotations(row: Row) -> list[dict[str, Any]]:
    annotations = row.values.get("annotations", row.values.get("completions", []))
    if not isinstance(annotations, list) or not all(isinstance(each, dict) for each in annotations):
        raise RowError("corpus.label_studio_annotations")
    return annotations


def _results_of(annotation: Mapping[str, Any]) -> list[Any]:
    results = annotation.get("result", [])
    if not isinstance(results, list):
        raise RowError("corpus.label_studio_results")
    return results


def _is_about_control(result: Any) -> bool:
    return isinstance(result, dict) and isinstance(result.get("value"), dict) and "from_name" in result


def _marks(name: str, controls: Mapping[str, Control]) -> str:
    """The column of the text in which a control marks spans; "" for other controls."""
    control = controls.get(name)
    return control.marks[0] if control and control.kind == "spans" else ""


def _labels(value: Mapping[str, Any]) -> list[str]:
    labels = value.get("labels")
    return labels if isinstance(labels, list) and all(isinstance(value.get(at), int) for at in ("start", "end")) else []


def _spans(value: Mapping[str, Any], column: str, text: Any) -> list[dict[str, Any]]:
    """A region of a text as spans, one for each label. Label Studio counts as browsers do."""
    start, end = (code_points(text, offset_of(value[at], at)) for at in ("start", "end"))
    return [{"text": column, "start": start, "end": end, "label": label} for label in _labels(value)]


def _said(results: list[Any], row: Row, controls: Mapping[str, Control], data: Mapping[str, Any]) -> dict[str, Any]:
    """Control → what was said to it first; of spans all, and none where nothing was marked, everybody is asked, and the
    annotator does not say, as in what a release wrote for Label Studio, that it cannot be judged."""
    about = [each for each in results if _is_about_control(each)]  # the others are relations between regions
    asked = [name for name, control in controls.items() if not control.is_conditional]
    is_judged = all(each["from_name"] != CANNOT_JUDGE for each in about)
    nothing: dict[str, Any] = {f"{SAID}{name}": [] for name in asked if is_judged and _marks(name, controls)}
    said: dict[str, Any] = {}
    for result in about:
        column = _marks(result["from_name"], controls)
        if column and _labels(result["value"]):
            said.setdefault(f"{SAID}{result['from_name']}", []).extend(
                _spans(result["value"], column, data.get(column))
            )
        elif ranks := _ranks(result["value"], row):
            said |= dict(numbered(result["from_name"], ranks))
        elif (value := _value(result["value"])) is not None:
            said.setdefault(f"{SAID}{result['from_name']}", value)
    return nothing | said


def _left_out(results: list[Any], row: Row, controls: Mapping[str, Control]) -> Iterator[LeftOut]:
    """What of an annotation's results is not read: regions, types of controls that no scheme has, second answers."""
    answered = set()
    for result in results:
        if not _is_about_control(result):
            yield LeftOut("corpus.relations")
        elif _value(result["value"]) is not None:
            if result["from_name"] in answered:
                yield LeftOut("corpus.second_answers", {"control": result["from_name"]})
            answered.add(result["from_name"])
        elif REGION & result["value"].keys():
            if _labels(result["value"]) and _marks(result["from_name"], controls):
                continue
            yield LeftOut("corpus.regions", {"control": result["from_name"]})
        elif not _ranks(result["value"], row):
            about = {"control": result["from_name"], "kind": str(result.get("type"))}
            yield LeftOut("corpus.results_of_strange_type", about)


def _value(value: Mapping[str, Any]) -> Any:
    """What a control holds, by its type; None for types that judge regions of a text or picture."""
    if REGION & value.keys():
        return None
    if isinstance(value.get("choices"), list):
        return value["choices"][0] if len(value["choices"]) == 1 else value["choices"]
    if "text" in value:
        text = value["text"]
        return "\n".join(map(str, text)) if isinstance(text, list) else text
    if "selected" in value:
        return {"left": "1", "right": "2"}.get(str(value["selected"]))
    return next((value[name] for name in ("rating", "number", "datetime") if name in value), None)


def _ranks(value: Mapping[str, Any], row: Row) -> dict[int, int]:
    """Of a ranking the place of each text of the list, by its number there."""
    ranked = value.get("ranker")
    ranked = ranked.get("rank") if isinstance(ranked, dict) else ranked
    if not isinstance(ranked, list) or not all(isinstance(each, str | int) for each in ranked):
        return {}
    places = {str(each): rank for rank, each in enumerate(ranked, start=1)}
    data = row.values.get("data")
    for shown in data.values() if isinstance(data, dict) else ():
        ids = [each for each, _ in _listed(shown)]
        if ids and {*places} <= {*ids}:
            return {n: places[each] for n, each in enumerate(ids, start=1) if each in places}
    return {}


def _annotator(annotation: Mapping[str, Any]) -> str:
    by = annotation.get("completed_by")
    number = by.get("id") if isinstance(by, dict) else by
    if not isinstance(number, int | str) or not str(number).strip() or "@" in str(number):
        raise RowError("corpus.label_studio_without_annotator")
    return str(number).strip()
