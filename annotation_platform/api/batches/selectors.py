"""Batches with what is counted of them."""

from typing import Any

from django.db.models import OuterRef, QuerySet

from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.batch_counts import SUBMITTED, count_of, places_of_batch, tasks_of_batch
from annotation_platform.studies.models import Item, Study


def batches_of(study: Study) -> QuerySet[Any]:
    """The batches of a study, each with how many tasks, items and ``assigned`` places it has."""
    return study.batches.annotate(
        tasks=tasks_of_batch(),
        items=count_of(Item.objects.filter(hit__batch=OuterRef("pk")), "hit__batch"),
        assigned=places_of_batch(submitted=SUBMITTED),
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
