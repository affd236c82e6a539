"""Questions to the database whose SQL is made once, where people wait for many of them.

Making the SQL of a query set takes Django four times as long as PostgreSQL needs to answer a small one.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet
from django.db.models.query import get_related_populators

_STANDS_FOR_A_NUMBER = 2_000_000_011  # and the numbers behind it; nobody asks for such keys
_STANDS_FOR_A_TEXT = "\N{SYMBOL FOR NULL}{}"
_IN_COLUMNS = range(-(2**63), 2**63)  # whole numbers that a column can have


class _Made(NamedTuple):
    sql: str
    parameters: tuple[Any, ...]
    stand_ins: list[int | str]
    converters: dict[int, tuple[list[Callable[..., Any]], Any]]
    """Column → what makes a value of Python of the database's, and the expression that it is of."""
    instances: "_Instances | None"
    """How rows become instances of a model; None where the query set gives values."""


class _Instances(NamedTuple):
    model: Any
    columns: slice
    names: list[str]
    related: list[Any]
    """What makes the instances of ``select_related`` of the columns behind."""
    annotated: dict[str, int]

    def of(self, row: list[Any]) -> Any:
        made = self.model.from_db(connection.alias, self.names, row[self.columns])
        for each in self.related:
            each.populate(row, made)
        for name, column in self.annotated.items():
            setattr(made, name, row[column])
        return made


class CompiledQuery:
    """A query set as SQL, made at the first use and asked again with other whole numbers or texts.

    Parameters
    ----------
    ask
        Gives the query set for some whole numbers, such as keys, or texts, each of which it puts where it belongs. What
        it does besides must not depend on them. It prefetches nothing.
    """

    def __init__(self, ask: Callable[..., QuerySet[Any, Any]]) -> None:
        self._ask = ask
        self._made: dict[str, _Made] = {}

    def rows(self, *values: int | str | None) -> list[list[Any]]:
        """The rows, column by column as the query set selects them."""
        return list(_converted(self._made_for(values), values))

    def instances(self, *values: int | str | None, **known: Any) -> list[Any]:
        """What the query set gives: instances of its model, with those that it selects with them.

        ``known`` are what foreign keys of all of them lead to, where it is at hand.
        """
        made = self._made_for(values)
        assert made.instances is not None
        found = [made.instances.of(row) for row in _converted(made, values)]
        for each in found:
            for name, instance in known.items():
                setattr(each, name, instance)
        return found

    def first(self, *values: int | str | None, **known: Any) -> Any:
        """The first of :meth:`instances`; None where there is none. The query set says in which order, and how many."""
        return next(iter(self.instances(*values, **known)), None)

    def _made_for(self, values: tuple[int | str | None, ...]) -> _Made:
        return self._made.get(connection.vendor) or self._make(values)

    def _make(self, values: tuple[int | str | None, ...]) -> _Made:
        stand_ins = [
            _STANDS_FOR_A_TEXT.format(n) if isinstance(value, str) else _STANDS_FOR_A_NUMBER + n
            for n, value in enumerate(values)
        ]
        compiler = self._ask(*stand_ins).query.get_compiler(connection=connection)
        sql, parameters = compiler.as_sql()
        if missing := set(stand_ins) - set(parameters):
            raise ValueError(f"{len(missing)} of the values are no parameters of the SQL: {sql}")
        converters = compiler.get_converters([selected for selected, _sql, _alias in compiler.select])
        made = _Made(sql, tuple(parameters), stand_ins, converters, _instances(compiler))
        self._made[connection.vendor] = made
        return made


def _instances(compiler: Any) -> _Instances | None:
    """As Django's ``ModelIterable`` makes them."""
    if (found := compiler.klass_info) is None:
        return None
    columns = slice(found["select_fields"][0], found["select_fields"][-1] + 1)
    names = [selected.target.attname for selected, _sql, _alias in compiler.select[columns]]
    related = get_related_populators(found, compiler.select, connection.alias)  # type: ignore[call-arg]  # a later one's
    return _Instances(found["model"], columns, names, related, compiler.annotation_col_map or {})


def _converted(made: _Made, values: tuple[int | str | None, ...]) -> Iterator[list[Any]]:
    by_stand_in = dict(zip(made.stand_ins, map(_held, values), strict=True))
    with connection.cursor() as cursor:
        cursor.execute(made.sql, [by_stand_in.get(each, each) for each in made.parameters])
        rows = [list(row) for row in cursor.fetchall()]
    for row in rows:
        for column, (converters, expression) in made.converters.items():
            for convert in converters:
                row[column] = convert(row[column], expression, connection)
        yield row


def _held(value: int | str | None) -> int | str | None:
    """What no column can have equals nothing, as None does."""
    is_kept = value in _IN_COLUMNS if isinstance(value, int) else value is None or "\0" not in value
    return value if is_kept else None
