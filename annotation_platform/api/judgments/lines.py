"""Judgments as lines of JSON, made from columns: rows of models and JSON that is read again take twice as long."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db.models import F, QuerySet, TextField
from django.db.models.functions import Cast

from annotation_platform.annotations.models import Annotation

AT_ONCE = 2_000
Encode = Callable[[Any], str]


def _number(value: float | None) -> str:
    return "null" if value is None else repr(value)


def _truth(value: Any) -> str:
    return "true" if value else "false"


def _as_stored(value: str | None) -> str:
    return "null" if value is None else value


@lru_cache(maxsize=10_000)  # the same few annotators again and again
def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _moment(value: str) -> str:
    """From a database's text, in UTC, with as many digits as there are, what `isoformat` makes of the same moment."""
    digits = value[19:].removesuffix("+00")
    return f'"{value[:10]}T{value[11:19]}{digits and digits.ljust(7, "0")}Z"'


COLUMNS: Mapping[str, tuple[Any, Encode | None]] = {
    "id": (F("pk"), None),
    "item": (F("item_id"), None),
    "batch": (F("item__hit__batch__number"), None),
    "assignment": (F("assignment_id"), None),
    "annotator": (F("annotator__pseudonym"), _text),
    "revision": (F("revision"), None),
    "is_current": (F("is_current"), _truth),
    "scheme_version": (F("scheme_version__number"), None),
    "values": (Cast("values", TextField()), _as_stored),
    "presented": (Cast("presented", TextField()), _as_stored),
    "seconds": (F("seconds"), _number),
    "created_at": (Cast("created_at", TextField()), _moment),
}
"""Each field, where its value is, and how that is written; None: a number as it is."""


def lines_of(rows: QuerySet[Annotation], fields: Sequence[str]) -> Iterator[bytes]:
    """A line for each judgment in the order of their keys, with these of :data:`COLUMNS`; many lines at a time."""
    encoders = [COLUMNS[name][1] for name in fields]
    template = "{" + ", ".join(f'"{name}": %s' for name in fields) + "}\n"
    named = {f"_{name}": COLUMNS[name][0] for name in fields}
    found = rows.order_by("pk").annotate(**named).values_list(*named)
    block: list[str] = []
    for row in found.iterator(chunk_size=AT_ONCE):
        values = [encode(value) if encode else value for encode, value in zip(encoders, row, strict=True)]
        block.append(template % tuple(values))
        if len(block) == AT_ONCE:
            yield "".join(block).encode()
            block.clear()
    yield "".join(block).encode()
