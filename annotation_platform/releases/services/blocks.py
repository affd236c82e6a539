"""Rows out of the database as blocks of encoded lines: COPY on PostgreSQL, one cursor on SQLite.

Both give the same bytes, and hold no more than one block in memory.
"""

import csv
import io
import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import connection, transaction

from annotation_platform.releases.selectors.columns import Column, Kind
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
    return _encoded(query, _csv_encoder(query.columns, guard_formulas))


def json_blocks(query: ExportQuery) -> Blocks:
    """The rows as one JSON object a line."""
    if connection.vendor == "postgresql":
        # Quote and delimiter are control characters, which JSON always escapes: so nothing is quoted.
        return _copy(
            f"COPY ({_json_sql(query)}) TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')", query.parameters
        )
    return _encoded(query, _json_encoder(query.columns))


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

Row = Sequence[Any]


def _encoded(query: ExportQuery, encode: Callable[[list[Row]], str]) -> Blocks:
    with connection.cursor() as cursor:
        cursor.execute(query.sql, query.parameters)
        while rows := cursor.fetchmany(ROWS_PER_BLOCK):
            yield Block(encode(rows).encode(), len(rows))


def _csv_encoder(columns: Sequence[Column], guard_formulas: bool) -> Callable[[list[Row]], str]:
    numbers = [index for index, column in enumerate(columns) if column.kind == Kind.NUMBER]
    texts = [index for index, column in enumerate(columns) if column.kind == Kind.TEXT] if guard_formulas else []

    def encode(rows: list[Row]) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in rows:
            cells = list(row)
            for index in numbers:
                cells[index] = _plain(cells[index])
            for index in texts:
                if cells[index] is not None and cells[index].startswith(FORMULA_STARTS):
                    cells[index] = f"'{cells[index]}"
            if "" in cells:  # the writer has one way only to say "empty" and "missing"
                text.write(",".join(map(_cell, cells)) + "\n")
            else:
                writer.writerow(cells)
        return text.getvalue()

    return encode


def _json_encoder(columns: Sequence[Column]) -> Callable[[list[Row]], str]:
    names = [column.name for column in columns]
    numbers = [column.name for column in columns if column.kind == Kind.NUMBER]
    lists = [column.name for column in columns if column.kind == Kind.NUMBERS]
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

    def encode(rows: list[Row]) -> str:
        lines = []
        for row in rows:
            line = dict(zip(names, row, strict=True))
            for name in numbers:
                line[name] = _plain(line[name])
            for name in lists:
                if line[name] is not None:
                    line[name] = [int(number) for number in line[name].split()]
            lines.append(write(line))
        return "\n".join([*lines, ""])

    return encode


def _plain(number: float | None) -> float | int | None:
    """100.0 as 100, as PostgreSQL writes it."""
    return int(number) if number is not None and number.is_integer() else number


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = str(value)
    if not text or any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
