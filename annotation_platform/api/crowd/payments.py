"""Payments: collecting what is owed, approving it, its file, and what was paid. Everything but reading is for admins,
except collecting, which moves nothing."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher
from annotation_platform.api.crowd.pay import AMOUNT, LONGEST_AMOUNT
from annotation_platform.api.frame.bodies import BodyParser
from annotation_platform.api.frame.files import CsvParser
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.pay import paid_file, services
from annotation_platform.crowd.pay.by_prolific import in_file, order_bonuses, payable
from annotation_platform.crowd.pay.models import LineState, PaymentLine, PaymentRun, PaymentState
from annotation_platform.crowd.pay.money import amount_of, plain
from annotation_platform.crowd.pay.ordered import ordered_in
from annotation_platform.crowd.pay.payment_page import file_of
from annotation_platform.crowd.pay.selectors import line_for, run_for, runs_of
from annotation_platform.studies.selectors import study_for_admin
from workers.tasks import enqueue_calls

MOST_ROWS = 10_000


class PaymentRead(Output):
    number = serializers.IntegerField(help_text="Names it in addresses.")
    state = choice(PaymentState.values)
    currency = serializers.CharField()
    total = serializers.CharField(help_text=AMOUNT)
    people = serializers.IntegerField()
    settled = serializers.IntegerField(help_text="People of whom it is known what they were paid.")
    needs_second = serializers.BooleanField(help_text="It is above the limit: who made it may not approve it.")
    made_by = serializers.CharField(allow_null=True, help_text="Pseudonym.")
    made_at = serializers.DateTimeField()
    approved_by = serializers.CharField(allow_null=True, help_text="Pseudonym.")
    approved_at = serializers.DateTimeField(allow_null=True)


class LineRead(Output):
    line = serializers.IntegerField(help_text="Names it in addresses and in the file.")
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    state = choice(LineState.values, help_text="differs: another amount was paid, which a person settles.")
    amount = serializers.CharField(help_text=f"To be paid. {AMOUNT}")
    told_amount = serializers.CharField(allow_null=True, help_text="What was paid, as it was told.")
    is_ordered = serializers.BooleanField(help_text="Prolific was asked to pay it, and has not clearly answered.")


class FileInHand(Output):
    at = serializers.DateTimeField()
    by = serializers.CharField(
        allow_null=True, help_text="Pseudonym; null: it is not known, and one may have been downloaded since."
    )
    people = serializers.IntegerField(help_text="Of those who can be paid by Prolific; who pays by it pays them twice.")


class PaymentWithLines(PaymentRead):
    by_prolific = serializers.IntegerField(help_text="People who can be paid by Prolific.")
    in_file = FileInHand(allow_null=True, help_text="The newest file that was downloaded and lists some of them.")
    lines = LineRead(many=True)


class PaidRow(Input):
    line = serializers.IntegerField(min_value=1, max_value=LARGEST_KEY)
    payee = serializers.CharField(max_length=200, help_text="As in the file.")
    amount = serializers.CharField(max_length=LONGEST_AMOUNT, help_text=f"What was paid. {AMOUNT}")
    currency = serializers.CharField(max_length=3)


class PaidSent(Input):
    rows = serializers.ListField(child=PaidRow(), max_length=MOST_ROWS, help_text="All of them are taken, or none.")


class RecordedRead(Output):
    paid = serializers.IntegerField(help_text="Lines that were paid as they were to be.")
    differs = serializers.IntegerField(help_text="Lines with another amount, to be settled.")
    known = serializers.IntegerField(help_text="Lines of which this was known.")


class AmountPaid(Input):
    amount = serializers.CharField(max_length=LONGEST_AMOUNT, help_text=f"0: nothing, it is owed again. {AMOUNT}")


class WhyBack(Input):
    reason = serializers.CharField(max_length=500, help_text="What the annotator reads.")


class FileUnused(Input):
    file_unused = serializers.DateTimeField(
        required=False,
        help_text="The moment of `in_file`: nobody has paid or will pay by that file, nor by one from before.",
    )


class OrderedRead(Output):
    orders = serializers.ListField(child=serializers.IntegerField(), help_text="Keys of the orders to Prolific.")
    people = serializers.IntegerField()


class Payments(ApiView):
    scopes = {"GET": Scope.READ, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Payment", PaymentRead), parameters=LISTING, operation_id="payments_list")
    def get(self, request: Request, slug: str) -> Any:
        """The payments of a study, the newest first."""
        rows = runs_of(as_researcher(request, slug)[0]).select_related("made_by", "approved_by")
        return page(request, rows, _told, fields=names_of(PaymentRead), newest_first=True)

    @extend_schema(request=None, responses={201: PaymentWithLines}, operation_id="payments_collect")
    def post(self, request: Request, slug: str) -> Response:
        """Collect all that is owed and in no other payment; it waits for an admin's approval."""
        study, _ = as_researcher(request, slug)
        run = services.collect_payment(study=study, actor=actor_of(request))
        return _whole(run, status=201)


class OnePayment(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=PaymentWithLines, operation_id="payment_read")
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A payment with each person's line."""
        return _whole(run_for(as_researcher(request, slug)[0], number))


