"""Who may take a task: rules are asked at one place, when a task is taken and when it is submitted."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import Event
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.studies import eligibility
from annotation_platform.studies.eligibility import Moment, NotEligibleError, refusal
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Role, Study
from annotation_platform.studies.services import (
    change_study,
    claim_assignment,
    pause_member,
    resume_member,
    return_assignment,
    set_limits,
)
from tests.factories import MemberFactory, make_corpus, open_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
ACTOR = Actor.operator("tests")


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Twelve questions of three documents, one a task."""
    return open_study(corpus=make_corpus(articles=3, questions=4), questions_per_hit=1)


@pytest.fixture
def annotator(study: Study) -> Member:
    return MemberFactory(study=study)


def take(annotator: Member) -> Assignment:
    """A task, submitted at once."""
    annotator = Member.objects.select_related("study").get(pk=annotator.pk)
    place = claim_assignment(annotator=annotator, actor=ACTOR)
    Assignment.objects.filter(pk=place.pk).update(state=AssignmentState.SUBMITTED, submitted_at=timezone.now())
    return place


def test_a_paused_annotator_takes_nothing_new_and_keeps_what_they_have(study: Study, annotator: Member) -> None:
    held = claim_assignment(annotator=annotator, actor=ACTOR)
    pause_member(member=annotator, because="  Please read   message 3 first. ", actor=ACTOR)
    assert claim_assignment(annotator=annotator, actor=ACTOR) == held
    assert refusal(annotator, Moment.SUBMITTING) is None
    return_assignment(assignment=held, annotator=annotator, actor=ACTOR)
    with pytest.raises(NotEligibleError, match=r"paused in this study: Please read message 3 first\. What you have"):
        claim_assignment(annotator=annotator, actor=ACTOR)
    resume_member(member=annotator, actor=ACTOR)
    claim_assignment(annotator=annotator, actor=ACTOR)
    verbs = (
        Event.objects.filter(study=study.pk, verb__startswith="member.").order_by("pk").values_list("verb", flat=True)
    )
    assert list(verbs)[-2:] == ["member.paused", "member.resumed"]


@pytest.mark.parametrize(
    ("because", "code"), [(" ", "studies.pause_needs_reason"), ("x" * 501, "studies.pause_reason_too_long")]
)
def test_a_pause_has_a_reason(annotator: Member, because: str, code: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        pause_member(member=annotator, because=because, actor=ACTOR)
    assert refused.value.reason.code == code
    assert Member.objects.get(pk=annotator.pk).paused_at is None


def test_only_annotators_are_paused(study: Study) -> None:
    with pytest.raises(InvalidInputError, match="no annotator"):
        pause_member(member=MemberFactory(study=study, role=Role.RESEARCHER), because="Why not", actor=ACTOR)


def test_one_person_has_no_more_tasks_than_the_study_lets_them(study: Study, annotator: Member) -> None:
    change_study(study=study, most_tasks=2, actor=ACTOR)
    take(annotator), take(annotator)
    with pytest.raises(NotEligibleError, match="You have had 2 tasks of this study, as many as one person may have"):
        take(annotator)
    take(MemberFactory(study=study))


def test_a_task_that_was_given_back_does_not_count(study: Study, annotator: Member) -> None:
    change_study(study=study, most_tasks=1, actor=ACTOR)
    held = claim_assignment(annotator=annotator, actor=ACTOR)
    return_assignment(assignment=held, annotator=annotator, actor=ACTOR)
    take(annotator)


def test_within_24_hours_one_person_has_so_many_tasks_and_reads_when_the_next_comes(
    study: Study, annotator: Member
) -> None:
    change_study(study=study, most_tasks_a_day=2, actor=ACTOR)
    first, _ = take(annotator), take(annotator)
    Assignment.objects.filter(pk=first.pk).update(claimed_at=timezone.now() - timedelta(hours=20, minutes=30))
    with pytest.raises(NotEligibleError, match=r"may have 2 of .* within 24 hours\. The next is yours in 4 hours"):
        take(annotator)
    Assignment.objects.filter(pk=first.pk).update(claimed_at=timezone.now() - timedelta(hours=24, seconds=1))
    take(annotator)


@pytest.mark.parametrize("number", [0, 100_001])
def test_limits_are_numbers_that_can_be_held(study: Study, number: int) -> None:
    with pytest.raises(InvalidInputError, match="from 1 to 100,000"):
        set_limits(study=study, policy="in_order", most_tasks=None, most_tasks_a_day=number, actor=ACTOR)


@pytest.fixture
def rule() -> Iterator[list[tuple[str, Moment]]]:
    """A rule from elsewhere that refuses everything, and notes when it was asked."""
    asked = []

    def refuses(annotator: Member, moment: Moment) -> Reason:
        asked.append((annotator.pseudonym, moment))
        return Reason("studies.no_policy")

    eligibility.add_rule("tests.refuses", refuses)
    yield asked
    del eligibility._rules["tests.refuses"]


def test_a_rule_from_elsewhere_is_asked_when_a_task_is_taken(annotator: Member, rule: list[tuple[str, Moment]]) -> None:
    with pytest.raises(NotEligibleError, match="Choose one of the ways"):
        claim_assignment(annotator=annotator, actor=ACTOR)
    assert rule == [(annotator.pseudonym, Moment.TAKING)]
    assert not Assignment.objects.filter(annotator=annotator).exists()
