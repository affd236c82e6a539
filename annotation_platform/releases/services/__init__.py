"""Everything that writes exports: requesting, and making them."""

from collections.abc import Callable
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs import files
from annotation_platform.jobs.contract import JobKind
from annotation_platform.jobs.files import ChecksummedFile
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.releases.models import Export, ExportFormat
from annotation_platform.releases.selectors.query import count_rows, export_query
from annotation_platform.releases.services.consensus import write_consensus
from annotation_platform.releases.services.formats import write_rows
from annotation_platform.studies.models import Member, Study


def write_export(
    *,
    study: Study,
    format: str,
    path: Path,
    all_batches: bool = False,
    all_revisions: bool = False,
    on_rows: Callable[[int], None] = lambda rows: None,
) -> ChecksummedFile:
    """Write an export to ``path``, which is there whole or not at all; give its checksum and size.

    ``on_rows`` must not use the database, whose connection another thread is reading.

    Raises
    ------
    InvalidInputError
        The file cannot be written, or consensus labels are asked for of judgments that are not current and closed.
    """
    if format == ExportFormat.CONSENSUS:
        _check_consensus(all_batches or all_revisions)
        return files.write_whole(path, lambda file: write_consensus(study=study, file=file, on_rows=on_rows))
    query = export_query(study, all_batches=all_batches, all_revisions=all_revisions)
    return files.write_whole(path, lambda file: write_rows(query=query, format=format, file=file, on_rows=on_rows))


def rows_to_write(study: Study, format: str, **which: bool) -> int:
    """How many rows such an export has at the moment; 0 for consensus labels, whose items are only known when read."""
    return 0 if format == ExportFormat.CONSENSUS else count_rows(study, **which)


def request_export(
    *, study: Study, requested_by: Member, format: str, all_revisions: bool = False, actor: Actor
) -> Export:
    """Put an export into the queue; whoever calls this enqueues or makes it. A double click gets the same one."""
    if format not in ExportFormat.values:
        raise InvalidInputError("releases.no_format", format=format, formats=[*ExportFormat.values])
    if format == ExportFormat.CONSENSUS:
        _check_consensus(all_revisions)
    revisions = "-revisions" if all_revisions else ""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        same = study.exports.filter(format=format, all_revisions=all_revisions)
        if (waiting := same.filter(status=Export.Status.PENDING).first()) is not None:
            return waiting
        export = Export.objects.create(
            study=study,
            requested_by=requested_by,
            format=format,
            all_revisions=all_revisions,
            total=rows_to_write(study, format, all_revisions=all_revisions),
            filename=f"{study.slug}-{timezone.now():%Y-%m-%d}{revisions}{ExportFormat(format).ending}",
        )
        change = {"format": (None, format), "all_revisions": (None, all_revisions)}
        record(actor, Verb.EXPORT_REQUESTED, export, study=study, change=change)
        return export


def _check_consensus(is_of_more: bool) -> None:
    if is_of_more:
        raise InvalidInputError("releases.consensus_of_current")


def make_export(export: Export, heartbeat: Heartbeat) -> None:
    """Write the file of an export that this process holds."""
    files.make_file(
        export,
        heartbeat,
        total=rows_to_write(export.study, export.format, all_revisions=export.all_revisions),
        write=lambda: write_export(
            study=export.study,
            format=export.format,
            path=export.path,
            all_revisions=export.all_revisions,
            on_rows=heartbeat.beat,
        ),
    )


EXPORTS = JobKind("export", Export, make_export)
