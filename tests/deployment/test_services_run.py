"""The commands that docker-compose.yml gives its services, run as they stand, against this machine's servers.

There need not be a Docker engine for that: the same commands get the same environment; only the addresses of
database, broker, data volume and port are this machine's.
"""

import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import psycopg
import pytest
import redis
import yaml

from tests import rests_on
from tests.conftest import temporary_database

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = "annotate.example.org"
PROXIED = {"Host": DOMAIN, "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
FROM_DOT_ENV = {
    "SECRET_KEY": "x7-not-a-secret-but-long-and-varied-enough-for-the-checks-Qw93_zT",
    "ALLOWED_HOSTS": DOMAIN,
    "POSTGRES_PASSWORD": "unused",
}

# One run of the services for the whole file, so one pytest process must take all of it.
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.redis,
    pytest.mark.xdist_group("services"),
    pytest.mark.long(*rests_on.SERVICES, *rests_on.SCORING),
]


def interpolated(node: Any, values: Mapping[str, str]) -> Any:
    """Compose's own notation in every text: ``${NAME:-default}``, ``${NAME:?error}``, ``$$``."""
    if isinstance(node, dict):
        return {key: interpolated(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [interpolated(value, values) for value in node]
    if not isinstance(node, str):
        return node
    notation = re.compile(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}")
    return notation.sub(lambda match: values.get(match[1]) or match[2] or "", node).replace("$$", "$")


@dataclass
class Platform:
    """The services of the file, with this machine's addresses put in."""

    services: dict[str, Any]
    environment: dict[str, str]
    port: int
    data: Path
    logs: Path

    def here(self, argument: str) -> str:
        return argument.replace("8000", str(self.port)).replace("0.0.0.0", "127.0.0.1").replace("/data", str(self.data))

    def command(self, name: str) -> list[str]:
        return [self.here(argument) for argument in self.services[name]["command"]]

    def run(self, command: list[str]) -> str:
        result = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert result.returncode == 0, f"{command}: {result.stdout}\n{result.stderr}"
        return result.stdout

    def is_healthy(self, name: str) -> bool:
        kind, *arguments = [self.here(part) for part in self.services[name]["healthcheck"]["test"]]
        command = arguments if kind == "CMD" else ["sh", "-c", *arguments]
        return subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, timeout=60).returncode == 0

    def start(self, name: str) -> subprocess.Popen[bytes]:
        with (self.logs / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                self.command(name),
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def ask_web(self, path: str, body: str | None = None, **headers: str) -> tuple[int, HTTPMessage, str]:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request("GET" if body is None else "POST", path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()

    def ask_database(self, question: str) -> Any:
        with psycopg.connect(self.environment["DATABASE_URL"]) as database:
            row = database.execute(question).fetchone()
            return row and row[0]


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory, redis_url: str) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("deployment")
    (data := folder / "data").mkdir()
    broker = urlsplit(redis_url)._replace(path="/7").geturl()
    redis.Redis.from_url(broker).flushdb()
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    services = interpolated(compose["services"], FROM_DOT_ENV)
    with temporary_database() as database:
        environment = {
            **services["web"]["environment"],
            "DATABASE_URL": database,
            "REDIS_URL": broker,
            "DATA_DIR": str(data),
            "STATIC_ROOT": str(folder / "static"),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }
        platform = Platform(services, environment, free_port(), data, folder)
        for command in (["build_assets"], ["collectstatic", "--noinput"]):  # as the Dockerfile does
            platform.run(["python", "manage.py", *command])
        platform.run(platform.command("migrate"))
        with running([platform.start(name) for name in ("web", "worker", "beat")]):
            yield platform


@contextmanager
def running(processes: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    try:
        yield
        assert [process.poll() for process in processes] == [None] * len(processes), "a service ended by itself"
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(60)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(what: Callable[[], Any], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s"
        time.sleep(0.3)


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_the_service_comes_up_healthy_by_its_own_health_check(platform: Platform, name: str) -> None:
    wait_for(lambda: platform.is_healthy(name))


def test_the_sign_in_page_comes_through_a_tls_proxy_with_its_guards(platform: Platform) -> None:
    wait_for(lambda: platform.is_healthy("web"))
    status, headers, page = platform.ask_web("/accounts/login/", **PROXIED)
    assert status == 200
    assert "max-age=31536000" in headers["Strict-Transport-Security"]
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    cookies = headers.get_all("Set-Cookie") or []
    assert any(cookie.startswith("csrftoken=") for cookie in cookies)
    assert all("Secure" in cookie for cookie in cookies)

    stylesheet = re.search(r'href="(/static/platform\.[0-9a-f]{12}\.css)"', page)
    assert stylesheet, "the stylesheet's name carries no hash of its content"
    status, headers, _ = platform.ask_web(stylesheet[1], **PROXIED)
    assert status == 200
    assert "immutable" in headers["Cache-Control"]


def test_failed_sign_ins_are_counted_across_the_web_servers_processes(platform: Platform) -> None:
    wait_for(lambda: platform.is_healthy("web"))
    _, headers, page = platform.ask_web("/accounts/login/", **PROXIED)
    (token,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page))
    cookie = str(headers["Set-Cookie"]).split(";")[0]
    form = urlencode({"login": "ada@example.org", "password": "wrong", "csrfmiddlewaretoken": token})
    sent = PROXIED | {
        "Cookie": cookie,
        "Referer": f"https://{DOMAIN}/accounts/login/",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    answers = [platform.ask_web("/accounts/login/", form, **sent)[2] for _ in range(6)]
    assert ["Too many failed login attempts" in answer for answer in answers] == [False] * 5 + [True]


def test_what_comes_without_tls_is_sent_there(platform: Platform) -> None:
    wait_for(lambda: platform.is_healthy("web"))
    status, headers, _ = platform.ask_web("/accounts/login/", Host=DOMAIN)
    assert (status, headers["Location"]) == (301, f"https://{DOMAIN}/accounts/login/")


def test_another_host_name_is_refused(platform: Platform) -> None:
    wait_for(lambda: platform.is_healthy("web"))
    status, _, _ = platform.ask_web("/accounts/login/", **(PROXIED | {"Host": "elsewhere.example"}))
    assert status == 400


def test_the_worker_lets_the_pages_know_that_it_is_there(platform: Platform) -> None:
    pulses = "SELECT count(*) FROM jobs_workerpulse WHERE name <> 'sweep' AND seen_at <= now()"
    wait_for(lambda: platform.ask_database(pulses))
    assert platform.ask_database(pulses) == 1


def test_a_closed_batch_is_found_scored_and_measured(platform: Platform) -> None:
    sample = ROOT / "annotation_platform" / "corpus" / "sample" / "ebr.yaml"
    platform.run(["python", "manage.py", "import_study", "native", str(sample), "--name", "Sample"])
    closed = platform.ask_database("SELECT count(*) FROM studies_batch WHERE state <> 'open'")
    assert closed
    wait_for(lambda: platform.ask_database("SELECT count(*) FROM studies_batch WHERE state = 'scored'") == closed)
    assert platform.ask_database("SELECT count(*) FROM studies_batch WHERE state = 'closed'") == 0
    assert platform.ask_database("SELECT status FROM scoring_scoringrun") == "done"
    wait_for(lambda: platform.ask_database("SELECT count(*) FROM analysis_agreementsnapshot"))
    assert platform.ask_database("SELECT count(*) FROM analysis_agreementsnapshot") == 1
    judged = platform.ask_database("SELECT count(*) FROM scoring_score")
    assert judged == platform.ask_database(
        "SELECT count(*) FROM annotations_annotation a JOIN studies_item i ON i.id = a.item_id "
        "JOIN studies_hit h ON h.id = i.hit_id JOIN studies_batch b ON b.id = h.batch_id WHERE b.state = 'scored'"
    )
