"""Other tools' files by the API: sent, recognised, looked at, mapped, checked, stored; what is wrong is not stored."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Answer, Corpus
from annotation_platform.imports import previews
from annotation_platform.imports.jobs import execute_job
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Study
from tests.api.clients import ROOT, program, send
from tests.corpus.test_labelers import OF_POTATO
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

TABLE = """\
question,reference,response,model,who,equivalent
Who painted it?,Ada Moor,A. Moor,alder,Wren,ja
Who painted it?,Ada Moor,Bo Ek,birch,Wren,no
Who sold it?,Cy Day,Cy Day,alder,,
"""
COLUMNS = {"response": "answer", "reference": "reference_answers", "who": "annotator"}


@pytest.fixture(autouse=True)
def imports_dir(settings: Any, tmp_path: Path) -> Path:
    settings.IMPORTS_DIR = tmp_path / "imports"
    return tmp_path / "imports"


@pytest.fixture
def client() -> Client:
    return program(UserFactory(is_staff=True))


def named(name: str, text: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


def post(client: Client, *files: SimpleUploadedFile, headers: dict[str, str] | None = None, **chosen: Any) -> Any:
    return client.post(f"{ROOT}/imports", {"files": list(files), **chosen}, headers=headers)


def sent(client: Client, text: str = TABLE, name: str = "quiz.csv", **chosen: Any) -> dict[str, Any]:
    reply = post(client, named(name, text), **chosen)
    assert reply.status_code == 201, reply.content
    told: dict[str, Any] = reply.json()
    return told


def change(client: Client, pk: int, **choices: Any) -> dict[str, Any]:
    reply = send(client, "PATCH", f"/imports/{pk}", choices)
    assert reply.status_code == 200, reply.content
    told: dict[str, Any] = reply.json()
    return told


def work(client: Client, pk: int, do: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ask for it and let a worker do it; the job and the import as they are then."""
    reply = send(client, "POST", f"/imports/{pk}/{do}")
    assert reply.status_code == 202, reply.content
    assert (reply.json()["id"], reply.json()["state"]) == (f"import-{pk}", "pending")
    execute_job(job_id=pk)
    job = client.get(reply["Location"]).json()
    return job, client.get(job["resource"]).json()


def test_every_format_of_the_page_is_listed(client: Client) -> None:
    listed = {each["key"]: each for each in send(client, "GET", "/import-formats").json()["results"]}
    assert {"inspect", "label_studio", "langfuse", "argilla", "otel", "table"} <= listed.keys()
    assert (listed["table"]["scheme"], listed["table"]["needs_scheme"]) == (None, True)
    assert (listed["acorn"]["scheme"], listed["acorn"]["needs_scheme"]) == ("acorn", False)


def test_a_tools_project_becomes_a_study_by_format_that_was_recognised(client: Client) -> None:
    paths = [OF_POTATO[1], OF_POTATO[0], *OF_POTATO[2:]]
    reply = post(client, *(named(path.name, path.read_bytes()) for path in paths), name="Sea")
    told = reply.json()
    assert (reply.status_code, told["format"], told["state"], told["name"]) == (201, "potato", "draft", "Sea")
    assert [each["name"] for each in told["files"]] == [path.name for path in paths]
    columns = {each["name"] for each in send(client, "GET", f"/imports/{told['id']}/preview").json()["columns"]}
    assert "result.sentiment" in columns

    job, found = work(client, told["id"], "check")
    assert (job["state"], job["error"], job["result"], job["study"]) == ("draft", None, None, None)
    assert found["found"]["annotators"] == 2
    assert any("image_annotation" in each["what"] for each in found["found"]["left_out"])
    assert not Study.objects.filter(name="Sea").exists()

    job, done = work(client, told["id"], "store")
    study = Study.objects.get(name="Sea")
    assert (job["state"], job["study"], done["study"]) == ("done", study.slug, study.slug)
    assert client.get(job["result"]).json()["name"] == "Sea"
    assert Annotation.objects.filter(item__study=study).count() == done["found"]["judgments"]
    again = send(client, "POST", f"/imports/{told['id']}/store")
    assert (again.status_code, again.json()["code"]) == (409, "imports.imported_already")
    assert send(client, "GET", f"/imports/{told['id']}/preview").status_code == 409


