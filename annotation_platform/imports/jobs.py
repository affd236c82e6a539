"""Everything that writes import jobs: uploads, choices, checking, importing, and returning to those left behind."""

import logging
import re
import shutil
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import SchemeError, preset, presets, read_scheme
from annotation_platform.core.unreadable import why_not_opened
from annotation_platform.corpus.importers import (
    FORMATS,
    ImportedStudy,
    Options,
    Preview,
    guess_format,
    open_files,
    read_study,
    size_to_read,
)
from annotation_platform.corpus.importers.study import Source
from annotation_platform.corpus.importers.warnings import warnings_of
from annotation_platform.corpus.importers.workbook import Workbook, is_workbook
from annotation_platform.imports.models import ImportJob
from annotation_platform.imports.storing import batches_of, import_corpus, import_study
from annotation_platform.jobs.contract import JobKind, in_words, leave, run_job
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.studies.models import Study

logger = logging.getLogger(__name__)

MEGABYTE = 1_000_000
LONGEST_SHEET = 100  # characters of a sheet's name; Excel's have 31 at most
MOST_CHOSEN = 2_000  # HITs in a batch, or judgments of an item
# Bytes; so little is checked and imported before the page comes back. They may hold two thousand rows, which take a
# second; ten times as many keep a web process for ten.
AT_ONCE = 20_000
KEPT_MISTAKES = 20
SIZES = ("overlap", "hits_per_batch")
KEPT_FOR = timedelta(days=14)
CHOICES = ("target", "name", "format", "scheme", "scheme_text", "language", "columns", "values", "sheet", *SIZES)


class ImportJobActiveError(ConflictError):
    """The job is being checked or imported, so nothing of it can be changed."""

    def __init__(self) -> None:
        super().__init__("imports.files_in_use")


class ImportedAlreadyError(ConflictError):
    """The job is done, and its files are gone."""

    def __init__(self) -> None:
        super().__init__("imports.imported_already")


def receive_files(*, owner: User, uploads: "Sequence[UploadedFile[Any]]", target: str, actor: Actor) -> ImportJob:
    """Keep uploaded files for an import and guess their format.

    Raises
    ------
    InvalidInputError
        When there is no file, one is empty, or they are too large together.
    """
    size = sum(upload.size or 0 for upload in uploads)
    if not uploads:
        raise InvalidInputError("imports.no_file")
    if empty := [upload.name for upload in uploads if not upload.size]:
        raise InvalidInputError("imports.empty_file", name=empty[0])
    if size > settings.IMPORT_MAX_MEGABYTES * MEGABYTE:
        raise InvalidInputError("imports.files_too_large", size=size / MEGABYTE, most=settings.IMPORT_MAX_MEGABYTES)
    with transaction.atomic():
        job = ImportJob.objects.create(
            owner=owner,
            target=target if target in ImportJob.Target.values else ImportJob.Target.STUDY,
            files=[{"name": upload.name, "size": upload.size} for upload in uploads],
            name=_as_name(Path(str(uploads[0].name)).stem),
        )
        record(actor, Verb.IMPORT_UPLOADED, job, change={"files": (0, len(uploads))})
    try:
        job.folder.mkdir(parents=True)
        for upload, path in zip(uploads, job.paths, strict=True):
            with path.open("wb") as file:
                shutil.copyfileobj(upload, file)
    except OSError as error:
        discard_job(job=job, actor=actor)
        raise InvalidInputError("imports.not_kept", why=why_not_opened(error)) from error
    job.format = _guessed(job)
    job.save(update_fields=["format"])
    return job


def _guessed(job: ImportJob) -> str:
    """The most special format that one of the files seems to be of: a configuration says more than its rows."""
    guessed = {guess_format(path, name).key for path, name in zip(job.paths, _names(job), strict=True)}
    return next(key for key in FORMATS if key in guessed)


def choose(*, job: ImportJob, **choices: Any) -> None:
    """Note what was chosen for a job (:data:`CHOICES`), whatever it is; a check tells what is wrong with it.

    Another format or scheme has other fields: of the columns, those chosen for a field that is there too are kept.
    """
    _refuse_active(job)
    if job.status == ImportJob.Status.DONE:
        raise ImportedAlreadyError
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
    job.save()


def _as_name(text: str) -> str:
    return text.replace("\x00", "").strip()[:200]


