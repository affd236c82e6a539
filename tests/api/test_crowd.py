"""A study's crowd by the API: threads, announcements, rounds, the monitor, pacing, reviews, adjudication, pay."""

from typing import Any

import pytest
from django.test import Client

from annotation_platform.accounts.models import Event
from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Message
from annotation_platform.annotations.services import send_message, send_message_about_study
from annotation_platform.crowd.monitor.measuring import measure
from annotation_platform.crowd.monitor.models import MonitorJob, Watch
from annotation_platform.crowd.pay.services import correct
from annotation_platform.crowd.review.services import appeal
from annotation_platform.studies.models import BatchState, Member, Role, Study
from annotation_platform.studies.services import close_batch, exclude_member, plan_batches, readmit_member
from tests.api.clients import program, send
from tests.crowd.pay.paying import agree
from tests.crowd.pieces import RECODED, recoded, submitted_places
from tests.crowd.rounds.pieces import WRONG, go_through, new_round
from tests.factories import OPERATOR, MemberFactory, judgment, make_corpus, make_study, study_with_judgments, submit
from tests.some import some
from workers.tasks import take_snapshot

pytestmark = pytest.mark.xdist_group("api-crowd")


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    return study_with_judgments(corpus=make_corpus(articles=2, questions=2), close=False)


@pytest.fixture(scope="module")
def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R")


@pytest.fixture
def client(db: None, researcher: Member) -> Client:
    return program(researcher.user)


def path(study: Study, *parts: Any) -> str:
    return "/".join(["/studies", study.slug, *map(str, parts)])


def results(client: Client, address: str) -> list[dict[str, Any]]:
    reply = send(client, "GET", address)
    assert reply.status_code == 200, reply.content
    found: list[dict[str, Any]] = reply.json()["results"]
    return found


def worker(study: Study, pseudonym: str = "A") -> Member:
    return study.members.get(pseudonym=pseudonym)


def test_threads_are_listed_read_answered_and_settled(client: Client, study: Study) -> None:
    a, b = worker(study), worker(study, "B")
    place = submitted_places(study, "A")[0]
    send_message(assignment=place, author=a, text="Sentence 4 is cut.", actor=OPERATOR)
    send_message_about_study(annotator=b, author=b, text="When is the pay?", actor=OPERATOR)
    listed = results(client, path(study, "threads"))
    assert [(each["pseudonym"], each["assignment"], each["waits"]) for each in listed] == [
        ("B", 0, 1),
        ("A", place.pk, 1),
    ]
    assert [each["pseudonym"] for each in results(client, path(study, "threads?about=task"))] == ["A"]
    assert [each["pseudonym"] for each in results(client, path(study, "threads?q=the+pay"))] == ["B"]
    first = send(client, "GET", path(study, "threads?limit=1")).json()
    assert client.get(first["next"]).json()["results"] == listed[1:]

    thread = path(study, "threads", a.pk, place.pk)
    reply = send(client, "POST", thread, {"text": "It is whole now."})
    assert (reply.status_code, reply.json()["author"]) == (201, "R")
    assert [each["text"] for each in results(client, thread)] == ["Sentence 4 is cut.", "It is whole now."]
    about_study = path(study, "threads", b.pk, 0)
    assert send(client, "POST", f"{about_study}/settle").status_code == 204
    assert results(client, path(study, "threads?only=waiting")) == []
    assert not Message.objects.filter(needs_answer=True).exists()
    elsewhere = send(client, "GET", path(study, "threads", b.pk, place.pk))
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "crowd.no_thread")
    assert send(client, "POST", about_study, {"text": " "}).status_code == 422


def test_an_announcement_is_made_seen_and_ended(client: Client, study: Study) -> None:
    made = send(client, "POST", path(study, "announcements"), {"text": "Batch 2 opens on Monday."})
    assert (made.status_code, made.json()["audience"], made.json()["author"]) == (201, "all", "R")
    ended = send(client, "POST", path(study, "announcements", made.json()["id"], "end")).json()
    assert ended["ended_at"]
    assert results(client, path(study, "announcements")) == [ended]
    nobody = send(client, "POST", path(study, "announcements"), {"text": "Hurry.", "audience": "at_work"})
    assert (nobody.status_code, nobody.json()["code"]) == (422, "crowd.nobody_at_work")


