"""A virtual environment for each tool, made when a test first needs it and kept for the next run.

They lie in the folder that ``OTHER_TOOLS`` names, else in ``.venv/other_tools``. A tool that cannot be installed skips
its tests with pip's last words; what is half there is made anew the next time.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = ROOT / "tests" / "corpus" / "written"
SCRIPTS = Path(__file__).parent / "scripts"
INSTALLING, RUNNING = 900, 300  # seconds
DONE = "installed.txt"


@dataclass(frozen=True)
class Tool:
    """A tool by its packages. Those ``alone`` are installed without what they ask for, which is then named here."""

    name: str
    packages: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        digest = sha256(repr((self.packages, self.alone, sys.version_info[:2])).encode()).hexdigest()[:8]
        kept = Path(os.environ.get("OTHER_TOOLS") or ROOT / ".venv" / "other_tools")
        return kept / f"{self.name}-{digest}"

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def site_packages(self) -> Path:
        return next(self.folder.glob("lib/python*/site-packages"))


def ready(tool: Tool) -> None:
    """Install a tool if it is not there; skip the test where that cannot be done."""
    tool.folder.parent.mkdir(parents=True, exist_ok=True)
    with (tool.folder.parent / f"{tool.folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two processes of one run may want the same tool
        if (tool.folder / DONE).exists():
            return
        shutil.rmtree(tool.folder, ignore_errors=True)
        venv.create(tool.folder, with_pip=True, symlinks=True)
        for how, packages in (("", tool.packages), ("--no-deps", tool.alone)):
            if packages:
                _install(tool, [*how.split(), *packages])
        (tool.folder / DONE).write_text("\n".join((*tool.packages, *tool.alone)))


def run(tool: Tool, script: Path, *arguments: object, cwd: Path, **environment: str) -> str:
    """What a script says that the tool's own Python runs; the test fails with its last words when it fails."""
    ready(tool)
    command = [str(tool.python), str(script), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, env=_plain_environment(environment), capture_output=True, text=True, timeout=RUNNING
    )
    assert done.returncode == 0, f"{script.name}: {done.stdout[-1_000:]}\n{done.stderr[-3_000:]}"
    return done.stdout


def _install(tool: Tool, what: list[str]) -> None:
    command = [str(tool.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLING)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{tool.name} was not installed within {INSTALLING} seconds")
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:] or ["no reason told"]
        pytest.skip(f"{tool.name} cannot be installed: {last[0]}")


def _plain_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Without what belongs to our own environment."""
    ours = ("PYTHON", "VIRTUAL_ENV", "DJANGO", "DATABASE", "COV_", "PYTEST")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1", "PYTHONWARNINGS": "ignore"} | more
