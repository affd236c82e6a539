"""A folder or an archive from anybody is checked without reading or writing anything outside of it."""

import hashlib
import json
import os
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from annotation_client import ReleaseDiffersError, archives, verify_release
from annotation_client.archives import unpacked
from annotation_client.verify import main, problems_of


def entry(path: str, content: bytes = b"a,b\n", **said: Any) -> dict[str, Any]:
    return {"path": path, "size": len(content), "sha256": hashlib.sha256(content).hexdigest(), **said}


def release_in(folder: Path, *entries: Any, content: bytes = b"a,b\n") -> Path:
    """A release of one file; its manifest has these entries instead, where some are given."""
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "rows.csv").write_bytes(content)
    manifest = {"format": 2, "files": list(entries) or [entry("data/rows.csv", content)]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_a_whole_release_is_fine(tmp_path: Path) -> None:
    folder = release_in(tmp_path / "release")
    assert problems_of(folder) == []
    assert verify_release(folder) == hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()


OUT = ["../secret", "data/../../secret", "/etc/hostname", "data//rows.csv", "./data/rows.csv", "", "C:\\x", "a\\..\\b"]


@pytest.mark.parametrize("path", [*OUT, "nul\0in it"])
def test_a_manifest_names_nothing_outside_the_folder(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret").write_bytes(b"a,b\n")
    (found, rest) = problems_of(release_in(tmp_path / "release", entry(path)))
    assert found.startswith("Entry 1 of manifest.json names")
    assert rest == "data/rows.csv does not belong to the release."


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (None, "is none"),
        ([], "is none"),
        ({}, "names no file"),
        ({"path": 3, "size": 4, "sha256": "0" * 64}, "names no file"),
        (entry("data/rows.csv", size=-1), "no size"),
        (entry("data/rows.csv", size=True), "no size"),
        (entry("data/rows.csv", size=10**400), "no size"),
        (entry("data/rows.csv", size=4.0), "no size"),
        (entry("data/rows.csv", sha256="xyz"), "no SHA-256"),
        (entry("data/rows.csv", sha256=None), "no SHA-256"),
        (entry("manifest.json"), "once more"),
    ],
)
def test_an_entry_that_is_none_is_told(tmp_path: Path, said: Any, wrong: str) -> None:
    assert wrong in problems_of(release_in(tmp_path / "release", said))[0]


@pytest.mark.parametrize(
    "text",
    ["", "[" * 100_000, '{"files": {}}', "[]", '{"files": [{"size": 1' + "0" * 10_000 + "}]}", "\ud800", "null"],
)
def test_a_manifest_that_is_none_is_told(tmp_path: Path, text: str) -> None:
    folder = release_in(tmp_path / "release")
    (folder / "manifest.json").write_bytes(text.encode(errors="surrogatepass"))
    assert "manifest.json" in problems_of(folder)[0]


def test_a_file_that_is_named_twice_or_not_at_all(tmp_path: Path) -> None:
    folder = release_in(tmp_path / "release", entry("data/rows.csv"), entry("data/rows.csv", b"other"))
    (folder / "data" / "steer\x1b[2J.csv").write_text("x")
    assert problems_of(folder) == [
        "Entry 2 of manifest.json names data/rows.csv once more.",
        "'data/steer\\x1b[2J.csv' does not belong to the release.",
    ]


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "rows.csv").write_bytes(b"a,b\n")
    folder = release_in(tmp_path / "release", entry("data/rows.csv"), entry("linked/rows.csv"))
    (folder / "data" / "rows.csv").unlink()
    (folder / "data" / "rows.csv").symlink_to(tmp_path / "outside" / "rows.csv")
    (folder / "linked").symlink_to(tmp_path / "outside")
    (folder / "more").symlink_to(tmp_path / "outside")
    assert problems_of(folder) == [
        "data/rows.csv is a link, or lies behind one.",
        "linked/rows.csv is a link, or lies behind one.",
        "linked does not belong to the release.",
        "more does not belong to the release.",
    ]


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    folder = release_in(tmp_path / "release", entry("pipe", b""), entry("data", b""), entry("data/rows.csv/deeper"))
    os.mkfifo(folder / "pipe")
    told = problems_of(folder)
    assert told[:3] == ["pipe is no plain file.", "data is no plain file.", "data/rows.csv/deeper is missing."]


def test_a_manifest_that_is_a_link_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = release_in(tmp_path / "release")
    (folder / "manifest.json").rename(tmp_path / "elsewhere.json")
    (folder / "manifest.json").symlink_to(tmp_path / "elsewhere.json")
    assert main([str(folder)]) == 1
    assert "is a link" in capsys.readouterr().out


def archive_of(path: Path, write: Callable[[zipfile.ZipFile], None]) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name twice
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            write(archive)
    return path


def whole(archive: zipfile.ZipFile, *, inside: str = "study-release-1/") -> None:
    manifest = json.dumps({"files": [entry("data/rows.csv")]})
    archive.writestr(f"{inside}data/rows.csv", b"a,b\n")
    archive.writestr(f"{inside}manifest.json", manifest)


