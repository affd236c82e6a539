"""What a program that evaluates models leaves: questions, references and answers by model, and no human judgments.

Each format reads its files into rows of the same columns, so that mapping, preview and check are those of a table. What
automatic metrics say has no place in a corpus: it is left out, and counted by metric.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from annotation_platform.core.locations import Location
from annotation_platform.core.schemes import Scheme
from annotation_platform.corpus.importers.format import Field, Options
from annotation_platform.corpus.importers.items import RowReader
from annotation_platform.corpus.importers.mistakes import Mistakes, place, reason_of, wrong_at
from annotation_platform.corpus.importers.rows import Row, RowFile
from annotation_platform.corpus.importers.study import Entry, LeftOut, Origin
from annotation_platform.corpus.importers.table import Table, fields_of_items

CELLS, LEFT_OUT = "cells", "left out"
COLUMNS = ("question_id", "question", "choices", "reference_answers", "system", "answer", "conversation")


@dataclass(frozen=True)
class Output:
    """One answer, by column; without an answer nothing of it is taken, and without any cell it was none.

    ``left_out``: what else was there."""

    cells: Mapping[str, Any]
    left_out: Sequence[LeftOut] = field(default=())

    @classmethod
    def of(cls, left_out: Sequence[LeftOut] = (), **cells: Any) -> "Output":
        return cls({column: cells.get(column) for column in COLUMNS} | cells, left_out)


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
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                strange = "corpus.output_strange" if not isinstance(error, ValueError) else reason_of(error)
                mistakes.add(wrong_at(self.where((number,)), strange))
            else:
                yield Row(number, {CELLS: dict(output.cells), LEFT_OUT: list(output.left_out)})


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
        if "answer" not in said:
            yield LeftOut("corpus.outputs_without_answer")
            return
        yield from reading.item(said, origin).entries


class OutputReader(RowReader):
    """Files of different tasks have different columns; the first rows decide which are taken."""

    def said(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        for column in cells.keys() - self._columns:
            self._dropped[self._dropped_as(column)] += 1
        return super().said({column: value for column, value in cells.items() if column in self._columns})


def of_metric(name: str, number: int = 1) -> LeftOut:
    """Scores of an automatic metric."""
    return LeftOut("corpus.scores_of_metric", {"metric": name}, number)
