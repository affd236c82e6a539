"""The job after a freeze: its files are deflated once, so that the ZIP file need not be made for each download."""

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from annotation_platform.jobs.contract import JobKind
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze.archive import PIECE, files_in, packed_folder
from annotation_platform.releases.freeze.verify import MANIFEST
from annotation_platform.releases.freeze.writing import folder_beside, keep
from annotation_platform.releases.models import Packing, Release

FAST = 1  # the lowest level of deflate
MOST_LEFT = 0.9  # of a file's bytes; what hardly shrinks is stored as it is


def find_unpacked() -> None:
    """Ask for it wherever nobody has yet: of what was frozen just now, or by a version without this job."""
    frozen = Release.objects.filter(status=JobStatus.DONE, withdrawn_at=None, packing=None)
    asked = (Packing(release=each, heartbeat_at=None) for each in frozen)  # no message is under way
    Packing.objects.bulk_create(asked, ignore_conflicts=True)


def try_again(release: Release) -> None:
    """Put it into the queue again where it has failed; the next sweep that finds it there sends its message."""
    failed = Packing.objects.filter(release=release, status=JobStatus.FAILED)
    failed.begin_anew(started_at=None, finished_at=None)


def why_not_packed(release: Release) -> str:
    """Why a release's files are sent as they are; empty where they are deflated, or wait to be."""
    packing: Packing | None = getattr(release, "packing", None)
    return packing.error if packing and packing.status == JobStatus.FAILED else ""


def clear_withdrawn() -> None:
    """Remove what was deflated of releases that were withdrawn since, for nobody downloads them."""
    for release in Release.objects.exclude(withdrawn_at=None).exclude(digest=""):
        shutil.rmtree(packed_folder(release), ignore_errors=True)


def pack(packing: Packing, heartbeat: Heartbeat) -> None:
    """Keep what `deflated` gives of a frozen release, unless that was done before or nobody downloads it any more."""
    release = packing.release
    is_done = 0 < sum(left for _, left in release.packed.values()) < release.size
    if release.withdrawn_at is None and (release.folder / MANIFEST).is_file() and not is_done:
        packed = deflated(release, lambda: heartbeat.beat(1))
        Release.objects.filter(pk=release.pk).update(packed=packed)


def deflated(release: Release, on_file: Callable[[], object] = lambda: None) -> dict[str, list[int]]:
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
            on_file()
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


PACKINGS = JobKind("packing", Packing, pack, find=find_unpacked)
