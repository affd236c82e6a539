"""What all projects of such tools have in common: tasks, what people said to them, and a form that becomes a scheme.

Without a chosen scheme the form is the scheme: from the tool's own configuration, given as one of the files, or from
what the files say. Of the names that people log in with none is kept: numbers and UUIDs stay, all other names become
``annotator-1``, ``annotator-2``, … in the order in which they come.
"""

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Scheme, SeveralAspect, SpansAspect, build_scheme
from annotation_platform.core.text import LARGEST_NUMBER
from annotation_platform.corpus.importers.cells import whole_number
from annotation_platform.corpus.importers.columns import suggested
from annotation_platform.corpus.importers.fields import fields_of_items
from annotation_platform.corpus.importers.format import PREVIEWED, Options, Preview
from annotation_platform.corpus.importers.labelers.controls import DATA, NAMES_OF_PARTS, SAID, Derived, Form, derive
from annotation_platform.corpus.importers.mistakes import (
    STRANGE,
    ImportFileError,
    Mistakes,
    RowError,
    reason_of,
    unstorable,
    wrong_at,
)
from annotation_platform.corpus.importers.outputs import OutputReader
from annotation_platform.corpus.importers.row_reader import ItemRead, RowReader
from annotation_platform.corpus.importers.rows import COLUMNS_FROM, Row, RowFile
from annotation_platform.corpus.importers.spelling import as_written, number_of
from annotation_platform.corpus.importers.study import Entry, Header, LeftOut, Origin
from annotation_platform.corpus.importers.table import Table

