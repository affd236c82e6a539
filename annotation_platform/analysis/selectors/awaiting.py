"""Which studies were closed or scored and not measured yet, or measured and not explored."""

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.selectors.snapshots import NEWEST_FIRST, closed_batches
from annotation_platform.scoring.models import Method, RunStatus, ScoringRun
from annotation_platform.studies.models import BatchState, Study

CLOSED = (BatchState.CLOSED, BatchState.SCORED)


def studies_awaiting_snapshot(studies: QuerySet[Study] | None = None) -> list[int]:
    """Keys of the studies with a finished run, or a closed batch, that no snapshot has measured yet.

    Not while a rescaling is under way: its end is what is measured next.
    """
    rescalings = ScoringRun.objects.filter(study=OuterRef("pk"), method=Method.EBR)
    runs = ScoringRun.objects.filter(study=OuterRef("pk"), status=RunStatus.DONE, finished_at__isnull=False)
    finished = rescalings.filter(status=RunStatus.DONE).order_by("-is_chosen", "-pk")
    waiting = (Study.objects.all() if studies is None else studies).annotate(
        is_scored_now=Exists(rescalings.filter(status__in=[RunStatus.PENDING, RunStatus.RUNNING])),
        newest_run=Subquery(finished.values("pk")[:1]),
        newest_run_measured=Exists(AgreementSnapshot.objects.filter(run=OuterRef("newest_run"))),
        measured_at=Max("snapshots__measured_at"),
        closed_at=Max("batches__closed_at", filter=Q(batches__state__in=CLOSED)),
        finished_at=Subquery(runs.order_by("-finished_at").values("finished_at")[:1]),
    )
    not_measured = Q(newest_run__isnull=False, newest_run_measured=False) | Q(finished_at__gt=F("measured_at"))
    closed_since = Q(closed_at__isnull=False) & (Q(measured_at=None) | Q(closed_at__gt=F("measured_at")))
    return [
        study.pk
        for study in waiting.filter(not_measured | closed_since, is_scored_now=False)
        if (study.newest_run and not study.newest_run_measured)
        or (study.finished_at and study.measured_at and study.finished_at > study.measured_at)
        or _has_unmeasured_batch(study)
    ]


def _has_unmeasured_batch(study: Study) -> bool:
    """Whether a closed batch is in no snapshot; one that was opened and closed again may be measured already."""
    measured = study.snapshots.order_by("-pk").values_list("head__batches", flat=True).first()
    return set(closed_batches(study)) != set(measured or [])


def studies_awaiting_exploration() -> list[int]:
    """Keys of the studies whose rows of single items are older than the newest snapshot or judge's run."""
    snapshots = AgreementSnapshot.objects.filter(study=OuterRef("pk")).order_by(*NEWEST_FIRST)
    judges = ScoringRun.objects.filter(study=OuterRef("pk"), method=Method.JUDGE, status=RunStatus.DONE)
    studies = Study.objects.annotate(
        newest=Subquery(snapshots.values("pk")[:1]),
        judge=Coalesce(Subquery(judges.order_by("-is_chosen", "-pk").values("pk")[:1]), 0),
        explored_judge=Coalesce("explored__judge_run", 0),
    )
    behind = Q(explored=None) | ~Q(explored__snapshot=F("newest")) | ~Q(explored_judge=F("judge"))
    return list(studies.filter(behind, newest__isnull=False).order_by().values_list("pk", flat=True))
