"""Import jobs before they run: files that arrive, what is chosen for them, and those that nobody comes back to."""

import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError, NotThereError
from annotation_platform.core.schemes import presets
from annotation_platform.core.unreadable import why_not_opened
from annotation_platform.corpus.importers import FORMATS, guess_format
from annotation_platform.imports.job_files import names_of, options_of, remove_files
from annotation_platform.imports.models import ImportJob

MEGABYTE = 1_000_000
LONGEST_SHEET = 100  # characters of a sheet's name; Excel's have 31 at most
MOST_CHOSEN = 2_000  # HITs in a batch, or judgments of an item
SIZES = ("overlap", "hits_per_batch")
KEPT_FOR = timedelta(days=14)
ARRIVING_FOR = timedelta(days=1)  # more than any files take
CHOICES = ("target", "name", "format", "scheme", "scheme_text", "language", "columns", "values", "sheet", *SIZES)


class ImportJobActiveError(ConflictError):
    """The job is being checked or imported, so nothing of it can be changed."""

    def __init__(self) -> None:
        super().__init__("imports.files_in_use")


class ImportedAlreadyError(ConflictError):
    """The job is done, and its files are gone."""

    def __init__(self) -> None:
        super().__init__("imports.imported_already")


class Arriving(NamedTuple):
    """A file that has come, and what writes it to where it is kept."""

    name: str
    size: int
    write_to: Callable[[BinaryIO], object]
    sha256: str = ""


def receive_files(*, owner: User, uploads: "Sequence[UploadedFile[Any]]", target: str, actor: Actor) -> ImportJob:
    """Keep uploaded files for an import and guess their format.

    Raises
    ------
    InvalidInputError
        When there is no file, one is empty, or they are too large together.
    """
    arriving = [Arriving(str(each.name), each.size or 0, partial(shutil.copyfileobj, each)) for each in uploads]
    return keep_files(owner=owner, files=arriving, target=target, actor=actor)


def keep_files(*, owner: User, files: Sequence[Arriving], target: str, actor: Actor) -> ImportJob:
    """The same for files from wherever.

    Raises
    ------
    InvalidInputError
        As above.
    DomainError
        What ``write_to`` raises; then nothing is kept.
    """
    size = sum(file.size for file in files)
    if not files:
        raise InvalidInputError("imports.no_file")
    if empty := [file.name for file in files if not file.size]:
        raise InvalidInputError("imports.empty_file", name=empty[0])
    if size > settings.IMPORT_MAX_MEGABYTES * MEGABYTE:
        raise InvalidInputError("imports.files_too_large", size=size / MEGABYTE, most=settings.IMPORT_MAX_MEGABYTES)
    with transaction.atomic():
        job = ImportJob.objects.create(
            owner=owner,
            target=target if target in ImportJob.Target.values else ImportJob.Target.STUDY,
            files=[
                {"name": file.name, "size": file.size} | ({"sha256": file.sha256} if file.sha256 else {})
                for file in files
            ],
            name=_as_name(Path(files[0].name).stem),
        )
        record(actor, Verb.IMPORT_UPLOADED, job, change={"files": (0, len(files))})
    try:
        remove_files(job)  # of one that had this number before an older state of the database was restored
        job.folder.mkdir(parents=True)
        for file, path in zip(files, job.paths, strict=True):
            with path.open("wb") as kept:
                file.write_to(kept)
    except (OSError, DomainError) as error:
        discard_job(job=job, actor=actor)
        if isinstance(error, DomainError):
            raise
        raise InvalidInputError("imports.not_kept", why=why_not_opened(error)) from error
    job.format = _guessed(job)
    job.save(update_fields=["format"])
    return job


def arrived(owner: User) -> QuerySet[ImportJob]:
    """Somebody's imports whose files have all come. Others have no format yet: they are just being written, or the
    process that wrote them was killed."""
    return owner.import_jobs.exclude(format="")


def _guessed(job: ImportJob) -> str:
    """The most special format that one of the files seems to be of: a configuration says more than its rows."""
    guessed = {guess_format(path, name).key for path, name in zip(job.paths, names_of(job), strict=True)}
    return next(key for key in FORMATS if key in guessed)


