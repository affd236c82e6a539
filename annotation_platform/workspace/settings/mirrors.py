"""The table by which a researcher declares mirrored items: CSV as it is pasted."""

import csv
import io

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.studies.services import MirrorRow

NEEDED = ("article", "question", "group")


def read_mirrors(text: str) -> list[MirrorRow]:
    """The rows of a table with the columns article, question, group, and system where it matters.

    Raises
    ------
    InvalidInputError
        With one reason for each row that is incomplete, or when it is no such table.
    """
    table = csv.DictReader(io.StringIO(text.strip(), newline=""))
    try:
        names = table.fieldnames or []
        if missing := [name for name in NEEDED if name not in names]:
            raise InvalidInputError("studies.mirrors_columns", columns=missing)
        rows = [
            MirrorRow(table.line_num, *((row.get(name) or "").strip() for name in MirrorRow._fields[1:]))
            for row in table
        ]
    except csv.Error as error:
        raise InvalidInputError("studies.mirrors_unread", why=str(error)) from None
    wrong = [row for row in rows if not (row.article and row.question and row.group)]
    if wrong:
        reasons: list[str] = [Reason("studies.mirror_incomplete", line=row.line) for row in wrong]
        raise InvalidInputError("studies.mirrors_wrong", reasons=reasons)
    return rows
