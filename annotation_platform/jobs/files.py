"""Files that the worker makes for somebody: their rows, and writing them whole or not at all."""

import hashlib
import io
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from django.conf import settings
from django.db import models

from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.core.unreadable import why_not_opened
from annotation_platform.jobs.contract import leave
from annotation_platform.jobs.heartbeat import Heartbeat, JobLostError
from annotation_platform.jobs.rows import Job, JobStatus, QueueQuerySet

BUFFER = 1 << 20


class FileJob(Job):
    """A file that is asked for on a page and made by the worker."""

    prefix = ""

    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)

    class Meta(Job.Meta):
        abstract = True

    @property
    def stem(self) -> str:
        """What the names of this row's files begin with; no other row's do."""
        return f"{self.prefix}{self.pk}-"

    @property
    def suffix(self) -> str:
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """Where the file of this claim is, or will be. Every claim has its own, so that two never write to one."""
        return Path(settings.EXPORTS_DIR) / f"{self.stem}{self.worker}.{self.suffix}"

    def remove_files(self) -> None:
        """Remove all files of this row, whole or not, whichever worker made them."""
        for file in Path(settings.EXPORTS_DIR).glob(f"{self.stem}*"):
            file.unlink(missing_ok=True)
        self.remove_parts()

    def remove_parts(self) -> None:
        """Remove what workers that died in the middle of a file have left."""
        for part in Path(settings.EXPORTS_DIR).glob(f".{self.stem}*.part"):
            part.unlink(missing_ok=True)


Row = TypeVar("Row", bound=FileJob)


class ChecksummedFile(io.RawIOBase):
    """A file that knows the SHA-256 and the size of what was written to it."""

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = open(path, "wb", buffering=0)  # noqa: SIM115  # closed with this object
        self._digest = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        written = self._file.write(data)
        self._digest.update(memoryview(data)[:written])
        self.size += written
        return written

    def close(self) -> None:
        try:
            if not self.closed:
                with self._file:
                    os.fsync(self._file.fileno())
        finally:
            super().close()

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


def sync(path: Path) -> None:
    """Have what a file says, or which files a folder has, on the disk, so that it outlives a loss of power."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> ChecksummedFile:
    """Let ``write`` fill a file that is at ``path`` whole or not at all, also after a loss of power; give its checksum
    and size.

    Raises
    ------
    InvalidInputError
        The file cannot be written.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with ChecksummedFile(part) as file, io.BufferedWriter(file, BUFFER) as buffer:
            write(buffer)
        os.replace(part, path)
        sync(path.parent)
    except OSError as error:
        raise InvalidInputError("jobs.not_writable", path=path, why=why_not_opened(error)) from error
    finally:
        with suppress(OSError):  # it is gone, or could not be made at all
            part.unlink()
    return file


def make_file(job: FileJob, heartbeat: Heartbeat, *, total: int, write: Callable[[], ChecksummedFile]) -> None:
    """Carry a job out whose work is to write its file; ``total`` is how many steps ``write`` has.

    Raises
    ------
    InvalidInputError
        The folder cannot be written.
    JobLostError
        Another worker has the job by now; there is no file of this claim then.
    """
    folder = Path(settings.EXPORTS_DIR)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        job.remove_parts()
    except OSError as error:
        raise InvalidInputError("jobs.not_writable", path=folder, why=why_not_opened(error)) from error
    job.total = total
    job.save(update_fields=["total"])
    file = write()
    try:
        leave(job, total=heartbeat.done, done=heartbeat.done, size=file.size, sha256=file.sha256)
    except JobLostError:
        job.path.unlink(missing_ok=True)
        raise


def finished(jobs: QueueQuerySet[Row], pk: int) -> tuple[Row, Path]:
    """A finished row of these and its file.

    Raises
    ------
    NotThereError
        There is none, or its file has been removed.
    """
    job = jobs.filter(pk=pk, status=JobStatus.DONE).first()
    if job is None:
        raise NotThereError("jobs.no_file")
    if not job.path.is_file():
        raise NotThereError("jobs.file_removed")
    return job, job.path
