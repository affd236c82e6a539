"""The job: hand over what is new or has changed, one score a request, and note what the program said to each.

A score that went out, and would go out the same again, is left alone, so that a sending which was broken off goes on
where it was. Where the program wants a rest, or breaks, the job waits a little; where that does not help it pauses, and
the sweep takes it up again after a while that grows. A key that is refused ends it.
"""

import json
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation_platform import __version__
from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.providers.vault.secrets import decrypt
from annotation_platform.jobs.contract import JobKind, leave
from annotation_platform.jobs.heartbeat import Heartbeat, JobPausedError
from annotation_platform.jobs.outbox.posting import Answer, PostError, post
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoreback.destinations.contract import Account, HumanScore, Request
from annotation_platform.scoreback.destinations.registry import destination as program_named
from annotation_platform.scoreback.models import ScoreDestination, ScoreSending, SentScore
from annotation_platform.scoreback.scores import scores_of
from annotation_platform.scoreback.services import back_into_the_queue

PAUSES = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720)]
SHORT_WAITS = (1.0, 3.0)  # seconds, before the job pauses
LONGEST_WAIT = 20.0  # seconds that a program may ask for and the worker stays for; a longer one is a pause
LONGEST_PAUSE = timedelta(hours=12)
MOST_REFUSED = 100  # in a row; then nothing of it is right
SLICE = 0.5  # seconds between two signs of life
State = SentScore.State


class _NotNowError(Exception):
    """The program cannot take it now: it was not reached, broke, or wants a rest of ``wait`` seconds."""

    def __init__(self, why: Reason, wait: float | None = None) -> None:
        self.why, self.wait = why, wait
        super().__init__(str(why))


class ProgramConnection:
    """How one sending speaks to its program."""

    def __init__(self, destination: ScoreDestination) -> None:
        self.program = program_named(destination.program)
        secret = decrypt(destination.encrypted_secret) if destination.encrypted_secret else ""
        self.account = Account(destination.address, secret, destination.public_key)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"annotation-platform/{__version__}",
            **self.program.headers(self.account),
        }

    def hand_over(self, score: HumanScore) -> Answer:
        """The program's answer to a score, or to its replacement where it is there already.

        Raises
        ------
        _NotNowError
            When the same may be taken later.
        ConflictError
            When the key is refused.
        """
        answer = self._ask(self.program.request(score))
        if answer.status == 409 and (replacement := self.program.replacement(score)) is not None:
            answer = self._ask(replacement)
        return answer

    def _ask(self, request: Request) -> Answer:
        body = json.dumps(request.body, ensure_ascii=False).encode()
        address, private = f"{self.account.address}{request.path}", settings.WEBHOOK_PRIVATE_ADDRESSES
        try:
            answer = post(address, body, self._headers, private=private, method=request.method)
        except PostError as error:
            raise _NotNowError(error.reason) from None
        if answer.status in (401, 403):
            raise ConflictError("scoreback.key_refused", status=answer.status, words=answer.beginning[:200])
        if answer.status == 429 or answer.status == 408 or answer.status >= 500:
            why = Reason("scoreback.not_now", status=answer.status, words=answer.beginning[:200])
            raise _NotNowError(why, seconds_of(answer.retry_after))
        return answer


def send(sending: ScoreSending, heartbeat: Heartbeat) -> None:
    """Hand over what the destination has not got yet.

    Raises
    ------
    ConflictError
        When the key is refused, or very many scores in a row.
    JobPausedError
        When the program cannot take more now.
    """
    connection = ProgramConnection(sending.destination)
    ScoreSending.objects.filter(pk=sending.pk).update(total=sum(1 for _ in scores_of(sending.destination)))
    refused = 0
    for score in scores_of(sending.destination):
        heartbeat.beat(0)
        if not _is_there(sending, score, connection):
            refused = 0 if _hand_over(sending, score, connection, heartbeat) else refused + 1
        if refused >= MOST_REFUSED:
            raise ConflictError("scoreback.all_refused", count=refused)
        heartbeat.beat(1)
    actor = Actor.worker("scores back", sending.pk, on_behalf_of=_user_of(sending))
    change = {name: (None, count) for name, count in sending.counts.items()}
    with transaction.atomic():
        leave(sending, done=heartbeat.done)
        record(actor, Verb.SCORES_SENT, sending, study=sending.study, change=change)


