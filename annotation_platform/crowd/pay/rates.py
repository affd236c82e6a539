"""What an hour of work pays by the time on task, per annotator and over all; and what would reach the floor."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from django.db.models import Count, Exists, OuterRef, Sum

from annotation_platform.annotations.models import Annotation
from annotation_platform.crowd.pay.imported import IMPORTED
from annotation_platform.crowd.pay.terms import promised_in_query, taken_at_in_query, versions_of
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Study

FEWEST_FOR_QUARTILES = 4


@dataclass(frozen=True)
class Rate:
    """One annotator: tasks that were submitted and timed, their rewards, and how long they took."""

    member: Member
    tasks: int
    rewards: int
    seconds: float

    @property
    def hourly(self) -> int:
        """In the smallest unit, rounded."""
        return round(self.rewards * 3600 / self.seconds)

    @property
    def seconds_per_task(self) -> float:
        return self.seconds / self.tasks


@dataclass(frozen=True)
class Rates:
    """The hourly rates of a study's annotators, the lowest first."""

    currency: str
    floor: int | None
    rates: Sequence[Rate]

    @property
    def n(self) -> int:
        return len(self.rates)

    @property
    def median(self) -> int | None:
        return round(median(rate.hourly for rate in self.rates)) if self.rates else None

    @property
    def quartiles(self) -> tuple[int, int] | None:
        """The lower and the upper one; None of fewer than four annotators."""
        if self.n < FEWEST_FOR_QUARTILES:
            return None
        lower, _, upper = quantiles((rate.hourly for rate in self.rates), n=4, method="inclusive")
        return round(lower), round(upper)

    @property
    def under_floor(self) -> list[Rate]:
        return [rate for rate in self.rates if self.floor is not None and rate.hourly < self.floor]

    @property
    def is_under_floor(self) -> bool:
        """Whether the median is."""
        return self.floor is not None and self.median is not None and self.median < self.floor

    @property
    def reward_for_floor(self) -> int | None:
        """The reward for a task with which the annotator of median speed reaches the floor, rounded up."""
        if self.floor is None or not self.rates:
            return None
        seconds = round(median(rate.seconds_per_task for rate in self.rates))
        return -(-self.floor * seconds // 3600)


def rates_of(study: Study) -> Rates | None:
    """None where no pay was agreed. Bonuses are not in it: nobody can count on them while they work; nor is imported
    work, for which nobody was promised anything here. The time for checks among a task's items is in it."""
    versions = versions_of(study.pk)
    if versions is None:
        return None
    timed = Annotation.given.filter(assignment=OuterRef("pk"), is_current=True, seconds__gt=0)
    places = Assignment.objects.filter(
        Exists(timed), ~IMPORTED, hit__batch__study=study, state=AssignmentState.SUBMITTED
    )
    rewards = {
        annotator: (tasks, amount)
        for annotator, tasks, amount in places.annotate(taken_at=taken_at_in_query())
        .order_by()
        .values_list("annotator")
        .annotate(tasks=Count("pk"), sum=Sum(promised_in_query(versions, "reward")))
    }
    seconds: dict[int, float] = dict(
        Annotation.given.filter(
            item__study=study, is_current=True, assignment__state=AssignmentState.SUBMITTED, seconds__gt=0
        )
        .order_by()
        .values_list("annotator")
        .annotate(sum=Sum("seconds"))
    )
    members = Member.objects.in_bulk(seconds.keys() & rewards.keys())
    found = [Rate(member, *rewards[pk], seconds[pk]) for pk, member in members.items()]
    newest = versions.newest
    return Rates(newest.currency, newest.hourly_floor, sorted(found, key=lambda rate: rate.hourly))
