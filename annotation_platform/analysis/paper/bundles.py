"""Everything that writes bundles of figures: requesting, making, and returning to those left behind."""

from collections.abc import Callable
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from annotation_platform.analysis.models import AgreementSnapshot, PaperBundle
from annotation_platform.analysis.snapshots.stored import latest_snapshot
from annotation_platform.core.errors import ConflictError
from annotation_platform.jobs import files
from annotation_platform.jobs.files import ChecksummedFile
from annotation_platform.studies.models import Member, Study


class NoFiguresError(ConflictError):
    """There is no snapshot yet that a bundle could be made of."""


def request_bundle(*, study: Study, requested_by: Member) -> PaperBundle:
    """Put a bundle of the newest snapshot into the queue, or give the one that is there or under way already.

    Raises
    ------
    NoFiguresError
        When the study has no snapshot.
    """
    snapshot = latest_snapshot(study)
    if snapshot is None:
        raise NoFiguresError("analysis.no_figures_to_bundle")
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        made = snapshot.paper_bundles.exclude(status=PaperBundle.Status.FAILED).first()
        if made is not None and (made.is_active or made.path.is_file()):
            return made
        return PaperBundle.objects.create(
            study=study,
            snapshot=snapshot,
            requested_by=requested_by,
            heartbeat_at=timezone.now(),  # its message is about to be sent; see bundles_to_enqueue
        )


def write_bundle_file(
    *, study: Study, snapshot: AgreementSnapshot, path: Path, on_chart: Callable[[int], None] = lambda charts: None
) -> ChecksummedFile:
    """Write the archive to ``path``, which is there whole or not at all; give its checksum and size.

    Raises
    ------
    InvalidInputError
        The file cannot be written.
    """
    from annotation_platform.analysis.paper.archive import write_bundle  # the charts: for the worker

    return files.write_whole(
        path, lambda file: write_bundle(study=study, snapshot=snapshot, file=file, on_chart=on_chart)
    )


def make_bundle(*, bundle_id: int) -> PaperBundle | None:
    """Claim a bundle and write its file; see `files.carry_out`."""
    from annotation_platform.analysis.paper.archive import count_charts

    return files.carry_out(
        PaperBundle.objects.select_related("study", "snapshot"),
        bundle_id,
        count=lambda bundle: count_charts(bundle.snapshot),
        write=lambda bundle, beat: write_bundle_file(
            study=bundle.study, snapshot=bundle.snapshot, path=bundle.path, on_chart=beat
        ),
    )


def bundles_to_enqueue() -> list[int]:
    return PaperBundle.objects.all().hand_out()
