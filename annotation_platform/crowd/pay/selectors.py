"""Reads of the ledger: for a researcher everybody's of a study, for an annotator their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.pay.models import (
    CREDITS,
    EntryKind,
    LedgerEntry,
    LineState,
    PaymentLine,
    PaymentRun,
    PayTerms,
)
from annotation_platform.crowd.pay.services.crediting import (
    approved_aside,
    bonus_bases,
    brought_once_approved,
    waiting_for_credit,
)
from annotation_platform.crowd.pay.terms import terms_of, versions_of
from annotation_platform.studies.models import (
    FINISHED_STATES,
    Assignment,
    Batch,
    Member,
    Role,
    Study,
)


@dataclass(frozen=True)
class Account:
    """What a member of a study earned, was paid, and is owed; amounts in the smallest unit."""

    member: Member
    currency: str
    tasks: int
    earned: int
    balance: int

    @property
    def paid(self) -> int:
        """What was paid and did not come back."""
        return self.earned - self.balance


def accounts_of(study: Study) -> list[Account]:
    """Of everybody with an entry, by pseudonym."""
    members = Member.objects.filter(ledger__study=study).distinct()
    return _accounts(members.select_related("study").order_by("pseudonym"))


def own_accounts(user: Any) -> list[Account]:
    """Of the studies in which somebody has earned something, also of those that they are not in any more."""
    mine = Member.objects.filter(Q(user=user.pk) | Q(former_user=user.pk), ledger__isnull=False).distinct()
    return _accounts(mine.select_related("study").order_by("-pk"))


@dataclass(frozen=True)
class Waiting:
    """Submitted tasks of a study that nobody has decided about, and what they still bring."""

    study: Study
    tasks: int
    amount: int
    currency: str


def own_waiting(user: Any) -> list[Waiting]:
    """What somebody's work brings if it is approved, by study and currency; not where no pay was agreed.

    Also in studies that they are not in any more.
    """
    mine = Q(annotator__user=user.pk) | Q(annotator__former_user=user.pk)
    places = Assignment.objects.filter(mine, hit__batch__study__in=PayTerms.objects.values("study"))
    by_study: dict[Study, list[Assignment]] = {}
    for place in waiting_for_credit(places).select_related("annotator", "hit__batch__study").order_by("pk"):
        by_study.setdefault(place.hit.batch.study, []).append(place)
    amounts: dict[tuple[Study, str], list[int]] = {}
    for study, waiting in by_study.items():
        versions = versions_of(study.pk)
        assert versions is not None  # terms stay once they are agreed
        for currency, amount in brought_once_approved(versions, waiting):
            amounts.setdefault((study, currency), []).append(amount)
    return [Waiting(study, len(found), sum(found), currency) for (study, currency), found in amounts.items()]


def home_card(user: Any) -> dict[str, Any] | None:
    """What the annotator's home shows (``crowd/pay/_home.html``); None for somebody who has earned nothing yet."""
    accounts = own_accounts(user)
    return {"card": {"accounts": accounts}} if accounts else None


def own_entries(user: Any) -> QuerySet[LedgerEntry]:
    """Somebody's entries in all studies, the newest first."""
    mine = LedgerEntry.objects.filter(Q(member__user=user.pk) | Q(member__former_user=user.pk))
    return with_what_they_are_for(mine).order_by("-pk")


def with_what_they_are_for(entries: QuerySet[LedgerEntry]) -> QuerySet[LedgerEntry]:
    return entries.select_related("study", "hit__article", "hit__batch", "batch", "terms", "line__run", "member")


def member_for(study: Study, pk: int) -> Member:
    """An annotator of the study, or somebody who was one and has entries.

    Raises
    ------
    NotThereError
        When there is none.
    """
    wanted = Q(role=Role.ANNOTATOR) | Q(ledger__isnull=False)
    member = Member.objects.filter(wanted, study=study, pk=pk).select_related("study").first()
    if member is None:
        raise NotThereError("studies.no_member")
    return member


def run_for(study: Study, number: int) -> PaymentRun:
    """
    Raises
    ------
    NotThereError
        When the study has no such payment.
    """
    run = study.payment_runs.select_related("made_by", "approved_by", "study").filter(number=number).first()
    if run is None:
        raise NotThereError("crowd.pay_no_payment", number=number)
    return run


def line_for(run: PaymentRun, pk: int) -> PaymentLine:
    """
    Raises
    ------
    NotThereError
        When the payment has no such line.
    """
    line = run.lines.select_related("member", "run__study").filter(pk=pk).first()
    if line is None:
        raise NotThereError("crowd.pay_row_no_line", line=str(pk))
    return line


def runs_of(study: Study) -> QuerySet[PaymentRun]:
    """Payments, the newest first, each with its sum, its people, and how many of them are settled."""
    settled = Q(lines__state__in=[LineState.PAID, LineState.NOT_PAID, LineState.REVERSED])
    return study.payment_runs.annotate(
        total=Sum("lines__amount"), people=Count("lines"), settled=Count("lines", filter=settled)
    ).order_by("-number")


def to_approve(study: Study) -> QuerySet[Assignment]:
    """Submitted tasks without a reward yet, or done anew after it was taken back, the oldest first."""
    return waiting_for_credit(Assignment.objects.filter(hit__batch__study=study)).order_by("submitted_at", "pk")


def count_to_credit(study: Study) -> int:
    """How many tasks *Approve all* takes up: also what is aside and was approved before any pay was agreed."""
    return to_approve(study).count() + approved_aside(study).count()


def batches_for_bonus(study: Study) -> Sequence[Batch]:
    """Finished batches in which somebody waits for a bonus."""
    terms = terms_of(study)
    if terms is None or not terms.bonus_percent:
        return []
    finished = Batch.objects.filter(study=study, state__in=FINISHED_STATES).order_by("number")
    return [batch for batch in finished if bonus_bases(batch)]


def _accounts(members: QuerySet[Member]) -> list[Account]:
    found = list(members)
    sums = (
        LedgerEntry.objects.filter(member__in=found)
        .order_by()
        .values("member", "currency")
        .annotate(
            balance=Sum("amount"),
            earned=Sum("amount", filter=Q(kind__in=CREDITS), default=0),
            tasks=Count("pk", filter=Q(kind=EntryKind.REWARD)),
        )
    )
    of = {row["member"]: row for row in sums}
    return [
        Account(member, row["currency"], row["tasks"], row["earned"], row["balance"])
        for member in found
        if (row := of.get(member.pk))
    ]
