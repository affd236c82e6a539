"""Counts beside batches, each in a question of its own, so that joins do not multiply."""

from typing import Any

from django.db.models import Count, JSONField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, JSONObject

from annotation_platform.studies.models import Assignment, AssignmentState, Hit

SUBMITTED = Q(state=AssignmentState.SUBMITTED)


def count_of(rows: QuerySet[Any], by: str) -> Any:
    """How many of ``rows`` belong to the outer row."""
    counted = rows.order_by().values(by).annotate(n=Count("*")).values("n")  # rows, so that an index is enough
    return Coalesce(Subquery(counted), 0)


def tasks_of_batch() -> Any:
    """How many tasks the outer batch has."""
    return count_of(Hit.objects.filter(batch=OuterRef("pk")), "batch")


def places_of_batch(**some: Q) -> Any:
    """The outer batch's places by name: ``places``, all of them, and those of each of ``some``.

    A batch has some hundreds of places, and a page shows dozens of batches: they are gone through once for all counts.
    """
    counts = {"places": Count("*")} | {name: Count("pk", filter=which) for name, which in some.items()}
    of_batch = Assignment.objects.filter(hit__batch=OuterRef("pk")).order_by().values("hit__batch")
    counted = Subquery(of_batch.annotate(told=JSONObject(**counts)).values("told"), output_field=JSONField())
    return Coalesce(counted, Value(dict.fromkeys(counts, 0), JSONField()))
