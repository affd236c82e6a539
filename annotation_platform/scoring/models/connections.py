"""Model servers that an admin has connected."""

import socket
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.models import User
from annotation_platform.studies.models import Study

KEY_VARIABLE = r"[A-Z][A-Z0-9_]*_API_KEY"
"""Environment variables that may hold the key of a model server; no others are ever read for one."""

HIGHEST_PRICE = 1_000_000  # US dollars for a million tokens: more is a slip of the keyboard


def validate_address(address: str) -> None:
    """http or https, any host name (also one without a dot) that could be looked up, and no password in it."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").encode("idna")
        usable = parts.scheme in ("http", "https") and bool(host) and (parts.port is None or parts.port > 0)
        usable = usable and not any(character.isspace() for character in address)
    except ValueError:
        usable = False
    if not usable:
        raise ValidationError(gettext("This is no http(s) address, such as https://api.openai.com/v1."))
    if parts.username or parts.password:
        raise ValidationError(gettext("The address holds a password. Put the key into its own field instead."))


def inner_address(address: str) -> str:
    """The address inside the platform's own network that a host stands for; empty when it has none.

    Raises
    ------
    ValidationError
        When nobody knows the host.
    """
    try:
        found = socket.getaddrinfo(urlsplit(address).hostname, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ValidationError(gettext("Nobody knows this host. Is the address spelt right?")) from None
    inner = [ip for *_, (ip, *_rest) in found if not ip_address(str(ip).split("%")[0]).is_global]
    return str(inner[0]) if inner else ""


def is_written_as_inner(address: str) -> bool:
    """Whether an address names this machine or gives an inner number itself: all that is known without a look-up."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    try:
        return not ip_address(host.split("%")[0]).is_global
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def validate_outer_address(address: str, *, look_up: bool) -> None:
    """A study's own connection leads out of the platform's network, unless the settings say otherwise: behind other
    addresses are servers that only those who run the platform should reach.

    ``look_up`` asks the name server, which may take its time: for workers. A form goes by what is written alone.
    """
    if settings.PRIVATE_MODEL_ADDRESSES:
        return
    if is_written_as_inner(address) or (look_up and inner_address(address)):
        raise ValidationError(
            gettext(
                "This is an address inside the platform's own network. Ask the platform's staff to connect that server."
            )
        )


class ModelConnectionQuerySet(models.QuerySet["ModelConnection"]):
    def usable_in(self, study: Study) -> Self:
        """What new runs of a study may use: the platform's connections and its own."""
        return self.filter(Q(study=None) | Q(study=study), is_active=True)


class ModelConnection(models.Model):
    """A model behind an OpenAI-compatible address, what it costs, and how fast it may be asked.

    Those without a study are the platform's: its staff keeps them, and every study may use them. The others belong
    to their study alone.
    """

    class Structured(models.TextChoices):
        AUTO = "auto", _("Where “Try it” finds that the server takes it")
        NEVER = "never", _("Never")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, null=True, blank=True, related_name="connections")
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    name = models.CharField(max_length=80, unique=True)
    base_url = models.CharField(
        max_length=300, validators=[validate_address], help_text="Up to and with /v1: https://api.openai.com/v1"
    )
    model = models.CharField(max_length=200)
    key_variable = models.CharField(
        max_length=80,
        blank=True,
        validators=[RegexValidator(rf"^{KEY_VARIABLE}$", _("Its name must end in _API_KEY, in capitals."))],
        help_text=_("Name of the environment variable that holds the key, such as OPENAI_API_KEY; empty: none."),
    )
    encrypted_key = models.TextField(blank=True, editable=False, help_text="The key itself, instead of a variable.")
    price_in = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(HIGHEST_PRICE)],
        help_text="US dollars for a million prompt tokens.",
    )
    price_out = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(HIGHEST_PRICE)],
        help_text="US dollars for a million tokens of replies.",
    )
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    tokens_per_minute = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    concurrency = models.PositiveSmallIntegerField(
        default=8,
        validators=[MinValueValidator(1), MaxValueValidator(256)],
        help_text="Requests under way at a time, by all workers together.",
    )
    timeout = models.FloatField(
        default=60.0,
        validators=[MinValueValidator(0.1), MaxValueValidator(3600)],
        help_text="At first; where answers come later, more is waited by itself, up to ten times as long.",
    )
    structured = models.CharField(max_length=10, choices=Structured.choices, default=Structured.AUTO)
    takes_schema = models.BooleanField(
        null=True,
        editable=False,
        help_text="Whether its last trial found that replies follow a JSON schema; empty: not tried.",
    )
    is_active = models.BooleanField(default=True, help_text="Whether new runs may use it.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ModelConnectionQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class SharedState(models.Model):
    """When a model may be asked again by its limits a minute, and who asks it: for all workers, where there is no
    Redis."""

    key = models.CharField(max_length=64, unique=True)
    state = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.key[:12]


class ModelBatch(models.Model):
    """Requests that a server answers in its own time, by its Batch API. The row is there before the server's batch.

    ``key`` goes along as metadata, so that a batch whose name was never heard of, because its process died, is found.
    """

    class State(models.TextChoices):
        OPEN = "open"
        COLLECTED = "collected", "Its replies are stored"
        LOST = "lost", "The server does not know it"

    key = models.CharField(max_length=32, unique=True)
    run = models.ForeignKey("scoring.ScoringRun", on_delete=models.CASCADE, null=True, related_name="model_batches")
    base_url = models.CharField(max_length=300)
    batch_id = models.CharField(max_length=200, blank=True, help_text="The server's name for it.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    is_given_up = models.BooleanField(
        default=False, help_text="Somebody was told that the server does not know it any more, and went on."
    )
    requests = models.PositiveIntegerField()
    answered = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    collected_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "model batches"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.batch_id or self.key