def _still_chosen(job: ImportJob) -> dict[str, str]:
    """The columns that were taken for a field which the format and scheme have."""
    try:
        fields = {field.key for field in FORMATS[job.format].fields(_options(job))}
    except InvalidInputError:  # of the scheme; as long as it is wrong, nothing is known of its fields
        return dict(job.columns)
    return {column: field for column, field in job.columns.items() if field in fields}


def _still_meant(job: ImportJob) -> dict[str, dict[str, str]]:
    """What values were said to stand for, where the format and scheme know of that."""
    try:
        fields = FORMATS[job.format].fields(_options(job))
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


def preview_of(job: ImportJob, *, reader: str = "en") -> Preview:
    """The first rows of a job's files, as they are mapped now; a scheme's words in the language of the ``reader``.

    Raises
    ------
    InvalidInputError
        When the files or the scheme cannot be read.
    """
    if job.first_rows is not None:
        return FORMATS[job.format].preview_noted(job.first_rows, _options(job, reader))
    if looks_later(job):
        raise InvalidInputError("imports.rows_unread", list(job.mistakes))
    return FORMATS[job.format].preview(_opened(job), _options(job, reader))


def sheets_of(job: ImportJob) -> Sequence[str]:
    """The sheets of a job's workbook, to choose from also where the one that is read cannot be shown; else empty."""
    if not is_workbook(job.paths[0]):
        return ()
    try:
        return Workbook(job.paths[0], _names(job)[0]).sheets
    except InvalidInputError:  # it cannot be read at all, as the reader is told
        return ()


def is_quick(job: ImportJob) -> bool:
    """Whether a job's files are so small that whoever uploads them need not wait for the worker."""
    return sum(map(size_to_read, job.paths)) <= AT_ONCE


def looks_later(job: ImportJob) -> bool:
    """Whether the first rows wait for the worker."""
    return job.first_rows is None and not is_quick(job)


@transaction.atomic
def request_job(*, job: ImportJob, wanted: str, actor: Actor) -> None:
    """Put a job into the queue, to be checked or imported; whoever calls this enqueues or executes it.

    Raises
    ------
    InvalidInputError
        When it has no name yet.
    ImportJobActiveError
        When it is in the queue already.
    """
    if not job.name and wanted != ImportJob.Wanted.LOOK:
        raise InvalidInputError("imports.name_missing")
    changed = ImportJob.objects.filter(pk=job.pk, status=ImportJob.Status.DRAFT).update(
        status=ImportJob.Status.PENDING,
        wanted=ImportJob.Wanted(wanted),
        heartbeat_at=timezone.now(),  # its message is about to be sent
        attempts=0,
        done=0,
    )
    if not changed:
        raise ImportJobActiveError
    job.refresh_from_db()
    record(actor, Verb.IMPORT_STARTED, job, change={"wanted": (None, job.wanted), "name": (None, job.name)})


def execute_job(*, job_id: int) -> ImportJob | None:
    """Claim a job and do what is wanted of it; None when somebody else has it or nothing is left to do.

    Afterwards it is DONE, or a draft again with what was found or what is wrong, or PENDING again because this process
    is about to end. A study is stored together with the job's end, so a job that runs twice stores it once.
    """
    return run_job(IMPORTS, job_id)


def discard_job(*, job: ImportJob, actor: Actor) -> None:
    """Forget a job and its files. What it imported stays."""
    _refuse_active(job)
    _remove_files(job)
    with transaction.atomic():
        record(actor, Verb.IMPORT_DELETED, job)
        job.delete()


def discard_old_jobs() -> None:
    """Forget drafts that nobody has come back to."""
    for job in ImportJob.objects.filter(status=ImportJob.Status.DRAFT, created_at__lt=timezone.now() - KEPT_FOR):
        discard_job(job=job, actor=Actor.worker("sweep"))


def _execute(job: ImportJob, heartbeat: Heartbeat) -> None:
    if job.wanted == ImportJob.Wanted.LOOK:
        noted = FORMATS[job.format].note(_opened(job), _options(job))
        _finish(job, heartbeat, status=ImportJob.Status.DRAFT, first_rows=noted)
        return
    format = FORMATS[job.format]
    read = _Steps(heartbeat)
    with read_study(format, _opened(job), _options(job), read.upto) as imported:
        found = _found(imported)
        if job.target == ImportJob.Target.CORPUS:
            _store_corpus(job, imported, found, heartbeat)
        else:
            _store_study(job, imported, found, heartbeat)
    if job.wanted == ImportJob.Wanted.CHECK:
        _finish(job, heartbeat, status=ImportJob.Status.DRAFT, found=found)
    else:
        _remove_files(job)


