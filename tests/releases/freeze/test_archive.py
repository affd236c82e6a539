"""The ZIP file of a release: known to the byte before it is made, and made from any byte on."""

import io
import os
import random
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.jobs.contract import claim, waiting
from annotation_platform.releases.freeze import archive, packing
from annotation_platform.releases.freeze.archive import Member, ZipOfFiles, files_in, packed_folder, zip_of
from annotation_platform.releases.freeze.packing import PACKINGS
from annotation_platform.releases.freeze.services import withdraw_release
from annotation_platform.releases.freeze.writing import clear_left_behind
from annotation_platform.releases.models import Packing, Release
from annotation_platform.studies.models import Study
from tests.factories import OPERATOR, study_with_judgments
from tests.releases.freeze.frozen import admin_of, frozen, packed

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=5)


def whole(of: ZipOfFiles) -> bytes:
    return b"".join(of.read_range(0, of.length))


class Ranges(io.RawIOBase):
    """A file that is read by ranges, as somebody does who has it from a server."""

    def __init__(self, of: ZipOfFiles) -> None:
        self._of, self._at = of, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._of.length}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = b"".join(self._of.read_range(self._at, self._at + len(buffer)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def test_it_is_a_zip_file_of_all_files(study: Study) -> None:
    release = packed(frozen(study))
    made = zip_of(release)
    data = whole(made)
    assert len(data) == made.length
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert read.testzip() is None
        assert {each.filename: each.file_size for each in read.infolist()} == {
            f"{study.slug}-release-1/{path}": size for path, size in files_in(release.folder)
        }
        for path, _ in files_in(release.folder):
            assert read.read(f"{study.slug}-release-1/{path}") == (release.folder / path).read_bytes()
    assert made.length < 0.5 * release.size  # tables shrink


def test_any_range_is_what_the_whole_has_there(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "PIECE", 1_000)
    made = zip_of(packed(frozen(study)))
    data, drawn = whole(made), random.Random(7)
    ends = [0, 1, 29, 30, 31, made.length - 22, made.length - 1, made.length]
    edges = [*ends, *(drawn.randrange(made.length) for _ in range(200))]
    for _ in range(1_000):
        start, stop = sorted(drawn.choices(edges, k=2))
        assert b"".join(made.read_range(start, stop)) == data[start:stop]
    assert b"".join(made.read_range(made.length, made.length + 5)) == b""
    assert max(map(len, made.read_range(0, made.length))) <= 1_000 or made.length > 1_000


def test_a_late_range_opens_no_file_before_it(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    made, opened = zip_of(packed(frozen(study))), []
    open_file = Path.open

    def noted(self: Path, *how: Any, **given: Any) -> Any:
        opened.append(self)
        return open_file(self, *how, **given)

    monkeypatch.setattr(Path, "open", noted)
    list(made.read_range(made.length - 10, made.length))
    assert opened == []


def test_it_is_the_same_each_time_and_its_mark_changes_with_its_bytes(study: Study) -> None:
    release = packed(frozen(study))
    first, again = zip_of(release), zip_of(Release.objects.get(pk=release.pk))
    assert (first.etag, first.length, whole(first)) == (again.etag, again.length, whole(again))
    for file in packed_folder(release).rglob("*.csv"):
        file.unlink()  # by somebody who needs the space: they are stored as they are then
    without = zip_of(release)
    assert without.etag != first.etag
    assert without.length > first.length
    with zipfile.ZipFile(io.BytesIO(whole(without))) as read:
        assert read.testzip() is None


def test_before_its_files_are_deflated_they_are_in_it_as_they_are(study: Study) -> None:
    release = frozen(study)
    made = zip_of(release)
    assert made.length > zip_of(packed(release)).length
    with zipfile.ZipFile(io.BytesIO(whole(made))) as read:
        assert read.testzip() is None
        assert {each.compress_type for each in read.infolist()} == {zipfile.ZIP_STORED}


def test_whose_worker_died_after_the_freeze_is_deflated_by_the_next_sweep(
    study: Study, client: Client, settings: Any
) -> None:
    release = frozen(study)
    (pk,) = waiting(PACKINGS)
    assert claim(PACKINGS, pk) is not None  # by a worker that says nothing from then on
    client.force_login(admin_of(study).user)
    address = reverse("download_release", args=[study.slug, 1])
    assert int(client.get(address)["Content-Length"]) > release.size  # as they are
    assert waiting(PACKINGS) == []
    settings.RUN_STALE_AFTER_SECONDS = -1
    assert packed(release).packing.attempts == 2
    assert int(client.get(address)["Content-Length"]) < 0.5 * release.size
    assert waiting(PACKINGS) == []


def test_what_workers_died_over_is_told_and_deflated_after_the_next_download(
    study: Study, client: Client, settings: Any
) -> None:
    release = frozen(study)
    settings.RUN_STALE_AFTER_SECONDS = -1
    for _ in range(PACKINGS.tries):
        (pk,) = waiting(PACKINGS)
        assert claim(PACKINGS, pk) is not None  # by a worker that says nothing from then on
    assert waiting(PACKINGS) == []
    client.force_login(admin_of(study).user)
    page, told = reverse("release", args=[study.slug, 1]), reverse("api_release", args=[study.slug, 1])
    assert "Its files could not be deflated" in client.get(page).text
    assert "2 times" in client.get(told).json()["not_packed"]
    address = reverse("download_release", args=[study.slug, 1])
    client.head(address)
    assert waiting(PACKINGS) == []
    assert int(client.get(address)["Content-Length"]) > release.size  # as they are
    packed(release)
    assert int(client.get(address)["Content-Length"]) < 0.5 * release.size
    assert "could not be deflated" not in client.get(page).text
    assert client.get(told).json()["not_packed"] is None


def test_what_was_deflated_by_an_older_version_is_not_deflated_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = packed(frozen(study))
    Packing.objects.all().delete()
    for file in packed_folder(release).rglob("*.csv"):
        file.unlink()  # by somebody who needs the space
    monkeypatch.setattr(packing, "_deflate", None)
    packed(release)
    assert not list(packed_folder(release).rglob("*.csv"))


def test_nothing_that_was_deflated_stays_of_a_withdrawn_release(study: Study) -> None:
    release, other = packed(frozen(study)), packed(frozen(study))
    withdraw_release(release=release, because="Wrong.", actor=OPERATOR)
    packing.clear_withdrawn()
    assert not packed_folder(release).exists()
    assert packed_folder(other).is_dir()
    assert release.folder.is_dir()
    Packing.objects.update(status=Packing.Status.PENDING, heartbeat_at=None, attempts=0)  # withdrawn before its turn
    Release.objects.update(packed={})
    packed(release)
    assert not packed_folder(release).exists()


def test_what_is_sent_says_how_long_it_is(study: Study, client: Client) -> None:
    release = frozen(study)
    client.force_login(admin_of(study).user)
    answer = client.get(reverse("download_release", args=[study.slug, 1]))
    assert isinstance(answer.streaming_content, Iterator)
    data = b"".join(answer.streaming_content)
    assert int(answer["Content-Length"]) == len(data) == zip_of(release).length
    assert answer["ETag"] == f'"{zip_of(release).etag}"'


def test_files_of_more_than_four_gigabytes(tmp_path: Path) -> None:
    """A file with a hole in it, so that the disk has not got what its size says."""
    size = 5 << 30
    (tmp_path / "large").touch()
    with (tmp_path / "large").open("r+b") as file:
        file.truncate(size)
    (tmp_path / "small").write_bytes(b"after it")
    made = ZipOfFiles(
        [
            Member("large", tmp_path / "large", size, size, 0),
            Member("small", tmp_path / "small", 8, 8, zlib.crc32(b"after it")),
        ]
    )
    with zipfile.ZipFile(Ranges(made)) as read:  # type: ignore[arg-type]
        assert [each.file_size for each in read.infolist()] == [size, 8]
        assert read.getinfo("small").header_offset > 1 << 32
        assert read.read("small") == b"after it"
        with read.open("large") as large:
            assert large.read(1_000) == bytes(1_000)


def test_more_files_than_the_old_form_counts(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"x")
    members = [Member(f"{number}", tmp_path / "one", 1, 1, zlib.crc32(b"x")) for number in range(70_000)]
    with zipfile.ZipFile(Ranges(ZipOfFiles(members))) as read:  # type: ignore[arg-type]
        assert len(read.infolist()) == 70_000
        assert read.read("69999") == b"x"


def test_an_empty_file_and_none(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    data = whole(ZipOfFiles([Member("é/empty", tmp_path / "empty", 0, 0, 0)]))
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert read.namelist() == ["é/empty"]
        assert read.testzip() is None
    assert zipfile.ZipFile(io.BytesIO(whole(ZipOfFiles([])))).namelist() == []


def test_what_a_killed_process_left_of_a_release_goes_after_a_day(settings: Any, tmp_path: Path) -> None:
    settings.RELEASES_DIR = tmp_path / "releases"
    clear_left_behind()
    old, young, at_work, kept = (settings.RELEASES_DIR / name for name in (".a.part", ".b.part", ".c.part", "d"))
    long_ago = time.time() - 90_000
    for folder in (old, young, at_work, kept):
        (folder / "data").mkdir(parents=True)
        (folder / "data" / "items.csv").write_text("a")
        for each in (folder / "data" / "items.csv", folder / "data", folder):
            os.utime(each, (long_ago, long_ago))
    os.utime(young)
    os.utime(at_work / "data" / "items.csv")
    clear_left_behind()
    assert sorted(settings.RELEASES_DIR.iterdir()) == [young, at_work, kept]
