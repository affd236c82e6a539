"""Users sign in with their e-mail address; what they may do is decided by their memberships of studies.

Tokens let programs in under their owner's name. Events say who did what (`accounts/events.py` writes them).
"""

import secrets
from typing import Any, ClassVar, NoReturn, Self

from allauth.account.models import EmailAddress
from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone

from annotation_platform.accounts.roles import Role

GUEST_DOMAIN = "guest.invalid"  # nothing is ever delivered there


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> "User":
        """Addresses are kept in small letters, so that one person is one account however they type it."""
        return super().get_by_natural_key((username or "").lower())

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save()
        return user

    def create_guest(self, name: str) -> "User":
        """Somebody who gave a name and nothing else; they come back by their personal link."""
        return self.create_user(f"{secrets.token_hex(8)}@{GUEST_DOMAIN}", first_name=name)

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Somebody with all rights, made on the server: their address needs no confirming by mail to sign in."""
        user = self.create_user(email, password, **{"is_staff": True, "is_superuser": True, **fields})
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
        return user


class User(AbstractUser):
    username = None  # type: ignore[assignment]
    email = models.EmailField("e-mail address", unique=True)
    link_key = models.CharField(
        max_length=40, blank=True, editable=False, help_text="What the personal link of an account is signed over."
    )
    language = models.CharField(max_length=8, blank=True, editable=False, help_text="Chosen for the pages.")

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.email

    def clean(self) -> None:
        """What forms do before they look for another account with this address."""
        super().clean()
        self.email = self.email.lower()

    @property
    def is_guest(self) -> bool:
        """Whether they came by a link and gave a name only: there is no address to write to."""
        return self.email.endswith(f"@{GUEST_DOMAIN}")

    @property
    def shown_name(self) -> str:
        """How their own pages call them."""
        return self.first_name if self.is_guest else self.email

    @property
    def may_create_studies(self) -> bool:
        """Staff, and whoever is trusted with a study already: its researchers and admins."""
        return self.is_staff or self.memberships.exclude(role=Role.ANNOTATOR).exists()


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def in_force(self) -> Self:
        """Tokens that are neither revoked nor too old."""
        lasting = models.Q(expires_at=None) | models.Q(expires_at__gt=timezone.now())
        return self.filter(lasting, revoked_at=None)

    def of_programs(self) -> Self:
        """Tokens of service accounts, also those that are no longer in force: whose they are is a program."""
        return self.exclude(study=None)


class ApiToken(models.Model):
    """A way into the API under its owner's name. Only its hash is kept, so nobody can read it here.

    ``study`` is the key of the study whose service account the owner is; None for somebody's own token.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    study = models.BigIntegerField(null=True)
    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=12, help_text="By which its owner knows it.")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token.")
    scopes = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["study"], name="token_of_study")]

    def __str__(self) -> str:
        return f"Token {self.prefix}"

    @property
    def state(self) -> str:
        """``revoked``, ``expired`` or ``in force``."""
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= timezone.now() else "in force"


class Event(models.Model):
    """Something that was done. Rows are only ever added; when an account is deleted, its name leaves them.

    Accounts lie below studies, so a study is named by its key and its slug, both of which it keeps for ever.
    """

    at = models.DateTimeField(default=timezone.now)
    actor_kind = models.CharField(max_length=10)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=60, blank=True, help_text="The pseudonym of somebody whose account is deleted.")
    via = models.CharField(max_length=80, blank=True, help_text="The command or the job.")
    address = models.GenericIPAddressField(null=True)
    verb = models.CharField(max_length=40)
    topic = models.CharField(max_length=20)
    subject_type = models.CharField(max_length=80)
    subject_id = models.BigIntegerField()
    study = models.BigIntegerField(null=True)
    study_slug = models.CharField(max_length=80, blank=True)
    change = models.JSONField(default=dict, encoder=DjangoJSONEncoder, help_text="Field: what it was, what it is.")

    class Meta:
        indexes = [
            models.Index(fields=["study", "id"], name="event_of_study"),
            models.Index(fields=["study", "topic", "id"], name="event_of_study_by_topic"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.subject_type} {self.subject_id}"

    def save(self, **how: Any) -> None:
        if not self._state.adding:
            raise TypeError("An event is never changed.")
        super().save(**how)

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("An event is never deleted.")
