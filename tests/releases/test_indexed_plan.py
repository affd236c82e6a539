"""Each row of an export is looked up by an index, whatever PostgreSQL has counted of its tables until then."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from annotation_platform.releases.selectors.query import Statement, export_query
from annotation_platform.releases.services.reading import INDEXED_PLAN
from benchmarks.synthetic_judgments import JUDGMENTS_PER_BATCH, fill_study

READ = (
    "studies_batch",
    "studies_hit",
    "studies_item",
    "studies_candidate",
    "studies_assignment",
    "studies_member",
    "annotations_annotation",
    "scoring_score",
    "corpus_question",
    "corpus_article",
    "corpus_answer",
    "corpus_system",
)


def never_counted() -> None:
    """As after the very first import."""
    _count(reltuples=-1, relpages=0)


def counted_while_empty() -> None:
    """As when tables were counted that held dead rows only: of studies that were deleted, of an import undone."""
    _count(reltuples=0, relpages=1_000)


def counted_full() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(READ)}")


def _count(*, reltuples: int, relpages: int) -> None:
    """Say how many rows were counted on how many pages; what is known of their values is forgotten."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_class SET reltuples = %s, relpages = %s WHERE oid = ANY (%s::regclass[])"
            " OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = ANY (%s::regclass[]))",
            [reltuples, relpages, list(READ), list(READ)],
        )
        cursor.execute("DELETE FROM pg_statistic WHERE starelid = ANY (%s::regclass[])", [list(READ)])


def rows_in_vain(node: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Each step of a plan with the rows that it read and then left out."""
    removed = sum(node.get(f"Rows Removed by {kind}", 0) for kind in ("Filter", "Join Filter", "Index Recheck"))
    yield node.get("Index Name", node["Node Type"]), removed * node["Actual Loops"]
    for child in node.get("Plans", []):
        yield from rows_in_vain(child)


def executed(statement: Statement, hits: list[int]) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '60s'")  # a wrong plan reads for hours
        for name, value in INDEXED_PLAN.items():
            cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.sql}", statement.parameters(hits))
        plan: dict[str, Any] = cursor.fetchone()[0][0]["Plan"]
    return plan


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="about the planner of PostgreSQL")
@pytest.mark.parametrize("statistics", [never_counted, counted_while_empty, counted_full])
def test_no_row_is_read_in_vain_whatever_was_counted(statistics: Callable[[], None]) -> None:
    query = export_query(fill_study(judgments=JUDGMENTS_PER_BATCH))
    statistics()
    hits = list(query.hits())[:10]
    for statement in (query.candidates, query.judgments):
        plan = executed(statement, hits)
        assert plan["Actual Rows"] >= len(hits)
        assert [step for step in rows_in_vain(plan) if step[1]] == []