def linked(archive: zipfile.ZipFile) -> None:
    whole(archive)
    info = zipfile.ZipInfo("study-release-1/link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(info, "/etc/hostname")


def with_more(name: str, content: bytes = b"x") -> Callable[[zipfile.ZipFile], None]:
    def write(archive: zipfile.ZipFile) -> None:
        whole(archive)
        archive.writestr(name, content)

    return write


DIGEST = hashlib.sha256(json.dumps({"files": [entry("data/rows.csv")]}).encode()).hexdigest()
WHOLE = 4 + len(json.dumps({"files": [entry("data/rows.csv")]}))


@pytest.mark.parametrize("inside", ["", "study-release-1/"])
def test_a_release_is_unpacked(tmp_path: Path, inside: str) -> None:
    archive = archive_of(tmp_path / "a.zip", lambda files: whole(files, inside=inside))
    root = unpacked(archive, tmp_path / "target", digest=DIGEST, size=WHOLE)
    assert (root / "data" / "rows.csv").read_bytes() == b"a,b\n"
    assert not archive.exists()


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (with_more("../escaped"), "no path inside"),
        (with_more("/escaped"), "no path inside"),
        (with_more("study-release-1/data/rows.csv"), "twice"),
        (linked, "is a link"),
        (with_more("study-release-1/bomb", b"0" * 50_000_000), "unpacks to 50,0"),
        (with_more("study-release-1/e"), "unpacks to"),
        (with_more("study-release-1/data/rows.csv/deeper"), "inside of a file"),
        (with_more("study-release-1/data/rows.csv/", b""), "twice"),
        (with_more("study-release-1/data", b""), "inside of a file"),
        (with_more(f"study-release-1/{'é' * 200}", b""), "no file can have"),
        (with_more("study-release-1/study-release-1/inner", b""), "does not belong"),
    ],
)
def test_a_hostile_archive_leaves_nothing(tmp_path: Path, write: Callable[[zipfile.ZipFile], None], said: str) -> None:
    archive = archive_of(tmp_path / "a.zip", write)
    with pytest.raises(ReleaseDiffersError, match=said):
        unpacked(archive, tmp_path / "target", digest=DIGEST, size=WHOLE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cut", [0, 10, 150, -30, -1])
def test_a_damaged_archive_leaves_nothing(tmp_path: Path, cut: int) -> None:
    archive = archive_of(tmp_path / "a.zip", whole)
    archive.write_bytes(archive.read_bytes()[:cut])
    with pytest.raises(ReleaseDiffersError, match="damaged"):
        unpacked(archive, tmp_path / "target", digest=DIGEST, size=WHOLE)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "mine").write_text("kept")
    archive = archive_of(tmp_path / "a.zip", whole)
    with pytest.raises(FileExistsError):
        unpacked(archive, tmp_path / "target", digest=DIGEST, size=WHOLE)
    assert (tmp_path / "target" / "mine").read_text() == "kept"


def test_an_unpacking_that_is_broken_off_leaves_no_folder_that_looks_like_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(archive: zipfile.ZipFile, folder: Path) -> None:
        archive.extract(archive.infolist()[0], folder)
        raise KeyboardInterrupt

    def pressed_again(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(zipfile.ZipFile, "extractall", interrupted)
        patched.setattr(archives.shutil, "rmtree", pressed_again)
        archive = archive_of(tmp_path / "a.zip", whole)
        with pytest.raises(KeyboardInterrupt):
            unpacked(archive, tmp_path / "target", digest=DIGEST, size=WHOLE)
    assert not (tmp_path / "target").exists()
    (left,) = tmp_path.iterdir()
    os.utime(left, times=(0, 0))  # of a process that was killed long ago
    archive = archive_of(tmp_path / "a.zip", whole)
    unpacked(archive, tmp_path / "target", digest=DIGEST, size=WHOLE)
    assert [each.name for each in tmp_path.iterdir()] == ["target"]


def comes_and_ends_in_the_middle(other: Callable[[Path], None], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have another download, given its archive, come and end while the next one checks what it has unpacked."""
    check = archives.verify_release

    def meanwhile(unpacked_in: Path) -> str:
        monkeypatch.setattr(archives, "verify_release", check)
        other(archive_of(folder / "a.zip", whole))
        return check(unpacked_in)

    monkeypatch.setattr(archives, "verify_release", meanwhile)


def test_two_downloads_of_one_release_at_once_do_not_spoil_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"

    def other(archive: Path) -> None:
        assert unpacked(archive, target, digest=DIGEST, size=WHOLE) == target

    comes_and_ends_in_the_middle(other, tmp_path, monkeypatch)
    with pytest.raises(FileExistsError):
        unpacked(archive_of(tmp_path / "a.zip", whole), target, digest=DIGEST, size=WHOLE)
    assert archives.verify_release(target) == DIGEST
    assert [each.name for each in tmp_path.iterdir()] == ["target"]


def test_a_download_that_fails_leaves_the_other_one_of_the_same_release_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"

    def other(archive: Path) -> None:
        with pytest.raises(ReleaseDiffersError):
            unpacked(archive, target, digest="0" * 64, size=WHOLE)

    comes_and_ends_in_the_middle(other, tmp_path, monkeypatch)
    assert unpacked(archive_of(tmp_path / "a.zip", whole), target, digest=DIGEST, size=WHOLE) == target
    assert [each.name for each in tmp_path.iterdir()] == ["target"]


def test_another_release_leaves_nothing(tmp_path: Path) -> None:
    archive = archive_of(tmp_path / "a.zip", whole)
    with pytest.raises(ReleaseDiffersError, match="and not"):
        unpacked(archive, tmp_path / "target", digest="0" * 64, size=WHOLE)
    assert list(tmp_path.iterdir()) == []
