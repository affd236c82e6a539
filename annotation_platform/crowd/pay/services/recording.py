"""Recording what a payment file says was paid."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.pay.models import UNSETTLED, LineState, PaymentLine, PaymentRun, PaymentState
from annotation_platform.crowd.pay.money import plain
from annotation_platform.crowd.pay.ordered import ordered_in
from annotation_platform.crowd.pay.paid_file import PaidRow
from annotation_platform.crowd.pay.services.payments import settle_line


@dataclass(frozen=True)
class Recorded:
    """What came of a file: lines paid as they were to be, lines for a person to settle, lines that were known."""

    paid: int = 0
    differs: int = 0
    known: int = 0


@transaction.atomic
def record_paid(*, run: PaymentRun, rows: Sequence[PaidRow], actor: Actor) -> Recorded:
    """Record the lines that were paid as they were to be; those with another amount wait for a person.

    Recording the same again changes nothing.

    Raises
    ------
    InvalidInputError
        When the payment is not approved, or a line that is settled is told with another amount.
    ConflictError
        When an order of a line that is not settled has no clear answer yet.
    """
    locked = PaymentRun.objects.select_for_update(no_key=True).get(pk=run.pk)
    if locked.state != PaymentState.APPROVED:
        raise InvalidInputError("crowd.pay_not_approved")
    named = PaymentLine.objects.filter(pk__in=[row.line.pk for row in rows]).select_related("member", "run__study")
    # Nobody settles one of them meanwhile.
    lines = {line.pk: line for line in named.select_for_update(no_key=True, of=("self",)).order_by("pk")}
    told = [(lines[row.line.pk], row.amount) for row in rows]
    _check_ordered(run, [line for line, _ in told if line.state in UNSETTLED])
    contradictions: list[str] = [
        Reason(
            "crowd.pay_row_settled",
            line=line.pk,
            payee=line.member.pseudonym,
            was=plain(line.told_amount or 0, run.currency),
            given=plain(amount, run.currency),
        )
        for line, amount in told
        if line.state in (LineState.PAID, LineState.NOT_PAID, LineState.REVERSED) and line.told_amount != amount
    ]
    if contradictions:
        raise InvalidInputError("crowd.pay_file_wrong", reasons=contradictions, count=len(contradictions))
    paid = differs = known = 0
    for line, amount in told:
        is_known = line.state not in UNSETTLED
        if is_known or (line.state == LineState.DIFFERS and line.told_amount == amount):
            known += 1
        elif amount == line.amount:
            settle_line(line=line, amount=amount, actor=actor)
            paid += 1
        else:
            PaymentLine.objects.filter(pk=line.pk).update(state=LineState.DIFFERS, told_amount=amount)
            differs += 1
    if paid or differs:
        change = {"paid": (0, paid), "differs": (0, differs)}
        record(actor, Verb.PAY_FILE_RECORDED, run, study=run.study, change=change)
    return Recorded(paid, differs, known)


def _check_ordered(run: PaymentRun, lines: list[PaymentLine]) -> None:
    ordered = ordered_in(run)
    for line in lines:
        if line.pk in ordered:
            raise ConflictError("crowd.pay_line_ordered", member=line.member.pseudonym)
