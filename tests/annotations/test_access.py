"""Who must not enter which of the annotator's pages."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.studies.models import Assignment, Role, Study
from tests.annotations.desk import FORM, Desk, client_of, sit_down
from tests.factories import MemberFactory, UserFactory

pytestmark = pytest.mark.pages

PAGES = [("instructions", None), ("judge", 1), ("done", None), ("messages", None)]
POSTS = [("judge", 1), ("draft", 1), ("messages", None)]


@pytest.mark.parametrize(("name", "position"), PAGES)
def test_visitors_must_sign_in(desk: Desk, name: str, position: int | None) -> None:
    url = desk.url(name, position)
    response = Client().get(url)
    assert response.status_code == 302
    assert response["Location"] == f"{reverse('account_login')}?next={url}"


@pytest.mark.parametrize(("name", "position"), POSTS)
def test_visitors_send_nothing(desk: Desk, name: str, position: int | None) -> None:
    assert Client().post(desk.url(name, position), FORM).status_code == 302


def test_visitors_have_no_work(db: None) -> None:
    assert Client().get(reverse("work")).status_code == 302
    assert Client().post(reverse("take", args=["any"])).status_code == 302


@pytest.mark.parametrize(("name", "position"), PAGES)
def test_another_annotators_place_is_not_there(desk: Desk, study: Study, name: str, position: int | None) -> None:
    other = sit_down(study)
    assert other.assignment != desk.assignment
    assert other.client.get(desk.url(name, position)).status_code == 404


@pytest.mark.parametrize(("name", "position"), POSTS)
def test_another_annotator_writes_nothing_into_a_place(
    desk: Desk, study: Study, name: str, position: int | None
) -> None:
    other = sit_down(study)
    response = other.client.post(desk.url(name, position), FORM | other.hidden() | {"text": "Hello"})
    assert response.status_code == 404
    assert not desk.assignment.annotations.exists()
    assert not other.annotator.drafts.exists()
    assert not desk.assignment.messages.exists()


def test_drafts_in_ones_own_place_do_not_open_a_neighbours(desk: Desk, study: Study) -> None:
    other = sit_down(study)
    assert other.assignment.hit == desk.assignment.hit
    other.client.post(other.url("draft"), FORM | other.hidden())
    assert other.annotator.drafts.exists()
    assert other.client.get(desk.url()).status_code == 404


@pytest.mark.parametrize(("name", "position"), [("instructions", None), ("judge", 1), ("done", None)])
@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_researchers_do_not_sit_at_an_annotators_desk(
    desk: Desk, study: Study, role: Role, name: str, position: int | None
) -> None:
    researcher = client_of(MemberFactory(study=study, role=role))
    assert researcher.get(desk.url(name, position)).status_code == 404


def test_strangers_read_no_messages(desk: Desk) -> None:
    stranger = Client()
    stranger.force_login(UserFactory(), backend="allauth.account.auth_backends.AuthenticationBackend")
    assert stranger.get(desk.url("messages", None)).status_code == 404


def test_researchers_of_another_study_read_no_messages(desk: Desk) -> None:
    other = client_of(MemberFactory(role=Role.RESEARCHER))
    assert other.get(desk.url("messages", None)).status_code == 404


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_only_annotators_take_tasks(study: Study, role: Role) -> None:
    researcher = client_of(MemberFactory(study=study, role=role))
    assert researcher.post(reverse("take", args=[study.slug])).status_code == 404
    assert not Assignment.objects.filter(annotator__isnull=False).exists()


def test_nobody_takes_tasks_of_a_study_they_are_not_in(study: Study) -> None:
    other = client_of(MemberFactory())
    assert other.post(reverse("take", args=[study.slug])).status_code == 404


def test_work_lists_only_ones_own(desk: Desk, study: Study) -> None:
    other = MemberFactory()
    page = client_of(other).get(reverse("work")).content.decode()
    assert study.name not in page
    assert f"/assignments/{desk.assignment.pk}/" not in page


def test_a_question_that_the_task_has_not_is_not_there(desk: Desk) -> None:
    assert desk.client.get(desk.url(position=9)).status_code == 404
    assert desk.client.post(desk.url("draft", 9), FORM | desk.hidden()).status_code == 404