def _finish(job: ImportJob, heartbeat: Heartbeat, **changes: Any) -> None:
    heartbeat.beat()
    leave(job, mistakes=[], mistake_count=0, done=heartbeat.done, **changes)


def _found(imported: ImportedStudy) -> dict[str, Any]:
    counts = imported.counts
    names = ("articles", "questions", "answers", "judgments", "annotators")
    told = {"left_out": [*counts.left_out.items()], "warnings": warnings_of(imported)}
    return {name: getattr(counts, name) for name in names} | told


def _store_corpus(job: ImportJob, imported: ImportedStudy, found: dict[str, Any], heartbeat: Heartbeat) -> None:
    steps = _Steps(heartbeat)
    import_corpus(
        imported=imported,
        name=job.name,
        owner=job.owner,
        actor=Actor.worker("import", job.pk, on_behalf_of=job.owner_id),
        dry_run=job.wanted == ImportJob.Wanted.CHECK,
        progress=lambda now, total: steps.upto(now),
        and_then=lambda corpus: _finish(job, heartbeat, status=ImportJob.Status.DONE, found=found, corpus=corpus),
    )


def _store_study(job: ImportJob, imported: ImportedStudy, found: dict[str, Any], heartbeat: Heartbeat) -> None:
    def finish(study: Study) -> None:
        found["batches"] = _some(batches_of(study))
        _finish(job, heartbeat, status=ImportJob.Status.DONE, found=found, study=study, corpus=study.corpus)

    summary = import_study(
        imported=imported,
        name=job.name,
        owner=job.owner,
        actor=Actor.worker("import", job.pk, on_behalf_of=job.owner_id),
        keep_drafts=True,
        sizes={name: getattr(job, name) for name in SIZES if getattr(job, name)},
        dry_run=job.wanted == ImportJob.Wanted.CHECK,
        progress=_StudySteps(heartbeat),
        and_then=finish,
    )
    found["batches"] = _some(summary.batches)


def _some(batches: Mapping[str, int]) -> dict[str, int]:
    return {state: count for state, count in batches.items() if count}


class _Steps:
    """Tells a heartbeat of progress that is given as how far one is."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat
        self._before = 0

    def upto(self, now: int) -> None:
        self._heartbeat.beat(max(now - self._before, 0))
        self._before = now


class _StudySteps:
    """The same for the several steps of storing a study."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat
        self._steps: dict[str, _Steps] = {}

    def __call__(self, step: str, now: int, total: int) -> None:
        self._steps.setdefault(step, _Steps(self._heartbeat)).upto(now)


def _options(job: ImportJob, reader: str = "en") -> Options:
    try:
        if job.scheme_text.strip():
            definition: Mapping[str, Any] | None = read_scheme(job.scheme_text, source=Reason("imports.own_scheme"))
        else:
            definition = preset(job.scheme) if job.scheme else None
    except SchemeError as error:
        raise InvalidInputError("imports.scheme_wrong", error.reasons) from None
    return Options(
        definition=definition,
        language=job.language,
        columns=job.columns,
        values=job.values,
        wants_judgments=job.target != ImportJob.Target.CORPUS,
        reader=reader,
    )


def _opened(job: ImportJob) -> list[Source]:
    return open_files(FORMATS[job.format], job.paths, _names(job), job.sheet)


def _names(job: ImportJob) -> list[str]:
    return [file["name"] for file in job.files]


def _given_back(error: Exception) -> Mapping[str, Any]:
    """A job that cannot be carried out is a draft again, with what is wrong."""
    reasons = list(getattr(error, "reasons", [])) or [in_words(error)]
    return {
        "status": ImportJob.Status.DRAFT,
        "found": None,
        "mistakes": reasons[:KEPT_MISTAKES],
        "mistake_count": getattr(error, "count", len(reasons)),
        "finished_at": timezone.now(),
    }


def _remove_files(job: ImportJob) -> None:
    shutil.rmtree(job.folder, ignore_errors=True)


def _refuse_active(job: ImportJob) -> None:
    if job.is_active:
        raise ImportJobActiveError


IMPORTS = JobKind("import", ImportJob, _execute, ended_by=_given_back)
