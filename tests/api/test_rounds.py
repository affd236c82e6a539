"""Rounds of qualification by the API: made, ordered, with accepted answers, changed, and decided."""

from typing import Any

import pytest
from django.test import Client

from annotation_platform.accounts.models import Event
from annotation_platform.crowd.rounds.models import Round
from annotation_platform.studies.models import Member, Role, Study
from tests.api.clients import program, send
from tests.crowd.rounds.pieces import WRONG, go_through
from tests.factories import MemberFactory, make_corpus, make_study, open_study

pytestmark = pytest.mark.django_db
KEY = {"correct": ["yes"], "completeness": "complete"}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(name="Owls")


@pytest.fixture
def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R")


@pytest.fixture
def client(researcher: Member) -> Client:
    return program(researcher.user)


def made(client: Client, study: Study, **settings: Any) -> dict[str, Any]:
    body = {"title": "Round 1", "corpus": study.corpus_id, "least_percent": 75, **settings}
    reply = send(client, "POST", f"/studies/{study.slug}/rounds", body)
    assert reply.status_code == 201, reply.content
    told: dict[str, Any] = reply.json()
    return told


def test_from_a_corpus_to_verdicts(client: Client, study: Study) -> None:
    round_ = made(client, study)
    assert (round_["state"], round_["keyed"], round_["rule"]) == ("draft", 0, "share")
    here = f"/studies/{study.slug}/rounds/{round_['id']}"
    assert send(client, "POST", f"{here}/open").json()["code"] == "crowd.round_without_key"
    items = send(client, "GET", f"{here}/items").json()["results"]
    assert [each["number"] for each in items] == list(range(1, round_["items"] + 1))
    assert items[0]["accepted"] == {}
    one = send(client, "PUT", f"{here}/items/1/accepted", {"accepted": KEY, "explanation": "It says so."}).json()
    assert (one["accepted"], one["explanation"]) == ({"correct": ["yes"], "completeness": ["complete"]}, "It says so.")
    rest = [{"number": each["number"], "accepted": KEY} for each in items[1:]]
    stored = send(client, "POST", f"{here}/items", {"items": rest}).json()["results"]
    assert all(each["accepted"] for each in stored)
    assert stored[0]["explanation"] == "It says so.", "what is not named stays"
    assert send(client, "POST", f"{here}/open").json()["state"] == "open"
    annotator = MemberFactory(study=study, pseudonym="A")
    own = Round.objects.get(pk=round_["id"])
    tasks = own.study.batches.get().hits.count()
    go_through(own, annotator, *[{1: WRONG, 2: WRONG, 3: WRONG, 4: WRONG}] * tasks)
    (attempt,) = send(client, "GET", f"{here}/attempts").json()["results"]
    assert (attempt["verdict"], attempt["matched"]) == ("failed", 0)
    read = send(client, "GET", f"/studies/{study.slug}/attempts/{attempt['id']}").json()
    assert {line["matches"] for each in read["items"] for line in each["lines"] if line["accepted"]} == {False}
    item = read["items"][0]["item"]
    said = {"verdict": "passed", "note": "After all.", "item_notes": {str(item): "Read sentence 2."}}
    decided = send(client, "POST", f"/studies/{study.slug}/attempts/{attempt['id']}/decide", said)
    assert decided.json()["verdict"] == "passed"
    again = send(client, "GET", f"/studies/{study.slug}/attempts/{attempt['id']}").json()
    assert again["items"][0]["note"] == "Read sentence 2."


def test_what_is_accepted_is_checked_aspect_by_aspect_and_item_by_item(client: Client, study: Study) -> None:
    here = f"/studies/{study.slug}/rounds/{made(client, study)['id']}/items"
    refused = send(client, "PUT", f"{here}/1/accepted", {"accepted": {"correct": "perhaps", "beauty": "much"}})
    assert (refused.status_code, refused.json()["code"]) == (422, "api.accepted_wrong")
    assert {each["field"] for each in refused.json()["errors"]} == {"accepted.correct", "accepted.beauty"}
    rows = [
        {"number": 1, "accepted": KEY},
        {"number": 2, "accepted": {"correct": "perhaps"}},
        {"number": 999, "accepted": {}},
    ]
    refused = send(client, "POST", here, {"items": rows})
    assert [each["code"] for each in refused.json()["errors"]] == ["crowd.key_mistake", "crowd.key_no_item"]
    twice = send(client, "POST", here, {"items": rows[:1] * 2})
    assert [each["code"] for each in twice.json()["errors"]] == ["crowd.key_item_twice"]
    assert all(each["accepted"] == {} for each in send(client, "GET", here).json()["results"]), "nothing was stored"
    assert send(client, "PUT", f"{here}/999/accepted", {"accepted": KEY}).json()["code"] == "crowd.no_round_item"


