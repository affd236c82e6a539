"""Files that were sent to be imported."""

from datetime import datetime
from typing import Any

from annotation_client.models.record import Record


class ImportRecord(Record):
    """Files that were sent: what was chosen for them, what a check found or what is wrong, and what was made."""

    id: int
    state: str
    wanted: str
    files: list[dict[str, Any]]
    checksums: list[str] = []
    target: str
    name: str
    format: str
    scheme: str
    scheme_text: str
    language: str
    columns: dict[str, str]
    values: dict[str, dict[str, str]]
    sheet: str
    overlap: int | None
    hits_per_batch: int | None
    found: dict[str, Any] | None
    mistakes: list[dict[str, Any]]
    mistake_count: int
    study: str | None
    corpus: int | None
    created_at: datetime
    job: str

    @property
    def is_untouched(self) -> bool:
        """Whether it is as it was sent: nothing was chosen, checked or stored since."""
        is_looked_at = self.state in ("draft", "pending", "running") and self.wanted in ("", "look")
        return is_looked_at and not self.columns and not self.values


class ImportColumn(Record):
    """A column of a file: the field that it is taken for ("": it is left out), and what its first rows say."""

    name: str
    field: str
    first: list[str]
    values: dict[str, str]


class ImportPreview(Record):
    """The first rows of files, what columns can be taken for, and what is ``wrong`` with how they are taken now."""

    columns: list[ImportColumn]
    known_fields: list[dict[str, Any]]
    wrong: list[dict[str, Any]]
    warnings: list[str]
    sheets: list[str]

    def mapping(self) -> dict[str, str]:
        """Column → field."""
        return {each.name: each.field for each in self.columns}


class UploadRecord(Record):
    """A file that comes in parts: ``offset`` bytes of ``size`` are there. Without another part it is forgotten then."""

    id: int
    name: str
    size: int
    sha256: str
    offset: int
    part_size: int
    expires_at: datetime
