"""Payments: what is owed is collected, approved, and settled line by line once it was paid elsewhere."""

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Sum
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.pay.makers import made_by, maker
from annotation_platform.crowd.pay.models import (
    UNSETTLED,
    EntryKind,
    LedgerEntry,
    LineState,
    PaymentLine,
    PaymentRun,
    PaymentState,
)
from annotation_platform.crowd.pay.ordered import is_ordered
from annotation_platform.crowd.pay.terms import terms_of
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.service_accounts import is_service_account
from annotation_platform.studies.services import reason_for_people


@transaction.atomic
def collect_payment(*, study: Study, actor: Actor) -> PaymentRun:
    """Make a payment of all that is owed and in no other payment that is under way.

    Raises
    ------
    InvalidInputError
        When nobody is owed anything.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # one collection at a time
    under_way = PaymentLine.objects.filter(member=OuterRef("member"), state__in=UNSETTLED)
    owed = (
        LedgerEntry.objects.filter(~Exists(under_way), study=study)
        .order_by()
        .values_list("member")
        .annotate(owed=Sum("amount"))
        .filter(owed__gt=0)
    )
    amounts = dict(owed.order_by("member__pseudonym"))
    terms = terms_of(study)
    if terms is None or not amounts:
        raise InvalidInputError("crowd.pay_nothing_owed")
    last = study.payment_runs.aggregate(last=Max("number"))["last"] or 0
    limit, total = terms.second_above, sum(amounts.values())
    run = PaymentRun.objects.create(
        study=study,
        number=last + 1,
        currency=terms.currency,
        needs_second=limit is not None and total > limit,
        made_by=maker(actor, study.pk),
    )
    PaymentLine.objects.bulk_create(
        PaymentLine(run=run, member_id=member, amount=amount) for member, amount in amounts.items()
    )
    change = {"amount": (0, total), "people": (0, len(amounts))}
    record(actor, Verb.PAY_PAYMENT_MADE, run, study=study, change=change)
    return run


def why_not_approve(run: PaymentRun, admin: Member | None) -> Reason | None:
    """Why somebody may not approve a payment; None: they may.

    Above the study's limit two people stand behind it: a program of the study is none, for either of them may have
    its token.
    """
    if admin is None or admin.role != Role.ADMIN:
        return Reason("crowd.pay_admins_approve")
    if not run.needs_second:
        return None
    if run.made_by is None or run.made_by_id == admin.pk:
        return Reason("crowd.pay_second_approves")
    account = run.made_by.user_id or run.made_by.former_user_id  # nobody knows what a deleted one was
    if account is None or is_service_account(account) or is_service_account(admin.user_id):
        return Reason("crowd.pay_people_approve")
    return None


@transaction.atomic
def approve_payment(*, run: PaymentRun, actor: Actor) -> None:
    """Let a payment be paid; admins only, and above the study's limit one who did not make it.

    Raises
    ------
    InvalidInputError
        When somebody may not approve it.
    ConflictError
        When it does not wait for approval any more.
    """
    admin = maker(actor, run.study_id)
    if (why := why_not_approve(run, admin)) is not None:
        raise InvalidInputError(why)
    _leave_proposed(run, state=PaymentState.APPROVED, approved_by=admin, approved_at=timezone.now())
    record(actor, Verb.PAY_PAYMENT_APPROVED, run, study=run.study)


@transaction.atomic
def cancel_payment(*, run: PaymentRun, actor: Actor) -> None:
    """Drop a payment that nobody has approved; what is owed goes into the next one.

    Raises
    ------
    ConflictError
        When it does not wait for approval any more.
    """
    _leave_proposed(run, state=PaymentState.CANCELLED)
    run.lines.filter(state__in=UNSETTLED).update(state=LineState.CANCELLED)
    record(actor, Verb.PAY_PAYMENT_CANCELLED, run, study=run.study)


@transaction.atomic
def settle_line(*, line: PaymentLine, amount: int, actor: Actor) -> None:
    """Decide what was paid for a line: this amount, or nothing (0), so that it is owed again.

    Raises
    ------
    InvalidInputError
        When its payment is not approved, or the amount is below zero.
    ConflictError
        When it is settled already, or an order of it has no clear answer yet.
    """
    run = line.run
    if run.state != PaymentState.APPROVED:
        raise InvalidInputError("crowd.pay_not_approved")
    if amount < 0:
        raise InvalidInputError("crowd.pay_amount_out_of_range")
    # Without their order, for which the payment would be held, too: whoever records a file of it waits for its lines.
    list(PaymentLine.objects.select_for_update(no_key=True).filter(pk=line.pk).order_by().values_list("pk"))
    if is_ordered(line):
        raise ConflictError("crowd.pay_line_ordered", member=line.member.pseudonym)
    state = LineState.PAID if amount else LineState.NOT_PAID
    settled = PaymentLine.objects.filter(pk=line.pk, state__in=UNSETTLED).update(state=state, told_amount=amount)
    if not settled:
        raise ConflictError("crowd.pay_line_settled")
    if amount:
        _enter(line, EntryKind.PAYMENT, -amount, actor)
    record(actor, Verb.PAY_LINE_SETTLED, line.member, study=run.study, change={"amount": (line.amount, amount)})
    line.refresh_from_db()


@transaction.atomic
def reverse_payment(*, line: PaymentLine, reason: str, actor: Actor) -> LedgerEntry:
    """Note that a payment came back, so that it is owed again; its member reads why.

    Raises
    ------
    InvalidInputError
        Without a reason.
    ConflictError
        When it was not paid, or came back already.
    """
    reason = reason_for_people(reason)
    if not PaymentLine.objects.filter(pk=line.pk, state=LineState.PAID).update(state=LineState.REVERSED):
        raise ConflictError("crowd.pay_line_not_paid")
    paid = LedgerEntry.objects.get(line=line, kind=EntryKind.PAYMENT)
    entry = _enter(line, EntryKind.REVERSED, -paid.amount, actor, reason)
    change = {"amount": (0, entry.amount), "because": ("", reason)}
    record(actor, Verb.PAY_PAYMENT_REVERSED, line.member, study=line.run.study, change=change)
    line.refresh_from_db()
    return entry


def _enter(line: PaymentLine, kind: EntryKind, amount: int, actor: Actor, reason: str = "") -> LedgerEntry:
    member: Member = line.member
    return LedgerEntry.objects.create(
        study_id=line.run.study_id,
        member=member,
        kind=kind,
        amount=amount,
        currency=line.run.currency,
        line=line,
        reason=reason,
        **made_by(actor, line.run.study_id),
    )


def _leave_proposed(run: PaymentRun, **changes: object) -> None:
    if not PaymentRun.objects.filter(pk=run.pk, state=PaymentState.PROPOSED).update(**changes):
        raise ConflictError("crowd.pay_payment_decided")
    run.refresh_from_db()