def test_settings_are_changed_by_their_etag_and_rounds_change_places(client: Client, study: Study) -> None:
    first, second = made(client, study), made(client, study, title="Round 2")
    here = f"/studies/{study.slug}/rounds/{second['id']}"
    tag = send(client, "GET", here)["ETag"]
    assert send(client, "PATCH", here, {"valid_days": 30}).status_code == 428
    changed = send(client, "PATCH", here, {"valid_days": 30, "is_reviewed": True}, **{"if-match": tag}).json()
    assert (changed["valid_days"], changed["is_reviewed"], changed["title"]) == (30, True, "Round 2")
    assert send(client, "PATCH", here, {"valid_days": 31}, **{"if-match": tag}).status_code == 412
    wrong = send(client, "PATCH", here, {"rule": "best"}, **{"if-match": "*"})
    assert wrong.json()["code"] == "crowd.round_best_wrong"
    send(client, "POST", f"{here}/up")
    listed = send(client, "GET", f"/studies/{study.slug}/rounds").json()["results"]
    assert [each["id"] for each in listed] == [second["id"], first["id"]]


def test_one_thing_is_named_and_a_study_is_adopted_by_who_administers_it(
    client: Client, study: Study, researcher: Member
) -> None:
    where = f"/studies/{study.slug}/rounds"
    for both in ({}, {"corpus": study.corpus_id, "existing": "finches"}):
        assert send(client, "POST", where, {"title": "X", **both}).json()["code"] == "api.round_of_one_thing"
    assert send(client, "POST", where, {"title": "X", "corpus": 2**62}).json()["code"] == "api.no_corpus"
    hidden = make_corpus(articles=1)
    assert send(client, "POST", where, {"title": "X", "corpus": hidden.pk}).json()["code"] == "api.no_corpus"
    finches = make_study(name="Finches")
    asked = {"title": "Finches first", "existing": finches.slug}
    MemberFactory(study=finches, user=researcher.user, role=Role.RESEARCHER)
    assert send(client, "POST", where, asked).json()["code"] == "api.no_study_to_adopt"
    Member.objects.filter(study=finches).update(role=Role.ADMIN)
    assert send(program(researcher.user, "manage"), "POST", where, asked).json()["code"] == "api.scope_missing"
    assert send(client, "POST", where, asked).json()["study"] == finches.slug


def test_the_same_request_makes_one_round(client: Client, study: Study) -> None:
    body = {"title": "Once", "corpus": study.corpus_id}
    replies = [
        send(client, "POST", f"/studies/{study.slug}/rounds", body, **{"idempotency-key": "r1"}) for _ in range(2)
    ]
    assert replies[0].content == replies[1].content
    assert Round.objects.count() == 1


def test_people_are_passed_by_hand_all_or_none_and_proposals_confirmed(client: Client, study: Study) -> None:
    round_ = made(client, study, is_reviewed=True)
    here = f"/studies/{study.slug}/rounds/{round_['id']}"
    count = round_["items"]
    send(client, "POST", f"{here}/items", {"items": [{"number": n, "accepted": KEY} for n in range(1, count + 1)]})
    send(client, "POST", f"{here}/open")
    a, b, c = (MemberFactory(study=study, pseudonym=name) for name in "ABC")
    other = MemberFactory(study=make_study(name="Others"))
    picked = {"annotators": [a.pk, other.pk], "verdict": "passed"}
    assert send(client, "POST", f"{here}/by-hand", picked).json()["code"] == "studies.no_member"
    assert send(client, "GET", here).json()["passed"] == 0
    picked = {"annotators": [a.pk, b.pk], "verdict": "passed", "note": "Known."}
    decided = send(client, "POST", f"{here}/by-hand", picked).json()["results"]
    assert [(each["pseudonym"], each["number"], each["note"]) for each in decided] == [
        ("A", 0, "Known."),
        ("B", 0, "Known."),
    ]
    own = Round.objects.get(pk=round_["id"])
    go_through(own, c, *[{}] * own.study.batches.get().hits.count())
    assert send(client, "GET", here).json()["waiting"] == 1
    confirmed = send(client, "POST", f"{here}/confirm").json()
    assert (confirmed["waiting"], confirmed["passed"]) == (0, 3)
    assert Event.objects.filter(verb="round.decided").count() == 3
    barred = send(client, "POST", f"{here}/by-hand", {"annotators": [c.pk], "verdict": "failed"}).json()["results"]
    assert [(each["number"], each["verdict"]) for each in barred] == [(0, "failed")], "not the attempt of before"


def test_annotators_read_nothing_of_it(study: Study, client: Client) -> None:
    annotator = program(MemberFactory(study=study, pseudonym="A").user)
    here = f"/studies/{study.slug}/rounds/{made(client, study)['id']}"
    for address in (here, f"{here}/items", f"{here}/attempts"):
        assert send(annotator, "GET", address).status_code == 404
