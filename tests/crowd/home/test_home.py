"""The annotator's home: what is open, what it pays and takes, what was set aside, what lies idle."""

import pytest
from django.urls import reverse

from annotation_platform.crowd.review.services import approve, reject
from annotation_platform.crowd.rounds.services import begin_attempt, end_round
from annotation_platform.studies.models import AssignmentState, Member, SetAside, Study
from annotation_platform.studies.services import return_assignment, set_aside
from tests.annotations.desk import FORM, Desk, client_of, sit_down
from tests.crowd.rounds.pieces import acts, judge, new_round
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study

pytestmark = pytest.mark.pages


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    corpus = make_corpus(articles=2, questions=3, sentences=8)
    return open_study(corpus=corpus, overlap=3, pay="2 € for each task", task_minutes=7)


@pytest.fixture
def desk(study: Study) -> Desk:
    return sit_down(study)


def home(who: Member) -> str:
    return client_of(who).get(reverse("work")).content.decode()


def test_it_says_what_a_task_pays_and_takes(study: Study) -> None:
    page = home(MemberFactory(study=study))
    assert "2 € for each task" in page
    assert "Takes about" in page
    assert "7 minutes" in page


def test_it_says_how_long_tasks_took_others_once_some_were_timed(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation_platform.studies.selectors.FEWEST_TIMED", 1)
    other = sit_down(study)
    for position in (1, 2, 3):
        other.submit(position, seconds="80")
    page = home(MemberFactory(study=study))
    assert "Took others" in page
    assert "4 minutes" in page


def test_work_that_was_set_aside_is_named_with_its_reason_and_nobody_elses(desk: Desk, study: Study) -> None:
    for position in (1, 2, 3):
        desk.submit(position)
    assert desk.assignment.pk
    desk.assignment.refresh_from_db()
    assert desk.assignment.state == AssignmentState.SUBMITTED
    set_aside(assignment=desk.assignment, kind=SetAside.Kind.REJECTED, because="Copied texts.", actor=OPERATOR)
    page = home(desk.annotator)
    assert "Counts no more" in page
    assert "Copied texts." in page
    assert desk.url("messages", None) in page
    assert "Copied texts." not in home(MemberFactory(study=study))


def test_what_was_done_anew_after_it_was_rejected_counts(study: Study) -> None:
    annotator, new = MemberFactory(study=study), new_round(study, articles=2)
    place = begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    judge(place, {})
    reject(assignment=place, because="Not read.", by=None, actor=OPERATOR)
    begin_attempt(round_=new, member=annotator, actor=acts(annotator))
    judge(place, {})
    approve(assignment=place, by=None, actor=OPERATOR)
    assert "Counts no more" not in home(annotator)


def test_what_was_typed_in_a_task_that_was_given_back_is_not_forgotten(desk: Desk) -> None:
    desk.client.post(desk.url("draft"), FORM | desk.hidden())
    assert "that you do not hold any more" not in home(desk.annotator)
    assert return_assignment(assignment=desk.assignment, annotator=desk.annotator, actor=OPERATOR)
    assert "What you typed in one task that you do not hold any more is kept" in home(desk.annotator)


def test_a_task_of_a_round_that_has_ended_is_no_work_under_way(study: Study) -> None:
    annotator: Member = MemberFactory(study=study)
    round_ = new_round(study)
    begin_attempt(round_=round_, member=annotator, actor=acts(annotator))
    assert ">Under way<" in home(annotator)
    end_round(round_=round_, actor=OPERATOR)
    page = home(annotator)
    assert ">Under way<" not in page
    assert page.index("Closed before it was finished") < page.index("The batch has closed.")


def test_studies_with_something_to_do_come_first(study: Study) -> None:
    finished = open_study(name="A closed one", corpus=make_corpus(articles=1))
    finished.batches.update(state="closed")
    annotator: Member = MemberFactory(study=study)
    MemberFactory(study=finished, user=annotator.user)
    page = home(annotator)
    assert page.index(study.name) < page.index("A closed one")


def test_somebody_without_a_study_sees_no_card(study: Study) -> None:
    researcher: Member = MemberFactory(study=study, role="researcher")
    assert "My messages" not in home(researcher)
