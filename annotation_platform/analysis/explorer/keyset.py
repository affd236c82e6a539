"""Pages by keyset: from a page's last row to the next by its key, so that a late page costs what the first does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, F, Func, QuerySet, Value

from annotation_platform.core.text import typed_number


@dataclass(frozen=True)
class Order:
    """Rows sorted by ``field`` and then by ``key``, both in one direction; without a field, by the key alone."""

    key: str
    field: str = ""
    descending: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.field, self.key) if self.field else (self.key,)


@dataclass(frozen=True)
class KeysetPage:
    """The keys of a page's rows; ``earlier`` and ``later`` are marks of the pages around it, empty where none is."""

    keys: list[int]
    earlier: str = ""
    later: str = ""


def keyset_page(rows: QuerySet[Any], order: Order, *, after: str = "", before: str = "", size: int) -> KeysetPage:
    """The page after or before a mark; the first one without. A mark that makes no sense counts as none."""
    mark, is_backward = read_mark(after, order), False
    if mark is None and (mark := read_mark(before, order)) is not None:
        is_backward = True
    downward = order.descending != is_backward
    if mark is not None:
        rows = rows.filter(_beyond(order, mark, "<" if downward else ">"))
    sign: Callable[[str], str] = (lambda name: f"-{name}") if downward else str
    found = list(rows.order_by(*map(sign, order.columns)).values_list(*order.columns)[: size + 1])
    has_more, found = len(found) > size, found[:size]
    if is_backward:
        found.reverse()
    has_earlier, has_later = (has_more, True) if is_backward else (mark is not None, has_more)
    return KeysetPage(
        keys=[row[-1] for row in found],
        earlier=_mark(found[0]) if found and has_earlier else "",
        later=_mark(found[-1]) if found and has_later else "",
    )


def _beyond(order: Order, mark: tuple[Any, ...], sign: str) -> Func:
    """``(field, key) < (value, pk)``: compared as a whole, which an index on both answers at once."""
    columns = _row(*(F(name) for name in order.columns))
    values = _row(*(Value(value) for value in mark))
    return Func(columns, values, template="%(expressions)s", arg_joiner=f" {sign} ", output_field=BooleanField())


def _row(*expressions: Any) -> Func:
    return Func(*expressions, template="(%(expressions)s)", output_field=BooleanField())


def _mark(row: tuple[Any, ...]) -> str:
    return "~".join(repr(value) for value in row)


def read_mark(mark: str, order: Order) -> tuple[Any, ...] | None:
    """The values of the row that a mark stands for; None where it makes no sense in this order."""
    *before, key = mark.split("~")
    if len(before) != (1 if order.field else 0) or (number := typed_number(key)) is None:
        return None
    try:
        values = [float(value) for value in before]
    except ValueError:
        return None
    return (*values, number) if all(value == value for value in values) else None
