"""Starts a few processes, keeps them running, and leaves none behind. Standard library only, so it stays small."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

GRACE_SECONDS = 6.0  # between asking a process to end and ending it
RESTARTS = 3  # within RESTART_WINDOW_SECONDS; a process that dies more often than that will not come right by itself
RESTART_WINDOW_SECONDS = 60.0
PR_SET_PDEATHSIG = 1


class ServiceFailedError(Exception):
    """A process keeps dying, or a step failed."""


class StoppedError(Exception):
    """Somebody asked for the end (Ctrl-C, SIGTERM, a closed terminal)."""


@dataclass
class Service:
    """A process to keep running, under the name that people read, with the file that takes what it prints."""

    name: str
    command: list[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    deaths: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS + 1))

    def last_words(self, lines: int = 8) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


class Supervisor:
    """Runs services in process groups of their own, so that it alone decides when and in which order they end."""

    def __init__(self, *, services: list[Service], environment: Mapping[str, str], say: Callable[[str], None]) -> None:
        self.services = services
        self.environment = dict(environment)
        self.say = say
        self._stop = threading.Event()
        self._step: subprocess.Popen[bytes] | None = None

    def listen_for_the_end(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._asked_to_stop)

    def _asked_to_stop(self, number: int, frame: FrameType | None) -> None:
        self._stop.set()

    def run_step(self, name: str, command: list[str]) -> None:
        """Run a command to its end, showing what it prints."""
        self._step = self._spawn(command, None)
        while (code := self._step.poll()) is None:
            self.pause(0.02)
        self._step = None
        if code:
            raise ServiceFailedError(f"{name} failed; see above.")

    def start(self) -> None:
        for service in self.services:
            self._start(service)

    def keep_running(self) -> None:
        """Start again what dies, until somebody asks for the end or a process keeps dying."""
        while True:
            self.pause(0.3)
            self.revive()

    def revive(self) -> None:
        for service in self.services:
            code = service.process.poll() if service.process else None
            if code is None:
                continue
            how = f"signal {-code}" if code < 0 else f"exit status {code}"
            service.deaths.append(time.monotonic())
            self._end_group(service.process)
            if len(service.deaths) > RESTARTS and service.deaths[-1] - service.deaths[0] < RESTART_WINDOW_SECONDS:
                raise ServiceFailedError(
                    f"The {service.name} keeps stopping ({how}). The end of {service.log}:\n{service.last_words()}"
                )
            self.say(f"The {service.name} stopped ({how}); starting it again.")
            self._start(service)

    def pause(self, seconds: float) -> None:
        if self._stop.wait(seconds):
            raise StoppedError

    def stop(self) -> None:
        """End everything: ask all, wait a little, then end what is left, grandchildren included."""
        running = [service.process for service in self.services if service.process] + [self._step]
        processes = [process for process in running if process is not None]
        for process in processes:
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            self._end_group(process)
            process.wait()

    def _start(self, service: Service) -> None:
        service.log.parent.mkdir(parents=True, exist_ok=True)
        service.process = self._spawn(service.command, service.log)

    def _spawn(self, command: list[str], log: Path | None) -> subprocess.Popen[bytes]:
        output = None if log is None else log.open("ab")
        try:
            return subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=None if output is None else subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )
        finally:
            if output is not None:
                output.close()

    @staticmethod
    def _end_group(process: subprocess.Popen[bytes] | None) -> None:
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody left in it
                os.killpg(process.pid, signal.SIGKILL)


def _end_with_parent() -> None:
    """Even a supervisor that is killed outright takes its processes along."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
