"""The job: look a study through, wait for people where something was found, then freeze."""

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation_platform import __version__
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.core.errors import ConflictError
from annotation_platform.jobs.contract import JobKind, leave
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.jobs.memory import give_memory_back
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze.annotators import name_annotators
from annotation_platform.releases.freeze.care import look_through
from annotation_platform.releases.freeze.contents import DATA_FORMATS, state_of_database
from annotation_platform.releases.freeze.facts import facts_of, runs_of
from annotation_platform.releases.freeze.participants import participants_of
from annotation_platform.releases.freeze.writing import folder_beside, keep, write_release
from annotation_platform.releases.models import Finding, Release
from annotation_platform.releases.selectors.query import count_rows

TRIES = 3


def freeze(release: Release, heartbeat: Heartbeat) -> None:
    """Do what is due: the first time looking through, and freezing as soon as nothing found is open.

    Raises
    ------
    ConflictError
        When judgments changed again and again while they were written.
    """
    release.total = len(DATA_FORMATS) * count_rows(release.study)
    release.save(update_fields=["total"])
    for _ in range(TRIES):
        if not _is_settled(release):
            leave(release, JobStatus.DRAFT, finished_at=None, attempts=0)
            return
        if _freeze_once(release, heartbeat):
            return
    raise ConflictError("releases.changed_meanwhile")


def _is_settled(release: Release) -> bool:
    """Whether nothing that was found is open; what is said of participants is looked at anew when it has changed."""
    if release.looked_at is None or participants_of(release) != release.facts.get("participants", {}):
        _look(release)
    return not release.findings.filter(verdict=Finding.Verdict.OPEN).exists()


def _look(release: Release) -> None:
    release.facts = {"participants": participants_of(release)}
    found = look_through(release)
    with transaction.atomic():
        release.findings.filter(kind__in=Finding.OF_PEOPLE).delete()  # other groups, which nobody has settled
        Finding.objects.bulk_create(
            (
                Finding(release=release, kind=kind, text=text, times=each.times, example=each.example)
                for (kind, text), each in found.items()
            ),
            ignore_conflicts=True,
        )
        release.looked_at = timezone.now()
        release.save(update_fields=["looked_at", "facts"])


def _freeze_once(release: Release, heartbeat: Heartbeat) -> bool:
    """Write and keep it; False when the rows changed while they were read."""
    settings.RELEASES_DIR.mkdir(parents=True, exist_ok=True)
    participants = release.facts.get("participants", {})
    release.facts = facts_of(release.study) | {"participants": participants}
    before = state_of_database(release)
    with transaction.atomic():
        name_annotators(release)
        release.frozen_at = release.frozen_at or timezone.now()
        release.database_state, release.code_version = before, __version__
        release.save(update_fields=["frozen_at", "database_state", "facts", "code_version"])
    snapshot = take_snapshot(study=release.study)
    give_memory_back()  # all judgments were there for the figures; files need some at a time
    heartbeat.beat(0)
    with folder_beside(settings.RELEASES_DIR) as part:
        digest, size = write_release(release=release, snapshot=snapshot, folder=part, on_rows=heartbeat.beat)
        if state_of_database(release) != before or runs_of(release.study) != release.facts["runs"]:
            return False
        if participants_of(release) != participants:  # somebody withdrew, or another file was kept
            return False
        release.digest = digest
        keep(part, release.folder)
        leave(release, digest=digest, size=size, total=heartbeat.done, done=heartbeat.done)
    return True


RELEASES = JobKind("release", Release, freeze, followed_by="packing")
