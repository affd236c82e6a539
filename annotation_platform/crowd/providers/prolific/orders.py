"""What people have Prolific do: orders that are written down here and carried out by :mod:`.calls`."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.providers.prolific.made import check_identifier, note_made
from annotation_platform.crowd.providers.prolific.models import (
    CARRIED_OUT,
    OVER,
    BonusLine,
    ProlificStudy,
    ProviderCall,
    Submission,
)
from annotation_platform.crowd.providers.prolific.outcomes import bonuses_are_paid

SHORTEST_REJECTION = 100  # characters; Prolific takes no shorter message
LONGEST_REJECTION = 2_000
MOST_LINES = 200  # of one bulk payment
MOST_BONUS = 1_000_00  # minor units, for one submission; more than that is a slip
CATEGORIES = {
    "TOO_QUICKLY": gettext_lazy("Done too quickly"),
    "TOO_SLOWLY": gettext_lazy("Done too slowly"),
    "FAILED_INSTRUCTIONS": gettext_lazy("Instructions not followed"),
    "INCOMP_LONGITUDINAL": gettext_lazy("A part of a longer study is missing"),
    "FAILED_CHECK": gettext_lazy("Attention checks failed"),
    "LOW_EFFORT": gettext_lazy("Little effort"),
    "MALINGERING": gettext_lazy("Answers feigned"),
    "NO_CODE": gettext_lazy("No completion code"),
    "BAD_CODE": gettext_lazy("Wrong completion code"),
    "NO_DATA": gettext_lazy("No data came"),
    "UNSUPP_DEVICE": gettext_lazy("Device not supported"),
    "OTHER": gettext_lazy("Something else"),
}
"""Prolific's categories of a rejection."""


class DecidedAlreadyError(ConflictError):
    """A submission is approved or rejected once."""


def approve(*, submission: Submission, actor: Actor) -> ProviderCall:
    """Have a submission approved, by which Prolific pays its reward.

    Raises
    ------
    DecidedAlreadyError
        When it is decided, or about to be.
    """
    return _decide(submission, ProviderCall.Kind.APPROVE, {"action": "APPROVE"}, actor)


def reject(*, submission: Submission, category: str, message: str, actor: Actor) -> ProviderCall:
    """Have a submission rejected; the person reads the message.

    Raises
    ------
    InvalidInputError
        When the category is none of Prolific's, or the message is too short or too long for it.
    DecidedAlreadyError
        When it is decided, or about to be.
    """
    message = " ".join(message.split())
    if category not in CATEGORIES:
        raise InvalidInputError("crowd.rejection_category", category=category, known=[*CATEGORIES])
    if not SHORTEST_REJECTION <= len(message) <= LONGEST_REJECTION:
        raise InvalidInputError(
            "crowd.rejection_length", length=len(message), least=SHORTEST_REJECTION, most=LONGEST_REJECTION
        )
    body = {"action": "REJECT", "message": message, "rejection_category": category}
    return _decide(submission, ProviderCall.Kind.REJECT, body, actor)


@transaction.atomic
def pay_bonuses(
    *,
    connection: ProlificStudy,
    lines: Sequence[tuple[Submission, int]],
    payment_lines: Mapping[int, int] | None = None,
    actor: Actor,
) -> list[ProviderCall]:
    """Have bonuses paid: (submission, amount in minor units). One order for each study on Prolific and 200 lines.

    ``payment_lines``: submission → line of a payment that is paid by it.

    Raises
    ------
    InvalidInputError
        When there is nothing to pay, an amount is none, or a submission is of another study or named twice.
    """
    if not lines:
        raise InvalidInputError("crowd.bonus_for_nobody")
    for submission, amount in lines:
        if submission.connection_id != connection.pk or [each for each, _ in lines].count(submission) > 1:
            raise InvalidInputError("crowd.bonus_submission", submission=submission.member.pseudonym)
        if not 0 < amount <= MOST_BONUS:
            raise InvalidInputError("crowd.bonus_amount", amount=amount, most=MOST_BONUS)
    calls, paid_by = [], payment_lines or {}
    for external_study in dict.fromkeys(submission.external_study for submission, _ in lines):
        here = [(submission, amount) for submission, amount in lines if submission.external_study == external_study]
        for start in range(0, len(here), MOST_LINES):
            some = here[start : start + MOST_LINES]
            call = intend(connection, ProviderCall.Kind.BONUS, actor, external_study=external_study)
            BonusLine.objects.bulk_create(
                BonusLine(call=call, submission=submission, amount=amount, payment_line_id=paid_by.get(submission.pk))
                for submission, amount in some
            )
            change = {"amount": (None, sum(amount for _, amount in some)), "people": (None, len(some))}
            record(actor, Verb.PROVIDER_CALL_INTENDED, call, study=connection.study, change=change)
            calls.append(call)
    return calls


