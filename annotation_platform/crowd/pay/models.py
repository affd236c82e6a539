"""What was promised, the ledger of what is owed and was paid, and the payments in which it is paid out."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation_platform.studies.models import Assignment, Batch, Hit, Member, Study


class Approval(models.TextChoices):
    """When submitted work counts as approved, so that its reward is owed."""

    BY_HAND = "by_hand", gettext_lazy("When a researcher has approved it")
    AT_ONCE = "at_once", gettext_lazy("As soon as it is submitted")
    AFTER_HOURS = "after_hours", gettext_lazy("Some hours after it was submitted")


class PayTerms(models.Model):
    """One version of what a study pays. Never changed: other terms are a new version.

    The version that was there when a task was taken holds for that task.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="pay_terms")
    number = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    reward = models.PositiveBigIntegerField(help_text="For a task, in the currency's smallest unit.")
    returned_percent = models.PositiveSmallIntegerField(
        default=0, help_text="Of the reward's part for the items that are done, for a task that is not finished."
    )
    bonus_percent = models.PositiveSmallIntegerField(default=0, help_text="Of somebody's rewards in a batch.")
    hourly_floor = models.PositiveBigIntegerField(null=True, blank=True, help_text="What an hour should pay at least.")
    budget = models.PositiveBigIntegerField(null=True, blank=True, help_text="Of the whole study; empty: none.")
    approval = models.CharField(max_length=12, choices=Approval.choices, default=Approval.BY_HAND)
    approval_hours = models.PositiveIntegerField(null=True, blank=True)
    second_above = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="A payment of more needs an admin who did not make it; empty: never."
    )
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["study", "number"]
        verbose_name_plural = "pay terms"
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="pay_terms_number_once"),
            models.CheckConstraint(condition=Q(returned_percent__lte=100), name="pay_returned_at_most_all"),
        ]

    def __str__(self) -> str:
        return f"Terms {self.number}"

    @property
    def with_bonus(self) -> int:
        """What a task costs at most, rounded up."""
        return -(-self.reward * (100 + self.bonus_percent) // 100)


class PaymentState(models.TextChoices):
    PROPOSED = "proposed", gettext_lazy("waits for approval")
    APPROVED = "approved", gettext_lazy("approved")
    CANCELLED = "cancelled", gettext_lazy("cancelled")


class PaymentRun(models.Model):
    """What was owed at a moment, collected to be approved, paid elsewhere, and recorded."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="payment_runs")
    number = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    state = models.CharField(max_length=10, choices=PaymentState.choices, default=PaymentState.PROPOSED)
    needs_second = models.BooleanField(default=False, help_text="More than one person may approve alone.")
    made_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    approved_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    approved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["study", "-number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="payment_number_once")]

    def __str__(self) -> str:
        return f"Payment {self.number}"


class LineState(models.TextChoices):
    OPEN = "open", gettext_lazy("to be paid")
    DIFFERS = "differs", gettext_lazy("another amount")
    PAID = "paid", gettext_lazy("paid")
    NOT_PAID = "not_paid", gettext_lazy("not paid")
    REVERSED = "reversed", gettext_lazy("came back")
    CANCELLED = "cancelled", gettext_lazy("cancelled")


UNSETTLED = [LineState.OPEN, LineState.DIFFERS]


class PaymentLine(models.Model):
    """One person's part of a payment. Nobody has two that are not settled, so nothing is paid twice."""

    run = models.ForeignKey(PaymentRun, on_delete=models.CASCADE, related_name="lines")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="payment_lines")
    amount = models.PositiveBigIntegerField()
    state = models.CharField(max_length=10, choices=LineState.choices, default=LineState.OPEN)
    told_amount = models.PositiveBigIntegerField(null=True, blank=True, help_text="What the file says was paid.")
    in_file_at = models.DateTimeField(
        null=True, blank=True, help_text="When the newest file that lists it was downloaded."
    )
    in_file_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["run", "member"]
        constraints = [
            models.UniqueConstraint(fields=["run", "member"], name="payee_once_in_payment"),
            models.UniqueConstraint(
                fields=["member"], condition=Q(state__in=UNSETTLED), name="one_unsettled_payment_per_payee"
            ),
        ]

    def __str__(self) -> str:
        return f"Line {self.pk}"


