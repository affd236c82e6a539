"""``python -m annotation_platform.demo``: what ``make demo`` runs once everything is installed."""

import argparse
import fcntl
import http.client
import os
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from annotation_platform.demo.supervisor import Service, ServiceFailedError, StoppedError, Supervisor

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "127.0.0.1"
APPLICATION = "annotation_platform.asgi:application"
START_SECONDS = 60.0
MADE_BY_THE_DEMO = (
    *("platform.sqlite3*", "beat-schedule*", "broker", "logs"),
    *("exports", "holds", "imports", "releases"),
)


class CannotStartError(Exception):
    """Something outside stands in the way; the message says what to do."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="make demo", description="Run the sample study in a browser.")
    parser.add_argument("--reset", action="store_true", help="forget the database, exports and queue first")
    options = parser.parse_args()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="replace")  # type: ignore[union-attr]
    try:
        port = chosen_port()
        data_dir = Path(os.environ.get("DATA_DIR") or ROOT / ".embedded").resolve()
        with only_one_in(data_dir):
            if options.reset:
                reset(data_dir)
            return run(port, data_dir)
    except (CannotStartError, ServiceFailedError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1


def chosen_port() -> int:
    text = os.environ.get("PORT") or "8000"
    if not (text.isdecimal() and 0 < int(text) < 65536):
        raise CannotStartError(f"PORT is {text!r}; it must be a number from 1 to 65535.")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, int(text)))
        except OSError as error:
            raise CannotStartError(
                f"Port {text} cannot be used ({error.strerror}). Choose another one, for example: "
                f"PORT={8001 if text == '8000' else 8000} make demo"
            ) from None
    return int(text)


@contextmanager
def only_one_in(data_dir: Path) -> Iterator[None]:
    """Hold the data directory: two demos would work on the same queue, and a reset would pull it away."""
    with lock_file(data_dir) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotStartError(
                f"The demo is running already on {data_dir}. Stop it first (Ctrl-C there)."
            ) from None
        yield


def lock_file(data_dir: Path) -> TextIO:
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        return (data_dir / "demo.lock").open("a+")
    except OSError as error:
        raise CannotStartError(
            f"The demo keeps its data in {data_dir}, which cannot be written ({error.strerror}). Name another folder, "
            "for example: DATA_DIR=~/annotation-demo make demo"
        ) from None


def reset(data_dir: Path) -> None:
    if os.environ.get("DATABASE_URL"):
        raise CannotStartError(
            "DATABASE_URL is set, and what is in that database is not the demo's to forget. Empty it yourself, or "
            "leave the variable out: env -u DATABASE_URL make demo-reset"
        )
    print(f"Starting over: forgetting the database, all files made from it and the queue in {data_dir}.")
    for pattern in MADE_BY_THE_DEMO:
        for path in data_dir.glob(pattern):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def services(port: int, logs: Path) -> list[Service]:
    web = f"granian --interface asginl --host {HOST} --port {port} --respawn-failed-workers --no-ws {APPLICATION}"
    worker = "celery -A workers worker --clock --pool threads --concurrency 1 --loglevel INFO"
    return [
        Service("web server", [sys.executable, "-m", *web.split()], logs / "web.log"),
        Service("background worker", [sys.executable, "-m", *worker.split()], logs / "worker.log"),
    ]


def run(port: int, data_dir: Path) -> int:
    logs = data_dir / "logs"
    environment = {**os.environ, "DATA_DIR": str(data_dir), "DEMO": "1", "PLATFORM_MODE": "embedded"}
    environment.setdefault("PLATFORM_URL", f"http://{HOST}:{port}")  # for links in mails, which the worker's log has
    environment.setdefault("PYTHONIOENCODING", ":replace")  # a terminal may lack signs that steps print
    environment.setdefault("MALLOC_ARENA_MAX", "2")  # threads that keep heaps of their own keep what is freed, too
    supervisor = Supervisor(services=services(port, logs), environment=environment, say=print)
    supervisor.listen_for_the_end()
    try:
        supervisor.run_step("Preparing the demo", [sys.executable, str(ROOT / "manage.py"), "prepare_demo"])
        print("Starting the web server and the background worker …")
        supervisor.start()
        wait_for_first_page(supervisor, port)
        print(WELCOME.format(address=f"http://{HOST}:{port}/", logs=logs))
        supervisor.keep_running()
    except StoppedError:
        print("\nStopping …")
    finally:
        supervisor.stop()
    print("Everything has stopped. “make demo” takes up where you left off; “make demo-reset” starts over.")
    return 0


def wait_for_first_page(supervisor: Supervisor, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(port):
        if time.monotonic() > deadline:
            raise ServiceFailedError(
                f"The web server did not answer within {START_SECONDS:.0f} s. The end of its log:\n"
                f"{supervisor.services[0].last_words()}"
            )
        supervisor.pause(0.05)
        supervisor.revive()


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/health/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


WELCOME = """
  The demo is ready:  {address}

  Sign in there with one click, as
    annotator    to judge answers: pick a label, cite sentences, say why
    researcher   to close the batch and watch scores and agreement appear
    admin        to export the data

  Beside the rest, as annotator and as researcher:
    “What the report says”   words of answers to mark, and how far people agree on them
    “At the ferry desk”      conversations, with calls of tools to open
    “On the allotment”       traces exported from Langfuse, with the pages that were found and its scores
    “A longer quiz”          people judged a part, drawn by chance, and a classifier all; themes of explanations

  “Crowd at the quay” has a crowd at work: as researcher open its tab Crowd; as annotator see My tasks and
  My earnings; as admin approve the payment that waits. The link on its page People lets you join as somebody new.

  Logs: {logs}
  Ctrl-C stops everything.
"""


if __name__ == "__main__":
    sys.exit(main())
