"""SIGKILL in the middle of a run, with real worker processes: nothing is lost, doubled or paid for twice."""

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.servers.model_server import ModelServer
from tests.workers.installation import Installation

JUDGMENTS = 24
ANSWERED_BEFORE = 6


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def own_redis(redis_url: str) -> Iterator[str]:
    """A Redis database without anybody's messages, for the length of a test."""
    import redis

    url = urlsplit(redis_url)._replace(path="/5").geturl()
    with redis.Redis.from_url(url) as client:
        yield url
        if left := [key for pattern in ("celery*", "unacked*", "_kombu*") for key in client.keys(pattern)]:
            client.delete(*left)


def test_with_files_as_broker_and_sqlite(tmp_path: Path, server: ModelServer) -> None:
    with Installation(tmp_path, OPENAI_BASE_URL=server.url, OPENAI_MODEL="tiny") as installation:
        kill_in_the_middle(installation, server)


@pytest.mark.redis
@pytest.mark.postgres
def test_with_redis_and_postgresql(tmp_path: Path, server: ModelServer, own_redis: str, postgres_url: str) -> None:
    with Installation(
        tmp_path,
        database_url=postgres_url,
        redis_url=own_redis,
        OPENAI_BASE_URL=server.url,
        OPENAI_MODEL="tiny",
    ) as installation:
        kill_in_the_middle(installation, server)


def kill_in_the_middle(installation: Installation, server: ModelServer) -> None:
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
    assert installation.value("SELECT count(*) FROM scoring_completion") == JUDGMENTS

    current = "SELECT id FROM annotations_annotation WHERE is_current"
    assert installation.value(f"SELECT count(*) FROM ({current}) AS judgments") == JUDGMENTS
    scored = [pk for (pk,) in installation.rows("SELECT annotation_id FROM scoring_score")]
    assert sorted(scored) == sorted(pk for (pk,) in installation.rows(current))
    assert installation.rows("SELECT DISTINCT state FROM studies_batch") == [("scored",)]
    installation.wait_for(
        "the snapshot", lambda: installation.value("SELECT count(*) FROM analysis_agreementsnapshot") == 1
    )
