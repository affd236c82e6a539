"""More time for a task, as annotators add it themselves."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.studies.models import Assignment, Study
from annotation_platform.studies.services import (
    change_study,
    close_batch,
    finish_batch,
    lease_assignment,
    lengthen_lease,
    set_extensions,
)
from tests.annotations.desk import Desk, client_of, sit_down
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study
from tests.markup import markup

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
HTMX = {"HX-Request": "true"}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(corpus=make_corpus(questions=2), questions_per_hit=2, overlap=1)


@pytest.fixture
def desk(study: Study) -> Desk:
    return sit_down(study)


def place_of(desk: Desk) -> Assignment:
    return Assignment.objects.select_related("hit__batch__study").get(pk=desk.assignment.pk)


def ask(desk: Desk, extensions: int = 0, **headers: str) -> str:
    sent = {"extensions": extensions, "position": 2, "holder": desk.hidden()["holder"]}
    response = desk.client.post(desk.url("more_time", None), sent, headers=headers or None)
    assert response.status_code in (200, 302)
    return response.url if response.status_code == 302 else markup(response)


def test_half_of_the_time_limit_is_added_once(desk: Desk) -> None:
    before = place_of(desk).lease_expires_at
    assert "I need more time: 30 minutes more" in markup(desk.client.get(desk.url()))
    assert ask(desk) == desk.url(position=2)
    assert place_of(desk).lease_expires_at == before + timedelta(minutes=30)
    assert Event.objects.get(verb="task.extended").change.keys() == {"lease_expires_at"}
    page = markup(desk.client.get(desk.url()))
    assert "I need more time" not in page


def test_asked_twice_at_once_it_is_added_once_and_a_second_time_is_refused(desk: Desk) -> None:
    ask(desk)
    until = place_of(desk).lease_expires_at
    assert "alert" not in ask(desk, **HTMX)  # the same form once more
    assert "can be extended 1 time" in ask(desk, extensions=1, **HTMX)
    assert place_of(desk).lease_expires_at == until


def test_the_answer_tells_the_page_the_new_end(desk: Desk) -> None:
    answer = ask(desk, **HTMX)
    assert f'data-expires="{place_of(desk).lease_expires_at:%Y-%m-%dT%H:%M}' in answer


def test_as_often_and_by_as_much_as_the_study_says(desk: Desk, study: Study) -> None:
    set_extensions(study=study, most=2, percent=10, actor=OPERATOR)
    before = place_of(desk).lease_expires_at
    for extensions in range(2):
        ask(desk, extensions)
    assert place_of(desk).lease_expires_at == before + timedelta(minutes=12)
    set_extensions(study=study, most=0, percent=10, actor=OPERATOR)
    other = sit_down(study)
    assert "I need more time" not in markup(other.client.get(other.url()))


def test_whose_time_is_up_has_it_from_now_on_as_long_as_nobody_else_took_the_place(desk: Desk, study: Study) -> None:
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=timezone.now() - timedelta(hours=2))
    ask(desk)
    assert timezone.now() + timedelta(minutes=29) < place_of(desk).lease_expires_at
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=timezone.now() - timedelta(hours=2))
    assert lease_assignment(place=place_of(desk), annotator=MemberFactory(study=study))
    until = place_of(desk).lease_expires_at
    ask(desk, extensions=0)
    assert place_of(desk).lease_expires_at == until


def test_who_takes_the_place_has_all_extensions_again(desk: Desk, study: Study) -> None:
    ask(desk)
    Assignment.objects.filter(pk=desk.assignment.pk).update(lease_expires_at=timezone.now() - timedelta(hours=2))
    assert lease_assignment(place=place_of(desk), annotator=MemberFactory(study=study))
    assert place_of(desk).extensions == 0


@pytest.mark.parametrize("end", [close_batch, finish_batch])
def test_none_is_added_in_a_batch_that_ends(desk: Desk, end: object) -> None:
    end(batch=place_of(desk).hit.batch, because="enough", actor=OPERATOR)  # type: ignore[operator]
    with pytest.raises(ConflictError):
        lengthen_lease(assignment=place_of(desk), annotator=desk.annotator, extensions=0, actor=OPERATOR)


def test_nobody_adds_time_for_another(desk: Desk, study: Study) -> None:
    stranger = MemberFactory(study=study)
    response = client_of(stranger).post(desk.url("more_time", None), {"extensions": 0})
    assert response.status_code == 404
    assert place_of(desk).extensions == 0


def test_impossible_extensions_are_refused(study: Study) -> None:
    for most, percent in ((-1, 50), (101, 50), (1, 0), (1, 501)):
        with pytest.raises(InvalidInputError):
            set_extensions(study=study, most=most, percent=percent, actor=OPERATOR)


def test_a_short_limit_adds_a_minute_at_least(desk: Desk, study: Study) -> None:
    change_study(study=study, time_limit_minutes=1, actor=OPERATOR)
    before = place_of(desk).lease_expires_at
    ask(desk)
    assert place_of(desk).lease_expires_at == before + timedelta(minutes=1)
