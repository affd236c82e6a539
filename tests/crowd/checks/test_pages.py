"""The researcher's pages about checks, and who may not enter them."""

import csv
import io
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation_platform.corpus.models import Answer
from annotation_platform.crowd.checks.models import Action, Check, CheckAction, CheckRule
from annotation_platform.studies.models import Item, Member, Role, Study
from annotation_platform.studies.services import plan_batches
from tests.crowd.checks.pieces import WRONG, add_some, judge, set_rule, study_with_checks, take
from tests.factories import MemberFactory, UserFactory, make_corpus, make_study
from tests.some import some

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = make_study(corpus=make_corpus(articles=2, questions=2))
    plan_batches(study=study)
    return study


@pytest.fixture
def client(study: Study) -> Client:
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    return client


def addresses(study: Study, check: Check, action: int) -> dict[str, str]:
    answer = Answer.objects.filter(question__article__corpus=study.corpus_id).first()
    assert answer is not None
    return {
        **{name: reverse(name, args=[study.slug]) for name in ("checks", "pick_check", "check_results")},
        "new_check": reverse("new_check", args=[study.slug, answer.pk]),
        "check": reverse("check", args=[study.slug, check.pk]),
    } | {
        "POST rule": reverse("change_check_rule", args=[study.slug]),
        "POST mix": reverse("mix_checks", args=[study.slug]),
        "POST upload": reverse("upload_checks", args=[study.slug]),
        "POST retire": reverse("retire_check", args=[study.slug, check.pk]),
        "POST undo": reverse("undo_check_action", args=[study.slug, action]),
    }


def test_researchers_see_every_page_and_nobody_else_does(
    study: Study, client: Client, django_capture_on_commit_callbacks: object
) -> None:
    judged = study_with_checks()
    set_rule(judged, action=Action.WARN, most_failed=1)
    annotator = MemberFactory(study=judged)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        judge(take(annotator), checks=WRONG)
    found = addresses(judged, judged.checks.first(), CheckAction.objects.get().pk)
    researcher = Client()
    researcher.force_login(MemberFactory(study=judged, role=Role.RESEARCHER).user)
    mine, stranger = Client(), Client()
    mine.force_login(annotator.user)
    stranger.force_login(UserFactory())
    for name, address in some(found.items()):
        method = "post" if name.startswith("POST") else "get"
        for other in (client, mine, stranger):
            assert getattr(other, method)(address).status_code == 404, name
        assert getattr(Client(), method)(address).url.startswith("/accounts/"), name
        assert getattr(researcher, method)(address).status_code in ((302, 422) if method == "post" else (200,)), name
    assert CheckAction.objects.get().undone_at is not None


def test_checks_of_another_study_are_not_there(study: Study, client: Client) -> None:
    (other,) = add_some(make_study(), 1)
    assert client.get(reverse("check", args=[study.slug, other.pk])).status_code == 404
    assert client.post(reverse("retire_check", args=[study.slug, other.pk])).status_code == 404
    answer = other.answers.get().answer
    assert client.get(reverse("new_check", args=[study.slug, answer.pk])).status_code == 404


def test_an_answer_is_picked_and_becomes_a_check(study: Study, client: Client) -> None:
    answer = Answer.objects.filter(question__article__corpus=study.corpus_id).first()
    assert answer is not None
    picked = client.get(reverse("pick_check", args=[study.slug]), {"q": answer.question.text[:20]})
    address = reverse("new_check", args=[study.slug, answer.pk])
    assert address in picked.content.decode()
    wrong = client.post(address, {"accepted-correct": "yes", "accepted-sentences": "99"})
    assert wrong.status_code == 422
    assert 'value="99"' in wrong.content.decode()
    assert client.post(address, {}).status_code == 422
    kept = client.post(address, {"accepted-correct": ["yes", "no"], "accepted-sentences": "1-2", "kind": "attention"})
    assert kept.status_code == 302
    check = study.checks.get()
    assert (check.accepted, check.kind) == ({"correct": ["yes", "no"], "sentences": [1, 2]}, "attention")
    assert address not in client.get(reverse("pick_check", args=[study.slug])).content.decode()
    assert client.post(reverse("check", args=[study.slug, check.pk]), {"accepted-correct": "no"}).status_code == 302
    check.refresh_from_db()
    assert check.accepted == {"correct": ["no"]}


def rows_for(study: Study, *accepted: str) -> str:
    answers = Answer.objects.filter(question__article__corpus=study.corpus_id).select_related("question__article")
    lines = [
        f"{answer.question.article.external_id},{answer.question.external_id},{answer.system.name},correct,{said}"
        for answer, said in zip(answers, accepted, strict=False)
    ]
    return "\n".join(["article,question,system,aspect,accepted", *lines])


