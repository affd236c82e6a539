"""Work set aside: kept, counting no more, its place open to others."""

import pytest

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.studies.eligibility import NotEligibleError
from annotation_platform.studies.models import Assignment, AssignmentState, Member, SetAside
from annotation_platform.studies.services import (
    NothingToClaimError,
    claim_assignment,
    close_batch,
    exclude_member,
    readmit_member,
    restore_work,
    set_aside,
)
from tests.factories import OPERATOR, study_with_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def places(study):
    return Assignment.objects.filter(hit__batch__study=study)


def submitted_place(member):
    return places(member.study).filter(annotator=member, state=AssignmentState.SUBMITTED).order_by("pk").first()


@pytest.fixture
def annotator():
    study = study_with_judgments(close=False)
    return study.members.filter(assignments__state=AssignmentState.SUBMITTED).order_by("pk").first()


def test_rejected_work_is_kept_counts_no_more_and_its_place_opens(annotator):
    place, before = submitted_place(annotator), places(annotator.study).count()
    judged = Annotation.objects.filter(assignment=place, annotator=annotator).count()
    set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="Copied the answer", actor=OPERATOR)
    place.refresh_from_db()
    assert (place.state, place.annotator) == (AssignmentState.OPEN, None)
    kept = Annotation.objects.filter(assignment=place, annotator=annotator)
    assert kept.count() == judged > 0
    assert not kept.current().exists()
    assert places(annotator.study).count() == before


def test_whose_work_was_set_aside_does_not_get_the_task_again(annotator):
    for place in places(annotator.study).filter(annotator=annotator, state=AssignmentState.SUBMITTED):
        set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="No", actor=OPERATOR)
    free = Assignment.objects.free_for(annotator)
    aside = SetAside.objects.filter(annotator=annotator).values("assignment__hit")
    assert not free.filter(hit__in=aside).exists()
    other = Member.objects.create(study=annotator.study, role="annotator", pseudonym="new")
    assert Assignment.objects.free_for(other).filter(hit__in=aside).exists()


def test_restored_work_counts_as_before(annotator):
    place = submitted_place(annotator)
    submitted_at = place.submitted_at
    counted = set(Annotation.objects.current().filter(assignment=place).values_list("pk", flat=True))
    aside = set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="A mistake", actor=OPERATOR)
    restore_work(aside=aside, actor=OPERATOR)
    place.refresh_from_db()
    assert (place.annotator, place.state, place.submitted_at) == (annotator, AssignmentState.SUBMITTED, submitted_at)
    assert set(Annotation.objects.current().filter(assignment=place).values_list("pk", flat=True)) == counted


def test_work_is_not_restored_over_somebody_else(annotator):
    place = submitted_place(annotator)
    aside = set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="No", actor=OPERATOR)
    other = Member.objects.create(study=annotator.study, role="annotator", pseudonym="new")
    Assignment.objects.filter(pk=place.pk).update(annotator=other, state=AssignmentState.CLAIMED)
    with pytest.raises(ConflictError, match="Somebody else has this task"):
        restore_work(aside=aside, actor=OPERATOR)
    assert SetAside.objects.get(pk=aside.pk).restored_at is None


def rename_a_choice(study):
    """Give the study a version of its scheme in which a choice has another key."""
    definition = preset("ebr") | {"examples": []}
    completeness = next(each for each in definition["aspects"] if each["key"] == "completeness")
    completeness["scale"]["choices"][0]["key"] = "full"
    migrate_scheme(study=study, definition=definition, renamings=["completeness.complete = full"], actor=OPERATOR)
    study.refresh_from_db()


def test_work_of_an_earlier_version_of_the_scheme_counts_no_more_again(annotator):
    study = annotator.study
    place = submitted_place(annotator)
    aside = set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="No", actor=OPERATOR)
    rename_a_choice(study)
    with pytest.raises(ConflictError, match="questions have changed since this work was set aside"):
        restore_work(aside=aside, actor=OPERATOR)
    aside.refresh_from_db()
    place.refresh_from_db()
    assert (aside.restored_at, place.state, place.annotator) == (None, AssignmentState.OPEN, None)
    assert not Annotation.objects.current().exclude(scheme_version=study.scheme_version_id).exists()


def test_who_is_readmitted_under_another_version_brings_back_nothing_that_figures_cannot_read(annotator):
    study = annotator.study
    exclude_member(member=annotator, because="Haste", actor=OPERATOR)
    rename_a_choice(study)
    assert readmit_member(member=annotator, actor=OPERATOR) == 0
    assert annotator.excluded_at is None
    for batch in study.batches.all():
        close_batch(batch=batch, because="by R", actor=OPERATOR)
    assert take_snapshot(study=study, resamples=2).figures["scheme"] == str(study.scheme_version)


def test_what_was_migrated_before_it_was_set_aside_counts_again(annotator):
    rename_a_choice(annotator.study)
    place = submitted_place(annotator)
    counted = set(Annotation.objects.current().filter(assignment=place).values_list("pk", flat=True))
    aside = set_aside(assignment=place, kind=SetAside.Kind.REJECTED, because="A mistake", actor=OPERATOR)
    restore_work(aside=aside, actor=OPERATOR)
    assert set(Annotation.objects.current().filter(assignment=place).values_list("pk", flat=True)) == counted != set()


def test_who_is_excluded_loses_nothing_and_counts_no_more(annotator):
    others = Annotation.objects.current().exclude(annotator=annotator).count()
    work = places(annotator.study).filter(annotator=annotator, state=AssignmentState.SUBMITTED).count()
    assert exclude_member(member=annotator, because="Two of three checks wrong", actor=OPERATOR) == work > 0
    assert not Annotation.objects.current().filter(annotator=annotator).exists()
    assert Annotation.objects.filter(annotator=annotator).exists()
    assert Annotation.objects.current().count() == others
    with pytest.raises((NotEligibleError, NothingToClaimError), match="Two of three checks wrong"):
        claim_assignment(annotator=annotator, actor=OPERATOR)
    assert readmit_member(member=annotator, actor=OPERATOR) == work
    assert Annotation.objects.current().filter(annotator=annotator).exists()


def test_excluded_with_their_work_kept(annotator):
    counted = Annotation.objects.current().count()
    assert exclude_member(member=annotator, because="Left", keep_work=True, actor=OPERATOR) == 0
    assert Annotation.objects.current().count() == counted


@pytest.mark.parametrize("because", ["", "  \n ", "x" * 501])
def test_a_reason_that_can_be_read_is_needed(annotator, because):
    with pytest.raises(InvalidInputError):
        exclude_member(member=annotator, because=because, actor=OPERATOR)
    annotator.refresh_from_db()
    assert annotator.excluded_at is None
