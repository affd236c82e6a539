"""What is done with a study's destinations: setting one up, changing and deleting it, having scores sent."""

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError, NotThereError
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.crowd.held_scheme import hold_scheme
from annotation_platform.crowd.providers.vault.secrets import encrypt, encrypt_again
from annotation_platform.jobs import contract
from annotation_platform.jobs.outbox.posting import check_web_address
from annotation_platform.jobs.rows import ACTIVE, JobStatus
from annotation_platform.scoreback.destinations.registry import destination as program_named
from annotation_platform.scoreback.models import ScoreDestination, ScoreSending, What
from annotation_platform.scoreback.scores import sendable_aspects
from annotation_platform.studies.models import Member, SchemeVersion, Study

LONGEST_KEY = 200
UNFINISHED = (*ACTIVE, JobStatus.PAUSED)


def destination_of(study: Study, program: str) -> ScoreDestination:
    """
    Raises
    ------
    NotThereError
        When the study sends no scores to this program.
    """
    if (found := study.score_destinations.filter(program=program).first()) is None:
        raise NotThereError("scoreback.no_destination")
    return found


@transaction.atomic
def save_destination(
    *,
    study: Study,
    program: str,
    address: str,
    aspects: Collection[str],
    what: str = What.MEAN,
    with_comments: bool = False,
    public_key: str = "",
    secret: str = "",
    made_under: str = "",
    actor: Actor,
) -> ScoreDestination:
    """Set up, or change, where the scores of a study go; an empty secret leaves the one that is there.

    ``made_under``: the signature of the scheme's version that a form was made from.

    Raises
    ------
    InvalidInputError
        When the program, an aspect or the address cannot be, or a key is missing or could not be sent.
    ConflictError
        See :func:`hold_scheme`.
    """
    hold_scheme(study, made_under=made_under)
    before = study.score_destinations.filter(program=program).first()
    address = address.strip().rstrip("/")
    if before is not None and before.address != address and before.encrypted_secret and not secret:
        raise InvalidInputError("scoreback.secret_of_other_address")  # a key goes where it was meant to go
    _check(study, program, address, aspects, what)
    _check_keys(program, public_key, secret, has_secret=before is not None and bool(before.encrypted_secret))
    told = _told(before) if before else {}
    saved = before or ScoreDestination(study=study, program=program)
    saved.address, saved.public_key, saved.what, saved.with_comments = address, public_key, what, with_comments
    saved.aspects = [aspect.key for aspect in sendable_aspects(study.scheme()) if aspect.key in aspects]
    if secret:
        saved.encrypted_secret = encrypt(secret)
    saved.save()
    change = differences(told, _told(saved) | ({"secret": "replaced"} if before and secret else {}))
    record(actor, Verb.SCORES_DESTINATION_SAVED, saved, study=study, change=change)
    return saved


def _check(study: Study, program: str, address: str, aspects: Collection[str], what: str) -> None:
    program_named(program)
    check_web_address(address, private=settings.WEBHOOK_PRIVATE_ADDRESSES)
    known = [aspect.key for aspect in sendable_aspects(study.scheme())]
    if strange := sorted(set(aspects) - set(known)):
        raise InvalidInputError("scoreback.no_aspect", aspect=strange[0], known=known)
    if not aspects:
        raise InvalidInputError("scoreback.no_aspects")
    if what not in What.values:
        raise InvalidInputError("scoreback.no_such_way", what=what[:40], known=[*What.values])


def _check_keys(program: str, public_key: str, secret: str, *, has_secret: bool) -> None:
    for key in (public_key, secret):
        if len(key) > LONGEST_KEY or not key.isascii() or (key and not key.isprintable()) or " " in key:
            raise InvalidInputError("scoreback.key_malformed", most=LONGEST_KEY)
    there = program_named(program)
    if there.public_key and not public_key:
        raise InvalidInputError("scoreback.key_missing", key=there.public_key)
    if not (secret or has_secret) and "empty" not in there.secret:
        raise InvalidInputError("scoreback.key_missing", key=there.secret)


