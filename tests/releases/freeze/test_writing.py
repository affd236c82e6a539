"""What is kept is whole, also when the machine loses its power around the freeze."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from annotation_platform.jobs.files import write_whole
from annotation_platform.releases.freeze.writing import keep


def folder_of(path: Path, text: str = "whole") -> Path:
    (path / "data").mkdir(parents=True)
    (path / "data" / "judgments.csv").write_text(text)
    (path / "manifest.json").write_text("{}")
    return path


def _noted(found: list[str], move: Callable[..., None], *paths: Path) -> None:
    found.append("moved")
    move(*paths)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was brought to the disk, by its path at the time, and "moved" in between."""
    found: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda opened: found.append(os.readlink(f"/proc/self/fd/{opened}")))
    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, partial(_noted, found, getattr(os, name)))
    return found


def test_all_of_a_release_is_on_the_disk_before_it_has_its_name(tmp_path: Path, seen: list[str]) -> None:
    part = folder_of(tmp_path / ".x.part")
    keep(part, tmp_path / "name")
    before, after = seen[: seen.index("moved")], seen[seen.index("moved") + 1 :]
    files = (part, part / "data", part / "data" / "judgments.csv", part / "manifest.json")
    assert sorted(before) == sorted(map(str, files))
    assert after == [str(tmp_path)]


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, seen: list[str]) -> None:
    written = write_whole(tmp_path / "a.csv", lambda file: file.write(b"12"))
    assert written.size == 2
    part, *rest = seen
    assert part.startswith(str(tmp_path / ".a.csv."))
    assert rest == ["moved", str(tmp_path)]


@pytest.mark.parametrize("damage", ["another", "", None])
def test_a_damaged_folder_of_the_same_name_is_replaced(tmp_path: Path, damage: str | None) -> None:
    there = folder_of(tmp_path / "name", damage or "")
    if damage is None:
        (there / "data" / "judgments.csv").unlink()
    keep(folder_of(tmp_path / ".x.part"), there)
    assert (there / "data" / "judgments.csv").read_text() == "whole"
    assert [each.name for each in tmp_path.iterdir()] == ["name"]


def test_a_whole_folder_of_the_same_name_stays(tmp_path: Path) -> None:
    there = folder_of(tmp_path / "name")
    before = (there / "manifest.json").stat().st_ino
    keep(folder_of(tmp_path / ".x.part"), there)
    assert (there / "manifest.json").stat().st_ino == before
