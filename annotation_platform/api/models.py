"""The replies that are kept for a day, so that a request which is sent again is not done again."""

from django.db import models

from annotation_platform.accounts.models import User


class KeptReply(models.Model):
    """The reply to a request with an ``Idempotency-Key``; without a status, it is being worked on, or was."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64, help_text="SHA-256 of what was asked.")
    begun_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    content_type = models.CharField(max_length=80, blank=True)
    headers = models.JSONField(default=dict)
    body = models.BinaryField(default=b"")

    class Meta:
        verbose_name_plural = "kept replies"
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_reply_for_a_key")]
        indexes = [models.Index(fields=["begun_at"], name="kept_reply_by_age")]

    def __str__(self) -> str:
        return f"Reply {self.pk}"
