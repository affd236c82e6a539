"""Files that were downloaded: whether they are what was sent, and releases unpacked and checked."""

import shutil
import zipfile
from pathlib import Path

from annotation_client.errors import ReleaseDiffersError
from annotation_client.verify import MANIFEST, problems_of, sha256_of


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


def unpacked(archive: Path, target: Path, *, digest: str) -> Path:
    """Unpack a release into a folder that is not there yet, check it, and remove the archive.

    Raises
    ------
    ReleaseDiffersError
        When a file is not as it was frozen, or it is another release.
    FileExistsError
        When there is such a folder.
    """
    try:
        target.mkdir()
        with zipfile.ZipFile(archive) as files:
            files.extractall(target)
    finally:
        archive.unlink()
    root = _root(target)
    if (found := verify_release(root)) != digest:
        raise ReleaseDiffersError(f"This is release {found}, and not {digest}.")
    return root


def _root(target: Path) -> Path:
    """The files themselves stand in ``target``, also when the archive has a folder around them."""
    inside = list(target.iterdir())
    if (target / MANIFEST).exists() or len(inside) != 1 or not inside[0].is_dir():
        return target
    for each in inside[0].iterdir():
        shutil.move(each, target)
    inside[0].rmdir()
    return target
