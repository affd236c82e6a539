"""The rows of the gateway: stored replies, and claims on those that somebody is about to ask for.

A claim is taken before a request is sent and goes in the transaction that stores its reply. So of many runs at once
one asks; and what a killed process had under way is asked again when its claims have expired. A batch holds the claims
on what it asks itself, for as long as its server may take: they outlive the process that sent it.
"""

import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet, Sum
from django.utils import timezone

from annotation_platform.jobs.heartbeat import JobPausedError
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.gateway.budget import Budget, excess_of, in_order, raised
from annotation_platform.scoring.gateway.endpoint import BilledError, LateError, ModelReply, ModelRequestError
from annotation_platform.scoring.gateway.requests import SCHEMA, Excess, Key, Question, cost_of
from annotation_platform.scoring.models import Claim, Completion, ModelBatch, ScoringRun
from annotation_platform.scoring.parameters import ModelCall

Answer = tuple[Key, Completion | ModelRequestError]
"""What came of a caller's request."""
BATCH_TAKES = timedelta(hours=25)  # at most: servers end a batch after 24


def stored(marks: Iterable[str]) -> dict[str, Completion]:
    """The replies there are, by signature, without the requests that they answer."""
    found = Completion.objects.filter(signature__in=list(marks)).defer("request")
    return {completion.signature: completion for completion in found}


def has_reply(run: ScoringRun | None) -> bool:
    """Whether the run has any reply yet, paid for by itself or by another."""
    return run is not None and (
        run.completions.exists()
        or run.item_labels.filter(completion__isnull=False).exists()
        or run.scores.filter(completion__isnull=False).exists()
    )


@dataclass(frozen=True)
class Taken:
    """Of how many questions, from the first, the budget allowed to try; the signatures of those we got; and whether
    more are allowed as soon as somebody has the model's first bill."""

    tried: int
    ours: set[str]
    is_early: bool = False


class Claims:
    """The claims of one process on behalf of one run."""

    def __init__(self, run: ScoringRun | None, budget: Budget) -> None:
        self._run, self._budget = run, budget
        self._owner = secrets.token_hex(16)
        self._renewed = time.monotonic()
        if run is not None:  # what nobody asks again would hold the study's budget for ever, and no page would tell why
            # One that runs may only have been held up, and asks for its own again; a batch counts its own.
            left = Claim.objects.filter(run__study=run.study_id).exclude(run__status=JobStatus.RUNNING)
            _drop_expired(left.exclude(owner__in=ModelBatch.objects.values("key")))

    def take(self, questions: Sequence[Question[Any]]) -> Taken:
        """Claim what nobody else has, as far as the budget goes."""
        with transaction.atomic():
            allowed, is_early = self._budget.affordable(questions)
            Claim.objects.bulk_create(
                [
                    Claim(
                        signature=question.mark,
                        owner=self._owner,
                        expires_at=_expiry(),
                        run=self._run,
                        **self._budget.most(question),
                    )
                    # In one order everywhere: two processes that insert the same keys then cannot block each other.
                    for question in sorted(allowed, key=lambda question: question.mark)
                ],
                ignore_conflicts=True,
            )
        ours = Claim.objects.filter(owner=self._owner, signature__in=[question.mark for question in allowed])
        return Taken(len(allowed), set(ours.values_list("signature", flat=True)), is_early)

    def abandoned(self, questions: Sequence[Question[Any]]) -> list[Question[Any]]:
        """Those that nobody has claimed any more, or whose claim has expired; such claims are dropped.

        Raises
        ------
        JobPausedError
            Some are in the batch of a run that has stopped, so that nobody would ever collect them.
        """
        marks = [question.mark for question in questions]
        _drop_expired(Claim.objects.filter(signature__in=marks))
        held = dict(Claim.objects.filter(signature__in=marks).values_list("signature", "owner"))
        stopped = ModelBatch.objects.filter(
            key__in=set(held.values()), run__status__in=[JobStatus.PAUSED, JobStatus.FAILED]
        ).first()
        if stopped is not None:
            raise JobPausedError("scoring.replies_in_stopped_run", run=stopped.run_id)
        return [question for question in questions if question.mark not in held]

    def hand_over(self, questions: Sequence[Question[Any]], batch: ModelBatch) -> None:
        """Let a run's batch hold the claims on what it asks."""
        if self._run is not None:  # else nobody could find the batch again
            mine = Claim.objects.filter(owner=self._owner, signature__in=[question.mark for question in questions])
            mine.update(owner=batch.key, expires_at=timezone.now() + BATCH_TAKES)

    def count_those_of(self, batch: ModelBatch) -> None:
        """Count what a budget had set aside for a batch that cannot be collected as what may be billed."""
        held = Claim.objects.filter(owner=batch.key).aggregate(cost=Sum("most_cost"), tokens=Sum("most_tokens"))
        _count_late(batch.run_id, held["cost"] or Decimal(0), held["tokens"] or 0)

    def release_those_of(self, batch: ModelBatch) -> None:
        Claim.objects.filter(owner=batch.key).delete()

    def renew(self) -> None:
        """Keep the claims from expiring; to be called often."""
        if time.monotonic() - self._renewed > settings.RUN_STALE_AFTER_SECONDS / 3:
            Claim.objects.filter(owner=self._owner).update(expires_at=_expiry())
            self._renewed = time.monotonic()

    def drop(self, marks: set[str]) -> None:
        if marks:
            Claim.objects.filter(owner=self._owner, signature__in=marks).delete()

    def release(self) -> None:
        """Leave everything that was not asked to others."""
        Claim.objects.filter(owner=self._owner).delete()


