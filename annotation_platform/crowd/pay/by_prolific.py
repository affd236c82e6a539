"""Paying a payment's lines by Prolific: one bulk order of bonuses, each tied to the line that it pays.

A line that is ordered is in no payment file and is settled by nobody, until Prolific's answer is clear.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.crowd.pay.models import UNSETTLED, LineState, PaymentLine, PaymentRun, PaymentState
from annotation_platform.crowd.pay.ordered import without_order
from annotation_platform.crowd.pay.services import settle_line
from annotation_platform.crowd.providers.prolific.connecting import connection_for
from annotation_platform.crowd.providers.prolific.models import ProviderCall, Submission
from annotation_platform.crowd.providers.prolific.orders import pay_bonuses

CURRENCIES = ("GBP", "USD")


def payable(run: PaymentRun) -> list[tuple[PaymentLine, Submission]]:
    """The lines to be paid whose payees came from Prolific, each with the newest submission of theirs.

    One of which a file says that another amount was paid is none of them: a person settles it. Work in a round is paid
    by the submission to the study that the round qualifies for.
    """
    newest = {one.member_id: one for one in _submissions(run).order_by("arrived_at", "pk")}
    came_as = {line: line.member.in_main_study().pk for line in _to_pay(run).select_related("member__study")}
    return [(line, newest[member]) for line, member in came_as.items() if member in newest]


class FileInHandError(ConflictError):
    """Somebody may be paying by a file that lists the same people."""


def in_file(lines: Iterable[PaymentLine]) -> list[PaymentLine]:
    """Those that a downloaded file lists, the newest file's first: whoever has it can pay by it."""
    listed = {line: line.in_file_at for line in lines if line.in_file_at}
    return sorted(listed, key=listed.__getitem__, reverse=True)


@transaction.atomic
def order_bonuses(*, run: PaymentRun, file_unused: datetime | None = None, actor: Actor) -> list[ProviderCall]:
    """Have all lines of a payment paid whose payees came from Prolific; asking twice orders once.

    ``file_unused``: when the newest file that lists some of them was downloaded, where ``actor`` declares that nobody
    pays by it, nor by those before it.

    Raises
    ------
    InvalidInputError
        When the payment is not approved, nobody is left to be paid so, Prolific does not pay in its currency, or an
        amount is more than one bonus may be.
    FileInHandError
        When a file that was downloaded lists some of them, and that was not declared of it.
    """
    locked = PaymentRun.objects.select_for_update(no_key=True).get(pk=run.pk)
    if locked.state != PaymentState.APPROVED:
        raise InvalidInputError("crowd.pay_not_approved")
    if run.currency not in CURRENCIES:
        raise InvalidInputError("crowd.pay_prolific_currency", currency=run.currency, known=[*CURRENCIES])
    list(run.lines.select_for_update(no_key=True).order_by("pk").values_list("pk"))  # nobody settles them meanwhile
    found = payable(run)
    connection = connection_for(run.study.qualifies_for or run.study)
    if connection is None or not found:
        raise InvalidInputError("crowd.pay_nobody_of_prolific")
    _check_files(run, in_file(line for line, _ in found), file_unused, actor)
    return pay_bonuses(
        connection=connection,
        lines=[(submission, line.amount) for line, submission in found],
        payment_lines={submission.pk: line.pk for line, submission in found},
        actor=actor,
    )


def settle_paid(call: ProviderCall, actor: Actor) -> None:
    """Enter what an order has paid: it follows when the order was carried out."""
    paid = call.lines.filter(payment_line__state__in=UNSETTLED)
    for each in paid.select_related("payment_line__member", "payment_line__run__study"):
        assert each.payment_line is not None
        settle_line(line=each.payment_line, amount=each.amount, actor=actor)


def _check_files(run: PaymentRun, listed: list[PaymentLine], unused: datetime | None, actor: Actor) -> None:
    if not listed:
        return
    if unused != listed[0].in_file_at:
        raise FileInHandError("crowd.pay_file_in_hand", count=len(listed))
    record(actor, Verb.PAY_FILE_NOT_USED, run, study=run.study, change={"people": (None, len(listed))})


def _to_pay(run: PaymentRun) -> QuerySet[PaymentLine]:
    return without_order(PaymentLine.objects.filter(run=run, state=LineState.OPEN)).order_by("pk")


def _submissions(run: PaymentRun) -> QuerySet[Submission]:
    study = run.study.qualifies_for_id or run.study_id
    return Submission.objects.filter(connection__study=study).exclude(external_study="")
