"""A page loaded ahead of its time: it changes nothing, and shows the task as it will be."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation_platform.annotations.models import Draft
from annotation_platform.annotations.services import send_message
from annotation_platform.annotations.threads import unread_by_annotator
from annotation_platform.studies.models import Role, Study
from tests.annotations.desk import Desk
from tests.factories import OPERATOR, MemberFactory

pytestmark = pytest.mark.pages

AHEAD = {"X-Preload": "1"}


def test_a_page_names_what_comes_after_it(desk: Desk) -> None:
    assert f'data-preload="{desk.url(position=2)}?after=1"' in desk.client.get(desk.url()).content.decode()
    for position in (2, 3):
        desk.submit(position)
    assert 'data-preload=""' in desk.client.get(desk.url()).content.decode()


def test_loading_ahead_renews_no_lease_and_begins_no_draft(desk: Desk) -> None:
    expired_at = timezone.now() - timedelta(minutes=1)
    desk.assignment.lease_expires_at = expired_at
    desk.assignment.save()
    assert desk.client.get(f"{desk.url(position=2)}?after=1", headers=AHEAD).status_code == 200
    desk.assignment.refresh_from_db()
    assert desk.assignment.lease_expires_at == expired_at
    assert not Draft.objects.exists()
    desk.client.get(desk.url(position=2))
    desk.assignment.refresh_from_db()
    assert desk.assignment.lease_expires_at > timezone.now()


def test_only_a_page_loaded_ahead_is_kept_by_the_browser(desk: Desk) -> None:
    ahead = desk.client.get(f"{desk.url(position=2)}?after=1", headers=AHEAD)
    assert "no-store" not in ahead["Cache-Control"]
    assert "private" in ahead["Cache-Control"]
    assert "max-age=300" in ahead["Cache-Control"]
    assert "Cookie" in ahead["Vary"], "not for somebody else at the same browser"
    assert "no-store" in desk.client.get(f"{desk.url(position=2)}?after=1")["Cache-Control"]


def test_it_shows_the_question_before_it_as_judged(desk: Desk) -> None:
    ahead = desk.client.get(f"{desk.url(position=2)}?after=1", headers=AHEAD).content.decode()
    assert ahead.count('class="is-judged"') == 1
    assert 'class="is-judged"' not in desk.client.get(desk.url(position=2)).content.decode()


def test_an_answer_is_read_on_the_page_that_is_looked_at(desk: Desk, study: Study) -> None:
    send_message(
        assignment=desk.assignment,
        annotator=desk.annotator,
        item=desk.items[1],
        author=MemberFactory(study=study, role=Role.RESEARCHER),
        text="Mind sentence 2.",
        actor=OPERATOR,
    )
    user = desk.annotator.user
    ahead = desk.client.get(f"{desk.url(position=2)}?after=1", headers=AHEAD)
    assert unread_by_annotator(user).count() == 1
    assert "no-store" in ahead["Cache-Control"], "it is asked for again once somebody looks at it"
    desk.client.get(f"{desk.url(position=2)}?after=1")
    assert not unread_by_annotator(user).exists()
    ahead = desk.client.get(f"{desk.url(position=2)}?after=1", headers=AHEAD)
    assert "max-age=300" in ahead["Cache-Control"]
