"""doccano: what a project exports as JSONL, JSON or CSV, a file for each annotator or one of all.

Labels of a text (classification) are several choices, spans (sequence labelling) are spans, texts (sequence to
sequence) are texts; comments come as a text. The name of the file says who it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import Any

from annotation_platform.corpus.importers.labelers.controls import DATA, SAID, Control, Form
from annotation_platform.corpus.importers.labelers.labelled import Judged, Labelled, Task, tasks_of
from annotation_platform.corpus.importers.mistakes import Mistakes, RowError
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import LeftOut

TEXT, COMMENTS = f"{DATA}text", "Comments"
OF_LABELS = ("label", "cats", "entities", "categories")
SEVERAL_IN_CSV = "#"
MOST_LABELS, LONGEST_LABEL = 50, 60  # of texts that are labels, not written for each item


@dataclass
class ColumnValues:
    """What the values of a column are: labels, spans or texts."""

    spans: bool = False
    words: dict[str, None] = field(default_factory=dict)

    @property
    def are_labels(self) -> bool:
        return len(self.words) <= MOST_LABELS and all(len(word) <= LONGEST_LABEL for word in self.words)


class Doccano(Labelled):
    key = "doccano"
    called = "corpus.format_doccano"
    in_folders = (".jsonl", ".json", ".csv")

    def fits(self, beginning: str, suffix: str) -> bool:
        if suffix == ".csv":
            columns = beginning.partition("\n")[0].strip().split(",")
            return {"id", "text", "label", COMMENTS} <= {*columns}
        return suffix in (".jsonl", ".json") and f'"{COMMENTS}"' in beginning and '"text"' in beginning

    def form(self, sources: Sequence[RowFile]) -> Form:
        seen = {name: each for name, each in self._seen(sources).items() if each.words}
        controls = [_control(name, each) for name, each in seen.items() if name != COMMENTS]
        controls += [Control(COMMENTS, "text", "Comments")] * (COMMENTS in seen)
        return Form("doccano", [TEXT], controls, parts={f"{DATA}id": "question_id"})

    def tasks(self, sources: Sequence[RowFile], mistakes: Mistakes) -> Iterator[tuple[int, Task]]:
        seen = self._seen(sources)
        for file, source in enumerate(sources):
            read = partial(_task, annotator=PurePath(source.name).stem, seen=seen, is_csv=source.kind == "csv")
            yield from tasks_of(file, source, mistakes, read)

    def _seen(self, sources: Sequence[RowFile]) -> dict[str, ColumnValues]:
        """Column → what its values are, in all files."""
        seen: dict[str, ColumnValues] = {}
        for source in sources:
            for row in source.rows(Mistakes()):
                for name in (*OF_LABELS, COMMENTS):
                    for each in _listed(row.values.get(name), source.kind == "csv"):
                        column = seen.setdefault(name, ColumnValues())
                        column.spans = column.spans or (isinstance(each, list | dict) and name != COMMENTS)
                        column.words[_word(each)] = None
        return seen


def _listed(value: Any, is_csv: bool) -> list[Any]:
    if isinstance(value, str) and value:
        return value.split(SEVERAL_IN_CSV) if is_csv else [value]
    return value if isinstance(value, list) else []


def _word(each: Any) -> str:
    """A label, of a span or a relation its own; or a comment."""
    if isinstance(each, dict):
        return str(each.get("label", each.get("comment", "")))
    return str(each[2] if isinstance(each, list) and len(each) > 2 else each)


def _control(name: str, seen: ColumnValues) -> Control:
    choices = [(word, word) for word in sorted(seen.words)]
    if seen.spans:
        return Control(name, "spans", "Spans", choices=choices, marks=[TEXT])
    if seen.are_labels:
        alone = [("", "None of them")] * (len(choices) == 1)  # one label is given or not
        return Control(name, "several", "Labels", choices=[*choices, *alone])
    return Control(name, "text", "Text")


def _task(row: Row, annotator: str, seen: Mapping[str, ColumnValues], is_csv: bool) -> Task:
    if "text" not in row.values:
        raise RowError("corpus.no_text_of_doccano")
    cells = {
        f"{DATA}{name}": value for name, value in row.values.items() if name not in (*OF_LABELS, COMMENTS, "relations")
    }
    said: dict[str, Any] = {}
    for name in (*OF_LABELS, COMMENTS):
        if given := _listed(row.values.get(name), is_csv):
            said[f"{SAID}{name}"] = _said(given, name, seen[name])
    relations = len(row.values.get("relations") or ())
    judged = [Judged(annotator, said)] if said else []
    return Task(row.line, cells, judged, [LeftOut("corpus.relations", number=relations)] * bool(relations))


def _said(given: list[Any], name: str, seen: ColumnValues) -> Any:
    if seen.spans:
        return [_span(each) for each in given]
    words = [_word(each) for each in given]
    return words if seen.are_labels and name != COMMENTS else "\n".join(words)


def _span(each: Any) -> dict[str, Any]:
    if isinstance(each, dict):
        start, end, label = each["start_offset"], each["end_offset"], each["label"]
    else:
        start, end, label = each
    return {"text": TEXT, "start": start, "end": end, "label": label}
