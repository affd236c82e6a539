"""The command ``annotate`` against a real server: what it prints for people and programs, and how it says no."""

import csv
import io
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pandas
import pyarrow.parquet
import pytest
from annotation_client import AnnotationWarning, Platform, Study, tables
from annotation_client.command import app
from annotation_client.models import Corpus
from typer.main import get_command
from typer.testing import CliRunner

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.client.test_client import ROWS, opinion
from tests.scoreback.worlds import DEFINITION, FILES, WRITTEN
from tests.servers.receiver import Receiver
from tests.servers.score_takers import PUBLIC, SECRET, ScoreTakers
from tests.workers.installation import ROOT

pytestmark = pytest.mark.xdist_group("client")


@pytest.fixture(scope="module")
def platform(served: Served) -> Iterator[Platform]:
    with Platform(served.url, token=served.token) as platform:
        yield platform


@pytest.fixture(scope="module")
def study(platform: Platform) -> Study:
    """Judged by two, and released twice."""
    rows = [{**row, "question": f"By shell: {row['question']}"} for row in ROWS]
    study = platform.studies.create("Of the shell", scheme="ebr", items=rows, overlap=2, questions_per_hit=4)
    study.release()
    link = study.invite(max_uses=2).link or ""
    for who in range(2):
        ScriptedAnnotator(link, f"Annotator {who}", opinion(who)).work(study.slug)
    study.wait(progress=False, timeout=60, poll=0.1)
    for title in ("First", "Second"):
        made = study.freeze(title, authors=["Doe, Jane"], licence="CC0-1.0", progress=False, poll=0.1)
        study.settle(made.number, {each.id: "kept" for each in made.findings}, progress=False, poll=0.1)
    return study


class Shell:
    """Runs the command in this process, as from a pipe."""

    def __init__(self, served: Served) -> None:
        self._known = {"ANNOTATION_URL": served.url, "ANNOTATION_TOKEN": served.token}

    def __call__(self, *arguments: object, code: int = 0) -> str:
        done = CliRunner().invoke(app, list(map(str, arguments)), env=self._known)
        assert done.exit_code == code, done.output
        return str(done.output if code else done.stdout)

    def json(self, *arguments: object) -> Any:
        return json.loads(self(*arguments, "--json"))


@pytest.fixture
def run(served: Served) -> Shell:
    return Shell(served)


def every_command() -> Iterator[tuple[str, Any]]:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        inside = getattr(command, "commands", None)
        yield from ((f"{name} {each}", it) for each, it in inside.items()) if inside else [(name, command)]


def test_every_command_says_what_it_does_and_has_json() -> None:
    found = dict(every_command())
    assert len(found) > 70
    for name, command in found.items():
        assert command.help.strip().endswith("."), name
        assert "--json" in {option for parameter in command.params for option in parameter.opts}, name


def test_releases_are_compared_and_withdrawn(run: Shell, study: Study) -> None:
    told = run("compare", study.slug, 2)
    assert told.startswith("Release 2 beside release 1: judgments: 0 added, 0 changed, 0 gone.")
    found = run.json("compare", study.slug, 2, "--since", 1)
    assert (found["before"], found["after"]) == (1, 2)
    assert run("releases", study.slug).splitlines()[0].split("\t")[:3] == ["2", "Second", "done"]
    assert [each["number"] for each in run.json("releases", study.slug)] == [2, 1]
    told = run("freeze", study.slug, "Third", "--author", "Doe, Jane", "--embargo-until", "2099-01-01", "--no-prompts")
    assert told.startswith("Release 3 is ")
    if "is draft" in told:
        verdicts = [part for each in told.splitlines()[1:] for part in ("--verdict", f"{each.split()[0]}=kept")]
        assert run("settle", study.slug, 3, *verdicts).startswith("Release 3 is done")
    refused = httpx2.get(run("link", study.slug, 3).strip())
    assert (refused.status_code, "2099-01-01" in refused.text) == (404, True)
    assert run("withdraw", study.slug, 3, "--because", "A name was left.") == "Release 3 is withdrawn.\n"
    assert "A name was left." in run("download", study.slug, 3, code=1)


def test_a_release_is_handed_out(run: Shell, study: Study) -> None:
    assert "/releases/" in run("link", study.slug, 1, "--days", 2, "--note", "For reviewers")
    (made,) = run.json("links", study.slug, 1)
    assert (made["note"], made["revoked_at"]) == ("For reviewers", None)
    assert run("unlink", study.slug, 1, made["id"]).endswith("lets nobody in any more.\n")
    right = run("allow", study.slug, 1, "--email", "aya@example.org").strip()
    assert run("allowed", study.slug, 1).split("\t")[:2] == [right, "aya@example.org"]
    assert run.json("disallow", study.slug, 1, right)["revoked_at"]
    assert run("given") == ""


