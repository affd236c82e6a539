"""Identifiers that Prolific signed: whose word counts at the door of a study that asks for it."""

from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from annotation_platform.crowd.providers.prolific import signing
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, Submission
from tests.crowd.providers.pieces import EXTERNAL_STUDY, PERSON, connected, identifiers
from tests.factories import open_study
from tests.markup import markup
from tests.servers.prolific import ProlificServer
from workers.kinds import CHORES

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
KEYS = r"GET .*jwks"


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    cache.clear()
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server
    cache.clear()


@pytest.fixture
def prolific() -> ProlificStudy:
    return connected(open_study(name="Owls"), checks_signature=True)


def look(prolific: ProlificStudy, token: str, **sent: str) -> Any:
    address = reverse("prolific_arriving", args=[prolific.address_token])
    return Client().get(address, {"prolific_token": token, **sent})


def ticket_of(page: Any) -> str:
    return str(page.context["ticket"])


def test_who_comes_with_a_signature_is_let_in_and_the_button_needs_no_token_any_more(
    server: ProlificServer, prolific: ProlificStudy
) -> None:
    page = look(prolific, server.sign(identifiers(), seconds=30))
    assert page.status_code == 200
    assert PERSON not in markup(page), "the identifiers stay signed"
    address = reverse("prolific_arriving", args=[prolific.address_token])
    assert Client().post(address, {"ticket": ticket_of(page)})["Location"] == reverse("work")
    one = Submission.objects.get()
    assert (one.external_id, one.external_study) == ("session01", EXTERNAL_STUDY)


def test_what_is_typed_beside_the_signature_counts_for_nothing(server: ProlificServer, prolific: ProlificStudy) -> None:
    page = look(prolific, server.sign(identifiers()), **identifiers(session="stolen99"))
    assert page.context["arrival"].session == "session01"


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("nothing", "lacks Prolific&#x27;s signature"),
        ("typed", "lacks Prolific&#x27;s signature"),
        ("words", "is not Prolific&#x27;s"),
        ("old", "The address is too old"),
        ("for another host", "is not Prolific&#x27;s"),
        ("changed", "is not Prolific&#x27;s"),
        ("no algorithm", "is not Prolific&#x27;s"),
        ("symmetric", "is not Prolific&#x27;s"),
        ("incomplete", "the address lacks SESSION_ID"),
    ],
)
def test_everybody_else_stays_outside(server: ProlificServer, prolific: ProlificStudy, what: str, said: str) -> None:
    good = server.sign(identifiers())
    head, _, mark = good.split(".")
    forged = jwt.decode(good, options={"verify_signature": False})
    tokens = {
        "nothing": "",
        "typed": "",
        "words": "not.a.token",
        "old": server.sign(identifiers(), seconds=-3600),
        "for another host": server.sign(identifiers(), audience="https://elsewhere.example"),
        "changed": ".".join([head, server.sign(identifiers(session="stolen99")).split(".")[1], mark]),
        "no algorithm": jwt.encode(forged, None, algorithm="none", headers={"kid": "first"}),
        "symmetric": jwt.encode(forged, "first" * 10, algorithm="HS256", headers={"kid": "first"}),
        "incomplete": server.sign({"PROLIFIC_PID": PERSON, "STUDY_ID": EXTERNAL_STUDY}),
    }
    page = look(prolific, tokens[what], **(identifiers() if what == "typed" else {}))
    assert page.status_code == 422
    assert said in markup(page)


def test_a_button_does_not_let_in_by_typed_identifiers_nor_by_another_studys_ticket(
    server: ProlificServer, prolific: ProlificStudy
) -> None:
    other = connected(open_study(name="Finches"), checks_signature=True)
    foreign = ticket_of(look(other, server.sign(identifiers())))
    address = reverse("prolific_arriving", args=[prolific.address_token])
    for sent in (identifiers(), {"ticket": foreign}, {"ticket": "x"}, {}):
        assert Client().post(address, sent).status_code == 422
    assert not Submission.objects.exists()


def test_a_ticket_ends(server: ProlificServer, prolific: ProlificStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = ticket_of(look(prolific, server.sign(identifiers())))
    monkeypatch.setattr(signing, "TICKET_SECONDS", -1)
    page = Client().post(reverse("prolific_arriving", args=[prolific.address_token]), {"ticket": ticket})
    assert "too old" in markup(page)


def test_keys_are_asked_for_once_and_again_when_prolific_has_new_ones(
    server: ProlificServer, prolific: ProlificStudy
) -> None:
    for _ in range(3):
        assert look(prolific, server.sign(identifiers())).status_code == 200
    assert server.count(KEYS) == 1
    server.change_key()
    assert look(prolific, server.sign(identifiers())).status_code == 200
    assert server.count(KEYS) == 2
    server.kid = "made up"
    for _ in range(3):
        assert look(prolific, server.sign(identifiers())).status_code == 422
    assert server.count(KEYS) == 2, "made-up keys do not have Prolific asked again and again"


def test_while_prolific_does_not_answer_people_are_asked_to_try_again(
    server: ProlificServer, prolific: ProlificStudy
) -> None:
    server.moods.append(("jwks", "broken"))
    for _ in range(2):
        page = look(prolific, server.sign(identifiers()))
        assert (page.status_code, "try again in a minute" in markup(page)) == (422, True)
    assert server.count(KEYS) == 1, "nobody else waits for it"
    cache.delete("crowd.prolific.silent")  # as after a while
    assert look(prolific, server.sign(identifiers())).status_code == 200


def test_nobody_waits_for_keys_that_a_worker_has_asked_for(
    server: ProlificServer, prolific: ProlificStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert signing.keep_keys_known in [chore.do for chore in CHORES]
    for _ in range(3):
        signing.keep_keys_known()
    assert server.count(KEYS) == 1
    assert look(prolific, server.sign(identifiers())).status_code == 200
    assert server.count(KEYS) == 1
    cache.delete(signing.FRESH)  # as after half a day
    server.moods.append(("jwks", "broken"))
    signing.keep_keys_known()
    assert look(prolific, server.sign(identifiers())).status_code == 200, "those that are known are good for a day"
    cache.delete("crowd.prolific.silent")
    signing.keep_keys_known()
    assert server.count(KEYS) == 3
    ProlificStudy.objects.update(checks_signature=False)
    cache.clear()
    signing.keep_keys_known()
    assert server.count(KEYS) == 3, "no study needs them"


def test_a_study_that_does_not_ask_for_it_goes_by_what_is_typed(server: ProlificServer) -> None:
    plain = connected(open_study(name="Finches"))
    page = Client().get(reverse("prolific_arriving", args=[plain.address_token]), identifiers())
    assert (page.status_code, page.context["ticket"]) == (200, "")
    assert server.count(KEYS) == 0
