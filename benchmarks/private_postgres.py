"""A PostgreSQL server of one's own in a temporary folder, which may be stopped in the middle of the work."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self


class PrivatePostgres:
    """Use as a context manager. Where this is root, the server runs as the user ``postgres``, as it insists on."""

    def __init__(self, *, most_connections: int = 200) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="bench-postgres-"))
        self._most = most_connections
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]

    @property
    def url(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def __enter__(self) -> Self:
        if os.geteuid() == 0:
            shutil.chown(self._folder, "postgres", "postgres")
        self._run("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8")
        settings = f"-p {self.port} -k {self._folder} -c max_connections={self._most} -c listen_addresses=127.0.0.1"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", settings, "start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def crash_and_restart(self) -> None:
        """As after a loss of power: nothing is finished, all connections break, and the log is played back."""
        self._run("pg_ctl", "-w", "-m", "immediate", "-l", str(self._folder / "log"), "restart")

    def _run(self, program: str, *arguments: str) -> None:
        found = shutil.which(program) or str(max(Path("/usr/lib/postgresql").glob(f"*/bin/{program}")))
        command = [found, "-D", str(self._folder / "data"), *arguments]
        user = pwd.getpwnam("postgres").pw_uid if os.geteuid() == 0 else None
        with (self._folder / "commands.log").open("ab") if user is None else open(os.devnull, "wb") as log:
            subprocess.run(command, user=user, cwd="/", stdout=log, stderr=subprocess.STDOUT, check=True)
