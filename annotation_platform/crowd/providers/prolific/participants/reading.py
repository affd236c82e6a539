"""Reading Prolific's export of a study's participants: one row a submission, and columns about the person."""

import csv
import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.mistakes import unstorable
from annotation_platform.crowd.providers.prolific.models import SubmissionState
from annotation_platform.crowd.providers.prolific.visits import IDENTIFIER

NEEDED = {"submission": "Submission id", "person": "Participant id", "status": "Status"}
# As Prolific names its columns, and has named them; without regard to case, and "_" as a blank.
KNOWN = {
    "submission": ("submission id", "session id"),
    "person": ("participant id",),
    "status": ("status", "submission status"),
    "code": ("completion code", "entered code"),
    "of the visit": (
        *("custom study tncs accepted at", "custom study tasks accepted at", "time taken"),
        *("started at", "completed at", "reviewed at", "archived at"),
        *("started datetime", "completed date time", "reviewed at datetime"),
    ),
}
OF_SUBMISSIONS = frozenset(chain.from_iterable(KNOWN.values()))
REVOKED, EXPIRED = "CONSENT_REVOKED", "DATA_EXPIRED"
NOT_SAID = (REVOKED, EXPIRED)
LONGEST_CELL, LONGEST_NAME, LONGEST_VALUE, MOST_COLUMNS, MOST_TOLD = 1_000_000, 100, 500, 200, 50


@dataclass(frozen=True)
class Row:
    """A submission there. ``said`` has the columns about the person that say something, also that it is not said."""

    line: int
    submission: str
    person: str
    state: SubmissionState
    code: str
    said: Mapping[str, str]


@dataclass
class Participants:
    """A file: the rows that can be read, its columns about people, and what of it cannot come."""

    columns: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    mistakes: list[Reason] = field(default_factory=list)
    mistake_count: int = 0

    def add_mistake(self, code: str, /, **parameters: object) -> None:
        self.mistake_count += 1
        if len(self.mistakes) < MOST_TOLD:
            self.mistakes.append(Reason(code, **parameters))


def read_participants(text: str) -> Participants:
    """What a file says. Rows and cells that cannot be read are among the mistakes, and the others come.

    Raises
    ------
    InvalidInputError
        When it is no CSV, lacks a column that every such file has, or has no row that can be read.
    """
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found = Participants()
    try:
        header = [name.strip() for name in next(reader, [])]
        places = _places(header)
        about = _about(header, places, found)
        seen: dict[str, int] = {}
        begins = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                _row(_cells(header, cells, begins, found), places, about, begins, seen, found)
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInputError("crowd.participants_not_csv", line=reader.line_num, why=str(error)) from None
    if not found.rows:
        raise InvalidInputError("crowd.participants_no_rows", found.mistakes)
    return found


def _places(header: list[str]) -> dict[str, int]:
    """Where the columns about a submission stand."""
    plain = [name.casefold().replace("_", " ") for name in header]
    if twice := [name for name, count in Counter(filter(None, plain)).items() if count > 1]:
        raise InvalidInputError("crowd.participants_column_twice", columns=twice)
    found = {}
    for kind in ("submission", "person", "status", "code"):
        if (place := next((plain.index(name) for name in KNOWN[kind] if name in plain), None)) is not None:
            found[kind] = place
    if missing := [name for kind, name in NEEDED.items() if kind not in found]:
        raise InvalidInputError("crowd.participants_no_columns", missing=missing)
    return found


def _about(header: list[str], places: Mapping[str, int], found: Participants) -> dict[str, int]:
    """Where the columns about people stand: all those that are not of the submission."""
    about: dict[str, int] = {}
    for place, name in enumerate(header):
        if not name or place in places.values() or name.casefold().replace("_", " ") in OF_SUBMISSIONS:
            continue
        if len(name) > LONGEST_NAME or unstorable(name):
            found.add_mistake("crowd.participants_column_name", column=name[:40], most=LONGEST_NAME)
        elif len(about) == MOST_COLUMNS:
            found.add_mistake("crowd.participants_column_many", column=name, most=MOST_COLUMNS)
        else:
            about[name] = place
    found.columns = list(about)
    return about


def _cells(header: list[str], cells: list[str], line: int, found: Participants) -> list[str]:
    if len(cells) != len(header):
        found.add_mistake("crowd.participants_row_cells", line=line, cells=len(cells), columns=len(header))
        return []
    return [cell.strip() for cell in cells]


def _row(
    cells: list[str],
    places: Mapping[str, int],
    about: Mapping[str, int],
    line: int,
    seen: dict[str, int],
    found: Participants,
) -> None:
    if not cells:
        return
    own = {kind: cells[place] for kind, place in places.items()}
    before = found.mistake_count
    for kind in ("submission", "person"):
        if not IDENTIFIER.fullmatch(own[kind]):
            found.add_mistake("crowd.participants_row_identifier", line=line, column=NEEDED[kind])
    if (state := SubmissionState.named(own["status"])) is None:
        found.add_mistake("crowd.participants_row_status", line=line, status=own["status"][:40])
    if (first := seen.setdefault(own["submission"], line)) != line:
        found.add_mistake("crowd.participants_row_twice", line=line, first=first)
    if found.mistake_count > before or state is None:
        return
    said = {}
    for name, place in about.items():
        if len(cells[place]) > LONGEST_VALUE or unstorable(cells[place]):
            found.add_mistake("crowd.participants_cell", line=line, column=name, most=LONGEST_VALUE)
        elif own["person"] in cells[place] or own["submission"] in cells[place]:
            found.add_mistake("crowd.participants_cell_identifies", line=line, column=name)
        elif cells[place]:
            said[name] = cells[place]
    found.rows.append(Row(line, own["submission"], own["person"], state, own.get("code", ""), said))
