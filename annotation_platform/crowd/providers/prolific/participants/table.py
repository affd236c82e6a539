"""What was kept of people as a table."""

import csv
import io
from collections.abc import Iterable

from annotation_platform.crowd.providers.prolific.participants.models import ParticipantAttributes

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def kept_as_csv(kept: Iterable[ParticipantAttributes]) -> str:
    """CSV: a row for each annotator by pseudonym, a column for each that was kept of somebody; empty: not said.

    Cells that a spreadsheet program would take for a formula begin with an apostrophe.
    """
    rows = list(kept)
    columns = list(dict.fromkeys(name for each in rows for name in each.values))
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["annotator", *map(_plain, columns)])
    for each in rows:
        if each.values:
            cells = (each.values.get(name, "") for name in columns)
            writer.writerow([_plain(each.member.pseudonym), *map(_plain, cells)])
    return text.getvalue()


def _plain(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULAS) else cell
