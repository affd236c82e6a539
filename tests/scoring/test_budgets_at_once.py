"""A larger bill is stored at the moment at which a claim that has expired is dropped and counted."""

from collections.abc import Callable
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import services
from annotation_platform.scoring.gateway import budget, replies
from annotation_platform.scoring.gateway.budget import Budget
from annotation_platform.scoring.gateway.requests import Excess
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Claim, ScoringRun
from annotation_platform.scoring.parameters import ModelCall
from tests.factories import OPERATOR
from tests.scoring import small_runs
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections"), pytest.mark.storage]
PRICES = {"price_in": 10.0, "price_out": 100.0, "max_tokens": 10}


def test_claims_are_locked_before_their_run(
    asks: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By both, so that neither has what the other waits for."""
    study, given = small_runs.small_study(2), asks(**PRICES)
    run = services.start_run(study=study, scorer="openai", parameters=given, actor=OPERATOR)
    parameters = run_method("ebr").resolve(study=study, scorer="openai", given=given)
    assert isinstance(parameters, ModelCall)
    expired = timezone.now() - timedelta(seconds=1)
    Claim.objects.create(signature="1", owner="dead", run=run, expires_at=expired, most_cost=1, most_tokens=10)
    ScoringRun.objects.update(status=JobStatus.RUNNING)
    has_claim, has_run = Event(), Event()
    count_late, raised = replies._count_late, budget.raised

    def counted_slowly(*what: Any) -> None:
        has_claim.set()
        has_run.wait(timeout=2)
        count_late(*what)

    def raised_with_run(*what: Any) -> Any:
        has_run.set()
        return raised(*what)

    monkeypatch.setattr(replies, "_count_late", counted_slowly)
    monkeypatch.setattr(budget, "raised", raised_with_run)

    def work(which: int) -> None:
        if which == 0:
            return replies._drop_expired(Claim.objects.all())
        has_claim.wait(timeout=60)
        with transaction.atomic():
            return Budget(run, parameters).learn(Excess(5, 5))

    assert at_once(2, work) == [None, None]
    run.refresh_from_db()
    assert (Claim.objects.count(), run.late_tokens, run.excess_in) == (0, 10, 5)
