"""The same request with the same key, sent to two server processes at once: it is done once, and answered the same."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import Barrier

import pytest

from tests.workers.installation import Installation

KEYS, AT_ONCE = ("a", "b", "c", "d"), 4

Reply = tuple[int, bool, bytes]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def installation(request: pytest.FixtureRequest, tmp_path: Path) -> Installation:
    is_sqlite = request.param == "sqlite"
    return Installation(tmp_path, database_url="" if is_sqlite else request.getfixturevalue("postgres_url"))


def post(port: int, token: str, key: str, barrier: Barrier) -> Reply:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key, "Content-Type": "application/x-ndjson"}
    connection.connect()
    barrier.wait()
    connection.request("POST", f"/api/v1/corpora?name={key}", '{"question": "Why?", "answer": "So."}', headers)
    reply = connection.getresponse()
    return reply.status, reply.getheader("Idempotent-Replay") == "true", reply.read()


@pytest.mark.long(
    "annotation_platform/api/frame/*.py", "annotation_platform/api/models.py", "tests/workers/installation.py"
)
def test_one_effect_however_many_ask(installation: Installation) -> None:
    with installation:
        token = installation.run("-m", "tests.api.seed_operator").strip()
        servers = [installation.start("-m", "tests.api.serving") for _ in range(2)]
        ports = [int(server.stdout.readline()) for server in servers if server.stdout]
        for key in KEYS:
            barrier = Barrier(AT_ONCE)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                asked = [pool.submit(post, ports[n % 2], token, key, barrier) for n in range(AT_ONCE)]
            replies = [each.result() for each in asked]
            told = Counter((status, is_again) for status, is_again, _ in replies)
            assert told[201, False] == 1, replies
            assert set(told) <= {(201, False), (201, True), (409, False)}, replies
            assert len({body for status, _, body in replies if status == 201}) == 1
            assert all(json.loads(body)["code"] == "api.key_in_flight" for status, _, body in replies if status == 409)
        assert installation.rows("SELECT name FROM corpus_corpus ORDER BY name") == [(key,) for key in KEYS]
