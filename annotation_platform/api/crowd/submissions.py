"""Submissions on Prolific: how they stand, approving, rejecting, a bonus. Each is an order, written down first."""

from decimal import Decimal
from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import annotator_named, as_researcher, one_of
from annotation_platform.api.crowd.orders import UNITS, OrderRead, ordered
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.endings import Ending
from annotation_platform.crowd.providers.prolific import orders
from annotation_platform.crowd.providers.prolific.finding import submission_in
from annotation_platform.crowd.providers.prolific.models import ProviderCall, Submission, SubmissionState, in_units
from annotation_platform.crowd.providers.prolific.orders import (
    CATEGORIES,
    LONGEST_REJECTION,
    MOST_BONUS,
    SHORTEST_REJECTION,
    with_paid_here,
)

HOW = [
    OpenApiParameter("state", str, enum=SubmissionState.values, description="Only those that stand so there."),
    OpenApiParameter("annotator", int, description="Only those of this member."),
]


class SubmissionRead(Output):
    id = serializers.IntegerField()
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    external_id = serializers.CharField(help_text="Of the submission on Prolific; it names no person.")
    external_study = serializers.CharField(help_text="Of the study on Prolific.")
    state = choice(SubmissionState.values, help_text="As Prolific told last.")
    ending = serializers.CharField(
        help_text=f"Here: {', '.join(Ending.values)}; empty: under way, or left before its end."
    )
    arrived_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    told_at = serializers.DateTimeField(allow_null=True, help_text="When Prolific last said how it stands.")
    bonus_here = serializers.CharField(help_text=f"Orders that were carried out. {UNITS}")
    bonus_there = serializers.CharField(help_text="By Prolific's ledger.")


class Rejection(Input):
    category = choice(CATEGORIES, help_text="Prolific's.")
    message = serializers.CharField(
        min_length=SHORTEST_REJECTION, max_length=LONGEST_REJECTION, help_text="The person reads it."
    )


class Bonus(Input):
    amount = serializers.DecimalField(
        max_digits=8,
        decimal_places=2,
        min_value=Decimal("0.01"),
        max_value=Decimal(MOST_BONUS) / 100,
        help_text=UNITS,
    )


class Submissions(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        responses=listed("Submission", SubmissionRead), parameters=[*LISTING, *HOW], operation_id="submissions_list"
    )
    def get(self, request: Request, slug: str) -> Any:
        """Who came from Prolific, visit by visit, the newest first."""
        study, _ = as_researcher(request, slug)
        rows = Submission.objects.filter(connection__study=study)
        if state := one_of(request, "state", SubmissionState.values):
            rows = rows.filter(state=state)
        if (member := annotator_named(request, study)) is not None:
            rows = rows.filter(member=member)
        found = with_paid_here(rows.select_related("member"))
        return page(request, found, _told, fields=names_of(SubmissionRead), newest_first=True)


class OneSubmission(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=SubmissionRead, operation_id="submission_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A submission, with the bonuses by both ledgers."""
        one = submission_in(as_researcher(request, slug)[0], pk)
        found = with_paid_here(Submission.objects.select_related("member")).get(pk=one.pk)
        return Response(_told(found))


class ApproveSubmission(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={202: OrderRead}, operation_id="submission_approve")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Have Prolific approve it, by which its reward is paid; a submission is decided once."""
        one = submission_in(as_researcher(request, slug)[0], pk)
        return ordered(partial(orders.approve, submission=one, actor=actor_of(request)))


class RejectSubmission(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Rejection, responses={202: OrderRead}, operation_id="submission_reject")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Have Prolific reject it, for one of its reasons."""
        one = submission_in(as_researcher(request, slug)[0], pk)
        return ordered(partial(orders.reject, submission=one, actor=actor_of(request), **sent(Rejection, request)))


class PayBonus(ApiView):
    scopes = {"POST": Scope.MANAGE}
    pays_each_time = True

    @extend_schema(request=Bonus, responses={202: OrderRead}, operation_id="submission_bonus")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Have Prolific pay it a bonus; send an Idempotency-Key, for another request is another bonus."""
        one = submission_in(as_researcher(request, slug)[0], pk)
        units = int(sent(Bonus, request)["amount"] * 100)
        return ordered(partial(_bonus, one, units, actor_of(request)))


def _bonus(submission: Submission, units: int, actor: Actor) -> ProviderCall:
    (call,) = orders.pay_bonuses(connection=submission.connection, lines=[(submission, units)], actor=actor)
    return call


def _told(row: Any) -> dict[str, Any]:
    """Of a submission with its bonuses here (:func:`with_paid_here`)."""
    known = {"id": row.pk, "annotator": row.member_id, "pseudonym": row.member.pseudonym}
    known |= {"bonus_here": in_units(row.paid_here), "bonus_there": in_units(row.bonus_there)}
    return {name: known[name] if name in known else getattr(row, name) for name in names_of(SubmissionRead)}
