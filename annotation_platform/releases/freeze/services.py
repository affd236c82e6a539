"""Asking for releases, settling what was found, withdrawing, links that let others download, and noting downloads."""

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

from django.core import signing
from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze.annotators import new_key
from annotation_platform.releases.freeze.participants import check_columns
from annotation_platform.releases.models import DownloadLink, DownloadRight, Finding, Release
from annotation_platform.studies.models import Member, Study

SALT = "release-download"
LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,59}")
MOST_DAYS = 3650
MOST_WORDS = 500


@transaction.atomic
def request_release(
    *,
    study: Study,
    requested_by: Member,
    title: str,
    authors: str,
    licence: str,
    description: str = "",
    with_prompts: bool = True,
    with_replies: bool = False,
    participant_columns: Sequence[str] = (),
    participants_agreed: bool = False,
    embargo_until: date | None = None,
    after: int | None = None,
    actor: Actor,
) -> Release:
    """Put a new release into the queue; whoever calls this enqueues it.

    ``after``: the number of the last release that whoever asks has seen, 0 for none, so that a second click makes no
    second one.

    Raises
    ------
    InvalidInputError
        When it names no title, author or licence, or nothing could be in it; or columns of participants that were
        not kept, or that nobody said they agreed to.
    ConflictError
        While another one is under way, or when there is a newer one than ``after``.
    """
    title, licence = " ".join(title.split()), licence.strip()
    names = [" ".join(line.split()) for line in authors.splitlines() if line.strip()]
    _check_named(title, names, licence)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    _check_can_freeze(study)
    participant_columns = list(dict.fromkeys(participant_columns))
    check_columns(study, participant_columns, agreed=participants_agreed)
    last = study.releases.aggregate(last=Max("number"))["last"] or 0
    if after is not None and after < last:
        raise ConflictError("releases.made_meanwhile", number=last)
    release = Release.objects.create(
        study=study,
        number=last + 1,
        requested_by=requested_by,
        title=title,
        description=description,
        authors="\n".join(names),
        licence=licence,
        with_prompts=with_prompts,
        with_replies=with_replies,
        participant_columns=participant_columns,
        embargo_until=embargo_until,
        pseudonym_key=new_key(),
    )
    change = {"title": (None, title)}
    if participant_columns:
        change["participant_columns"] = (None, ", ".join(participant_columns))
    record(actor, Verb.RELEASE_REQUESTED, release, study=study, change=change)
    return release


def _check_named(title: str, authors: list[str], licence: str) -> None:
    if not title:
        raise InvalidInputError("releases.title_needed")
    if not authors:
        raise InvalidInputError("releases.authors_needed")
    if not LICENCE.fullmatch(licence):
        raise InvalidInputError("releases.licence_wrong", licence=licence)


def _check_can_freeze(study: Study) -> None:
    if not Annotation.objects.closed().filter(item__study=study).exists():
        raise InvalidInputError("releases.nothing_to_freeze")
    waiting = study.releases.exclude(status__in=[JobStatus.DONE, JobStatus.FAILED]).first()
    if waiting is not None:
        raise ConflictError("releases.one_under_way", number=waiting.number)


@transaction.atomic
def settle_findings(*, release: Release, verdicts: dict[int, Finding.Verdict], actor: Actor) -> bool:
    """Say of findings whether they stay or are replaced; once none is open, put the release into the queue again.

    Gives whether it was: whoever calls this then enqueues it.

    Raises
    ------
    ConflictError
        When the release waits for nobody.
    """
    if not Release.objects.select_for_update().filter(pk=release.pk, status=JobStatus.DRAFT).exists():
        raise ConflictError("releases.nothing_to_settle")
    settled = defaultdict(list)
    for finding in release.findings.all():
        verdict = verdicts.get(finding.pk, finding.verdict)
        if finding.is_of_people and verdict == Finding.Verdict.REMOVED:
            verdict = Finding.Verdict.OPEN  # nothing can be replaced there
        if verdict != finding.verdict:
            settled[verdict].append(finding.pk)
    for verdict, findings in settled.items():
        release.findings.filter(pk__in=findings).update(verdict=verdict)
    open_ones = release.findings.filter(verdict=Finding.Verdict.OPEN).count()
    record(actor, Verb.RELEASE_SETTLED, release, study=release.study, change={"open": (None, open_ones)})
    if open_ones:
        return False
    Release.objects.filter(pk=release.pk).update(status=JobStatus.PENDING, heartbeat_at=timezone.now(), worker="")
    release.refresh_from_db()
    return True


