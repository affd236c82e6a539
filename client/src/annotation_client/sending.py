"""What people have, as the platform takes it: rows from lists, data frames and files; schemes from any of them."""

import json
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

NDJSON, JSON, CSV = "application/x-ndjson", "application/json", "text/csv"
TYPES = {".csv": CSV, ".jsonl": NDJSON, ".ndjson": NDJSON, ".json": JSON}
NO_NAME = re.compile(r"[/\\\x00-\x1f\x7f\ud800-\udfff]")
SCHEME_FILES = (".yaml", ".yml", ".json")


class Body(NamedTuple):
    """Rows to send, with their media type."""

    content: bytes
    media_type: str


def body_of(items: Any) -> Body:
    """Rows as a body.

    Parameters
    ----------
    items
        Mappings, one for each answer; a data frame of pandas, polars or pyarrow; or the path of a CSV, JSON or JSONL
        file. Cells that are missing are left out.

    Raises
    ------
    ValueError
        When the file has another ending, or there is no row.
    """
    if isinstance(items, str | Path):
        path = Path(items)
        if path.suffix.lower() not in TYPES:
            raise ValueError(f"{path.name}: rows come as one of {', '.join(TYPES)}.")
        return Body(path.read_bytes(), TYPES[path.suffix.lower()])
    lines = [json.dumps(_present(row), ensure_ascii=False, default=_plain) for row in _rows(items)]
    if not lines:
        raise ValueError("There is no row to send.")
    return Body(("\n".join(lines) + "\n").encode(), NDJSON)


def name_of(path: Path) -> str:
    """A file's name as the platform takes it, with “_” for what other systems have in no name, or no text has."""
    return NO_NAME.sub("_", path.name).strip() or "_"


def in_address(name: str) -> str:
    """A name within an address, where a slash ends no part of it, and where nothing, one dot or two must not be those
    of a list or of what is above it: nothing is called like a space."""
    return quote(name, safe="") if name.strip(".") else "%20"


def scheme_of(scheme: Any) -> dict[str, Any]:
    """A scheme as it is sent: a mapping is a definition, the path of a file its text, any other text a preset's key."""
    if isinstance(scheme, Mapping):
        return {"definition": dict(scheme)}
    if Path(scheme).suffix.lower() in SCHEME_FILES:
        return {"text": Path(scheme).read_text(encoding="utf-8")}
    return {"preset": str(scheme)}


def key_of(*parts: str | bytes) -> str:
    """An idempotency key that says what is asked for, so that a program that is run again goes on where it was."""
    digest = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(data)}:".encode() + data)
    return f"client-{digest.hexdigest()[:40]}"


def is_as_sent(found: Mapping[str, Any] | None, sent: Mapping[str, Any]) -> bool:
    """Whether everything that was sent is there; what is never told, such as a key, cannot be known to be."""
    return all(_same(None if found is None else found.get(name), value) for name, value in sent.items())


def _same(found: Any, sent: Any) -> bool:
    """Whether a value is there as it was sent: numbers may come as text, one of a list alone, nothing as empty."""
    if found in (None, "", [], {}) or sent in (None, "", [], {}):
        return found in (None, "", [], {}) and sent in (None, "", [], {})
    if isinstance(found, Mapping) and isinstance(sent, Mapping):
        return found.keys() == sent.keys() and is_as_sent(found, sent)
    if isinstance(found, list):
        many = list(sent) if isinstance(sent, list | tuple) else [sent]
        return len(found) == len(many) and sorted(map(str, found)) == sorted(map(str, many))
    return _plain_text(found) == _plain_text(sent)


def _plain_text(value: Any) -> str:
    try:
        return str(Decimal(str(value).strip()).normalize())
    except InvalidOperation:
        return str(value).strip()


def _rows(items: Any) -> Iterable[Mapping[str, Any]]:
    for method in ("to_dicts", "to_pylist"):  # polars, pyarrow
        if hasattr(items, method):
            rows: Iterable[Mapping[str, Any]] = getattr(items, method)()
            return rows
    if hasattr(items, "to_dict") and hasattr(items, "columns"):  # pandas
        records: Iterable[Mapping[str, Any]] = items.to_dict("records")
        return records
    given: Iterable[Mapping[str, Any]] = items
    return given


def _present(row: Mapping[str, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in row.items() if not _is_missing(value)}


def _is_missing(value: Any) -> bool:
    """None, and what is not equal to itself (NaN), or does not know whether it is (NA)."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return not hasattr(value, "__len__")


def _plain(value: Any) -> Any:
    """Numbers and lists of numpy as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be sent: {value!r}")