@transaction.atomic
def delete_destination(*, destination: ScoreDestination, actor: Actor) -> None:
    """Forget the key and the log; what was sent stays there.

    Raises
    ------
    ConflictError
        While scores are being sent.
    """
    if destination.sendings.filter(status__in=ACTIVE).exists():
        raise ConflictError("scoreback.being_sent")
    study, told = destination.study, _told(destination)
    record(actor, Verb.SCORES_DESTINATION_DELETED, destination, study=study, change=differences(told, {}))
    destination.delete()


@transaction.atomic
def request_sending(*, destination: ScoreDestination, requested_by: Member | None = None, actor: Actor) -> ScoreSending:
    """Put a sending into the queue; whoever calls this enqueues it. One that is not finished yet is given again."""
    ScoreDestination.objects.select_for_update().get(pk=destination.pk)
    if (waiting := destination.sendings.filter(status__in=UNFINISHED).first()) is not None:
        return waiting
    sending = ScoreSending.objects.create(study=destination.study, destination=destination, requested_by=requested_by)
    change = {"program": (None, destination.program), "what": (None, destination.what)}
    record(actor, Verb.SCORES_SENDING_REQUESTED, sending, study=destination.study, change=change)
    return sending


@transaction.atomic
def resume_sending(*, sending: ScoreSending, actor: Actor) -> None:
    """Have a paused sending go on at once; the caller enqueues it.

    Raises
    ------
    ConflictError
        When it is not paused.
    """
    if not back_into_the_queue(sending.pk, heartbeat_at=timezone.now()):
        raise ConflictError("scoreback.not_paused")
    record(actor, Verb.SCORES_SENDING_RESUMED, sending, study=sending.study)


def back_into_the_queue(pk: int, **changes: Any) -> bool:
    paused = ScoreSending.objects.filter(pk=pk, status=JobStatus.PAUSED)
    fresh = {"status": JobStatus.PENDING, "worker": "", "error": "", "pause_asked": False, "attempts": 0}
    return bool(paused.update(**fresh, due_at=None, **changes))


@transaction.atomic
def stop_sending(*, sending: ScoreSending, actor: Actor) -> None:
    """End one that is not finished; what it has sent stays there.

    Raises
    ------
    ConflictError
        When it has ended.
    """
    if not contract.stop(sending):
        raise ConflictError("scoreback.ended_already")
    record(actor, Verb.SCORES_SENDING_STOPPED, sending, study=sending.study)


def _told(destination: ScoreDestination) -> dict[str, Any]:
    """What an event says of a destination: of its key only whether there is one."""
    return {
        "program": destination.program,
        "address": destination.address,
        "aspects": ", ".join(destination.aspects),
        "what": destination.what,
        "with_comments": destination.with_comments,
        "secret": "kept" if destination.encrypted_secret else "none",
    }


def carry_aspects(study: Study, version: SchemeVersion, changes: SchemeChanges, actor: Actor) -> None:
    """Let the scores of the same aspects go on going back, under their new keys; the history says which do.

    A follower of ``annotations.scheme_following``.
    """
    for destination in study.score_destinations.select_for_update(no_key=True):
        told = _told(destination)
        destination.aspects = [new for key in destination.aspects if (new := changes.slot(key))]
        if change := differences(told, _told(destination)):
            destination.save(update_fields=["aspects"])
            record(actor, Verb.SCORES_DESTINATION_SAVED, destination, study=study, change=change)


def rotate_keys() -> int:
    """Encrypt the keys of all destinations with the first key of the installation; give how many they were."""
    kept = list(ScoreDestination.objects.exclude(encrypted_secret=""))
    for each in kept:
        as_it_was = type(each).objects.filter(pk=each.pk, encrypted_secret=each.encrypted_secret)
        as_it_was.update(encrypted_secret=encrypt_again(each.encrypted_secret))  # not over one that is new since
    return len(kept)
