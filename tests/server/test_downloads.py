"""Which bytes of a file are sent, and that a download that goes on gets the rest of the same file or the whole."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.test import RequestFactory

from annotation_platform.server.downloads import passing, put_together, stored

pytestmark = pytest.mark.django_db  # an answer that is closed closes connections, too

CONTENT = bytes(range(100))
TYPE = "application/zip"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.zip"
    path.write_bytes(CONTENT)
    return path


def asked(method: str = "get", **headers: str) -> Any:
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    return getattr(RequestFactory(), method)("/", headers=sent)


def content(answer: Any) -> bytes:
    with closing(answer):
        return b"".join(answer)


def of_disk(file: Path, **headers: str) -> Any:
    return stored(asked(**headers), file, filename="rows.zip", content_type=TYPE, digest="d1")


class Pieces:
    """A file that is put together seven bytes at a time."""

    etag = "d1"

    def __init__(self, content: bytes) -> None:
        self._content, self.length = content, len(content)

    def read_range(self, start: int, stop: int) -> Iterator[bytes]:
        for place in range(start, stop, 7):
            yield self._content[place : min(place + 7, stop)]


def of_pieces(file: Path, **headers: str) -> Any:
    return put_together(asked(**headers), Pieces(file.read_bytes()), filename="rows.zip", content_type=TYPE)


BOTH = pytest.mark.parametrize("sent", [of_disk, of_pieces])


@BOTH
def test_the_whole_says_that_it_has_ranges(sent: Any, file: Path) -> None:
    answer = sent(file)
    assert (answer.status_code, content(answer)) == (200, CONTENT)
    assert (answer["Accept-Ranges"], answer["ETag"]) == ("bytes", '"d1"')
    assert answer["Content-Disposition"] == 'attachment; filename="rows.zip"'


@BOTH
@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("bytes=0-", 0, 99),
        ("bytes=40-", 40, 99),
        ("bytes=40-49", 40, 49),
        ("bytes=7-13", 7, 13),
        ("bytes=99-", 99, 99),
        ("bytes=0-0", 0, 0),
        ("bytes=90-1000", 90, 99),
        ("bytes=-10", 90, 99),
        ("bytes=-1000", 0, 99),
    ],
)
def test_one_range(sent: Any, file: Path, said: str, first: int, last: int) -> None:
    answer = sent(file, range=said, if_range='"d1"')
    assert (answer.status_code, content(answer)) == (206, CONTENT[first : last + 1])
    assert answer["Content-Range"] == f"bytes {first}-{last}/100"
    assert answer["Content-Length"] == str(last + 1 - first)


@BOTH
@pytest.mark.parametrize("said", ["bytes=100-", "bytes=1000-2000", "bytes=-0"])
def test_a_range_after_the_end_is_not_there(sent: Any, file: Path, said: str) -> None:
    answer = sent(file, range=said)
    assert (answer.status_code, answer["Content-Range"]) == (416, "bytes */100")


@BOTH
@pytest.mark.parametrize("said", ["bytes=1-2,5-6", "bytes=9-3", "bytes=-", "bytes=a-b", "rows=1-2", "bytes=²-", ""])
def test_what_is_no_range_or_several_gets_the_whole(sent: Any, file: Path, said: str) -> None:
    answer = sent(file, range=said)
    assert (answer.status_code, content(answer)) == (200, CONTENT)


@BOTH
@pytest.mark.parametrize("tag", ['"d2"', 'W/"d1"', "Sat, 28 Nov 2026 07:00:00 GMT"])
def test_of_another_file_than_was_begun_it_is_the_whole(sent: Any, file: Path, tag: str) -> None:
    answer = sent(file, range="bytes=40-", if_range=tag)
    assert (answer.status_code, content(answer)) == (200, CONTENT)


def test_a_head_has_no_range(file: Path) -> None:
    answer = stored(asked("head", range="bytes=4-"), file, filename="rows.zip", content_type=TYPE)
    assert (answer.status_code, answer["Content-Length"], content(answer)) == (200, "100", CONTENT)


def test_without_a_checksum_another_content_has_another_tag(file: Path) -> None:
    tags = set()
    for content in (CONTENT, CONTENT + b"x"):
        file.write_bytes(content)
        answer = stored(asked(), file, filename="rows.zip", content_type=TYPE)
        tags.add(answer["ETag"])
        answer.close()
    assert len(tags) == 2


def test_files_are_closed_with_the_answer(file: Path) -> None:
    for said in ("bytes=1-", "bytes=1000-", ""):
        of_disk(file, range=said).close()
    Path(file).unlink()


def test_an_empty_file(file: Path) -> None:
    file.write_bytes(b"")
    assert content(of_disk(file)) == b""
    assert of_disk(file, range="bytes=0-").status_code == 416


def test_what_is_made_anew_each_time_has_no_ranges() -> None:
    answer = passing([b"a\n"], content_type="application/x-ndjson", filename="a.jsonl")
    assert (answer["Accept-Ranges"], "ETag" in answer) == ("none", False)