OWN_NUMBER = re.compile(r"\d{1,12}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Judged(NamedTuple):
    """What one person said to a task, by column; ``inside`` is where in the task it stands."""

    annotator: str
    said: Mapping[str, Any]
    inside: Sequence[str | int] = ()
    seconds: float | None = None
    judged_at: Any = None


@dataclass(frozen=True)
class Task:
    """An item by column, what was said to it, and what of it cannot come."""

    line: int
    cells: Mapping[str, Any]
    judged: Sequence[Judged] = ()
    left_out: Sequence[LeftOut] = field(default=())


class Labelled(Table):
    """The formats of such tools."""

    def _open(self, path: Any, name: str, sheet: str) -> RowFile:
        return RowFile(path, name)

    @abstractmethod
    def form(self, sources: Sequence[RowFile]) -> Form | None:
        """The labelling form, from its configuration among the files or from what they say; None where neither tells.

        Raises
        ------
        ImportFileError
            When the configuration cannot be read.
        """

    @abstractmethod
    def tasks(self, sources: Sequence[RowFile], mistakes: Mistakes) -> Iterator[tuple[int, Task]]:
        """The tasks in order, each with the number of its file. A task that cannot be read becomes a mistake."""

    def _derived(self, sources: Sequence[RowFile]) -> Derived | None:
        form = self.form(sources)
        with of_config(sources[0]):
            derived = derive(form) if form else None
        if why := unstorable(derived and derived.definition):
            raise ImportFileError([wrong_at(sources[0].name, why)])
        return derived

    def preview(self, sources: Sequence[RowFile], options: Options) -> Preview:
        derived = self._derived(sources)
        rows = self._rows(sources, derived)
        return self._preview(sources[0].name, rows, (), _with(options, derived, rows))

    def note(self, sources: Sequence[RowFile], options: Options) -> dict[str, Any]:
        derived = self._derived(sources)
        rows = [
            {column: _noted(value) for column, value in row.items()} for row in self._rows(sources, derived)[:PREVIEWED]
        ]
        told = derived and {"definition": derived.definition, "columns": derived.columns, "values": derived.values}
        return {"name": sources[0].name, "rows": rows, "derived": told, "columns": [*rows[0]]}

    def preview_noted(self, noted: Mapping[str, Any], options: Options) -> Preview:
        derived = Derived(**noted["derived"], left_out=()) if noted["derived"] else None
        return self._preview(noted["name"], noted["rows"], (), _with(options, derived, noted["rows"]))

    def _rows(self, sources: Sequence[RowFile], derived: Derived | None) -> list[dict[str, Any]]:
        """The first tasks by column, with the first of what was said to each; the first has all columns."""
        mistakes = Mistakes()
        tasks = [task for _, task in islice(self.tasks(sources, mistakes), COLUMNS_FROM)]
        if not tasks:
            mistakes.refuse()
            raise ImportFileError([wrong_at(sources[0].name, "corpus.without_rows")])
        rows = [{**task.cells, **{n: v for each in task.judged[::-1] for n, v in each.said.items()}} for task in tasks]
        columns = dict.fromkeys([*(derived.columns if derived else ()), *(name for row in rows for name in row)])
        rows[0] = columns | rows[0]
        return rows

    def begin(self, sources: Sequence[RowFile], options: Options, mistakes: Mistakes) -> tuple[Header, Iterator[Entry]]:
        derived = self._derived(sources)
        rows = self._rows(sources, derived)
        chosen = _with(options, derived, rows)
        header, entries = self._begun(self._preview(sources[0].name, rows, (), chosen), sources, chosen, mistakes)
        lost = derived.left_out if derived and options.definition is None else ()
        return header, chain(lost, entries)

    def reading(self, scheme: Scheme, options: Options, mapping: Mapping[str, str], mistakes: Mistakes) -> RowReader:
        return LabelledReader(scheme, options.language, mapping, mistakes, values=options.values)

    def _entries(self, sources: Sequence[RowFile], reading: RowReader) -> Iterator[Entry]:
        assert isinstance(reading, LabelledReader)
        for file, task in self.tasks(sources, reading.mistakes):
            origin = Origin(file, (task.line,))
            try:
                yield from _entries_of(task, origin, reading)
            except STRANGE as error:
                reading.mistakes.add(wrong_at(sources[file].where((task.line,)), _strange(error)))
        yield from reading.dropped()


class LabelledReader(OutputReader):
    """Rows of such projects, with the names of their annotators replaced."""

    tells_annotators = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._called: dict[str, str] = {}
        self._marked = {
            self._fields[field]: (field, self._labels(slot))
            for field, slot in self._aspects.items()
            if self._is_marked(slot)
        }
        may_be_none = {
            aspect.key
            for aspect in self.scheme.aspects
            if isinstance(aspect, SeveralAspect | SpansAspect) and aspect.none_label
        }
        self._may_be_none = {self._fields[field]: field for field, slot in self._aspects.items() if slot in may_be_none}
        self._judged: Counter[str] = Counter()
        self._last: tuple[str, ...] = ()

    def _is_marked(self, slot: str) -> bool:
        return slot in {aspect.key for aspect in self.scheme.spans_aspects}

    def _labels(self, slot: str) -> dict[str, str]:
        """How the labels of spans may be written → their keys."""
        name = next(name for name, each in self._aspects.items() if each == slot)
        meant = next(meant for each, _, _, meant in self._read if each == name) or {}
        labels = next(aspect.labels for aspect in self.scheme.spans_aspects if aspect.key == slot)
        by_label = {as_written(label.label): label.key for label in labels}
        return by_label | {label.key: label.key for label in labels} | meant

    def said(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """As for any row; spans name the columns of their texts and their labels as the file has them."""
        said = super().said({column: value for column, value in cells.items() if column not in self._marked})
        fields = {column: name for name, column in self._fields.items()}
        for column, (name, labels) in self._marked.items():
            spans: list[dict[str, Any]] = []
            for each in cells.get(column) or ():
                label = labels.get(as_written(each["label"]), each["label"])
                span = {**each, "text": fields.get(each["text"], each["text"]), "label": label}
                spans += [span] if span not in spans else []
            if spans:
                said[name] = spans
        # An empty list says that there is nothing to mark or to choose, where the scheme has that answer.
        return said | {name: [] for column, name in self._may_be_none.items() if cells.get(column) == []}

    def _cell(self, value: Any, is_running: bool) -> Any:
        """Texts are kept to the letter, since spans are counted in them."""
        return value if is_running and isinstance(value, str) and value.strip() else super()._cell(value, is_running)

    def replicate(self, item: ItemRead, annotator: str) -> int:
        """How often this annotator has judged this item before, in the tasks about it that stand together."""
        about = item.article, item.question, *item.systems
        if self._last != about:
            self._last = about
            self._judged.clear()
        self._judged[annotator] += 1
        return self._judged[annotator] - 1

    def pseudonym(self, annotator: str) -> str:
        if OWN_NUMBER.fullmatch(annotator):
            return annotator
        return self._called.setdefault(annotator, f"annotator-{len(self._called) + 1}")

    def dropped(self) -> Iterator[LeftOut]:
        if self._called:
            yield LeftOut("corpus.names_of_annotators", number=len(self._called))
        yield from super().dropped()


def _entries_of(task: Task, origin: Origin, reading: LabelledReader) -> Iterator[Entry]:
    yield from task.left_out
    item = reading.item(reading.said(task.cells), origin)
    yield from item.entries
    for each in task.judged:
        said = reading.said(each.said)
        if not said:
            yield LeftOut("corpus.annotations_not_mapped")
            continue
        if not each.annotator:
            raise RowError("corpus.annotator_blank")
        who = reading.pseudonym(each.annotator)
        yield from reading.judgment(
            *(item, said, origin.inside(*each.inside)),
            annotator=who,
            replicate=reading.replicate(item, who),
            judged_at=each.judged_at,
            seconds=each.seconds,
        )


def code_points(text: Any, offset: int) -> int:
    """An offset in UTF-16 code units, as browsers and Java count, in code points."""
    return len(str(text).encode("utf-16-le")[: 2 * offset].decode("utf-16-le", "ignore"))


def offset_of(given: Any, field: str) -> int:
    """An offset in a text; a RowError that names the field where it is none."""
    return whole_number(given, field, most=LARGEST_NUMBER)


@contextmanager
def of_config(source: RowFile) -> Iterator[None]:
    """What cannot be understood of a configuration is told with its file."""
    try:
        yield
    except STRANGE as error:
        strange = error.reason if isinstance(error, RowError) else "corpus.config_strange"
        raise ImportFileError([wrong_at(source.name, strange)]) from None


def seconds_of(given: Any) -> float | None:
    """A time in seconds; None for what is none."""
    number = number_of(given) if isinstance(given, int | float) and not isinstance(given, bool) else None
    return number if number is not None and number >= 0 else None


def tasks_of(
    file: int, source: RowFile, mistakes: Mistakes, read: Any, rows: Iterator[Row] | None = None
) -> Iterator[tuple[int, Task]]:
    """The tasks of a file of rows; ``read`` makes one of a row, and says with a ValueError what is wrong with it."""
    for row in source.rows(mistakes) if rows is None else rows:
        try:
            task = read(row)
        except STRANGE as error:
            mistakes.add(wrong_at(source.where((row.line,)), _strange(error)))
        else:
            if task is not None:
                yield file, task


def _strange(error: Exception) -> Reason:
    """What is wrong with a task that is not as they should be."""
    return reason_of(error) if isinstance(error, ValueError) else Reason("corpus.task_strange")


def _with(options: Options, derived: Derived | None, rows: Sequence[Mapping[str, Any]]) -> Options:
    """The options, with the form's own scheme where none is chosen; then no column is guessed to be an answer of its.

    Under a chosen scheme the form still tells which column is which part of the item.
    """
    if derived is None:
        return options
    if options.definition is not None:
        known = {each.key for each in fields_of_items(build_scheme(dict(options.definition)))}
        parts = {column: part for column, part in derived.columns.items() if column.startswith(DATA) and part in known}
        # What was said is no part of the item, however it is called.
        parts |= {column: "" for column in rows[0] if column.startswith(SAID) and column[len(SAID) :] in NAMES_OF_PARTS}
        return replace(options, columns={**parts, **options.columns})
    if not derived.definition:
        return replace(options, columns={**derived.columns, **options.columns})
    columns = dict.fromkeys(rows[0], "") | dict(derived.columns)
    for column in rows[0]:
        if column not in derived.columns and column.startswith(DATA):
            free = {"question_id", "system"} - {*columns.values()}
            columns[column] = suggested(column, free, NAMES_OF_PARTS)
    values = {column: {**meant, **options.values.get(column, {})} for column, meant in derived.values.items()}
    return replace(
        options,
        definition=derived.definition,
        columns={**columns, **options.columns},
        values={**options.values, **values},
    )


def _noted(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int) else str(value)[:300]
