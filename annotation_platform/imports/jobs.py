"""Import jobs in the queue: checking what was uploaded, and storing it as a study or a corpus."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.importers import (
    FORMATS,
    ImportedStudy,
    read_study,
)
from annotation_platform.corpus.importers.warnings import warnings_of
from annotation_platform.imports.drafts import SIZES, ImportedAlreadyError, ImportJobActiveError
from annotation_platform.imports.job_files import opened_files, options_of, remove_files
from annotation_platform.imports.models import ImportJob
from annotation_platform.imports.storing import batches_of, import_corpus, import_study
from annotation_platform.jobs.contract import JobKind, in_words, leave, run_job
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.studies.models import Study

KEPT_MISTAKES = 20


@transaction.atomic
def request_job(*, job: ImportJob, wanted: str, actor: Actor) -> None:
    """Put a job into the queue, to be checked or imported; whoever calls this enqueues or executes it.

    Raises
    ------
    InvalidInputError
        When it has no name yet.
    ImportJobActiveError, ImportedAlreadyError
        When it is in the queue already, or was imported.
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
        done = ImportJob.objects.filter(pk=job.pk, status=ImportJob.Status.DONE).exists()
        raise ImportedAlreadyError if done else ImportJobActiveError
    job.refresh_from_db()
    record(actor, Verb.IMPORT_STARTED, job, change={"wanted": (None, job.wanted), "name": (None, job.name)})


def execute_job(*, job_id: int) -> ImportJob | None:
    """Claim a job and do what is wanted of it; None when somebody else has it or nothing is left to do.

    Afterwards it is DONE, or a draft again with what was found or what is wrong, or PENDING again because this process
    is about to end. A study is stored together with the job's end, so a job that runs twice stores it once.
    """
    return run_job(IMPORTS, job_id)


def _execute(job: ImportJob, heartbeat: Heartbeat) -> None:
    if job.wanted == ImportJob.Wanted.LOOK:
        noted = FORMATS[job.format].note(opened_files(job), options_of(job))
        _finish(job, heartbeat, status=ImportJob.Status.DRAFT, first_rows=noted)
        return
    format = FORMATS[job.format]
    read = _Steps(heartbeat)
    with read_study(format, opened_files(job), options_of(job), read.upto) as imported:
        found = _found(imported)
        if job.target == ImportJob.Target.CORPUS:
            _store_corpus(job, imported, found, heartbeat)
        else:
            _store_study(job, imported, found, heartbeat)
    if job.wanted == ImportJob.Wanted.CHECK:
        _finish(job, heartbeat, status=ImportJob.Status.DRAFT, found=found)
    else:
        remove_files(job)


def _finish(job: ImportJob, heartbeat: Heartbeat, **changes: Any) -> None:
    """End a job; the first rows of files that are imported are not needed any more."""
    heartbeat.beat()
    if changes["status"] == ImportJob.Status.DONE:
        changes["first_rows"] = None
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


IMPORTS = JobKind("import", ImportJob, _execute, ended_by=_given_back)
