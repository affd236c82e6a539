"""Webhooks and their log as they are sent and given."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from annotation_platform.accounts.language import in_language
from annotation_platform.api.frame.serializers import Input, Output, choice, names_of
from annotation_platform.jobs.outbox.posting import LONGEST_ADDRESS
from annotation_platform.webhooks.kinds import NAMES, TEST, USUAL
from annotation_platform.webhooks.models import Delivery, Endpoint
from annotation_platform.webhooks.services import LONGEST_NOTE

REASONS = ("switched_off_because", "error")


class WebhookRead(Output):
    id = serializers.IntegerField()
    address = serializers.CharField()
    note = serializers.CharField()
    kinds = serializers.ListField(child=choice(NAMES), help_text="What it is told of.")
    is_on = serializers.BooleanField()
    switched_off_at = serializers.DateTimeField(allow_null=True)
    switched_off_because = serializers.CharField(help_text="Empty: somebody did.")
    failures = serializers.IntegerField(help_text="Attempts in a row that failed.")
    failing_since = serializers.DateTimeField(allow_null=True)
    former_until = serializers.DateTimeField(allow_null=True, help_text="Until when the former secret signs, too.")
    created_at = serializers.DateTimeField()


class WebhookWithSecret(WebhookRead):
    secret = serializers.CharField(help_text="Told this once.")


class DeliveryRead(Output):
    id = serializers.IntegerField()
    message_id = serializers.CharField()
    kind = choice([*NAMES, TEST])
    state = choice(Delivery.State.values)
    attempts = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    tried_at = serializers.DateTimeField(allow_null=True)
    due_at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True, help_text="Of the last answer.")
    reply = serializers.CharField(help_text="The first bytes of the last answer.")
    error = serializers.CharField(help_text="Why the last attempt does not count as received.")
    body = serializers.CharField(help_text="What is sent.")


FIELDS, DELIVERY_FIELDS = names_of(WebhookRead), names_of(DeliveryRead)


def told(endpoint: Endpoint) -> Mapping[str, Any]:
    return _told(endpoint, FIELDS)


def changeable(endpoint: Endpoint) -> Mapping[str, Any]:
    """What a change may set, which the ETag is of: failures come and go while somebody reads."""
    return _told(endpoint, ("address", "note", "kinds", "is_on"))


def told_delivery(delivery: Delivery) -> Mapping[str, Any]:
    return _told(delivery, DELIVERY_FIELDS)


def _told(row: Endpoint | Delivery, fields: tuple[str, ...]) -> Mapping[str, Any]:
    values: dict[str, Any] = {field: row.pk if field == "id" else getattr(row, field) for field in fields}
    return values | {field: in_language(values[field]) for field in REASONS if values.get(field)}


class NewWebhook(Input):
    address = serializers.CharField(max_length=LONGEST_ADDRESS)
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_NOTE)
    kinds = serializers.ListField(child=choice(NAMES), required=False, default=USUAL)


class WebhookChange(Input):
    address = serializers.CharField(required=False, max_length=LONGEST_ADDRESS)
    note = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_NOTE)
    kinds = serializers.ListField(child=choice(NAMES), required=False)
    is_on = serializers.BooleanField(required=False)
