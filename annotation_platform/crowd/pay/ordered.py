"""Which lines of payments are ordered from a provider, and so must not be paid in another way."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation_platform.crowd.pay.models import PaymentLine, PaymentRun
from annotation_platform.crowd.providers.prolific.models import CARRIED_OUT, UNDER_WAY, BonusLine


def without_order(lines: QuerySet[PaymentLine]) -> QuerySet[PaymentLine]:
    """Those that no order pays or has paid; an order that was refused, or found not done, leaves its lines free."""
    orders = BonusLine.objects.filter(payment_line=OuterRef("pk"), call__state__in=[*UNDER_WAY, *CARRIED_OUT])
    return lines.filter(~Exists(orders))


def is_ordered(line: PaymentLine) -> bool:
    """Whether an order of a line has no clear answer yet."""
    return BonusLine.objects.filter(payment_line=line, call__state__in=UNDER_WAY).exists()


def ordered_in(run: PaymentRun) -> set[int]:
    """The keys of a payment's lines whose order has no clear answer yet."""
    orders = BonusLine.objects.filter(payment_line__run=run, call__state__in=UNDER_WAY)
    return {pk for pk in orders.values_list("payment_line", flat=True) if pk is not None}
