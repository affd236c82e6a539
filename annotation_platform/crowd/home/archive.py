"""A person's own data as a ZIP: each part as JSON and as CSV, written row by row."""

import csv
import io
import json
from collections.abc import Callable
from typing import IO, Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.serializers.json import DjangoJSONEncoder

from annotation_platform.accounts.models import User
from annotation_platform.crowd.home.own_data import PARTS
from annotation_platform.crowd.home.own_rows import Rows

README = """All that this platform knows of you, one kind of thing in each pair of files.

The .json files hold everything as it is stored; the .csv files the same for spreadsheets (UTF-8), where what has parts
of its own is JSON within its cell. Times are UTC. "by: you" is what you did or wrote yourself.

memberships  the studies you take or took part in, and the pseudonym that each knows you by
judgments    each revision of each judgment; "counts" says whether it is the one that counts
drafts       what you typed and did not submit
download_rights  which releases of studies you may or might download without being in the study
events       what you did, from which network address, and what was done to your memberships
"""


def write_archive(*, user: User, file: BinaryIO, on_parts: Callable[[int], None]) -> None:
    """Write the ZIP; ``on_parts`` hears how many more parts are done."""
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        for part in PARTS:
            with archive.open(f"{part.name}.json", "w", force_zip64=True) as member:
                _write_json(member, part.rows_of(user))
            with archive.open(f"{part.name}.csv", "w", force_zip64=True) as member:
                _write_csv(member, part.rows_of(user))
            on_parts(1)


def _write_json(member: IO[bytes], rows: Rows) -> None:
    between = b"[\n"
    for row in rows:
        member.write(between + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False).encode())
        between = b",\n"
    member.write(b"[]\n" if between == b"[\n" else b"\n]\n")


def _write_csv(member: IO[bytes], rows: Rows) -> None:
    with io.TextIOWrapper(member, "utf-8-sig", newline="") as text:
        writer: Any = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(text, list(row))
                writer.writeheader()
            writer.writerow({name: _cell(value) for name, value in row.items()})


def _cell(value: Any) -> Any:
    """As a spreadsheet takes it: lists and mappings as JSON, and no text that it would compute as a formula."""
    if isinstance(value, dict | list):
        return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value.isoformat() if hasattr(value, "isoformat") else value