def _user_of(sending: ScoreSending) -> int | None:
    return sending.requested_by.user_id if sending.requested_by else None


def digest_of(request: Request) -> str:
    return sha256(json.dumps([request.path, request.body], sort_keys=True).encode()).hexdigest()


def _is_there(sending: ScoreSending, score: HumanScore, connection: ProgramConnection) -> bool:
    """Whether it went out to this account as it is, or was refused by this very sending."""
    known, account = sending.destination.scores.filter(identifier=score.identifier).first(), connection.account
    if known is None or not known.is_at(account.address, account.public_key):
        return False
    if known.digest != digest_of(connection.program.request(score)):
        return False
    return known.state == State.SENT or known.sending_id == sending.pk


def _hand_over(sending: ScoreSending, score: HumanScore, connection: ProgramConnection, heartbeat: Heartbeat) -> bool:
    """Hand a score over and note the answer; whether it was taken."""
    for usual_wait in (*SHORT_WAITS, None):
        try:
            answer = connection.hand_over(score)
            break
        except _NotNowError as error:
            wait = usual_wait if error.wait is None else error.wait
            if usual_wait is None or wait is None or wait > LONGEST_WAIT:
                _pause(sending, error)
            else:
                _wait(wait, heartbeat)
    if sending.failures:
        sending.failures = 0
        ScoreSending.objects.filter(pk=sending.pk).update(failures=0)
    _note(sending, score, connection, answer)
    return answer.is_success


def _note(sending: ScoreSending, score: HumanScore, connection: ProgramConnection, answer: Answer) -> None:
    SentScore.objects.update_or_create(
        destination=sending.destination,
        identifier=score.identifier,
        defaults={
            "sending": sending,
            "address": connection.account.address,
            "public_key": connection.account.public_key,
            "digest": digest_of(connection.program.request(score)),
            **{name: getattr(score, name) for name in ("aspect", "annotator", "trace", "span", "value")},
            "label": score.label[:200],
            "state": State.SENT if answer.is_success else State.REFUSED,
            "status": answer.status,
            "reply": answer.beginning.replace("\x00", "�"),
            "error": "" if answer.is_success else Reason("scoreback.refused", status=answer.status),
            "sent_at": timezone.now(),
        },
    )


def _pause(sending: ScoreSending, error: _NotNowError) -> None:
    """Leave the job until the program may be asked again; after the last pause it fails."""
    if sending.failures >= len(PAUSES):
        raise ConflictError("scoreback.given_up", count=sending.failures, last=error.why)
    pause = PAUSES[sending.failures]
    if error.wait is not None:
        pause = min(max(pause, timedelta(seconds=error.wait)), LONGEST_PAUSE)
    due_at = timezone.now() + pause
    ScoreSending.objects.filter(pk=sending.pk).update(due_at=due_at, failures=sending.failures + 1)
    raise JobPausedError("scoreback.pauses", why=error.why)


def _wait(seconds: float, heartbeat: Heartbeat) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        heartbeat.beat(0)
        time.sleep(min(left, SLICE))


def seconds_of(said: str) -> float | None:
    """Seconds that a ``Retry-After`` asks for, also where it names a time; None where it says nothing."""
    with suppress(ValueError):
        return max(float(said), 0.0)
    with suppress(ValueError, TypeError):
        return max((parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds(), 0.0)
    return None


def resume_due() -> None:
    """Put sendings back into the queue whose pause is over; called by every sweep."""
    due = ScoreSending.objects.filter(status=JobStatus.PAUSED, due_at__lte=timezone.now())
    for pk in due.values_list("pk", flat=True):
        back_into_the_queue(pk, heartbeat_at=None)


SENDINGS = JobKind("scores back", ScoreSending, send, find=resume_due)