def test_a_release_that_is_there_is_not_downloaded_again(run: Shell, study: Study, tmp_path: Path) -> None:
    run("allow", study.slug, 2, "--team", study.slug, "--role", "admin")
    given = run("given", "--to", tmp_path)
    there = tmp_path / f"{study.slug}-release-2"
    assert given.strip() == str(there)
    before = (there / "manifest.json").stat()
    assert run("given", "--to", tmp_path) == given
    assert (there / "manifest.json").stat() == before
    assert "is there already" in run("download", study.slug, 2, "--folder", tmp_path, code=1)
    (there / "README.md").unlink()
    assert "README.md is missing" in run("given", "--to", tmp_path, code=1)


def test_a_release_that_differs_keeps_no_other_one_from_being_downloaded(
    run: Shell, study: Study, tmp_path: Path
) -> None:
    for number in (1, 2):
        run("allow", study.slug, number, "--team", study.slug, "--role", "admin")
    first, second = sorted(map(Path, run("given", "--to", tmp_path).split()))
    for changed, other in ((first, second), (second, first)):
        shutil.rmtree(other)
        (changed / "README.md").write_text("Another text.")
        told = run("given", "--to", tmp_path, code=1)
        assert str(other) in told.splitlines()
        assert f"Release {changed.name[-1]} of {study.slug}: README.md" in told
        shutil.rmtree(changed)
        run("given", "--to", tmp_path)


def test_lists_stand_in_csv_as_json(run: Shell, study: Study, tmp_path: Path) -> None:
    run("judgments", study.slug, "--to", tmp_path / "judgments.csv")
    with (tmp_path / "judgments.csv").open(newline="", encoding="utf-8") as file:
        assert all(isinstance(json.loads(row["sentences"]), list) for row in csv.DictReader(file))
    marks = [{"text": "answer", "start": 0, "end": 2, "label": "slip", "note": "So “it” is."}]
    frame = tables.in_cells(tables.to_pandas([{"id": 1, "values": {"errors": marks, "ok": "yes"}}]))
    (row,) = csv.DictReader(io.StringIO(frame.to_csv(index=False)))
    assert (json.loads(row["errors"]), row["ok"], row["id"]) == (marks, "yes", "1")


def test_a_file_that_is_there_stays_until_the_new_one_is_whole(run: Shell, study: Study, tmp_path: Path) -> None:
    file = tmp_path / "judgments.jsonl"
    file.write_text("of yesterday")
    run("judgments", study.slug, "--which", "curent", "--to", file, code=1)
    run("training", study.slug, 2, "dpo", "--aspect", "nothing", "--to", file, code=1)
    assert [each.read_text() for each in tmp_path.iterdir()] == ["of yesterday"]
    run("judgments", study.slug, "--to", file)
    assert [len(each.read_text().splitlines()) for each in tmp_path.iterdir()] == [2 * len(ROWS)]


