"""Taking a file of results over: workers through the vault, judgments through an import, the rest beside them."""

import csv
import io
import secrets
from collections.abc import Sequence
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.models import User
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.providers.results_file.models import ImportedWork, ResultsFile
from annotation_platform.crowd.providers.results_file.reading import (
    Assignment,
    Results,
    numbers_of,
    read_results,
    unfolded,
)
from annotation_platform.crowd.providers.vault.identities import keep_arriving, let_arrive
from annotation_platform.imports.drafts import receive_files
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Role

KEY = "results_file"
MOST_MEGABYTES = 5  # more than that is read from the command line
OWN_COLUMNS = ("annotator", "seconds", "judged_at", "task")


def take_over_upload(*, upload: "UploadedFile[Any]", with_rejected: bool, owner: User, actor: Actor) -> ResultsFile:
    """A file that was sent over the web, as :func:`take_over` does.

    Raises
    ------
    InvalidInputError
        When it is larger than what is read while somebody waits, or cannot be read whole.
    """
    size = upload.size or 0
    if size > MOST_MEGABYTES * 1_000_000:
        raise InvalidInputError("crowd.results_too_large", size=size / 1e6, most=MOST_MEGABYTES)
    return take_over(
        name=upload.name or "", content=upload.read(), with_rejected=with_rejected, owner=owner, actor=actor
    )


def take_over(*, name: str, content: bytes, with_rejected: bool, owner: User, actor: Actor) -> ResultsFile:
    """Read a file and hand its judgments, under pseudonyms, to an import where its columns are said what they are.

    Nothing of it is in a study before that import is done; who the workers are is in the vault from here on.

    Raises
    ------
    InvalidInputError
        When it cannot be read whole: ``reasons`` has the rows that are wrong.
    """
    results = read_results(content)
    pseudonyms = {one.worker: "" for one in results.assignments}
    for worker in pseudonyms:
        pseudonyms[worker] = f"W-{secrets.token_hex(4).upper()}"
    coming = [one for one in results.assignments if with_rejected or one.status != "Rejected"]
    if not coming:
        raise InvalidInputError("crowd.results_no_rows")
    table = as_table(results, coming, pseudonyms)
    upload = SimpleUploadedFile(f"{name.rpartition('.')[0] or name}.csv", table.encode(), "text/csv")
    job = receive_files(owner=owner, uploads=[upload], target=ImportJob.Target.STUDY, actor=actor)
    with transaction.atomic():
        file = ResultsFile.objects.create(
            name=name[:200], job=job, owner=owner, left_out=what_stays(results, len(coming))
        )
        keep_arriving(upload=job, provider=KEY, pseudonyms=pseudonyms)
        ImportedWork.objects.bulk_create(
            ImportedWork(
                file=file,
                pseudonym=pseudonyms[one.worker],
                line=one.line,
                task=one.task,
                assignment=one.name,
                status=one.status,
                seconds=one.seconds,
                accepted_at=one.times["AcceptTime"],
                submitted_at=one.times["SubmitTime"],
                decided_at=one.decided_at,
                feedback=one.feedback,
            )
            for one in results.assignments
        )
        change = {"workers": (0, len(pseudonyms)), "assignments": (0, len(results.assignments))}
        record(actor, Verb.PROVIDER_RESULTS_READ, file, change=change)
    return file


def as_table(results: Results, coming: Sequence[Assignment], pseudonyms: dict[str, str]) -> str:
    """The judgments as a table that the importers read: one row a question, without anything that names a worker."""
    numbers = numbers_of(results)
    rows = []
    for one in coming:
        questions = list(unfolded(one, numbers))
        for inputs, answers in questions:
            row = {
                "annotator": pseudonyms[one.worker],
                "seconds": "" if one.seconds is None else f"{one.seconds / len(questions):.3f}",
                "judged_at": submitted.isoformat() if (submitted := one.times["SubmitTime"]) else "",
                "task": one.task,
            }
            row |= {_free(name, "input"): value for name, value in inputs.items()}
            rows.append(row | {_free(name, "answer", inputs): value for name, value in answers.items()})
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)), restval="")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def what_stays(results: Results, coming: int) -> list[Reason]:
    """What of a file does not come, in sentences."""
    told = []
    if results.unused:
        told.append(Reason("crowd.results_columns_stay", columns=results.unused))
    if rejected := len(results.assignments) - coming:
        told.append(Reason("crowd.results_rejected_stay", count=rejected))
    if undated := sum(one.times["SubmitTime"] is None for one in results.assignments):
        told.append(Reason("crowd.results_undated", count=undated))
    return told


def let_files_arrive() -> None:
    """Join files with the studies that their imports have made, and forget those whose upload was discarded."""
    for file in ResultsFile.objects.filter(study=None, job__study__isnull=False).select_related("job__study"):
        with transaction.atomic():
            assert file.job is not None  # as filtered
            assert file.job.study is not None
            study = file.job.study
            let_arrive(upload=file.job, study=study)
            members = {member.pseudonym: member for member in study.members.filter(role=Role.ANNOTATOR)}
            for pseudonym, member in members.items():
                file.work.filter(pseudonym=pseudonym).update(member=member)
            ResultsFile.objects.filter(pk=file.pk).update(study=study)
    ResultsFile.objects.filter(study=None, job=None).delete()


def _free(name: str, kind: str, taken: object = ()) -> str:
    """A name for a column that no other has."""
    is_taken = name in OWN_COLUMNS or (isinstance(taken, dict) and name in taken)
    return f"{kind}_{name}" if is_taken else name
