"""Which studies were scored and not measured yet, or measured and not explored."""

from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.scoring.models import Method, RunStatus, ScoringRun
from annotation_platform.studies.models import Study


def studies_awaiting_snapshot() -> list[int]:
    """Keys of the studies whose newest finished run has no snapshot."""
    newest = ScoringRun.objects.filter(study=OuterRef("study"), status=RunStatus.DONE).order_by("-pk").values("pk")[:1]
    return list(
        ScoringRun.objects.filter(pk=Subquery(newest), snapshots=None).order_by().values_list("study_id", flat=True)
    )


def studies_awaiting_exploration() -> list[int]:
    """Keys of the studies whose rows of single items are older than the newest snapshot or judge's run."""
    snapshots = AgreementSnapshot.objects.filter(study=OuterRef("pk")).order_by(F("run").desc(nulls_last=True), "-pk")
    judges = ScoringRun.objects.filter(study=OuterRef("pk"), method=Method.JUDGE, status=RunStatus.DONE)
    studies = Study.objects.annotate(
        newest=Subquery(snapshots.values("pk")[:1]),
        judge=Coalesce(Subquery(judges.order_by("-is_chosen", "-pk").values("pk")[:1]), 0),
        explored_judge=Coalesce("explored__judge_run", 0),
    )
    behind = Q(explored=None) | ~Q(explored__snapshot=F("newest")) | ~Q(explored_judge=F("judge"))
    return list(studies.filter(behind, newest__isnull=False).order_by().values_list("pk", flat=True))
