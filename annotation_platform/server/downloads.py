"""Files as answers: from the middle on, where a download broke off (RFC 9110, one range of bytes).

Every answer that is a file comes from here: one that is stored, one that is put together from any byte on, or one that
is made anew each time and has no ranges.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

PIECE = 1 << 18
NOT_THERE = "The file ends before the range of bytes that was asked for. Download the whole."

_ONE_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


class FileRequest(Protocol):
    """A request, of pages or of the API."""

    @property
    def method(self) -> str | None: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


class Whole(Protocol):
    """A file any range of which can be made: how long it is, a tag that only the same bytes have, and the bytes from
    ``start`` to before ``stop``."""

    @property
    def length(self) -> int: ...

    @property
    def etag(self) -> str: ...

    def read_range(self, start: int, stop: int) -> Iterator[bytes]: ...


class Range(NamedTuple):
    """Bytes ``first`` to ``last``, both of which come along; they are not there when ``last`` is before ``first``."""

    first: int
    last: int


class _Slice:
    """The bytes of a range of a file, which is closed with the answer."""

    def __init__(self, file: BinaryIO, chosen: Range) -> None:
        self._file, self._left = file, chosen.last - chosen.first + 1
        file.seek(chosen.first)

    def __iter__(self) -> Iterator[bytes]:
        while piece := self._file.read(min(PIECE, self._left)):
            self._left -= len(piece)
            yield piece

    def close(self) -> None:
        self._file.close()


def stored(
    request: FileRequest, path: Path, *, filename: str, content_type: str, digest: str = ""
) -> HttpResponse | StreamingHttpResponse:
    """A file on disk, or the range of it that is asked for.

    Parameters
    ----------
    digest
        Its SHA-256, where that is known: what says whether it is still the same file. Otherwise size and time do.
    """
    file = path.open("rb")
    found = path.stat()
    tag = f'"{digest or f"{found.st_size:x}-{found.st_mtime_ns:x}"}"'
    chosen = range_of(request, tag, found.st_size)
    answer = _answer(chosen, found.st_size, lambda within: _Slice(file, within), content_type)
    if answer.status_code == 416:
        file.close()
    return _as_file(answer, filename, tag)


def put_together(
    request: FileRequest, whole: Whole, *, filename: str, content_type: str
) -> HttpResponse | StreamingHttpResponse:
    """A file that is nowhere as a whole, or the range of it that is asked for."""
    tag = f'"{whole.etag}"'
    chosen = range_of(request, tag, whole.length)
    answer = _answer(chosen, whole.length, lambda within: whole.read_range(within.first, within.last + 1), content_type)
    return _as_file(answer, filename, tag)


def passing(pieces: Iterable[bytes], *, content_type: str, filename: str = "") -> StreamingHttpResponse:
    """What is made anew each time, while it is sent: it has no ranges, and says so."""
    answer = StreamingHttpResponse(pieces, content_type=content_type)
    answer["Accept-Ranges"] = "none"
    if filename:
        answer["Content-Disposition"] = content_disposition_header(True, filename)
    return answer


def range_of(request: FileRequest, tag: str, size: int) -> Range | None:
    """The range that is asked for; None: the whole, also where ``If-Range`` names another file than there is.

    Of several ranges, or what is none, nothing comes of it: the whole is sent, as RFC 9110 (14.2) allows.
    """
    headers = request.headers
    if request.method != "GET" or "Range" not in headers or headers.get("If-Range", tag) != tag:
        return None
    match = _ONE_RANGE.fullmatch(headers["Range"].strip())
    first, last = match.groups() if match else ("", "")
    if first and last and int(last) < int(first):
        return None
    if first:
        return Range(int(first), min(int(last or size), size - 1))
    return Range(size - min(int(last), size), size - 1) if last else None


def _answer(
    chosen: Range | None, size: int, cut: Callable[[Range], Iterable[bytes]], content_type: str
) -> HttpResponse | StreamingHttpResponse:
    if chosen is not None and chosen.last < chosen.first:
        where = {"Content-Range": f"bytes */{size}"}
        return HttpResponse(NOT_THERE, status=416, content_type="text/plain; charset=utf-8", headers=where)
    within = chosen or Range(0, size - 1)
    answer = StreamingHttpResponse(cut(within), status=206 if chosen else 200, content_type=content_type)
    answer["Content-Length"] = str(within.last - within.first + 1)
    if chosen:
        answer["Content-Range"] = f"bytes {within.first}-{within.last}/{size}"
    return answer


def _as_file(
    answer: HttpResponse | StreamingHttpResponse, filename: str, tag: str
) -> HttpResponse | StreamingHttpResponse:
    answer["Accept-Ranges"], answer["ETag"] = "bytes", tag
    if answer.status_code != 416:
        answer["Content-Disposition"] = content_disposition_header(True, filename)
    return answer
