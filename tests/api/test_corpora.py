"""Many rows at once: all of them or none, told by row and field; and the way from rows to judgments by programs."""

import json
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from annotation_platform.accounts.models import Event, User
from annotation_platform.annotations.models import Annotation
from annotation_platform.api.corpora import receiving
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Answer, Article, Corpus
from annotation_platform.crowd.checks.models import Check
from annotation_platform.studies.models import BatchState, Role, Study
from annotation_platform.studies.services import delete_study
from tests.api.clients import program, send
from tests.crowd.checks.pieces import add_some
from tests.factories import OPERATOR, MemberFactory, UserFactory, judgment, open_study

LINES = "application/x-ndjson"


def rows(count: int, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "article": "Owls hunt at night. They hear well.",
            "question": f"What about owl {n}?",
            "answer": f"Owl {n} hunts.",
            "system": "alder",
            **more,
        }
        for n in range(count)
    ]


def as_lines(entries: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, entries))


@pytest.fixture
def client(db: None) -> Client:
    return program(UserFactory(is_staff=True))


def store(client: Client, body: str, name: str = "Owls", content_type: str = LINES, **query: str) -> Any:
    return client.post("/api/v1/corpora", body, content_type=content_type, query_params={"name": name, **query})


@pytest.mark.parametrize("content_type", [LINES, "application/json", f"{LINES}; charset=utf-8"])
def test_rows_become_a_corpus(client: Client, content_type: str) -> None:
    body = json.dumps(rows(5)) if "x-ndjson" not in content_type else as_lines(rows(5))
    reply = store(client, body, content_type=content_type)
    assert reply.status_code == 201, reply.content
    told = reply.json()
    assert (told["name"], told["questions"], told["answers"]) == ("Owls", 5, 5)
    assert Answer.objects.filter(question__article__corpus=told["id"]).count() == 5
    assert send(client, "GET", f"/corpora/{told['id']}").json()["name"] == "Owls"


def test_rows_may_have_turns_in_place_of_question_and_answer(client: Client) -> None:
    said = ("What pulls at the sea?", "The moon.", "And what else?", "The sun.")
    turns = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
    reply = store(client, as_lines([{"turns": turns, "system": "alder", "article": "Owls hunt."}]))
    assert reply.status_code == 201, reply.content
    (answer,) = Answer.objects.filter(question__article__corpus=reply.json()["id"])
    assert (answer.text, answer.turns) == ("The sun.", None)
    assert [turn.text for turn in answer.question.talk] == [*said[:3]]
    assert answer.question.asked == "And what else?"


def test_columns_that_are_taken_for_nothing_are_named(client: Client) -> None:
    entries = [*rows(2), *[each | {"question": f"More? {each['question']}"} for each in rows(3, foo=1)]]
    assert store(client, as_lines(entries)).json()["warnings"] == [
        "Left out: 3 values of “foo”, a column that is taken for nothing."
    ]
    assert store(client, as_lines(rows(2)), name="Known").json()["warnings"] == []


def test_a_corpus_that_nothing_uses_is_deleted_by_who_stored_it(client: Client) -> None:
    owner = UserFactory(is_staff=True)
    pk = store(program(owner), as_lines(rows(3))).json()["id"]
    User.objects.filter(pk=owner.pk).update(is_staff=False)
    new = {"name": "Owls", "corpus": pk, "scheme": {"preset": "ebr"}}
    study = Study.objects.get(slug=send(client, "POST", "/studies", new).json()["slug"])
    reader = MemberFactory(study=study, role=Role.ADMIN).user
    address = f"/corpora/{pk}"
    for who, status, code in (
        (reader, 404, "studies.corpus_of_another"),
        (UserFactory(), 404, "api.no_corpus"),
        (owner, 409, "studies.corpus_used"),
    ):
        refused = send(program(who), "DELETE", address)
        assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert Corpus.objects.get(pk=pk).articles.exists()
    delete_study(study=study, typed_name="Owls", actor=OPERATOR)
    assert send(program(owner), "DELETE", address).status_code == 204
    assert not Corpus.every.exists()
    assert not Article.objects.exists()
    event = Event.objects.get(verb="corpus.deleted")
    assert (event.user_id, event.change) == (owner.pk, {"name": ["Owls", None]})
    assert send(client, "DELETE", address).status_code == 404


