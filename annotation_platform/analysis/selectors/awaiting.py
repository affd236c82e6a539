"""Which studies were scored and not measured yet."""

from django.db.models import OuterRef, Subquery

from annotation_platform.scoring.models import RunStatus, ScoringRun


def studies_awaiting_snapshot() -> list[int]:
    """Keys of the studies whose newest finished run has no snapshot."""
    newest = ScoringRun.objects.filter(study=OuterRef("study"), status=RunStatus.DONE).order_by("-pk").values("pk")[:1]
    return list(
        ScoringRun.objects.filter(pk=Subquery(newest), snapshots=None).order_by().values_list("study_id", flat=True)
    )
