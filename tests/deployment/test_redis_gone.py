"""Redis is gone, or says nothing: people sign in, judge, close and export; what the worker does catches up later."""

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests import rests_on
from tests.servers.web_server import Visitor, WebServer
from tests.workers.installation import Installation

pytestmark = [
    pytest.mark.redis,
    pytest.mark.xdist_group("redis gone"),
    pytest.mark.long(*rests_on.SERVICES, *rests_on.SCORING),
]
PATIENCE = 40  # seconds for one page, while other tests share the cores; one that waited for Redis would never come


class OwnRedis:
    """A Redis of the test's own, that can be stopped in mid-sentence and go on."""

    def __init__(self, folder: Path) -> None:
        with closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._command = ["redis-server", "--port", str(self.port), "--save", "", "--dir", str(folder)]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("redis-server did not start")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()


@contextmanager
def platform(folder: Path) -> Iterator[tuple[OwnRedis, Installation, WebServer]]:
    redis = OwnRedis(folder)
    try:
        with Installation(folder, redis_url=redis.url) as installation:
            installation.run("-m", "tests.deployment.seed_open_study")
            installation.start_worker("--beat --pool threads")
            with WebServer(folder, installation.environment) as server:
                yield redis, installation, server
    finally:
        redis.end()


def form_on(page: str) -> dict[str, str]:
    """The hidden fields of the judge page's form."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))


def test_everybody_goes_on_without_redis_and_the_worker_catches_up(tmp_path: Path) -> None:
    with platform(tmp_path) as (redis, installation, server):
        installation.wait_for("a well platform", lambda: '"ok"' in server.ask("/health/")[2])
        redis.process.send_signal(signal.SIGSTOP)  # it takes connections and answers nothing

        assert '"redis": "Redis does not answer' in server.ask("/health/", timeout=PATIENCE)[2]
        judge(server)
        redis.end()  # now it refuses them
        admin = Visitor(server)
        assert admin.post("/accounts/login/", sign_in("grace"))[0] == 302
        assert admin.get("/studies/open/")[0] == 200
        assert admin.post("/studies/open/batches/2/close/", {})[0] == 302
        assert admin.post("/studies/open/exports/request/", {"format": "csv"})[0] == 302
        assert server.ask("/health/", timeout=PATIENCE)[0] == 200

        redis.start()
        done = "SELECT COUNT(*) FROM releases_export WHERE status = 'done'"
        installation.wait_for("the export after Redis has come back", lambda: installation.value(done) == 1)
        scored = "SELECT COUNT(*) FROM studies_batch WHERE state = 'scored'"
        installation.wait_for("the scoring after Redis has come back", lambda: installation.value(scored) == 2)
        installation.wait_for("a well platform again", lambda: '"ok"' in server.ask("/health/")[2])


def judge(server: WebServer) -> None:
    """Sign in, take a task, save a draft, and submit it."""
    annotator = Visitor(server)
    assert annotator.post("/accounts/login/", sign_in("ada"))[0] == 302
    assert annotator.get("/work/")[0] == 200
    status, address = annotator.post("/work/take/open/", {})
    assert (status, address[:18]) == (302, "/work/assignments/")
    task = re.match(r"/work/assignments/\d+/", address)[0]  # type: ignore[index]
    page = annotator.get(f"{task}1/")[1]
    judged = form_on(page) | {"aspect-correct": "yes", "aspect-completeness": "missing_minor", "aspect-sentences": "2"}
    judged |= {"aspect-reasons": "It leaves out the second reason, which sentence 2 gives."}
    status, _ = annotator.post(f"{task}1/draft/", judged)
    assert status == 200
    status, address = annotator.post(f"{task}1/", judged)
    assert (status, address) == (302, f"{task}done/"), address


def sign_in(name: str) -> dict[str, str]:
    return {"login": f"{name}@example.org", "password": "a long password"}


def test_failed_sign_ins_are_counted_while_redis_is_away(tmp_path: Path) -> None:
    redis = OwnRedis(tmp_path)
    try:
        with Installation(tmp_path, redis_url=redis.url) as installation:
            installation.run("-m", "tests.deployment.seed_open_study")
            with WebServer(tmp_path, installation.environment) as server:
                os.kill(redis.process.pid, signal.SIGSTOP)
                wrong = {"login": "ada@example.org", "password": "wrong"}
                answers = [Visitor(server).post("/accounts/login/", wrong)[1] for _ in range(6)]
                assert "Too many failed login attempts" in answers[-1]
                assert "Too many failed login attempts" not in answers[0]
    finally:
        redis.end()