@transaction.atomic
def give_up_release(*, release: Release, actor: Actor) -> None:
    """Let go of a release that is not frozen and that nobody is at."""
    idle = Release.objects.filter(pk=release.pk, status__in=[JobStatus.DRAFT, JobStatus.FAILED])
    if idle.select_for_update().exists():  # locked, or it may be settled and queued before it is deleted
        record(actor, Verb.RELEASE_GIVEN_UP, release, study=release.study)
        release.findings.all().delete()
        release.pseudonyms.all().delete()
        Release.objects.filter(pk=release.pk).delete()


@transaction.atomic
def withdraw_release(*, release: Release, because: str, actor: Actor) -> None:
    """Let nobody download it any more; its number, checksum and the reason stay, and so do its files on the disk.

    Raises
    ------
    InvalidInputError
        When it is not frozen, or no reason is given.
    """
    because = " ".join(because.split())
    if not because or len(because) > MOST_WORDS:
        raise InvalidInputError("releases.reason_needed", most=MOST_WORDS)
    withdrawn = Release.objects.filter(pk=release.pk, status=JobStatus.DONE, withdrawn_at=None).update(
        withdrawn_at=timezone.now(), withdrawn_because=because
    )
    if not withdrawn:
        raise InvalidInputError("releases.not_frozen")
    record(actor, Verb.RELEASE_WITHDRAWN, release, study=release.study, change={"because": ("", because)})
    release.refresh_from_db()


@transaction.atomic
def make_link(*, release: Release, created_by: Member, days: int, note: str = "", actor: Actor) -> DownloadLink:
    """A link that lets anybody who has it download the release, for so many days.

    Raises
    ------
    InvalidInputError
        When the days are none that make sense, or the release is not frozen.
    """
    if not 1 <= days <= MOST_DAYS:
        raise InvalidInputError("releases.days_wrong", most=MOST_DAYS)
    if not release.is_frozen:
        raise InvalidInputError("releases.not_frozen")
    link = DownloadLink.objects.create(
        release=release, created_by=created_by, note=note[:120], expires_at=timezone.now() + timedelta(days=days)
    )
    record(actor, Verb.RELEASE_SHARED, release, study=release.study, change={"link": (None, link.pk)})
    return link


@transaction.atomic
def revoke_link(*, link: DownloadLink, actor: Actor) -> None:
    if DownloadLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(
            actor, Verb.RELEASE_LINK_REVOKED, link.release, study=link.release.study, change={"link": (link.pk, None)}
        )


def token_of(link: DownloadLink) -> str:
    return signing.Signer(salt=SALT).sign(str(link.pk))


def link_of(token: str) -> DownloadLink:
    """The link that a token names, while it lets anybody in.

    Raises
    ------
    NotThereError
        When it is damaged, too old or revoked, or its release withdrawn or under embargo.
    """
    try:
        pk = int(signing.Signer(salt=SALT).unsign(token))
    except (signing.BadSignature, ValueError):
        raise NotThereError("releases.link_wrong") from None
    link = DownloadLink.objects.select_related("release__study").filter(pk=pk).first()
    if link is None or not link.is_open:
        raise NotThereError("releases.link_over")
    if not link.release.is_frozen:
        raise NotThereError("releases.withdrawn", because=link.release.withdrawn_because)
    check_embargo(link.release)
    return link


def check_embargo(release: Release) -> None:
    """
    Raises
    ------
    NotThereError
        While nobody but the study's researchers and admins may download it.
    """
    if release.is_embargoed:
        raise NotThereError("releases.under_embargo", until=f"{release.embargo_until:%Y-%m-%d}")


@transaction.atomic
def note_download(
    *, release: Release, by: DownloadLink | DownloadRight | None = None, file: str = "", actor: Actor
) -> None:
    """Write down that somebody downloads a release or one file of it, and by which link or right, if by one."""
    change: dict[str, tuple[None, object]] = {"file": (None, file)} if file else {}
    if by is not None:
        type(by).objects.filter(pk=by.pk).update(downloads=F("downloads") + 1)
        change["link" if isinstance(by, DownloadLink) else "right"] = (None, by.pk)
    record(actor, Verb.RELEASE_DOWNLOADED, release, study=release.study, change=change or None)
