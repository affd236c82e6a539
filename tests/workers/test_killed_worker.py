"""SIGKILL in the middle of a run, with real worker processes: nothing is lost, doubled or paid for twice."""

import json
import time
from collections import Counter

import pytest

from tests import rests_on
from tests.servers.model_server import ModelServer
from tests.workers.installation import Installation

pytestmark = pytest.mark.long(*rests_on.SCORING)

JUDGMENTS = 24
ANSWERED_BEFORE = 6
STEPS_OF_A_BATCH = {
    "its file has arrived": "POST /v1/files",
    "it is made": "POST /v1/batches",
    "it is under way": "GET /v1/batches/.+",
    "its replies are fetched": "GET /v1/files/.+/content",
}
"""What the server is asked for, and then does without telling anybody."""


@pytest.fixture(params=["small", pytest.param("large", marks=[pytest.mark.redis, pytest.mark.postgres])])
def installation(request: pytest.FixtureRequest) -> Installation:
    """Files as broker and SQLite, or Redis and PostgreSQL."""
    found: Installation = request.getfixturevalue(request.param)
    return found


def test_in_the_middle(installation: Installation, server: ModelServer) -> None:
    installation.run("-m", "tests.workers.seed_closed_study", "openai")
    server.hold_after(ANSWERED_BEFORE)

    first = installation.start_worker("--beat")
    installation.wait_for(
        "the first replies to be stored",
        lambda: installation.value("SELECT count(*) FROM scoring_completion") == ANSWERED_BEFORE,
    )
    first.kill()
    assert installation.rows("SELECT status FROM scoring_scoringrun") == [("running",)]
    answered = set(server.answered)
    asked_before = len(server.asked)
    server.hang_up()
    time.sleep(2.2)  # RUN_STALE_AFTER_SECONDS: until then the killed worker might still be alive

    installation.start_worker("--beat")
    installation.start_worker()
    installation.wait_for(
        "the run to finish", lambda: installation.rows("SELECT status FROM scoring_scoringrun") == [("done",)]
    )
    assert len(server.answered) == JUDGMENTS
    assert set(server.answered.values()) == {1}
    asked_again = Counter(asked.prompt for asked in server.asked[asked_before:])
    assert not answered & set(asked_again)
    assert set(asked_again.values()) == {1}
    assert_all_is_there_once(installation)


def test_a_command_that_was_killed_is_resumed_by_the_command(small: Installation, server: ModelServer) -> None:
    small.run("-m", "tests.workers.seed_closed_study", "openai")
    command = ("manage.py", "score_study", small.value("SELECT name FROM studies_study"), "--scorer", "openai")
    server.hold_after(ANSWERED_BEFORE)
    first = small.start(*command, "--no-measure")
    small.wait_for(
        "the first replies to be stored",
        lambda: small.value("SELECT count(*) FROM scoring_completion") == ANSWERED_BEFORE,
    )
    first.kill()
    first.communicate()
    assert small.rows("SELECT status FROM scoring_scoringrun") == [("running",)]
    server.hang_up()

    # At once: it waits by itself until the killed process can be taken for dead.
    assert "Scored" in small.run(*command, "--resume", "--no-measure")
    assert small.rows("SELECT status FROM scoring_scoringrun") == [("done",)]
    assert len(server.answered) == JUDGMENTS
    assert set(server.answered.values()) == {1}


def test_between_an_answer_and_its_storing(installation: Installation, server: ModelServer) -> None:
    """A server that knows Idempotency-Key is paid once; it gives the replies that were lost again."""
    server.remembers = True
    installation.run("-m", "tests.workers.seed_closed_study", "openai")
    server.hold_after(ANSWERED_BEFORE)
    first = installation.start_worker("--beat")
    installation.wait_for(
        "the first replies to be stored",
        lambda: installation.value("SELECT count(*) FROM scoring_completion") == ANSWERED_BEFORE,
    )
    installation.wait_for("more to be asked", lambda: server.under_way > 0)
    with installation.locked("scoring_completion"):
        server.release()
        installation.wait_for("more answers", lambda: len(server.answered) > ANSWERED_BEFORE and not server.under_way)
        first.kill()
        assert installation.value("SELECT count(*) FROM scoring_completion") == ANSWERED_BEFORE
    lost = len(server.answered) - ANSWERED_BEFORE
    time.sleep(2.2)  # RUN_STALE_AFTER_SECONDS

    installation.start_worker("--beat")
    installation.wait_for(
        "the run to finish", lambda: installation.rows("SELECT status FROM scoring_scoringrun") == [("done",)]
    )
    assert len(server.paid) == JUDGMENTS
    assert set(server.paid.values()) == {1}
    assert sum(server.answered.values()) == JUDGMENTS + lost
    assert_all_is_there_once(installation)


def test_at_every_step_of_a_batch(installation: Installation, server: ModelServer) -> None:
    installation.run("-m", "tests.workers.seed_closed_study", "openai", json.dumps({"mode": "batch"}))
    for step, request in STEPS_OF_A_BATCH.items():
        server.batch_api.fall_silent_after(request)
        worker = installation.start_worker("--beat")
        installation.wait_for(f"the batch: {step}", server.batch_api.is_silent.is_set)
        worker.kill()
        assert installation.rows("SELECT status FROM scoring_scoringrun") == [("running",)]
        assert installation.value("SELECT count(*) FROM scoring_completion") == 0
        assert installation.value("SELECT count(*) FROM scoring_claim") == JUDGMENTS
        time.sleep(2.2)  # RUN_STALE_AFTER_SECONDS
    server.batch_api.speak()

    installation.start_worker("--beat")
    installation.start_worker()
    installation.wait_for(
        "the run to finish", lambda: installation.rows("SELECT status FROM scoring_scoringrun") == [("done",)]
    )
    assert len(server.batch_api.uploads) == len(server.batch_api.batches) == 1
    assert len(server.asked) == len(server.answered) == JUDGMENTS
    assert set(server.answered.values()) == {1}
    kept = installation.rows("SELECT state, requests, answered, failed FROM scoring_modelbatch")
    assert kept == [("collected", JUDGMENTS, JUDGMENTS, 0)]
    assert installation.value("SELECT count(*) FROM scoring_claim") == 0
    assert_all_is_there_once(installation)


def assert_all_is_there_once(installation: Installation) -> None:
    """Every reply, every judgment, every score, and in the end the snapshot."""
    assert installation.value("SELECT count(*) FROM scoring_completion") == JUDGMENTS
    current = "SELECT id FROM annotations_annotation WHERE is_current"
    assert installation.value(f"SELECT count(*) FROM ({current}) AS judgments") == JUDGMENTS
    scored = [pk for (pk,) in installation.rows("SELECT annotation_id FROM scoring_score")]
    assert sorted(scored) == sorted(pk for (pk,) in installation.rows(current))
    assert installation.rows("SELECT DISTINCT state FROM studies_batch") == [("scored",)]
    snapshots = "SELECT count(*) FROM analysis_agreementsnapshot"
    installation.wait_for("the snapshot", lambda: bool(installation.value(snapshots)))
    assert installation.value(snapshots) == 1
