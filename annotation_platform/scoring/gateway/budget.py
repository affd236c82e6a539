"""Budgets of runs and studies: what a request may cost at most is set aside before it is sent."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.db.models import F, Sum
from django.utils import timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.heartbeat import JobPausedError
from annotation_platform.scoring.gateway.requests import Question, cost_of
from annotation_platform.scoring.models import Claim, ScoringRun
from annotation_platform.scoring.parameters import ModelCall
from annotation_platform.studies.models import Study


class BudgetReachedError(JobPausedError):
    """The next request could cost more than is left; everything so far is kept."""


class Budget:
    """The least of what a run's budget, its study's, and the run's limit on tokens leave.

    What is left is what was granted, less the replies paid for, less the most that attempts which timed out may have
    cost, less what is set aside for requests under way, so that no budget is ever passed, however many runs of the
    study are at work.
    """

    def __init__(self, run: ScoringRun | None, parameters: ModelCall) -> None:
        self._run, self._parameters = run, parameters
        has_money_limit = run is not None and (
            run.budget is not None or Study.objects.filter(pk=run.study_id, scoring_budget__isnull=False).exists()
        )
        self._limits_tokens = run is not None and parameters.max_run_tokens is not None
        self.is_limited = has_money_limit or self._limits_tokens
        if self.is_limited and parameters.max_tokens is None:
            raise InvalidInputError("scoring.budget_needs_max_tokens")
        if has_money_limit and cost_of(parameters, 0, 0) is None:
            raise InvalidInputError("scoring.budget_needs_prices")

    def most(self, question: Question[Any]) -> dict[str, Any]:
        """What the question may cost at most, as a claim's fields."""
        if not self.is_limited:
            return {}
        cost = cost_of(self._parameters, question.most_tokens_in, self._parameters.max_tokens)
        return {"most_cost": cost or Decimal(0), "most_tokens": question.most_tokens}

    def affordable(self, questions: Sequence[Question[Any]]) -> Sequence[Question[Any]]:
        """As many of the first questions as can be paid; within a transaction that also claims them."""
        if not self.is_limited:
            return questions
        money, tokens, _ = self._left(lock=True)
        for number, question in enumerate(questions):
            most = self.most(question)
            money, tokens = money - most["most_cost"], tokens - most["most_tokens"]
            if money < 0 or tokens < 0:
                return questions[:number]
        return questions

    def reached(self, question: Question[Any]) -> BudgetReachedError:
        """What a person is told when not even this question can be paid."""
        money, _, whose = self._left(lock=False)
        most = self.most(question)
        if most["most_cost"] <= money:
            return BudgetReachedError("scoring.token_limit_reached", most=self._parameters.max_run_tokens)
        return BudgetReachedError(
            "scoring.budget_reached", whose=whose, left=max(money, Decimal(0)), next=most["most_cost"]
        )

    def _left(self, *, lock: bool) -> tuple[Decimal, float, Reason]:
        """Money and tokens left, and whose money is scarcer."""
        assert self._run is not None
        studies = Study.objects.select_for_update() if lock else Study.objects  # one run of a study at a time
        study = studies.get(pk=self._run.study_id)
        run = ScoringRun.objects.get(pk=self._run.pk)
        claims = Claim.objects.filter(expires_at__gt=timezone.now())
        held = claims.filter(run=run).aggregate(cost=Sum("most_cost"), tokens=Sum("most_tokens"))
        left = [(Decimal("Infinity"), Reason("scoring.budget_of_nobody"))]
        if run.budget is not None:
            gone = run.spent + run.late_cost + (held["cost"] or 0)
            left.append((run.budget - gone, Reason("scoring.budget_of_run", budget=run.budget)))
        if study.scoring_budget is not None:
            spent = study.scoring_runs.aggregate(all=Sum(F("spent") + F("late_cost")))["all"] or 0
            set_aside = claims.filter(run__study=study).aggregate(Sum("most_cost"))["most_cost__sum"] or 0
            left.append(
                (
                    study.scoring_budget - spent - set_aside,
                    Reason("scoring.budget_of_study", budget=study.scoring_budget),
                )
            )
        most_tokens = self._parameters.max_run_tokens
        used = run.spent_tokens + run.late_tokens + (held["tokens"] or 0)
        tokens = most_tokens - used if most_tokens else float("inf")
        money, whose = min(left)
        return money, tokens, whose
