"""Limits of a model that two processes ask, counted at the server: requests and tokens a minute, requests at a time.

A busy machine makes requests late, never early, so what is asserted holds on any.
"""

import json
import subprocess
import time
from typing import Any

import pytest

from tests import rests_on
from tests.servers.model_server import Answer, ModelRequest, ModelServer, says
from tests.workers.installation import Installation

pytestmark = pytest.mark.long(*rests_on.SCORING)

EACH = 12
TOKENS = 50  # of prompt and reply together


@pytest.fixture(params=["small", pytest.param("large", marks=[pytest.mark.redis, pytest.mark.postgres])])
def installation(request: pytest.FixtureRequest) -> Installation:
    found: Installation = request.getfixturevalue(request.param)
    return found


def two_that_ask(installation: Installation, server: ModelServer, **parameters: Any) -> list[subprocess.Popen[str]]:
    """Two processes that are ready to ask the server."""
    given = json.dumps({"model": "tiny", "base_url": server.url, "max_tokens": 26, **parameters})
    asking = [installation.start("-m", "tests.workers.ask_apart", name, str(EACH), given) for name in ("one", "two")]
    for process in asking:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    return asking


def begin(asking: list[subprocess.Popen[str]]) -> None:
    for process in asking:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def end(asking: list[subprocess.Popen[str]]) -> None:
    assert [process.communicate(timeout=120)[0] for process in asking] == [f"{EACH}\n"] * 2


@pytest.mark.parametrize(
    ("limits", "a_second"),
    [
        ({"requests_per_minute": 300}, 5),
        ({"tokens_per_minute": 12_000}, 12_000 / 60 / TOKENS),  # 4
    ],
)
def test_no_more_is_asked_in_any_time_than_the_limit_allows(
    installation: Installation, server: ModelServer, limits: dict[str, int], a_second: float
) -> None:
    moments: list[float] = []

    def behaviour(asked: ModelRequest) -> Answer:
        moments.append(time.monotonic())
        return says("1", usage={"prompt_tokens": TOKENS - 10, "completion_tokens": 10, "total_tokens": TOKENS})

    server.behaviour = behaviour
    asking = two_that_ask(installation, server, concurrency=32, **limits)
    began = time.monotonic()
    begin(asking)
    end(asking)
    assert len(server.answered) == len(moments) == 2 * EACH
    half_seconds = [n / 2 for n in range(1, int(2 * (moments[-1] - began)) + 2)]
    asked_by_then = [sum(moment - began <= seconds for moment in moments) for seconds in half_seconds]
    assert all(count <= 1 + a_second * seconds for count, seconds in zip(asked_by_then, half_seconds, strict=True))


def test_no_more_are_asked_at_a_time_than_allowed(installation: Installation, server: ModelServer) -> None:
    asking = two_that_ask(installation, server, concurrency=4)
    server.hold_after(0)
    begin(asking)
    installation.wait_for("as many as are allowed", lambda: len(server.asked) == 4)
    time.sleep(2.5)  # whoever does not know of the others would have asked by now
    assert len(server.asked) == 4
    server.behaviour = lambda asked: says("1", after=0.1)
    server.release()
    end(asking)
    assert server.most_under_way == 4
    assert len(server.answered) == 2 * EACH
