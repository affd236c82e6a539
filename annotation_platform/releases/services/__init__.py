"""Everything that writes exports: requesting, claiming, making, and returning to those left behind."""

import hashlib
import io
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.releases.models import Export, ExportFormat
from annotation_platform.releases.selectors.query import count_rows, export_query
from annotation_platform.releases.services.formats import write_rows
from annotation_platform.scoring.heartbeat import Heartbeat, RunLostError, RunStoppedError
from annotation_platform.studies.models import Member, Study

logger = logging.getLogger(__name__)

BUFFER = 1 << 20


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


def write_export(
    *,
    study: Study,
    format: str,
    path: Path,
    all_batches: bool = False,
    on_rows: Callable[[int], None] = lambda rows: None,
) -> ChecksummedFile:
    """Write an export to ``path``, which is there whole or not at all; give its checksum and size.

    ``on_rows`` must not use the database: on PostgreSQL its connection is busy sending rows.

    Raises
    ------
    InvalidInputError
        The file cannot be written.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with ChecksummedFile(part) as file, io.BufferedWriter(file, BUFFER) as buffer:
            query = export_query(study, all_batches=all_batches)
            write_rows(query=query, format=format, file=buffer, on_rows=on_rows)
        os.replace(part, path)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):  # it is gone, or could not be made at all
            part.unlink()
    return file


def request_export(*, study: Study, requested_by: Member, format: str) -> Export:
    """Put an export into the queue; whoever calls this enqueues or makes it. A double click gets the same one."""
    if format not in ExportFormat.values:
        raise InvalidInputError(f"“{format}” is no format. There are: {', '.join(ExportFormat.values)}.")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        waiting = study.exports.filter(format=format, status=Export.Status.PENDING).first()
        return waiting or Export.objects.create(
            study=study,
            requested_by=requested_by,
            format=format,
            total=count_rows(study),
            filename=f"{study.slug}-{timezone.now():%Y-%m-%d}{ExportFormat(format).ending}",
            heartbeat_at=timezone.now(),  # its message is about to be sent; see exports_to_enqueue
        )


def make_export(*, export_id: int) -> Export | None:
    """Claim an export and write its file; None when somebody else has it or nothing is left to do.

    Afterwards it is DONE, or FAILED with the reason in ``error``, or PENDING again because this process is about
    to end. One whose worker dies stays RUNNING until it is stale; whoever claims it then starts its file anew.
    """
    export = _claim(export_id)
    if export is None:
        return None
    try:
        _make(export)
    except RunLostError as error:
        logger.warning("Export %s: %s", export.pk, error)
    except RunStoppedError:
        _leave(export, status=Export.Status.PENDING, worker="", heartbeat_at=None, done=0)
    except (OperationalError, InterfaceError):
        raise  # the database is away: nothing can be written now, so the row goes stale and is taken up again
    except DomainError as error:
        _fail(export, str(error))
    except OSError as error:
        _fail(export, f"{settings.EXPORTS_DIR} cannot be written: {error.strerror or error}.")
    except Exception as error:
        logger.exception("Export %s failed", export.pk)
        _fail(export, f"An error in the platform stopped it; its log has the details ({type(error).__name__}).")
    export.refresh_from_db()
    return export


def exports_to_enqueue() -> list[int]:
    """Keys of the exports whose message seems lost or whose worker seems dead; each pending one is handed out once
    in every period of staleness."""
    unheard = [
        pk
        for pk in Export.objects.unheard().values_list("pk", flat=True)
        if Export.objects.unheard().filter(pk=pk).update(heartbeat_at=timezone.now())
    ]
    return unheard + list(Export.objects.stale().values_list("pk", flat=True))


def _claim(export_id: int) -> Export | None:
    claimed = (
        Export.objects.claimable()
        .filter(pk=export_id)
        .update(
            status=Export.Status.RUNNING, worker=secrets.token_hex(8), heartbeat_at=timezone.now(), done=0, error=""
        )
    )
    if not claimed:
        return None
    return Export.objects.select_related("study__scheme_version").get(pk=export_id)


def _make(export: Export) -> None:
    folder = Path(settings.EXPORTS_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    for left_behind in folder.glob(f".{export.pk}-*.part"):
        left_behind.unlink(missing_ok=True)
    export.total = count_rows(export.study)
    Export.objects.filter(pk=export.pk, worker=export.worker).update(total=export.total)
    with Heartbeat(export) as heartbeat:
        file = write_export(study=export.study, format=export.format, path=export.path, on_rows=heartbeat.beat)
    try:
        _leave(
            export,
            status=Export.Status.DONE,
            total=heartbeat.done,
            done=heartbeat.done,
            size=file.size,
            sha256=file.sha256,
            finished_at=timezone.now(),
        )
    except RunLostError:
        export.path.unlink(missing_ok=True)
        raise


def _leave(export: Export, **changes: Any) -> None:
    """Let go of an export, if it is still ours."""
    ours = Export.objects.filter(pk=export.pk, worker=export.worker, status=Export.Status.RUNNING)
    if not ours.update(**changes):
        raise RunLostError(f"{export} was taken over by another worker.")


def _fail(export: Export, reason: str) -> None:
    logger.warning("Export %s failed: %s", export.pk, reason)
    Export.objects.filter(pk=export.pk, worker=export.worker, status=Export.Status.RUNNING).update(
        status=Export.Status.FAILED, error=reason, finished_at=timezone.now()
    )
