"""Long lists: pages by keyset, chosen fields, and lines of JSON in a stream."""

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from django.db.models import Q, QuerySet
from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.text import typed_number
from annotation_platform.corpus.importers.mistakes import UNSTORABLE
from annotation_platform.server.downloads import passing

NDJSON = "application/x-ndjson"
USUAL, MOST = 50, 500
AT_ONCE = 1_000
LONGEST_KEY = 200
Told = Callable[[Any], Mapping[str, Any]]


def page(
    request: Request,
    rows: QuerySet[Any, Any],
    told: Told,
    *,
    fields: Iterable[str],
    newest_first: bool = False,
    key: str = "pk",
    then: Mapping[str, type[int] | type[str]] | None = None,
) -> Response | StreamingHttpResponse:
    """A page of a list in the order of its keys, or all of it as lines of JSON.

    Parameters
    ----------
    rows
        All that the list has, for whoever asks.
    told
        A row as it is given.
    fields
        What a row has, to choose from by ``?fields=a,b``.
    key
        The whole number that no two rows share, by which they stand in order.
    then
        Further fields of that order, each with what it holds, where rows may share the first; an index has them all.

    Raises
    ------
    InvalidInputError
        When the cursor, the limit or the fields cannot be.
    """
    told = choosing(request, told, fields)
    keys = [key, *(then or ())]
    ordered = rows.order_by(*(f"-{each}" if newest_first else each for each in keys))
    if (after := _all_after(request, [int, *(then or {}).values()])) is not None:
        ordered = ordered.filter(_beyond(keys, after, "lt" if newest_first else "gt"))
    if wants_lines(request):
        return lines(map(told, ordered.iterator(chunk_size=AT_ONCE)))
    limit = limit_of(request)
    found = list(ordered[: limit + 1])
    shown = found[:limit]
    cursor = _cursor([_value_of(shown[-1], each) for each in keys]) if len(found) > limit else ""
    return following(request, [*map(told, shown)], cursor)


def whole(
    request: Request, rows: Iterable[Any], told: Told, *, fields: Iterable[str]
) -> Response | StreamingHttpResponse:
    """A list that comes without pages, or as lines of JSON.

    Raises
    ------
    InvalidInputError
        When lines are to have fields that there are not; what comes whole chooses by :func:`chosen_of`.
    """
    if wants_lines(request):
        return lines(map(choosing(request, told, fields), rows))
    return Response({"results": [*map(told, rows)]})


def following(request: Request, results: Sequence[Mapping[str, Any]], cursor: str, **more: Any) -> Response:
    """A page of results, with the address of the next one, if its cursor is there."""
    address = _address(request, cursor) if cursor else None
    response = Response({"results": results, "next": address, **more})
    if address:
        response["Link"] = f'<{address}>; rel="next"'
    return response


def wants_lines(request: Request) -> bool:
    return NDJSON in request.headers.get("Accept", "")


def lines(rows: Iterable[Mapping[str, Any]]) -> StreamingHttpResponse:
    """Lines of JSON, which are made while they are sent."""
    return passing(_encoded(rows), content_type=NDJSON)


def choosing(request: Request, told: Told, fields: Iterable[str]) -> Told:
    """``told`` with those of its fields alone that ``?fields=`` asks for.

    Raises
    ------
    InvalidInputError
        When there is no field of a name that is asked for.
    """
    chosen = chosen_fields(request, fields)
    return lambda row: _only(told(row), chosen)


def chosen_fields(request: Request, fields: Iterable[str]) -> frozenset[str] | None:
    """What ``?fields=`` asks for; None: everything."""
    asked = [name for name in request.query_params.get("fields", "").split(",") if name]
    known = list(fields)
    if strange := [name for name in asked if name not in known]:
        raise InvalidInputError("api.field_unknown", name=strange[0], known=known)
    return frozenset(asked) or None


def chosen_of(request: Request, told: Any) -> Any:
    """One object, or a list that comes whole, with those of its fields that ``?fields=`` asks for.

    Raises
    ------
    InvalidInputError
        When there is no field of a name that is asked for.
    """
    if "fields" not in request.query_params or not isinstance(told, Mapping):
        return told
    if {"results", "next"} <= told.keys():  # a page, which has chosen
        return told
    rows = told.get("results")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        return _only(told, chosen_fields(request, told))
    if not rows:
        return told
    chosen = chosen_fields(request, dict.fromkeys(chain.from_iterable(rows)))
    return {**told, "results": [_only(row, chosen) for row in rows]}


def _beyond(keys: Sequence[str], after: Sequence[Any], way: str) -> Q:
    """The rows that stand after one whose keys have these values; the first condition is one that an index finds."""
    found = Q()
    for place, (key, value) in enumerate(zip(keys, after, strict=True)):
        same = dict(zip(keys[:place], after, strict=False))
        found |= Q(**same, **{f"{key}__{way}": value})
    return Q(**{f"{keys[0]}__{way}e": after[0]}) & found


def _value_of(row: Any, key: str) -> Any:
    return row["id" if key == "pk" else key] if isinstance(row, dict) else getattr(row, key)


def _encoded(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    encode = JSONEncoder(ensure_ascii=False).encode
    block: list[str] = []
    for row in rows:
        block.append(encode(row))
        if len(block) == AT_ONCE:
            yield ("\n".join(block) + "\n").encode()
            block.clear()
    if block:
        yield ("\n".join(block) + "\n").encode()


def _only(row: Mapping[str, Any], chosen: frozenset[str] | None) -> Mapping[str, Any]:
    return row if chosen is None else {name: value for name, value in row.items() if name in chosen}


def limit_of(request: Request, *, usual: int = USUAL) -> int:
    """How many entries a page is to have.

    Raises
    ------
    InvalidInputError
        When it is none that a page can have.
    """
    asked = typed_number(request.query_params.get("limit", str(usual)), most=MOST)
    if not asked:
        raise InvalidInputError("api.limit_wrong", most=MOST)
    return asked


def after_of(request: Request) -> int | None:
    """After which key a list goes on; None: it begins.

    Raises
    ------
    InvalidInputError
        When the cursor was not given by a list.
    """
    after = _all_after(request, [int])
    return None if after is None else int(after[0])


def _all_after(request: Request, kinds: Sequence[type]) -> list[Any] | None:
    """The values of all keys that a list goes on after; a cursor of one has it alone."""
    if not (cursor := request.query_params.get("cursor", "")):
        return None
    try:
        after = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, RecursionError):
        after = None
    values = after if isinstance(after, list) else [after]
    if [type(each) for each in values] != [*kinds] or not all(map(_can_be_key, values)):
        raise InvalidInputError("api.cursor_wrong")
    return values


def _can_be_key(value: int | str) -> bool:
    return 0 <= value < 2**63 if isinstance(value, int) else len(value) <= LONGEST_KEY and not UNSTORABLE.search(value)


def _cursor(after: Sequence[Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(after[0] if len(after) == 1 else after).encode()).decode()


def _address(request: Request, cursor: str) -> str:
    query = request.query_params.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
