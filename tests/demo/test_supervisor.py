"""The demo's supervisor, with real processes: it revives what dies, and leaves nobody behind."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.demo.supervisor import RESTARTS, Service, ServiceFailedError, Supervisor

ROOT = Path(__file__).resolve().parents[2]
WITH_GRANDCHILD = """
    import pathlib, subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-c", "import signal, time; {deaf} time.sleep(600)"])
    pathlib.Path({pids!r}).write_text(str(child.pid))
    time.sleep(600)
"""
DEAF = "[signal.signal(n, signal.SIG_IGN) for n in (signal.SIGTERM, signal.SIGINT)];"


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervise(tmp_path: Path, said: list[str]) -> Iterator[Callable[[str], tuple[Supervisor, Service]]]:
    """Start one service, given as a program, under a supervisor that is stopped in the end."""
    supervisors = []

    def start(program: str) -> tuple[Supervisor, Service]:
        command = [sys.executable, "-c", textwrap.dedent(program)]
        service = Service("background worker", command, tmp_path / "logs" / "worker.log")
        supervisor = Supervisor(services=[service], environment=os.environ, say=said.append)
        supervisors.append(supervisor)
        supervisor.start()
        return supervisor, service

    yield start
    for supervisor in supervisors:
        supervisor.stop()


def pid_of(service: Service) -> int:
    assert service.process
    return service.process.pid


def is_running(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text() if os.path.isdir("/proc") else _signalled(pid)
    except (FileNotFoundError, ProcessLookupError):
        return False


def _signalled(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(what: Callable[[], Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s"
        time.sleep(0.02)


def test_a_process_that_is_killed_is_started_again(supervise: Any, said: list[str]) -> None:
    supervisor, service = supervise("import time; time.sleep(600)")
    first = pid_of(service)
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: supervisor.revive() or pid_of(service) != first)
    assert is_running(pid_of(service))
    assert said == ["The background worker stopped (signal 9); starting it again."]


def test_a_process_that_keeps_dying_is_given_up_with_its_last_words(supervise: Any, said: list[str]) -> None:
    supervisor, _ = supervise("import sys; print('the disk is full'); sys.exit(3)")

    def watch() -> None:
        while True:
            supervisor.revive()
            time.sleep(0.02)

    with pytest.raises(ServiceFailedError, match=r"(?s)keeps stopping \(exit status 3\).*the disk is full"):
        watch()
    assert len(said) == RESTARTS


def test_stopping_ends_grandchildren_too_even_deaf_ones(
    supervise: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation_platform.demo.supervisor.GRACE_SECONDS", 1.0)
    pids = tmp_path / "pid"
    supervisor, service = supervise(WITH_GRANDCHILD.format(deaf=DEAF, pids=str(pids)))
    wait_for(lambda: pids.exists() and pids.read_text())
    grandchild = int(pids.read_text())
    assert is_running(grandchild)
    supervisor.stop()
    wait_for(lambda: not is_running(grandchild))
    assert not is_running(pid_of(service))


def test_a_step_that_fails_says_which(supervise: Any) -> None:
    supervisor, _ = supervise("import time; time.sleep(600)")
    with pytest.raises(ServiceFailedError, match="Preparing failed"):
        supervisor.run_step("Preparing", [sys.executable, "-c", "raise SystemExit(2)"])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells processes that their parent has died")
def test_a_supervisor_that_is_killed_outright_takes_its_processes_along(tmp_path: Path) -> None:
    program = """
        import os, pathlib, sys, time
        from annotation_platform.demo.supervisor import Service, Supervisor
        command = [sys.executable, "-c", "import time; time.sleep(600)"]
        service = Service("x", command, pathlib.Path(sys.argv[1]) / "log")
        supervisor = Supervisor(services=[service], environment=os.environ, say=print)
        supervisor.start()
        print(service.process.pid, flush=True)
        time.sleep(600)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        pid = int(process.stdout.readline())
        assert is_running(pid)
        process.kill()
    wait_for(lambda: not is_running(pid))
