"""SIGKILL to the worker in the middle of a scheme's migration: another goes on, and every judgment arrives once."""

import time

import pytest

from tests import rests_on
from tests.workers.installation import Installation

pytestmark = pytest.mark.long(
    *rests_on.JOBS, "annotation_platform/annotations/*.py", "annotation_platform/core/schemes/*.py"
)

JUDGMENTS = 2_400
JOB = "SELECT status, attempts, done, total FROM annotations_schememigration"
STORED = "SELECT id, carried_from_id FROM annotations_annotation WHERE carried_from_id IS NOT NULL"
CURRENT = "SELECT id, carried_from_id, revision FROM annotations_annotation WHERE is_current"


@pytest.fixture(params=["small", pytest.param("large", marks=[pytest.mark.redis, pytest.mark.postgres])])
def installation(request: pytest.FixtureRequest) -> Installation:
    """Files as broker and SQLite, or Redis and PostgreSQL."""
    found: Installation = request.getfixturevalue(request.param)
    return found


def test_another_worker_goes_on_and_each_judgment_arrives_once(installation: Installation) -> None:
    installation.run("-m", "tests.workers.seed_scheme_migration")
    before = {key for key, *_ in installation.rows(CURRENT)}
    assert len(before) == JUDGMENTS
    first = installation.start_worker("--beat")
    installation.wait_for("the first new revisions", lambda: bool(installation.rows(STORED)))
    first.kill()

    stored = set(installation.rows(STORED))
    assert 0 < len(stored) < JUDGMENTS
    assert [row[:2] for row in installation.rows(JOB)] == [("running", 1)]
    assert {key for key, *_ in installation.rows(CURRENT)} == before  # nothing is seen before all is there
    assert (
        installation.value(
            "SELECT version.number FROM studies_study study "
            "JOIN studies_schemeversion version ON version.id = study.scheme_version_id"
        )
        == 1
    )
    time.sleep(2.2)  # RUN_STALE_AFTER_SECONDS: until then the killed worker might still be alive

    installation.start_worker("--beat")
    installation.start_worker()
    installation.wait_for("the migration to end", lambda: installation.rows(JOB)[0][0] != "running")
    assert installation.rows(JOB) == [("done", 2, JUDGMENTS, JUDGMENTS)]
    current = installation.rows(CURRENT)
    assert sorted(old for _, old, _ in current) == sorted(before)
    assert {revision for *_, revision in current} == {2}
    assert stored <= {(key, old) for key, old, _ in current}  # what was there before the kill was not made again
    assert len(installation.rows(STORED)) == JUDGMENTS
    ratings = "SELECT annotation_id, aspect FROM annotations_rating WHERE aspect = 'fullness'"
    assert sorted(key for key, _ in installation.rows(ratings)) == sorted(key for key, *_ in current)
    done = "SELECT count(*) FROM accounts_event WHERE verb = 'study.scheme_migrated'"
    assert installation.value(done) == 1
