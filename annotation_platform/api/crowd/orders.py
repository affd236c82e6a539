"""Orders to Prolific: what became of them, settling unclear ones, and studies that are made and published there."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.crowd.entering import as_researcher, one_of
from annotation_platform.api.crowd.prolific import connection_in
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import LISTING, listed
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.crowd.providers.prolific import orders
from annotation_platform.crowd.providers.prolific.finding import call_in
from annotation_platform.crowd.providers.prolific.models import ProviderCall, in_units
from annotation_platform.crowd.providers.prolific.offering import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    MOST_MINUTES,
    MOST_PLACES,
    MOST_REWARD,
    Offer,
    make_offer,
    publish_study,
)
from workers.tasks import enqueue_calls

STATE = OpenApiParameter("state", str, enum=ProviderCall.State.values, description="Only those that stand so.")
UNITS = "In the currency of the study on Prolific, such as 1.50."


class BonusRead(Output):
    submission = serializers.IntegerField()
    annotator = serializers.IntegerField(help_text="Key of the member.")
    pseudonym = serializers.CharField()
    amount = serializers.CharField(help_text=UNITS)


class OfferRead(Output):
    name = serializers.CharField()
    places = serializers.IntegerField()
    reward = serializers.CharField(help_text="For a submission.")
    minutes = serializers.IntegerField()


class OrderRead(Output):
    id = serializers.IntegerField()
    kind = choice(ProviderCall.Kind.values)
    state = choice(ProviderCall.State.values, help_text="unclear: a person looks at both sides and settles it.")
    submission = serializers.IntegerField(allow_null=True, help_text="That is approved or rejected.")
    external_study = serializers.CharField(help_text="Identifier on Prolific.")
    offer = OfferRead(allow_null=True, help_text="Of a study to be made.")
    bonuses = BonusRead(many=True)
    total_there = serializers.CharField(allow_null=True, help_text="What Prolific takes, with fees.")
    attempts = serializers.IntegerField()
    error = serializers.CharField()
    created_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class Settled(Input):
    was_done = serializers.BooleanField(help_text="Whether Prolific carried it out, after a look at both sides.")
    external_study = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=64, help_text="Of a study that was made: which."
    )


class NewOffer(Input):
    name = serializers.CharField(max_length=LONGEST_NAME, help_text="People on Prolific read it.")
    description = serializers.CharField(max_length=LONGEST_DESCRIPTION)
    places = serializers.IntegerField(min_value=1, max_value=MOST_PLACES, help_text="Submissions; each of one person.")
    reward = serializers.DecimalField(
        max_digits=8,
        decimal_places=2,
        min_value=Decimal("0.01"),
        max_value=Decimal(MOST_REWARD) / 100,
        help_text="For a submission, in the currency of the account on Prolific.",
    )
    minutes = serializers.IntegerField(min_value=1, max_value=MOST_MINUTES, help_text="That it takes.")
    project = serializers.CharField(required=False, default="", allow_blank=True, max_length=64)


class Orders(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=listed("Order", OrderRead), parameters=[*LISTING, STATE], operation_id="orders_list")
    def get(self, request: Request, slug: str) -> Any:
        """What Prolific was told to do, the newest first, and what became of it."""
        study, _ = as_researcher(request, slug)
        rows = ProviderCall.objects.filter(connection__study=study).prefetch_related("lines__submission__member")
        if state := one_of(request, "state", ProviderCall.State.values):
            rows = rows.filter(state=state)
        return page(request, rows, _told, fields=names_of(OrderRead), newest_first=True)


class OneOrder(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(responses=OrderRead, operation_id="order_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """An order, as it stands now."""
        return Response(_told(call_in(as_researcher(request, slug)[0], pk)))


class SettleOrder(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=Settled, responses=OrderRead, operation_id="order_settle")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Say of an order without a clear answer whether it was carried out; it is never sent again."""
        call = call_in(as_researcher(request, slug)[0], pk)
        orders.settle(call=call, actor=actor_of(request), **sent(Settled, request))
        call.refresh_from_db()
        return Response(_told(call))


class TryOrderAgain(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={202: OrderRead}, operation_id="order_again")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Carry out an order that was refused, now that the reason is mended; bonuses are ordered anew instead."""
        call = call_in(as_researcher(request, slug)[0], pk)
        return ordered(partial(_tried_again, call, actor_of(request)))


class ProlificStudies(ApiView):
    scopes = {"POST": Scope.MANAGE}
    pays_each_time = True

    @extend_schema(request=NewOffer, responses={202: OrderRead}, operation_id="prolific_study_make")
    def post(self, request: Request, slug: str) -> Response:
        """Have a draft made on Prolific, with our address and codes; look through it there, then publish it."""
        connection = connection_in(as_researcher(request, slug)[0])
        said = sent(NewOffer, request)
        offer = Offer(**said | {"reward": int(said["reward"] * 100)})
        arriving = request.build_absolute_uri(reverse("prolific_arriving", args=[connection.address_token]))
        actor = actor_of(request)
        return ordered(partial(make_offer, connection=connection, offer=offer, arriving=arriving, actor=actor))


class PublishStudy(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={202: OrderRead}, operation_id="prolific_study_publish")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Have the draft published that this order has made, once; Prolific reserves what it costs."""
        made = call_in(as_researcher(request, slug)[0], pk)
        return ordered(partial(publish_study, made=made, actor=actor_of(request)))


def ordered(order: Callable[[], ProviderCall]) -> Response:
    """Write an order down, for a worker to carry out.

    What is told of it is read in the same transaction: where that fails, nothing is ordered, and asking again is no
    second order.
    """
    with transaction.atomic():
        told = _told(order())
    enqueue_calls()
    return Response(told, status=202)


def _tried_again(call: ProviderCall, actor: Actor) -> ProviderCall:
    orders.try_again(call=call, actor=actor)
    call.refresh_from_db()
    return call


def _told(call: ProviderCall) -> dict[str, Any]:
    known = {
        "id": call.pk,
        "submission": call.submission_id,
        "offer": _offer(call.body) if call.kind == ProviderCall.Kind.CREATE else None,
        "bonuses": [
            {
                "submission": line.submission_id,
                "annotator": line.submission.member_id,
                "pseudonym": line.submission.member.pseudonym,
                "amount": line.shown,
            }
            for line in call.lines.all()
        ],
        "total_there": None if call.total_there is None else call.total_shown,
        "error": in_language(call.error),
    }
    return {name: known[name] if name in known else getattr(call, name) for name in names_of(OrderRead)}


def _offer(body: dict[str, Any]) -> dict[str, Any]:
    times = {"places": body["total_available_places"], "minutes": body["estimated_completion_time"]}
    return {"name": body["name"], "reward": in_units(body["reward"])} | times
