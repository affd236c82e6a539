"""Files that the worker makes for somebody: their rows, and writing them whole or not at all."""

import hashlib
import io
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, models, transaction
from django.utils import timezone

from annotation_platform.core.errors import DomainError, InvalidInputError, NotThereError
from annotation_platform.jobs.heartbeat import Heartbeat, JobLostError, JobStoppedError
from annotation_platform.jobs.rows import ACTIVE, QueueQuerySet

logger = logging.getLogger(__name__)

BUFFER = 1 << 20
Beat = Callable[[int], None]


class FileJobStatus(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class FileJob(models.Model):
    """A file that is asked for on a page and made by the worker. The row is the queue: see :func:`carry_out`."""

    Status = FileJobStatus
    prefix = ""

    status = models.CharField(max_length=10, choices=FileJobStatus.choices, default=FileJobStatus.PENDING)
    worker = models.CharField(max_length=200, blank=True, help_text="The claim that holds the row.")
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    total = models.PositiveIntegerField(default=0, help_text="Rows to write, or charts to draw.")
    done = models.PositiveIntegerField(default=0, help_text="Rows written, or charts drawn, so far.")
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-pk"]

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

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


Job = TypeVar("Job", bound=FileJob)


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
        if not self.closed:
            self._file.close()
        super().close()

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> ChecksummedFile:
    """Let ``write`` fill a file that is at ``path`` whole or not at all; give its checksum and size.

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
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):  # it is gone, or could not be made at all
            part.unlink()
    return file


def carry_out(
    jobs: QueueQuerySet[Job], pk: int, *, count: Callable[[Job], int], write: Callable[[Job, Beat], ChecksummedFile]
) -> Job | None:
    """Claim a row and write its file; None when somebody else has it or nothing is left to do.

    ``count`` tells how many steps there are, ``write`` calls the beat after some of them. Afterwards the row is DONE,
    or FAILED with the reason in ``error``, or PENDING again because this process is about to end. One whose worker
    dies stays RUNNING until it is stale; whoever claims it then starts its file anew.
    """
    if (job := _claim(jobs, pk)) is None:
        return None
    try:
        _make(job, count, write)
    except JobLostError as error:
        logger.warning("%s: %s", job, error)
    except JobStoppedError:
        _leave(job, status=FileJobStatus.PENDING, worker="", heartbeat_at=None, done=0)
    except (OperationalError, InterfaceError):
        raise  # the database is away: nothing can be written now, so the row goes stale and is taken up again
    except DomainError as error:
        _fail(job, str(error))
    except OSError as error:
        _fail(job, f"{settings.EXPORTS_DIR} cannot be written: {error.strerror or error}.")
    except Exception as error:
        logger.exception("%s failed", job)
        _fail(job, f"An error in the platform stopped it; its log has the details ({type(error).__name__}).")
    job.refresh_from_db()
    return job


def finished(jobs: QueueQuerySet[Job], pk: int, what: str) -> tuple[Job, Path]:
    """A finished row of these and its file; ``what`` names it to people.

    Raises
    ------
    NotThereError
        There is none, or its file has been removed.
    """
    job = jobs.filter(pk=pk, status=FileJobStatus.DONE).first()
    if job is None:
        raise NotThereError(f"There is no such {what}, or it is not finished.")
    if not job.path.is_file():
        raise NotThereError(f"The file of this {what} has been removed from the server. Make a new one.")
    return job, job.path


def remove_files_of(*, study: models.Model) -> None:
    """Remove what was made for a study once its deletion is committed; the rows go with the study."""
    kinds: list[Any] = FileJob.__subclasses__()
    paths = [job.path for kind in kinds for job in kind.objects.filter(study=study)]

    def remove() -> None:
        for path in paths:
            path.unlink(missing_ok=True)

    transaction.on_commit(remove)


def _claim(jobs: QueueQuerySet[Job], pk: int) -> Job | None:
    claim = {"worker": secrets.token_hex(8), "heartbeat_at": timezone.now(), "done": 0, "error": ""}
    claimed = jobs.claimable().filter(pk=pk).update(status=FileJobStatus.RUNNING, **claim)
    return jobs.get(pk=pk) if claimed else None


def _make(job: Job, count: Callable[[Job], int], write: Callable[[Job, Beat], ChecksummedFile]) -> None:
    folder = Path(settings.EXPORTS_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    for left_behind in folder.glob(f".{job.stem}*.part"):
        left_behind.unlink(missing_ok=True)
    job.total = count(job)
    _ours(job).update(total=job.total)
    with Heartbeat(job) as heartbeat:
        file = write(job, heartbeat.beat)
    written = {"total": heartbeat.done, "done": heartbeat.done, "size": file.size, "sha256": file.sha256}
    try:
        _leave(job, status=FileJobStatus.DONE, finished_at=timezone.now(), **written)
    except JobLostError:
        job.path.unlink(missing_ok=True)
        raise


def _ours(job: FileJob) -> QueueQuerySet[Any]:
    """The row, if this claim still holds it."""
    rows: QueueQuerySet[Any] = QueueQuerySet(type(job))
    return rows.filter(pk=job.pk, worker=job.worker, status=FileJobStatus.RUNNING)


def _leave(job: FileJob, **changes: Any) -> None:
    if not _ours(job).update(**changes):
        raise JobLostError(f"{job} was taken over by another worker.")


def _fail(job: FileJob, reason: str) -> None:
    logger.warning("%s failed: %s", job, reason)
    _ours(job).update(status=FileJobStatus.FAILED, error=reason, finished_at=timezone.now())
