"""Rows as data frames. Each library is loaded only when it is asked for."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

VALUES = "values"


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A judgment with each aspect as a field of its own; where the row has one of that name: ``values.name``."""
    if not isinstance(values := row.get(VALUES), Mapping):
        return dict(row)
    plain = {key: value for key, value in row.items() if key != VALUES}
    return plain | {f"{VALUES}.{key}" if key in plain else key: value for key, value in values.items()}


def columns_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """All columns that any row has, in the order in which they come; None where a row has none."""
    flattened = [flat(row) for row in rows]
    names = dict.fromkeys(name for row in flattened for name in row)
    return {name: [row.get(name) for row in flattened] for name in names}


def to_pandas(rows: Iterable[Mapping[str, Any]]) -> "pandas.DataFrame":
    import pandas

    return pandas.DataFrame(columns_of(rows))


def in_cells(frame: "pandas.DataFrame") -> "pandas.DataFrame":
    """The same with lists and mappings as JSON, as the cells of a CSV file can hold them."""
    told: pandas.DataFrame = frame.apply(lambda column: column.map(_in_cell) if column.dtype == object else column)
    return told


def _in_cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def to_arrow(rows: Iterable[Mapping[str, Any]]) -> "pyarrow.Table":
    """Columns that mix types, such as a text here and a list there, become JSON."""
    import pyarrow

    return pyarrow.table({name: _array(values) for name, values in columns_of(rows).items()})


def to_polars(rows: Iterable[Mapping[str, Any]]) -> "polars.DataFrame":
    """As :func:`to_arrow`."""
    import polars

    frame = polars.from_arrow(to_arrow(rows))
    assert isinstance(frame, polars.DataFrame)
    return frame


def _array(values: list[Any]) -> Any:
    import pyarrow

    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        return pyarrow.array([None if each is None else json.dumps(each, ensure_ascii=False) for each in values])
