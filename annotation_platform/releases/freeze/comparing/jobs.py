"""Comparing two releases that the freeze has not compared, as a long job: a million judgments take half a minute."""

from dataclasses import asdict

from django.db import transaction
from django.db.models import Q

from annotation_platform import __version__
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.text import quotation, typed_number
from annotation_platform.jobs.contract import JobKind, leave
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze.changes import compare, release_before
from annotation_platform.releases.freeze.reading import one, there
from annotation_platform.releases.models import Comparison, Release

LONGEST_NAMED = 40  # characters, of what was no number, in the sentence that says so
_TO_BEGIN_ANEW = Q(status=JobStatus.FAILED) | Q(status=JobStatus.DONE) & ~Q(code_version=__version__)


def compared_with(release: Release, named: str | None) -> Release | None:
    """The release of the same study whose number somebody gave, or where nobody did, the one before, if there is one.

    Raises
    ------
    NotThereError
        When the study has none of this number.
    """
    if named is None:
        return release_before(release)
    if (number := typed_number(named)) is None:
        raise NotThereError("releases.no_release", number=quotation(named, LONGEST_NAMED))
    return one(release.study, number)


def request_comparison(release: Release, other: Release) -> Comparison:
    """Put the comparison of two frozen releases into the queue, or give the one that is there or under way.

    It begins anew where it failed, or where another version of the platform made it. Whoever calls this enqueues it.
    Nothing is written where nothing is to be done: pages ask each time they are opened.

    Raises
    ------
    NotThereError
        When both are the same release.
    """
    if release == other:
        raise NotThereError("releases.nothing_to_compare_with", number=release.number)
    before, after = sorted((release, other), key=lambda each: each.number)
    known = Comparison.objects.filter(before=before, after=after).exclude(_TO_BEGIN_ANEW).first()
    return known or _requested(before, after)


@transaction.atomic
def _requested(before: Release, after: Release) -> Comparison:
    comparison, _ = Comparison.objects.get_or_create(
        before=before, after=after, defaults={"study_id": after.study_id, "code_version": __version__}
    )
    if Comparison.objects.filter(_TO_BEGIN_ANEW, pk=comparison.pk).begin_anew(started_at=None, finished_at=None):
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
