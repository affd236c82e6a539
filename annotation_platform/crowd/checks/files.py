"""Checks as a file: CSV with a row for each answer and aspect, or JSON; and their results as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.text import guarded, unguarded
from annotation_platform.crowd.uploads.reading import is_json, json_of, rows_of, text_of

COLUMNS = ("article", "question", "system", "aspect", "accepted", "kind")
REQUIRED = ("article", "question", "aspect", "accepted")
KINDS = ("gold", "attention")


@dataclass
class WrittenCheck:
    """A check as a file has it. ``places``: slot key → where it says that; ``where``: where the check begins."""

    article: str
    question: str
    system: str
    where: str
    kind: str = ""
    accepted: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)


def read_checks(content: bytes) -> list[WrittenCheck]:
    """Read a file of checks, CSV or JSON by how it begins.

    Raises
    ------
    InvalidInputError
        With one line for each mistake; the file is taken whole or not at all.
    """
    text = text_of(content)
    mistakes: list[str] = []
    found = list((_from_json if is_json(text) else _from_csv)(text, mistakes))
    if mistakes:
        raise InvalidInputError("crowd.file_wrong", mistakes)
    return found


def write_rows(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV that no spreadsheet takes for formulas."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def _from_csv(text: str, mistakes: list[str]) -> Iterator[WrittenCheck]:
    found: dict[tuple[str, str, str], WrittenCheck] = {}
    for where, row in rows_of(text, COLUMNS, needed=REQUIRED):
        cells = {name: unguarded(cell) for name, cell in row.items()}
        which = cells["article"], cells["question"], cells["system"]
        if (check := found.get(which)) is None:
            check = found[which] = WrittenCheck(*which, where)
            check.kind = _kind(cells["kind"], where, mistakes)
        if cells["aspect"] in check.places:
            mistakes.append(Reason("crowd.checks_twice", where=where))
        check.accepted[cells["aspect"]] = cells["accepted"]
        check.places[cells["aspect"]] = where
    yield from found.values()


def _from_json(text: str, mistakes: list[str]) -> Iterator[WrittenCheck]:
    rows = json_of(text)
    seen: set[tuple[str, str, str]] = set()
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        where = Reason("crowd.file_entry", number=number)
        if not isinstance(row, Mapping) or not isinstance(row.get("accepted"), Mapping):
            mistakes.append(Reason("crowd.checks_entry_wrong", where=where))
            continue
        which = str(row.get("article", "")), str(row.get("question", "")), str(row.get("system", ""))
        if which in seen:
            mistakes.append(Reason("crowd.checks_twice", where=where))
        seen.add(which)
        accepted = {str(key): value for key, value in row["accepted"].items()}
        yield WrittenCheck(
            *which, where, _kind(str(row.get("kind") or ""), where, mistakes), accepted, dict.fromkeys(accepted, where)
        )


def _kind(given: str, where: str, mistakes: list[str]) -> str:
    kind = given.strip().lower() or KINDS[0]
    if kind not in KINDS:
        mistakes.append(Reason("crowd.checks_kind_wrong", where=where, given=given[:40]))
    return kind
