"""Writing a release into a folder, for the first time or again."""

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.unreadable import why_not_opened
from annotation_platform.jobs import files
from annotation_platform.jobs.memory import give_memory_back
from annotation_platform.releases.freeze.contents import as_json, files_of, query_of
from annotation_platform.releases.freeze.croissant import croissant
from annotation_platform.releases.freeze.facts import as_then
from annotation_platform.releases.freeze.verify import MANIFEST, sha256_of
from annotation_platform.releases.models import Release

FORMAT = 2
LEFT_BEHIND_AFTER = 24 * 60 * 60  # seconds without a byte; a release is written in minutes


def write_release(
    *, release: Release, snapshot: AgreementSnapshot, folder: Path, on_rows: Callable[[int], None] = lambda rows: None
) -> tuple[str, int]:
    """Write all files into an empty folder; give the SHA-256 of the manifest and the size of all.

    The same rows, code and settings of the release give the same bytes.
    """
    release = as_then(release)
    listed: list[dict[str, Any]] = []
    for each in files_of(release, snapshot, folder, on_rows):
        listed += _write(folder, each.paths, each.write)
        give_memory_back()  # or what Parquet took would lie under what comparing takes
    checksums = {each["path"]: each["sha256"] for each in listed}
    described = as_json(croissant(release, query_of(release), checksums))
    listed += _write(folder, ("croissant.json",), lambda file: file.write(described.encode()))
    manifest = {
        "format": FORMAT,
        "study": release.study.name,
        "release": release.number,
        "frozen_at": release.at.isoformat(),
        "code_version": release.code_version,
        "database": release.database_state,
        "figures": {"signature": snapshot.signature, "data_signature": snapshot.data_signature},
        "files": sorted(listed, key=lambda each: each["path"]),
    }
    content = (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()
    (folder / MANIFEST).write_bytes(content)
    return hashlib.sha256(content).hexdigest(), sum(each["size"] for each in listed) + len(content)


def _write(folder: Path, paths: Sequence[str], write: Callable[..., object]) -> list[dict[str, Any]]:
    """Let ``write`` fill these files at the same time; what the manifest says of them."""
    first, *others = paths
    listed: list[dict[str, Any]] = []

    def fill(file: BinaryIO) -> None:
        if others:
            listed.extend(_write(folder, others, partial(write, file)))
        else:
            write(file)

    (folder / first).parent.mkdir(parents=True, exist_ok=True)
    written = files.write_whole(folder / first, fill)
    return [{"path": first, "size": written.size, "sha256": written.sha256}, *listed]


@contextmanager
def folder_beside(target: Path) -> Iterator[Path]:
    """An empty folder on the disk of another one; it is gone afterwards unless it was moved there.

    Raises
    ------
    InvalidInputError
        The folder cannot be made.
    """
    part = target / f".{secrets.token_hex(8)}.part"
    try:
        part.mkdir(parents=True)
    except OSError as error:
        raise InvalidInputError("jobs.not_writable", path=target, why=why_not_opened(error)) from error
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def clear_left_behind() -> None:
    """Remove what processes that were killed left of releases: folders in which nothing was written for a day."""
    for part in Path(settings.RELEASES_DIR).glob(".*.part"):
        with suppress(FileNotFoundError):  # somebody is at work there
            last = max(each.stat().st_mtime for each in (part, *part.rglob("*")))
            if time.time() - last > LEFT_BEHIND_AFTER:
                shutil.rmtree(part, ignore_errors=True)


def keep(part: Path, folder: Path) -> None:
    """Move a whole folder to where it stays, and have it on the disk.

    One that is there already ought to have the same bytes, since its name says so; where it has not, such as after a
    loss of power, it is replaced.
    """
    for each in (*part.rglob("*"), part):
        if each.is_file():
            each.chmod(0o444)
        files.sync(each)
    try:
        os.rename(part, folder)
    except OSError:
        if not folder.is_dir():
            raise
        if _checksums(folder) == _checksums(part):  # perhaps by a twin of this process
            return
        damaged = part.with_name(f".{secrets.token_hex(8)}.part")  # cleared with others, should this process end here
        os.rename(folder, damaged)
        os.rename(part, folder)
        shutil.rmtree(damaged, ignore_errors=True)
    files.sync(folder.parent)


def _checksums(folder: Path) -> dict[Path, str]:
    return {each.relative_to(folder): sha256_of(each) for each in folder.rglob("*") if each.is_file()}
