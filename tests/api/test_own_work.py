"""What annotators' pages do about themselves, by a front end of one's own: from consent to leaving."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Draft, Hint, LateJudgment
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.home.takeout.jobs import TAKEOUTS
from annotation_platform.crowd.languages.services import require_languages
from annotation_platform.crowd.monitor.models import Paste
from annotation_platform.crowd.review.services import reject
from annotation_platform.crowd.rounds.models import Round
from annotation_platform.crowd.talk.models import Audience
from annotation_platform.crowd.talk.services.announcements import announce
from annotation_platform.crowd.talk.services.faq import add_entry
from annotation_platform.jobs.contract import run_job
from annotation_platform.studies.models import Assignment, BatchState, Member, Role, Study
from annotation_platform.studies.services import close_batch, lease_assignment
from tests.api.clients import program, send
from tests.crowd.pieces import RECODED, recoded, submitted_places
from tests.crowd.rounds.pieces import go_through, new_round
from tests.factories import OPERATOR, MemberFactory, judgment, make_corpus, make_study, open_study, study_with_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("api-crowd")]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(name="Owls", corpus=make_corpus(questions=2, systems=["alder"]), questions_per_hit=2, overlap=1)


@pytest.fixture
def annotator(study: Study) -> Member:
    return MemberFactory(study=study, pseudonym="A")


@pytest.fixture
def client(annotator: Member) -> Client:
    return program(annotator.user, "annotate")


def results(client: Client, address: str) -> list[dict[str, Any]]:
    reply = send(client, "GET", address)
    assert reply.status_code == 200, reply.content
    found: list[dict[str, Any]] = reply.json()["results"]
    return found


def judged(task: dict[str, Any]) -> dict[str, Any]:
    return {"values": judgment(), "scheme_signature": task["scheme_signature"]}


def test_consent_is_read_and_given_in_the_version_that_holds(client: Client, study: Study) -> None:
    assert send(client, "GET", "/work/owls/consent").json()["code"] == "crowd.no_consent_text"
    publish_text(study=study, texts={"en": "What is kept.", "ja": "保存するもの。"}, actor=OPERATOR)
    assert send(client, "POST", "/work/owls/take").json()["code"] == "crowd.consent_missing"
    text = send(client, "GET", "/work/owls/consent", **{"accept-language": "ja"}).json()
    assert text == {"version": 1, "language": "ja", "text": "保存するもの。", "agreed": False}
    no = send(client, "POST", "/work/owls/consent", {"version": 1, "language": "ja", "agreed": False}).json()
    assert (no["agreed"], no["way_back"]) == (False, None)
    publish_text(study=study, texts={"en": "What is kept for good."}, actor=OPERATOR)
    stale = send(client, "POST", "/work/owls/consent", {"version": 1, "language": "ja", "agreed": True})
    assert (stale.status_code, stale.json()["code"]) == (409, "crowd.consent_changed")
    yes = send(client, "POST", "/work/owls/consent", {"version": 2, "language": "en", "agreed": True})
    assert yes.json()["agreed"] is True
    assert send(client, "POST", "/work/owls/take").status_code == 200


def test_what_is_asked_is_read_in_the_readers_language(client: Client, study: Study) -> None:
    told = send(client, "GET", "/work/owls/instructions").json()
    assert {each["key"] for each in told["aspects"]} == {each.key for each in study.scheme().aspects}
    assert told["guidelines"] == study.scheme().guidelines
    assert len(told["examples"]) == len(study.scheme().examples)
    japanese = send(client, "GET", "/work/owls/instructions", **{"accept-language": "ja"}).json()
    assert japanese["title"] == study.scheme("ja").title


def test_languages_are_stated(client: Client, study: Study) -> None:
    require_languages(study=study, codes=["ja"], actor=OPERATOR)
    assert send(client, "GET", "/work/owls/languages").json() == {"asked_for": ["ja"], "stated": None}
    assert send(client, "POST", "/work/owls/take").status_code == 409
    stated = send(client, "PUT", "/work/owls/languages", {"codes": ["ja", "en"]}).json()
    assert stated == {"asked_for": ["ja"], "stated": ["en", "ja"]}
    assert send(client, "POST", "/work/owls/take").status_code == 200


def test_a_round_is_begun_judged_and_passed(client: Client, study: Study) -> None:
    round_ = new_round(study)
    (own,) = results(client, "/work/rounds")
    assert (own["study"], own["round"], own["state"], own["attempt"]) == ("owls", round_.pk, "ready", None)
    task = send(client, "POST", f"/work/rounds/{round_.pk}/begin").json()
    assert task["study"] == round_.study.slug
    again = send(client, "POST", f"/work/rounds/{round_.pk}/begin").json()
    assert again["id"] == task["id"]
    under_way = task
    while True:
        for item in under_way["items"]:
            reply = send(client, "POST", f"/tasks/{under_way['id']}/items/{item['position']}/judgment", judged(task))
            assert reply.status_code == 200, reply.content
        (own,) = results(client, "/work/rounds")
        if own["state"] != "under_way":
            break
        under_way = send(client, "POST", f"/work/rounds/{round_.pk}/begin").json()
    assert own["state"] == "passed"
    attempt = send(client, "GET", f"/work/attempts/{own['attempt']}").json()
    assert (attempt["verdict"], attempt["number"], attempt["study"]) == ("passed", 1, "owls")
    stranger = program(MemberFactory(study=open_study(name="Finches")).user, "annotate")
    assert send(stranger, "POST", f"/work/rounds/{round_.pk}/begin").json()["code"] == "crowd.no_round"
    assert send(stranger, "GET", f"/work/attempts/{own['attempt']}").json()["code"] == "crowd.no_attempt"


def test_more_time_is_asked_for_once_for_each_time_it_is_read(client: Client) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    more = send(client, "POST", f"/tasks/{task['id']}/more-time", {"extensions": 0}).json()
    assert (more["extensions"], more["lease_expires_at"] > task["lease_expires_at"]) == (1, True)
    twice = send(client, "POST", f"/tasks/{task['id']}/more-time", {"extensions": 0}).json()
    assert twice["lease_expires_at"] == more["lease_expires_at"]
    none_left = send(client, "POST", f"/tasks/{task['id']}/more-time", {"extensions": 1})
    assert (none_left.status_code, none_left.json()["code"]) == (409, "studies.no_extension_left")


def test_a_task_of_a_closed_batch_is_not_said_to_be_somebody_elses(client: Client, study: Study) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    close_batch(batch=study.batches.get(state=BatchState.OPEN), because="enough", actor=OPERATOR)
    refused = send(client, "POST", f"/tasks/{task['id']}/give-back")
    assert (refused.status_code, refused.json()["code"]) == (409, "annotations.batch_closed")


def test_what_comes_too_late_is_kept_for_whoever_had_the_task(client: Client, study: Study) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    late = f"/tasks/{task['id']}/items/1/late-judgment"
    assert send(client, "POST", late, judged(task)).json()["code"] == "api.not_late"
    place = Assignment.objects.get(pk=task["id"])
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    place.refresh_from_db()
    other = MemberFactory(study=study)
    assert lease_assignment(place=place, annotator=other)
    assert send(client, "POST", f"/tasks/{task['id']}/items/1/judgment", judged(task)).status_code == 404
    assert send(client, "POST", late, judged(task)).status_code == 404  # nothing says that they had it
    kept = send(client, "POST", late, judged(task) | {"holder": task["holder"]})
    assert (kept.status_code, kept.json()) == (200, {"next_position": 2})
    assert LateJudgment.objects.get().values["correct"] == "yes"
    stranger = program(MemberFactory(study=study).user, "annotate")
    assert send(stranger, "POST", late, judged(task) | {"holder": task["holder"]}).status_code == 404
    wrong = send(client, "POST", late, judged(task) | {"holder": task["holder"], "values": {"correct": "perhaps"}})
    assert wrong.status_code == 422


def test_a_change_is_dropped(client: Client) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    first = f"/tasks/{task['id']}/items/1"
    send(client, "POST", f"{first}/judgment", judged(task))
    assert send(client, "PUT", f"{first}/draft", {"values": {"reasons": "It"}, "version": 0}).status_code == 200
    dropped = send(client, "POST", f"{first}/drop-change")
    assert dropped.json() == {"next_position": 2, "task_is_complete": False}
    assert not Draft.objects.exists()


def test_what_was_given_back_under_an_earlier_version_of_the_scheme_is_read_under_the_keys_of_today(
    client: Client, study: Study
) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    send(client, "POST", f"/tasks/{task['id']}/items/1/judgment", judged(task))
    send(client, "POST", f"/tasks/{task['id']}/give-back")
    definition = recoded() | {"rescale": []}
    assert "reasons" in judged(task)["values"]
    definition["aspects"].pop()
    migrate_scheme(study=study, definition=definition, renamings=RECODED, actor=OPERATOR)
    again = send(client, "POST", "/work/owls/take").json()
    values = send(client, "GET", f"/tasks/{again['id']}").json()["items"][0]["values"]
    assert (values["correct"], values["sentences"]) == ("right", "1")
    assert "reasons" not in values, "what the scheme would refuse"


def test_what_a_draft_says_to_a_field_that_is_asked_no_more_stands_apart(client: Client, study: Study) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    first = f"/tasks/{task['id']}/items/1"
    typed = judged(task)["values"] | {"completeness": "missing_minor", "sentences": "1"}
    assert send(client, "PUT", f"{first}/draft", {"values": typed, "version": 0}).status_code == 200
    definition = recoded() | {"rescale": []}
    definition["aspects"].pop()
    migrate_scheme(study=study, definition=definition, renamings=RECODED, actor=OPERATOR)
    again = send(client, "GET", f"/tasks/{task['id']}").json()
    item = again["items"][0]
    assert item["no_longer_asked"] == {"reasons": typed["reasons"]}
    sent = {"scheme_signature": again["scheme_signature"], "values": item["values"]}
    reply = send(client, "POST", f"{first}/judgment", sent)
    assert reply.status_code == 200, reply.content


def test_a_draft_of_a_task_from_before_a_migration_is_kept_under_the_keys_of_today(
    client: Client, study: Study
) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    typed = {"values": {"correct": "yes", "reasons": "It"}, "version": 0, "scheme_signature": task["scheme_signature"]}
    assert send(client, "PUT", f"/tasks/{task['id']}/items/1/draft", typed).status_code == 200
    assert Draft.objects.get().values == {"correct": "right", "reasons": "It"}


def test_a_draft_under_a_scheme_that_the_study_never_had_is_refused(client: Client, study: Study) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    other = make_study(name="Finches", definition=recoded()).scheme_version.signature
    first = f"/tasks/{task['id']}/items/1/draft"
    for signature in ("0" * 64, other):
        typed = {"values": {"correct": "yes"}, "version": 0, "scheme_signature": signature}
        reply = send(client, "PUT", first, typed)
        assert (reply.status_code, reply.json()["code"]) == (409, "annotations.scheme_changed")
    assert not Draft.objects.exists()
    assert send(client, "PUT", first, typed | {"scheme_signature": ""}).status_code == 200


def test_a_rejection_is_read_and_appealed_against_once() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=2, questions=2), close=False)
    by, place = MemberFactory(study=study, role=Role.RESEARCHER), submitted_places(study, "A")[0]
    reject(assignment=place, because="It copies the answer.", by=by, actor=OPERATOR)
    client = program(study.members.get(pseudonym="A").user, "annotate")
    mine = {each["task"]: each for each in results(client, "/work/submissions")}
    assert (mine[place.pk]["state"], mine[place.pk]["because"]) == ("rejected", "It copies the answer.")
    assert {each["state"] for pk, each in mine.items() if pk != place.pk} <= {"waiting"}
    appealed = send(client, "POST", f"/work/submissions/{place.pk}/appeal", {"words": "It does not."}).json()
    assert (appealed["state"], appealed["appeal"]) == ("appealed", "It does not.")
    assert send(client, "POST", f"/work/submissions/{place.pk}/appeal", {"words": "It does not."}).status_code == 409
    other = program(study.members.get(pseudonym="B").user, "annotate")
    assert send(other, "POST", f"/work/submissions/{place.pk}/appeal", {"words": "No."}).status_code in (404, 409)


def test_announcements_questions_and_words_about_the_study(client: Client, study: Study, annotator: Member) -> None:
    researcher = MemberFactory(study=study, role=Role.RESEARCHER)
    announce(author=researcher, text="Welcome.", audience=Audience.ALL, by_mail=False, actor=OPERATOR)
    add_entry(study=study, question_en="When?", answer_en="On Friday.", question_ja="", answer_ja="", actor=OPERATOR)
    (told,) = results(client, "/work/announcements")
    assert (told["text"], told["study"]) == ("Welcome.", "owls")
    dismiss, key = f"/work/announcements/{told['id']}/dismiss", {"idempotency-key": "dismissed"}
    for reply in (send(client, "POST", dismiss, **key), send(client, "POST", dismiss, **key)):
        assert (reply.status_code, reply.content, reply.get("Content-Type")) == (204, b"", None)
    assert reply["Idempotent-Replay"] == "true"
    assert results(client, "/work/announcements") == []
    assert [each["answer"] for each in results(client, "/work/owls/faq?q=friday")] == ["On Friday."]
    assert results(client, "/work/owls/faq?q=monday") == []
    written = send(client, "POST", "/work/owls/messages", {"text": "When is the pay?"})
    assert (written.status_code, written.json()["author"]) == (201, "A")
    assert send(client, "POST", "/work/owls/leave").status_code == 204
    annotator.refresh_from_db()
    assert annotator.user is None
    assert [each["text"] for each in results(client, "/work/owls/messages")] == ["When is the pay?"]
    assert send(client, "POST", "/work/owls/take").status_code == 404
    assert send(client, "POST", "/work/owls/leave").status_code == 404


def test_an_explanation_that_says_little_earns_a_hint_until_it_is_dismissed(client: Client, study: Study) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    path = f"/tasks/{task['id']}/items/1/hint"
    little = {"slot": "reasons", "values": {"completeness": "complete", "reasons": "The answer misses some."}}
    hint = send(client, "POST", path, little)
    assert "What exactly made you choose it?" in hint.json()["hint"], hint.content
    assert Hint.objects.get().text == "The answer misses some."
    japanese = send(client, "POST", path, little, **{"accept-language": "ja"}).json()["hint"]
    assert japanese != hint.json()["hint"]
    telling = {"reasons": "It leaves out that the bridge closed in May (sentence 7)."}
    assert send(client, "POST", path, {"slot": "reasons", "values": telling}).json() == {"hint": None}
    assert send(client, "POST", path, {"slot": "reasons", "dismiss": True}).json() == {"hint": None}
    assert send(client, "POST", path, little).json() == {"hint": None}
    assert send(client, "POST", path, {"slot": "nothing", "values": {}}).json() == {"hint": None}


def test_a_paste_is_counted_by_its_length(client: Client, study: Study, annotator: Member) -> None:
    task = send(client, "POST", "/work/owls/take").json()
    path = f"/tasks/{task['id']}/items/1/pasted"
    assert send(client, "POST", path, {"slot": "reasons", "characters": 120}).status_code == 204
    assert send(client, "POST", path, {"slot": "correct", "characters": 120}).status_code == 204  # it is no text
    stale = {"slot": "reasons", "characters": 9, "scheme_signature": "of another version"}
    assert send(client, "POST", path, stale).status_code == 204
    assert send(client, "POST", path, {"slot": "reasons", "characters": 0}).status_code == 422
    nowhere = send(client, "POST", f"/tasks/{task['id']}/items/9/pasted", {"slot": "reasons", "characters": 1})
    assert nowhere.status_code == 404
    assert list(Paste.objects.values_list("member", "slot", "characters")) == [(annotator.pk, "reasons", 120)]


def test_which_mails_one_wants(client: Client, annotator: Member) -> None:
    assert send(client, "GET", "/work/mail-wishes").json() == {"messages": True, "announcements": True}
    said = {"messages": False, "announcements": True}
    assert send(client, "PUT", "/work/mail-wishes", said).json() == said
    assert send(client, "GET", "/work/mail-wishes").json() == said


def test_ones_own_data_is_asked_for_and_downloaded_by_nobody_else(
    client: Client, settings: Any, tmp_path: Path, annotator: Member
) -> None:
    settings.EXPORTS_DIR = tmp_path
    assert send(client, "POST", "/work/my-data").status_code == 403  # a token for annotating is for nothing else
    client = program(annotator.user, "admin")
    asked = send(client, "POST", "/work/my-data")
    assert (asked.status_code, asked.json()["state"], asked.json()["file"]) == (202, "pending", None)
    assert send(client, "POST", "/work/my-data").json()["id"] == asked.json()["id"]
    run_job(TAKEOUTS, asked.json()["id"])
    (made,) = results(client, "/work/my-data")
    reply = client.get(made["file"])
    with zipfile.ZipFile(io.BytesIO(b"".join(reply.streaming_content))) as archive:
        assert archive.namelist()
    other = program(MemberFactory(study=annotator.study).user, "admin")
    assert other.get(made["file"]).status_code == 404
    assert results(other, "/work/my-data") == []


def test_an_attempt_is_read_item_by_item_once_it_is_decided(study: Study, annotator: Member, client: Client) -> None:
    round_ = new_round(study, shows_answers=True)
    attempt = go_through(round_, annotator)
    told = send(client, "GET", f"/work/attempts/{attempt.pk}").json()
    assert told["verdict"] == "passed"
    lines = [line for item in told["items"] for line in item["lines"]]
    assert [item["number"] for item in told["items"]] == list(range(1, len(told["items"]) + 1))
    assert any(line["accepted"] for line in lines)
    Round.objects.filter(pk=round_.pk).update(shows_answers=False)
    told = send(client, "GET", f"/work/attempts/{attempt.pk}").json()
    assert all(line["accepted"] is None for item in told["items"] for line in item["lines"])
    other = MemberFactory(study=open_study(name="Finches"), user=annotator.user)
    waiting = go_through(new_round(other.study, shows_answers=True, is_reviewed=True), other)
    told = send(client, "GET", f"/work/attempts/{waiting.pk}").json()
    assert (told["verdict"], told["items"]) == ("pending", [])
