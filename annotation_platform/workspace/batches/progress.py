"""How far batches are: their places, who has them, and what is judged in them."""

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, F, OuterRef, Prefetch, QuerySet, Subquery, Sum, When
from django.db.models.functions import Coalesce

from annotation_platform.analysis.frame.standing import Scoring
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.batch_counts import SUBMITTED, count_of, places_of_batch, tasks_of_batch
from annotation_platform.studies.models import Assignment, Batch, BatchState, Study, at_work
from annotation_platform.workspace.batches.threads import unanswered_threads, words_of_place

HITS_PER_PAGE, BATCHES_PER_PAGE = 50, 12


def batches_of(study: Study, page: str | None, *, count: int) -> Page[Batch]:
    """A page of the ``count`` batches, with their counts: those that are open, then drafts in the order in which they
    are meant to be opened, then the newest."""
    stage = Case(When(state=BatchState.OPEN, then=0), When(state=BatchState.DRAFT, then=1), default=2)
    place = Case(When(state=BatchState.DRAFT, then=F("number")), default=-F("number"))
    pages = Paginator(_counted(study).order_by(stage, place), BATCHES_PER_PAGE)
    pages.count = count  # which it would ask the database for
    return pages.get_page(page)


def _counted(study: Study) -> QuerySet[Batch]:
    """The batches with how many tasks, ``assigned`` places and unanswered threads each has."""
    return study.batches.annotate(
        hit_count=tasks_of_batch(),
        assigned=places_of_batch(submitted=SUBMITTED, working=at_work()),
        unanswered=count_of(
            unanswered_threads().filter(assignment__hit__batch=OuterRef("pk")), "assignment__hit__batch"
        ),
    )


def batch_for(study: Study, number: int) -> Batch:
    """One batch of a study, with the counts of its places and threads, and how its tasks were drawn, if they were.

    Raises
    ------
    NotThereError
        When the study has no such batch.
    """
    batch = _counted(study).select_related("draw").filter(number=number).first()
    if batch is None:
        raise NotThereError("workspace.no_batch", number=number)
    return batch


def is_live(batches: Iterable[Batch], scoring: Scoring) -> bool:
    """Whether a page about these changes by itself, so that it is worth asking again."""
    return scoring.is_active or scoring.awaited or any(batch.state == BatchState.OPEN for batch in batches)


def hits_of(batch: Batch, page: str | None) -> Page[Any]:
    """A page of the batch's HITs, each with its places and who has them."""
    judged = Annotation.given.current().filter(assignment=OuterRef("pk")).order_by().values("assignment")
    places = (
        Assignment.objects.order_by("place")
        .select_related("annotator")
        .annotate(
            words=count_of(words_of_place(), "assignment"),
            judged=Coalesce(Subquery(judged.annotate(n=Count("*")).values("n")), 0),
            seconds=Subquery(judged.annotate(sum=Sum("seconds")).values("sum")),
        )
    )
    hits = (
        batch.hits.order_by("position")
        .select_related("article")
        .annotate(item_count=Count("items"))
        .prefetch_related(Prefetch("assignments", places, to_attr="places"))
    )
    return Paginator(hits, HITS_PER_PAGE).get_page(page)
