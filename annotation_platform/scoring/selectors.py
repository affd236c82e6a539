"""Reads across models for scoring: the judgments of a run, a study's runs, and whether a worker is there."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db.models import Max, QuerySet, Sum
from django.utils import timezone

from annotation_platform.annotations.models import Annotation
from annotation_platform.scoring.models import Completion, Method, RunStatus, ScoringRun, WorkerPulse
from annotation_platform.studies.models import Study

PAGE = 2_000
WORKER_MISSING_AFTER = timedelta(seconds=20)


@dataclass(frozen=True)
class WorkerState:
    """Whether a background worker was heard of lately, and when the last one was (None: never)."""

    is_running: bool
    last_seen_at: datetime | None


def worker_state() -> WorkerState:
    last_seen_at = WorkerPulse.objects.aggregate(Max("seen_at"))["seen_at__max"]
    is_running = last_seen_at is not None and timezone.now() - last_seen_at < WORKER_MISSING_AFTER
    return WorkerState(is_running, last_seen_at)


def latest_run(study: Study, *, method: str = Method.EBR) -> ScoringRun | None:
    """The newest finished run, whose scores count."""
    return study.scoring_runs.filter(method=method, status=RunStatus.DONE).first()


def run_cost(run: ScoringRun) -> Any:
    """What the replies behind a run's scores cost in US dollars, each counted once; None when unknown."""
    used = Completion.objects.filter(scores__run=run).distinct()
    return Completion.objects.filter(pk__in=used.values("pk")).aggregate(Sum("cost"))["cost__sum"]


def run_judgments(run: ScoringRun) -> QuerySet[Annotation]:
    """The current judgments in the batches of a run."""
    return Annotation.objects.closed().filter(item__hit__batch__scoring_runs=run)


def pages(judgments: QuerySet[Annotation], *fields: str) -> Iterator[tuple[Any, ...]]:
    """Rows of (pk, *fields) in the order of their keys, read in pages.

    No cursor stays open between two pages: on SQLite one would hold back the writes of the same run.
    """
    last = 0
    while True:
        page = list(judgments.filter(pk__gt=last).order_by("pk").values_list("pk", *fields)[:PAGE])
        yield from page
        if len(page) < PAGE:
            return
        last = page[-1][0]


def judgments_signature(judgments: QuerySet[Annotation]) -> str:
    """SHA-256 over which judgments these are, by revision."""
    digest = sha256()
    for pk, revision in pages(judgments, "revision"):
        digest.update(f"{pk}:{revision}\n".encode())
    return digest.hexdigest()
