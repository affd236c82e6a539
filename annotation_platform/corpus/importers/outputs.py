"""What a program that evaluates models leaves: questions, references and answers by model, and no human judgments.

Each format reads its files into rows of the same columns, so that mapping, preview and check are those of a table. What
automatic metrics say of an answer is kept with it; what is no number, short text or yes or no is left out and counted.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar

from annotation_platform.core.locations import Location
from annotation_platform.core.schemes import Scheme
from annotation_platform.corpus.importers.fields import fields_of_items
from annotation_platform.corpus.importers.format import Field, Options
from annotation_platform.corpus.importers.mistakes import STRANGE, UNSTORABLE, Mistakes, place, reason_of, wrong_at
from annotation_platform.corpus.importers.row_reader import RowReader
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.spelling import number_of
from annotation_platform.corpus.importers.study import Entry, ImportedAnswer, LeftOut, Origin
from annotation_platform.corpus.importers.table import Table

CELLS, LEFT_OUT, METRICS = "cells", "left out", "metrics"
LONGEST_VALUE = 100  # characters of what a metric says
MOST_METRICS = 50  # of one answer
COLUMNS = ("question_id", "question", "choices", "reference_answers", "system", "answer", "conversation")


@dataclass(frozen=True)
class Output:
    """One answer, by column; without an answer nothing of it is taken, and without any cell it was none.

    ``left_out``: what else was there. ``metrics``: what automatic metrics say of it, by name."""

    cells: Mapping[str, Any]
    left_out: Sequence[LeftOut] = ()
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, left_out: Sequence[LeftOut], metrics: Mapping[str, Any], **cells: Any) -> "Output":
        return cls({column: cells.get(column) for column in COLUMNS} | cells, left_out, metrics)

    def as_row(self, number: int, **more: Any) -> Row:
        """With what metrics say, as far as it can be kept."""
        kept = {name: value for name, value in islice(self.metrics.items(), MOST_METRICS) if _is_kept(value)}
        left_out = [*self.left_out, *(of_metric(name) for name in self.metrics if name not in kept)]
        return Row(number, {CELLS: dict(self.cells), LEFT_OUT: left_out, METRICS: kept, **more})


def _is_kept(value: Any) -> bool:
    """Whether it is a yes or no, a number, or a short text."""
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_VALUE and not UNSTORABLE.search(value)
    return isinstance(value, int | float) and number_of(value) is not None


class OutputFile(RowFile):
    """A file of outputs, each of which is a row."""

    def __post_init__(self) -> None:
        """Be opened without a look at it: not all of them are texts."""

    def where(self, location: Location) -> str:
        number, *inner = location or (0,)
        return place(self.name, *inner, entry=number if isinstance(number, int) else 0)

    @abstractmethod
    def outputs(self, mistakes: Mistakes) -> Iterator[tuple[int, Any]]:
        """What the file holds, numbered, as the program wrote it."""

    @abstractmethod
    def output(self, written: Any) -> Output:
        """One of them as an answer. A ValueError says what is wrong with it."""

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        for number, written in self.outputs(mistakes):
            try:
                output = self.output(written)
            except STRANGE as error:
                strange = "corpus.output_strange" if not isinstance(error, ValueError) else reason_of(error)
                mistakes.add(wrong_at(self.where((number,)), strange))
            else:
                yield output.as_row(number)


class Outputs(Table):
    """The formats of such programs."""

    aliases: ClassVar[Mapping[str, str]] = {}

    def fields(self, options: Options) -> list[Field]:
        return fields_of_items(self.scheme(options))

    def cells(self, row: Row) -> dict[str, Any]:
        cells: dict[str, Any] = row.values[CELLS]
        return cells

    def reading(self, scheme: Scheme, options: Options, mapping: Mapping[str, str], mistakes: Mistakes) -> RowReader:
        return OutputReader(scheme, options.language, mapping, mistakes, values=options.values)

    def entries(self, reading: RowReader, origin: Origin, row: Row) -> Iterator[Entry]:
        yield from row.values[LEFT_OUT]
        if not self.cells(row):
            return
        said = reading.said(self.cells(row))
        metrics = row.values[METRICS]
        if "answer" not in said:
            yield LeftOut("corpus.outputs_without_answer")
            yield from map(of_metric, metrics)
            return
        for entry in reading.item(said, origin).entries:
            if metrics and isinstance(entry, ImportedAnswer):
                entry = entry._replace(metrics={self.key: metrics})
            yield entry


class OutputReader(RowReader):
    """Files of different tasks have different columns; the first rows decide which are taken."""

    def said(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        for column in cells.keys() - self._columns:
            self._dropped[self._dropped_as(column)] += 1
        return super().said({column: value for column, value in cells.items() if column in self._columns})


def of_metric(name: str, number: int = 1) -> LeftOut:
    """Scores of an automatic metric."""
    return LeftOut("corpus.scores_of_metric", {"metric": name}, number)
