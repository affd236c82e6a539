"""What annotators and researchers wrote to each other about places of a batch."""

from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery

from annotation_platform.annotations.models import Message
from annotation_platform.studies.models import Assignment, Batch


def threads_of(batch: Batch) -> QuerySet[Assignment]:
    """The places of a batch about which words were exchanged, those that wait for an answer first."""
    last = words_of_place().order_by("-pk")
    return (
        Assignment.objects.filter(Exists(words_of_place()), hit__batch=batch)
        .select_related("annotator", "hit__article")
        .annotate(last_at=Subquery(last.values("created_at")[:1]), is_unanswered=_has_unanswered_word())
        .prefetch_related(Prefetch("messages", Message.objects.select_related("author").order_by("pk")))
        .order_by("-is_unanswered", "-last_at")
    )


def unanswered_threads() -> QuerySet[Assignment]:
    """Places with an annotator's word that no researcher has dealt with."""
    return Assignment.objects.filter(_has_unanswered_word())


def words_of_place() -> QuerySet[Message]:
    return Message.objects.filter(assignment=OuterRef("pk"))


def _has_unanswered_word() -> Exists:
    return Exists(words_of_place().filter(needs_answer=True))
