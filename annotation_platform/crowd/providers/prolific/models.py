"""A study on Prolific, the submissions of those who came, what Prolific was told to do, and what it told us."""

import secrets

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.models import User
from annotation_platform.accounts.reason_fields import ReasonField
from annotation_platform.crowd.endings import Ending
from annotation_platform.studies.models import Member, Study


def in_units(minor: int) -> str:
    """An amount as Prolific writes it; its currencies have a hundred of the smallest unit."""
    return f"{minor // 100}.{minor % 100:02}"


def new_token() -> str:
    return secrets.token_urlsafe(18)


class ProlificStudy(models.Model):
    """How a study is connected with Prolific. Token and hook secret are encrypted; pages never show them."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="prolific")
    address_token = models.CharField(max_length=40, unique=True, default=new_token, editable=False)
    is_open = models.BooleanField(default=True)
    external_studies = models.JSONField(default=list, help_text="Identifiers on Prolific; empty: none is known yet.")
    encrypted_token = models.TextField(blank=True)
    encrypted_hook_secret = models.TextField(blank=True)
    code_done = models.CharField(max_length=40, blank=True)
    code_screened_out = models.CharField(max_length=40, blank=True)
    code_timed_out = models.CharField(max_length=40, blank=True)
    code_no_consent = models.CharField(max_length=40, blank=True)
    checks_signature = models.BooleanField(default=False, help_text="Whether identifiers must be signed by Prolific.")
    tasks_wanted = models.PositiveIntegerField(default=1, help_text="Tasks that make a submission done.")
    asked_at = models.DateTimeField(null=True, blank=True, help_text="When the submissions were last asked for.")
    ask_error = ReasonField(blank=True)

    class Meta:
        verbose_name_plural = "Prolific studies"

    def __str__(self) -> str:
        return f"Prolific of {self.study}"

    def code(self, ending: Ending) -> str:
        return str(getattr(self, f"code_{ending.value}"))


class SubmissionState(models.TextChoices):
    """As Prolific names them."""

    RESERVED = "RESERVED", _("reserved")
    ACTIVE = "ACTIVE", _("active")
    AWAITING_REVIEW = "AWAITING REVIEW", _("awaiting review")
    APPROVED = "APPROVED", _("approved")
    PARTIALLY_APPROVED = "PARTIALLY APPROVED", _("partially approved")
    REJECTED = "REJECTED", _("rejected")
    RETURNED = "RETURNED", _("returned")
    TIMED_OUT = "TIMED-OUT", _("timed out")
    SCREENED_OUT = "SCREENED OUT", _("screened out")

    @classmethod
    def named(cls, words: str) -> "SubmissionState | None":
        """What Prolific means by a word, which it writes with blanks or underscores; None: nothing that is known."""
        state = words.strip().upper().replace("_", " ")
        state = cls.TIMED_OUT if state == "TIMED OUT" else state
        return cls(state) if state in cls.values else None


OVER = (
    SubmissionState.APPROVED,
    SubmissionState.PARTIALLY_APPROVED,
    SubmissionState.REJECTED,
    SubmissionState.RETURNED,
    SubmissionState.SCREENED_OUT,
)
NOT_OVER = (
    SubmissionState.RESERVED,
    SubmissionState.ACTIVE,
    SubmissionState.TIMED_OUT,
    SubmissionState.AWAITING_REVIEW,
)
"""In their order; who has timed out may still hand in."""


class Submission(models.Model):
    """One visit of somebody from Prolific: what is called a submission there. It names no person."""

    connection = models.ForeignKey(ProlificStudy, on_delete=models.CASCADE, related_name="submissions")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="submissions")
    external_id = models.CharField(max_length=64)
    external_study = models.CharField(max_length=64)
    state = models.CharField(max_length=20, choices=SubmissionState.choices, default=SubmissionState.ACTIVE)
    ending = models.CharField(max_length=20, choices=Ending.choices, blank=True)
    arrived_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    told_at = models.DateTimeField(null=True, blank=True, help_text="When Prolific last said how it stands.")
    bonus_there = models.PositiveIntegerField(default=0, help_text="Bonuses by Prolific's ledger, in minor units.")

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["connection", "external_id"], name="submission_once")]

    def __str__(self) -> str:
        return f"Submission of {self.member}"

    @property
    def ended_as(self) -> str:
        """How it ended here, in the reader's language; empty while it is under way."""
        if not self.ending and self.ended_at is not None:
            return gettext("Before its end")
        return self.get_ending_display() if self.ending else ""


