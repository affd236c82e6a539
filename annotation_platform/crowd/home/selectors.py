"""Reads for the annotator's home: what a study offers, what was set aside, what was typed and lies idle."""

from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation_platform.annotations.models import Draft
from annotation_platform.annotations.selectors import Waiting, studies_of
from annotation_platform.crowd.review.models import SUBMITTED_AGAIN
from annotation_platform.studies.models import Assignment, SetAside, takes_judgments
from annotation_platform.studies.selectors import TaskTime, task_time


class Offer(NamedTuple):
    """What waits in a study, and how long its tasks took others."""

    waiting: Waiting
    time: TaskTime


def offers_for(user: Any, language: str) -> list[Offer]:
    """The studies in which no task of the person's is under way; those with something to do come first."""
    offers = [Offer(each, task_time(each.study)) for each in studies_of(user, language) if not each.is_busy]
    return sorted(offers, key=lambda offer: offer.waiting.refusal is not None or not offer.waiting.hits)


def set_aside_of(user: Any) -> QuerySet[SetAside]:
    """A person's submitted work that counts no more, the newest first; what was rejected has a page of its own, and
    what was done anew since counts."""
    mine = Q(annotator__user=user) | Q(annotator__former_user=user)
    work = SetAside.objects.filter(~SUBMITTED_AGAIN, mine, restored_at=None, review=None)
    return work.select_related("assignment__hit__article", "assignment__hit__batch__study").order_by("-pk")


def idle_drafts(user: Any) -> int:
    """In how many tasks, of batches that take judgments, a person typed something and does not hold them now."""
    held = Assignment.objects.filter(hit=OuterRef("item__hit"), annotator=OuterRef("annotator"))
    drafts = Draft.objects.filter(takes_judgments("item__hit__batch__"), ~Exists(held), annotator__user=user)
    return drafts.values("item__hit").distinct().count()
