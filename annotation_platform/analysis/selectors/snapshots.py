"""Which snapshot a page shows, and whether the world has moved on since."""

from dataclasses import dataclass
from typing import Any

from django.db.models import F

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.studies.models import Batch, BatchState, Study


def closed_batches(study: Study) -> list[int]:
    """Numbers of the batches that take no more judgments."""
    closed = Batch.objects.filter(study=study, state__in=[BatchState.CLOSED, BatchState.SCORED])
    return list(closed.order_by("number").values_list("number", flat=True))


@dataclass(frozen=True)
class Headline:
    """The newest snapshot's main figures, and why it is out of date (empty: it is not)."""

    snapshot_id: int
    figures: dict[str, Any]
    created_at: Any
    signature: str
    stale_because: str


def latest_snapshot(study: Study) -> AgreementSnapshot | None:
    return AgreementSnapshot.objects.filter(study=study).first()


def headline_of(study: Study) -> Headline | None:
    """The newest snapshot's main figures, without loading the rest of it."""
    row = (
        AgreementSnapshot.objects.filter(study=study)
        .annotate(headline=F("figures__headline"), batches=F("figures__batches"))
        .values("pk", "headline", "batches", "run_id", "created_at", "signature")
        .first()
    )
    if row is None:
        return None
    return Headline(
        snapshot_id=row["pk"],
        figures=row["headline"],
        created_at=row["created_at"],
        signature=row["signature"],
        stale_because=why_stale(study, batches=row["batches"], run_id=row["run_id"]),
    )


def why_stale(study: Study, *, batches: list[int], run_id: int | None) -> str:
    """Why a snapshot of these batches and this run is out of date; empty when it is not.

    Judgments of closed batches never change, so that the set of batches stands for the data.
    """
    new = [number for number in closed_batches(study) if number not in batches]
    if new:
        numbers = ", ".join(map(str, new))
        return f"Batch {numbers} has closed since." if len(new) == 1 else f"Batches {numbers} have closed since."
    run = latest_run(study)
    if (run and run.pk) != run_id:
        return "The judgments have been scored again since."
    return ""
