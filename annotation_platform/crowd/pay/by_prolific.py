"""Paying a payment's lines by Prolific: one bulk order of bonuses, each tied to the line that it pays.

A line that is ordered is in no payment file and is settled by nobody, until Prolific's answer is clear.
"""

from django.db import transaction
from django.db.models import QuerySet

from annotation_platform.accounts.actors import Actor
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pay.models import UNSETTLED, PaymentLine, PaymentRun, PaymentState
from annotation_platform.crowd.pay.ordered import without_order
from annotation_platform.crowd.pay.services import settle_line
from annotation_platform.crowd.providers.prolific.connecting import connection_for
from annotation_platform.crowd.providers.prolific.models import ProviderCall, Submission
from annotation_platform.crowd.providers.prolific.orders import pay_bonuses

CURRENCIES = ("GBP", "USD")


def payable(run: PaymentRun) -> list[tuple[PaymentLine, Submission]]:
    """The lines to be paid whose payees came from Prolific, each with the newest submission of theirs.

    Work in a round is paid by the submission to the study that the round qualifies for.
    """
    newest = {one.member_id: one for one in _submissions(run).order_by("arrived_at", "pk")}
    came_as = {line: line.member.in_main_study().pk for line in _unsettled(run).select_related("member__study")}
    return [(line, newest[member]) for line, member in came_as.items() if member in newest]


@transaction.atomic
def order_bonuses(*, run: PaymentRun, actor: Actor) -> list[ProviderCall]:
    """Have all lines of a payment paid whose payees came from Prolific; asking twice orders once.

    Raises
    ------
    InvalidInputError
        When the payment is not approved, nobody is left to be paid so, Prolific does not pay in its currency, or an
        amount is more than one bonus may be.
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


def _unsettled(run: PaymentRun) -> QuerySet[PaymentLine]:
    return without_order(PaymentLine.objects.filter(run=run, state__in=UNSETTLED)).order_by("pk")


def _submissions(run: PaymentRun) -> QuerySet[Submission]:
    study = run.study.qualifies_for_id or run.study_id
    return Submission.objects.filter(connection__study=study).exclude(external_study="")
