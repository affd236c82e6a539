"""Candidates and their judgments into files: CSV, CSV for spreadsheet programs, JSON Lines, Parquet."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any, BinaryIO

from annotation_platform.releases.models import ExportFormat
from annotation_platform.releases.selectors.columns import Column, Kind
from annotation_platform.releases.selectors.query import KEY_NAME, KEY_WIDTH, PLACES, ExportQuery
from annotation_platform.releases.services.blocks import (
    Block,
    Blocks,
    arrow_encoding,
    blocks_of,
    candidates_of,
    csv_encoding,
    json_encoding,
)

if TYPE_CHECKING:  # a tenth of a second and 60 MB, which only Parquet needs
    import numpy
    import pyarrow

ROWS_PER_ROW_GROUP = 16_000  # a group is in memory until it is whole, a million judgments' in some 25 MB
BLOCKS_AHEAD = 2
KEY_COLUMN = Column(KEY_NAME, Kind.INTEGER, "")
LISTS = (Kind.NUMBERS, Kind.WORDS)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # without it, Excel takes UTF-8 for the local encoding

OnRows = Callable[[int], None]


def write_rows(*, query: ExportQuery, format: str, file: BinaryIO, on_rows: OnRows) -> None:
    """Write all rows in one of :class:`ExportFormat`; ``on_rows`` hears how many more are done."""
    if format == ExportFormat.PARQUET:
        _write_parquet(query, blocks_of(query, arrow_encoding()), file, on_rows)
        return
    if format == ExportFormat.JSONL:
        header, encoding, joined = b"", json_encoding(), _json_rows
    elif format == ExportFormat.SPREADSHEET:
        header, encoding, joined = BYTE_ORDER_MARK + _header(query), csv_encoding(guard_formulas=True), _csv_rows
    else:
        header, encoding, joined = _header(query), csv_encoding(), _csv_rows
    for block in _written(blocks_of(query, encoding), file, header, joined):
        on_rows(len(block.judgments))


def write_csv_and_parquet(*, query: ExportQuery, csv_file: BinaryIO, parquet_file: BinaryIO, on_rows: OnRows) -> None:
    """Write all rows in both formats out of one reading; ``on_rows`` hears of each row once."""
    blocks = _written(blocks_of(query, csv_encoding()), csv_file, _header(query), _csv_rows)
    _write_parquet(query, blocks, parquet_file, on_rows)


def _header(query: ExportQuery) -> bytes:
    return (",".join(column.name for column in query.columns) + "\n").encode()


def write_candidates(*, query: ExportQuery, format: str, file: BinaryIO) -> None:
    """Write what was judged, a row for each candidate: CSV, JSON Lines or Parquet."""
    columns = query.candidates.columns
    if format == ExportFormat.PARQUET:
        _write_candidates_as_parquet(query, file)
        return
    if format == ExportFormat.CSV:
        file.write((",".join(column.name for column in columns) + "\n").encode())
    encoding = json_encoding() if format == ExportFormat.JSONL else csv_encoding()
    with closing(candidates_of(query, encoding)) as blocks:
        for lines in blocks:
            file.writelines(line[KEY_WIDTH + 1 :] for line in lines)


def _write_candidates_as_parquet(query: ExportQuery, file: BinaryIO) -> None:
    import pyarrow as pa

    columns = query.candidates.columns
    schema = pa.schema([(column.name, arrow_type(column.kind)) for column in columns])
    with (
        closing(candidates_of(query, arrow_encoding())) as blocks,
        _parquet_writer(file, schema) as writer,
    ):
        groups = _RowGroups(writer)
        for lines in blocks:
            if lines:
                _, *arrays = _arrays((KEY_COLUMN, *columns), lines)
                groups.add(pa.Table.from_arrays(arrays, schema=schema))
        groups.write()


def _written(blocks: Blocks, file: BinaryIO, header: bytes, joined: Callable[[bytes, list[bytes]], bytes]) -> Blocks:
    """The blocks, each after its lines were written."""
    file.write(header)
    with closing(blocks):  # lets go of its connections when something fails on the way
        for block in blocks:
            for candidate, judgments in block.rows():
                file.write(joined(candidate, judgments))
            yield block


def _csv_rows(candidate: bytes, judgments: list[bytes]) -> bytes:
    start = candidate[:-1] + b","
    return start + start.join(judgments)


def _json_rows(candidate: bytes, judgments: list[bytes]) -> bytes:
    start = candidate[:-2] + b","
    return start + start.join([line[1:] for line in judgments])


# --- Parquet -----------------------------------------------------------------------------------------------


def _write_parquet(query: ExportQuery, blocks: Blocks, file: BinaryIO, on_rows: OnRows) -> None:
    """Block by block: Arrow reads the lines of a COPY in C++ faster than Python could build columns.

    The texts of candidates are dictionaries, in which each stands once.
    """
    import pyarrow as pa

    schema = pa.schema(
        [(column.name, _dictionary_type(column.kind)) for column in query.candidates.columns]
        + [(column.name, arrow_type(column.kind)) for column in query.judgments.columns]
    )
    writer = _parquet_writer(file, schema)
    groups = _RowGroups(writer)

    def take(block: Block) -> int:
        table = _table(query, block, schema)
        groups.add(table)
        return int(table.num_rows)

    # Arrow works in a thread of its own while the next blocks are read.
    with closing(blocks), writer, ThreadPoolExecutor(1) as arrow:
        taken: deque[Future[int]] = deque()
        for block in blocks:
            if len(taken) == BLOCKS_AHEAD:
                on_rows(taken.popleft().result())
            if block.judgments:
                taken.append(arrow.submit(take, block))
        for rows in taken:
            on_rows(rows.result())
        arrow.submit(groups.write).result()


class _RowGroups:
    """Tables gathered until they make a row group, and written then."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._tables: list[pyarrow.Table] = []

    def add(self, table: "pyarrow.Table") -> None:
        self._tables.append(table)
        if sum(each.num_rows for each in self._tables) >= ROWS_PER_ROW_GROUP:
            self.write()

    def write(self) -> None:
        import pyarrow as pa

        if self._tables:
            self._writer.write_table(pa.concat_tables(self._tables).unify_dictionaries())
            self._tables.clear()


