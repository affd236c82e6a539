"""Judgments as lines of JSON, made from columns: rows of models and JSON that is read again take twice as long.

PostgreSQL writes the lines itself, and they are passed on; on SQLite they are written here. Both give the same bytes.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, QuerySet, TextField
from django.db.models.functions import Cast

from annotation_platform.annotations.models import Annotation
from annotation_platform.releases.services.reading import in_turn, keys_of
from annotation_platform.studies.models import Member, SchemeVersion

AT_ONCE = 4_000
BATCH = "item__hit__batch__number"


def lines_of(rows: QuerySet[Annotation], fields: Sequence[str]) -> Iterator[bytes]:
    """A line for each judgment in the order of their keys, with these fields; many lines at a time."""
    return (_copied if connection.vendor == "postgresql" else _written)(rows.order_by("pk"), fields)


# --- PostgreSQL ------------------------------------------------------------------------------------------------

_SECONDS = "annotation.seconds"
WRITTEN_BY_POSTGRESQL = {
    "id": "annotation.id",
    "item": "annotation.item_id",
    "batch": "given.batch",
    "assignment": "annotation.assignment_id",
    "annotator": "to_json(member.pseudonym)",
    "revision": "annotation.revision",
    "is_current": "CASE WHEN annotation.is_current THEN 'true' ELSE 'false' END",
    "scheme_version": "version.number",
    "values": 'annotation."values"',
    "presented": "COALESCE(CAST(annotation.presented AS text), 'null')",
    # 41.0, not 41, as from SQLite.
    "seconds": f"CASE WHEN {_SECONDS} IS NULL THEN 'null' WHEN {_SECONDS} = trunc({_SECONDS})"
    f" AND {_SECONDS} < 1e15 THEN concat({_SECONDS}, '.0') ELSE CAST({_SECONDS} AS text) END",
    # With microseconds where there are some, as `isoformat` writes it.
    "created_at": """concat('"', replace(to_char(annotation.created_at AT TIME ZONE 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.US'), '.000000', ''), 'Z"')""",
}
# Quote and delimiter are control characters, which JSON always escapes: so nothing is quoted.
COPY = """COPY (
SELECT concat({line})
FROM unnest(CAST(%s AS bigint[]), CAST(%s AS integer[])) WITH ORDINALITY given(id, batch, place)
JOIN annotations_annotation annotation ON annotation.id = given.id
JOIN studies_member member ON member.id = annotation.annotator_id
JOIN studies_schemeversion version ON version.id = annotation.scheme_version_id
ORDER BY given.place
) TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')"""


def _copied(rows: QuerySet[Annotation], fields: Sequence[str]) -> Iterator[bytes]:
    line = ", ', ', ".join(f"""'"{name}": ', {WRITTEN_BY_POSTGRESQL[name]}""" for name in fields)
    read = partial(_copy, COPY.format(line=f"'{{', {line}, '}}'"))
    # Each key is followed by the number of its batch, which the question which judgments there are has found already.
    return in_turn(keys_of(rows.values_list("pk", BATCH)), read, at_once=2 * AT_ONCE)


def _copy(sql: str, reader: BaseDatabaseWrapper, keys: Sequence[int]) -> bytes:
    with reader.cursor() as cursor, cursor.cursor.copy(sql, (list(keys[::2]), list(keys[1::2]))) as copy:
        return b"".join(copy)


# --- SQLite ----------------------------------------------------------------------------------------------------

Encode = Callable[[Any], Any]


def _number(value: float | None) -> str:
    return "null" if value is None else repr(value)


def _truth(value: Any) -> str:
    return "true" if value else "false"


def _as_stored(value: str | None) -> str:
    return "null" if value is None else value


def _moment(value: str) -> str:
    """From a database's text, in UTC, with as many digits as there are, what `isoformat` makes of the same moment."""
    digits = value[19:]
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
        "batch": (F(BATCH), None),
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


def _written(rows: QuerySet[Annotation], fields: Sequence[str]) -> Iterator[bytes]:
    columns = _columns()
    encoders = [columns[name][1] for name in fields]
    template = "{" + ", ".join(f'"{name}": %s' for name in fields) + "}\n"
    named = {f"_{name}": columns[name][0] for name in fields}
    block: list[str] = []
    for row in rows.annotate(**named).values_list(*named).iterator(chunk_size=AT_ONCE):
        values = [encode(value) if encode else value for encode, value in zip(encoders, row, strict=True)]
        block.append(template % tuple(values))
        if len(block) == AT_ONCE:
            yield "".join(block).encode()
            block.clear()
    yield "".join(block).encode()
