"""Questions to the database whose SQL is made once, where people wait for many of them.

Making the SQL of a query set takes Django four times as long as PostgreSQL needs to answer a small one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import QuerySet

_STANDS_FOR_A_VALUE = 2_000_000_011  # and the numbers behind it; nobody asks for such keys
_HELD = range(-(2**63), 2**63)  # whole numbers that a column can have


class _Made(NamedTuple):
    sql: str
    parameters: tuple[Any, ...]
    converters: dict[int, tuple[list[Callable[..., Any]], Any]]
    """Column → what makes a value of Python of the database's, and the expression that it is of."""


class CompiledQuery:
    """A query set as SQL, made at the first use and asked again with other whole numbers.

    Parameters
    ----------
    ask
        Gives the query set for some whole numbers, such as keys, each of which it puts where it belongs. What it
        does besides must not depend on them.
    """

    def __init__(self, ask: Callable[..., QuerySet[Any, Any]]) -> None:
        self._ask = ask
        self._made: dict[str, _Made] = {}

    def rows(self, *values: int) -> list[list[Any]]:
        """The rows, column by column as the query set selects them."""
        made = self._made.get(connection.vendor) or self._make(len(values))
        held = (value if value in _HELD else None for value in values)  # what no column can have equals none
        by_stand_in = {_STANDS_FOR_A_VALUE + n: value for n, value in enumerate(held)}
        with connection.cursor() as cursor:
            cursor.execute(made.sql, [by_stand_in.get(each, each) for each in made.parameters])
            rows = [list(row) for row in cursor.fetchall()]
        for column, (converters, expression) in made.converters.items():
            for row in rows:
                for convert in converters:
                    row[column] = convert(row[column], expression, connection)
        return rows

    def _make(self, count: int) -> _Made:
        stand_ins = [_STANDS_FOR_A_VALUE + n for n in range(count)]
        compiler = self._ask(*stand_ins).query.get_compiler(connection=connection)
        sql, parameters = compiler.as_sql()
        if missing := set(stand_ins) - set(parameters):
            raise ValueError(f"{len(missing)} of the numbers are no parameters of the SQL: {sql}")
        converters = compiler.get_converters([selected for selected, _sql, _alias in compiler.select])
        made = self._made[connection.vendor] = _Made(sql, tuple(parameters), converters)
        return made