class ProviderCall(models.Model):
    """An order to Prolific: written down first, then carried out.

    ``intended`` → ``sent`` → ``confirmed`` or ``refused``. One that must not be repeated (paying bonuses, making and
    publishing a study) and had no clear answer is ``unclear`` until a person who has looked at both sides says whether
    it was carried out.
    """

    class Kind(models.TextChoices):
        APPROVE = "approve", _("Approve")
        REJECT = "reject", _("Reject")
        BONUS = "bonus", _("Bonus")
        CREATE = "create", _("Make a study")
        PUBLISH = "publish", _("Publish a study")

    class State(models.TextChoices):
        INTENDED = "intended", _("Intended")
        SENT = "sent", _("Sent")
        CONFIRMED = "confirmed", _("Confirmed")
        REFUSED = "refused", _("Refused")
        UNCLEAR = "unclear", _("Unclear")
        WAS_DONE = "was done", _("found done")
        NOT_DONE = "not done", _("found not done")

    connection = models.ForeignKey(ProlificStudy, on_delete=models.CASCADE, related_name="calls")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, null=True, related_name="calls")
    body = models.JSONField(default=dict)
    external_study = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.INTENDED)
    setup_id = models.CharField(max_length=64, blank=True, help_text="Of bonuses: the bulk payment on Prolific.")
    total_there = models.PositiveIntegerField(null=True, blank=True, help_text="With fees, in minor units.")
    claim = models.CharField(max_length=20, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = ReasonField(blank=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    paying_at = models.DateTimeField(
        null=True, blank=True, help_text="When the one call that must not be repeated was begun."
    )
    ended_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state", "due_at"], name="call_by_state")]
        constraints = [
            models.CheckConstraint(
                condition=~Q(kind__in=["approve", "reject"]) | Q(submission__isnull=False), name="call_has_submission"
            ),
            models.CheckConstraint(
                condition=~Q(kind="publish") | ~Q(external_study=""), name="published_study_is_named"
            ),
            models.UniqueConstraint(
                fields=["connection", "external_study"],
                condition=Q(kind="publish") & ~Q(state__in=["refused", "not done"]),
                name="study_published_once",
            ),
            models.CheckConstraint(
                condition=Q(paying_at__isnull=True) | ~Q(state__in=["intended"]), name="paying_is_never_repeated"
            ),
            models.UniqueConstraint(fields=["connection"], condition=Q(state="sent"), name="one_call_at_a_time"),
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(kind__in=["approve", "reject"], state__in=["intended", "sent", "confirmed"]),
                name="one_decision_on_a_submission",
            ),
        ]

    def __str__(self) -> str:
        return f"Order {self.pk}"

    @property
    def tone(self) -> str:
        """How pages colour its state."""
        states = self.State
        tones = {states.CONFIRMED: "good", states.WAS_DONE: "good", states.REFUSED: "bad", states.UNCLEAR: "bad"}
        return tones.get(states(self.state), "")

    @property
    def may_try_again(self) -> bool:
        """Bonuses of a payment are ordered anew, since they may be paid otherwise meanwhile."""
        of_payment = any(line.payment_line_id is not None for line in self.lines.all())
        return self.state == self.State.REFUSED and self.paying_at is None and not of_payment

    @property
    def cost_shown(self) -> str:
        """Of a study to be made: the rewards of all its places, without Prolific's fees."""
        return in_units(int(self.body["total_available_places"]) * int(self.body["reward"]))

    @property
    def total_shown(self) -> str:
        return in_units(self.total_there or 0)


UNDER_WAY = (ProviderCall.State.INTENDED, ProviderCall.State.SENT, ProviderCall.State.UNCLEAR)
NOT_CARRIED_OUT = (ProviderCall.State.REFUSED, ProviderCall.State.NOT_DONE)
CARRIED_OUT = (ProviderCall.State.CONFIRMED, ProviderCall.State.WAS_DONE)


class BonusLine(models.Model):
    """What one submission gets by an order of bonuses."""

    call = models.ForeignKey(ProviderCall, on_delete=models.CASCADE, related_name="lines")
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="bonuses")
    amount = models.PositiveIntegerField(help_text="In minor units of the currency of the study on Prolific.")
    payment_line = models.ForeignKey(
        "crowd.PaymentLine", on_delete=models.SET_NULL, null=True, blank=True, related_name="bonus_orders"
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["call", "submission"], name="bonus_once_in_call"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="bonus_is_something"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} for {self.submission}"

    @property
    def shown(self) -> str:
        return in_units(self.amount)


class HookEvent(models.Model):
    """Something that Prolific told us by itself; kept so that the same words again change nothing."""

    connection = models.ForeignKey(ProlificStudy, on_delete=models.CASCADE, related_name="hook_events")
    digest = models.CharField(max_length=64, help_text="Of what was signed.")
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "digest"], name="hook_event_once")]

    def __str__(self) -> str:
        return self.digest
