"""Events: one row for what was done, in the transaction that did it, never changed afterwards."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.transaction import TransactionManagementError
from django.test import RequestFactory

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import differences, forget_person, record
from annotation_platform.accounts.models import Event, User
from annotation_platform.accounts.verbs import Verb
from tests.factories import UserFactory

MORNING = datetime(2026, 5, 4, 7, 30, tzinfo=UTC)


def _record(actor: Actor, subject: User, **details: object) -> Event:
    record(actor, Verb.ACCOUNT_CREATED, subject, **details)  # type: ignore[arg-type]
    event = Event.objects.last()
    assert event is not None
    return event


@pytest.mark.django_db
def test_an_event_says_who_did_what_on_what_from_where_with_what_change() -> None:
    person = UserFactory()

    event = _record(
        Actor.person(person.pk, address="192.0.2.7"),
        person,
        change={"budget": (Decimal("1.50"), None), "deadline_at": (None, MORNING)},
    )

    event.refresh_from_db()
    assert (event.actor_kind, event.user, event.address) == ("person", person, "192.0.2.7")
    assert (event.verb, event.topic) == ("account.created", "account")
    assert (event.subject_type, event.subject_id) == ("accounts.user", person.pk)
    assert event.change == {"budget": ["1.50", None], "deadline_at": [None, "2026-05-04T07:30:00Z"]}


@pytest.mark.django_db
def test_an_event_is_never_changed_or_deleted() -> None:
    event = _record(Actor.operator("add_member"), UserFactory())

    with pytest.raises(TypeError, match="never changed"):
        event.save()
    with pytest.raises(TypeError, match="never deleted"):
        event.delete()


@pytest.mark.django_db(transaction=True)
def test_nothing_is_recorded_outside_the_transaction_that_does_it() -> None:
    person = UserFactory()

    with pytest.raises(TransactionManagementError, match="outside the transaction"):
        record(Actor.operator("add_member"), Verb.ACCOUNT_CREATED, person)

    with transaction.atomic():
        record(Actor.operator("add_member"), Verb.ACCOUNT_CREATED, person)
        transaction.set_rollback(True)
    assert not Event.objects.exists()


@pytest.mark.django_db
def test_a_forgotten_person_is_known_by_the_pseudonym_alone() -> None:
    person, another = UserFactory(), UserFactory()
    for each in (person, another):
        _record(Actor.person(each.pk, address="192.0.2.7"), person)

    forget_person(person.pk)

    kept = list(Event.objects.order_by("pk").values_list("user", "address"))
    assert kept == [(None, None), (another.pk, "192.0.2.7")]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("192.0.2.7", "192.0.2.7"), ("fe80::1%eth0", "fe80::1"), ("", None), ("/run/web.sock", None)],
)
def test_pages_take_the_actor_from_the_request(sent: str, kept: str | None) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=sent)
    request.user = AnonymousUser()

    assert Actor.of_request(request) == Actor.person(None, address=kept)


@pytest.mark.parametrize(
    ("proxies", "told", "kept"),
    [
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "198.51.100.9, 203.0.113.7", "203.0.113.7"),  # the first one is what the client says of itself
        (2, "203.0.113.7, 10.0.0.3", "203.0.113.7"),
        (2, "203.0.113.7", "10.0.0.2"),  # it came past the outer proxy
        (1, "[2001:db8::7]:4711", "2001:db8::7"),
        (1, "203.0.113.7:4711", "203.0.113.7"),
        (1, "unknown", "10.0.0.2"),
        (1, "", "10.0.0.2"),
        (0, "203.0.113.7", "10.0.0.2"),  # there is no proxy, so the client wrote it
    ],
)
def test_behind_a_proxy_the_address_is_the_clients(proxies: int, told: str, kept: str, settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.2", headers={"X-Forwarded-For": told})
    request.user = AnonymousUser()

    assert Actor.of_request(request).address == kept


def test_a_worker_says_which_job_and_for_whom() -> None:
    actor = Actor.worker("export", 12, on_behalf_of=7)

    assert (actor.via, actor.user_id, actor.is_person) == ("export 12", 7, False)


def test_only_what_differs_is_a_change() -> None:
    assert differences({"overlap": 2, "pay": ""}, {"overlap": 3, "pay": ""}) == {"overlap": (2, 3)}
