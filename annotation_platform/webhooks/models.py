"""Where a study's webhooks go, and every message with what became of it."""

from datetime import datetime
from typing import Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.reason_fields import ReasonField
from annotation_platform.studies.models import Study


class EndpointQuerySet(models.QuerySet["Endpoint"]):
    def switched_on(self) -> Self:
        return self.filter(switched_off_at=None)

    def due(self) -> Self:
        """Those that rest no longer and have something to be told."""
        now = timezone.now()
        waiting = Delivery.objects.due().filter(endpoint=models.OuterRef("pk"))
        return self.switched_on().filter(models.Exists(waiting), rests_until__lte=now)


class Endpoint(models.Model):
    """An address that is told of a study's events, and the secret by which it knows that we do.

    Whoever sends its messages claims it by moving ``rests_until`` on, so that a worker that dies leaves it due.
    ``failures`` counts attempts in a row that failed, since ``failing_since``.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="webhooks")
    address = models.CharField(max_length=500)
    note = models.CharField(max_length=120, blank=True)
    kinds = models.JSONField(help_text="What it is told of.")
    encrypted_secret = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    claim = models.CharField(max_length=20, blank=True)
    rests_until = models.DateTimeField(default=timezone.now)
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    switched_off_at = models.DateTimeField(null=True)
    switched_off_because = ReasonField(blank=True, help_text="Empty: somebody did.")

    objects = EndpointQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.note or self.address

    @property
    def is_on(self) -> bool:
        return self.switched_off_at is None

    @property
    def former_until(self) -> datetime | None:
        """Until when a former secret signs, too; None where none does."""
        newest = self.former_secrets.in_force().first()
        return None if newest is None else newest.signs_until


class FormerSecretQuerySet(models.QuerySet["FormerSecret"]):
    def in_force(self) -> Self:
        return self.filter(signs_until__gt=timezone.now())

    def over(self) -> Self:
        return self.filter(signs_until__lte=timezone.now())


class FormerSecret(models.Model):
    """A secret that was replaced, and goes on signing for a while: a receiver may still have it, or have none newer."""

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="former_secrets")
    encrypted_secret = models.TextField()
    signs_until = models.DateTimeField()

    objects = FormerSecretQuerySet.as_manager()

    class Meta:
        ordering = ["-signs_until", "-pk"]

    def __str__(self) -> str:
        return f"Former secret of {self.endpoint}"


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self) -> Self:
        return self.filter(state=Delivery.State.WAITING, due_at__lte=timezone.now())


class Delivery(models.Model):
    """One message to one endpoint, and what came back last."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        GIVEN_UP = "given up", _("Given Up")

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="deliveries")
    message_id = models.CharField(max_length=60, help_text="The same at every attempt.")
    kind = models.CharField(max_length=40)
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    tried_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True, help_text="Of the last answer.")
    reply = models.TextField(blank=True, help_text="The first bytes of the last answer.")
    error = ReasonField(blank=True, help_text="Why there was no answer, or not the one that counts.")

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["endpoint", "state", "due_at"], name="delivery_by_state"),
            models.Index(fields=["created_at"], name="delivery_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.message_id}"
