"""A session opens the platform to whom it belongs, as long as it has not ended."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation_platform.server.sessions import SessionStore
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.storage]


def signed_in(email: str) -> Client:
    client = Client()
    client.force_login(UserFactory(email=email))
    return client


def test_each_session_is_that_of_its_own_user() -> None:
    one, other = signed_in("one@example.org"), signed_in("other@example.org")
    for client, email in ((one, "one@example.org"), (other, "other@example.org"), (one, "one@example.org")):
        assert client.get("/").wsgi_request.user.email == email


def test_a_session_that_has_ended_opens_nothing_and_another_can_be_begun() -> None:
    client = signed_in("one@example.org")
    ended = client.session.session_key
    Session.objects.filter(session_key=ended).update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not client.get("/").wsgi_request.user.is_authenticated
    again = SessionStore(ended)
    again["left"] = "something"
    again.save()
    assert again.session_key != ended
    assert SessionStore(again.session_key)["left"] == "something"


@pytest.mark.parametrize("key", ["", "short", "x" * 32, "'; --", "x" * 31 + "\0"])
def test_a_key_of_no_session_opens_nothing(key: str) -> None:
    signed_in("one@example.org")
    client = Client()
    client.cookies["sessionid"] = key
    assert not client.get("/").wsgi_request.user.is_authenticated


def test_a_session_is_one_question_whose_sql_is_made_once() -> None:
    key = signed_in("one@example.org").session.session_key
    SessionStore(key).load()
    with CaptureQueriesContext(connection) as captured:
        assert SessionStore(key)["_auth_user_id"]
    assert len(captured) == 1