def test_what_is_announced_in_a_round_is_told_by_its_study(client: Client, study: Study) -> None:
    round_study = new_round(study).study
    made = send(client, "POST", path(round_study, "announcements"), {"text": "The round ends on Friday."})
    assert made.status_code == 201, made.content
    assert made.json() in results(client, path(study, "announcements"))
    assert made.json() in results(client, path(round_study, "announcements"))


def test_a_round_is_watched_decided_and_ended(client: Client, study: Study) -> None:
    round_ = new_round(study, is_reviewed=True)
    go_through(round_, worker(study), {1: WRONG, 2: WRONG})
    (told,) = results(client, path(study, "rounds"))
    assert (told["state"], told["keyed"], told["people"], told["waiting"]) == ("open", 2, 1, 1)
    (attempt,) = results(client, path(study, "rounds", round_.pk, "attempts"))
    assert (attempt["verdict"], attempt["rule_says"], attempt["matched"]) == ("pending", "failed", 0)
    decided = send(
        client, "POST", path(study, "attempts", attempt["id"], "decide"), {"verdict": "passed", "note": "Ok."}
    )
    assert (decided.json()["verdict"], decided.json()["note"]) == ("passed", "Ok.")
    assert send(client, "POST", path(study, "rounds", round_.pk, "end")).json()["state"] == "ended"
    assert send(client, "POST", path(study, "rounds", round_.pk, "end")).status_code == 409
    assert (
        send(client, "POST", path(study, "attempts", attempt["id"], "decide"), {"verdict": "pending"}).status_code
        == 422
    )


def test_the_monitor_tells_figures_with_their_n_and_asks_for_a_measurement(client: Client, study: Study) -> None:
    assert not Watch.objects.filter(study=study).exists()
    results(client, path(study, "annotators"))
    assert MonitorJob.objects.active().exists(), "the first look has it measured"
    measure(study)
    rows = results(client, path(study, "annotators"))
    assert [each["pseudonym"] for each in rows] == ["A", "B", "C"]
    assert rows[0]["done"] == len(submitted_places(study, "A"))
    assert 0 <= rows[0]["agreement"] <= 1
    assert rows[0]["agreement_n"] > 0
    assert Watch.objects.get(study=study).watched_at is not None
    assert results(client, path(study, "annotators?only=work")) == []
    assert send(client, "GET", path(study, "annotators?only=all")).json()["code"] == "api.choice_wrong"


def test_work_is_reviewed_and_an_appeal_answered(client: Client, study: Study) -> None:
    waiting = results(client, path(study, "reviews"))
    mine = results(client, path(study, f"reviews?annotator={worker(study).pk}"))
    assert mine == [each for each in waiting if each["pseudonym"] == "A"] != []
    one, other = (path(study, "reviews", each["assignment"], each["annotator"]) for each in mine[:2])
    answer = {"accept": True, "because": "You are right."}
    assert send(client, "POST", f"{one}/appeal", answer).json()["code"] == "crowd.no_appeal", "it waits for a verdict"
    assert send(client, "POST", f"{one}/approve").json()["state"] == "approved"
    assert send(client, "POST", f"{one}/reject", {"because": "No."}).json()["code"] == "crowd.reviewed_already"
    rejected = send(client, "POST", f"{other}/reject", {"because": "It copies the answer."}).json()
    assert (rejected["state"], rejected["because"]) == ("rejected", "It copies the answer.")
    assert send(client, "POST", f"{other}/approve").json()["code"] == "crowd.nothing_to_review"
    appeal(review=worker(study).reviews.get(verdict="rejected"), words="It does not.", actor=OPERATOR)
    (appealed,) = results(client, path(study, "reviews?state=appealed"))
    assert appealed["appeal"] == "It does not."
    answered = send(client, "POST", f"{other}/appeal", {"accept": True, "because": "You are right."}).json()
    assert (answered["state"], answered["appeal_note"]) == ("approved", "You are right.")
    assert answered["counts_again"] is True
    assert send(client, "GET", path(study, "reviews?annotator=0")).status_code == 404


