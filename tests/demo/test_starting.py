"""What ``make demo`` says when it cannot start, and what a reset takes away."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from annotation_platform.demo.__main__ import CannotStartError, chosen_port, only_one_in, reset

ROOT = Path(__file__).resolve().parents[2]


def demo(data_dir: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "annotation_platform.demo"],
        cwd=ROOT,
        env=os.environ | {"DATA_DIR": str(data_dir)} | environment,
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_a_taken_port_gives_one_clear_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = demo(tmp_path, PORT=str(port))
    assert result.returncode == 1
    assert result.stderr.strip().splitlines() == [
        f"Port {port} cannot be used (Address already in use). Choose another one, for example: PORT=8000 make demo"
    ]
    assert result.stdout == ""


@pytest.mark.parametrize("text", ["http", "0", "65536", "-1"])
def test_a_port_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PORT", text)
    with pytest.raises(CannotStartError, match="must be a number from 1 to 65535"):
        chosen_port()


def test_a_second_demo_on_the_same_data_is_refused(tmp_path: Path) -> None:
    with only_one_in(tmp_path):
        result = demo(tmp_path, PORT="48999")
    assert result.returncode == 1
    assert "running already" in result.stderr


def test_a_reset_takes_away_what_the_demo_made_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    for name in ("exports", "imports", "holds", "releases"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old.csv").touch()
    for name in ("platform.sqlite3", "platform.sqlite3-wal", "beat-schedule", "thesis.txt"):
        (tmp_path / name).touch()
    reset(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_reset_leaves_a_link_s_folder_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    elsewhere = tmp_path / "large disk"
    elsewhere.mkdir()
    (elsewhere / "thesis.txt").touch()
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / "exports").symlink_to(elsewhere)
    reset(data_dir)
    assert not list(data_dir.iterdir())
    assert (elsewhere / "thesis.txt").exists()


def test_a_reset_does_not_say_that_it_forgets_a_server_s_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://platform@127.0.0.1:9/platform")
    (tmp_path / "exports").mkdir()
    with pytest.raises(CannotStartError, match="DATABASE_URL is set"):
        reset(tmp_path)
    assert (tmp_path / "exports").is_dir()


def test_a_folder_that_cannot_be_written_gives_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = demo(tmp_path / "file" / "data", PORT="48999")
    assert result.returncode == 1
    (line,) = result.stderr.strip().splitlines()
    assert "cannot be written (Not a directory). Name another folder" in line


def test_a_terminal_without_our_signs_is_no_reason_to_end(tmp_path: Path) -> None:
    environment = os.environ | {"DATA_DIR": str(tmp_path), "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "manage.py", "check_scheme", str(tmp_path / "none … at all.yaml")]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=30)
    assert result.returncode == 1
    assert b"none ? at all.yaml: cannot be read" in result.stderr


@pytest.mark.parametrize(("given", "told"), [("ascii", "ascii"), ("iso8859-1", "latin-1")])
def test_what_goes_into_a_file_is_never_damaged_for_want_of_signs(tmp_path: Path, given: str, told: str) -> None:
    """Python's own error calls some encodings by another name than the one that was given."""
    environment = os.environ | {"DATA_DIR": str(tmp_path), "PYTHONIOENCODING": given}
    command = [sys.executable, "manage.py", "shell", "--no-imports", "--command", "print('\\u540d')"]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=60)
    assert (result.returncode, result.stdout) == (1, b"")
    assert f"has signs that {told} lacks. Set PYTHONIOENCODING=utf-8".encode() in result.stderr
