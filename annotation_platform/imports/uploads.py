"""Files that come in parts: begun, appended to, given up, and taken by an import."""

import os
import secrets
import shutil
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import BinaryIO

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.core.unreadable import why_not_opened
from annotation_platform.imports.drafts import MEGABYTE, Arriving, discard_job, keep_files
from annotation_platform.imports.models import ImportJob, Upload

KEPT_FOR = timedelta(days=1)  # after the last part
WAITING = 2  # times what one import may have is what one person's uploads may have together
PIECE = 1 << 20


class UploadOffsetError(ConflictError):
    """A part begins elsewhere than where the last one that counts ended; ``offset`` is there."""

    def __init__(self, *, offset: int, sent: int) -> None:
        self.offset = offset
        super().__init__("imports.upload_offset", offset=offset, sent=sent)


class UploadUnfinishedError(ConflictError):
    """Not all parts have come."""


class UploadDiffersError(InvalidInputError):
    """What came has another SHA-256 than what was announced."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        super().__init__("imports.upload_differs", name=upload.name)


class UploadLostError(NotThereError):
    """Parts that count are not on the disk: another import has taken them, or somebody else."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        super().__init__("imports.no_upload")


def own_upload(owner: User, pk: int) -> Upload:
    """
    Raises
    ------
    NotThereError
        When this person has none of that number.
    """
    if (upload := Upload.objects.filter(owner=owner, pk=pk).first()) is None:
        raise NotThereError("imports.no_upload")
    return upload


@transaction.atomic
def begin_upload(*, owner: User, name: str, size: int, digest: str, actor: Actor) -> tuple[Upload, bool]:
    """An upload, and whether it is new: with a SHA-256, one person has one of the same file, and goes on with it.

    Raises
    ------
    InvalidInputError
        When the file is empty or too large, alone or with this person's others.
    """
    User.objects.select_for_update().get(pk=owner.pk)  # so that two at once do not each find room
    own = Upload.objects.filter(owner=owner)
    if digest and (there := own.filter(name=name, size=size, sha256=digest).first()):
        return there, False
    if not size:
        raise InvalidInputError("imports.empty_file", name=name)
    most = settings.IMPORT_MAX_MEGABYTES
    if size > most * MEGABYTE:
        raise InvalidInputError("imports.files_too_large", size=size / MEGABYTE, most=most)
    together = size + (own.aggregate(together=Sum("size"))["together"] or 0)
    if together > WAITING * most * MEGABYTE:
        raise InvalidInputError("imports.uploads_too_large", size=together / MEGABYTE, most=WAITING * most)
    upload = Upload.objects.create(owner=owner, name=name, size=size, sha256=digest, changed_at=timezone.now())
    record(actor, Verb.IMPORT_UPLOAD_BEGUN, upload, change={"size": (0, size)})
    return upload, True


def append_part(*, upload: Upload, at: int, part: bytes) -> None:
    """Store the part that begins at byte ``at``: on disk first, then the row counts it, so that either all of it
    counts or nothing. Whoever sends the same part at the same time is told where the upload is then.

    Raises
    ------
    UploadOffsetError
        When the next part begins elsewhere.
    NotThereError
        When the upload was taken or given up meanwhile.
    InvalidInputError
        When it goes on after the end of the file, or cannot be stored.
    """
    end = at + len(part)
    if at != upload.offset:
        raise UploadOffsetError(offset=upload.offset, sent=at)
    if end > upload.size:
        raise InvalidInputError("imports.part_too_long", end=end, size=upload.size)
    if not part:
        return
    waiting = upload.folder / f".{at}.{secrets.token_hex(4)}"
    try:
        upload.folder.mkdir(parents=True, exist_ok=True)
        with waiting.open("wb") as file:
            file.write(part)
            file.flush()
            os.fsync(file.fileno())
        with transaction.atomic():
            counted = Upload.objects.filter(pk=upload.pk, offset=at).update(offset=end, changed_at=timezone.now())
            if counted:
                os.replace(waiting, upload.folder / str(at))
    except OSError as error:
        raise InvalidInputError("imports.not_kept", why=why_not_opened(error)) from error
    finally:
        waiting.unlink(missing_ok=True)
    if not counted:
        _refuse(upload, at)
    upload.offset = end


def _refuse(upload: Upload, at: int) -> None:
    """Say why a part did not count."""
    now = Upload.objects.filter(pk=upload.pk).first()
    if now is None:
        shutil.rmtree(upload.folder, ignore_errors=True)  # which this part may have made anew
        raise NotThereError("imports.no_upload")
    raise UploadOffsetError(offset=now.offset, sent=at)


@transaction.atomic
def give_up_upload(*, upload: Upload, actor: Actor) -> None:
    """Forget what came of a file."""
    record(actor, Verb.IMPORT_UPLOAD_DELETED, upload, change={"offset": (upload.offset, None)})
    folder = upload.folder
    upload.delete()
    transaction.on_commit(partial(shutil.rmtree, folder, ignore_errors=True))


def discard_old_uploads() -> None:
    """Forget those to which nothing was added for a day."""
    for upload in Upload.objects.filter(changed_at__lt=timezone.now() - KEPT_FOR):
        with transaction.atomic():
            still = Upload.objects.select_for_update().filter(pk=upload.pk, offset=upload.offset).first()
            if still is not None:
                give_up_upload(upload=still, actor=Actor.worker("sweep"))


def import_uploads(*, owner: User, pks: Sequence[int], target: str, actor: Actor) -> ImportJob:
    """Make an import of whole uploads, in this order, as of files that were sent at once; it takes them.

    Raises
    ------
    NotThereError
        When one is not there, or another import was faster. One whose parts are not on the disk is forgotten.
    UploadUnfinishedError
        When parts of one are missing.
    UploadDiffersError
        When one is not what was announced; that one is forgotten.
    InvalidInputError
        When they are too large together.
    """
    if len(set(pks)) < len(pks):
        raise InvalidInputError("imports.upload_twice")
    uploads = [own_upload(owner, pk) for pk in pks]
    for each in uploads:
        if each.offset < each.size:
            raise UploadUnfinishedError("imports.upload_unfinished", name=each.name, offset=each.offset, size=each.size)
    arriving = [Arriving(each.name, each.size, partial(_write_whole, each), each.sha256) for each in uploads]
    try:
        job = keep_files(owner=owner, files=arriving, target=target, actor=actor)
    except (UploadDiffersError, UploadLostError) as error:
        if Upload.objects.filter(pk=error.upload.pk).exists():  # otherwise another import has taken it
            give_up_upload(upload=error.upload, actor=actor)
        raise
    with transaction.atomic():
        are_there = Upload.objects.select_for_update().filter(pk__in=pks).count() == len(pks)
        if are_there:
            Upload.objects.filter(pk__in=pks).delete()
    if not are_there:
        discard_job(job=job, actor=actor)
        raise NotThereError("imports.no_upload")
    for each in uploads:
        shutil.rmtree(each.folder, ignore_errors=True)
    return job


def _write_whole(upload: Upload, to: BinaryIO) -> None:
    digest = sha256()
    try:
        for part in upload.parts:
            with part.open("rb") as file:
                while piece := file.read(PIECE):
                    digest.update(piece)
                    to.write(piece)
    except FileNotFoundError:
        raise UploadLostError(upload) from None
    if upload.sha256 and digest.hexdigest() != upload.sha256:
        raise UploadDiffersError(upload)