@transaction.atomic
def pay_one_bonus(*, submission: Submission, amount: int, seen: int, actor: Actor) -> ProviderCall:
    """Have one bonus paid by hand. ``seen``: how many whoever orders it saw on the page, so that a second click on the
    same page orders nothing.

    Raises
    ------
    InvalidInputError
        As :func:`pay_bonuses`.
    ConflictError
        When another one was ordered since.
    """
    Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
    if submission.bonuses.count() != seen:
        raise ConflictError("crowd.bonus_since")
    (call,) = pay_bonuses(connection=submission.connection, lines=[(submission, amount)], actor=actor)
    return call


@transaction.atomic
def settle(*, call: ProviderCall, was_done: bool, external_study: str = "", actor: Actor) -> None:
    """Say of an order without a clear answer whether it was carried out, after a look at both sides.

    One that was not can be given anew; this one is never sent again. Of a study that was made, ``external_study`` is
    its identifier on Prolific.

    Raises
    ------
    InvalidInputError
        When that is missing, or none.
    ConflictError
        When the order is not unclear (any more).
    """
    makes = was_done and call.kind == ProviderCall.Kind.CREATE
    if makes:
        check_identifier(external_study)
    state = ProviderCall.State.WAS_DONE if was_done else ProviderCall.State.NOT_DONE
    settled = ProviderCall.objects.filter(pk=call.pk, state=ProviderCall.State.UNCLEAR).update(
        state=state, settled_by=actor.user_id, ended_at=timezone.now()
    )
    if not settled:
        raise ConflictError("crowd.call_not_unclear")
    change = {"state": ("unclear", str(state))}
    record(actor, Verb.PROVIDER_CALL_SETTLED, call, study=call.connection.study, change=change)
    if makes:
        note_made(call, external_study)
    elif was_done and call.kind == ProviderCall.Kind.BONUS:
        bonuses_are_paid(call, actor)


@transaction.atomic
def try_again(*, call: ProviderCall, actor: Actor) -> None:
    """Carry out an order that was refused, now that what it was refused for is mended.

    Raises
    ------
    ConflictError
        When it was not refused, or it is the paying of bonuses that was refused, or bonuses of a payment, which may
        be paid otherwise by now: that is ordered anew.
    """
    call = ProviderCall.objects.get(pk=call.pk)
    if call.state == ProviderCall.State.REFUSED and call.paying_at is None and not call.may_try_again:
        raise ConflictError("crowd.order_payment_anew")
    try:
        with transaction.atomic():
            again = ProviderCall.objects.filter(pk=call.pk, state=ProviderCall.State.REFUSED, paying_at=None).update(
                state=ProviderCall.State.INTENDED, due_at=timezone.now(), attempts=0, error="", ended_at=None
            )
    except IntegrityError:  # its submission was decided otherwise meanwhile
        raise DecidedAlreadyError("crowd.submission_decided") from None
    if not again:
        raise ConflictError("crowd.call_not_refused")
    record(actor, Verb.PROVIDER_CALL_INTENDED, call, study=call.connection.study)


def paid_here(submission: Submission) -> int:
    """What the submission got by our own ledger: orders that were carried out, in minor units."""
    done = BonusLine.objects.filter(submission=submission, call__state__in=CARRIED_OUT)
    return done.aggregate(Sum("amount"))["amount__sum"] or 0


def with_paid_here(submissions: QuerySet[Submission]) -> Any:
    """Submissions, each with what :func:`paid_here` says of it."""
    done = Q(bonuses__call__state__in=CARRIED_OUT)
    return submissions.annotate(paid_here=Sum("bonuses__amount", filter=done, default=0))


@transaction.atomic
def _decide(submission: Submission, kind: ProviderCall.Kind, body: dict[str, str], actor: Actor) -> ProviderCall:
    if submission.state in OVER:
        raise DecidedAlreadyError("crowd.submission_decided")
    try:
        with transaction.atomic():
            call = intend(submission.connection, kind, actor, submission=submission, body=body)
    except IntegrityError:
        raise DecidedAlreadyError("crowd.submission_decided") from None
    change = {"action": (None, body["action"]), "category": (None, body.get("rejection_category"))}
    record(actor, Verb.PROVIDER_CALL_INTENDED, call, study=submission.connection.study, change=change)
    return call


def intend(connection: ProlificStudy, kind: ProviderCall.Kind, actor: Actor, **fields: object) -> ProviderCall:
    """Write an order down, to be carried out at once.

    Raises
    ------
    InvalidInputError
        When there is no token to carry it out with.
    """
    if not connection.encrypted_token:
        raise InvalidInputError("crowd.prolific_no_token")
    due_at = timezone.now() - timedelta(seconds=1)
    return ProviderCall.objects.create(
        connection=connection, kind=kind, created_by_id=actor.user_id, due_at=due_at, **fields
    )