def test_nothing_is_decided_that_was_changed_after_it_was_seen(client: Client, study: Study) -> None:
    (one, other, *_) = results(client, path(study, f"reviews?annotator={worker(study).pk}"))
    address = path(study, "reviews", one["assignment"], one["annotator"])
    place = worker(study).assignments.get(pk=one["assignment"])
    submit(place, place.hit.items.get(position=1), correct="no")
    for verdict, body in {"approve": {}, "reject": {"because": "No."}}.items():
        refused = send(client, "POST", f"{address}/{verdict}", {**body, "seen": one["judged_at"]})
        assert (refused.status_code, refused.json()["code"]) == (409, "crowd.work_changed_since")
    assert not worker(study).reviews.exists()
    now = results(client, path(study, f"reviews?annotator={worker(study).pk}"))[0]
    assert now["judged_at"] > one["judged_at"]
    approved = send(client, "POST", f"{address}/approve", {"seen": now["judged_at"]}).json()
    assert (approved["state"], approved["judged_at"]) == ("approved", now["judged_at"])
    address = path(study, "reviews", other["assignment"], other["annotator"])
    rejected = send(client, "POST", f"{address}/reject", {"because": "No.", "seen": other["judged_at"]}).json()
    assert (rejected["state"], rejected["judged_at"]) == ("rejected", None)


def test_a_rejection_tells_whether_somebody_else_gets_the_task(client: Client, study: Study) -> None:
    for is_open, row in zip((True, False), results(client, path(study, "reviews")), strict=False):
        address = path(study, "reviews", row["assignment"], row["annotator"])
        assert send(client, "POST", f"{address}/reject", {"because": "No."}).json()["place_is_open"] is is_open
        for batch in study.batches.filter(state=BatchState.OPEN):
            close_batch(batch=batch, because="enough", actor=OPERATOR)


def test_an_accepted_appeal_tells_whether_the_work_stays_aside(client: Client, study: Study) -> None:
    (one, *_) = results(client, path(study, f"reviews?annotator={worker(study).pk}"))
    address = path(study, "reviews", one["assignment"], one["annotator"])
    send(client, "POST", f"{address}/reject", {"because": "It copies the answer."})
    appeal(review=worker(study).reviews.get(), words="It does not.", actor=OPERATOR)
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    answered = send(client, "POST", f"{address}/appeal", {"accept": True, "because": "You are right."}).json()
    assert (answered["state"], answered["counts_again"]) == ("approved", False)


def test_work_that_stays_aside_is_listed_and_approved(client: Client, study: Study) -> None:
    mine = results(client, path(study, f"reviews?annotator={worker(study).pk}"))
    assert results(client, path(study, "reviews?state=aside")) == []
    exclude_member(member=worker(study), because="Not read", actor=OPERATOR)
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    assert results(client, path(study, "reviews?state=aside")) == [], "who is excluded gets nothing approved"
    readmit_member(member=worker(study), actor=OPERATOR)
    aside = results(client, path(study, "reviews?state=aside"))
    assert sorted(aside, key=str) == sorted(({**each, "judged_at": None} for each in mine), key=str) != []
    address = path(study, "reviews", aside[0]["assignment"], aside[0]["annotator"])
    assert send(client, "POST", f"{address}/approve").json()["state"] == "approved"
    assert results(client, path(study, f"reviews?state=aside&annotator={worker(study).pk}")) == aside[1:]


def test_items_far_apart_are_decided(client: Client, study: Study) -> None:
    for batch in some(study.batches.all()):
        assert send(client, "POST", path(study, "batches", batch.number, "close"), {"when": "now"}).status_code == 200
    take_snapshot(study, actor=OPERATOR)
    index_items(study=study)
    apart = results(client, path(study, "items-apart?aspect=completeness"))
    assert apart
    assert all(0 <= each["disagreement"] <= 1 for each in apart)
    item = apart[0]["item"]
    signature = study.scheme_version.signature
    decided = {"values": judgment(), "scheme_signature": signature, "note": "As sentence 1 says."}
    made = send(client, "PUT", path(study, "items", item, "adjudication"), decided)
    assert (made.status_code, made.json()["adjudicator"]) == (200, "R")
    assert results(client, path(study, "adjudications")) == [made.json()]
    left = results(client, path(study, "items-apart?aspect=completeness"))
    assert [each["item"] for each in left] == [each["item"] for each in apart[1:]]
    wrong = send(
        client, "PUT", path(study, "items", item, "adjudication"), decided | {"values": {"correct": "perhaps"}}
    )
    assert wrong.status_code == 422
    assert {each["field"] for each in wrong.json()["errors"]} >= {"correct"}
    stale = send(client, "PUT", path(study, "items", item, "adjudication"), decided | {"scheme_signature": "0"})
    assert stale.status_code == 409


