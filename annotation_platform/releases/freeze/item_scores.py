"""What runs say of items, in a release: a row for each label, measure or probability, in three formats at once."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, BinaryIO

from django.db.models import QuerySet

from annotation_platform.releases.freeze.facts import without
from annotation_platform.releases.models import Release
from annotation_platform.releases.selectors.columns import Kind
from annotation_platform.releases.services.formats import arrow_type
from annotation_platform.releases.services.tables import csv_lines
from annotation_platform.scoring.models import ItemScore
from annotation_platform.studies.models import FINISHED_STATES

PATHS = ("data/scores.csv", "data/scores.jsonl", "data/scores.parquet")
KINDS = {
    "run": Kind.INTEGER,
    "method": Kind.TEXT,
    "scorer": Kind.TEXT,
    "item_id": Kind.INTEGER,
    "candidate": Kind.INTEGER,
    "aspect": Kind.TEXT,
    "label": Kind.TEXT,
    "value": Kind.NUMBER,
    "reason": Kind.TEXT,
    "details": Kind.TEXT,
}
ROWS_AT_ONCE = 10_000


def scores_of_items(release: Release) -> QuerySet[ItemScore]:
    """By the release's runs, of the items of closed batches."""
    return ItemScore.objects.filter(run__in=release.facts["runs"], item__hit__batch__state__in=FINISHED_STATES)


def write_item_scores(
    release: Release, removed: Sequence[str], csv_file: BinaryIO, jsonl_file: BinaryIO, parquet_file: BinaryIO
) -> None:
    """All of them; ``candidate`` is missing for the item as a whole, ``details`` are JSON."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(name, arrow_type(kind)) for name, kind in KINDS.items()])
    csv_file.write((",".join(KINDS) + "\n").encode())
    rows = _rows(release, removed)
    with pq.ParquetWriter(parquet_file, schema, compression="zstd", store_schema=False) as parquet:
        while block := list(islice(rows, ROWS_AT_ONCE)):
            csv_file.write(_as_csv(block))
            jsonl_file.writelines(_as_json(row) for row in block)
            columns = zip(*block, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            parquet.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _rows(release: Release, removed: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    about = ("run", "run__method", "run__scorer", "item", "candidate", "aspect", "label", "value", "reason", "details")
    found = scores_of_items(release).order_by("run", "item", "candidate", "aspect").values_list(*about)
    for *whose, candidate, aspect, label, value, reason, details in found.iterator(ROWS_AT_ONCE):
        told = None if details is None else json.dumps(without(details, removed), ensure_ascii=False, sort_keys=True)
        yield (*whose, candidate or None, aspect, label or None, value, reason or None, told)


def _as_csv(rows: list[tuple[Any, ...]]) -> bytes:
    return "".join(csv_lines([_cell(each) for each in row] for row in rows)).encode()


def _cell(value: Any) -> Any:
    """100.0 as 100, as everywhere in a release."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else value


def _as_json(row: tuple[Any, ...]) -> bytes:
    *plain, details = row
    told = dict(zip(KINDS, [*plain, None if details is None else json.loads(details)], strict=True))
    return (json.dumps(told, ensure_ascii=False) + "\n").encode()
