"""The platform's own web server, on a free port, as the demo or Compose start it; and clients that are in no hurry."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from http.cookies import SimpleCookie
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]


class WebServer:
    """Use as a context manager; ``environment`` says which database, Redis and limits it has."""

    def __init__(self, folder: Path, environment: Mapping[str, str], *, workers: int = 1) -> None:
        self.port = _free_port()
        self.log = folder / "web.log"
        self._environment = dict(environment)
        self._command = [
            *(sys.executable, "-m", "granian", "--interface", "asginl", "--host", "127.0.0.1", "--no-ws"),
            *("--port", str(self.port), "--workers", str(workers), "--respawn-failed-workers"),
            *("--respawn-interval", "0.2", "annotation_platform.asgi:application"),
        ]

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        self.wait_until_it_answers()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def ask(
        self, path: str, body: str | bytes | None = None, *, timeout: float = 60, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)) as connection:
            connection.request("GET" if body is None else "POST", path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()

    def wait_until_it_answers(self, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while True:
            with suppress(OSError, http.client.HTTPException):
                if self.ask("/health/")[0] == 200:
                    return
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, f"no answer within {seconds} s\n{self.log.read_text()}"
            time.sleep(0.1)

    def begin(self, path: str, announced: int, sent: bytes = b"", **headers: str) -> socket.socket:
        """A POST that announces a body and sends only some of it; close the socket that is given."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{more}Content-Length: {announced}\r\n\r\n"
        client.sendall(head.encode() + sent)
        return client

    def children(self) -> list[int]:
        listed = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False)
        return [int(pid) for pid in listed.stdout.split()]


class Visitor:
    """Somebody with cookies who fills in forms."""

    def __init__(self, server: WebServer) -> None:
        self._server = server
        self.cookies: dict[str, str] = {}

    def get(self, path: str) -> tuple[int, str]:
        return self._send(path, None)

    def post(self, path: str, form: Mapping[str, str]) -> tuple[int, str]:
        from urllib.parse import urlencode

        if "csrftoken" not in self.cookies:
            self.get("/accounts/login/")
        return self._send(path, urlencode({**form, "csrfmiddlewaretoken": self.cookies["csrftoken"]}))

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def _send(self, path: str, body: str | None) -> tuple[int, str]:
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        status, answered, text = self._server.ask(path, body, timeout=60, **headers)
        for line in answered.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
        return status, answered["Location"] or text


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
