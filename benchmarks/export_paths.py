"""The ways to write an export that benchmarks/export.py measures, each run in a process of its own.

``python -m benchmarks.export_paths PATH_NAME OUTPUT`` prints the seconds that the work took, without start-up.
"""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import django

from annotation_platform.accounts.actors import Actor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
django.setup()

from django.db import connection  # noqa: E402
from django.db.models import FilteredRelation, Q  # noqa: E402
from django.db.models.fields.json import KT  # noqa: E402

from annotation_platform.annotations.models import Annotation  # noqa: E402
from annotation_platform.core.schemes import RatedAspect  # noqa: E402
from annotation_platform.jobs.contract import run_job  # noqa: E402
from annotation_platform.releases.selectors.columns import score_joins  # noqa: E402
from annotation_platform.releases.selectors.query import (  # noqa: E402
    DESCRIBED,
    JUDGED,
    ORDER,
    export_query,
    score_parameters,
    score_tables,
)
from annotation_platform.releases.services import EXPORTS, request_export, write_export  # noqa: E402
from annotation_platform.studies.models import Role, Study  # noqa: E402
from benchmarks.synthetic_judgments import fill_study  # noqa: E402

ITERATOR_CHUNK = 5_000
ROW_GROUP = 32_000
PAGE_ROUNDS = 5


def the_study() -> Study:
    return Study.objects.select_related("scheme_version").get()


def ours(format: str) -> Callable[[Path], None]:
    return lambda output: void(write_export(study=the_study(), format=format, path=output))


def void(_: Any) -> None: ...


# --- Beside: QuerySet.values_list().iterator() ---------------------------------------------------------------


COLUMNS = (
    "item__hit__batch__number",
    "item__question__article__external_id",
    "item__question__article__title",
    "item__question__external_id",
    "item__question__text",
    "item__question__anchor",
    "item__candidates__answer__system__name",
    "item_id",
    "item__candidates__answer__text",
    "annotator__pseudonym",
    "assignment__replicate",
    "correct",
    "completeness",
    "sentences",
    "reasons",
    "score__value",
    "score__source",
    "score__explanation_score",
    "score__run_id",
    "seconds",
    "revision",
    "created_at",
    "pk",
    "under_earlier_rule",
)


def orm_rows() -> Iterator[tuple[Any, ...]]:
    """The export's columns, in its order, by the ORM: one query, plain tuples, keys of the JSON taken by the database.

    (Loading the whole JSON column and picking keys in Python was measured too: a sixth slower.)
    """
    study = the_study()
    run = study.scoring_runs.get()
    correct, completeness = (
        {choice.key: choice.number for choice in aspect.scale.choices}
        for aspect in study.scheme().aspects
        if isinstance(aspect, RatedAspect)
    )
    judgments = (
        Annotation.objects.closed()
        .filter(item__hit__batch__study=study)
        .annotate(
            score=FilteredRelation("scores", condition=Q(scores__run=run, scores__aspect="completeness")),
            **{name: KT(f"values__{name}") for name in ("correct", "completeness", "sentences", "reasons")},
        )
        .order_by("item__hit__batch__number", "item__hit__position", "item__position", "assignment__place", "pk")
        .values_list(*COLUMNS)
    )
    name, key, version = study.name, study.scheme_version.key, study.scheme_version.number
    brackets = str.maketrans("", "", "[],")
    for row in judgments.iterator(chunk_size=ITERATOR_CHUNK):
        listed = row[13]
        yield (
            name,
            key,
            *row[:2],
            row[2] or None,
            *row[3:12],
            correct.get(row[11]),
            row[12],
            completeness.get(row[12]),
            None if listed is None else listed.translate(brackets),
            None if listed is None else listed.count(",") + (listed != "[]"),
            *row[14:21],
            row[21],
            version,
            row[22],
            " ".join(row[23]),
        )


def orm_csv(output: Path) -> None:
    with output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(column.name for column in export_query(the_study()).columns)
        for row in orm_rows():
            writer.writerow((*row[:-4], row[-4].strftime("%Y-%m-%dT%H:%M:%S.%fZ"), *row[-3:]))


