"""Checks by the API: added, mixed in, corrected, out of use; the rule, who failed, and undoing what followed."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers.rows import LONGEST_CELL
from annotation_platform.corpus.models import Answer, Question, ReferenceDocument, Sentence
from annotation_platform.crowd.checks.models import Action, Check, CheckResult
from annotation_platform.crowd.rounds.key_files import read_key
from annotation_platform.studies.items import item_texts
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.selectors import lengths_of_answers
from annotation_platform.studies.services import plan_batches
from tests.api.clients import ROOT, program, send
from tests.crowd.checks.pieces import WRONG, add_some, judge, set_rule, study_with_checks, take
from tests.factories import MemberFactory, make_corpus, make_study
from tests.marked_study import corpus_of_errors

pytestmark = pytest.mark.django_db
ANY = {"if-match": "*"}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = make_study(corpus=make_corpus(articles=2, questions=2))
    plan_batches(study=study)
    return study


def researcher(study: Study) -> Client:
    return program(MemberFactory(study=study, role=Role.RESEARCHER).user)


def rows(study: Study, *accepted: Any) -> list[dict[str, Any]]:
    answers = Answer.objects.filter(question__article__corpus=study.corpus_id).select_related(
        "question__article", "system"
    )
    return [
        {
            "article": answer.question.article.external_id,
            "question": answer.question.external_id,
            "system": answer.system.name,
            "accepted": {"correct": said},
        }
        for answer, said in zip(answers, accepted, strict=False)
    ]


def test_checks_are_added_all_or_none_and_mixed_into_drafts(study: Study) -> None:
    client, where = researcher(study), f"/studies/{study.slug}/checks"
    wrong = rows(study, "yes", "perhaps", "no")
    wrong[2]["question"] = "nothing"
    refused = send(client, "POST", where, {"checks": [*wrong, wrong[0]]})
    assert (refused.status_code, refused.json()["code"]) == (422, "crowd.file_wrong")
    assert [each["code"] for each in refused.json()["errors"]] == [
        "crowd.checks_slot_wrong",
        "crowd.checks_no_answer",
        "crowd.checks_line_wrong",
    ]
    assert [each["detail"][:7] for each in refused.json()["errors"]] == ["Entry 2", "Entry 3", "Entry 4"]
    assert not Check.objects.exists()
    assert send(client, "POST", f"{where}/mix").json()["code"] == "crowd.no_check_in_use"
    made = send(client, "POST", where, {"checks": rows(study, "yes", ["yes", "no"])})
    assert made.status_code == 201, made.content
    assert [each["accepted"]["correct"] for each in made.json()["results"]] == [["yes"], ["yes", "no"]]
    assert made.json()["results"][0]["share"] == {"passed": 0, "n": 0, "percent": None, "low": None, "high": None}
    send(client, "PATCH", f"{where}/rule", {"every": 1}, **ANY)
    mixed = send(client, "POST", f"{where}/mix").json()
    assert mixed["checks"] > 0
    assert send(client, "POST", f"{where}/mix").json()["checks"] == 0
    rule = send(client, "GET", f"{where}/rule").json()
    assert (rule["draft_tasks"], rule["draft_tasks_checked"]) == (mixed["tasks"], mixed["checks"])


def test_the_file_of_the_page_is_taken_too_also_of_another_corpus(study: Study) -> None:
    client, where = researcher(study), f"{ROOT}/studies/{study.slug}/checks"
    (row,) = rows(study, "no")
    text = "article,question,system,aspect,accepted,kind\n"
    text += f"{row['article']},{row['question']},{row['system']},correct,no,attention\n"
    reply = client.post(where, text, content_type="text/csv")
    (made,) = reply.json()["results"]
    assert (made["kind"], made["accepted"]) == ("attention", {"correct": ["no"]})
    hidden = make_corpus(articles=1)
    assert client.post(f"{where}?corpus={hidden.pk}", text, content_type="text/csv").json()["code"] == "api.no_corpus"
    assert client.post(where, "\x00", content_type="text/csv").status_code == 422


def test_what_a_check_accepts_is_corrected_by_its_etag_and_judged_anew(
    django_capture_on_commit_callbacks: Any,
) -> None:
    study = study_with_checks(checks=1, articles=1)
    client, annotator = researcher(study), MemberFactory(study=study, pseudonym="A")
    judge(take(annotator), checks=WRONG)
    (check,) = send(client, "GET", f"/studies/{study.slug}/checks").json()["results"]
    assert (check["share"]["passed"], check["share"]["n"]) == (0, 1)
    assert check["missed"] == {"correct": 1, "completeness": 1}
    where = f"/studies/{study.slug}/checks/{check['id']}"
    tag = send(client, "GET", where)["ETag"]
    body = {"accepted": {"correct": "no"}}
    assert send(client, "PATCH", where, body).status_code == 428
    wrong = send(client, "PATCH", where, {"accepted": {"correct": "perhaps"}}, **{"if-match": tag})
    assert [each["field"] for each in wrong.json()["errors"]] == ["accepted.correct"]
    corrected = send(client, "PATCH", where, body, **{"if-match": tag}).json()
    assert (corrected["accepted"], corrected["share"]["passed"]) == ({"correct": ["no"]}, 1)
    assert send(client, "PATCH", where, body, **{"if-match": tag}).status_code == 412
    (result,) = send(client, "GET", f"/studies/{study.slug}/checks/results?annotator={annotator.pk}").json()["results"]
    assert (result["check"], result["passed"], result["counts"], result["met_before"]) == (
        check["id"],
        True,
        True,
        False,
    )
    for _ in range(2):
        assert send(client, "POST", f"{where}/retire").json()["retired_at"], "out of use, and not into it again"
    (result,) = send(client, "GET", f"/studies/{study.slug}/checks/results").json()["results"]
    assert result["counts"] is False
    assert send(client, "POST", f"{where}/use").json()["retired_at"] is None


def test_who_fails_is_told_and_what_the_rule_did_is_undone(django_capture_on_commit_callbacks: Any) -> None:
    study = study_with_checks()
    client, annotator = researcher(study), MemberFactory(study=study, pseudonym="A")
    where = f"/studies/{study.slug}/checks"
    read = send(client, "GET", f"{where}/rule")
    change = {"action": "pause", "most_failed": 1}
    set_rule(study, action=Action.NOTHING, words="")
    stale = send(client, "PATCH", f"{where}/rule", change, **{"if-match": read["ETag"]})
    assert stale.status_code == 412
    assert send(client, "PATCH", f"{where}/rule", change, **ANY).json()["code"] == "studies.reason_needed"
    changed = send(client, "PATCH", f"{where}/rule", change | {"words": "Read it all."}, **ANY).json()
    assert (changed["action"], changed["every"], changed["words"]) == ("pause", 1, "Read it all.")
    assert send(client, "PATCH", f"{where}/rule", {"most_failed": None}, **ANY).status_code == 422
    with django_capture_on_commit_callbacks(execute=True):
        judge(take(annotator), checks=WRONG)
    (failed,) = send(client, "GET", f"{where}/annotators").json()["results"]
    assert (failed["pseudonym"], failed["passed"], failed["n"], failed["percent"]) == ("A", 0, 1, 0.0)
    assert failed["high"] > 50, "of one check little is known"
    (action,) = send(client, "GET", f"{where}/actions").json()["results"]
    assert (action["action"], action["failed"], action["still_holds"]) == ("pause", 1, True)
    assert Member.objects.get(pk=annotator.pk).paused_at is not None
    undone = send(client, "POST", f"{where}/actions/{action['id']}/undo").json()
    assert undone["undone_at"]
    assert Member.objects.get(pk=annotator.pk).paused_at is None


@pytest.mark.parametrize("with_key", [False, True], ids=["checks", "key of a round"])
@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("{header}\na,\x00b,correct,yes", "crowd.file_unstorable", "U+0000"),
        ('[{{"article": "\\u0000"}}]', "crowd.file_unstorable", "U+0000"),
        ('[{{"accepted": {{"\\ud800": ["yes"]}}}}]', "crowd.file_unstorable", "U+D800"),
        ('{header}\na,b,correct,yes\n"' + (LONGEST_CELL + 1) * "x", "crowd.file_unreadable", "Row 3"),
        ((LONGEST_CELL + 1) * "x", "crowd.file_unreadable", "Row 1"),
    ],
    ids=["NUL", "NUL spelled out", "half a pair", "long cell", "long name of a column"],
)
def test_a_file_that_cannot_be_stored_or_read_is_refused_in_words(
    study: Study, text: str, code: str, where: str, with_key: bool
) -> None:
    content = text.format(header="article,question,item,aspect,accepted").encode()
    if with_key:
        with pytest.raises(InvalidInputError) as refused:
            read_key(content)
        assert (refused.value.reason.code, where in refused.value.reason) == (code, True)
        return
    client = researcher(study)
    reply = client.post(f"{ROOT}/studies/{study.slug}/checks", content, content_type="text/csv")
    assert (reply.status_code, reply.json()["code"]) == (422, code)
    assert where in reply.json()["detail"]
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    page = client.post(
        reverse("upload_checks", args=[study.slug]),
        {"corpus": study.corpus_id, "file": SimpleUploadedFile("checks.csv", content)},
    )
    assert page.status_code == 422
    assert where in page.content.decode()


def test_what_the_rule_did_is_read_in_as_many_queries_however_much_it_is(
    django_capture_on_commit_callbacks: Any,
) -> None:
    study = study_with_checks(articles=6)
    set_rule(study, action=Action.WARN, most_failed=1)
    client, where = researcher(study), f"/studies/{study.slug}/checks/actions"

    def fail(annotator: Member) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            judge(take(annotator), checks=WRONG)

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert send(client, "GET", where).status_code == 200
        return len(asked)

    first = MemberFactory(study=study)
    fail(first)
    queries()  # which notes that the token is used
    few = queries()
    fail(first)
    fail(MemberFactory(study=study))
    assert queries() == few
    told = send(client, "GET", where).json()["results"]
    assert [(each["failed"], each["failed_now"], each["still_holds"]) for each in told] == 3 * [(1, 1, True)]
    check = CheckResult.objects.filter(annotator=first).latest("pk").check_item
    send(client, "POST", f"/studies/{study.slug}/checks/{check.pk}/retire")
    told = [each for each in send(client, "GET", where).json()["results"] if each["annotator"] == first.pk]
    assert [(each["failed_now"], each["still_holds"]) for each in told] == [(0, False), (1, True)]


def test_many_checks_are_added_in_as_many_queries_as_few(study: Study) -> None:
    client, where = researcher(study), f"/studies/{study.slug}/checks"
    said = rows(study, *6 * ["yes"])
    assert len(said) == 6

    def queries(*sent: dict[str, Any]) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert send(client, "POST", where, {"checks": sent}).status_code == 201
        return len(asked)

    send(client, "GET", where)  # which notes that the token is used
    assert queries(said[0]) == queries(*said[1:])


def test_many_checks_under_marked_words_are_added_in_as_many_queries_as_few() -> None:
    study = make_study(corpus=corpus_of_errors(4), definition=preset("error_spans"))
    client, where = researcher(study), f"/studies/{study.slug}/checks"
    said = [
        {
            "article": question.article.external_id,
            "question": question.external_id,
            "accepted": {"errors": [{"text": "answer", "start": 0, "end": 3, "label": "contradiction"}]},
        }
        for question in Question.objects.filter(article__corpus=study.corpus).order_by("pk")
    ]

    def queries(*sent: dict[str, Any]) -> int:
        with CaptureQueriesContext(connection) as asked:
            reply = send(client, "POST", where, {"checks": sent})
            assert reply.status_code == 201, reply.content
        return len(asked)

    send(client, "GET", where)  # which notes that the token is used
    assert queries(said[0]) == queries(*said[1:])
    outside = said[0] | {"accepted": {"errors": [{"text": "answer", "start": 0, "end": 999, "label": "contradiction"}]}}
    Check.objects.all().delete()
    refused = send(client, "POST", where, {"checks": [outside]})
    assert (refused.status_code, refused.json()["code"]) == (422, "crowd.file_wrong")


def test_the_lengths_of_texts_are_those_that_a_page_shows() -> None:
    """Also of documents, whose texts are not read for it: counted in code points by the database."""
    definition = preset("error_spans") | {
        "shown": ["article", "documents", "question", "answer", "rationale", "reference_answers"]
    }
    definition["aspects"][0]["marks"] = ["article", "documents", "answer"]
    corpus = corpus_of_errors()
    question = Question.objects.filter(article__corpus=corpus)[0]
    for number, article in enumerate(corpus.articles.order_by("pk"), start=1):
        ReferenceDocument.objects.create(question=question, article=article, number=number)
    Sentence.objects.filter(number=1).update(text="\U0001f6a2 船長も。")
    study = make_study(corpus=corpus, definition=definition)
    plan_batches(study=study)
    scheme = study.scheme()
    shown = item_texts(study.items.order_by("pk"), scheme.parts)
    given = [
        (Question.objects.get(pk=each.question_id), [Answer.objects.get(question=each.question_id)]) for each in shown
    ]
    lengths = lengths_of_answers(scheme, given)
    assert [dict(each) for each in lengths] == [dict(each.shape.texts) for each in shown]
    assert {"article", "R1", "R2", "answer"} <= dict(lengths[0]).keys()


def test_a_page_of_checks_reads_no_other_checks(study: Study) -> None:
    add_some(study, 5)
    client, where = researcher(study), f"/studies/{study.slug}/checks"
    with CaptureQueriesContext(connection) as asked:
        assert len(send(client, "GET", f"{where}?limit=2").json()["results"]) == 2
    of_checks = [each["sql"] for each in asked if 'FROM "crowd_check"' in each["sql"]]
    assert of_checks
    assert all("LIMIT 3" in sql for sql in of_checks)


def test_checks_are_listed_in_pages_and_for_researchers_alone(study: Study) -> None:
    add_some(study, 3)
    client, where = researcher(study), f"/studies/{study.slug}/checks"
    first = send(client, "GET", f"{where}?limit=2&fields=id").json()
    rest = client.get(first["next"]).json()
    assert [each["id"] for each in first["results"] + rest["results"]] == sorted(
        Check.objects.values_list("pk", flat=True)
    )
    lines = client.get(f"{ROOT}{where}", headers={"accept": "application/x-ndjson"})
    assert len([json.loads(line) for line in b"".join(lines).splitlines()]) == 3  # type: ignore[arg-type]
    annotator = program(MemberFactory(study=study).user)
    for part in ("", "/rule", "/annotators", "/results", "/actions"):
        assert send(annotator, "GET", where + part).status_code == 404, "nobody who is checked reads of it"


@pytest.mark.parametrize("text", ["item,aspect,accepted\n{n},correct,yes", '[{{"item": "{n}", "accepted": {{}}}}]'])
def test_an_endless_number_of_an_item_in_a_key_is_refused_in_words(text: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        read_key(text.format(n="9" * 5_000).encode())
    assert refused.value.reason.code == "crowd.file_wrong"
