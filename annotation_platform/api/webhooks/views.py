"""Webhooks: the list, adding, changing, a new secret, deleting; their log, a test, and sending again."""

from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame.keeping import ToldOnce
from annotation_platform.api.frame.pages import page
from annotation_platform.api.frame.schema import IF_MATCH_IF_ANY, LISTING, listed
from annotation_platform.api.frame.serializers import names_of
from annotation_platform.api.frame.versions import check_version, tagged
from annotation_platform.api.frame.views import ApiView, actor_of, sent
from annotation_platform.api.webhooks.serializers import (
    DeliveryRead,
    NewWebhook,
    WebhookChange,
    WebhookRead,
    WebhookWithSecret,
    changeable,
    told,
    told_delivery,
)
from annotation_platform.studies.selectors import study_for_reader
from annotation_platform.webhooks import services
from annotation_platform.webhooks.models import Endpoint
from workers.tasks import deliver_webhooks


class Webhooks(ApiView):
    scopes = {"GET": Scope.MANAGE, "POST": Scope.MANAGE}

    @extend_schema(responses=listed("Webhook", WebhookRead), parameters=LISTING, operation_id="webhooks_list")
    def get(self, request: Request, slug: str) -> Any:
        """The webhooks of a study."""
        rows = Endpoint.objects.filter(study=study_for_reader(request.user, slug))
        return page(request, rows, told, fields=names_of(WebhookRead))

    @extend_schema(request=NewWebhook, responses={201: WebhookWithSecret}, operation_id="webhooks_create")
    def post(self, request: Request, slug: str) -> Response:
        """A new webhook, with its secret: no other reply has it."""
        study = study_for_reader(request.user, slug)
        endpoint, secret = services.add_webhook(study=study, actor=actor_of(request), **sent(NewWebhook, request))
        return ToldOnce(told(endpoint), secret=secret, status=201)


class OneWebhook(ApiView):
    scopes = {"GET": Scope.MANAGE, "PATCH": Scope.MANAGE, "DELETE": Scope.MANAGE}

    @extend_schema(responses=WebhookRead, operation_id="webhook_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A webhook and how it fares; the ETag is that of what can be changed."""
        return _tagged(_webhook(request, slug, pk))

    @extend_schema(
        request=WebhookChange, responses=WebhookRead, parameters=[IF_MATCH_IF_ANY], operation_id="webhook_change"
    )
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Another address, note or kinds; switching it off and on."""
        endpoint, change = _webhook(request, slug, pk), sent(WebhookChange, request)
        is_on = change.pop("is_on", None)
        with transaction.atomic():
            check_version(request, changeable(services.locked(endpoint)), needed=False)
            if change:
                services.change_webhook(endpoint=endpoint, actor=actor_of(request), **change)
            if is_on is not None:
                (services.switch_on if is_on else services.switch_off)(endpoint=endpoint, actor=actor_of(request))
        return _tagged(endpoint)

    @extend_schema(responses={204: None}, operation_id="webhook_delete")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Delete it with its secret and its log; what waits is not sent."""
        services.delete_webhook(endpoint=_webhook(request, slug, pk), actor=actor_of(request))
        return Response(status=204)


class RotateSecret(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses=WebhookWithSecret, operation_id="webhook_rotate")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """A new secret; for a day messages are signed with both."""
        endpoint = _webhook(request, slug, pk)
        secret = services.rotate_secret(endpoint=endpoint, actor=actor_of(request))
        return ToldOnce(told(endpoint), secret=secret)


class TestWebhook(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={202: DeliveryRead}, operation_id="webhook_test")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Put a message into the outbox that tells of nothing."""
        delivery = services.send_test(endpoint=_webhook(request, slug, pk), actor=actor_of(request))
        deliver_webhooks.delay_on_commit()
        return Response(told_delivery(delivery), status=202)


class Deliveries(ApiView):
    scopes = {"GET": Scope.MANAGE}

    @extend_schema(responses=listed("Delivery", DeliveryRead), parameters=LISTING, operation_id="deliveries_list")
    def get(self, request: Request, slug: str, pk: int) -> Any:
        """The messages of a webhook and what became of them, the newest first."""
        rows = _webhook(request, slug, pk).deliveries.all()
        return page(request, rows, told_delivery, fields=names_of(DeliveryRead), newest_first=True)


class SendAgain(ApiView):
    scopes = {"POST": Scope.MANAGE}

    @extend_schema(request=None, responses={202: DeliveryRead}, operation_id="delivery_again")
    def post(self, request: Request, slug: str, pk: int, message: int) -> Response:
        """Send a message once more, under its own number."""
        endpoint = _webhook(request, slug, pk)
        delivery = services.delivery_of(endpoint, message)
        services.send_again(delivery=delivery, actor=actor_of(request))
        deliver_webhooks.delay_on_commit()
        return Response(told_delivery(delivery), status=202)


def _tagged(endpoint: Endpoint) -> Response:
    return tagged(told(endpoint), of=changeable(endpoint))


def _webhook(request: Request, slug: str, pk: int) -> Endpoint:
    return services.webhook_of(study_for_reader(request.user, slug), pk)
