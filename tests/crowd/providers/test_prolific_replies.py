"""Replies of Prolific that have no end, or are not what its documentation promises: over a real socket."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from annotation_platform.crowd.providers.prolific import calls, client, polling
from annotation_platform.crowd.providers.prolific.client import NotSentError, ProlificClient, RefusalError, UnclearError
from annotation_platform.crowd.providers.prolific.models import ProlificStudy, ProviderCall, Submission
from annotation_platform.crowd.providers.prolific.offering import Offer, make_offer
from annotation_platform.crowd.providers.prolific.orders import approve, pay_bonuses
from annotation_platform.crowd.providers.prolific.signing import arrival_of
from annotation_platform.crowd.providers.prolific.visits import VisitError
from tests.crowd.providers.pieces import EXTERNAL_STUDY, connected, submission
from tests.factories import OPERATOR, make_study
from tests.servers.prolific import KEYS_PATH, TOKEN, ProlificServer

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
State = ProviderCall.State
NO_OBJECTS = ("null", "[]", "7", '"done"', "NaN", "<html>", "[" * 100_000)


@pytest.fixture
def server(settings: Any) -> Iterator[ProlificServer]:
    with ProlificServer() as server:
        settings.PROLIFIC_API_URL = server.url
        yield server


@pytest.fixture
def prolific(server: ProlificServer) -> ProlificStudy:
    return connected(make_study(name="Owls"))


@pytest.fixture
def one(prolific: ProlificStudy, server: ProlificServer) -> Submission:
    one = submission(prolific)
    server.add(one.external_id, EXTERNAL_STUDY, "5f0000000000000000000001")
    return one


@pytest.mark.parametrize("mood", ["silent", "drips", "drips_body"])
def test_a_request_ends_when_its_time_is_over_however_slowly_letters_come(server: ProlificServer, mood: str) -> None:
    server.moods.append(("GET", mood))
    begun = time.monotonic()
    with pytest.raises(UnclearError) as late:
        ProlificClient(TOKEN, whole_seconds=0.5).ask("GET", "/submissions/", study=EXTERNAL_STUDY)
    assert time.monotonic() - begun < 2
    assert late.value.reason.code == "crowd.prolific_no_reply"
    assert "within" in str(late.value)


def test_who_is_not_reached_was_told_nothing(settings: Any) -> None:
    settings.PROLIFIC_API_URL = "http://127.0.0.1:9/api/v1"
    with pytest.raises(NotSentError, match="cannot be reached"):
        ProlificClient(TOKEN).ask("GET", "/submissions/")


def test_a_reply_without_an_end_is_left(server: ProlificServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LARGEST_REPLY", 100)
    server.moods.append(("GET", "says " + '{"results": "' + "x" * 100 + '"}'))
    with pytest.raises(UnclearError, match="longer than 100 bytes"):
        ProlificClient(TOKEN).ask("GET", "/submissions/", study=EXTERNAL_STUDY)


@pytest.mark.parametrize("words", NO_OBJECTS)
def test_a_reply_that_is_no_object_is_an_error_for_people(
    server: ProlificServer, prolific: ProlificStudy, one: Submission, words: str
) -> None:
    server.moods.append(("GET /submissions/", f"says {words}"))
    polling.ask(prolific)
    assert prolific.ask_error.code == "crowd.prolific_other_reply"
    assert "cannot read" in str(prolific.ask_error)


@pytest.mark.parametrize(
    "words", ["{}", '{"results": null}', '{"results": 3}', '{"results": ["a"]}', '{"results": {"id": 1}}']
)
def test_a_list_of_submissions_that_is_none_is_an_error_for_people(
    server: ProlificServer, prolific: ProlificStudy, one: Submission, words: str
) -> None:
    server.moods.append(("GET /submissions/", f"says {words}"))
    polling.ask(prolific)
    assert prolific.ask_error.code == "crowd.prolific_other_reply"


@pytest.mark.parametrize(
    "bonuses", ["[1e400]", "[1e30]", "[-5]", '["a"]', "[true]", "7", "null", "[99999999999999999999]"]
)
@pytest.mark.parametrize("links", ["null", "[]", '{"next": 5}', '{"next": null}'])
def test_odd_figures_and_links_change_no_ledger(
    server: ProlificServer, prolific: ProlificStudy, one: Submission, bonuses: str, links: str
) -> None:
    told = f'{{"id": "{one.external_id}", "status": "APPROVED", "bonus_payments": {bonuses}}}'
    odd = '{"id": "a\\u0000b", "status": "APPROVED"}, {"id": ["x"], "status": {"a": 1}}'
    server.moods.append(("GET /submissions/", f'says {{"results": [{told}, {odd}], "_links": {links}}}'))
    polling.ask(prolific)
    one.refresh_from_db()
    assert (prolific.ask_error, one.state, one.bonus_there) == ("", "APPROVED", 0)


def test_every_page_of_the_list_is_read_and_one_without_an_end_is_told(
    server: ProlificServer, prolific: ProlificStudy, one: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.page_size = 1
    other = submission(prolific, 2)
    server.add(other.external_id, EXTERNAL_STUDY, "5f0000000000000000000002", status="APPROVED")
    polling.ask(prolific)
    other.refresh_from_db()
    assert (other.state, prolific.ask_error, server.count("GET /submissions/")) == ("APPROVED", "", 2)
    monkeypatch.setattr(polling, "MOST_PAGES", 1)
    polling.ask(prolific)
    assert prolific.ask_error.code == "crowd.prolific_endless_list"


@pytest.mark.parametrize("words", ["null", "[]", "Accepted"])
def test_what_was_done_by_its_status_is_done_whatever_else_is_said(
    server: ProlificServer, one: Submission, words: str
) -> None:
    approved = approve(submission=one, actor=OPERATOR)
    (paid,) = pay_bonuses(connection=one.connection, lines=[(one, 150)], actor=OPERATOR)
    server.moods.extend([("transition", f"says {words}"), ("pay/$", f"says {words}")])
    calls.make_calls()
    assert {ProviderCall.objects.get(pk=call.pk).state for call in (approved, paid)} == {State.CONFIRMED}
    assert server.paid == [(one.external_id, 150)]


@pytest.mark.parametrize("words", ["null", "[1]", "7"])
def test_a_set_up_that_cannot_be_read_moves_no_money(server: ProlificServer, one: Submission, words: str) -> None:
    (call,) = pay_bonuses(connection=one.connection, lines=[(one, 150)], actor=OPERATOR)
    server.moods.append(("bonus-payments/$", f"says {words}"))
    calls.make_calls()
    call.refresh_from_db()
    assert (call.state, call.error.code, server.paid) == (State.INTENDED, "crowd.prolific_other_reply", [])


@pytest.mark.parametrize("key", ["null", "[7]", '"a/../b"', '"' + "a" * 65 + '"', '"\\ud800"'])
def test_a_set_up_without_a_name_moves_no_money(server: ProlificServer, one: Submission, key: str) -> None:
    (call,) = pay_bonuses(connection=one.connection, lines=[(one, 150)], actor=OPERATOR)
    server.moods.append(("bonus-payments/$", f'says {{"id": {key}, "total_amount": 200}}'))
    calls.make_calls()
    call.refresh_from_db()
    assert (call.state, call.error.code, server.paid) == (State.REFUSED, "crowd.bonus_misunderstood", [])


@pytest.mark.parametrize("words", ["null", "[]", '{"id": 7}', '{"id": "\\ud800"}'])
def test_a_draft_without_a_name_is_for_a_person_to_settle(
    server: ProlificServer, prolific: ProlificStudy, words: str
) -> None:
    offer = Offer("Owls", "Read about owls.", places=2, reward=100, minutes=5)
    call = make_offer(connection=prolific, offer=offer, arriving="https://example.org/join", actor=OPERATOR)
    server.moods.append(("POST /studies/$", f"says {words}"))
    calls.make_calls()
    call.refresh_from_db()
    assert (call.state, call.error.code) == (State.UNCLEAR, "crowd.prolific_other_reply")


def test_words_of_a_refusal_are_kept_whatever_is_in_them(server: ProlificServer, one: Submission) -> None:
    call = approve(submission=one, actor=OPERATOR)
    server.words_of_refusal = "\x00no"
    server.moods.append(("transition", "refuses"))
    calls.make_calls()
    call.refresh_from_db()
    assert (call.state, call.error.code) == (State.REFUSED, "crowd.prolific_refuses")


@pytest.mark.parametrize("words", ["null", "[]", '{"keys": 5}', '{"keys": null}'])
def test_keys_that_are_none_let_nobody_in_and_break_nothing(server: ProlificServer, words: str) -> None:
    connection = connected(make_study(name="Jays"), checks_signature=True)
    told = {"PROLIFIC_PID": "5f0000000000000000000001", "STUDY_ID": EXTERNAL_STUDY, "SESSION_ID": "session01"}
    server.moods.append((KEYS_PATH, f"says {words}"))
    with pytest.raises(VisitError) as refused:
        arrival_of(connection, {"prolific_token": server.sign(told)}, host="testserver")
    assert refused.value.reason.code == "crowd.arrival_unchecked"


@pytest.mark.parametrize(
    ("detail", "shown"),
    [("It is over.", "(400): Bad bonus: It is over."), (["over"], '"detail": ["over"]'), ("\ud800", "Bad bonus: ?")],
)
def test_a_refusal_is_told_in_prolifics_words(server: ProlificServer, detail: Any, shown: str) -> None:
    server.words_of_refusal = detail
    server.moods.append(("GET", "refuses"))
    with pytest.raises(RefusalError) as refused:
        ProlificClient(TOKEN).ask("GET", "/submissions/", study=EXTERNAL_STUDY)
    assert shown in str(refused.value)
