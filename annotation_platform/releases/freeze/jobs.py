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
from annotation_platform.releases.freeze.care import look_through, people_in, signatures_of
from annotation_platform.releases.freeze.contents import DATA_FORMATS, state_of_database
from annotation_platform.releases.freeze.facts import facts_of, runs_of
from annotation_platform.releases.freeze.participants import Participants, participants_of
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
        if _look(release) and (_waits_for_people(release) or _freeze_once(release, heartbeat)):
            return
    raise ConflictError("releases.changed_meanwhile")


def _look(release: Release) -> bool:
    """Look through it, for the first time or because something has changed since: a batch closed, a text is another
    one, somebody came, or withdrew. False when what is said of participants changed meanwhile."""
    release.facts = facts_of(release.study) | {"participants": participants_of(release)}
    release.database_state = state_of_database(release)
    people, before = people_in(release), release.looked_through
    release.looked_through = signatures_of(release, people)
    if release.looked_at is not None and release.looked_through == before:
        return True
    release.looked_at = release.frozen_at = None
    found = look_through(release, people)
    with transaction.atomic():
        if not _says_what_is_known(release):
            return False
        findings = [
            Finding(release=release, kind=kind, text=text, times=each.times, example=each.example)
            for (kind, text), each in found.items()
        ]
        are_the_same = release.looked_through["people"] == before.get("people")  # else nobody has settled theirs
        settled = {
            (each.kind, each.text): each.verdict
            for each in release.findings.all()
            if are_the_same or not each.is_of_people
        }
        for finding in findings:
            finding.verdict = settled.get((finding.kind, finding.text), Finding.Verdict.OPEN)
        release.findings.all().delete()
        Finding.objects.bulk_create(findings)
        release.looked_at = timezone.now()
        release.save(update_fields=["looked_at", "looked_through", "facts", "database_state", "frozen_at"])
    return True


@transaction.atomic
def _waits_for_people(release: Release) -> bool:
    """Let go of it while something that was found is open."""
    waits = _says_what_is_known(release) and release.findings.filter(verdict=Finding.Verdict.OPEN).exists()
    if waits:
        leave(release, JobStatus.DRAFT, finished_at=None, attempts=0)
    return waits


def _says_what_is_known(release: Release) -> bool:
    """Whether it says of participants what would be said now, and goes on to until this transaction ends."""
    Release.objects.select_for_update().get(pk=release.pk)
    said: Participants = release.facts.get("participants", {})
    return participants_of(release) == said


def _freeze_once(release: Release, heartbeat: Heartbeat) -> bool:
    """Write and keep it; False when the rows changed since they were looked through."""
    settings.RELEASES_DIR.mkdir(parents=True, exist_ok=True)
    with transaction.atomic():
        if not _says_what_is_known(release):
            return False
        name_annotators(release)
        release.frozen_at = release.frozen_at or timezone.now()
        release.code_version = __version__
        release.save(update_fields=["frozen_at", "code_version"])
    snapshot = take_snapshot(study=release.study)
    give_memory_back()  # all judgments were there for the figures; files need some at a time
    heartbeat.beat(0)
    with folder_beside(settings.RELEASES_DIR) as part:
        digest, size = write_release(release=release, snapshot=snapshot, folder=part, on_rows=heartbeat.beat)
        rows = state_of_database(release)
        if rows != release.database_state or runs_of(release.study) != release.facts["runs"]:
            return False
        with transaction.atomic():
            if not _says_what_is_known(release):  # somebody withdrew, another file was kept, or it was forgotten
                return False
            release.digest = digest
            keep(part, release.folder)
            leave(release, digest=digest, size=size, total=heartbeat.done, done=heartbeat.done)
    return True


RELEASES = JobKind("release", Release, freeze, followed_by="packing")
