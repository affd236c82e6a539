"""Files that were downloaded: whether they are what was sent, and releases unpacked and checked."""

import secrets
import shutil
import stat
import struct
import time
import zipfile
import zlib
from contextlib import suppress
from glob import escape
from pathlib import Path, PurePosixPath

from annotation_client.errors import ReleaseDiffersError
from annotation_client.verify import MANIFEST, problems_of, sha256_of, told, why_no_path

LONGEST_NAME = 255  # bytes, on the disks that there are
UNPACKING = ".unpacking"
LONG_AGO = 24 * 60 * 60.0  # seconds


def check_sum(file: Path, sha256: str) -> None:
    """
    Raises
    ------
    ReleaseDiffersError
        When the file has another SHA-256.
    """
    if sha256_of(file) != sha256:
        raise ReleaseDiffersError(f"{file} is not what was sent: its SHA-256 is another one. Download it again.")


def verify_release(folder: str | Path) -> str:
    """Check all files of a release, anywhere and without the platform; give the SHA-256 by which it is cited.

    Raises
    ------
    ReleaseDiffersError
        With a line for each file that is missing, changed, or does not belong to it.
    """
    if found := problems_of(Path(folder)):
        raise ReleaseDiffersError("\n".join(found))
    return sha256_of(Path(folder) / MANIFEST)


def new_folder(folder: str | Path, study: str, number: int) -> Path:
    """Where a release will be unpacked, below a folder that is there then.

    Raises
    ------
    FileExistsError
        When it has been, which is known before anything is downloaded.
    """
    target = release_folder(folder, study, number)
    if target.exists():
        raise FileExistsError(f"{target} is there already. Check it with “annotate verify”, or move it away.")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def release_folder(folder: str | Path, study: str, number: int) -> Path:
    """What the folder of a release is called."""
    return Path(folder) / f"{study}-release-{number}"


def unpacked(archive: Path, target: Path, *, digest: str, size: int) -> Path:
    """Unpack a release into a folder that is not there yet, check it, and remove the archive.

    The folder gets its name once all of it is there and checked; until then archive and files are in one of this
    download alone. An archive that is damaged, or none of a release of ``size`` bytes, leaves nothing behind.

    Raises
    ------
    ReleaseDiffersError
        When a file is not as it was frozen, it is another release, or the archive holds what no release does: paths out
        of the folder, links, a file twice, more bytes than the release has.
    FileExistsError
        When there is such a folder.
    """
    own = target.with_name(f"{target.name}.{secrets.token_hex(8)}{UNPACKING}")
    _forget_left_behind(target)
    own.mkdir()
    try:
        archive, files = archive.rename(own / "archive"), own / "files"
        files.mkdir()
        _refuse_existing(target)
        _unpack(archive, files, size)
        if (found := verify_release(_root(files))) != digest:
            raise ReleaseDiffersError(f"This is release {found}, and not {digest}.")
        _refuse_existing(target)  # by another download meanwhile
        return files.rename(target)
    finally:
        shutil.rmtree(own, ignore_errors=True)


def _refuse_existing(target: Path) -> None:
    if target.exists():
        raise FileExistsError(f"{target} is there already.")


def _forget_left_behind(target: Path) -> None:
    """Remove what processes have left that were ended in the middle, long ago: no other one can be at it."""
    for folder in target.parent.glob(f"{escape(target.name)}.*{UNPACKING}"):
        with suppress(OSError):  # another one removes it, too
            if folder.stat().st_mtime < time.time() - LONG_AGO:
                shutil.rmtree(folder)


def _unpack(archive: Path, target: Path, size: int) -> None:
    try:
        with zipfile.ZipFile(archive) as files:
            _check(files.infolist(), size)
            files.extractall(target)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, struct.error) as error:
        raise ReleaseDiffersError(f"The archive is damaged ({told(str(error))}). Download it again.") from error


def _check(entries: list[zipfile.ZipInfo], size: int) -> None:
    """By what the archive says of itself, before anything is written; no more than that is unpacked."""
    names: set[str] = set()
    files = {entry.filename for entry in entries if not entry.is_dir()}
    for entry in entries:
        name = entry.filename.removesuffix("/")
        because = why_no_path(entry.orig_filename.removesuffix("/"))
        if not because and name in names:
            because = f"holds {told(name)} twice"
        if not because and any(str(folder) in files for folder in PurePosixPath(name).parents):
            because = f"holds {told(name)} inside of a file"
        if not because and max(map(len, name.encode(errors="replace").split(b"/"))) > LONGEST_NAME:
            because = f"holds {told(name[:40])}…, a name that no file can have"
        if not because and stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
            because = f"holds {told(entry.filename)}, which is a link or no plain file"
        if because:
            raise ReleaseDiffersError(f"The archive {because}, so it is none of a release.")
        names.add(name)
    if (unpacked_size := sum(entry.file_size for entry in entries)) > size:
        raise ReleaseDiffersError(
            f"The archive unpacks to {unpacked_size:,} bytes, and the release has {size:,}, so it is none of it."
        )


def _root(target: Path) -> Path:
    """The files themselves stand in ``target``, also when the archive has a folder around them."""
    inside = list(target.iterdir())
    if (target / MANIFEST).exists() or len(inside) != 1 or not inside[0].is_dir():
        return target
    around = inside[0].rename(target / secrets.token_hex(8))  # no name that stands in it
    for each in around.iterdir():
        shutil.move(each, target)
    around.rmdir()
    return target
