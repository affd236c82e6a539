"""What a row says by field: which column is which, and how often columns say something that is not taken."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import isfinite, isinf
from typing import Any

from annotation_platform.corpus.importers.cells import NOTHING, as_meant, broken, trimmed
from annotation_platform.corpus.importers.conversations import exchange_of, is_conversation, list_of_messages, told_by
from annotation_platform.corpus.importers.mistakes import RowError
from annotation_platform.corpus.importers.rows import RowFile
from annotation_platform.corpus.importers.spelling import as_written
from annotation_platform.corpus.importers.study import LeftOut

MOST_DROPPED = 20  # columns that are told by name
RUNNING = ("question", "answer", "rationale", "article")  # fields of text that goes over lines


class CellReader:
    """Reads the cells of rows under one choice of columns.

    Parameters
    ----------
    mapping : mapping of column to field
        "" for a column that is not taken.
    values : mapping of column to a mapping, optional
        What values of a column stand for, where whoever imports has said so.
    """

    def __init__(self, mapping: Mapping[str, str], *, values: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self._columns = mapping.keys()
        self._no_field = [column for column, field in mapping.items() if not field]
        self._fields = {field: column for column, field in mapping.items() if field}
        meant = {
            column: {as_written(written): meant for written, meant in taken.items()}
            for column, taken in (values or {}).items()
        }
        self._read = [
            (field, column, field.partition(".")[0] in RUNNING, meant.get(column))
            for field, column in self._fields.items()
        ]
        self._dropped: Counter[tuple[str, str]] = Counter()
        self._of_turns: Counter[tuple[str, tuple[tuple[str, Any], ...]]] = Counter()

    def begin(self, source: RowFile) -> None:
        """Be told of the file whose rows come next."""

    def said(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """Field → what a row says there, blanks left out."""
        if strange := cells.keys() - self._columns:
            raise RowError("corpus.column_not_in_first_rows", column=sorted(strange)[0])
        for column in self._no_field:
            if trimmed(cells.get(column)) not in NOTHING:
                self._dropped[self._dropped_as(column)] += 1
        said = {}
        for field, column, is_running, meant in self._read:
            value = self._cell(cells.get(column), is_running)
            if meant:
                value = as_meant(meant, value)
            if isinstance(value, float) and not isfinite(value):
                if isinf(value):
                    raise RowError("corpus.value_no_number", field=column, value=str(value))
                continue  # as programs write a number that is missing
            if value not in NOTHING:
                said[field] = value
        return self._with_turns(said)

    def _with_turns(self, said: dict[str, Any]) -> dict[str, Any]:
        """Question and answers of conversations, where a row has some; what else is in these is counted."""
        found = {field: exchange_of(list_of_messages(said[field])) for field in said if is_conversation(field)}
        for exchange in found.values():
            for what in exchange.left_out:
                self._of_turns[what.code, tuple(what.parameters.items())] += what.number
        return told_by(found, said) if found else said

    def _cell(self, value: Any, is_running: bool) -> Any:
        """What a cell says, perhaps a text that goes over lines."""
        return broken(trimmed(value)) if is_running else trimmed(value)

    def _dropped_as(self, column: str) -> tuple[str, str]:
        """Code and column of what the summary says of a value that is not taken; "" for what nobody misses."""
        return "corpus.column_for_nothing", column

    def dropped(self) -> Iterator[LeftOut]:
        """What of conversations is not taken, and the columns taken for nothing with how many rows say something."""
        for (code, parameters), number in self._of_turns.items():
            yield LeftOut(code, dict(parameters), number)
        most = [(what, count) for what, count in self._dropped.most_common() if what[0]]
        for (code, column), count in most[:MOST_DROPPED]:
            yield LeftOut(code, {"column": column} if column else {}, count)
        if rest := most[MOST_DROPPED:]:
            yield LeftOut("corpus.more_columns_for_nothing", {"count": len(rest)}, sum(count for _, count in rest))