def test_decisions_under_an_earlier_version_of_the_scheme_are_listed_no_more(
    client: Client, study: Study, researcher: Member
) -> None:
    item, signature = study.items.all()[0], study.scheme_version.signature
    decided = {"values": judgment(), "scheme_signature": signature}
    assert send(client, "PUT", path(study, "items", item.pk, "adjudication"), decided).status_code == 200
    assert [each["item"] for each in results(client, path(study, "adjudications"))] == [item.pk]
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    assert results(client, path(study, "adjudications")) == []
    left = send(client, "GET", path(study, "items", item.pk, "adjudication")).json()
    assert (left["own"], left["others_count"]) == (None, 0)


def test_pay_is_read_with_every_entry(client: Client, study: Study) -> None:
    nothing = send(client, "GET", path(study, "pay")).json()
    assert (nothing["terms"], nothing["budget"], nothing["accounts"]) == (None, None, [])
    agree(study, budget=100_000)
    a, b = worker(study), worker(study, "B")
    for member, amount in ((a, 250), (a, -50), (b, 5)):
        correct(member=member, amount=amount, reason="As agreed.", actor=OPERATOR)
    told = send(client, "GET", path(study, "pay")).json()
    assert (told["terms"]["reward"], told["budget"]["limit"], told["budget"]["spent"]) == ("2.00", "1000.00", "2.05")
    assert [(each["pseudonym"], each["owed"]) for each in told["accounts"]] == [("A", "2.00"), ("B", "0.05")]
    entries = results(client, path(study, f"pay/entries?annotator={a.pk}"))
    assert [(each["kind"], each["amount"]) for each in entries] == [("correction", "2.50"), ("correction", "-0.50")]
    assert len(results(client, path(study, "pay/entries"))) == 3


def test_pacing_is_read_changed_by_its_etag_and_overruled(db: None) -> None:
    study = make_study(corpus=make_corpus(articles=2))
    plan_batches(study=study)
    client = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    read = send(client, "GET", path(study, "pacing"))
    assert (read.json()["is_on"], read.json()["last_release"]) == (False, 0)
    change = {"every_hours": 48, "limits": {"agreement.completeness": 0.6}}
    assert send(client, "PATCH", path(study, "pacing"), change).status_code == 428
    changed = send(client, "PATCH", path(study, "pacing"), change, **{"if-match": read["ETag"]}).json()
    assert changed["every_hours"] == 48
    gate = next(each for each in changed["gates"] if each["figure"] == "agreement.completeness")
    assert (gate["limit"], gate["value"], gate["holds_back"]) == (0.6, None, False)
    assert send(client, "PATCH", path(study, "pacing"), change, **{"if-match": read["ETag"]}).status_code == 412
    unknown = send(client, "PATCH", path(study, "pacing"), {"limits": {"luck": 1}}, **{"if-match": "*"})
    assert unknown.json()["code"] == "api.choice_wrong"
    released = send(client, "POST", path(study, "pacing", "release"), {"because": "A talk.", "after": 0}).json()
    assert released["last_release"] == 1
    assert study.batches.filter(state=BatchState.OPEN).count() == 1
    again = send(client, "POST", path(study, "pacing", "release"), {"because": "A talk.", "after": 0})
    assert (again.status_code, again.json()["code"]) in [
        (409, "crowd.released_meanwhile"),
        (422, "crowd.nothing_to_release"),
    ]
    assert Event.objects.filter(verb="batch.released", study=study.pk).count() == 1
