"""Label Studio's JSON export: tasks with their data and annotations.

Columns are the task's fields (``data.question``) and the controls of the labelling form by ``from_name``
(``result.overall``). Choices, ratings, numbers, texts and pairwise selections are read. ``completed_by`` becomes the
pseudonym (its number; never an e-mail address), ``lead_time`` the time on task. Cancelled annotations are left out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from annotation_platform.core.schemes import Scheme
from annotation_platform.corpus.importers.format import Options
from annotation_platform.corpus.importers.items import RowReader
from annotation_platform.corpus.importers.mistakes import Mistakes, RowError
from annotation_platform.corpus.importers.rows import Row
from annotation_platform.corpus.importers.study import Entry, LeftOut, Origin
from annotation_platform.corpus.importers.table import Table

REGION = {"start", "end", "x", "y", "points"}  # a result with one of these is about a part of a text or picture
DATA, RESULT = "data.", "result."


class LabelStudio(Table):
    key = "label_studio"
    called = "corpus.format_label_studio"

    def fits(self, beginning: str, suffix: str) -> bool:
        return suffix == ".json" and '"annotations"' in beginning and '"from_name"' in beginning

    def reading(self, scheme: Scheme, options: Options, mapping: Mapping[str, str], mistakes: Mistakes) -> RowReader:
        return _RowReader(scheme, options.language, mapping, mistakes, values=options.values)

    def cells(self, row: Row) -> dict[str, Any]:
        """The task's fields, and what the first annotation said to each control, for the preview."""
        results = {
            name: value
            for annotation in reversed(_annotations(row))
            for name, value in _results(annotation, with_strange=True).items()
        }
        return _data(row) | results

    def entries(self, reading: RowReader, origin: Origin, row: Row) -> Iterator[Entry]:
        item = reading.item(reading.said(_data(row)), origin)
        yield from item.entries
        judged: Counter[str] = Counter()
        for number, annotation in enumerate(_annotations(row)):
            if annotation.get("was_cancelled"):
                yield LeftOut("corpus.annotations_cancelled")
                continue
            said = reading.said(_results(annotation))
            yield from _left_out(annotation)
            if not said:
                yield LeftOut("corpus.annotations_not_mapped")
                continue
            annotator = _annotator(annotation)
            seconds = annotation.get("lead_time")
            yield from reading.judgment(
                *(item, said, origin.inside("annotations", number)),
                annotator=annotator,
                replicate=judged[annotator],
                judged_at=annotation.get("created_at"),
                seconds=float(seconds) if isinstance(seconds, int | float) and seconds >= 0 else None,
            )
            judged[annotator] += 1


class _RowReader(RowReader):
    tells_annotators = True


def _data(row: Row) -> dict[str, Any]:
    data = row.values.get("data")
    if not isinstance(data, dict):
        if "annotation_id" in row.values:
            raise RowError("corpus.label_studio_min")
        raise RowError("corpus.label_studio_without_data")
    return {f"{DATA}{name}": value for name, value in data.items()}


def _annotations(row: Row) -> list[dict[str, Any]]:
    annotations = row.values.get("annotations", row.values.get("completions", []))
    if not isinstance(annotations, list) or not all(isinstance(each, dict) for each in annotations):
        raise RowError("corpus.label_studio_annotations")
    return annotations


def _results(annotation: Mapping[str, Any], *, with_strange: bool = False) -> dict[str, Any]:
    """Control → what was said to it."""
    said: dict[str, Any] = {}
    results = annotation.get("result", [])
    if not isinstance(results, list):
        raise RowError("corpus.label_studio_results")
    for result in results:
        if not isinstance(result, dict) or not isinstance(result.get("value"), dict) or "from_name" not in result:
            continue  # relations between regions, which have neither
        name, value = f"{RESULT}{result['from_name']}", _value(result["value"])
        if said.get(name) is None and (value is not None or with_strange):
            said[name] = value
    return said


def _left_out(annotation: Mapping[str, Any]) -> Iterator[LeftOut]:
    """What of an annotation's results is not read: regions, types of controls that no scheme has, second answers."""
    answered = set()
    for result in annotation.get("result", []):
        if not isinstance(result, dict) or not isinstance(result.get("value"), dict) or "from_name" not in result:
            yield LeftOut("corpus.relations")
        elif _value(result["value"]) is not None:
            if result["from_name"] in answered:
                yield LeftOut("corpus.second_answers", {"control": result["from_name"]})
            answered.add(result["from_name"])
        elif REGION & result["value"].keys():
            yield LeftOut("corpus.regions", {"control": result["from_name"]})
        else:
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
    return next((value[name] for name in ("rating", "number") if name in value), None)


def _annotator(annotation: Mapping[str, Any]) -> str:
    by = annotation.get("completed_by")
    number = by.get("id") if isinstance(by, dict) else by
    if not isinstance(number, int | str) or not str(number).strip() or "@" in str(number):
        raise RowError("corpus.label_studio_without_annotator")
    return str(number).strip()