def test_a_table_is_mapped_and_what_its_values_stand_for_is_said(client: Client) -> None:
    made = sent(client, scheme="equivalence")
    assert (made["format"], made["scheme"], made["name"]) == ("table", "equivalence", "quiz")
    pk = made["id"]
    change(client, pk, columns={**COLUMNS, "model": ""})
    preview = send(client, "GET", f"/imports/{pk}/preview").json()
    taken = {each["name"]: each["field"] for each in preview["columns"]}
    assert (taken["response"], taken["model"]) == ("answer", "")
    change(client, pk, columns=COLUMNS)
    preview = send(client, "GET", f"/imports/{pk}/preview").json()
    by_name = {each["name"]: each for each in preview["columns"]}
    assert by_name["question"]["first"][:2] == ["Who painted it?", "Who painted it?"]
    assert set(by_name["equivalent"]["values"]) >= {"ja", "no"}
    (equivalent,) = [each for each in preview["known_fields"] if each["key"] == "equivalent"]
    assert "yes" in {each["value"] for each in equivalent["values"]}

    job, wrong = work(client, pk, "check")
    assert (job["state"], job["error_code"], wrong["mistake_count"]) == ("draft", wrong["mistakes"][0]["code"], 1)
    assert (wrong["mistakes"][0]["line"], wrong["mistakes"][0]["field"]) == (2, "equivalent")
    assert "ja" in wrong["mistakes"][0]["detail"]
    change(client, pk, values={"equivalent": {"ja": "yes"}}, overlap=1)
    job, done = work(client, pk, "store")
    assert (job["state"], done["found"]["judgments"], done["mistakes"]) == ("done", 2, [])
    assert Study.objects.get(slug=done["study"]).overlap == 1


def test_files_become_a_corpus_alone(client: Client) -> None:
    made = sent(client, TABLE.replace("ja", "yes"), target="corpus", name="Paintings", scheme="equivalence")
    change(client, made["id"], columns=COLUMNS)
    job, done = work(client, made["id"], "store")
    corpus = Corpus.objects.get(name="Paintings")
    assert (job["state"], done["corpus"], done["study"], job["study"]) == ("done", corpus.pk, None, None)
    assert client.get(job["result"]).json()["name"] == "Paintings"
    assert Answer.objects.filter(question__article__corpus=corpus).count() == 3


def test_large_files_are_looked_at_by_a_worker(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "AT_ONCE", 10)
    made = sent(client, scheme="equivalence")
    assert (made["state"], made["wanted"]) == ("pending", "look")
    early = send(client, "GET", f"/imports/{made['id']}/preview")
    assert (early.status_code, early.json()["code"]) == (409, "imports.files_in_use")
    assert send(client, "PATCH", f"/imports/{made['id']}", {"name": "Other"}).status_code == 409
    assert send(client, "DELETE", f"/imports/{made['id']}").status_code == 409
    execute_job(job_id=made["id"])
    assert send(client, "GET", f"/imports/{made['id']}/preview").json()["columns"][0]["name"] == "question"
    assert change(client, made["id"], format="native")["wanted"] == "look"
    execute_job(job_id=made["id"])
    unread = send(client, "GET", f"/imports/{made['id']}/preview").json()
    assert (unread["code"], bool(unread["errors"])) == ("imports.rows_unread", True)


def test_giving_up_forgets_the_files(client: Client, imports_dir: Path) -> None:
    made = sent(client)
    assert (imports_dir / str(made["id"])).exists()
    assert send(client, "DELETE", f"/imports/{made['id']}").status_code == 204
    assert not (imports_dir / str(made["id"])).exists()
    assert send(client, "GET", f"/imports/{made['id']}").json()["code"] == "imports.no_import"
    assert send(client, "GET", f"/jobs/import-{made['id']}").status_code == 404


