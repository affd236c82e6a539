"""What pages alone could before: connections of the platform, files of results, checks of decisions, own threads."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation_platform.accounts.models import Event
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.services import send_message, send_message_about_study
from annotation_platform.crowd.monitor.models import Sign
from annotation_platform.crowd.pay.services import correct
from annotation_platform.imports.jobs import execute_job
from annotation_platform.scoring.models import ConnectionTrial, ModelConnection
from annotation_platform.studies.models import Batch, Member, Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.api.clients import ROOT, program, send
from tests.crowd.pay.paying import agree
from tests.crowd.providers.results import as_csv, row
from tests.factories import OPERATOR, MemberFactory, UserFactory, judgment, open_study, study_with_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("api-as-pages")]

NEW = {"name": "All", "base_url": "https://models.example.org/v1", "model": "m", "key": "sk-very-secret"}


def ok(reply: Any, status: int = 200) -> Any:
    assert reply.status_code == status, reply.content
    return reply.json()


@pytest.fixture
def staff() -> Client:
    return program(UserFactory(is_staff=True))


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(name="Owls", annotators=3, hits_per_batch=1)


@pytest.fixture
def admin(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN)


def test_staff_keep_the_platforms_connections_whose_keys_are_never_told(staff: Client) -> None:
    made = send(staff, "POST", "/connections", NEW)
    told = ok(made, 201)
    assert (told["has_key"], told["key_variable"], told["trial"]) == (True, "", None)
    assert "sk-very-secret" not in made.content.decode()
    own = ModelConnection.objects.get(study=None)
    one = send(staff, "GET", f"/connections/{own.pk}")
    changed = ok(send(staff, "PATCH", f"/connections/{own.pk}", {"price_in": 2}, **{"if-match": one["ETag"]}))
    assert (changed["price_in"], changed["has_key"]) == (2, True)
    assert (
        send(staff, "PATCH", f"/connections/{own.pk}", {"model": "n"}, **{"if-match": one["ETag"]}).status_code == 412
    )
    named = {"key_variable": "OPENAI_API_KEY", "base_url": "https://other.example.org/v1"}
    assert ok(send(staff, "PATCH", f"/connections/{own.pk}", named, **{"if-match": "*"}))["has_key"] is False
    assert ok(send(staff, "GET", "/connections"))["results"][0]["key_variable"] == "OPENAI_API_KEY"
    ok(send(staff, "POST", f"/connections/{own.pk}/try"))
    assert ConnectionTrial.objects.get().connection == own
    assert all("sk-very-secret" not in str(each.change) for each in Event.objects.all())


def test_a_connection_of_the_platform_that_cannot_be_is_refused_field_by_field(staff: Client) -> None:
    wrong = ok(send(staff, "POST", "/connections", NEW | {"base_url": "models", "key_variable": "HOME"}), 422)
    assert {each["field"] for each in wrong["errors"]} == {"base_url", "key_variable"}
    assert not ModelConnection.objects.exists()


def test_a_studys_connection_has_no_variable_and_is_none_of_the_platforms(admin: Member, staff: Client) -> None:
    client = program(admin.user)
    made = ok(send(client, "POST", f"/studies/{admin.study.slug}/connections", NEW), 201)
    assert "key_variable" not in made
    wrong = send(client, "POST", f"/studies/{admin.study.slug}/connections", NEW | {"key_variable": "OPENAI_API_KEY"})
    assert wrong.status_code == 422
    assert send(staff, "GET", f"/connections/{made['id']}").status_code == 404
    assert send(client, "GET", "/connections").status_code == 404


def post_results(client: Client, content: bytes, key: str = "", **more: Any) -> Any:
    upload = SimpleUploadedFile("batch.csv", content)
    headers = {"idempotency-key": key} if key else {}
    return client.post(f"{ROOT}/results-files", {"file": upload, **more}, headers=headers)


def test_a_file_of_results_becomes_a_study_by_the_import_that_it_names(
    staff: Client, settings: Any, tmp_path: Path
) -> None:
    settings.IMPORTS_DIR = tmp_path
    content = as_csv(row(1), row(2, "AWORKER2", AssignmentStatus="Rejected", RequesterFeedback="All the same."))
    file = ok(post_results(staff, content, key="once"), 201)
    assert ok(post_results(staff, content, key="once"), 201) == file
    counts = {name: file[name] for name in ("assignments", "workers", "tasks", "approved", "rejected", "submitted")}
    assert counts == {"assignments": 2, "workers": 2, "tasks": 1, "approved": 1, "rejected": 1, "submitted": 0}
    assert any("1" in line for line in file["left_out"])
    assert file["study"] is None
    pk = file["imported"]
    ok(send(staff, "PATCH", f"/imports/{pk}", {"name": "Of long ago", "scheme": "ebr"}))
    columns = {each["name"]: each["field"] for each in ok(send(staff, "GET", f"/imports/{pk}/preview"))["columns"]}
    assert columns["annotator"] == "annotator"
    ok(send(staff, "POST", f"/imports/{pk}/store"), 202)
    execute_job(job_id=pk)
    (after,) = ok(send(staff, "GET", "/results-files"))["results"]
    assert after["study"] == "of-long-ago"
    assert ok(send(staff, "GET", f"/results-files/{file['id']}")) == after
    member = Study.objects.get(slug="of-long-ago").members.get(role=Role.ANNOTATOR)
    work = ok(send(staff, "GET", "/studies/of-long-ago/imported-work"))["results"]
    assert [(each["annotator"], each["status"], each["feedback"]) for each in work] == [
        (member.pk, "Approved", ""),
        (None, "Rejected", "All the same."),
    ]
    own = ok(send(staff, "GET", f"/studies/of-long-ago/imported-work?annotator={member.pk}"))["results"]
    assert [each["pseudonym"] for each in own] == [member.pseudonym]
    assert "AWORKER" not in str((after, work))
    sources = {each["key"]: each for each in ok(send(staff, "GET", "/studies/of-long-ago/sources"))["results"]}
    assert sources["results_file"]["annotators"] == [member.pk]


def test_a_file_of_results_with_wrong_rows_is_refused_row_by_row(staff: Client) -> None:
    wrong = ok(post_results(staff, as_csv(row(1), row(1))), 422)
    assert (wrong["code"], wrong["errors"][0]["line"]) == ("crowd.results_wrong", 3)
    assert ok(post_results(staff, b"x" * 5_000_001), 422)["code"] == "crowd.results_too_large"


def test_a_decision_becomes_a_check_of_who_decided_alone(study: Study, admin: Member) -> None:
    client, item = program(admin.user), study.items.order_by("pk")[0]
    path = f"/studies/{study.slug}/items/{item.pk}/adjudication"
    shown = ok(send(client, "GET", path))
    assert (len(shown["judgments"]), shown["own"], shown["others"]) == (3, None, [])
    assert [each["name"] for each in shown["judgments"]] == ["A", "B", "C"]
    assert all(each["labels"] and each["texts"] for each in shown["judgments"])
    assert ok(send(client, "POST", f"{path}/check"), 404)["code"] == "crowd.no_item_to_decide"
    decided = {"values": judgment(completeness="complete"), "scheme_signature": shown["scheme_signature"]}
    ok(send(client, "PUT", path, decided))
    check = ok(send(client, "POST", f"{path}/check"), 201)
    assert (check["accepted"]["completeness"], check["question"]) == (["complete"], item.question.external_id)
    assert study.checks.get().pk == check["id"]
    assert ok(send(client, "POST", f"{path}/check"), 422)["code"] == "crowd.check_there_already"
    other = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert send(other, "POST", f"{path}/check").status_code == 404
    assert ok(send(other, "GET", path))["others_count"] == 1


def test_one_has_a_list_of_all_of_ones_own_threads_and_nobody_elses() -> None:
    studies = [open_study(name=name) for name in ("Wrens", "Finches")]
    user = UserFactory()
    wrens, finches = (MemberFactory(study=study, user=user) for study in studies)
    researcher = MemberFactory(study=studies[0], role=Role.RESEARCHER)
    task = claim_assignment(annotator=wrens, actor=OPERATOR)
    send_message(assignment=task, author=wrens, annotator=wrens, text="What is “it”?", actor=OPERATOR)
    send_message(assignment=task, author=researcher, annotator=wrens, text="The wren.", actor=OPERATOR)
    send_message_about_study(annotator=finches, author=finches, text="When is the pay?", actor=OPERATOR)
    somebody = MemberFactory(study=studies[0])
    send_message_about_study(annotator=somebody, author=somebody, text="Mine.", actor=OPERATOR)
    client = program(user, "annotate")
    threads = ok(send(client, "GET", "/work/messages"))["results"]
    assert [(each["study"], each["assignment"], each["messages"], each["unread"]) for each in threads] == [
        ("finches", 0, 1, 0),
        ("wrens", task.pk, 2, 1),
    ]
    words = [[word["text"] for word in client.get(each["address"]).json()["results"]] for each in threads]
    assert words == [["When is the pay?"], ["What is “it”?", "The wren."]]
    first = ok(send(client, "GET", "/work/messages?limit=1"))
    assert client.get(first["next"]).json()["results"] == threads[1:]


def test_an_annotator_over_time_has_the_figures_of_every_snapshot(study: Study, admin: Member) -> None:
    member, client = study.members.get(pseudonym="A"), program(admin.user)
    path = f"/studies/{study.slug}/annotators/{member.pk}"
    first = take_snapshot(study=study, resamples=5)
    Batch.objects.filter(study=study, number=2).update(state="open")
    second = take_snapshot(study=study, resamples=5)
    assert first.pk != second.pk
    rows = ok(send(client, "GET", f"{path}/history"))["results"]
    assert [each["id"] for each in rows] == [second.pk, first.pk]
    now, then = ({each["aspect"]: each for each in row["aspects"]}["completeness"] for row in rows)
    assert now["judgments"] < then["judgments"]
    leniency = then["figures"]["leniency"]
    assert {"value", "interval", "units", "z", "median", "undefined_because"} <= leniency.keys()
    table = ok(send(client, "GET", f"/studies/{study.slug}/figures/annotators?snapshot={first.pk}"))["results"]
    (same,) = [each["figures"] for each in table if each["aspect"] == "completeness"]
    assert leniency == next(each["leniency"] for each in same["annotators"] if each["name"] == "A")
    stranger = MemberFactory(study=study, pseudonym="New")
    unknown = ok(send(client, "GET", f"/studies/{study.slug}/annotators/{stranger.pk}/history"))["results"]
    assert [each["aspects"] for each in unknown] == [[], []]


def test_tables_of_figures_say_which_intervals_rest_on_few_units(study: Study, admin: Member) -> None:
    take_snapshot(study=study, resamples=5)
    (found, *_) = ok(send(program(admin.user), "GET", f"/studies/{study.slug}/figures/label_distribution"))["results"]
    cautions = {table["table"]: " ".join(table["cautions"]) for table in found["tables"]}
    assert cautions
    assert all("Rough intervals" in said for said in cautions.values()), cautions


def test_the_history_of_an_annotator_is_read_in_as_many_queries_for_many_snapshots(study: Study, admin: Member) -> None:
    client = program(admin.user)
    path = f"/studies/{study.slug}/annotators/{study.members.get(pseudonym='A').pk}/history"

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            ok(send(client, "GET", path))
        return len(asked)

    take_snapshot(study=study, resamples=2)
    queries()
    before = queries()
    for seed in (1, 2, 3):
        take_snapshot(study=study, resamples=2, seed=seed)
    assert queries() == before


def test_one_annotator_comes_with_the_evidence_for_each_sign(study: Study, admin: Member) -> None:
    member = study.members.get(pseudonym="A")
    given = member.annotations.order_by("pk")[0]
    Sign.objects.create(
        member=member,
        kind="repeated",
        words="Twice the same.",
        evidence=[{"annotation": given.pk, "slot": "reasons", "said": "2 times"}],
    )
    told = ok(send(program(admin.user), "GET", f"/studies/{study.slug}/annotators/{member.pk}"))
    (sign,) = told["signs"]
    assert (sign["kind"], sign["cases"]) == ("repeated", 1)
    (case,) = sign["evidence"]
    assert (case["judgment"], case["item"], case["text"]) == (given.pk, given.item_id, given.values["reasons"])
    assert send(program(admin.user), "GET", f"/studies/{study.slug}/annotators/{admin.pk}").status_code == 404


def test_ones_own_earnings_are_told_to_oneself_with_all_rights(study: Study) -> None:
    member = study.members.get(pseudonym="A")
    agree(study)
    correct(member=member, amount=150, reason="Thanks.", actor=OPERATOR)
    correct(member=study.members.get(pseudonym="B"), amount=900, reason="Thanks.", actor=OPERATOR)
    (own,) = ok(send(program(member.user), "GET", "/work/earnings"))["results"]
    assert (own["study"], own["earned"], own["paid"], own["balance"]) == (study.slug, "1.50", "0.00", "1.50")
    (entry,) = ok(send(program(member.user), "GET", "/work/earnings/entries"))["results"]
    assert (entry["amount"], entry["what_for"], entry["kind"]) == ("1.50", "Thanks.", "correction")
    assert send(program(member.user, "annotate"), "GET", "/work/earnings").status_code == 403
