"""Where the spans of many traces wait until each trace is whole: a private SQLite database, gone when closed."""

import json
import sqlite3
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

from annotation_platform.corpus.importers.traces.spans import Example, Score, Span

TABLES = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4000;
CREATE TABLE span (id INTEGER PRIMARY KEY, trace TEXT, file INTEGER, line INTEGER, said TEXT);
CREATE TABLE score (trace TEXT, name TEXT, value TEXT);
CREATE TABLE example (name TEXT PRIMARY KEY, said TEXT) WITHOUT ROWID;
BEGIN
"""
INDEXES = "CREATE INDEX span_by_trace ON span (trace); CREATE INDEX score_by_trace ON score (trace)"


class Kept(NamedTuple):
    """A span with the place of its record."""

    file: int
    line: int
    span: Span


class Spool:
    """Takes spans in any order, and gives them trace by trace, in the order in which traces were first seen."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._rows.executescript(TABLES)
        self.close = weakref.finalize(self, self._rows.close)

    def take(self, entry: Span | Score | Example, file: int, line: int) -> None:
        if isinstance(entry, Span):
            row = (entry.trace, file, line, _text(entry.as_data()))
            self._rows.execute("INSERT INTO span (trace, file, line, said) VALUES (?, ?, ?, ?)", row)
        elif isinstance(entry, Score):
            self._rows.execute("INSERT INTO score VALUES (?, ?, ?)", (entry.trace, entry.name, _text(entry.value)))
        else:
            said = _text([entry.asked, entry.expected])
            self._rows.execute("INSERT OR REPLACE INTO example VALUES (?, ?)", (entry.name, said))

    def traces(self) -> Iterator[list[Kept]]:
        """The spans of each trace, as they were taken."""
        self._rows.executescript(INDEXES)
        for (trace,) in self._rows.execute("SELECT trace FROM span GROUP BY trace ORDER BY MIN(id)"):
            rows = self._rows.execute("SELECT file, line, said FROM span WHERE trace = ? ORDER BY id", (trace,))
            yield [Kept(file, line, Span.of(json.loads(said))) for file, line, said in rows.fetchall()]

    def scores(self, trace: str) -> dict[str, Any]:
        rows = self._rows.execute("SELECT name, value FROM score WHERE trace = ?", (trace,)).fetchall()
        return {name: json.loads(value) for name, value in rows}

    def example(self, name: str) -> Example:
        """What is known of an example; nothing but its name where no file tells of it."""
        found = self._rows.execute("SELECT said FROM example WHERE name = ?", (name,)).fetchone()
        return Example(name, *json.loads(found[0])) if found else Example(name)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, default=str)
