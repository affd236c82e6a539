"""Candidates and their judgments into files: CSV, CSV for spreadsheet programs, JSON Lines, Parquet."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, BinaryIO

from annotation_platform.releases.models import ExportFormat
from annotation_platform.releases.selectors.columns import Column, Kind
from annotation_platform.releases.selectors.query import ExportQuery
from annotation_platform.releases.services.blocks import Blocks, Judged, csv_encoding, json_encoding, judged

if TYPE_CHECKING:  # a tenth of a second and 60 MB, which only Parquet needs
    import pyarrow

ROWS_PER_ROW_GROUP = 32_000
LISTS = (Kind.NUMBERS, Kind.WORDS)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # without it, Excel takes UTF-8 for the local encoding

OnRows = Callable[[int], None]


def write_rows(*, query: ExportQuery, format: str, file: BinaryIO, on_rows: OnRows) -> None:
    """Write all rows in one of :class:`ExportFormat`; ``on_rows`` hears how many more are in the file."""
    header = (",".join(column.name for column in query.columns) + "\n").encode()
    if format == ExportFormat.PARQUET:
        _write_parquet(query, file, on_rows)
    elif format == ExportFormat.JSONL:
        _write_lines(file, b"", judged(query, json_encoding()), _json_rows, on_rows)
    elif format == ExportFormat.SPREADSHEET:
        blocks = judged(query, csv_encoding(guard_formulas=True))
        _write_lines(file, BYTE_ORDER_MARK + header, blocks, _csv_rows, on_rows)
    else:
        _write_lines(file, header, judged(query, csv_encoding()), _csv_rows, on_rows)


def _write_lines(
    file: BinaryIO, header: bytes, blocks: Blocks, rows: Callable[[Judged], bytes], on_rows: OnRows
) -> None:
    file.write(header)
    with closing(blocks):  # ends the statement at once when something fails on the way
        for block in blocks:
            file.write(b"".join([rows(group) for group in block]))
            on_rows(sum(len(group.judgments) for group in block))


def _csv_rows(group: Judged) -> bytes:
    start = group.candidate[:-1] + b","
    return start + start.join(group.judgments)


def _json_rows(group: Judged) -> bytes:
    start = group.candidate[:-2] + b","
    return start + start.join([line[1:] for line in group.judgments])


# --- Parquet -----------------------------------------------------------------------------------------------


def _write_parquet(query: ExportQuery, file: BinaryIO, on_rows: OnRows) -> None:
    """From CSV, block by block: Arrow reads it in C++ faster than Python could build columns.

    The texts of candidates are dictionaries, in which each stands once.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [(column.name, _dictionary_type(column.kind)) for column in query.candidates.columns]
        + [(column.name, arrow_type(column.kind)) for column in query.judgments.columns]
    )
    # Without the Arrow schema in the file, readers take its texts for texts, not for dictionaries.
    writer = pq.ParquetWriter(file, schema, compression="zstd", store_schema=False)
    with closing(judged(query, csv_encoding())) as blocks, writer:
        for rows in _row_groups(_table(query, block, schema) for block in blocks if block):
            writer.write_table(rows)
            on_rows(rows.num_rows)


def _row_groups(tables: "Iterator[pyarrow.Table]") -> "Iterator[pyarrow.Table]":
    import pyarrow as pa

    group: list[pyarrow.Table] = []
    for table in tables:
        group.append(table)
        if sum(table.num_rows for table in group) >= ROWS_PER_ROW_GROUP:
            yield pa.concat_tables(group).unify_dictionaries()
            group = []
    if group:
        yield pa.concat_tables(group).unify_dictionaries()


def _table(query: ExportQuery, block: list[Judged], schema: "pyarrow.Schema") -> "pyarrow.Table":
    import numpy as np
    import pyarrow as pa

    candidates = _read_csv(query.candidates.columns, [group.candidate for group in block])
    judgments = _read_csv(query.judgments.columns, [line for group in block for line in group.judgments])
    times = pa.array(np.repeat(np.arange(len(block)), [len(group.judgments) for group in block]))
    repeated = []
    for array in candidates:
        if pa.types.is_string(array.type):
            texts = array.dictionary_encode()
            repeated.append(pa.DictionaryArray.from_arrays(texts.indices.take(times), texts.dictionary))
        else:
            repeated.append(array.take(times))
    return pa.Table.from_arrays([*repeated, *judgments], schema=schema)


def _read_csv(columns: Sequence[Column], lines: list[bytes]) -> list[Any]:
    import pyarrow as pa
    import pyarrow.csv

    data = b"".join(lines)
    table = pyarrow.csv.read_csv(
        pa.BufferReader(data),
        read_options=pyarrow.csv.ReadOptions(
            column_names=[column.name for column in columns], use_threads=False, block_size=max(len(data), 1)
        ),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={
                column.name: pa.string() if column.kind in LISTS else arrow_type(column.kind) for column in columns
            },
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    arrays = [table[column.name].combine_chunks() for column in columns]
    return [
        _lists(array, arrow_type(column.kind)) if column.kind in LISTS else array
        for column, array in zip(columns, arrays, strict=True)
    ]


def _lists(texts: "pyarrow.StringArray", type: "pyarrow.ListType") -> "pyarrow.ListArray":
    """``"3 5 6"`` → [3, 5, 6], ``""`` → [], missing → missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.split_pattern(pc.if_else(pc.equal(texts, ""), None, texts), " ")
    counts = pc.fill_null(pc.list_value_length(numbers), 0)
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(counts).cast(pa.int32())])
    return pa.ListArray.from_arrays(offsets, pc.list_flatten(numbers).cast(type.value_type), mask=pc.is_null(texts))


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