def _parquet_writer(file: BinaryIO, schema: "pyarrow.Schema") -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own would keep what is needed no more
    # Without the Arrow schema in the file, readers take its texts for texts, not for dictionaries.
    return pq.ParquetWriter(file, schema, compression="zstd", store_schema=False)


def _table(query: ExportQuery, block: Block, schema: "pyarrow.Schema") -> "pyarrow.Table":
    import numpy as np
    import pyarrow as pa

    units, *candidates = _arrays((KEY_COLUMN, *query.candidates.columns), block.candidates)
    places, *judgments = _arrays((KEY_COLUMN, *query.judgments.columns), block.judgments)
    of_candidates, of_judgments = _join(np.from_dlpack(units), np.from_dlpack(places))
    repeated = []
    for array in candidates:
        if pa.types.is_string(array.type):
            texts = array.dictionary_encode()
            repeated.append(pa.DictionaryArray.from_arrays(texts.indices.take(of_candidates), texts.dictionary))
        else:
            repeated.append(array.take(of_candidates))
    return pa.Table.from_arrays([*repeated, *(array.take(of_judgments) for array in judgments)], schema=schema)


def _join(units: "numpy.ndarray", places: "numpy.ndarray") -> tuple["pyarrow.Array", "pyarrow.Array"]:
    """Which line of a candidate and which of a judgment make each row: `Block.rows` for keys as numbers."""
    import numpy as np

    order = np.argsort(places, kind="stable")  # revisions of one place stay in their order
    first, after = np.searchsorted(places, [units, units + PLACES], sorter=order)
    counts = after - first
    ends = np.cumsum(counts)
    of_candidates = np.repeat(np.arange(len(units)), counts)
    of_judgments = order[np.arange(ends[-1]) + (first - ends + counts)[of_candidates]]
    return _as_arrow(of_candidates), _as_arrow(of_judgments)


def _as_arrow(numbers: "numpy.ndarray") -> "pyarrow.Array":
    """By its bytes, as numpy takes it back by DLPack: ``pyarrow.array``, ``scalar`` and ``to_numpy`` load pandas, some
    thirty megabytes, to see whether this is of its kind."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers.astype("int64"))])


def _arrays(columns: Sequence[Column], lines: list[Any]) -> list[Any]:
    """Columns of CSV lines, or of rows as a cursor gives them."""
    if lines and isinstance(lines[0], tuple):
        arrays = [_from_cells(column, cells) for column, cells in zip(columns, zip(*lines, strict=True), strict=True)]
    else:
        arrays = _from_csv(columns, b"".join(lines))
    return [
        _lists(array, arrow_type(column.kind)) if column.kind in LISTS else array
        for column, array in zip(columns, arrays, strict=True)
    ]


def _from_cells(column: Column, cells: Sequence[Any]) -> "pyarrow.Array":
    import pyarrow as pa

    if column.kind == Kind.TIME:
        return pa.array(cells, pa.string()).cast(arrow_type(column.kind))
    return pa.array(cells, _type_in_csv(column.kind))


def _from_csv(columns: Sequence[Column], data: bytes) -> "list[pyarrow.Array]":
    import pyarrow as pa
    import pyarrow.csv

    table = pyarrow.csv.read_csv(
        pa.BufferReader(data),
        read_options=pyarrow.csv.ReadOptions(
            column_names=[column.name for column in columns], use_threads=False, block_size=max(len(data), 1)
        ),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={column.name: _type_in_csv(column.kind) for column in columns},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    return [table[column.name].combine_chunks() for column in columns]


def _type_in_csv(kind: Kind) -> Any:
    import pyarrow as pa

    return pa.string() if kind in LISTS else arrow_type(kind)


def _lists(texts: "pyarrow.StringArray", type: "pyarrow.ListType") -> "pyarrow.ListArray":
    """``"3 5 6"`` → [3, 5, 6], ``""`` → [], missing → missing. Without a value of Python's: see `_as_arrow`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    says_something = pc.binary_length(texts).cast(pa.bool_())
    parts = pc.split_pattern(pc.if_else(says_something, texts, pa.nulls(len(texts), pa.string())), " ")
    return pa.ListArray.from_arrays(parts.offsets, parts.values.cast(type.value_type), mask=pc.is_null(texts))


def arrow_type(kind: Kind) -> Any:
    import pyarrow as pa

    return {
        Kind.TEXT: pa.string(),
        Kind.INTEGER: pa.int64(),
        Kind.NUMBER: pa.float64(),
        Kind.TIME: pa.timestamp("us", tz="UTC"),
        Kind.NUMBERS: pa.list_(pa.int32()),
        Kind.WORDS: pa.list_(pa.string()),
    }[kind]


def _dictionary_type(kind: Kind) -> Any:
    import pyarrow as pa

    return pa.dictionary(pa.int32(), pa.string()) if kind == Kind.TEXT else arrow_type(kind)
