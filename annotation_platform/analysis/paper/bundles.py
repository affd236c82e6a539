"""Everything that writes bundles of figures: requesting, and making them."""

from collections.abc import Callable
from pathlib import Path

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.analysis.models import AgreementSnapshot, PaperBundle
from annotation_platform.analysis.paper.provenance import has_all_sections
from annotation_platform.analysis.snapshots.stored import latest_snapshot
from annotation_platform.core.errors import ConflictError
from annotation_platform.jobs import files
from annotation_platform.jobs.contract import JobKind
from annotation_platform.jobs.files import ChecksummedFile
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.studies.models import Member, Study


class NoFiguresError(ConflictError):
    """There is no snapshot yet that a bundle could be made of."""


def request_bundle(*, study: Study, requested_by: Member, actor: Actor) -> PaperBundle:
    """Put a bundle of the newest snapshot into the queue, or give the one that is there or under way already.

    One that was made before a section was added to the snapshot, such as the explanations', is made anew.

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
        if made is not None and (made.is_active or has_all_sections(made.path, snapshot)):
            return made
        bundle = PaperBundle.objects.create(study=study, snapshot=snapshot, requested_by=requested_by)
        record(actor, Verb.BUNDLE_REQUESTED, bundle, study=study)
        return bundle


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


def make_bundle(bundle: PaperBundle, heartbeat: Heartbeat) -> None:
    """Write the file of a bundle that this process holds."""
    from annotation_platform.analysis.paper.archive import count_charts

    files.make_file(
        bundle,
        heartbeat,
        total=count_charts(bundle.snapshot),
        write=lambda: write_bundle_file(
            study=bundle.study, snapshot=bundle.snapshot, path=bundle.path, on_chart=heartbeat.beat
        ),
    )


BUNDLES = JobKind("bundle", PaperBundle, make_bundle)
