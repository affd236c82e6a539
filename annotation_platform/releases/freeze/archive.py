"""A release as one ZIP file that is nowhere: each of its bytes is told from the files, so that any range of it can be
sent without making what comes before."""

import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from zlib import crc32

from annotation_platform.releases.models import Release

PIECE = 1 << 18
STORED, DEFLATED = 0, 8
UTF8_NAMES = 1 << 11
AT = (1980, 1, 1, 0, 0, 0)  # files say nothing of when somebody downloaded them
FIRST_OF_1980 = (1 << 5) | 1  # the same as ZIP files have it
READ_ONLY_FILE = 0o100444 << 16
PLAIN, ZIP64 = 20, 45  # the version of the format that it takes to read it
FULL, FULL_SHORT = 0xFFFFFFFF, 0xFFFF


@dataclass(frozen=True)
class Member:
    """A file in the ZIP file; ``source`` holds its bytes as they are there, deflated if they are not ``size`` many."""

    name: str
    source: Path
    size: int
    packed: int
    crc: int

    @property
    def method(self) -> int:
        return STORED if self.packed == self.size else DEFLATED

    def header(self) -> bytes:
        """What stands before its bytes."""
        is_large = self.size >= FULL
        more = struct.pack("<HHQQ", 1, 16, self.size, self.packed) if is_large else b""
        sizes = (FULL, FULL) if is_large else (self.packed, self.size)
        name = self.name.encode()
        return (
            b"PK\3\4"
            + struct.pack("<HHH", ZIP64 if is_large else PLAIN, UTF8_NAMES, self.method)
            + struct.pack("<HHLLLHH", 0, FIRST_OF_1980, self.crc, *sizes, len(name), len(more))
            + name
            + more
        )

    def entry(self, offset: int) -> bytes:
        """What the directory at the end says of it."""
        wide = [(self.size, self.size), (self.packed, self.size), (offset, offset)]
        too_large = [value for value, decides in wide if decides >= FULL]
        more = struct.pack(f"<HH{len(too_large)}Q", 1, 8 * len(too_large), *too_large) if too_large else b""
        size, packed, at = (FULL if decides >= FULL else value for value, decides in wide)
        version = ZIP64 if too_large else PLAIN
        name = self.name.encode()
        return (
            b"PK\1\2"
            + struct.pack("<BBHHH", version, 3, version, UTF8_NAMES, self.method)
            + struct.pack(
                "<HHLLLHHHHHLL",
                0,
                FIRST_OF_1980,
                self.crc,
                packed,
                size,
                len(name),
                len(more),
                0,
                0,
                0,
                READ_ONLY_FILE,
                at,
            )
            + name
            + more
        )


class ZipOfFiles:
    """The ZIP file of some members: ``length`` in bytes, ``etag`` of them, and any range of them."""

    def __init__(self, members: Sequence[Member]) -> None:
        parts: list[tuple[bytes | Path, int]] = []
        directory, offset = bytearray(), 0
        for member in members:
            header = member.header()
            directory += member.entry(offset)
            parts += [(header, len(header)), (member.source, member.packed)]
            offset += len(header) + member.packed
        end = bytes(directory) + _end(len(members), len(directory), offset)
        self._parts = [*parts, (end, len(end))]
        self._starts = [0, *accumulate(length for _, length in self._parts)]
        self.length = self._starts[-1]
        self.etag = sha256(end).hexdigest()[:32]

    def read_range(self, start: int, stop: int) -> Iterator[bytes]:
        """The bytes from ``start`` to before ``stop``, in pieces."""
        stop = min(stop, self.length)
        place = bisect_right(self._starts, start) - 1
        while start < stop:
            (part, length), begin = self._parts[place], self._starts[place]
            upto = min(stop - begin, length)
            if isinstance(part, bytes):
                yield part[start - begin : upto]
            elif start - begin < upto:
                yield from _piece_by_piece(part, start - begin, upto)
            start, place = begin + length, place + 1


def _piece_by_piece(path: Path, start: int, stop: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(start)
        while start < stop and (piece := file.read(min(PIECE, stop - start))):
            yield piece
            start += len(piece)


def _crc_of(path: Path) -> int:
    crc = 0
    for piece in _piece_by_piece(path, 0, path.stat().st_size):
        crc = crc32(piece, crc)
    return crc


def _end(count: int, size: int, offset: int) -> bytes:
    """What says where the directory is; twice where the numbers are too large for the old form."""
    large = b""
    if count >= FULL_SHORT or size >= FULL or offset >= FULL:
        large = b"PK\6\6" + struct.pack("<QHHLLQQQQ", 44, ZIP64, ZIP64, 0, 0, count, count, size, offset)
        large += b"PK\6\7" + struct.pack("<LQL", 0, offset + size, 1)
    n = min(count, FULL_SHORT)
    return large + b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, n, n, min(size, FULL), min(offset, FULL), 0)


def zip_of(release: Release) -> ZipOfFiles:
    """The whole of a frozen release; as long as its files are not deflated yet, they are in it as they are."""
    members, files = [], files_in(release.folder)
    if not release.packed:
        release.packed = {path: [_crc_of(release.folder / path), size] for path, size in files}
        Release.objects.filter(pk=release.pk, packed={}).update(packed=release.packed)
    for path, size in files:
        crc, left = release.packed[path]
        source, deflated = release.folder / path, packed_folder(release) / path
        is_there = left < size and deflated.is_file() and deflated.stat().st_size == left
        name = f"{stem_of(release)}/{path}"
        members.append(Member(name, deflated if is_there else source, size, left if is_there else size, crc))
    return ZipOfFiles(members)


def packed_folder(release: Release) -> Path:
    """Where the deflated files lie: they can be made again from the others."""
    return release.folder.with_name(f"{release.digest}.packed")


def stem_of(release: Release) -> str:
    return f"{release.study.slug}-release-{release.number}"


def files_in(folder: Path) -> list[tuple[str, int]]:
    """Every file by its path in the folder, and its size."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [(file.relative_to(folder).as_posix(), file.stat().st_size) for file in files]