class EntryKind(models.TextChoices):
    REWARD = "reward", gettext_lazy("Reward")
    PARTIAL = "partial", gettext_lazy("Part of a reward")
    BONUS = "bonus", gettext_lazy("Bonus")
    CORRECTION = "correction", gettext_lazy("Correction")
    PAYMENT = "payment", gettext_lazy("Payment")
    REVERSED = "payment_reversed", gettext_lazy("Payment that came back")


CREDITS = [EntryKind.REWARD, EntryKind.PARTIAL, EntryKind.BONUS, EntryKind.CORRECTION]
OF_A_TASK = [EntryKind.REWARD, EntryKind.PARTIAL]


class LedgerQuerySet(models.QuerySet["LedgerEntry"]):
    def balance(self) -> int:
        """What is owed by these entries: their sum."""
        return int(self.aggregate(sum=models.Sum("amount", default=0))["sum"])

    def credits(self) -> Self:
        """What was earned, paid or not."""
        return self.filter(kind__in=CREDITS)


class LedgerEntry(models.Model):
    """Something that somebody is owed (above zero) or was paid (below): their balance is the sum of their entries.

    The database refuses to change or remove one, as long as its study is there (``0002_append_only_ledger``).

    What a task is credited with is a chain: each entry says what there was ``before`` of that task, and no two say
    the same. So two that are made at the same moment, from the same state, cannot both be stored.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="ledger")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=16, choices=EntryKind.choices)
    amount = models.BigIntegerField(help_text="In the currency's smallest unit.")
    currency = models.CharField(max_length=3)
    terms = models.ForeignKey(PayTerms, on_delete=models.PROTECT, null=True, blank=True, related_name="entries")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger")
    hit = models.ForeignKey(Hit, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger")
    replicate = models.PositiveSmallIntegerField(default=0)
    items = models.PositiveSmallIntegerField(null=True, blank=True, help_text="How many items were done.")
    before = models.PositiveBigIntegerField(null=True, blank=True, help_text="What the task was credited with before.")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger")
    line = models.ForeignKey(PaymentLine, on_delete=models.PROTECT, null=True, blank=True, related_name="ledger")
    reason = models.CharField(max_length=500, blank=True, help_text="What its member reads, in somebody's own words.")
    actor_kind = models.CharField(max_length=10)
    made_by = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = LedgerQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "ledger entries"
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "member", "replicate"], condition=Q(kind="reward"), name="task_rewarded_once"
            ),
            models.UniqueConstraint(
                fields=["hit", "member", "replicate", "before"],
                condition=Q(kind__in=OF_A_TASK),
                name="credits_of_a_task_are_a_chain",
            ),
            models.UniqueConstraint(
                fields=["hit", "member", "replicate"],
                condition=Q(kind="correction", hit__isnull=False, amount__lt=0),
                name="task_taken_back_once",
            ),
            models.UniqueConstraint(
                fields=["hit", "member", "replicate"],
                condition=Q(kind="correction", hit__isnull=False, amount__gt=0),
                name="task_given_again_once",
            ),
            models.UniqueConstraint(fields=["batch", "member"], condition=Q(kind="bonus"), name="bonus_once_in_batch"),
            models.UniqueConstraint(fields=["line"], condition=Q(kind="payment"), name="line_paid_once"),
            models.UniqueConstraint(fields=["line"], condition=Q(kind="payment_reversed"), name="line_reversed_once"),
            models.CheckConstraint(
                condition=Q(kind="reward", amount__gte=0)
                | Q(kind__in=["partial", "bonus", "payment_reversed"], amount__gt=0)
                | (Q(kind="correction") & ~Q(amount=0))
                | Q(kind="payment", amount__lt=0),
                name="entry_has_the_sign_of_its_kind",
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=OF_A_TASK) | Q(hit__isnull=False, before__isnull=False, terms__isnull=False),
                name="reward_is_of_a_task",
            ),
        ]
        indexes = [
            models.Index(fields=["study", "member", "id"], name="ledger_of_study"),
            models.Index(fields=["member", "hit"], name="ledger_of_task"),
        ]

    def __str__(self) -> str:
        return f"Entry {self.pk}"