def orm_parquet(output: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from annotation_platform.releases.services.formats import arrow_type

    columns = export_query(the_study()).columns
    schema = pa.schema([(column.name, arrow_type(column.kind)) for column in columns])
    numbers, words = (schema.get_field_index(name) for name in ("sentences", "under_earlier_rule"))
    rows = orm_rows()
    with pq.ParquetWriter(output, schema, compression="zstd") as writer:
        while group := list(islice(rows, ROW_GROUP)):
            cells: list[Any] = list(zip(*group, strict=True))
            cells[numbers] = [
                None if cell is None else [int(number) for number in cell.split()] for cell in cells[numbers]
            ]
            cells[words] = [cell.split() for cell in cells[words]]
            arrays = [pa.array(cell, type=field.type) for cell, field in zip(cells, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


# --- Beside: a bare COPY of the same rows in one statement ---


def bare_copy(output: Path, *, ordered: bool = True) -> None:
    study = the_study()
    columns, scores = export_query(study).columns, score_joins(study)
    cells = ", ".join(column.sql for column in columns)
    items = {
        "studies_item item": "item.id = annotation.item_id",
        "studies_candidate candidate": "candidate.item_id = annotation.item_id",
    }
    joined = [f" JOIN {table} ON {condition}" for table, condition in (JUDGED | DESCRIBED | items).items()]
    joined += [f" LEFT JOIN {table} ON {condition}" for table, condition in score_tables(scores).items()]
    sql = f"SELECT {cells} FROM studies_hit hit{''.join(joined)}"
    sql += " WHERE batch.study_id = %s AND batch.state IN ('closed', 'scored')"
    if ordered:
        sql += f" ORDER BY {ORDER}, place.place"
    parameters = [parameter for column in columns for parameter in column.parameters]
    parameters += [*score_parameters(scores), study.pk]
    with (
        output.open("wb") as file,
        connection.cursor() as cursor,
        cursor.copy(f"COPY ({sql}) TO STDOUT (FORMAT csv)", parameters) as copy,
    ):
        for line in copy:
            file.write(line)


# --- The page's own service ----------------------------------------------------------------------------------


def page_service(format: str) -> Callable[[Path], None]:
    def run(output: Path) -> None:
        study = the_study()
        admin = study.members.get(role=Role.ADMIN)
        seconds = []
        for _ in range(PAGE_ROUNDS):
            export = request_export(study=study, requested_by=admin, format=format, actor=Actor.operator("benchmark"))
            start = time.perf_counter()
            made = run_job(EXPORTS, export.pk)
            seconds.append(time.perf_counter() - start)
            if made is None or not made.sha256:
                raise RuntimeError("The export was not made.")
        output.write_text(str(median(seconds)))

    return run


def fill(output: Path) -> None:
    fill_study(judgments=int(os.environ["BENCH_JUDGMENTS"]))


def fill_for_pages(output: Path) -> None:
    fill_study(judgments=int(os.environ["BENCH_JUDGMENTS"]), for_pages=True)


def count_while_empty(output: Path) -> None:
    """The scores of a run, after PostgreSQL has counted their table while it held dead rows only."""
    with connection.cursor() as cursor:
        for statement in (
            "ALTER TABLE scoring_score SET (autovacuum_enabled = false)",
            "CREATE TEMPORARY TABLE kept AS SELECT * FROM scoring_score",
            "DELETE FROM scoring_score",
            "ANALYZE scoring_score",
            "INSERT INTO scoring_score SELECT * FROM kept",
        ):
            cursor.execute(statement)


PATHS: dict[str, Callable[[Path], None]] = {
    "fill": fill,
    "fill_for_pages": fill_for_pages,
    "count_while_empty": count_while_empty,
    "csv": ours("csv"),
    "jsonl": ours("jsonl"),
    "parquet": ours("parquet"),
    "orm_csv": orm_csv,
    "orm_parquet": orm_parquet,
    "copy": bare_copy,
    "copy_unordered": lambda output: bare_copy(output, ordered=False),
    "page_csv": page_service("csv"),
    "page_jsonl": page_service("jsonl"),
    "page_parquet": page_service("parquet"),
}


if __name__ == "__main__":
    connection.ensure_connection()
    start = time.perf_counter()
    PATHS[sys.argv[1]](Path(sys.argv[2]))
    print(time.perf_counter() - start)
