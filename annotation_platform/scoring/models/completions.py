"""Every reply of a model with what was asked and what it cost; and the replies that came with imported data."""

from django.db import models

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.methods.replies import Shortfall

CUT_AT_OURS = "length"
CUT = (CUT_AT_OURS, "model_length")
"""At the longest length that was asked for, and at the model's own, as Mistral's servers tell it."""
SHORTFALLS = dict.fromkeys(CUT, Shortfall.CUT) | {
    "content_filter": Shortfall.FILTERED,
    "refusal": Shortfall.DECLINED,
}
"""By what servers call it."""


class Completion(models.Model):
    """A model's reply, saved before anything is read from it; the same signature is never asked for twice."""

    signature = models.CharField(max_length=64, unique=True)
    request = models.JSONField()
    reply = models.TextField()
    finish_reason = models.CharField(
        max_length=40, blank=True, default="", help_text="Why the server stopped; “refusal” where the model declined."
    )
    by_schema = models.BooleanField(default=False, help_text="Whether the server was given a JSON schema for it.")
    model = models.CharField(max_length=200)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="US dollars, from usage.")
    run = models.ForeignKey(
        "scoring.ScoringRun",
        on_delete=models.SET_NULL,
        null=True,
        related_name="completions",
        help_text="The run that paid for it; others with the same request use it for nothing.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.model}: {self.signature[:12]}"

    @property
    def needs_room(self) -> bool:
        """Whether it may be whole with a longer longest length."""
        return self.finish_reason == CUT_AT_OURS

    @property
    def shortfall(self) -> Shortfall | None:
        """Why it is no answer, whatever it says."""
        return SHORTFALLS.get(self.finish_reason)


class Claim(models.Model):
    """Somebody is about to ask for a reply, so nobody else does; and what it may cost at most is set aside.

    It goes when the reply is stored. One that has expired was left behind by a process that died: whoever wants the
    reply takes it over.
    """

    signature = models.CharField(max_length=64, unique=True)
    owner = models.CharField(max_length=32)
    expires_at = models.DateTimeField(db_index=True)
    run = models.ForeignKey("scoring.ScoringRun", on_delete=models.CASCADE, null=True, related_name="claims")
    most_cost = models.DecimalField(max_digits=12, decimal_places=6, default=0, help_text="US dollars set aside.")
    most_tokens = models.PositiveIntegerField(default=0, help_text="Tokens set aside.")

    def __str__(self) -> str:
        return self.signature[:12]


class RecordedReply(models.Model):
    """The raw reply of a model that came with imported data."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="recorded_replies")
    aspect = models.CharField(max_length=40)
    reply = models.TextField()
    model = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "recorded replies"
        constraints = [models.UniqueConstraint(fields=["annotation", "aspect"], name="one_recorded_reply")]

    def __str__(self) -> str:
        return self.reply
