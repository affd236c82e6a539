"""Which studies were closed or scored and not measured yet, or measured and not explored."""

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.stored import NEWEST_FIRST
from annotation_platform.scoring.models import GIVING_LABELS, Method, ScoringRun
from annotation_platform.studies.models import FINISHED_STATES, Study


def studies_awaiting_snapshot(studies: QuerySet[Study] | None = None) -> list[int]:
    """Keys of the studies with a finished run, or a closed batch, that no snapshot has measured yet.

    Not while a rescaling is under way: its end is what is measured next.
    """
    rescalings = ScoringRun.objects.filter(study=OuterRef("pk"), method=Method.EBR)
    runs = ScoringRun.objects.finished().filter(study=OuterRef("pk"), finished_at__isnull=False)
    waiting = (Study.objects.all() if studies is None else studies).annotate(
        is_scored_now=Exists(rescalings.active()),
        newest_run=Subquery(rescalings.finished().values("pk")[:1]),
        newest_run_measured=Exists(AgreementSnapshot.objects.filter(run=OuterRef("newest_run"))),
        measured_at=Max("snapshots__measured_at"),
        closed_at=Max("batches__closed_at", filter=Q(batches__state__in=FINISHED_STATES)),
        finished_at=Subquery(runs.order_by("-finished_at").values("finished_at")[:1]),
    )
    ran_since = Q(newest_run__isnull=False, newest_run_measured=False) | Q(finished_at__gt=F("measured_at"))
    closed_since = Q(closed_at__isnull=False) & (Q(measured_at=None) | Q(closed_at__gt=F("measured_at")))
    found = waiting.filter(ran_since | closed_since, is_scored_now=False)
    return list(found.order_by().values_list("pk", flat=True))


def studies_awaiting_exploration() -> list[int]:
    """Keys of the studies whose rows of single items are older than the newest snapshot or labelling run."""
    snapshots = AgreementSnapshot.objects.filter(study=OuterRef("pk")).order_by(*NEWEST_FIRST)
    finished = ScoringRun.objects.finished().filter(study=OuterRef("pk"))
    labelling = (Subquery(finished.filter(method=each).values("pk")[:1]) for each in GIVING_LABELS)
    studies = Study.objects.annotate(
        newest=Subquery(snapshots.values("pk")[:1]),
        judge=Coalesce(*labelling, 0),  # as labelling_run
        explored_judge=Coalesce("explored__judge_run", 0),
    )
    behind = Q(explored=None) | ~Q(explored__snapshot=F("newest")) | ~Q(explored_judge=F("judge"))
    return list(studies.filter(behind, newest__isnull=False).order_by().values_list("pk", flat=True))