def test_a_corpus_whose_answers_are_checks_of_a_study_stays(client: Client) -> None:
    pk = store(client, as_lines(rows(2))).json()["id"]
    answer = Answer.objects.filter(question__article__corpus=pk).first()
    assert answer is not None
    check = add_some(open_study(name="Finches"), 1)[0]
    Check.objects.filter(pk=check.pk).update(question=answer.question)
    refused = send(client, "DELETE", f"/corpora/{pk}")
    assert (refused.status_code, refused.json()["code"]) == (409, "studies.corpus_used")


def test_a_wrong_row_is_told_by_its_line_and_field_and_nothing_is_stored(client: Client) -> None:
    entries = rows(5)
    entries[2]["question"] = ["not", "text", {}]
    entries[3]["answer"] = ""
    reply = store(client, as_lines(entries))
    told = reply.json()
    assert (reply.status_code, told["code"]) == (422, "corpus.nothing_imported")
    assert {(each["line"], each["field"]) for each in told["errors"]} == {(3, "question"), (4, "answer")}
    assert not Corpus.every.exists()
    assert not list(django_settings.IMPORTS_DIR.glob("rows-*"))


def test_too_many_items_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "MOST_ITEMS", 4)
    assert store(client, as_lines(rows(5))).json()["code"] == "api.too_many_items"
    assert not Corpus.every.exists()


def test_a_name_that_is_taken_is_refused(client: Client) -> None:
    store(client, as_lines(rows(1)))
    assert store(client, as_lines(rows(2))).json()["code"] == "corpus.name_taken"


def test_the_same_rows_with_the_same_key_are_stored_once(client: Client) -> None:
    how = {"content_type": LINES, "query_params": {"name": "Owls"}, "headers": {"idempotency-key": "k"}}
    replies = [client.post("/api/v1/corpora", as_lines(rows(2)), **how) for _ in range(2)]
    assert replies[0].json() == replies[1].json()
    other = client.post("/api/v1/corpora", as_lines(rows(3)), **how)
    assert other.json()["code"] == "api.key_used"
    assert Corpus.objects.count() == 1


@pytest.mark.parametrize("query", [{"scheme": "nothing"}, {"language": "English"}, {"nonsense": "1"}])
def test_a_query_that_cannot_be_is_refused(client: Client, query: dict[str, str]) -> None:
    assert store(client, as_lines(rows(1)), **query).status_code in (404, 422)


def test_forms_are_no_rows(client: Client) -> None:
    reply = client.post("/api/v1/corpora?name=Owls", {"a": "b"})
    assert (reply.status_code, reply.json()["code"]) == (415, "api.media_type")


