"""Everything that writes exports: requesting, making, and returning to those left behind."""

from collections.abc import Callable
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs import files
from annotation_platform.jobs.files import ChecksummedFile
from annotation_platform.releases.models import Export, ExportFormat
from annotation_platform.releases.selectors.query import count_rows, export_query
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
        The file cannot be written.
    """
    query = export_query(study, all_batches=all_batches, all_revisions=all_revisions)
    return files.write_whole(path, lambda file: write_rows(query=query, format=format, file=file, on_rows=on_rows))


def request_export(*, study: Study, requested_by: Member, format: str, all_revisions: bool = False) -> Export:
    """Put an export into the queue; whoever calls this enqueues or makes it. A double click gets the same one."""
    if format not in ExportFormat.values:
        raise InvalidInputError("releases.no_format", format=format, formats=[*ExportFormat.values])
    revisions = "-revisions" if all_revisions else ""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        same = study.exports.filter(format=format, all_revisions=all_revisions)
        waiting = same.filter(status=Export.Status.PENDING).first()
        return waiting or Export.objects.create(
            study=study,
            requested_by=requested_by,
            format=format,
            all_revisions=all_revisions,
            total=count_rows(study, all_revisions=all_revisions),
            filename=f"{study.slug}-{timezone.now():%Y-%m-%d}{revisions}{ExportFormat(format).ending}",
            heartbeat_at=timezone.now(),  # its message is about to be sent; see exports_to_enqueue
        )


def make_export(*, export_id: int) -> Export | None:
    """Claim an export and write its file; see `files.carry_out`."""
    return files.carry_out(
        Export.objects.select_related("study__scheme_version"),
        export_id,
        count=lambda export: count_rows(export.study, all_revisions=export.all_revisions),
        write=lambda export, beat: write_export(
            study=export.study,
            format=export.format,
            path=export.path,
            all_revisions=export.all_revisions,
            on_rows=beat,
        ),
    )


def exports_to_enqueue() -> list[int]:
    return Export.objects.all().hand_out()