def _drop_expired(claims: QuerySet[Claim]) -> None:
    """Drop those of them that a process which died has left behind. It may have asked, so what a budget had set aside
    for them counts as what may be billed."""
    expired = claims.filter(expires_at__lt=timezone.now())
    set_aside = expired.filter(most_tokens__gt=0).exclude(owner__in=ModelBatch.objects.values("key"))
    for pk, run, cost, tokens in set_aside.values_list("pk", "run", "most_cost", "most_tokens"):
        with transaction.atomic():
            if expired.filter(pk=pk).delete()[0]:  # else another process was faster
                _count_late(run, cost, tokens)
    with transaction.atomic():
        in_order(expired).delete()


def _count_late(run: int | None, cost: Decimal | None, tokens: int, **more: Any) -> None:
    """Count what attempts in vain may have cost at most."""
    ScoringRun.objects.filter(pk=run or 0).update(
        late_cost=raised("late_cost", cost), late_tokens=F("late_tokens") + tokens, **more
    )


def save(
    replies: Sequence[tuple[Question[Any], ModelReply]],
    *,
    parameters: ModelCall,
    run: ScoringRun | None,
    budget: Budget,
) -> dict[str, Completion]:
    """Store replies, count what they cost, and let their claims go, all at once; return them by signature."""
    rows = [_completion(question, reply, parameters, run, budget) for question, reply in replies]
    rows.sort(key=lambda row: row.signature)
    excess = Excess()
    for question, reply in replies:
        excess |= excess_of(question, reply.prompt_tokens, reply.completion_tokens)
    try:
        _store(rows, run, budget, excess)
    except IntegrityError:  # somebody took a claim over that had expired, and was faster
        marks = [row.signature for row in rows]
        known = set(stored(marks))
        _store(rows, run, budget, excess, new=[row for row in rows if row.signature not in known])
        return stored(marks)
    return {row.signature: row for row in rows}


def _store(
    rows: Sequence[Completion],
    run: ScoringRun | None,
    budget: Budget,
    excess: Excess,
    *,
    new: Sequence[Completion] | None = None,
) -> None:
    """Store rows, of which only the ``new`` ones are not there yet; all were paid for."""
    with transaction.atomic():
        budget.learn(excess)
        if new is None:
            Completion.objects.bulk_create(rows)
        else:
            Completion.objects.bulk_create(new, ignore_conflicts=True)  # one more of them may have come meanwhile
        in_order(Claim.objects.filter(signature__in=[row.signature for row in rows])).delete()
        _count(rows, run)


def _completion(
    question: Question[Any], reply: ModelReply, parameters: ModelCall, run: ScoringRun | None, budget: Budget
) -> Completion:
    cost = cost_of(parameters, reply.prompt_tokens, reply.completion_tokens)
    if cost is None and budget.is_limited:
        cost = budget.most(question)["most_cost"]  # the server does not say; what it may have been counts
    return Completion(
        signature=question.mark,
        request={"base_url": parameters.base_url, **question.body},
        reply=reply.text,
        finish_reason=reply.finish_reason,
        by_schema=SCHEMA in question.body,
        model=reply.model[:200],
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cost=cost,
        run=run,
    )


def _count(rows: Sequence[Completion], run: ScoringRun | None) -> None:
    if run is None:
        return
    cost = sum((row.cost for row in rows if row.cost is not None), Decimal(0))
    tokens = sum((row.prompt_tokens or 0) + (row.completion_tokens or 0) for row in rows)
    if cost or tokens:
        ScoringRun.objects.filter(pk=run.pk).update(
            spent=raised("spent", cost), spent_tokens=F("spent_tokens") + tokens
        )


def count_in_vain(
    question: Question[Any],
    error: BilledError,
    *,
    parameters: ModelCall,
    run: ScoringRun | None,
    budget: Budget,
    waits: float | None = None,
) -> None:
    """An attempt brought nothing: what the server may bill for it counts from now on, as the server says, else at most.

    ``waits`` is how long an answer is waited for from now on, where this one was too late. No token is shorter than a
    byte: what came of it counts as tokens, where no longest reply says more.
    """
    if run is None:
        return
    with transaction.atomic():
        budget.learn(excess_of(question, error.prompt_tokens, error.completion_tokens))
        tokens_in, tokens_out = budget.most_tokens(question)
        late: dict[str, Any] = {}
        if isinstance(error, LateError):
            tokens_out = max(tokens_out, error.came)
            late = {"late_attempts": F("late_attempts") + 1, "late_at": timezone.now(), "waits": waits}
        tokens_in = tokens_in if error.prompt_tokens is None else error.prompt_tokens
        tokens_out = tokens_out if error.completion_tokens is None else error.completion_tokens
        cost = cost_of(parameters, tokens_in, tokens_out)
        _count_late(run.pk, cost, tokens_in + tokens_out, **late)


def _expiry() -> Any:
    return timezone.now() + timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS)
