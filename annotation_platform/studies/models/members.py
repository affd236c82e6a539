"""Who is in a study, and by which invitation they came."""

from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from annotation_platform.accounts.models import User
from annotation_platform.accounts.roles import Role
from annotation_platform.studies.models.studies import Study


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> Self:
        """Invitations that still let somebody in."""
        return self.filter(Q(max_uses=None) | Q(uses__lt=F("max_uses")), revoked_at=None, expires_at__gt=timezone.now())


class Invitation(models.Model):
    """A way into a study. Its link is signed and names the row, so the row decides whether it still opens."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.ANNOTATOR)
    note = models.CharField(max_length=120, blank=True, help_text="Whom it is for.")
    max_uses = models.PositiveIntegerField(null=True, blank=True, help_text="How many may join by it; empty: any.")
    uses = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Invitation {self.pk}"

    @property
    def state(self) -> str:
        """In English; pages translate it."""
        if self.revoked_at:
            return _("revoked")
        if self.max_uses is not None and self.uses >= self.max_uses:
            return _("used up")
        return _("expired") if self.expires_at <= timezone.now() else _("open")


class Member(models.Model):
    """A person in a study. Everything that leaves the study knows annotators by their pseudonym only.

    Who was removed has no ``user`` any more, so that nothing of the study opens to them; ``former_user`` remembers
    them, so that no old link lets them in again. Whose account was deleted has neither.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices)
    pseudonym = models.CharField(max_length=60)
    replicate = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="Which time they go through the study's tasks; more than once in rounds."
    )
    joined_at = models.DateTimeField(auto_now_add=True)
    invitation = models.ForeignKey(
        Invitation, on_delete=models.SET_NULL, null=True, blank=True, related_name="members", help_text="Came by it."
    )
    former_user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    removed_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True, help_text="Takes no task from then on.")
    paused_because = models.CharField(max_length=500, blank=True, help_text="What the annotator reads about it.")
    excluded_at = models.DateTimeField(null=True, blank=True, help_text="Takes and submits nothing from then on.")
    excluded_because = models.CharField(max_length=500, blank=True, help_text="What the annotator reads about it.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="member_once_in_study"),
            models.UniqueConstraint(fields=["study", "pseudonym"], name="pseudonym_once_in_study"),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    def get_role_display(self) -> str:  # type: ignore[no-redef]
        """As Django's, which looks up the words of all roles for that of one."""
        return str(Role(self.role).label)

    def in_rounds(self) -> models.QuerySet["Member"]:
        """Who they are in the rounds of their study."""
        return Member.objects.filter(self._same_account(), study__qualifies_for=self.study_id)

    def in_main_study(self) -> "Member":
        """Who they are in the study that a round qualifies for; themselves where this is no round."""
        if not self.study.is_round:
            return self
        return Member.objects.filter(self._same_account(), study=self.study.qualifies_for_id).first() or self

    def _same_account(self) -> models.Q:
        """Also of one that was removed; without an account nobody else is known to be the same."""
        if self.user_id is not None:
            return models.Q(user=self.user_id)
        return models.Q(pk=self.pk) if self.former_user_id is None else models.Q(former_user=self.former_user_id)
