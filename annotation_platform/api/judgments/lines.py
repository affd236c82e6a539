"""Judgments as lines of JSON, made from columns: rows of models and JSON that is read again take twice as long."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models import F, QuerySet, TextField
from django.db.models.functions import Cast

from annotation_platform.annotations.models import Annotation
from annotation_platform.studies.models import Member, SchemeVersion

AT_ONCE = 2_000
Encode = Callable[[Any], Any]


def _number(value: float | None) -> str:
    return "null" if value is None else repr(value)


def _truth(value: Any) -> str:
    return "true" if value else "false"


def _as_stored(value: str | None) -> str:
    return "null" if value is None else value


def _moment(value: str) -> str:
    """From a database's text, in UTC, with as many digits as there are, what `isoformat` makes of the same moment."""
    digits = value[19:].removesuffix("+00")
    return f'"{value[:10]}T{value[11:19]}{digits and digits.ljust(7, "0")}Z"'


def _pseudonym(member: int) -> str:
    return json.dumps(Member.objects.values_list("pseudonym", flat=True).get(pk=member), ensure_ascii=False)


def _version(version: int) -> int:
    return SchemeVersion.objects.values_list("number", flat=True).get(pk=version)


def _columns() -> Mapping[str, tuple[Any, Encode | None]]:
    """Each field: where its value is, and how that is written; None: a number as it is.

    The few annotators and versions are asked for once each, which is less than joining them to every judgment.
    """
    return {
        "id": (F("pk"), None),
        "item": (F("item_id"), None),
        "batch": (F("item__hit__batch__number"), None),
        "assignment": (F("assignment_id"), None),
        "annotator": (F("annotator_id"), cache(_pseudonym)),
        "revision": (F("revision"), None),
        "is_current": (F("is_current"), _truth),
        "scheme_version": (F("scheme_version_id"), cache(_version)),
        "values": (Cast("values", TextField()), _as_stored),
        "presented": (Cast("presented", TextField()), _as_stored),
        "seconds": (F("seconds"), _number),
        "created_at": (Cast("created_at", TextField()), _moment),
    }


def lines_of(rows: QuerySet[Annotation], fields: Sequence[str]) -> Iterator[bytes]:
    """A line for each judgment in the order of their keys, with these fields; many lines at a time."""
    columns = _columns()
    encoders = [columns[name][1] for name in fields]
    template = "{" + ", ".join(f'"{name}": %s' for name in fields) + "}\n"
    named = {f"_{name}": columns[name][0] for name in fields}
    found = rows.order_by("pk").annotate(**named).values_list(*named)
    # Outside of a transaction PostgreSQL writes all rows to its disk before it gives the first; on SQLite a transaction
    # would keep everybody else from writing.
    with transaction.atomic() if connection.vendor == "postgresql" else nullcontext():
        block: list[str] = []
        for row in found.iterator(chunk_size=AT_ONCE):
            values = [encode(value) if encode else value for encode, value in zip(encoders, row, strict=True)]
            block.append(template % tuple(values))
            if len(block) == AT_ONCE:
                yield "".join(block).encode()
                block.clear()
        yield "".join(block).encode()
