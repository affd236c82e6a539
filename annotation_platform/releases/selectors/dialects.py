"""Where PostgreSQL and SQLite say the same thing in different words."""

from dataclasses import dataclass

from django.db import connection


@dataclass(frozen=True)
class Dialect:
    """Pieces of SQL; braces are filled in with an expression or, for ``key``, the key of an aspect."""

    join: str  # keeps the order in which tables are written, so that rows come out sorted without a sort of all
    value: str
    numbers: str
    count: str
    number: str
    time: str


POSTGRESQL = Dialect(
    join="JOIN",
    value="annotation.\"values\" ->> '{key}'",
    numbers="translate({}, '[],', '')",
    count="jsonb_array_length(annotation.\"values\" -> '{key}')",
    number="CAST({} AS double precision)",
    time="to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
)
SQLITE = Dialect(
    join="CROSS JOIN",
    value="json_extract(annotation.\"values\", '$.{key}')",
    numbers="replace(replace(replace({}, '[', ''), ']', ''), ',', ' ')",
    count="json_array_length(annotation.\"values\", '$.{key}')",
    number="CAST({} AS real)",
    # Stored as 2026-03-02 08:00:00 with six more digits, or none when they would be zeros.
    time="substr(replace({0}, ' ', 'T') || CASE instr({0}, '.') WHEN 0 THEN '.000000' ELSE '000000' END, 1, 26) || 'Z'",
)


def dialect() -> Dialect:
    return POSTGRESQL if connection.vendor == "postgresql" else SQLITE
