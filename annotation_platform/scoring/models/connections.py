"""Model servers that an admin has connected."""

from django.db import models


class ModelConnection(models.Model):
    """A model behind an OpenAI-compatible address, what it costs, and how fast it may be asked."""

    class Structured(models.TextChoices):
        AUTO = "auto", "When the server takes it"
        NEVER = "never", "Never"

    name = models.CharField(max_length=80, unique=True)
    base_url = models.URLField(max_length=300)
    model = models.CharField(max_length=200)
    key_variable = models.CharField(
        max_length=80, blank=True, help_text="Name of the environment variable that holds the key; empty: none."
    )
    price_in = models.FloatField(null=True, blank=True, help_text="US dollars for a million prompt tokens.")
    price_out = models.FloatField(null=True, blank=True, help_text="US dollars for a million tokens of replies.")
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    tokens_per_minute = models.PositiveIntegerField(null=True, blank=True)
    concurrency = models.PositiveSmallIntegerField(default=8)
    timeout = models.FloatField(default=60.0, help_text="Seconds for one attempt.")
    structured = models.CharField(max_length=10, choices=Structured.choices, default=Structured.AUTO)
    is_active = models.BooleanField(default=True, help_text="Whether new runs may use it.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
