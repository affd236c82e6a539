"""How far a study is in numbers, how its scoring goes, and whether anybody is there to work on it."""

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils import timezone

from annotation_platform.jobs.rows import JobStatus
from annotation_platform.jobs.worker_status import WorkerState, worker_state
from annotation_platform.scoring.models import Method, ScoringRun
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import FINISHED_STATES, Assignment, AssignmentState, Batch, BatchState, Study


@dataclass(frozen=True)
class Scoring:
    """The newest run of a study or batch, and whether anybody is there to work on it."""

    run: ScoringRun | None
    worker: WorkerState
    awaited: bool  # a closed batch has no scores yet
    is_overdue: bool  # an open batch is past its deadline

    @property
    def is_active(self) -> bool:
        return self.run is not None and self.run.status in (JobStatus.PENDING, JobStatus.RUNNING)

    @property
    def is_stuck(self) -> bool:
        """Work waits and no worker is there."""
        return (self.is_active or self.awaited or self.is_overdue) and not self.worker.is_running

    @property
    def percent(self) -> int:
        return 100 * self.run.done // self.run.total if self.run and self.run.total else 0

    @property
    def has_failed(self) -> bool:
        return self.run is not None and self.run.status == JobStatus.FAILED


_RUN = CompiledQuery(lambda study: ScoringRun.objects.filter(study=study, method=Method.EBR)[:1])
_STATES = CompiledQuery(
    lambda study: Batch.objects.filter(study=study).order_by().values_list("state").annotate(n=Count("pk"))
)


def scoring_of(study: Study) -> Scoring:
    run = _RUN.first(study.pk, study=study)
    has_rescaling = bool(study.scheme().rescale)
    overdue = Q(state=BatchState.OPEN, deadline_at__lte=timezone.now())
    unfinished = study.batches.filter(Q(state=BatchState.CLOSED) | overdue)
    states = set(unfinished.order_by().values_list("state", flat=True).distinct())
    return Scoring(
        run,
        worker_state(),
        awaited=has_rescaling and BatchState.CLOSED in states,
        is_overdue=BatchState.OPEN in states,
    )


@dataclass(frozen=True)
class Standing:
    """How far a study is in numbers; ``places`` and ``submitted`` are those of its open batches."""

    batches: int
    closed: int
    open: int
    drafts: int
    places: int
    submitted: int


def standing_of(study: Study) -> Standing:
    """How many batches are closed, and what is done in the open ones: two queries. Closed ones may be very many."""
    states: dict[str, int] = dict(_STATES.rows(study.pk))
    places = Assignment.objects.filter(hit__batch__study=study, hit__batch__state=BatchState.OPEN).aggregate(
        n=Count("pk"), submitted=Count("pk", filter=Q(state=AssignmentState.SUBMITTED))
    )
    closed = sum(states.get(state, 0) for state in FINISHED_STATES)
    is_open, drafts = states.get(BatchState.OPEN, 0), states.get(BatchState.DRAFT, 0)
    return Standing(sum(states.values()), closed, is_open, drafts, places["n"], places["submitted"])
