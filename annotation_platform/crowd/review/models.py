"""What was decided about somebody's work in a place, why, and the appeal against it."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from annotation_platform.studies.models import Assignment, AssignmentState, Member, SetAside

LONGEST_APPEAL = 2_000


class Verdict(models.TextChoices):
    APPROVED = "approved", gettext_lazy("approved")
    REJECTED = "rejected", gettext_lazy("rejected")


class ReviewState(models.TextChoices):
    """How a piece of work stands, to its annotator and to the researcher."""

    WAITING = "waiting", gettext_lazy("waits for review")
    APPROVED = "approved", gettext_lazy("approved")
    REJECTED = "rejected", gettext_lazy("rejected")
    APPEALED = "appealed", gettext_lazy("rejected, appeal under way")
    SETTLED = "settled", gettext_lazy("rejected, appeal turned down")


UNDER_APPEAL = Q(verdict=Verdict.REJECTED, appealed_at__isnull=False, appeal_decided_at=None)
"""Of reviews: their appeal waits for an answer."""

SUBMITTED_AGAIN = Q(assignment__state=AssignmentState.SUBMITTED, assignment__annotator=F("annotator"))
"""Of reviews and of work that is aside: its annotator has submitted the same place since."""

DONE_ANEW = SUBMITTED_AGAIN & Q(verdict=Verdict.REJECTED)
"""Of reviews: what was rejected is aside, and its annotator has submitted the same place again, which waits."""


class Review(models.Model):
    """The verdict on somebody's work in a place. One that was rejected can be appealed against once.

    An appeal that is accepted makes it approved, and keeps what was said before. ``appeal`` also keeps what was said
    against an earlier rejection, of work that was done anew since.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="reviews")
    annotator = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="reviews")
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    because = models.CharField(max_length=500, blank=True, help_text="Why it was rejected; the annotator reads it.")
    submitted_at = models.DateTimeField(null=True, blank=True)
    set_aside = models.OneToOneField(SetAside, on_delete=models.SET_NULL, null=True, blank=True, related_name="review")
    decided_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField()
    appeal = models.TextField(max_length=LONGEST_APPEAL, blank=True, help_text="What the annotator says to it.")
    appealed_at = models.DateTimeField(null=True, blank=True)
    appeal_note = models.CharField(max_length=500, blank=True, help_text="The answer to the appeal.")
    appeal_decided_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    appeal_decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-decided_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "annotator"], name="work_reviewed_once"),
            models.CheckConstraint(condition=Q(verdict="approved") | ~Q(because=""), name="rejection_has_reason"),
            models.CheckConstraint(condition=Q(appealed_at=None) | ~Q(because=""), name="appeal_is_of_a_rejection"),
            models.CheckConstraint(
                condition=Q(appeal_decided_at=None) | Q(appeal_decided_at__gte=F("appealed_at")),
                name="appeal_is_made_before_it_is_decided",
            ),
        ]
        indexes = [models.Index(fields=["annotator", "verdict"], name="reviews_by_annotator")]

    def __str__(self) -> str:
        return f"Review of place {self.assignment_id}"

    @property
    def state(self) -> ReviewState:
        if self.verdict == Verdict.APPROVED:
            return ReviewState.APPROVED
        if self.appealed_at is None:
            return ReviewState.REJECTED
        return ReviewState.APPEALED if self.appeal_decided_at is None else ReviewState.SETTLED

    @property
    def may_be_appealed(self) -> bool:
        return self.state == ReviewState.REJECTED
