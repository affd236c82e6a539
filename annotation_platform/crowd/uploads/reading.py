"""A small file that a researcher uploads or pastes: CSV with named columns, or JSON."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.mistakes import unstorable
from annotation_platform.corpus.importers.rows import LONGEST_CELL

MOST_CHARACTERS = 5_000_000
MOST_BYTES_OF_CHARACTER = 4  # in UTF-8


def content_of(upload: "UploadedFile[Any] | None", pasted: str) -> bytes:
    """What was uploaded, or else what was pasted.

    Raises
    ------
    InvalidInputError
        When the upload is too large to be looked at.
    """
    if upload is None:
        return pasted.encode()
    if upload.size is not None and upload.size > MOST_BYTES_OF_CHARACTER * MOST_CHARACTERS:
        raise InvalidInputError("crowd.file_too_large", most=MOST_CHARACTERS)
    content: bytes = upload.read()
    return content


def text_of(content: bytes) -> str:
    """
    Raises
    ------
    InvalidInputError
        When it is not UTF-8, is empty, is too large, or has a character that cannot be stored.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError("crowd.file_not_utf8") from None
    if not text.strip():
        raise InvalidInputError("crowd.file_empty")
    if len(text) > MOST_CHARACTERS:
        raise InvalidInputError("crowd.file_too_large", most=MOST_CHARACTERS)
    _check_storable(text)
    return text


def is_json(text: str) -> bool:
    """Whether a text begins as JSON does."""
    return text.lstrip().startswith(("{", "["))


def json_of(text: str) -> Any:
    """
    Raises
    ------
    InvalidInputError
        When it is no JSON, or spells out a character that cannot be stored.
    """
    try:
        data = json.loads(text)
        _check_storable(data)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError("crowd.file_not_json", why=str(error)[:200]) from None
    return data


def rows_of(text: str, columns: Sequence[str], *, needed: Sequence[str]) -> Iterator[tuple[Reason, dict[str, str]]]:
    """The rows of CSV, or of columns between tabs: where each stands, and its cells by column.

    Rows that say nothing are passed over, so are columns beside those named.

    Raises
    ------
    InvalidInputError
        When a column that is ``needed`` is not in the first row, or a row cannot be read as CSV.
    """
    csv.field_size_limit(LONGEST_CELL)  # of the whole process, and as in other files
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in text.splitlines()[0] else ",")
    begins = 1
    try:
        header = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        if missing := [name for name in needed if name not in header]:
            raise InvalidInputError("crowd.file_columns_missing", columns=missing)
        reader.fieldnames = header
        begins = reader.line_num + 1
        for row in reader:
            begins = reader.line_num + 1
            cells = {name: (row.get(name) or "").strip() for name in columns}
            if any(cells.values()):
                yield Reason("crowd.file_row", number=reader.line_num), cells
    except csv.Error:
        where = Reason("crowd.file_row", number=begins)
        raise InvalidInputError("crowd.file_unreadable", where=where, most=LONGEST_CELL) from None


def _check_storable(data: Any) -> None:
    if why := unstorable(data):
        raise InvalidInputError("crowd.file_unstorable", **why.parameters)
