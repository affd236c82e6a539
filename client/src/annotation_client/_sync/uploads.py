# Written by client/scripts/make_sync.py from "_async"; change that.
"""A large file in parts: what broke off goes on where it was, also in another process."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from annotation_client._sync.transport import PAUSES, Transport
from annotation_client.errors import BrokenError, ConflictError, UnreachableError
from annotation_client.models import UploadRecord
from annotation_client.sending import name_of
from annotation_client.verify import sha256_of

IN_PARTS = 4_000_000  # bytes; what is smaller is sent at once
TYPE = "application/offset+octet-stream"
OTHER_PLACE = "imports.upload_offset"


def uploaded(transport: Transport, path: Path, told: Callable[[int, int], None]) -> UploadRecord:
    """Send a file in parts, from where the platform has it already; ``told`` gets how many bytes of it are there.

    Raises
    ------
    UnreachableError
        When nothing came through, however often it was tried; called again, it goes on there.
    NotThereError
        When the platform forgot it meanwhile.
    NotAcceptedError
        When it is too large, or has changed since.
    """
    body = {"name": name_of(path), "size": path.stat().st_size, "sha256": sha256_of(path)}
    upload = UploadRecord.model_validate(transport.post("/uploads", body))
    offset = upload.offset
    with path.open("rb") as file:
        told(offset, upload.size)
        while offset < upload.size:
            offset = _sent_on(transport, upload, file, offset)
            told(offset, upload.size)
    return upload


def _sent_on(transport: Transport, upload: UploadRecord, file: BinaryIO, offset: int) -> int:
    """Where the upload is after one more part, or after somebody else's; what breaks off is tried again."""
    where = f"/uploads/{upload.id}"
    for pause in (*PAUSES, None):
        file.seek(offset)
        part = file.read(upload.part_size)
        if not part:
            raise ValueError(f"{upload.name} has become shorter while it was sent.")
        headers = {"Upload-Offset": str(offset), "Content-Type": TYPE}
        try:
            reply = transport.ask("PATCH", where, headers=headers, content=part)
            return int(reply.headers["Upload-Offset"])
        except ConflictError as error:
            if error.code != OTHER_PLACE:
                raise
            return int(error.parameters["offset"])
        except (UnreachableError, BrokenError):
            if pause is None:
                raise
        time.sleep(pause)
        now = int((transport.get(where))["offset"])
        if now > offset:
            return now
    raise AssertionError("unreachable")
