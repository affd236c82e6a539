"""Rows out of the database as blocks of encoded lines: COPY on PostgreSQL, one cursor on SQLite.

Both give the same bytes, and hold no more than one block in memory.
"""

import csv
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from json.encoder import encode_basestring
from typing import Any

from django.db import connection, transaction

from annotation_platform.releases.selectors.columns import Kind
from annotation_platform.releases.selectors.query import ExportQuery

ROWS_PER_BLOCK = 1_000
# Where spreadsheet programs take a text for a formula, in ASCII and full width.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")

# Joined in the written order, each table by an index, with the first rows first: see export_query. Left to
# itself, the planner would build hash tables of whole tables and sort all rows on disk.
STREAMING_PLAN = {
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "join_collapse_limit": "1",
    "jit": "off",
    "work_mem": "32MB",
}


@dataclass(frozen=True)
class Block:
    """Whole lines in UTF-8, each ended by a line feed, and how many rows they hold."""

    data: bytes
    rows: int


Blocks = Generator[Block, None, None]  # to be closed when something fails on the way


def csv_blocks(query: ExportQuery, *, guard_formulas: bool = False) -> Blocks:
    """The rows as CSV without a header. A missing value is empty, an empty text is ``""``.

    ``guard_formulas`` puts an apostrophe before texts that a spreadsheet program would take for a formula.
    """
    if connection.vendor == "postgresql":
        sql = _guarded_sql(query) if guard_formulas else query.sql
        return _copy(f"COPY ({sql}) TO STDOUT (FORMAT csv)", query.parameters)
    return _encoded(query, partial(_csv_lines, query, guard_formulas))


def json_blocks(query: ExportQuery) -> Blocks:
    """The rows as one JSON object a line."""
    if connection.vendor == "postgresql":
        # Quote and delimiter are control characters, which JSON always escapes: so nothing is quoted.
        return _copy(
            f"COPY ({_json_sql(query)}) TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')", query.parameters
        )
    return _encoded(query, partial(_json_lines, query))


# --- PostgreSQL ------------------------------------------------------------------------------------------


def _copy(statement: str, parameters: Sequence[Any]) -> Blocks:
    with transaction.atomic(), connection.cursor() as cursor:
        for name, value in STREAMING_PLAN.items():
            cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
        with cursor.copy(statement, parameters) as copy:
            while lines := list(islice(copy, ROWS_PER_BLOCK)):
                yield Block(b"".join(lines), len(lines))


def _guarded_sql(query: ExportQuery) -> str:
    starts = ", ".join(f"E'\\x{ord(start):02x}'" if start < " " else f"'{start}'" for start in FORMULA_STARTS)
    guarded = []
    for column in query.columns:
        name = f'"{column.name}"'
        if column.kind == Kind.TEXT:
            name = f"CASE WHEN substr({name}, 1, 1) IN ({starts}) THEN '''' || {name} ELSE {name} END"
        guarded.append(name)
    return f"SELECT {', '.join(guarded)} FROM ({query.sql}) export"


def _json_sql(query: ExportQuery) -> str:
    listed = (
        f"""CAST('[' || replace("{column.name}", ' ', ',') || ']' AS json) AS "{column.name}\""""
        if column.kind == Kind.NUMBERS
        else f'"{column.name}"'
        for column in query.columns
    )
    return f"SELECT row_to_json(line) FROM (SELECT {', '.join(listed)} FROM ({query.sql}) export) line"


# --- SQLite ----------------------------------------------------------------------------------------------

# The csv writer has one way only to write "empty" and "missing"; this stands for "empty" until the line is written.
EMPTY = "\x00empty\x00"


def _encoded(query: ExportQuery, encode: Callable[[list[Sequence[Any]]], str]) -> Blocks:
    with connection.cursor() as cursor:
        cursor.execute(query.sql, query.parameters)
        while rows := cursor.fetchmany(ROWS_PER_BLOCK):
            yield Block(encode(rows).encode(), len(rows))


class _Lines(list[str]):
    """What a csv.writer writes to, a line at a time."""

    write = list.append


def _csv_lines(query: ExportQuery, guard_formulas: bool, rows: list[Sequence[Any]]) -> str:
    columns = (
        _csv_cells(column.kind, values, guard_formulas)
        for column, values in zip(query.columns, zip(*rows, strict=True), strict=True)
    )
    lines = _Lines()
    # The writer quotes a lone carriage return only where lines end with one.
    csv.writer(lines, lineterminator="\r\n").writerows(zip(*columns, strict=True))
    return "".join([line[:-2] + "\n" for line in lines]).replace(EMPTY, '""')


def _csv_cells(kind: Kind, values: Sequence[Any], guard_formulas: bool) -> Sequence[Any]:
    if kind == Kind.NUMBER:
        return [_plain(value) for value in values]
    if kind == Kind.TEXT and guard_formulas:
        values = [f"'{value}" if value and value.startswith(FORMULA_STARTS) else value for value in values]
    return [EMPTY if value == "" else value for value in values] if "" in values else values


def _json_lines(query: ExportQuery, rows: list[Sequence[Any]]) -> str:
    line = "{" + ",".join(f'"{column.name}":%s' for column in query.columns) + "}\n"
    columns = (
        _json_cells(column.kind, values) for column, values in zip(query.columns, zip(*rows, strict=True), strict=True)
    )
    return "".join([line % cells for cells in zip(*columns, strict=True)])


def _json_cells(kind: Kind, values: Sequence[Any]) -> list[str]:
    writers: dict[Kind, Callable[[Any], str]] = {
        Kind.INTEGER: str,
        Kind.NUMBER: lambda value: str(_plain(value)),
        Kind.NUMBERS: lambda value: f"[{value.replace(' ', ',')}]",
    }
    write = writers.get(kind, encode_basestring)
    return ["null" if value is None else write(value) for value in values]


def _plain(number: float | None) -> float | int | None:
    """100.0 as 100, as PostgreSQL writes it."""
    return int(number) if number is not None and number.is_integer() else number
