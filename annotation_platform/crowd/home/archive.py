"""A person's own data as a ZIP: each part as JSON and as CSV, written row by row."""

import csv
import io
import json
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.crowd.home.own_data import PARTS
from annotation_platform.crowd.home.own_rows import Rows

IN_MEMORY = 4 << 20  # more than this goes to a file on the way

README = """All that this platform knows of you, one kind of thing in each pair of files.

The .json files hold everything as it is stored; the .csv files the same for spreadsheets (UTF-8), where what has parts
of its own is JSON within its cell. Times are UTC. "by: you" is what you did or wrote yourself.

memberships  the studies you take or took part in, and the pseudonym that each knows you by
judgments    each revision of each judgment; "counts" says whether it is the one that counts
drafts       what you typed and did not submit
events       what you did, from which network address, and what was done to your memberships
"""


@transaction.atomic
def archive_of(*, user: User, actor: Actor) -> IO[bytes]:
    """The file, at its beginning; it is gone when it is closed."""
    file: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  # closed by whoever sends it
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        for part in PARTS:
            with archive.open(f"{part.name}.json", "w") as member:
                _write_json(member, part.rows_of(user))
            with archive.open(f"{part.name}.csv", "w") as member:
                _write_csv(member, part.rows_of(user))
    record(actor, Verb.ACCOUNT_DATA_TAKEN, user)
    file.seek(0)
    return file


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
