"""Clients that send slowly, too much, or hang up cost the others nothing; a web process that dies comes back."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import rests_on
from tests.servers.web_server import Visitor, WebServer
from tests.workers.installation import Installation

pytestmark = [pytest.mark.xdist_group("slow clients"), pytest.mark.long(*rests_on.SERVICES)]
MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    folder = tmp_path_factory.mktemp("slow")
    with Installation(folder, WEB_THREADS="2", IMPORT_MAX_MEGABYTES="20") as installation:
        installation.run(
            *("manage.py", "shell", "-v0", "-c"),
            "from annotation_platform.accounts.models import User;"
            "User.objects.create_superuser('staff@example.org', 'a long password')",
        )
        with WebServer(folder, installation.environment) as server:
            yield server


def test_forty_bodies_that_never_end_hold_up_nobody(server: WebServer) -> None:
    visitor = Visitor(server)
    visitor.get("/accounts/login/")  # with its token, a form is read and not turned away at once
    headers = {"Cookie": visitor.cookie, "Content-Type": "application/x-www-form-urlencoded"}
    slow = [server.begin("/accounts/login/", 5_000, b"login=", **headers) for _ in range(40)]
    try:
        assert server.ask("/accounts/login/")[0] == 200
        status, answer = visitor.post("/accounts/login/", {"login": "a@example.org", "password": "wrong"})
        assert status == 200
        assert "not correct" in answer
        assert server.ask("/health/")[0] == 200
    finally:
        for client in slow:
            client.close()


def test_a_form_that_is_sent_in_small_pieces_still_arrives(server: WebServer) -> None:
    visitor = Visitor(server)
    visitor.get("/accounts/login/")
    body = f"login=a%40example.org&password=wrong&csrfmiddlewaretoken={visitor.cookies['csrftoken']}".encode()
    headers = {"Cookie": visitor.cookie, "Content-Type": "application/x-www-form-urlencoded", "Connection": "close"}
    with server.begin("/accounts/login/", len(body), **headers) as client:
        for first in range(0, len(body), 20):
            time.sleep(0.02)
            client.sendall(body[first : first + 20])
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"not correct" in answer


@pytest.mark.parametrize("path", ["/accounts/login/", "/imports/", "/nowhere/"])
def test_an_upload_by_a_stranger_is_refused_before_it_is_read(server: WebServer, path: str) -> None:
    with server.begin(path, 400 * MEGABYTE) as client:
        answer = b""
        while b"</main>" not in answer and (more := client.recv(65536)):
            answer += more
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"more than 6 MB" in answer


def test_a_body_without_an_announced_length_ends_at_the_limit(server: WebServer) -> None:
    import socket

    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
        client.sendall(b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"100000\r\n" + b"x" * MEGABYTE + b"\r\n"
        try:
            for _ in range(60):
                client.sendall(chunk)
        except OSError:
            pass  # the server has hung up
        else:
            assert client.recv(4096).startswith(b"HTTP/1.1 413")


def test_somebody_who_imports_may_send_more_but_not_everything(server: WebServer) -> None:
    visitor = Visitor(server)
    visitor.post("/accounts/login/", {"login": "staff@example.org", "password": "a long password"})
    assert "sessionid" in visitor.cookies
    kind = {"Cookie": visitor.cookie, "Content-Type": "multipart/form-data; boundary=x"}
    token = visitor.cookies["csrftoken"]
    head = (
        f'--x\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{token}\r\n'
        '--x\r\nContent-Disposition: form-data; name="target"\r\n\r\nstudy\r\n'
        '--x\r\nContent-Disposition: form-data; name="files"; filename="large.csv"\r\n\r\n'
    ).encode()
    body = head + b"question,answer\r\n" + b"why,because\r\n" * 700_000 + b"\r\n--x--\r\n"
    assert len(body) > 8 * MEGABYTE
    status, headers, _ = server.ask("/imports/", body, timeout=60, **kind)
    assert (status, headers["Location"][:9]) == (302, "/imports/")
    with server.begin("/imports/", 30 * MEGABYTE, Cookie=visitor.cookie) as client:
        assert client.recv(4096).startswith(b"HTTP/1.1 413")
    with server.begin("/accounts/login/", 7 * MEGABYTE, Cookie=visitor.cookie) as client:
        assert client.recv(4096).startswith(b"HTTP/1.1 413")


def test_a_web_process_that_is_killed_comes_back_by_itself(tmp_path: Path) -> None:
    with Installation(tmp_path) as installation, WebServer(tmp_path, installation.environment, workers=2) as server:
        before = server.children()
        for pid in before:
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.3)
        server.wait_until_it_answers()
        assert server.process.poll() is None
        assert not set(server.children()) & set(before)


def test_whoever_sends_a_file_that_is_too_large_to_the_end_reads_why(server: WebServer) -> None:
    body = b"x" * (12 * MEGABYTE)
    status, headers, answer = server.ask("/accounts/login/", body, timeout=60, **{"Content-Type": "text/csv"})
    assert (status, "more than 6 MB" in answer) == (413, True)
    status, headers, answer = server.ask("/api/v1/imports", body, timeout=60, **{"Content-Type": "text/csv"})
    assert (status, headers["Content-Type"]) == (413, "application/problem+json")
    assert '"api.body_too_large"' in answer
