"""How long a restart takes to the first page, and how much memory the idle platform holds.

``python -m benchmarks.footprint`` runs the very ``make demo`` command on a data directory of its own: once to set it
up, then again, timed from its start to the first page. Memory is the proportional set size (each shared page counted
once) of the web server, the worker and beat together, after they have been idle for a while. Linux only.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

RELEASE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ebr"
SCORE = """
from annotation_platform.accounts.actors import Actor
from annotation_platform.scoring.services import start_run
from annotation_platform.studies.models import Study
from workers.tasks import enqueue

enqueue(start_run(study=Study.objects.get(name="Released"), scorer="recorded", actor=Actor.operator("benchmark")))
"""
STILL_AT_WORK = """
from workers.kinds import KINDS

print(sum(kind.model.objects.active().count() for kind in KINDS))
"""
RESTARTS = 5
IDLE_SECONDS = 20


def main() -> int:
    with tempfile.TemporaryDirectory() as data_dir:
        with demo(data_dir) as started:
            print(f"first start, with the sample study loaded: {started.seconds:.1f} s to the first page")
            started.wait_for_worker()
        seconds = []
        for turn in range(RESTARTS):
            with demo(data_dir) as started:
                seconds.append(started.seconds)
                if turn == RESTARTS - 1:
                    started.wait_for_worker()
                    time.sleep(IDLE_SECONDS)
                    show_memory(started.process.pid, "idle")
                    if RELEASE.is_dir():
                        score_release(data_dir)
                        time.sleep(IDLE_SECONDS)
                        show_memory(started.process.pid, "after scoring the release")
        spread = f"{min(seconds):.2f}–{max(seconds):.2f}"
        print(f"restart to first page: {median(seconds):.2f} s (median of {RESTARTS}, {spread})")
    return 0


class Started:
    """A running demo and how long its first page took."""

    def __init__(self, process: subprocess.Popen[bytes], data_dir: Path, port: int, seconds: float) -> None:
        self.process, self.data_dir, self.port, self.seconds = process, data_dir, port, seconds

    def wait_for_worker(self) -> None:
        log = self.data_dir / "logs" / "worker.log"
        for _ in range(600):
            if log.exists() and " ready." in log.read_text(errors="replace"):
                return
            time.sleep(0.1)
        raise SystemExit(f"The worker did not start; see {log}.")


@contextmanager
def demo(data_dir: str) -> Iterator[Started]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "DATA_DIR": data_dir, "PORT": str(port)}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "annotation_platform.demo"], env=environment, stdout=subprocess.DEVNULL
    )
    try:
        while not answers(port):
            if process.poll() is not None or time.perf_counter() - began > 120:
                raise SystemExit("The demo did not start.")
            time.sleep(0.02)
        yield Started(process, Path(data_dir), port, time.perf_counter() - began)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
            return bool(page.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def score_release(data_dir: str) -> None:
    """Import the release from the command line; the worker scores it and measures its agreement."""
    files = [str(RELEASE / name) for name in ("inq_annotations.json", "inq_extended_annotations.json")]
    manage(data_dir, "import_study", "ebr", *files, "--name", "Released")
    manage(data_dir, "shell", "-c", SCORE)
    while int(manage(data_dir, "shell", "-v", "0", "-c", STILL_AT_WORK)):
        time.sleep(2)


def manage(data_dir: str, *arguments: str) -> str:
    environment = {**os.environ, "DATA_DIR": data_dir, "PLATFORM_MODE": "embedded"}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def show_memory(pid: int, when: str) -> None:
    """The proportional set size of every process below the supervisor."""
    total = 0.0
    for child in descendants(pid):
        with open(f"/proc/{child}/cmdline", "rb") as file:
            name = " ".join(file.read().decode().replace("\0", " ").split()[1:5])
        with open(f"/proc/{child}/smaps_rollup") as file:
            kilobytes = next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        total += kilobytes / 1024
        print(f"  {kilobytes / 1024:6.1f} MB  {name}")
    print(f"memory of web server, worker and beat together, {when}: {total:.0f} MB")


def descendants(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue  # it ended while we looked
            if parent == pid:
                found += [int(entry.name), *descendants(int(entry.name))]
    return found


if __name__ == "__main__":
    raise SystemExit(main())
