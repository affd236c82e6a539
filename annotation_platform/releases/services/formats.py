"""Blocks of rows into files: CSV, CSV for spreadsheet programs, JSON Lines, Parquet."""

import io
from collections.abc import Callable
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from annotation_platform.releases.models import ExportFormat
from annotation_platform.releases.selectors.columns import Kind
from annotation_platform.releases.selectors.query import ExportQuery
from annotation_platform.releases.services.blocks import Blocks, csv_blocks, json_blocks

if TYPE_CHECKING:  # a tenth of a second and 60 MB, which only Parquet needs
    import pyarrow

BLOCKS_PER_ROW_GROUP = 32
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # without it, Excel takes UTF-8 for the local encoding

OnRows = Callable[[int], None]


def write_rows(*, query: ExportQuery, format: str, file: BinaryIO, on_rows: OnRows) -> None:
    """Write all rows in one of :class:`ExportFormat`; ``on_rows`` hears how many more are in the file."""
    header = (",".join(column.name for column in query.columns) + "\n").encode()
    if format == ExportFormat.PARQUET:
        _write_parquet(query, file, on_rows)
    elif format == ExportFormat.JSONL:
        _write_lines(file, b"", json_blocks(query), on_rows)
    elif format == ExportFormat.SPREADSHEET:
        _write_lines(file, BYTE_ORDER_MARK + header, csv_blocks(query, guard_formulas=True), on_rows)
    else:
        _write_lines(file, header, csv_blocks(query), on_rows)


def _write_lines(file: BinaryIO, header: bytes, blocks: Blocks, on_rows: OnRows) -> None:
    file.write(header)
    with closing(blocks):  # ends the statement at once when something fails on the way
        for block in blocks:
            file.write(block.data)
            on_rows(block.rows)


def _write_parquet(query: ExportQuery, file: BinaryIO, on_rows: OnRows) -> None:
    """From CSV, block by block: Arrow reads it in C++ faster than Python could build columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(column.name, arrow_type(column.kind)) for column in query.columns])
    with closing(csv_blocks(query)) as blocks, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := [_table(block.data, query, schema) for block in islice(blocks, BLOCKS_PER_ROW_GROUP)]:
            rows = pa.concat_tables(group)
            writer.write_table(rows)
            on_rows(rows.num_rows)


def _table(data: bytes, query: ExportQuery, schema: "pyarrow.Schema") -> "pyarrow.Table":
    import pyarrow as pa
    import pyarrow.csv

    lists = [column.name for column in query.columns if column.kind == Kind.NUMBERS]
    table = pyarrow.csv.read_csv(
        io.BytesIO(data),
        read_options=pyarrow.csv.ReadOptions(column_names=schema.names, use_threads=False),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={field.name: pa.string() if field.name in lists else field.type for field in schema},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    for name in lists:
        numbers = _number_lists(table[name].combine_chunks())
        table = table.set_column(schema.get_field_index(name), schema.field(name), numbers)
    return table


def _number_lists(texts: "pyarrow.StringArray") -> "pyarrow.ListArray":
    """``"3 5 6"`` → [3, 5, 6], ``""`` → [], missing → missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.split_pattern(pc.if_else(pc.equal(texts, ""), None, texts), " ")
    counts = pc.fill_null(pc.list_value_length(numbers), 0)
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(counts).cast(pa.int32())])
    return pa.ListArray.from_arrays(offsets, pc.list_flatten(numbers).cast(pa.int32()), mask=pc.is_null(texts))


def arrow_type(kind: Kind) -> Any:
    import pyarrow as pa

    return {
        Kind.TEXT: pa.string(),
        Kind.INTEGER: pa.int64(),
        Kind.NUMBER: pa.float64(),
        Kind.TIME: pa.timestamp("us", tz="UTC"),
        Kind.NUMBERS: pa.list_(pa.int32()),
    }[kind]
