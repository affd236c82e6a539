"""Accepted answers as a file: CSV with a row for each item and aspect, or JSON; every mistake names its row."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.text import guarded, typed_number, unguarded
from annotation_platform.crowd.rounds.key_fields import typed
from annotation_platform.crowd.rounds.selectors import RoundItem
from annotation_platform.crowd.uploads.reading import is_json, json_of, rows_of, text_of

COLUMNS = ("item", "aspect", "accepted", "must_pass", "explanation")
LARGEST_ITEM = 10**9 - 1  # numbers of items have nine digits at most
YES, NO = ("1", "yes", "true", "x"), ("", "0", "no", "false")


@dataclass
class WrittenKey:
    """What a file says of one item. ``places``: slot key → where it says that; ``where``: where the item begins."""

    number: int
    where: str
    accepted: dict[str, Any] = field(default_factory=dict)
    must_pass: bool = False
    explanation: str = ""
    places: dict[str, str] = field(default_factory=dict)


def read_key(content: bytes) -> list[WrittenKey]:
    """Read a file of accepted answers, CSV or JSON by how it begins.

    Raises
    ------
    InvalidInputError
        With one line for each mistake; the file is taken whole or not at all.
    """
    text = text_of(content)
    return _read_json(text) if is_json(text) else _read_csv(text)


def write_key(items: Iterable[RoundItem], slots: Iterable[str]) -> str:
    """The keys of a round as CSV, as :func:`read_key` takes them; an item without one has rows to fill in."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    names = list(slots)
    for each in items:
        accepted = each.key.accepted if each.key else {}
        for row, slot in enumerate([*accepted] or names):
            answers = typed(accepted.get(slot))
            first = each.key if each.key and not row else None
            mark, why = ("yes" if first.must_pass else "", guarded(first.explanation)) if first else ("", "")
            writer.writerow([each.number, slot, guarded(answers) if answers != "-" else answers, mark, why])
    return out.getvalue()


def _read_csv(text: str) -> list[WrittenKey]:
    found: dict[int, WrittenKey] = {}
    mistakes: list[str] = []
    for where, cells in rows_of(text, COLUMNS, needed=COLUMNS[:3]):
        if (number := typed_number(cells["item"], most=LARGEST_ITEM)) is None:
            mistakes.append(Reason("crowd.key_number_wrong", where=where, given=cells["item"][:40]))
            continue
        key = found.setdefault(number, WrittenKey(number, where))
        mistakes += _add_row(key, cells, where)
    if mistakes:
        raise InvalidInputError("crowd.file_wrong", mistakes)
    return list(found.values())


def _add_row(key: WrittenKey, cells: dict[str, str], where: str) -> Iterable[str]:
    slot, mark = cells["aspect"], cells["must_pass"].lower()
    if mark not in (*YES, *NO):
        yield Reason("crowd.key_mark_wrong", where=where, given=mark[:40])
    if slot in key.places:
        yield Reason("crowd.key_twice", where=where, aspect=slot, before=key.places[slot])
    elif slot:
        key.accepted[slot] = unguarded(cells["accepted"])
        key.places[slot] = where
    key.must_pass |= mark in YES
    key.explanation = key.explanation or unguarded(cells["explanation"])


def _read_json(text: str) -> list[WrittenKey]:
    data = json_of(text)
    rows = data if isinstance(data, list) else [{"item": number, **_as_dict(row)} for number, row in data.items()]
    found: list[WrittenKey] = []
    mistakes: list[str] = []
    for place, row in enumerate(rows, start=1):
        where = Reason("crowd.file_entry", number=place)
        given = row.get("item") if isinstance(row, dict) else None
        number = typed_number(str(given), most=LARGEST_ITEM)
        if not isinstance(row, dict) or number is None:
            mistakes.append(Reason("crowd.key_number_wrong", where=where, given=str(given)[:40]))
        elif not isinstance(row.get("accepted", {}), dict) or not isinstance(row.get("must_pass", False), bool):
            mistakes.append(Reason("crowd.key_entry_wrong", where=where))
        elif any(each.number == number for each in found):
            mistakes.append(Reason("crowd.key_item_twice", where=where, number=given))
        else:
            accepted, must_pass = row.get("accepted", {}), row.get("must_pass", False)
            found.append(WrittenKey(number, where, accepted, must_pass, str(row.get("explanation") or "")))
    if mistakes:
        raise InvalidInputError("crowd.file_wrong", mistakes)
    return found


def _as_dict(row: Any) -> dict[str, Any]:
    return row if isinstance(row, dict) else {"accepted": None}
