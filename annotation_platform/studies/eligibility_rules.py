"""The rules of every study about who may take a task: exclusion, a pause, how many tasks one person may have."""

from datetime import datetime, timedelta
from math import ceil
from statistics import mean

from django.db.models import Count, Max, QuerySet
from django.utils import timezone

from annotation_platform.core.reasons import Reason
from annotation_platform.studies.eligibility import Moment
from annotation_platform.studies.models import Assignment, AssignmentPolicy, AssignmentState, Member

DAY = timedelta(hours=24)
LEAD, LEAD_SHARE = 3, 0.5  # tasks more than others who are at work, and their share, before somebody waits


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


def far_ahead(annotator: Member, moment: Moment) -> Reason | None:
    """Who took far more in the last 24 hours than the others who are at work waits for them, where the study asks so.

    At work is whoever has a task now, or took one no longer ago than a task may take. Without others nobody waits,
    and what somebody took on the days before holds nobody up.
    """
    if moment != Moment.TAKING or (study := annotator.study).assignment_policy != AssignmentPolicy.EVEN:
        return None
    now = timezone.now()
    of_study = Assignment.objects.filter(annotator__study=study).order_by()
    taken = {
        who: (count, last)
        for who, count, last in of_study.filter(claimed_at__gt=now - DAY)
        .values("annotator")
        .annotate(count=Count("*"), last=Max("claimed_at"))
        .values_list("annotator", "count", "last")
    }
    at_work = {who for who, (_, last) in taken.items() if last > now - timedelta(minutes=study.time_limit_minutes)}
    at_work.update(of_study.at_work().values_list("annotator", flat=True))
    others = [taken.get(who, (0, None))[0] for who in at_work - {annotator.pk}]
    mine = taken.get(annotator.pk, (0, None))[0]
    if not others or not is_far_ahead(mine, mean(others)):
        return None
    return Reason("studies.far_ahead", count=mine, others=round(mean(others)))


def is_far_ahead(mine: int, others: float) -> bool:
    """Whether one more task would be far more than the others' mean: three more of them, and half as many again.

    Examples
    --------
    >>> is_far_ahead(3, 1), is_far_ahead(4, 1)
    (False, True)
    >>> is_far_ahead(29, 20), is_far_ahead(30, 20)
    (False, True)
    """
    return mine - others >= max(LEAD, others * LEAD_SHARE)


def _held_by(annotator: Member) -> QuerySet[Assignment]:
    return Assignment.objects.filter(annotator=annotator).exclude(state=AssignmentState.OPEN)