@transaction.atomic
def choose(*, job: ImportJob, **choices: Any) -> None:
    """Note what was chosen for a job (:data:`CHOICES`), whatever it is; a check tells what is wrong with it.

    Another format or scheme has other fields: of the columns, those chosen for a field that is there too are kept.
    """
    _lock(job)
    refuse_busy(job)
    choices = {name: value for name, value in choices.items() if _can_be(name, value)}
    choices["name"] = _as_name(str(choices.get("name", job.name)))
    before = {name: getattr(job, name) for name in CHOICES}
    for name in CHOICES:
        setattr(job, name, choices.get(name, before[name]))
    if any(getattr(job, name) != before[name] for name in ("format", "scheme", "scheme_text")):
        job.columns = _still_chosen(job)
        job.values = _still_meant(job)
    if any(getattr(job, name) != before[name] for name in CHOICES):
        job.found, job.mistakes, job.mistake_count = None, [], 0
    if job.sheet != before["sheet"]:  # it has columns of its own
        job.columns, job.values = {}, {}
    if any(getattr(job, name) != before[name] for name in ("format", "sheet")):
        job.first_rows = None
    job.save(update_fields=[*CHOICES, "found", "mistakes", "mistake_count", "first_rows"])


def _as_name(text: str) -> str:
    return text.replace("\x00", "").strip()[:200]


def _still_chosen(job: ImportJob) -> dict[str, str]:
    """The columns that were taken for a field which the format and scheme have."""
    try:
        fields = {field.key for field in FORMATS[job.format].fields(options_of(job))}
    except InvalidInputError:  # of the scheme; as long as it is wrong, nothing is known of its fields
        return dict(job.columns)
    return {column: field for column, field in job.columns.items() if field in fields}


def _still_meant(job: ImportJob) -> dict[str, dict[str, str]]:
    """What values were said to stand for, where the format and scheme know of that."""
    try:
        fields = FORMATS[job.format].fields(options_of(job))
    except InvalidInputError:
        return dict(job.values)
    known = {value for field in fields for value, _ in field.values} | {""}
    return {
        column: {written: meant for written, meant in taken.items() if meant in known}
        for column, taken in job.values.items()
    }


def _can_be(name: str, value: Any) -> bool:
    """Whether a form's own widgets can send this; anything else is left as it was."""
    offered = {"target": ImportJob.Target.values, "format": FORMATS, "scheme": ["", *presets()]}
    if name in SIZES:
        return value is None or 1 <= value <= MOST_CHOSEN
    if name == "sheet":
        return len(value) <= LONGEST_SHEET and "\x00" not in value
    if name == "language":
        return bool(re.fullmatch("[a-z]{2,3}", value))
    return value in offered[name] if name in offered else name in CHOICES


def discard_job(*, job: ImportJob, actor: Actor) -> None:
    """Forget a job and its files. What it imported stays."""
    with transaction.atomic():
        _lock(job)
        _refuse_active(job)
        remove_files(job)
        record(actor, Verb.IMPORT_DELETED, job)
        job.delete()


def discard_old_jobs() -> None:
    """Forget drafts that nobody has come back to, and what killed processes left of files that were arriving."""
    now = timezone.now()
    is_old = Q(created_at__lt=now - KEPT_FOR) | Q(format="", created_at__lt=now - ARRIVING_FOR)
    for job in ImportJob.objects.filter(is_old, status=ImportJob.Status.DRAFT):
        with suppress(ImportJobActiveError, NotThereError):  # somebody has come back to it just now
            discard_job(job=job, actor=Actor.worker("sweep"))


def _lock(job: ImportJob) -> None:
    """Read a job as it is now, and keep others from changing it until the transaction ends.

    Raises
    ------
    NotThereError
        When it is gone.
    """
    try:
        job.refresh_from_db(from_queryset=ImportJob.objects.select_for_update())
    except ImportJob.DoesNotExist:
        raise NotThereError("imports.no_import") from None


def _refuse_active(job: ImportJob) -> None:
    if job.is_active:
        raise ImportJobActiveError


def refuse_busy(job: ImportJob) -> None:
    """
    Raises
    ------
    ImportJobActiveError
        While its files are being worked on.
    ImportedAlreadyError
        When they were imported, and are gone.
    """
    _refuse_active(job)
    if job.status == ImportJob.Status.DONE:
        raise ImportedAlreadyError
