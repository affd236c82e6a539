"""What a study has spent and is bound to spend, and the rules that places are opened within its budget only."""

from dataclasses import dataclass

from django.db.models import Sum

from annotation_platform.core.reasons import Reason
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry, LedgerQuerySet, PayTerms
from annotation_platform.crowd.pay.money import plain
from annotation_platform.crowd.pay.services.crediting import approved_aside, without_reward
from annotation_platform.crowd.pay.services.taking_back import to_be_given_again
from annotation_platform.crowd.pay.terms import promised_in_query, taken_at_in_query, terms_of, versions_of
from annotation_platform.studies.models import Assignment, AssignmentState, Batch, BatchState, Study
from annotation_platform.studies.services import places_to_add


@dataclass(frozen=True)
class Budget:
    """Amounts in the smallest unit of one currency; ``limit`` is None where there is none."""

    currency: str
    limit: int | None
    spent: int
    committed: int

    @property
    def left(self) -> int | None:
        return None if self.limit is None else self.limit - self.spent - self.committed

    @property
    def most(self) -> int:
        """What a bar of it ends with."""
        return max(self.limit or 0, self.spent + self.committed, 1)


def budget_of(study: Study) -> Budget | None:
    """None where no pay was agreed.

    Spent is what people were credited with, paid or not. Committed is, at most: every place of an open batch that is
    not submitted, submitted work that is not decided yet, and the bonus that is still to come.
    """
    terms = terms_of(study)
    if terms is None:
        return None
    spent = LedgerEntry.objects.filter(study=study).credits().balance()
    return Budget(terms.currency, terms.budget, spent, _committed(study, terms))


def cost_of(batch: Batch, terms: PayTerms) -> int:
    """What opening a batch commits the study to, at most."""
    if batch.state == BatchState.DRAFT:
        return batch.hits.count() * batch.study.overlap * terms.with_bonus
    free = Assignment.objects.filter(hit__batch=batch).exclude(state=AssignmentState.SUBMITTED)
    return free.count() * terms.with_bonus


def within_budget(batch: Batch) -> Reason | None:
    """The rule for opening: what it costs must be left of the budget."""
    study = batch.study = Study.objects.get(pk=batch.study_id)  # its overlap as it is now
    terms = _limited(study)
    beyond = _beyond(study, None if terms is None else cost_of(batch, terms))
    return None if beyond is None else Reason("crowd.pay_over_budget", number=batch.number, **beyond)


def places_within_budget(study: Study, places: int) -> Reason | None:
    """The rule for more places in open batches: what they cost must be left of the budget."""
    terms = _limited(study)
    beyond = _beyond(study, None if terms is None else places * terms.with_bonus)
    return None if beyond is None else Reason("crowd.pay_places_over_budget", count=places, **beyond)


def _limited(study: Study) -> PayTerms | None:
    """The terms, where they set a budget; without one nothing is summed up for whoever asks."""
    terms = terms_of(study)
    return None if terms is None or terms.budget is None else terms


def _beyond(study: Study, cost: int | None) -> dict[str, str] | None:
    """What is told of a cost that is not left of the budget; None when it is, or there is none."""
    budget = None if cost is None else budget_of(study)
    if cost is None or budget is None or budget.limit is None or budget.left is None or cost <= budget.left:
        return None
    amounts = {"cost": cost, "spent": budget.spent, "committed": budget.committed, "budget": budget.limit}
    amounts["missing"] = cost - budget.left
    return {name: plain(amount, budget.currency) for name, amount in amounts.items()} | {"currency": budget.currency}


def _committed(study: Study, terms: PayTerms) -> int:
    places = Assignment.objects.filter(hit__batch__study=study)
    to_do = places.filter(hit__batch__state=BatchState.OPEN).exclude(state=AssignmentState.SUBMITTED).count()
    if study.evening_at is not None:  # a higher overlap was allowed, and its places are just being added
        to_do += places_to_add(study, study.overlap)
    versions = versions_of(study.pk)
    assert versions is not None
    waiting = without_reward(places).annotate(taken_at=taken_at_in_query())
    undecided = int(waiting.aggregate(sum=Sum(promised_in_query(versions, "with_bonus"), default=0))["sum"])
    undecided += approved_aside(study).count() * versions.all[0].with_bonus  # all of it from before these terms
    taken = to_be_given_again(study)
    return to_do * terms.with_bonus + undecided - taken.balance() + _bonus_to_come(study, but_for=taken)


def _bonus_to_come(study: Study, *, but_for: LedgerQuerySet) -> int:
    """On what was credited in batches, to people who have no bonus there yet; rounded up. ``but_for``: what was taken
    back for the time being."""
    credited = (
        LedgerEntry.objects.filter(study=study, hit__isnull=False)
        .exclude(pk__in=but_for.values("pk"))
        .order_by()
        .values_list("hit__batch", "member", "terms__bonus_percent")
        .annotate(sum=Sum("amount"))
    )
    have = set(LedgerEntry.objects.filter(study=study, kind=EntryKind.BONUS).values_list("batch", "member"))
    hundredths: int = sum(
        percent * amount for batch, member, percent, amount in credited if (batch, member) not in have
    )
    return -(-hundredths // 100)
