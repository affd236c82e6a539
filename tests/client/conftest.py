"""One platform for all tests of the client, behind the server that it has in production."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest

from tests.workers.installation import ROOT, Installation


class Served(NamedTuple):
    url: str
    token: str


@contextmanager
def serving(installation: Installation) -> Iterator[str]:
    """The address of an installation's web server, while it is there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    how = f"--interface asginl --host 127.0.0.1 --port {port} --no-ws --log-level error"
    command = [sys.executable, "-m", "granian", *how.split(), "tests.client.application:application"]
    server = subprocess.Popen(command, cwd=ROOT, env=installation.environment, start_new_session=True)
    try:
        url, end = f"http://127.0.0.1:{port}", time.monotonic() + 60
        while not _answers(url):
            assert time.monotonic() < end, "The server does not begin."
            time.sleep(0.1)
        yield url
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # with the processes that it has made
        server.wait()


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("platform")
    with Installation(folder, WEBHOOK_PRIVATE_ADDRESSES="1", API_REQUESTS_A_MINUTE="100000") as installation:
        token = installation.run("-m", "tests.client.seed_owner").strip()
        with serving(installation) as url:
            yield Served(url, token)


def _answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/health/").is_success
    except httpx2.HTTPError:
        return False
