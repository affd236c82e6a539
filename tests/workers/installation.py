"""A platform of its own: database (SQLite: migrated), data directory, broker, and real workers that can be killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from tests import migrated

ROOT = Path(__file__).resolve().parents[2]
EMBEDDED_WORKER = "--pool threads --concurrency 2 --without-gossip --without-mingle --without-heartbeat"
SERVER_WORKER = "--concurrency 2"


class Worker:
    """``celery -A workers worker``, leader of a process group of its own."""

    def __init__(self, arguments: str, environment: dict[str, str], log: Path) -> None:
        self.log = log
        command = [sys.executable, "-m", "celery", "-A", "workers", "worker", "--loglevel", "INFO", *arguments.split()]
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=file, stderr=file, start_new_session=True
            )

    def kill(self) -> None:
        """SIGKILL to it and all its children: nobody gets to say goodbye."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """SIGTERM, as a service manager or Ctrl-C in a terminal would."""
        self.process.terminate()
        self.process.wait(timeout=60)


class Installation:
    """Use as a context manager; it ends the workers it started."""

    def __init__(self, folder: Path, *, database_url: str = "", redis_url: str = "", **environment: str) -> None:
        self._folder = folder
        self.worker_arguments = SERVER_WORKER if redis_url else EMBEDDED_WORKER
        self._database_url = database_url or f"sqlite:///{folder / 'platform.sqlite3'}"
        if not database_url:
            migrated.copy_to(folder / "platform.sqlite3")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "PYTEST_"))}
        self.environment = kept | {
            "DATA_DIR": str(folder),
            "DATABASE_URL": self._database_url,
            "REDIS_URL": redis_url,
            "RUN_STALE_AFTER_SECONDS": "2",
            "DJANGO_SETTINGS_MODULE": "annotation_platform.settings",
            **environment,
        }
        self._workers: list[Worker] = []
        self._others: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            if worker.process.poll() is None:
                worker.kill()
        for process in self._others:
            process.kill()
            process.communicate()

    def run(self, *command: str) -> str:
        """Run Python with this installation's environment; return what it printed."""
        return subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    def start(self, *command: str) -> subprocess.Popen[str]:
        """The same beside this process, with its input and output at hand."""
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._others.append(process)
        return process

    def start_worker(self, arguments: str = "") -> Worker:
        worker = Worker(
            f"{self.worker_arguments} --hostname {len(self._workers)}@%h {arguments}",
            self.environment,
            self._folder / f"worker-{len(self._workers)}.log",
        )
        self._workers.append(worker)
        return worker

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query gives, read beside the platform's own code."""
        if self._database_url.startswith("sqlite"):
            import sqlite3

            connection = sqlite3.connect(urlsplit(self._database_url).path, timeout=60)
            try:
                return connection.execute(query).fetchall()
            finally:
                connection.close()
        import psycopg

        with psycopg.connect(self._database_url) as postgres:
            return postgres.execute(query).fetchall()

    def value(self, query: str) -> Any:
        return self.rows(query)[0][0]

    @contextmanager
    def locked(self, table: str) -> Iterator[None]:
        """Nobody else can write to a table meanwhile; on SQLite, to any."""
        if self._database_url.startswith("sqlite"):
            import sqlite3

            connection = sqlite3.connect(urlsplit(self._database_url).path, timeout=60, isolation_level=None)
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield
            finally:
                connection.close()
            return
        import psycopg

        with psycopg.connect(self._database_url) as postgres:
            postgres.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
            yield

    def wait_for(self, what: str, holds: Callable[[], bool], seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds:g} s for {what}. {self._last_words(self._workers)}")
            time.sleep(0.05)

    @staticmethod
    def _last_words(workers: Sequence[Worker]) -> str:
        return "\n".join(f"--- {worker.log.name}\n{worker.log.read_text()[-3000:]}" for worker in workers)