def test_a_file_makes_checks_and_mixing_puts_them_into_drafts(study: Study, client: Client) -> None:
    file = SimpleUploadedFile("checks.csv", rows_for(study, "yes", '"yes, no"', "no").encode())
    address = reverse("upload_checks", args=[study.slug])
    assert client.post(address, {"corpus": study.corpus_id, "file": file}).status_code == 302
    assert [check.accepted["correct"] for check in study.checks.all()] == [["yes"], ["yes", "no"], ["no"]]
    rule = {"every": 2, "action": "nothing", "least_judged": 3}
    assert client.post(reverse("change_check_rule", args=[study.slug]), rule).status_code == 302
    assert CheckRule.objects.get().every == 2
    page = client.post(reverse("mix_checks", args=[study.slug]), follow=True).content.decode()
    assert "tasks in draft batches got a check" in page
    assert Item.every.filter(study=study, is_check=True).exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There is nothing in it"),
        ("article,question\na,b", "missing: aspect, accepted"),
        ("[{]", "This is not JSON"),
        ('[{"article": "a"}]', "Entry 1: an entry has"),
        ("article,question,aspect,accepted,kind\na,b,correct,yes,silver", "Row 2: the kind is “silver”"),
        ("article,question,aspect,accepted\nnowhere,b,correct,yes", "Row 2: the corpus has no such"),
    ],
)
def test_a_wrong_file_says_where_and_stores_nothing(study: Study, client: Client, text: str, said: str) -> None:
    page = client.post(reverse("upload_checks", args=[study.slug]), {"corpus": study.corpus_id, "text": text})
    assert page.status_code == 422
    assert said in page.content.decode()
    if text:
        assert text.split("\n")[-1].replace('"', "&quot;") in page.content.decode(), "what was typed stays"
    assert not study.checks.exists()


def test_each_mistake_names_its_row(study: Study, client: Client) -> None:
    text = rows_for(study, "yes", "perhaps", "no").replace("correct,no", "colour,no")
    page = client.post(reverse("upload_checks", args=[study.slug]), {"corpus": study.corpus_id, "text": text})
    words = page.content.decode()
    assert "Row 3, correct: " in words
    assert "Row 4, colour: " in words
    assert "Row 2" not in words
    assert not study.checks.exists()


def test_json_says_the_same(study: Study, client: Client) -> None:
    answer = Answer.objects.filter(question__article__corpus=study.corpus_id).select_related("question").first()
    assert answer is not None
    entry = {
        "article": answer.question.article.external_id,
        "question": answer.question.external_id,
        "system": answer.system.name,
        "kind": "attention",
        "accepted": {"correct": ["no"], "sentences": [1]},
    }
    address = reverse("upload_checks", args=[study.slug])
    twice = client.post(address, {"corpus": study.corpus_id, "text": json.dumps([entry, entry])})
    assert "Entry 2: this aspect" in twice.content.decode()
    assert client.post(address, {"corpus": study.corpus_id, "text": json.dumps([entry])}).status_code == 302
    assert study.checks.get().accepted == {"correct": ["no"], "sentences": [1]}
    again = client.post(address, {"corpus": study.corpus_id, "text": json.dumps([entry])})
    assert "Entry 1: There is a check with this answer already" in again.content.decode()


def test_the_button_pressed_twice_takes_a_check_out_of_use_once_and_for_all(study: Study, client: Client) -> None:
    (check,) = add_some(study, 1)
    address = reverse("retire_check", args=[study.slug, check.pk])

    def pressed() -> dict[str, str]:
        page = client.get(reverse("checks", args=[study.slug])).content.decode()
        button = re.search(rf'action="{address}">.*?<button[^>]* name="(\w+)" value="(\w+)"', page, re.DOTALL)
        assert button is not None
        return {button[1]: button[2]}

    for is_out in (True, False):
        sent = pressed()
        for _ in range(2):
            client.post(address, sent)
            check.refresh_from_db()
            assert (check.retired_at is not None) == is_out


def test_a_corpus_of_others_cannot_be_chosen(study: Study, client: Client) -> None:
    foreign = make_corpus()
    page = client.post(reverse("upload_checks", args=[study.slug]), {"corpus": foreign.pk, "text": "x"})
    assert page.status_code == 422


def test_the_rule_keeps_what_was_typed_when_it_cannot_be(study: Study, client: Client) -> None:
    sent = {"every": 4, "action": "exclude", "least_judged": 3, "words": "Sorry."}
    page = client.post(reverse("change_check_rule", args=[study.slug]), sent)
    assert page.status_code == 422
    assert "Sorry." in page.content.decode()
    assert "after how many failed checks" in page.content.decode()
    assert not CheckRule.objects.exists()


def test_results_are_exported_apart_and_say_that_they_are_of_checks() -> None:
    study = study_with_checks()
    annotator: Member = MemberFactory(study=study, pseudonym="=A")
    judge(take(annotator), checks=WRONG)
    client = Client()
    client.force_login(MemberFactory(study=study, role=Role.ADMIN).user)
    text = client.get(reverse("check_results", args=[study.slug])).content.decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["is_check"], row["passed"], row["annotator"]) == ("yes", "no", "'=A")
    assert row["missed"] == "correct completeness"