def test_a_program_makes_a_study_and_another_one_judges_it(client: Client) -> None:
    corpus = store(client, as_lines(rows(2))).json()["id"]
    new = {"name": "Owls by night", "corpus": corpus, "scheme": {"preset": "ebr"}, "overlap": 1}
    made = send(client, "POST", "/studies", new)
    assert made.status_code == 201, made.content
    slug, signature = made.json()["slug"], made.json()["scheme_signature"]
    assert send(client, "POST", f"/studies/{slug}/batches/1/open", {}).json()["state"] == "open"

    member = MemberFactory(study=Study.objects.get(slug=slug), role=Role.ANNOTATOR)
    annotator = program(member.user, "annotate")
    assert send(annotator, "GET", "/work").json()["results"][0]["tasks"] == 1
    values = judgment()
    while (task := send(annotator, "POST", f"/work/{slug}/take")).status_code == 200:
        told = task.json()
        assert told["scheme_signature"] == signature
        for item in told["items"]:
            path = f"/tasks/{told['id']}/items/{item['position']}"
            draft = {"values": {"reasons": "It says"}, "version": item["draft_version"]}
            assert send(annotator, "PUT", f"{path}/draft", draft).json() == {"version": 1}
            assert send(annotator, "PUT", f"{path}/draft", draft | {"values": {"reasons": "x"}}).status_code == 409
            wrong = send(annotator, "POST", f"{path}/judgment", {"values": {}, "scheme_signature": signature}).json()
            assert {each["field"] for each in wrong["errors"]} >= {"correct", "completeness"}
            sent = {"values": values, "scheme_signature": signature, "seconds": 12.5, "draft_version": 1}
            assert send(annotator, "POST", f"{path}/judgment", sent).status_code == 200
    assert task.json()["code"] == "studies.no_task_at_the_moment"

    batch = send(client, "GET", f"/studies/{slug}/batches/1").json()
    assert (batch["state"], batch["tasks"], batch["items"], batch["submitted"]) == (BatchState.CLOSED, 1, 2, 1)
    found = send(client, "GET", f"/studies/{slug}/judgments").json()["results"]
    assert [each["values"] for each in found] == [each.values for each in Annotation.objects.order_by("pk")]
    assert {each["annotator"] for each in found} == {member.pseudonym}


def test_a_program_declares_that_a_part_was_drawn_at_random(client: Client) -> None:
    corpus = store(client, as_lines(rows(1))).json()["id"]
    made = send(client, "POST", "/studies", {"name": "Owls", "corpus": corpus, "scheme": {"preset": "ebr"}}).json()
    assert (made["judged_at_random"], made["scored_at_random"]) == (False, False)
    where = f"/studies/{made['slug']}"
    changed = send(client, "PATCH", where, {"judged_at_random": True}, **{"if-match": "*"}).json()
    assert (changed["judged_at_random"], changed["scored_at_random"]) == (True, False)
    study = Study.objects.get(slug=made["slug"])
    assert study.judged_declared_at is not None
    send(client, "PATCH", where, {"scored_at_random": True}, **{"if-match": "*"})
    again = Study.objects.get(slug=made["slug"])
    assert (again.judged_declared_at, again.scored_at_random) == (study.judged_declared_at, True)  # said once


def test_a_program_says_who_annotates(client: Client) -> None:
    corpus = store(client, as_lines(rows(1))).json()["id"]
    made = send(client, "POST", "/studies", {"name": "Owls", "corpus": corpus, "scheme": {"preset": "ebr"}}).json()
    assert made["annotators_are"] is None
    where = f"/studies/{made['slug']}"
    changed = send(client, "PATCH", where, {"annotators_are": "crowd"}, **{"if-match": "*"}).json()
    assert changed["annotators_are"] == "crowd"
    refused = send(client, "PATCH", where, {"annotators_are": "wizards"}, **{"if-match": "*"})
    assert refused.status_code == 422
    assert Study.objects.get(slug=made["slug"]).annotators_are == "crowd"
    unsaid = send(client, "PATCH", where, {"annotators_are": None}, **{"if-match": "*"}).json()
    assert unsaid["annotators_are"] is None


def test_a_scheme_of_another_study_is_refused(client: Client) -> None:
    corpus = store(client, as_lines(rows(1))).json()["id"]
    scheme = {"definition": preset("ebr") | {"key": "mine"}}
    made = send(client, "POST", "/studies", {"name": "Owls", "corpus": corpus, "scheme": scheme}).json()
    send(client, "POST", f"/studies/{made['slug']}/batches/1/open", {})
    member = MemberFactory(study=Study.objects.get(slug=made["slug"]))
    annotator = program(member.user)
    task = send(annotator, "POST", f"/work/{made['slug']}/take").json()
    body = {"values": judgment(), "scheme_signature": "0" * 64}
    reply = send(annotator, "POST", f"/tasks/{task['id']}/items/1/judgment", body)
    assert (reply.status_code, reply.json()["code"]) == (409, "annotations.scheme_changed")
