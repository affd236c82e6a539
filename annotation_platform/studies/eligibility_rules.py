"""The rules of every study about who may take a task: exclusion, a pause, how many tasks one person may have."""

from datetime import datetime, timedelta
from math import ceil

from django.db.models import QuerySet
from django.utils import timezone

from annotation_platform.core.reasons import Reason
from annotation_platform.studies.eligibility import Moment
from annotation_platform.studies.models import Assignment, AssignmentState, Member

DAY = timedelta(hours=24)


def paused(annotator: Member, moment: Moment) -> Reason | None:
    """Who was paused takes nothing new, and finishes what they have."""
    if moment != Moment.TAKING or annotator.paused_at is None:
        return None
    return Reason("studies.paused", because=annotator.paused_because)


def excluded(annotator: Member, moment: Moment) -> Reason | None:
    """Who was excluded takes nothing and submits nothing."""
    if annotator.excluded_at is None:
        return None
    return Reason("studies.excluded", because=annotator.excluded_because)


def most_tasks(annotator: Member, moment: Moment) -> Reason | None:
    """So many tasks of the study for one person, so that no figure rests on one person's judgment."""
    if moment != Moment.TAKING or (most := annotator.study.most_tasks) is None or _held_by(annotator).count() < most:
        return None
    return Reason("studies.most_tasks_reached", count=most)


def most_tasks_a_day(annotator: Member, moment: Moment) -> Reason | None:
    """So many tasks within any 24 hours, against haste and tiredness; a task given back does not count."""
    if moment != Moment.TAKING or (most := annotator.study.most_tasks_a_day) is None:
        return None
    now = timezone.now()
    newest = _held_by(annotator).filter(claimed_at__gt=now - DAY).order_by("-claimed_at")
    taken: list[datetime | None] = list(newest.values_list("claimed_at", flat=True)[:most])
    if len(taken) < most or taken[-1] is None:
        return None
    hours = ceil((taken[-1] + DAY - now) / timedelta(hours=1))
    return Reason("studies.most_tasks_a_day_reached", most=most, count=hours)


def _held_by(annotator: Member) -> QuerySet[Assignment]:
    return Assignment.objects.filter(annotator=annotator).exclude(state=AssignmentState.OPEN)
