"""What annotators and researchers wrote to each other about places of a batch."""

from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery

from annotation_platform.annotations.models import Message
from annotation_platform.studies.models import Assignment, Batch, Role


def threads_of(batch: Batch) -> QuerySet[Assignment]:
    """The places of a batch about which words were exchanged, those that wait for an answer first."""
    last = words_of_place().order_by("-pk")
    return (
        Assignment.objects.filter(Exists(words_of_place()), hit__batch=batch)
        .select_related("annotator", "hit__article")
        .annotate(last_at=Subquery(last.values("created_at")[:1]), is_unanswered=_last_word_is_annotators())
        .prefetch_related(Prefetch("messages", Message.objects.select_related("author").order_by("pk")))
        .order_by("-is_unanswered", "-last_at")
    )


def unanswered_threads() -> QuerySet[Assignment]:
    """Places whose last word is an annotator's."""
    return Assignment.objects.filter(Exists(words_of_place())).filter(_last_word_is_annotators())


def words_of_place() -> QuerySet[Message]:
    return Message.objects.filter(assignment=OuterRef("pk"))


def _last_word_is_annotators() -> Exists:
    newer = Message.objects.filter(assignment=OuterRef("assignment"), pk__gt=OuterRef("pk"))
    return Exists(words_of_place().filter(~Exists(newer), author__role=Role.ANNOTATOR))
