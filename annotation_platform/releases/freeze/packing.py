"""The files of a release deflated once, so that its ZIP file need not be made for each download."""

import zlib
from pathlib import Path

from django.conf import settings

from annotation_platform.releases.freeze.archive import PIECE, files_in, packed_folder
from annotation_platform.releases.freeze.writing import folder_beside, keep
from annotation_platform.releases.models import Release

FAST = 1  # the lowest level of deflate
MOST_LEFT = 0.9  # of a file's bytes; what hardly shrinks is stored as it is


def pack(release: Release) -> None:
    """Keep what `deflated` gives of a frozen release, which can be downloaded already."""
    Release.objects.filter(pk=release.pk).update(packed=deflated(release))


def deflated(release: Release) -> dict[str, list[int]]:
    """Deflate the files of a frozen release beside its folder; by path, the CRC-32 and how many bytes are left.

    Those that hardly shrink are not there again; how many they are is then their own size.
    """
    found = {}
    with folder_beside(settings.RELEASES_DIR) as part:
        for path, size in files_in(release.folder):
            source, packed = release.folder / path, part / path
            packed.parent.mkdir(parents=True, exist_ok=True)
            crc, left = _deflate(source, packed)
            if left > MOST_LEFT * size:
                packed.unlink()
                left = size
            found[path] = [crc, left]
        keep(part, packed_folder(release))
    return found


def _deflate(source: Path, target: Path) -> tuple[int, int]:
    deflater, crc, left = zlib.compressobj(FAST, zlib.DEFLATED, -zlib.MAX_WBITS), 0, 0
    with source.open("rb") as file, target.open("wb") as packed:
        while piece := file.read(PIECE):
            crc = zlib.crc32(piece, crc)
            left += packed.write(deflater.compress(piece))
        left += packed.write(deflater.flush())
    return crc, left
