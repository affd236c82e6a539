"""Late work, made as it comes about."""

from datetime import timedelta

from django.utils import timezone

from annotation_platform.studies.models import Assignment
from annotation_platform.studies.services import lease_assignment, return_assignment
from tests.annotations.desk import Desk, sit_down
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study


def late_desk() -> Desk:
    """An annotator who sent both questions of a task when somebody else had it."""
    study = open_study(corpus=make_corpus(questions=2, systems=["alder"]), questions_per_hit=2, overlap=1)
    desk = sit_down(study)
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    desk.assignment.refresh_from_db()
    assert lease_assignment(place=desk.assignment, annotator=MemberFactory(study=study))
    for position in (1, 2):
        desk.submit(position)
    return desk


def free_the_place(desk: Desk) -> None:
    desk.assignment.refresh_from_db()
    assert desk.assignment.annotator is not None
    return_assignment(assignment=desk.assignment, annotator=desk.assignment.annotator, actor=OPERATOR)
