"""Each judgment's score is looked up by an index also right after a run, when PostgreSQL has not counted the scores."""

import pytest
from django.db import connection

from annotation_platform.releases.selectors.query import export_query
from annotation_platform.releases.services.blocks import INDEXED_PLAN
from benchmarks.synthetic_judgments import JUDGMENTS_PER_BATCH, fill_study


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="about the planner of PostgreSQL")
def test_scores_are_looked_up_by_judgment_before_anything_was_counted() -> None:
    query = export_query(fill_study(judgments=JUDGMENTS_PER_BATCH))
    with connection.cursor() as cursor:
        # As after the very first import: what autovacuum has counted of other tests' rows, now gone, is forgotten.
        cursor.execute(
            "UPDATE pg_class SET reltuples = -1, relpages = 0"
            " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')"
        )
        for name, value in INDEXED_PLAN.items():
            cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
        cursor.execute(f"EXPLAIN {query.judgments.sql}", query.judgments.parameters(query.hits()))
        plan = [row[0] for row in cursor.fetchall()]
    scores = next(number for number, line in enumerate(plan) if "scoring_score" in line)
    assert "Index Cond" in plan[scores + 1]
    assert "annotation_id = annotation.id" in plan[scores + 1]
    assert not any("Join Filter" in line for line in plan)
