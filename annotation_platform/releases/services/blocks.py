"""Rows out of the database as encoded lines, of candidates and of their judgments: by COPY on PostgreSQL, by a
cursor on SQLite. Both give the same bytes. All comes from one moment, and only some HITs are in memory at a time.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from json.encoder import encode_basestring
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

from annotation_platform.core.text import FORMULA_STARTS, guarded
from annotation_platform.releases.selectors.columns import Column, Kind
from annotation_platform.releases.selectors.query import KEY_NAME, KEY_WIDTH, UNIT_WIDTH, ExportQuery, Statement
from annotation_platform.releases.services.reading import in_turn, keys_of
from annotation_platform.releases.services.tables import csv_lines

HITS_AT_ONCE = 125  # a few thousand judgments


@dataclass(frozen=True)
class Block:
    """The lines of some HITs, each after its key and a separator, and ending with a line feed; for Arrow, on SQLite,
    the rows.

    Candidates are in the order of the export, judgments in none. The line of a judgment is the rest of the row that
    the line of what it judges begins.
    """

    candidates: list[Any]
    judgments: list[Any]

    def rows(self) -> Iterator[tuple[bytes, list[bytes]]]:
        """Each candidate that has judgments, and these in the order of their places; without the keys."""
        judgments = defaultdict(list)
        for line in self.judgments:
            judgments[line[:UNIT_WIDTH]].append(line)
        for candidate in self.candidates:
            if lines := judgments.get(candidate[:UNIT_WIDTH]):
                lines.sort(key=_place)
                yield candidate[KEY_WIDTH + 1 :], [line[KEY_WIDTH + 1 :] for line in lines]


def _place(line: bytes) -> bytes:
    return line[:KEY_WIDTH]


Blocks = Generator[Block, None, None]


@dataclass(frozen=True)
class Encoding:
    """How rows become lines after their keys: by a COPY statement on PostgreSQL, from rows of a cursor on SQLite,
    which without ``lines`` stay rows."""

    copy: Callable[[Statement], str]
    separator: str
    lines: Callable[[Sequence[Column], list[Sequence[Any]]], list[str]] | None


def blocks_of(query: ExportQuery, encoding: Encoding) -> Blocks:
    """All HITs in the order of the export, some at a time. To be closed when something fails on the way."""
    read = partial(_read, query=query, encoding=encoding)
    return in_turn(keys_of(query.hits()), read, at_once=HITS_AT_ONCE)


def candidates_of(query: ExportQuery, encoding: Encoding) -> Generator[list[Any], None, None]:
    """The lines of all candidates with their keys, judged or not; for Arrow, on SQLite, the rows."""
    read = partial(_lines, statement=query.candidates, encoding=encoding)
    return in_turn(keys_of(query.hits()), read, at_once=HITS_AT_ONCE)


def _read(reader: BaseDatabaseWrapper, hits: Sequence[int], query: ExportQuery, encoding: Encoding) -> Block:
    return Block(*(_lines(reader, hits, each, encoding) for each in (query.candidates, query.judgments)))


def _lines(reader: BaseDatabaseWrapper, hits: Sequence[int], statement: Statement, encoding: Encoding) -> list[Any]:
    parameters = statement.parameters(hits)
    with reader.cursor() as cursor:
        if reader.vendor == "postgresql":
            with cursor.cursor.copy(encoding.copy(statement), parameters) as copy:  # Django's own takes no parameters
                return list(map(bytes, copy))
        cursor.execute(statement.sql, parameters)
        rows: list[Any] = cursor.fetchall()
    if encoding.lines is None or not rows:
        return rows
    lines = encoding.lines(statement.columns, [row[1:] for row in rows])
    return [f"{row[0]}{encoding.separator}{line}".encode() for row, line in zip(rows, lines, strict=True)]


# --- CSV: a missing value is empty, an empty text is "" -------------------------------------------------------

# The csv writer has one way only to write "empty" and "missing"; this stands for "empty" until the line is written.
EMPTY = "\x00empty\x00"


def csv_encoding(*, guard_formulas: bool = False) -> Encoding:
    """``guard_formulas`` puts an apostrophe before texts that a spreadsheet program would take for a formula."""
    return Encoding(partial(_csv_copy, guard_formulas), ",", partial(_csv_lines, guard_formulas))


def arrow_encoding() -> Encoding:
    return replace(csv_encoding(), lines=None)


def _csv_copy(guard_formulas: bool, statement: Statement) -> str:
    sql = statement.sql
    if guard_formulas:
        starts = ", ".join(f"E'\\x{ord(start):02x}'" if start < " " else f"'{start}'" for start in FORMULA_STARTS)
        columns = [f'"{KEY_NAME}"']
        for column in statement.columns:
            name = f'"{column.name}"'
            if column.kind == Kind.TEXT:
                name = f"CASE WHEN substr(ltrim({name}, ''''), 1, 1) IN ({starts}) THEN '''' || {name} ELSE {name} END"
            columns.append(name)
        sql = f"SELECT {', '.join(columns)} FROM ({sql}) export"
    return f"COPY ({sql}) TO STDOUT (FORMAT csv)"


def _csv_lines(guard_formulas: bool, columns: Sequence[Column], rows: list[Sequence[Any]]) -> list[str]:
    cells = (
        _csv_cells(column.kind, values, guard_formulas)
        for column, values in zip(columns, zip(*rows, strict=True), strict=True)
    )
    return [line.replace(EMPTY, '""') for line in csv_lines(zip(*cells, strict=True))]


def _csv_cells(kind: Kind, values: Sequence[Any], guard_formulas: bool) -> Sequence[Any]:
    if kind == Kind.NUMBER:
        return [None if value is None else _plain(value) for value in values]
    if kind == Kind.TEXT and guard_formulas:
        values = [value and guarded(value) for value in values]
    return [EMPTY if value == "" else value for value in values] if "" in values else values


# --- JSON ------------------------------------------------------------------------------------------------------


def json_encoding() -> Encoding:
    # Quote and delimiter are control characters, which JSON always escapes: so nothing is quoted.
    return Encoding(_json_copy, "\x02", _json_lines)


LISTED_IN_JSON = {
    Kind.NUMBERS: "CAST('[' || replace({0}, ' ', ',') || ']' AS json)",
    Kind.WORDS: """CAST(CASE {0} WHEN '' THEN '[]' ELSE '["' || replace({0}, ' ', '","') || '"]' END AS json)""",
}


def _json_copy(statement: Statement) -> str:
    listed = (
        LISTED_IN_JSON.get(column.kind, "{}").format(f'"{column.name}"') + f' AS "{column.name}"'
        for column in statement.columns
    )
    rows = (
        f'SELECT "{KEY_NAME}", row_to_json(line) FROM ({statement.sql}) export'
        f" CROSS JOIN LATERAL (SELECT {', '.join(listed)}) line"
    )
    return f"COPY ({rows}) TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')"


def _json_lines(columns: Sequence[Column], rows: list[Sequence[Any]]) -> list[str]:
    line = "{" + ",".join(f'"{column.name}":%s' for column in columns) + "}\n"
    cells = (_json_cells(column.kind, values) for column, values in zip(columns, zip(*rows, strict=True), strict=True))
    return [line % values for values in zip(*cells, strict=True)]


def _json_cells(kind: Kind, values: Iterable[Any]) -> list[str]:
    writers: dict[Kind, Callable[[Any], str]] = {
        Kind.INTEGER: str,
        Kind.NUMBER: _plain,
        Kind.NUMBERS: lambda value: f"[{value.replace(' ', ',')}]",
        Kind.WORDS: lambda value: json.dumps(value.split(), separators=(",", ":")),
    }
    write = writers.get(kind, encode_basestring)
    return ["null" if value is None else write(value) for value in values]


def _plain(number: float) -> str:
    """100.0 as 100, as PostgreSQL writes it."""
    return repr(number).removesuffix(".0")
