"""Comparing two releases that the freeze has not compared, as a long job: a million judgments take half a minute."""

from dataclasses import asdict

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation_platform import __version__
from annotation_platform.core.errors import NotThereError
from annotation_platform.jobs.contract import JobKind, leave
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze.changes import compare
from annotation_platform.releases.freeze.reading import there
from annotation_platform.releases.models import Comparison, Release

_TO_BEGIN_ANEW = Q(status=JobStatus.FAILED) | Q(status=JobStatus.DONE) & ~Q(code_version=__version__)


def request_comparison(one: Release, other: Release) -> Comparison:
    """Put the comparison of two frozen releases into the queue, or give the one that is there or under way.

    It begins anew where it failed, or where another version of the platform made it. Whoever calls this enqueues it.
    Nothing is written where nothing is to be done: pages ask each time they are opened.

    Raises
    ------
    NotThereError
        When both are the same release.
    """
    if one == other:
        raise NotThereError("releases.nothing_to_compare_with", number=one.number)
    before, after = sorted((one, other), key=lambda each: each.number)
    known = Comparison.objects.filter(before=before, after=after).exclude(_TO_BEGIN_ANEW).first()
    return known or _requested(before, after)


@transaction.atomic
def _requested(before: Release, after: Release) -> Comparison:
    comparison, _ = Comparison.objects.get_or_create(
        before=before, after=after, defaults={"study_id": after.study_id, "code_version": __version__}
    )
    if Comparison.objects.filter(_TO_BEGIN_ANEW, pk=comparison.pk).update(
        status=JobStatus.PENDING,
        heartbeat_at=timezone.now(),
        worker="",
        attempts=0,
        error="",
        started_at=None,
        finished_at=None,
    ):
        comparison.refresh_from_db()
    return comparison


def find_changes(comparison: Comparison, heartbeat: Heartbeat) -> None:
    """Compare the files of both.

    Raises
    ------
    NotThereError
        When one of them was withdrawn meanwhile, or its files are gone.
    """
    before, after = there(comparison.before), there(comparison.after)
    found = compare(before, after, after.folder)
    leave(comparison, found=asdict(found), code_version=__version__)


COMPARISONS = JobKind("comparison", Comparison, find_changes)
