"""Batches with what is counted of them."""

from typing import Any

from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Assignment, AssignmentState, Hit, Item, Study


def batches_of(study: Study) -> QuerySet[Any]:
    """The batches of a study, each with its number of tasks, items, assignments and submitted assignments."""
    places = Assignment.objects.filter(hit__batch=OuterRef("pk"))
    return study.batches.annotate(
        tasks=_count(Hit.objects.filter(batch=OuterRef("pk")), "batch"),
        items=_count(Item.objects.filter(hit__batch=OuterRef("pk")), "hit__batch"),
        places=_count(places, "hit__batch"),
        submitted=_count(places.filter(state=AssignmentState.SUBMITTED), "hit__batch"),
    )


def batch_of(study: Study, number: int) -> Any:
    """
    Raises
    ------
    NotThereError
        When the study has no batch of this number.
    """
    if (batch := batches_of(study).filter(number=number).first()) is None:
        raise NotThereError("workspace.no_batch", number=number)
    return batch


def _count(rows: QuerySet[Any], of: str) -> Coalesce:
    counted = rows.order_by().values(counted_of=F(of)).annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
