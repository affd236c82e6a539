"""A release as one ZIP file, made while it is sent, so that neither memory nor disk holds it."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

from annotation_platform.releases.models import Release

PIECE = 1 << 18
AT = (1980, 1, 1, 0, 0, 0)  # files say nothing of when somebody downloaded them


class _Pipe:
    """What the ZIP is written to: keeps what was written until it is taken."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits elsewhere."""

    def take(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def zipped(release: Release) -> Iterator[bytes]:
    """The pieces of the ZIP file, one after the other."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for file in sorted(file for file in release.folder.rglob("*") if file.is_file()):
            info = zipfile.ZipInfo(f"{stem_of(release)}/{file.relative_to(release.folder).as_posix()}", AT)
            info.compress_type = zipfile.ZIP_STORED if file.suffix == ".parquet" else zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as entry, file.open("rb") as source:
                while piece := source.read(PIECE):
                    entry.write(piece)
                    yield pipe.take()
    yield pipe.take()


def stem_of(release: Release) -> str:
    return f"{release.study.slug}-release-{release.number}"


def files_in(folder: Path) -> list[tuple[str, int]]:
    """Every file by its path in the folder, and its size."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [(file.relative_to(folder).as_posix(), file.stat().st_size) for file in files]
