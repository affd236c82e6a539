"""What is set up and decided about a study's crowd by the API: consent, languages, late work, questions, erasing."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation_platform.accounts.models import Event, User
from annotation_platform.annotations.models import Annotation, LateJudgment, Message
from annotation_platform.annotations.services import send_message_about_study
from annotation_platform.crowd.consent.selectors import current_text
from annotation_platform.crowd.consent.services import answer
from annotation_platform.crowd.languages.services import state_languages
from annotation_platform.crowd.providers.vault.identities import keep_identity, provider_of
from annotation_platform.crowd.talk.selectors import faq_of
from annotation_platform.studies.models import Batch, BatchState, Member, Role, Study
from tests.api.clients import program, send
from tests.crowd.late.pieces import free_the_place, late_desk
from tests.factories import OPERATOR, MemberFactory, open_study

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("api-crowd")]


@pytest.fixture
def study() -> Study:
    return open_study(name="Owls")


@pytest.fixture
def client(study: Study) -> Client:
    return program(MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="R").user)


def path(study: Study, *parts: Any) -> str:
    return "/".join(["/studies", study.slug, *map(str, parts)])


def results(client: Client, address: str) -> list[dict[str, Any]]:
    reply = send(client, "GET", address)
    assert reply.status_code == 200, reply.content
    found: list[dict[str, Any]] = reply.json()["results"]
    return found


def test_a_consent_text_is_published_in_versions_and_tells_who_agreed(client: Client, study: Study) -> None:
    first = send(client, "POST", path(study, "consent-texts"), {"texts": {"en": "We keep what you write."}})
    assert (first.status_code, first.json()["number"]) == (201, 1)
    a, b = (MemberFactory(study=study, pseudonym=name) for name in "AB")
    text = current_text(study)
    assert text is not None
    for member, agreed in ((a, True), (b, False)):
        answer(member=member, text=text, agreed=agreed, language="en", actor=OPERATOR)
    same = send(client, "POST", path(study, "consent-texts"), {"texts": {"en": "We keep what you write. "}}).json()
    assert (same["number"], same["agreed"], same["declined"]) == (1, 1, 1)
    both = {"en": "We keep all that you write.", "ja": "書かれたものをすべて保存します。"}
    assert send(client, "POST", path(study, "consent-texts"), {"texts": both}).json()["texts"] == both
    assert [each["number"] for each in results(client, path(study, "consent-texts"))] == [2, 1]
    said = results(client, path(study, "consents"))
    assert [(each["pseudonym"], each["version"], each["agreed"]) for each in said] == [("A", 1, True), ("B", 1, False)]
    assert said[0]["digest"] == text.digest("en")
    assert results(client, path(study, f"consents?annotator={b.pk}")) == said[1:]
    assert results(client, path(study, "consents?version=2")) == []
    assert send(client, "GET", path(study, "consents?version=two")).json()["code"] == "api.number_wrong"
    assert send(client, "POST", path(study, "consent-texts"), {"texts": {}}).json()["code"] == "crowd.consent_empty"
    strange = send(client, "POST", path(study, "consent-texts"), {"texts": {"fr": "Oui"}})
    assert (strange.status_code, strange.json()["errors"][0]["field"]) == (422, "texts.fr")


def test_languages_are_asked_for_and_hold_for_the_next_task(client: Client, study: Study) -> None:
    read = send(client, "GET", path(study, "languages"))
    assert read.json() == {"codes": []}
    assert send(client, "PUT", path(study, "languages"), {"codes": ["ja"]}).status_code == 428
    tag = read["ETag"]
    changed = send(client, "PUT", path(study, "languages"), {"codes": ["ja", "en"]}, **{"if-match": tag})
    assert changed.json() == {"codes": ["en", "ja"]}
    assert send(client, "PUT", path(study, "languages"), {"codes": []}, **{"if-match": tag}).status_code == 412
    unknown = send(client, "PUT", path(study, "languages"), {"codes": ["xx"]}, **{"if-match": "*"})
    assert unknown.status_code == 422
    annotator = MemberFactory(study=study)
    take = f"/work/{study.slug}/take"
    assert send(program(annotator.user), "POST", take).json()["code"] == "crowd.languages_not_stated"
    state_languages(member=annotator, codes=["en", "ja"], actor=OPERATOR)
    assert send(program(annotator.user), "POST", take).status_code == 200


def test_late_work_is_listed_read_and_accepted() -> None:
    desk = late_desk()
    client = program(MemberFactory(study=desk.study, role=Role.RESEARCHER).user)
    (work,) = results(client, path(desk.study, "late-work"))
    assert (work["pseudonym"], work["late"], work["items"], work["free"]) == (desk.annotator.pseudonym, 2, 2, 0)
    where = path(desk.study, "late-work", work["task"], work["annotator"])
    refused = send(client, "POST", f"{where}/accept")
    assert (refused.status_code, refused.json()["code"]) == (409, "annotations.late_work_without_place")
    waiting = results(client, path(desk.study, "late-judgments?state=waiting"))
    assert [each["position"] for each in waiting] == [1, 2]
    assert waiting[0]["values"]["correct"] == "yes"
    free_the_place(desk)
    assert send(client, "POST", f"{where}/accept").status_code == 204
    assert Annotation.objects.current().count() == 2
    assert Batch.objects.get().state == BatchState.CLOSED
    assert results(client, path(desk.study, "late-work")) == []
    assert len(results(client, path(desk.study, f"late-judgments?state=accepted&task={work['task']}"))) == 2
    assert results(client, path(desk.study, f"late-judgments?task={work['task'] + 1}")) == []
    assert send(client, "POST", f"{where}/accept").json()["code"] == "annotations.late_work_decided"


def test_late_work_comes_in_pages_and_in_as_many_queries_however_much_it_is() -> None:
    desk = late_desk()
    client = program(MemberFactory(study=desk.study, role=Role.RESEARCHER).user)

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            results(client, path(desk.study, "late-work"))
        return len(asked)

    queries()  # which notes that the token is used
    few = queries()
    late = LateJudgment.objects.filter(annotator=desk.annotator).order_by("pk")
    for name in ("B", "C"):
        other = MemberFactory(study=desk.study, pseudonym=name)
        for each in late[:1]:
            each.pk, each.annotator, each.submission_id = None, other, uuid4()
            each.save()
    assert queries() == few
    first = send(client, "GET", path(desk.study, "late-work?limit=2")).json()
    rest = client.get(first["next"]).json()
    assert rest["next"] is None
    told = [(each["pseudonym"], each["late"], each["judged"]) for each in first["results"] + rest["results"]]
    assert told == [(desk.annotator.pseudonym, 2, 2), ("B", 1, 1), ("C", 1, 1)]


def test_late_work_is_declined_with_a_reason_and_of_no_other_study() -> None:
    desk = late_desk()
    client = program(MemberFactory(study=desk.study, role=Role.RESEARCHER).user)
    stranger = program(MemberFactory(study=open_study(name="Finches"), role=Role.ADMIN).user)
    task, annotator = desk.assignment.hit_id, desk.annotator.pk
    elsewhere = send(stranger, "POST", f"/studies/finches/late-work/{task}/{annotator}/accept")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "crowd.no_late_work")
    decline = path(desk.study, "late-work", task, annotator, "decline")
    assert send(client, "POST", decline, {"because": " "}).status_code == 422
    assert send(client, "POST", decline, {"because": "The batch is measured."}).status_code == 204
    (first, second) = results(client, path(desk.study, f"late-judgments?annotator={annotator}"))
    assert (first["state"], second["declined_because"]) == ("declined", "The batch is measured.")
    assert LateJudgment.objects.filter(state="declined").count() == 2
    assert not Annotation.objects.current().exists()


def test_frequent_questions_are_added_changed_moved_and_removed(client: Client, study: Study) -> None:
    first = send(client, "POST", path(study, "faq"), {"question_en": "When?", "answer_en": "On Friday."})
    assert (first.status_code, first.json()["question_ja"]) == (201, "")
    second = send(client, "POST", path(study, "faq"), {"question_ja": "なぜ？", "answer_ja": "研究のため。"}).json()
    one = path(study, "faq", first.json()["id"])
    read = send(client, "GET", one)
    tag = {"if-match": read["ETag"]}
    assert send(client, "PATCH", one, {"answer_en": "On Monday."}).status_code == 428
    assert send(client, "PATCH", one, {"answer_en": ""}, **tag).json()["code"] == "crowd.faq_half"
    assert send(client, "PATCH", one, {"answer_en": "On Monday."}, **tag).json()["answer_en"] == "On Monday."
    assert send(client, "PATCH", one, {"answer_en": "Never."}, **tag).status_code == 412
    assert [each.answer for each in faq_of(study, "en")] == ["On Monday.", "研究のため。"]
    send(client, "POST", f"{one}/down")
    assert [each["id"] for each in results(client, path(study, "faq"))] == [second["id"], first.json()["id"]]
    send(client, "POST", f"{one}/up")
    send(client, "POST", f"{one}/up")
    assert [each["id"] for each in results(client, path(study, "faq"))] == [first.json()["id"], second["id"]]
    assert send(client, "DELETE", one).status_code == 204
    assert send(client, "GET", one).json()["code"] == "crowd.no_faq_entry"
    assert send(client, "POST", path(study, "faq"), {"question_en": "Why?"}).json()["code"] == "crowd.faq_half"


def test_a_question_grows_from_an_answer_of_the_same_study_only(client: Client, study: Study) -> None:
    asker, researcher = MemberFactory(study=study), study.members.get(pseudonym="R")
    send_message_about_study(annotator=asker, author=asker, text="When is the pay?", actor=OPERATOR)
    send_message_about_study(annotator=asker, author=researcher, text="On Friday.", actor=OPERATOR)
    asked, answered = Message.objects.order_by("pk")
    new = {"question_en": "When is the pay?", "answer_en": "On Friday."}
    made = send(client, "POST", path(study, "faq"), new | {"grown_from": answered.pk})
    assert made.status_code == 201
    assert study.faq.get().grown_from == answered
    for pk in (asked.pk, answered.pk + 1):
        assert send(client, "POST", path(study, "faq"), new | {"grown_from": pk}).json()["code"] == "crowd.no_answer"


def test_who_somebody_is_is_forgotten_and_the_work_stays(study: Study) -> None:
    member = MemberFactory(study=study, user=User.objects.create_guest("Guest"), pseudonym="A")
    keep_identity(member=member, provider="prolific", external_id="5f3e9c2ab1d4e6f708192a3b")
    guest, where = member.user, path(study, "members", member.pk, "erase")
    admin = program(MemberFactory(study=study, role=Role.ADMIN).user)
    refused = send(admin, "POST", where, {"pseudonym": "B"})
    assert (refused.status_code, refused.json()["code"]) == (422, "crowd.pseudonym_differs")
    assert provider_of(member) == "prolific"
    erased = send(admin, "POST", where, {"pseudonym": "A"})
    assert (erased.status_code, erased.json()["pseudonym"]) == (200, "A")
    assert provider_of(member) == ""
    assert not User.objects.filter(pk=guest.pk).exists()
    assert Member.objects.get(pk=member.pk).pseudonym == "A"
    assert Event.objects.filter(verb="provider.person_erased").count() == 1
    assert send(admin, "POST", where, {"pseudonym": "A"}).json()["code"] == "crowd.nobody_to_erase"
