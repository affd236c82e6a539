"""Budgets of runs and studies: what a request may cost at most is set aside before it is sent."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.db.models import F, Max, Q, QuerySet, Sum
from django.db.models.functions import Greatest, Least
from django.utils import timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.heartbeat import JobPausedError
from annotation_platform.scoring.gateway.requests import MOST_COST, Excess, Question, cost_of
from annotation_platform.scoring.models import Claim, Completion, ModelBatch, ScoringRun, ScoringSettings
from annotation_platform.scoring.parameters import ModelCall
from annotation_platform.studies.models import Study


class BudgetReachedError(JobPausedError):
    """The next request could cost more than is left; everything so far is kept."""


class Budget:
    """The least of what a run's budget, its study's, and the run's limit on tokens leave.

    What is left is what was granted, less the replies paid for, less the most that attempts in vain may have cost,
    less what is set aside for requests under way, however many runs of the study are at work.

    That a server bills more than the most of a request (it does not keep to ``max_tokens``) shows in its bill alone.
    So the first request to a model in a study goes alone, and the largest excess that was ever billed there is set
    aside for all requests that follow, and for those under way. What was not sent yet is claimed anew.
    """

    def __init__(self, run: ScoringRun | None, parameters: ModelCall) -> None:
        self._run, self._parameters = run, parameters
        self._limits_money = False
        self.is_limited = run is not None and parameters.max_run_tokens is not None
        self._see()
        self._has_bill = parameters.mode == "batch"  # a batch is sent as a whole
        self._excess = Excess()  # what is stored
        self._seen = Excess()  # and what has come and is not stored yet; set by the thread that talks to the server

    def _see(self) -> None:
        if self._run is not None and not self._limits_money:
            of_study = ScoringSettings.objects.filter(study=self._run.study_id, budget__isnull=False)
            self._limits_money = self._run.budget is not None or of_study.exists()
        self.is_limited = self.is_limited or self._limits_money

    def look(self) -> None:
        """See whether there is a budget by now: one that a study is given while its run is at work counts from then on.

        What is at the server already is collected without: it is paid for.

        Raises
        ------
        InvalidInputError
            One that cannot be kept.
        """
        self._see()
        is_of_study = self._limits_money and self._run is not None and self._run.budget is None
        if self.is_limited and self._parameters.max_tokens is None:
            raise InvalidInputError(
                "scoring.study_budget_needs_max_tokens" if is_of_study else "scoring.budget_needs_max_tokens"
            )
        if self._limits_money and not is_priced(self._parameters):
            raise InvalidInputError(
                "scoring.study_budget_needs_prices" if is_of_study else "scoring.budget_needs_prices"
            )

    def most_tokens(self, question: Question[Any]) -> tuple[int, int]:
        """In and out."""
        return (
            question.most_tokens_in + self._excess.tokens_in,
            (question.most_tokens_out or 0) + self._excess.tokens_out,
        )

    def most(self, question: Question[Any]) -> dict[str, Any]:
        """What the question may cost at most, as a claim's fields."""
        if not self.is_limited:
            return {}
        tokens = self.most_tokens(question)
        return {"most_cost": cost_of(self._parameters, *tokens) or Decimal(0), "most_tokens": sum(tokens)}

    def affordable(self, questions: Sequence[Question[Any]]) -> tuple[Sequence[Question[Any]], bool]:
        """As many of the first questions as can be paid, and whether it is for a first bill that others have to wait;
        within a transaction that also claims them."""
        self.look()
        if not self.is_limited:
            return questions, False
        money, tokens, _ = self._left(lock=True)
        is_first = not self._knows_a_bill()
        if is_first and self._is_first_under_way():
            return [], True
        allowed = []
        for question in questions[:1] if is_first else questions:
            most = self.most(question)
            money, tokens = money - most["most_cost"], tokens - most["most_tokens"]
            if money < 0 or tokens < 0:
                break
            question.covered = self._excess
            allowed.append(question)
        return allowed, False

    def notice(self, question: Question[Any], tokens_in: int | None, tokens_out: int | None) -> None:
        """See a bill as soon as it comes."""
        self._seen |= excess_of(question, tokens_in, tokens_out)

    def covers(self, question: Question[Any]) -> bool:
        """Whether what was set aside for it is what would be by now."""
        if not self.is_limited:
            return True
        return question.covered is not None and question.covered | self._seen == question.covered

    def learn(self, excess: Excess) -> None:
        """Set a larger excess aside from now on, for what is under way, too; at the start of the transaction that
        stores the bill."""
        if self._run is None or self._excess | excess == self._excess:
            return
        Study.objects.select_for_update().get(pk=self._run.study_id)  # nobody claims meanwhile
        before = self._stored_excess()
        self._excess = before | excess
        self._seen |= self._excess
        more = (self._excess.tokens_in - before.tokens_in, self._excess.tokens_out - before.tokens_out)
        # Claims before their run, as whoever drops one and counts it does.
        in_order(Claim.objects.filter(run__in=self._alike(), most_tokens__gt=0)).update(
            most_cost=raised("most_cost", cost_of(self._parameters, *more)),
            most_tokens=F("most_tokens") + sum(more),
        )
        ScoringRun.objects.filter(pk=self._run.pk).update(
            excess_in=Greatest(F("excess_in"), excess.tokens_in),
            excess_out=Greatest(F("excess_out"), excess.tokens_out),
        )

    def _alike(self) -> QuerySet[ScoringRun]:
        """The runs of the study that ask the same model."""
        assert self._run is not None
        return ScoringRun.objects.filter(
            study=self._run.study_id,
            parameters__model=self._parameters.model,
            parameters__base_url=self._parameters.base_url,
        )

    def _stored_excess(self) -> Excess:
        found = self._alike().aggregate(tokens_in=Max("excess_in"), tokens_out=Max("excess_out"))
        return Excess(found["tokens_in"] or 0, found["tokens_out"] or 0)

    def _knows_a_bill(self) -> bool:
        """Whether the model has ever sent the study a bill."""
        self._has_bill = self._has_bill or Completion.objects.filter(run__in=self._alike()).exists()
        return self._has_bill

    def reached(self, question: Question[Any]) -> BudgetReachedError:
        """What a person is told when not even this question can be paid."""
        money, _, whose = self._left(lock=False)
        most = self.most(question)
        if most["most_cost"] <= money:
            return BudgetReachedError("scoring.token_limit_reached", most=self._parameters.max_run_tokens)
        return BudgetReachedError(
            "scoring.budget_reached", whose=whose, left=max(money, Decimal(0)), next=most["most_cost"]
        )

    def _is_first_under_way(self) -> bool:
        """Whether the study waits for the model's first bill; batches, which take a day, are not waited for."""
        batches = ModelBatch.objects.filter(run__in=self._alike(), state=ModelBatch.State.OPEN)
        claims = Claim.objects.filter(run__in=self._alike(), expires_at__gt=timezone.now())
        return claims.exclude(owner__in=batches.values("key")).exists()

    def _left(self, *, lock: bool) -> tuple[Decimal, float, Reason]:
        """Money and tokens left, and whose money is scarcer."""
        assert self._run is not None
        studies = Study.objects.select_for_update() if lock else Study.objects  # one run of a study at a time
        study = studies.get(pk=self._run.study_id)
        self._excess = self._stored_excess()
        self._seen |= self._excess
        run = ScoringRun.objects.get(pk=self._run.pk)
        # One that has expired holds until it is dropped and counted; only what a batch left unanswered costs nothing.
        is_of_batch = Q(owner__in=ModelBatch.objects.values("key"))
        claims = Claim.objects.filter(~is_of_batch | Q(expires_at__gt=timezone.now()))
        held = claims.filter(run=run).aggregate(cost=Sum("most_cost"), tokens=Sum("most_tokens"))
        left = [(Decimal("Infinity"), Reason("scoring.budget_of_nobody"))]
        if run.budget is not None:
            gone = run.spent + run.late_cost + (held["cost"] or 0)
            left.append((run.budget - gone, Reason("scoring.budget_of_run", budget=f"{run.budget:f}")))
        if (budget := ScoringSettings.of(study).budget) is not None:
            spent = study.scoring_runs.aggregate(all=Sum(F("spent") + F("late_cost")))["all"] or 0
            set_aside = claims.filter(run__study=study).aggregate(Sum("most_cost"))["most_cost__sum"] or 0
            left.append(
                (
                    budget - spent - set_aside,
                    Reason("scoring.budget_of_study", budget=f"{budget:f}"),
                )
            )
        most_tokens = self._parameters.max_run_tokens
        used = run.spent_tokens + run.late_tokens + (held["tokens"] or 0)
        tokens = most_tokens - used if most_tokens else float("inf")
        money, whose = min(left)
        return money, tokens, whose


def in_order(claims: QuerySet[Claim]) -> QuerySet[Claim]:
    """These claims, locked until the transaction ends: all in one order, so that no two wait for each other."""
    locked = claims.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True)
    return Claim.objects.filter(pk__in=list(locked))


def is_priced(parameters: ModelCall) -> bool:
    return cost_of(parameters, 0, 0) is not None


def keeps_budgets(parameters: ModelCall) -> bool:
    """Whether a budget in money can be kept by a run with these parameters."""
    return parameters.max_tokens is not None and is_priced(parameters)


def raised(field: str, cost: Decimal | None) -> Least:
    """What a column of costs is raised to, as far as it can be stored: a row beyond that could not be read again."""
    return Least(F(field) + (cost or Decimal(0)), MOST_COST)


def excess_of(question: Question[Any], tokens_in: int | None, tokens_out: int | None) -> Excess:
    """By how much a bill passed what its request was thought to have at most; nothing where no most was set."""
    most_out = question.most_tokens_out
    return Excess(
        max(0, (tokens_in or 0) - question.most_tokens_in),
        max(0, (tokens_out or 0) - most_out) if most_out is not None else 0,
    )
