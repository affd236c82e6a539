"""Prolific by the API: connecting without telling secrets, submissions and decisions, orders, studies, polling."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.api.models import KeptReply
from annotation_platform.crowd.providers.prolific import calls, polling
from annotation_platform.crowd.providers.prolific.models import BonusLine, ProlificStudy, ProviderCall
from annotation_platform.crowd.providers.vault.secrets import decrypt
from annotation_platform.studies.models import Role, Study
from tests.api.clients import program, send
from tests.crowd.providers.participants import as_export, there
from tests.crowd.providers.pieces import EXTERNAL_STUDY, connected, submission
from tests.factories import MemberFactory, make_study
from tests.servers.prolific import TOKEN, ProlificServer

pytestmark = pytest.mark.django_db
ANY = {"if-match": "*"}
MESSAGE = "You chose the same answer for every question, also where the text clearly says something else. " * 2
OFFER = {"name": "Owls", "description": "About owls.", "places": 6, "reward": "4.50", "minutes": 20}


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return make_study(name="Owls")


@pytest.fixture
def client(study: Study) -> Client:
    return program(MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R").user)


@pytest.fixture
def visits(study: Study, server: ProlificServer) -> list[str]:
    """The addresses of three submissions, which Prolific knows."""
    connection = connected(study)
    found = []
    for number in (1, 2, 3):
        one = submission(connection, number)
        server.add(one.external_id, EXTERNAL_STUDY, one.member.pseudonym)
        found.append(f"/studies/{study.slug}/prolific/submissions/{one.pk}")
    return found


def test_a_study_is_connected_and_its_secrets_are_told_to_nobody(client: Client, study: Study) -> None:
    where = f"/studies/{study.slug}/prolific"
    read = send(client, "GET", where)
    assert (read.json()["is_connected"], read.json()["address"], read.json()["tasks_wanted"]) == (False, None, 1)
    assert send(client, "POST", f"{where}/poll").json()["code"] == "crowd.prolific_not_connected"
    assert send(client, "PATCH", where, {"token": TOKEN}, **ANY).json()["code"] == "crowd.code_missing"
    assert send(client, "PATCH", where, {"code_done": "C1"}).status_code == 428
    settings = {"code_done": "C1", "code_no_consent": "C2", "token": TOKEN, "hook_secret": "hush-hush"}
    made = send(client, "PATCH", where, settings, **{"if-match": read["ETag"]})
    told = made.json()
    assert (told["is_connected"], told["code_done"], told["has_token"], told["has_hook_secret"]) == (
        True,
        "C1",
        True,
        True,
    )
    assert "PROLIFIC_PID" in told["address"]
    again = send(client, "GET", where)
    for reply in (made, again):
        assert TOKEN not in reply.content.decode()
        assert "hush-hush" not in reply.content.decode()
    assert not any(TOKEN in str(each.change) for each in Event.objects.all())
    changed = send(client, "PATCH", where, {"tasks_wanted": 3}, **{"if-match": again["ETag"]})
    assert (changed.json()["tasks_wanted"], changed.json()["code_done"]) == (3, "C1"), "what is left out stays"
    assert decrypt(ProlificStudy.objects.get().encrypted_token) == TOKEN
    other = send(client, "PATCH", where, {"token": "another"}, **{"if-match": changed["ETag"]})
    assert other["ETag"] != changed["ETag"], "another token is another version"
    assert send(client, "PATCH", where, {"is_open": False}, **{"if-match": changed["ETag"]}).status_code == 412
    wrong = send(client, "PATCH", where, {"external_studies": ["no"]}, **ANY)
    assert wrong.json()["code"] == "crowd.external_study_wrong"


def test_submissions_are_approved_and_rejected_once(client: Client, visits: list[str], server: ProlificServer) -> None:
    first, second, _ = visits
    listed = send(client, "GET", first.rpartition("/")[0]).json()["results"]
    assert [each["external_id"] for each in listed] == ["session03", "session02", "session01"]
    ordered = send(client, "POST", f"{first}/approve")
    assert (ordered.status_code, ordered.json()["kind"], ordered.json()["state"]) == (202, "approve", "intended")
    twice = send(client, "POST", f"{first}/approve")
    assert (twice.status_code, twice.json()["code"]) == (409, "crowd.submission_decided")
    short = send(client, "POST", f"{second}/reject", {"category": "LOW_EFFORT", "message": "Bad."})
    assert [each["field"] for each in short.json()["errors"]] == ["message"]
    strange = send(client, "POST", f"{second}/reject", {"category": "UGLY", "message": MESSAGE})
    assert [each["field"] for each in strange.json()["errors"]] == ["category"]
    assert send(client, "POST", f"{second}/reject", {"category": "LOW_EFFORT", "message": MESSAGE}).status_code == 202
    calls.make_calls()
    assert send(client, "GET", first).json()["state"] == "APPROVED"
    assert send(client, "GET", second).json()["state"] == "REJECTED"
    rejected = send(client, "GET", f"{first.rpartition('/')[0]}?state=REJECTED").json()["results"]
    assert [each["external_id"] for each in rejected] == ["session02"]
    assert server.count("transition") == 2


def test_a_bonus_is_paid_once_for_one_key(client: Client, visits: list[str], server: ProlificServer) -> None:
    where = f"{visits[0]}/bonus"
    for _ in range(3):
        reply = send(client, "POST", where, {"amount": "1.50"}, **{"idempotency-key": "b1"})
        assert reply.status_code == 202
        calls.make_calls()
    assert server.paid == [("session01", 150)]
    assert send(client, "POST", where, {"amount": "2.50"}, **{"idempotency-key": "b1"}).json()["code"] == "api.key_used"
    assert [each["field"] for each in send(client, "POST", where, {"amount": "0"}).json()["errors"]] == ["amount"]
    order = send(client, "GET", f"{visits[0].partition('/submissions')[0]}/orders/{reply.json()['id']}").json()
    assert (order["state"], order["bonuses"][0]["amount"], order["total_there"]) == ("confirmed", "1.50", "2.10")
    assert send(client, "GET", visits[0]).json()["bonus_here"] == "1.50"


def test_a_request_that_died_pays_nothing_when_it_is_sent_again(
    client: Client, visits: list[str], server: ProlificServer
) -> None:
    send(client, "POST", f"{visits[0]}/bonus", {"amount": "1.50"}, **{"idempotency-key": "b2"})
    KeptReply.objects.update(status=None)  # as when the process ends before it has told anybody
    again = send(client, "POST", f"{visits[0]}/bonus", {"amount": "1.50"}, **{"idempotency-key": "b2"})
    assert (again.status_code, again.json()["code"]) == (409, "api.key_died")
    assert ProviderCall.objects.count() == 1


@pytest.mark.parametrize("orders_a_bonus", [True, False])
def test_an_order_whose_answer_cannot_be_read_is_not_given(
    client: Client, study: Study, visits: list[str], orders_a_bonus: bool
) -> None:
    studies = f"/studies/{study.slug}/prolific/studies"
    where, body = (f"{visits[0]}/bonus", {"amount": "1.50"}) if orders_a_bonus else (studies, OFFER)

    def cut(execute: Any, sql: str, *args: Any) -> Any:
        """The connection to the database is lost while the lines of the order are read."""
        if sql.startswith("SELECT") and f'FROM "{BonusLine._meta.db_table}"' in sql:
            raise OperationalError("the connection is lost")
        return execute(sql, *args)

    with connection.execute_wrapper(cut):
        failed = send(client, "POST", where, body, **{"idempotency-key": "c1"})
    assert failed.status_code >= 500
    assert not ProviderCall.objects.exists()
    assert send(client, "POST", where, body, **{"idempotency-key": "c1"}).status_code == 202
    assert ProviderCall.objects.count() == 1


def test_an_unclear_order_waits_for_a_person(client: Client, visits: list[str], server: ProlificServer) -> None:
    base = visits[0].partition("/submissions")[0]
    server.moods.append(("pay/", "cut"))
    send(client, "POST", f"{visits[0]}/bonus", {"amount": "1.50"})
    calls.make_calls()
    assert send(client, "GET", base).json()["unclear"] == 1
    (order,) = send(client, "GET", f"{base}/orders?state=unclear").json()["results"]
    assert send(client, "POST", f"{base}/orders/{order['id']}/again").json()["code"] == "crowd.call_not_refused"
    assert send(client, "POST", f"{base}/orders/{order['id']}/settle").status_code == 422, "was it done or not?"
    settled = send(client, "POST", f"{base}/orders/{order['id']}/settle", {"was_done": True}).json()
    assert settled["state"] == "was done"
    calls.make_calls()
    assert len(server.paid) == 1
    server.moods.append(("transition", "refuses"))
    refused = send(client, "POST", f"{visits[1]}/approve").json()
    calls.make_calls()
    told = send(client, "GET", f"{base}/orders/{refused['id']}").json()
    assert told["state"] == "refused"
    assert "Prolific refuses" in told["error"]
    assert send(client, "POST", f"{base}/orders/{refused['id']}/again").status_code == 202
    calls.make_calls()
    assert send(client, "GET", visits[1]).json()["state"] == "APPROVED"


def test_a_study_is_made_there_and_published_once(client: Client, study: Study, server: ProlificServer) -> None:
    base = f"/studies/{study.slug}/prolific"
    assert send(client, "POST", f"{base}/studies", OFFER).json()["code"] == "crowd.prolific_not_connected"
    connected(study)
    made = send(client, "POST", f"{base}/studies", OFFER)
    assert (made.status_code, made.json()["offer"]["reward"]) == (202, "4.50")
    order = f"{base}/orders/{made.json()['id']}"
    assert send(client, "POST", f"{order}/publish").json()["code"] == "crowd.no_draft_there"
    calls.make_calls()
    (draft,) = server.studies.values()
    assert (draft["reward"], draft["total_available_places"], draft["status"]) == (450, 6, "UNPUBLISHED")
    assert send(client, "POST", f"{order}/publish").status_code == 202
    assert send(client, "POST", f"{order}/publish").json()["code"] == "crowd.published_already"
    calls.make_calls()
    assert draft["status"] == "ACTIVE"


def test_prolific_is_asked_at_once_how_submissions_stand(
    client: Client, study: Study, visits: list[str], server: ProlificServer
) -> None:
    ProlificStudy.objects.update(asked_at=timezone.now())
    server.submissions["session01"]["status"] = "RETURNED"
    polling.ask_all()
    assert not server.count("GET /submissions"), "not so soon after the last time"
    asked = send(client, "POST", f"/studies/{study.slug}/prolific/poll")
    assert (asked.status_code, asked.json()["asked_at"]) == (202, None)
    polling.ask_all()
    assert send(client, "GET", visits[0]).json()["state"] == "RETURNED"
    assert send(client, "GET", f"/studies/{study.slug}/prolific").json()["asked_at"] is not None
    ProlificStudy.objects.update(encrypted_token="")
    assert send(client, "POST", f"/studies/{study.slug}/prolific/poll").json()["code"] == "crowd.prolific_no_token"


def test_participants_are_compared_and_kept_by_choice(client: Client, study: Study) -> None:
    where = f"/studies/{study.slug}/prolific"
    assert send(client, "GET", f"{where}/participants-files").json()["code"] == "crowd.prolific_not_connected"
    one = submission(connected(study))
    large = client.post(f"/api/v1{where}/participants-files", {"file": SimpleUploadedFile("a.csv", b" " * 5_000_001)})
    assert (large.status_code, large.json()["code"]) == (422, "crowd.participants_too_large")
    upload = SimpleUploadedFile("prolific_export_x.csv", as_export(there(1), there(9), there(2, status="LOST")))
    made = client.post(f"/api/v1{where}/participants-files", {"file": upload})
    file = f"{where}/participants-files/{made.json()['id']}"
    assert (made.status_code, made.json()["rows"], made.json()["is_stored"]) == (201, 2, False)
    told = send(client, "GET", f"{file}/comparison").json()
    assert (told["found"], told["differing"], told["mistake_count"], told["absent"]) == (1, 2, 1, [])
    assert told["mistakes"] == ["Line 4: Status “LOST” is no state of a submission."]
    first = told["rows"][0]
    assert (first["pseudonym"], first["there"], first["here"], first["done"]) == (
        one.member.pseudonym,
        "AWAITING REVIEW",
        "ACTIVE",
        0,
    )
    assert first["findings"] == ["Nothing was submitted here.", "It stands otherwise here."]
    refused = send(client, "POST", f"{file}/store", {"columns": ["Age"]})
    assert (refused.status_code, refused.json()["code"]) == (422, "crowd.participants_not_agreed")
    body = {"columns": ["Age"], "agreed": True, "takes_states": True}
    for _ in range(2):
        stored = send(client, "POST", f"{file}/store", body)
        assert (stored.json()["columns"], stored.json()["people"], stored.json()["states"]) == (["Age"], 1, 1)
    (kept,) = send(client, "GET", f"{where}/participants").json()["results"]
    assert (kept["pseudonym"], kept["values"], kept["missing"]) == (one.member.pseudonym, {"Age": "25"}, {})
    assert send(client, "GET", f"{file}/comparison").json()["code"] == "crowd.participants_stored"
    assert send(client, "DELETE", f"{where}/participants").json() == {"people": 1}
    assert send(client, "GET", f"{where}/participants").json()["results"] == []
