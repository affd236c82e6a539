"""A study that runs: another name, overlap and time limit; archived, brought back, and deleted with all it has."""

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import save_draft, send_message
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Assignment, AssignmentState, Study
from annotation_platform.studies.services import (
    NothingToClaimError,
    OverlapChange,
    archive_study,
    change_overlap,
    change_time_limit,
    claim_assignment,
    close_batch,
    delete_study,
    finish_batch,
    open_batch,
    plan_batches,
    rename_study,
    restore_study,
    return_assignment,
)
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, open_study, study_with_judgments, submit

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


def widths(study: Study) -> list[int]:
    """How many places each HIT has, in the order of the study."""
    return [hit.assignments.count() for batch in study.batches.all() for hit in batch.hits.all()]


def two_hits(**settings: Any) -> Study:
    corpus = make_corpus(articles=2, questions=1, systems=("alder",))
    return open_study(corpus=corpus, **{"overlap": 2, **settings})


def test_a_study_gets_another_name_and_keeps_its_address() -> None:
    study, other = make_study(), make_study()
    address = study.slug
    rename_study(study=study, name="  The  harbour ", actor=OPERATOR)
    assert (study.name, study.slug) == ("The harbour", address)
    for name in (" ", "x" * 201, other.name):
        with pytest.raises(InvalidInputError, match="name"):
            rename_study(study=study, name=name, actor=OPERATOR)
    assert study.name == "The harbour"


def test_a_higher_overlap_adds_places_to_open_batches_and_counts_for_drafts() -> None:
    study = make_study(corpus=make_corpus(articles=3, questions=1, systems=("alder",)), hits_per_batch=1)
    draft, opened, closed = plan_batches(study=study)
    for batch in (opened, closed):
        open_batch(batch=batch, actor=OPERATOR)
    close_batch(batch=closed, because="by R", actor=OPERATOR)
    assert change_overlap(study=study, overlap=4, actor=OPERATOR) == OverlapChange(added=2, removed=0, wider=0)
    assert widths(study) == [0, 4, 2]
    assert list(opened.hits.get().assignments.order_by("place").values_list("place", flat=True)) == [1, 2, 3, 4]
    open_batch(batch=draft, actor=OPERATOR)
    assert widths(study) == [4, 4, 2]
    assert change_overlap(study=study, overlap=4, actor=OPERATOR) == OverlapChange(0, 0, 0)


def test_a_lower_overlap_removes_only_places_that_nobody_has_taken_and_tells_how_many_stay_wider() -> None:
    study = two_hits(overlap=3)
    taken = [claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR) for _ in range(2)]
    assert {place.hit_id for place in taken} == {taken[0].hit_id}
    assert change_overlap(study=study, overlap=1, actor=OPERATOR) == OverlapChange(added=0, removed=3, wider=1)
    assert widths(study) == [2, 1]
    assert Assignment.objects.filter(pk__in=[place.pk for place in taken]).count() == 2
    assert change_overlap(study=study, overlap=3, actor=OPERATOR) == OverlapChange(added=3, removed=0, wider=0)
    assert widths(study) == [3, 3]


def test_a_free_place_with_a_past_is_not_removed() -> None:
    study = two_hits()
    annotator = MemberFactory(study=study)
    judged = claim_assignment(annotator=annotator, actor=OPERATOR)
    submit(judged, judged.hit.items.get())
    Assignment.objects.filter(pk=judged.pk).update(state=AssignmentState.CLAIMED, submitted_at=None)
    return_assignment(assignment=judged, annotator=annotator, actor=OPERATOR)
    change_overlap(study=study, overlap=1, actor=OPERATOR)
    assert Assignment.objects.filter(pk=judged.pk).exists()
    assert Annotation.objects.count() == 1
    assert widths(study) == [1, 1]


def test_a_batch_that_is_about_to_close_keeps_its_places() -> None:
    study = two_hits()
    claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    finish_batch(batch=study.batches.get(), because="by R", actor=OPERATOR)
    assert change_overlap(study=study, overlap=5, actor=OPERATOR) == OverlapChange(0, 0, 0)
    assert widths(study) == [2, 2]


@pytest.mark.parametrize("overlap", [0, 501])
def test_an_overlap_that_cannot_be_is_refused(overlap: int) -> None:
    study = two_hits()
    with pytest.raises(InvalidInputError, match="between 1 and 500"):
        change_overlap(study=study, overlap=overlap, actor=OPERATOR)
    assert widths(study) == [2, 2]


def test_a_new_time_limit_is_for_places_taken_from_now_on() -> None:
    study = two_hits()
    running = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    change_time_limit(study=study, minutes=5, actor=OPERATOR)
    before = running.lease_expires_at
    running.refresh_from_db()
    assert running.lease_expires_at == before
    later = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    assert later.lease_expires_at is not None
    assert later.lease_expires_at < timezone.now() + timedelta(minutes=6)
    with pytest.raises(InvalidInputError, match="between 1 and 10,000"):
        change_time_limit(study=study, minutes=0, actor=OPERATOR)


def test_nobody_gets_a_task_of_an_archived_study_until_it_is_brought_back() -> None:
    study = two_hits()
    first, second = MemberFactory(study=study), MemberFactory(study=study)
    held = claim_assignment(annotator=first, actor=OPERATOR)
    archive_study(study=study, actor=OPERATOR)
    with pytest.raises(NothingToClaimError):
        claim_assignment(annotator=second, actor=OPERATOR)
    assert claim_assignment(annotator=first, actor=OPERATOR) == held
    submit(held, held.hit.items.get())
    restore_study(study=study, actor=OPERATOR)
    assert claim_assignment(annotator=second, actor=OPERATOR)


def test_a_deleted_study_takes_all_that_hangs_on_it_and_nothing_else() -> None:
    kept = everything()
    before = {model: model._default_manager.count() for model in apps.get_models(include_auto_created=True)}
    doomed = everything()
    corpus = doomed.corpus
    assert Annotation.objects.count() == 2 * before[Annotation]
    with pytest.raises(InvalidInputError, match="not the study's name"):
        delete_study(study=doomed, typed_name=kept.name, actor=OPERATOR)
    delete_study(study=doomed, typed_name=doomed.name, actor=OPERATOR)
    assert not Study.objects.filter(pk=doomed.pk).exists()
    corpus.refresh_from_db()
    for model, count in before.items():
        if (
            model._meta.app_label in ("studies", "annotations", "analysis", "releases")
            and model.__name__ != "SchemeVersion"
        ):
            assert model._default_manager.count() == count, model
    assert kept.scoring_runs.count() == 1


def everything() -> Study:
    """A study with a closed and scored batch, figures, a draft and a message."""
    study = study_with_judgments(annotators=2)
    run = start_run(study=study, actor=OPERATOR)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    execute(RUNS, claimed)
    take_snapshot(study=study, resamples=2)
    place = Assignment.objects.filter(hit__batch__study=study).first()
    assert place is not None
    assert place.annotator is not None
    send_message(assignment=place, author=place.annotator, text="A word.", actor=OPERATOR)
    save_draft(annotator=place.annotator, item=place.hit.items.first(), values={"reasons": "x"}, seconds=1, version=0)
    return study