@pytest.mark.parametrize(
    ("chosen", "status", "told"),
    [
        ({"format": "word"}, 422, "format"),
        ({"target": "cellar"}, 422, "target"),
        ({"language": "EN"}, 422, "language"),
        ({"overlap": "0"}, 422, "overlap"),
        ({"colour": "red"}, 422, "colour"),
        ({"scheme": "none such"}, 404, ""),
    ],
)
def test_what_cannot_be_chosen_is_told_and_nothing_is_kept(
    client: Client, chosen: dict[str, str], status: int, told: str
) -> None:
    reply = post(client, named("quiz.csv", TABLE), **chosen)
    assert (reply.status_code, [each["field"] for each in reply.json().get("errors", [])]) == (
        status,
        [told] if told else [],
    )
    assert not ImportJob.objects.exists()


def test_a_wrong_scheme_of_ones_own_is_told_line_by_line(client: Client) -> None:
    made = sent(client, scheme_text="key: x\naspects: 3\n")
    reply = send(client, "GET", f"/imports/{made['id']}/preview")
    assert (reply.status_code, reply.json()["code"]) == (422, "imports.scheme_wrong")
    assert reply.json()["errors"]


def test_what_is_too_much_or_nothing_is_refused(client: Client, settings: Any) -> None:
    assert post(client, named("quiz.csv", "")).json()["code"] == "imports.empty_file"
    assert [each["field"] for each in client.post(f"{ROOT}/imports", {}).json()["errors"]] == ["files"]
    assert [each["field"] for each in send(client, "POST", "/imports", {}).json()["errors"]] == ["uploads"]
    assert client.post(f"{ROOT}/imports", "a,b", content_type="text/csv").status_code == 415
    assert client.post(f"{ROOT}/imports", "x", content_type="multipart/form-data; boundary=x").status_code in (400, 422)
    assert client.post(f"{ROOT}/imports", "x", content_type="multipart/form-data").status_code == 400
    assert post(client, named("quiz.csv", TABLE), name="a\x00b").json()["errors"][0]["field"] == "name"
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = 1
    assert post(client, named("a.csv", "a"), named("b.csv", "b")).json()["code"] == "api.too_many_parts"
    settings.IMPORT_MAX_MEGABYTES = 0
    assert post(client, named("quiz.csv", TABLE)).json()["code"] == "imports.files_too_large"
    assert not ImportJob.objects.exists()


def test_the_same_files_sent_again_with_a_key_are_one_import(client: Client) -> None:
    key = {"idempotency-key": "quiz"}
    first = post(client, named("quiz.csv", TABLE), headers=key)
    again = post(client, named("quiz.csv", TABLE), headers=key)  # its parts have another boundary
    assert (again.json(), again["Idempotent-Replay"]) == (first.json(), "true")
    other = post(client, named("quiz.csv", TABLE + "x"), headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "api.key_used")
    assert ImportJob.objects.count() == 1


def test_imports_are_their_owners_alone(client: Client) -> None:
    made = sent(client)
    other = program(UserFactory(is_staff=True))
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("GET", "/preview"), ("POST", "/store")):
        reply = send(other, method, f"/imports/{made['id']}{path}", {})
        assert (reply.status_code, reply.json()["code"]) == (404, "imports.no_import"), path
    assert send(other, "GET", "/imports").json()["results"] == []
    assert send(other, "GET", f"/jobs/import-{made['id']}").status_code == 404
    (mine,) = send(client, "GET", "/imports").json()["results"]
    assert mine["id"] == made["id"]


@pytest.mark.parametrize("path", ["/imports", "/results-files"])
def test_a_request_without_a_body_is_told_what_it_lacks(client: Client, path: str) -> None:
    reply = client.generic("POST", f"{ROOT}{path}", b"")
    assert reply.status_code == 422, reply.content
