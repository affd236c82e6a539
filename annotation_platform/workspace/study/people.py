"""The people of a study beside what each of them has done."""

from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Subquery

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.work.figures import WORK
from annotation_platform.analysis.snapshots.stored import section_of_study
from annotation_platform.studies.batch_counts import SUBMITTED, count_of
from annotation_platform.studies.models import Assignment, BatchState, Member, Role, Study

PEOPLE_PER_PAGE = 50


@dataclass(frozen=True)
class Person:
    """A member with what they have done: judgments in closed batches as last measured, places in open ones."""

    member: Member
    judgments: int | None  # None: nothing has been measured yet
    submitted: int
    working: int
    last_submitted_at: datetime | None
    is_imported: bool  # what they submitted came without a time


def people_of(study: Study, snapshot: AgreementSnapshot | None, page: str | None) -> Page[Person]:
    """The members, annotators first, the busiest on top. Closed batches may be very many: nothing there is counted."""
    places = Assignment.objects.filter(SUBMITTED, annotator=OuterRef("pk"))
    timed = places.filter(submitted_at__isnull=False).order_by("-submitted_at")
    members = study.members.annotate(
        working=count_of(Assignment.objects.at_work().filter(annotator=OuterRef("pk")), "annotator"),
        last_submitted_at=Subquery(timed.values("submitted_at")[:1]),
        has_submitted=Exists(places),
    ).only("pk", "role", "pseudonym", "study_id")
    open_places = Assignment.objects.filter(SUBMITTED, hit__batch__study=study, hit__batch__state=BatchState.OPEN)
    submitted = dict(open_places.order_by().values_list("annotator").annotate(n=Count("*")))
    work = section_of_study(snapshot, WORK) if snapshot else None
    judgments = {each.name: each.judgments for each in work.annotators} if work else {}
    found = [
        Person(
            member,
            judgments.get(member.pseudonym, 0) if work else None,
            submitted.get(member.pk, 0),
            member.working,
            member.last_submitted_at,
            is_imported=member.has_submitted and member.last_submitted_at is None,
        )
        for member in members
    ]

    def rank(person: Person) -> tuple[bool, int, str]:
        member = person.member
        return member.role != Role.ANNOTATOR, -((person.judgments or 0) + person.submitted), member.pseudonym

    return Paginator(sorted(found, key=rank), PEOPLE_PER_PAGE).get_page(page)
