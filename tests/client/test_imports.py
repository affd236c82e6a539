"""Other tools' files by the client and from a shell, also large ones, against the platform behind its own server."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from annotation_client import AnnotationWarning, NotAcceptedError, NotThereError, Platform, Study
from annotation_client.command import app
from annotation_client.models import Corpus
from typer.testing import CliRunner

from tests.client.conftest import Served
from tests.corpus.test_labelers import OF_POTATO
from tests.crowd.providers.results import as_csv, row
from tests.servers.cutting import CuttingLine
from tests.workers.installation import ROOT

pytestmark = pytest.mark.xdist_group("client")
TABLE = "question,reference,response,model,who,equivalent\nWho?,Ada,Bo,alder,Wren,ja\nWhy?,Art,Money,birch,,\n"
COLUMNS = {"response": "answer", "reference": "reference_answers", "who": "annotator"}


@pytest.fixture(scope="module")
def platform(served: Served) -> Iterator[Platform]:
    with Platform(served.url, token=served.token) as platform:
        yield platform


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "quiz.csv"
    path.write_text(TABLE)
    return path


def test_a_labelling_tools_project_becomes_a_study(platform: Platform) -> None:
    sent = platform.imports.send(OF_POTATO, name="The sea")
    assert (sent.record.format, sent.record.state) == ("potato", "draft")
    assert "result.sentiment" in sent.preview().mapping()
    found = sent.check(progress=False, poll=0.1)
    assert (found["annotators"], bool(found["left_out"])) == (2, True)
    with pytest.warns(AnnotationWarning) as told:
        study = sent.store(progress=False, poll=0.1)
    assert [str(each.message) for each in told] == [each["detail"] for each in found["left_out"]]
    assert all(each["detail"] in found["summary"] for each in found["left_out"])
    assert {Path(each.filename).name for each in told} == {Path(__file__).name}
    assert isinstance(study, Study)
    assert (study.record.name, sent.record.state) == ("The sea", "done")
    assert study.judgments().to_pandas()["annotator"].nunique() == 2
    assert [each.record.id for each in platform.imports.all()][:1] == [sent.record.id]


def test_mistakes_are_told_by_row_and_field_and_mended_by_another_choice(platform: Platform, table: Path) -> None:
    sent = platform.imports.send(table, name="Quiz", scheme="equivalence", overlap=1)
    sent.change(columns=COLUMNS)
    with pytest.raises(NotAcceptedError, match="Nothing was stored: 1 mistake") as refused:
        sent.store(progress=False, poll=0.1)
    assert [(each.line, each.field) for each in refused.value.mistakes] == [(2, "equivalent")]
    sent.change(values={"equivalent": {"ja": "yes"}})
    study = sent.store(progress=False, poll=0.1)
    assert isinstance(study, Study)
    assert [row["values"]["equivalent"] for row in study.judgments(which="all")] == ["yes"]


def test_a_marketplaces_results_become_a_study_with_what_stood_beside_the_judgments(
    platform: Platform, tmp_path: Path
) -> None:
    path = tmp_path / "batch.csv"
    path.write_bytes(as_csv(row(1), row(2, "AWORKER2", AssignmentStatus="Rejected")))
    sent = platform.imports.send_results(path)
    sent.change(name="Of long ago", scheme="ebr")
    with pytest.warns(AnnotationWarning, match="2 values of “task”"):
        study = sent.store(progress=False, poll=0.1)
    assert isinstance(study, Study)
    (file,) = platform.imports.results_files()
    assert (file["study"], file["assignments"], file["rejected"]) == (study.slug, 2, 1)
    assert [each["status"] for each in study.crowd.imported_work()] == ["Approved", "Rejected"]
    (annotator,) = study.crowd.annotators()
    assert study.crowd.annotator(annotator["id"])["signs"] == []
    assert study.crowd.annotator_history(annotator["id"]).to_list() == []
    assert {each["key"]: each["annotators"] for each in study.crowd.sources()}["results_file"] == [annotator["id"]]
    item = next(iter(study.items()))["id"]
    assert study.crowd.to_adjudicate(item)["own"] is None
    said = {"correct": "yes", "completeness": "complete", "sentences": [1], "reasons": "Sentence 1 says so."}
    study.crowd.adjudicate(item, said, scheme_signature=study.record.scheme_signature)
    assert study.crowd.make_check(item)["accepted"]["completeness"] == ["complete"]


def test_staff_keep_the_connections_of_the_platform(platform: Platform) -> None:
    made = platform.add_connection("For all", "https://models.example.org/v1", "m", key="sk-1")
    assert platform.change_connection(made["id"], price_in=2.0)["price_in"] == 2.0
    assert platform.connection(made["id"])["has_key"]
    assert [each["name"] for each in platform.connections()] == ["For all"]
    assert platform.try_connection(made["id"])["id"] == made["id"]


def test_a_large_file_is_streamed_and_its_first_rows_read_by_a_worker(platform: Platform, tmp_path: Path) -> None:
    """More than the 5 MB that other addresses take, and than a process keeps in memory of one body."""
    path = tmp_path / "large.csv"
    rows = "".join(f"Q{n}?,Ada,{'x' * 1000},alder\n" for n in range(7_000))
    path.write_text(f"question,reference,answer,system\n{rows}")
    sent = platform.imports.send(path, target="corpus", scheme="equivalence", name="Large")
    sent.change(columns={"reference": "reference_answers"})
    assert sent.preview(poll=0.1).mapping()["answer"] == "answer"
    assert sent.record.files[0]["size"] == path.stat().st_size > 7_000_000
    corpus = sent.store(progress=False, poll=0.1)
    assert isinstance(corpus, Corpus)
    assert corpus.name == "Large"


def test_a_slash_at_the_end_makes_no_smaller_file(served: Served) -> None:
    long = [{"question": f"Q{n}?", "answer": "So. " * 200_000, "system": "alder"} for n in range(10)]
    rows = "\n".join(map(json.dumps, long))
    headers = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/x-ndjson"}
    for end in ("", "/"):
        address = f"{served.url}/api/v1/corpora{end}?name=Large{len(end)}"
        reply = httpx2.post(address, content=rows, headers=headers, timeout=60)
        assert reply.status_code == 201, reply.text


def test_giving_up(platform: Platform, table: Path) -> None:
    sent = platform.imports.send(table)
    sent.give_up()
    with pytest.raises(NotThereError):
        platform.imports.get(sent.record.id)


def test_the_same_from_a_shell(served: Served, table: Path, platform: Platform) -> None:
    def annotate(*arguments: str) -> tuple[int, str]:
        environment = {"ANNOTATION_URL": served.url, "ANNOTATION_TOKEN": served.token}
        result = CliRunner().invoke(app, arguments, env=environment)
        return result.exit_code, result.output

    status, listed = annotate("formats")
    assert (status, "label_studio\t" in listed) == (0, True)
    columns = [part for column, field in COLUMNS.items() for part in ("--column", f"{column}={field}")]
    before = len(platform.imports.all())
    status, told = annotate("import", str(table), "--scheme", "equivalence", *columns, "--check")
    assert (status, "line 2, equivalent" in told) == (1, True)
    table.write_text(TABLE.replace("ja", "yes"))
    status, told = annotate("import", str(table), "--scheme", "equivalence", *columns, "--check", "--name", "By shell")
    assert (status, "2 questions with 2 answers; 1 judgment by 1 annotator." in told) == (0, True)
    assert len(platform.imports.all()) == before
    status, told = annotate("import", str(table), "--scheme", "equivalence", *columns, "--name", "By shell")
    assert (status, told.strip().splitlines()[-1]) == (0, "by-shell")
    status, told = annotate("import", str(table), "--scheme", "equivalence", *columns, "--corpus", "--name", "Alone")
    assert (status, told.strip().splitlines()[-1].isdigit()) == (0, True)


def test_an_interrupted_command_says_that_the_import_goes_on(served: Served, table: Path, platform: Platform) -> None:
    name = "Interrupted while it is stored"
    with CuttingLine(urlsplit(served.url).port or 80) as line:
        line.silent_from = b"/store "
        known = {"ANNOTATION_URL": line.url, "ANNOTATION_TOKEN": served.token, "PYTHONPATH": str(ROOT / "client/src")}
        command = [sys.executable, "-m", "annotation_client", "import", str(table), "--name", name, "--corpus"]
        command += ["--scheme", "equivalence", "--column", "reference=reference_answers"]
        asked = subprocess.Popen(command, env=known, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert line.is_silent.wait(60)
        asked.send_signal(signal.SIGINT)
        _, said = asked.communicate(timeout=60)
    (sent,) = (each for each in platform.imports.all() if each.record.name == name)
    assert (asked.returncode, f"Import {sent.record.id} goes on there." in said) == (130, True), said