class _OfAdmins(ApiView):
    scopes = {"POST": Scope.ADMIN}
    change: Callable[..., object]

    def _change(self, request: Request, slug: str, number: int) -> Response:
        run = _of_admin(request, slug, number)
        type(self).change(run=run, actor=actor_of(request))
        return _whole(run)


class ApprovePayment(_OfAdmins):
    change = services.approve_payment

    @extend_schema(request=None, responses=PaymentWithLines, operation_id="payment_approve")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Let it be paid; above the study's limit, two people stand behind it: one made it, another one approves it."""
        return self._change(request, slug, number)


class CancelPayment(_OfAdmins):
    change = services.cancel_payment

    @extend_schema(request=None, responses=PaymentWithLines, operation_id="payment_cancel")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Drop a payment that nobody has approved; what is owed goes into the next one."""
        return self._change(request, slug, number)


class PaymentFile(ApiView):
    scopes = {"GET": Scope.ADMIN}

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR}, operation_id="payment_file")
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        """The file of an approved payment for whoever pays: line, payee, amount, currency."""
        return file_of(_of_admin(request, slug, number), method=request.method, actor=actor_of(request))


class RecordPaid(ApiView):
    scopes = {"POST": Scope.ADMIN}
    parser_classes = [BodyParser, CsvParser]

    @extend_schema(
        request={"application/json": PaidSent, "text/csv": OpenApiTypes.STR},
        responses=RecordedRead,
        operation_id="payment_record",
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Record what was paid: the file as it comes back, or its rows; recording the same again changes nothing."""
        run = _of_admin(request, slug, number)
        if isinstance(request.data, bytes):
            rows = paid_file.read(run, request.data)
        else:
            given = [{name: str(value) for name, value in row.items()} for row in sent(PaidSent, request)["rows"]]
            rows = paid_file.rows_of(run, enumerate(given, start=1))
        done = services.record_paid(run=run, rows=rows, actor=actor_of(request))
        return Response({name: getattr(done, name) for name in names_of(RecordedRead)})


class PayByProlific(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=FileUnused, responses={202: OrderedRead}, operation_id="payment_by_prolific")
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Have Prolific pay those who came from there: orders, each carried out once; asking twice orders once.

        Where a file that was downloaded lists some of them (`in_file`), it has to be declared unused.
        """
        said = sent(FileUnused, request)
        calls = order_bonuses(run=_of_admin(request, slug, number), actor=actor_of(request), **said)
        enqueue_calls()
        people = sum(call.lines.count() for call in calls)
        return Response({"orders": [call.pk for call in calls], "people": people}, status=202)


class SettleLine(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=AmountPaid, responses=PaymentWithLines, operation_id="payment_line_settle")
    def post(self, request: Request, slug: str, number: int, line: int) -> Response:
        """Decide what was paid for a line: this amount, or nothing."""
        run = _of_admin(request, slug, number)
        found, said = line_for(run, line), sent(AmountPaid, request)
        amount = amount_of(said["amount"], run.currency)
        services.settle_line(line=found, amount=amount, actor=actor_of(request))
        return _whole(run)


class ReverseLine(ApiView):
    scopes = {"POST": Scope.ADMIN}

    @extend_schema(request=WhyBack, responses=PaymentWithLines, operation_id="payment_line_reverse")
    def post(self, request: Request, slug: str, number: int, line: int) -> Response:
        """Note that what was paid came back, so that it is owed again."""
        run = _of_admin(request, slug, number)
        found, said = line_for(run, line), sent(WhyBack, request)
        services.reverse_payment(line=found, reason=said["reason"], actor=actor_of(request))
        return _whole(run)


def _of_admin(request: Request, slug: str, number: int) -> PaymentRun:
    return run_for(study_for_admin(request.user, slug), number)


def _whole(run: PaymentRun, *, status: int = 200) -> Response:
    found = runs_of(run.study).select_related("made_by", "approved_by").get(pk=run.pk)
    ordered = ordered_in(found)
    lines = found.lines.select_related("member").order_by("pk")
    by_prolific = [line for line, _ in payable(found)] if found.state == PaymentState.APPROVED else []
    files = {"by_prolific": len(by_prolific), "in_file": _file_in_hand(by_prolific)}
    told = files | {"lines": [_line(each, found.currency, ordered) for each in lines]}
    return Response(_told(found) | told, status=status)


def _file_in_hand(lines: list[PaymentLine]) -> dict[str, Any] | None:
    if not (listed := in_file(lines)):
        return None
    by = listed[0].in_file_by
    return {"at": listed[0].in_file_at, "by": by.pseudonym if by else None, "people": len(listed)}


def _told(run: Any) -> dict[str, Any]:
    """Of a payment with its figures (:func:`runs_of`)."""
    people = {
        "made_by": run.made_by.pseudonym if run.made_by else None,
        "approved_by": run.approved_by.pseudonym if run.approved_by else None,
    }
    known = people | {"total": plain(run.total or 0, run.currency)}
    return {name: known[name] if name in known else getattr(run, name) for name in names_of(PaymentRead)}


def _line(row: PaymentLine, currency: str, ordered: set[int]) -> dict[str, Any]:
    return {
        "line": row.pk,
        "annotator": row.member_id,
        "pseudonym": row.member.pseudonym,
        "state": row.state,
        "amount": plain(row.amount, currency),
        "told_amount": None if row.told_amount is None else plain(row.told_amount, currency),
        "is_ordered": row.pk in ordered,
    }