def test_what_others_train_on(run: Shell, study: Study, tmp_path: Path) -> None:
    lines = run("training", study.slug, 1, "judge").splitlines()
    assert lines
    assert {"messages"} <= json.loads(lines[0]).keys()
    to = tmp_path / "chats.jsonl"
    assert run.json("training", study.slug, 1, "judge", "--to", to) == {"file": str(to)}
    assert to.read_text().splitlines() == lines
    assert run("training", study.slug, 1, "sft", code=1)
    assert run("for", study.slug, 1, "label_studio", tmp_path / "project.zip").strip().endswith("project.zip")
    folder = run("download", study.slug, 1, "--folder", tmp_path).strip()
    assert run.json("verify", folder)["sha256"] == run.json("releases", study.slug)[-1]["digest"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_so_does_a_table_that_is_there(
    ending: str, run: Shell, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / f"judgments.{ending}"
    run("judgments", study.slug, "--to", file)
    before = file.read_bytes()

    def breaks_off(*given: Any, **how: Any) -> None:
        file_or_path = given[1]
        if isinstance(file_or_path, Path):
            file_or_path.write_text("half of")
        raise OSError("The disk is full.")

    monkeypatch.setattr(pandas.DataFrame, "to_csv", breaks_off)
    monkeypatch.setattr(pyarrow.parquet, "write_table", breaks_off)
    run("judgments", study.slug, "--to", file, code=1)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [before]


def test_what_leads_to_a_file_still_does_so_when_that_is_written(run: Shell, study: Study, tmp_path: Path) -> None:
    """As /dev/stdout does, where a shell writes what is printed into a file."""
    file, link = tmp_path / "judgments.jsonl", tmp_path / "newest.jsonl"
    file.touch()
    link.symlink_to(file)
    run("judgments", study.slug, "--to", link)
    assert (link.readlink(), len(file.read_text().splitlines())) == (file, 2 * len(ROWS))


def test_items_are_narrowed_by_what_is_written(run: Shell, platform: Platform) -> None:
    rows = [
        {"article": "A", "question": f"What is {word}?", "answer": "So.", "system": "m"} for word in ("null", "1e3")
    ]
    slug = platform.studies.create("Narrowed", scheme="ebr", items=rows).slug
    for word in ("null", "1e3"):
        (line,) = run("search", slug, "", "--narrow", f"q={word}").splitlines()
        assert f"What is {word}?" in line
    run("search", slug, "", "--most", -1, code=2)


def test_figures_and_search(run: Shell, study: Study) -> None:
    assert run("agreement", study.slug, "completeness").startswith("α of")
    assert run.json("agreement", study.slug, "completeness")["raw"]["judgments"] == 2 * len(ROWS)
    assert [each["id"] for each in run.json("snapshots", study.slug)] == [int(run("measure", study.slug))]
    assert "krippendorff_alpha" in {each["name"] for each in run.json("figures", study.slug, "list")}
    found = run.json("search", study.slug, "kind 3")
    assert [each["question"] for each in found] == ["By shell: When do owls of kind 3 hunt?"]
    assert len(run("search", study.slug, "", "--most", 3).splitlines()) == 3
    narrowed = run.json("search", study.slug, "", "--narrow", "system=model-1")
    assert {tuple(each["systems"]) for each in narrowed} == {("model-1",)}


def test_scores_go_back(run: Shell, study: Study) -> None:
    with Receiver() as langfuse:
        address = f"http://127.0.0.1:{langfuse.port}"
        known = ("--aspect", "completeness", "--secret", "sk", "--public-key", "pk")
        assert run("scores", "save", study.slug, "langfuse", address, *known) == "Scores can be sent to langfuse.\n"
        assert run("scores", "list", study.slug).split("\t")[:2] == ["langfuse", address]
        assert run.json("scores", "preview", study.slug, "langfuse")["untraced"] == len(ROWS)
        assert run("scores", "sent", study.slug, "langfuse") == ""
        assert run("scores", "delete", study.slug, "langfuse") == "langfuse is forgotten.\n"
    assert run("scores", "preview", study.slug, "langfuse", code=1)


def test_scores_of_traced_answers_are_sent_once(run: Shell, platform: Platform) -> None:
    sent = platform.imports.send(
        WRITTEN / FILES["langfuse"], target="corpus", scheme=DEFINITION, name="By shell traced"
    )
    with pytest.warns(AnnotationWarning, match="2 values of"):
        corpus = sent.store(progress=False, poll=0.1)
    assert isinstance(corpus, Corpus)
    study = platform.studies.create("Traced", scheme=DEFINITION, corpus=corpus.id, overlap=1, questions_per_hit=2)
    study.release()
    said = {"quality": "4", "tone": "dry"}
    assert ScriptedAnnotator(study.invite(max_uses=1).link or "", "Wren", lambda item: said).work(study.slug) == 2
    with ScoreTakers() as takers:
        known = ("--aspect", "quality", "--secret", SECRET, "--public-key", PUBLIC)
        run("scores", "save", study.slug, "langfuse", takers.url, *known)
        assert run("scores", "send", study.slug, "langfuse") == "2 of 2 were sent.\n"
        assert [each["value"] for each in takers.scores["langfuse"].values()] == [4, 4]
        rows = [line.split("\t") for line in run("scores", "sent", study.slug, "langfuse").splitlines()]
        assert [(aspect, float(value), state) for _, _, aspect, value, _, state, _ in rows] == [
            ("quality", 4, "sent")
        ] * 2
        asked = len(takers.requests)
        assert run.json("scores", "send", study.slug, "langfuse")["state"] == "done"
        assert len(takers.requests) == asked, "what is there already is not sent again"
        takers.moods.append(401)
        run("scores", "save", study.slug, "langfuse", takers.url, *known, "--aspect", "tone")
        assert run("scores", "send", study.slug, "langfuse", code=1)


def test_people_and_messages(run: Shell, study: Study) -> None:
    annotator = next(each for each in run.json("members", study.slug) if each["role"] == "annotator")["id"]
    assert (
        run("member", "pause", study.slug, annotator, "--because", "Wait a day.") == f"Member {annotator} is paused.\n"
    )
    assert run("member", "resume", study.slug, annotator) == f"Member {annotator} may go on.\n"
    assert run("member", "exclude", study.slug, annotator, "--because", "A question.").endswith("is excluded.\n")
    assert run("member", "readmit", study.slug, annotator) == f"Member {annotator} is in again.\n"
    assert run("member", "remove", study.slug, annotator) == f"Member {annotator} is no longer in the study.\n"
    assert run.json("member", "restore", study.slug, annotator) == {"member": annotator}
    assert run.json("member", "role", study.slug, annotator, "researcher")["role"] == "researcher"
    assert run.json("member", "role", study.slug, annotator, "annotator")["role"] == "annotator"
    assert run("messages", "answer", study.slug, annotator, "Thank you.") == "Sent.\n"
    assert run("messages", "list", study.slug).split("\t")[0] == str(annotator)
    assert run("messages", "read", study.slug, annotator).strip().endswith("Thank you.")
    assert run("messages", "settle", study.slug, annotator) == "Settled.\n"
    number = run("messages", "announce", study.slug, "We begin on Monday.").strip()
    assert run("messages", "end", study.slug, number) == f"Announcement {number} has ended.\n"
    assert [each["text"] for each in run.json("messages", "announcements", study.slug)] == ["We begin on Monday."]
    assert "/join/" in run("invite", study.slug)
    assert run.json("invitations", study.slug)[0]["role"] == "annotator"


def test_schemes(run: Shell, study: Study, tmp_path: Path) -> None:
    assert "ebr\t" in run("scheme", "list")
    assert run("scheme", "check", "ebr")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("key: own\naspects: []\n")
    assert "aspects" in run("scheme", "check", wrong, code=1)
    assert run.json("scheme", "show", study.slug)
    assert [each["is_current"] for each in run.json("scheme", "versions", study.slug)] == [True]


def test_checks_pay_and_rounds(run: Shell, platform: Platform, tmp_path: Path) -> None:
    rows = [{**row, "question": f"Checked: {row['question']}", "question_id": f"q{n}"} for n, row in enumerate(ROWS)]
    slug = platform.studies.create("Checked by shell", scheme="ebr", items=rows, questions_per_hit=4).slug
    file = tmp_path / "checks.csv"
    file.write_text("article,question,system,aspect,accepted\nA0,q2,model-0,correct,yes\n")
    check = run("checks", "add", slug, file).split("\t")[0]
    assert run.json("checks", "rule", slug, "every=1", "action=warn", "most_failed=1", "words=Read it.")["every"] == 1
    assert "every\t1" in run("checks", "rule", slug)
    assert run.json("checks", "mix", slug)["tasks"] == 2
    assert run.json("checks", "retire", slug, check)["retired_at"]
    assert run.json("checks", "use", slug, check)["retired_at"] is None
    assert [str(each["id"]) for each in run.json("checks", "list", slug)] == [check]
    assert (run("checks", "annotators", slug), run("checks", "actions", slug)) == ("", "")
    assert run("checks", "undo", slug, 999, code=1)
    terms = run.json("pay", "terms", slug, "currency=EUR", "reward=2.50", "bonus_percent=10")["terms"]
    assert (terms["reward"], terms["bonus_percent"]) == ("2.50", 10)
    assert "EUR" in run("pay", "terms", slug)
    assert run.json("pay", "rates", slug)["n"] == 0
    assert run.json("pay", "approve", slug) == {"approved": 0}
    assert (run("pay", "ledger", slug), run("pay", "payments", slug)) == ("", "")
    assert run("pay", "collect", slug, code=1)
    corpus = platform.studies.upload("Qualification", rows[:2]).id
    made = run.json("rounds", "make", slug, "First round", "--corpus", corpus, "--setting", "least_percent=80")
    assert made["least_percent"] == 80
    assert run("rounds", "list", slug).split("\t")[1:3] == ["First round", "draft"]
    assert run("rounds", "attempts", slug, made["id"]) == ""
    assert run("rounds", "open", slug, made["id"], code=1), "nothing is accepted yet"


def test_webhooks(run: Shell, study: Study) -> None:
    with Receiver() as receiver:
        assert run("webhook", "add", study.slug, receiver.url, "--note", "Ours").strip()
        (made,) = run.json("webhook", "list", study.slug)
        number = made["id"]
        assert run("webhook", "off", study.slug, number) == f"Webhook {number} is off.\n"
        assert run("webhook", "on", study.slug, number) == f"Webhook {number} is on.\n"
        assert run("webhook", "test", study.slug, number).startswith("Message ")
        assert run("webhook", "log", study.slug, number)
        assert run("webhook", "rotate", study.slug, number).strip()
        assert run("webhook", "delete", study.slug, number) == f"Webhook {number} is deleted.\n"


def test_batches_are_cut_and_opened(run: Shell, platform: Platform) -> None:
    rows = [{**row, "question": f"Cut: {row['question']}"} for row in ROWS]
    slug = platform.studies.create("Cut by shell", scheme="ebr", items=rows, questions_per_hit=1).slug
    assert [line.split("\t")[1] for line in run("cut", slug, 3).splitlines()] == ["3", "3", "2"]
    assert [each["items"] for each in run.json("release", slug, "--batch-size", 4, "--batches", 1)] == [4]
    assert [line.split("\t")[1] for line in run("batches", slug).splitlines()] == ["open", "draft"]
    assert "did not happen in time" in run("wait", slug, "--timeout", 0, code=4)
    assert "has no batch 7" in run("close", slug, "--number", 7, code=1)
    assert run("close", slug, "--number", 1).splitlines()[0].split("\t")[1] in ("closed", "scored")
    assert run("close", slug, "--number", 1)
    assert run("uploads") == ""


def test_what_goes_wrong_is_a_sentence_and_a_status(served: Served) -> None:
    def real(*arguments: str, url: str = served.url) -> subprocess.CompletedProcess[str]:
        known = os.environ | {"ANNOTATION_URL": url, "ANNOTATION_TOKEN": served.token}
        command = [sys.executable, "-m", "annotation_client", *arguments]
        path = {"PYTHONPATH": str(ROOT / "client" / "src")}
        return subprocess.run(command, env=known | path, capture_output=True, text=True, timeout=120)

    done = real("studies", "--json")
    assert (done.returncode, done.stderr, isinstance(json.loads(done.stdout), list)) == (0, "", True)
    done = real("batches", "nothing", "--json")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "no such study" in done.stderr.lower()
    done = real("checks", "rule", "nothing", "every")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    for name in ("", "nothing/batches", "nothing?"):
        done = real("batches", name)
        assert (done.returncode, done.stderr.count("\n"), done.stderr[:10]) == (1, 1, "There is n")
    assert real("nothing").returncode == 2
    with Receiver() as gone:
        address = f"http://127.0.0.1:{gone.port}"
    done = real("studies", url=address)
    assert (done.returncode, "cannot be reached" in done.stderr, "Traceback" in done.stderr) == (3, True, False)


def test_words_are_no_markup_and_end_no_line(served: Served, run: Shell, platform: Platform) -> None:
    rows = [{**row, "question": f"{row['question']}\nAnd [sic]\t[/b] \x1b[2J?"} for row in ROWS]
    slug = platform.studies.create("Owls [draft] [/b]", scheme="ebr", items=rows).slug
    lines = run("search", slug, "").splitlines()
    assert [line.count("\t") for line in lines] == [4] * len(rows), "a line for each item"
    assert "\x1b" not in "".join(lines)
    for shown in (in_a_terminal(served, "studies"), in_a_terminal(served, "search", slug, "")):
        assert "Traceback" not in shown
    assert "[draft] [/b]" in in_a_terminal(served, "studies")
    platform.studies.get(slug).release()
    told = in_a_terminal(served, "wait", slug, "--timeout", "0")
    assert ("[draft] [/b]" in told, "did not happen in time" in told) == (True, True)


def in_a_terminal(served: Served, *arguments: str) -> str:
    """What a command shows to a person."""
    known = {"ANNOTATION_URL": served.url, "ANNOTATION_TOKEN": served.token, "COLUMNS": "200"}
    command = [sys.executable, "-m", "annotation_client", *arguments]
    ours, theirs = pty.openpty()
    environment = os.environ | known | {"PYTHONPATH": str(ROOT / "client" / "src")}
    shown = b""
    with subprocess.Popen(command, env=environment, stdout=theirs, stderr=theirs):
        os.close(theirs)
        with suppress(OSError):  # how a terminal ends
            while piece := os.read(ours, 65_536):
                shown += piece
    os.close(ours)
    return shown.decode()
