"""A release as a project of Label Studio or Argilla, read again by those tools' own libraries and by our importers."""

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.releases.labelers.tools import files_for
from annotation_platform.releases.models import Release
from tests.corpus.reading import read_files
from tests.factories import study_with_judgments
from tests.releases.freeze.frozen import admin_of, frozen

MOON = "🌊 The moon pulls."
SCHEME = {
    "key": "sea",
    "title": "Sea",
    "shown": ["question", "answer"],
    "cannot_judge": "I cannot judge",
    "aspects": [
        {"key": "fit", "kind": "yes_no", "title": "Does it fit?"},
        {"key": "stars", "kind": "stars", "title": "How good?"},
        {"key": "share", "kind": "range", "title": "How much?", "low": 0, "high": 100, "step": 5},
        {
            "key": "faults",
            "kind": "several",
            "title": "Faults",
            "choices": [{"key": "salt", "label": "Salt"}, {"key": "cold", "label": "Cold"}],
        },
        {"key": "marks", "kind": "spans", "title": "Mark it", "labels": [{"key": "moon", "label": "Moon"}]},
        {"key": "why", "kind": "text", "title": "Why?"},
    ],
}
ASPECTS = ("fit", "stars", "share", "faults", "marks", "why")
MARKED = [{"text": "answer", "start": 6, "end": 10, "label": "moon"}]


def folder(path: Path, scheme: Any, *rows: dict[str, Any]) -> Path:
    """The two files of a release of which projects are made."""
    (path / "data").mkdir()
    told = {"article_id": "a", "question_id": "q", "question": "What pulls?", "answer": MOON, "system": "alder"}
    said = [{"item_id": "i1", **told, "annotator": "p1", "replicate": 0, "seconds": 2.5} | row for row in rows]
    (path / "data" / "judgments.jsonl").write_text("\n".join(map(json.dumps, said)) + "\n")
    (path / "scheme.yaml").write_text(yaml.safe_dump(scheme, allow_unicode=True))
    return path


def sea(path: Path) -> Path:
    judged = {"fit": "yes", "stars": "4", "share": "35", "faults": "salt cold", "why": "It does."}
    unsure = {"annotator": "p2", "cannot_judge": 1, "cannot_judge_reason": "No idea.", "seconds": None}
    return folder(path, SCHEME, {**judged, "marks": json.dumps(MARKED)}, unsure)


def written(path: Path, tool: str) -> dict[str, Path]:
    files = {}
    for name, content in files_for(path, tool):
        files[name] = path / name
        files[name].write_bytes(content)
    return files


class Me(BaseHTTPRequestHandler):
    """A server of Argilla, as far as it says who one is."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"id": str(UUID(int=1, version=4)), "username": "wren", "role": "owner"}).encode())

    def log_message(self, *args: Any) -> None:
        """Nothing is told."""


@contextmanager
def somebody() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Me) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_label_studio_s_project_has_form_items_and_judgments(tmp_path: Path) -> None:
    files = written(sea(tmp_path), "label_studio")
    (task,) = json.loads(files["tasks.json"].read_text(encoding="utf-8"))
    assert task["data"] == {"question": "What pulls?", "answer": MOON, "item_id": "i1", "system": "alder"}
    judged, unsure = task["annotations"]
    said = {each["from_name"]: each["value"] for each in judged["result"]}
    assert said == {
        "fit": {"choices": ["yes"]},
        "stars": {"rating": 4},
        "share": {"number": 35},
        "faults": {"choices": ["salt", "cold"]},
        "marks": {"start": 7, "end": 11, "text": "moon", "labels": ["moon"]},  # in UTF-16
        "why": {"text": ["It does."]},
        "annotator": {"text": ["p1"]},
    }
    assert judged["lead_time"] == 2.5
    assert [each["value"]["text"] for each in unsure["result"]] == [["No idea."], ["p2"]]


def test_what_goes_to_label_studio_comes_back_the_same(tmp_path: Path) -> None:
    files = written(sea(tmp_path), "label_studio")
    tasks = json.loads(files["tasks.json"].read_text(encoding="utf-8"))
    for annotation in tasks[0]["annotations"]:
        annotation["completed_by"] = 7  # as whoever imported them
    files["tasks.json"].write_text(json.dumps(tasks), encoding="utf-8")
    study = read_files("label_studio", files["config.xml"], files["tasks.json"])
    values = dict(study.judgments[0].values)
    assert values.pop("annotator") == "p1"
    assert values == {
        "fit": "yes",
        "stars": "4",
        "share": "35",
        "faults": ["salt", "cold"],
        "marks": MARKED,
        "why": "It does.",
    }
    unsure = dict(study.judgments[1].values)
    assert unsure == {"annotator": "p2", "cannot_judge": "No idea."}  # and not that there is nothing to mark


def test_what_goes_to_argilla_comes_back_the_same(tmp_path: Path) -> None:
    files = written(sea(tmp_path), "argilla")
    study = read_files("argilla", files["settings.json"], files["records.json"])
    first, second = study.judgments
    assert first.values == {
        "judged": "yes",
        "fit": "yes",
        "stars": "4",
        "share": "35",
        "faults": ["salt", "cold"],
        "marks": MARKED,
        "why": "It does.",
    }
    assert second.values == {"judged": "no", "cannot_judge": "No idea."}
    assert first.annotator != second.annotator


def test_groups_have_a_text_and_questions_for_each_candidate(tmp_path: Path) -> None:
    def of(candidate: int, chosen: int) -> dict[str, Any]:
        said = {"factuality": "3", "preferred": chosen}
        return {"candidate": candidate, "answer": f"Says {candidate}.", "system": f"s{candidate}", **said}

    files = written(folder(tmp_path, preset("lfqa"), of(1, 0), of(2, 1)), "argilla")
    (record,) = json.loads(files["records.json"].read_text(encoding="utf-8"))
    assert {name: text for name, text in record["fields"].items() if name.startswith("answer")} == {
        "answer_1": "Says 1.",
        "answer_2": "Says 2.",
    }
    assert record["responses"]["preferred"][0]["value"] == "2"


@pytest.fixture
def interface() -> Any:
    return pytest.importorskip("label_studio_sdk.label_interface", reason="label-studio-sdk is not installed")


def test_label_studio_s_own_library_takes_them(tmp_path: Path, interface: Any) -> None:
    files = written(sea(tmp_path), "label_studio")
    form = interface.LabelInterface(files["config.xml"].read_text(encoding="utf-8"))
    form.validate()
    (task,) = json.loads(files["tasks.json"].read_text(encoding="utf-8"))
    assert form.validate_task({"data": task["data"]})
    for annotation in task["annotations"]:
        assert form._validate_object(annotation, return_errors=True) == []


@pytest.fixture
def argilla() -> Any:
    return pytest.importorskip("argilla", reason="argilla is not installed")


def test_argilla_s_own_library_takes_them(tmp_path: Path, argilla: Any) -> None:
    json_io = pytest.importorskip("argilla.records._io").JsonIO
    files = written(sea(tmp_path), "argilla")
    with somebody() as address:  # who one is, is all that the library asks
        argilla.Argilla(api_url=address, api_key="any")
        settings = argilla.Settings.from_json(files["settings.json"])
    assert [question.name for question in settings.questions] == ["judged", *ASPECTS, "cannot_judge"]
    (record,) = json_io._records_from_json(files["records.json"])
    assert isinstance(record, argilla.Record)
    assert record.fields["answer"] == MOON
    values = {(each.question_name, str(each.value)) for each in record.responses}
    assert {("fit", "yes"), ("share", "35"), ("cannot_judge", "No idea.")} <= values


@pytest.fixture
def release(db: None) -> Release:
    return frozen(study_with_judgments(annotators=2))


@pytest.mark.pages
def test_the_page_s_archive_holds_what_the_command_writes(release: Release, client: Client, tmp_path: Path) -> None:
    user = admin_of(release.study).user
    assert user is not None
    client.force_login(user)
    numbered = [release.study.slug, release.number]
    address = reverse("release_for_labeler", args=[*numbered, "label_studio"])
    assert address in client.get(reverse("release", args=numbered)).content.decode()
    with zipfile.ZipFile(io.BytesIO(client.get(address).content)) as archive:
        sent = {name: archive.read(name) for name in archive.namelist()}
    call_command("release_for_labelers", release.folder, "label_studio", output=tmp_path / "out", stdout=io.StringIO())
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == sent
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("release_for_labelers", release.folder, "argilla", output=release.folder / "scheme.yaml" / "x")
    assert client.get(reverse("release_for_labeler", args=[*numbered, "excel"])).status_code == 404
    (release.folder / "scheme.yaml").chmod(0o600)
    with (release.folder / "scheme.yaml").open("a") as file:
        file.write("# changed\n")
    with pytest.raises(CommandError, match=r"scheme\.yaml"):
        call_command("release_for_labelers", release.folder, "argilla", output=tmp_path / "out")


def test_a_release_without_judgments_and_another_tool_are_refused(tmp_path: Path) -> None:
    path = folder(tmp_path, SCHEME, {})
    with pytest.raises(InvalidInputError, match="are for: label_studio, argilla"):
        files_for(path, "excel")
    (path / "data" / "judgments.jsonl").write_text("")
    with pytest.raises(InvalidInputError, match="no judgments"):
        files_for(path, "argilla")


def test_a_second_judgment_of_one_annotator_is_another_user_of_argilla(tmp_path: Path) -> None:
    """A user of Argilla has one answer to a question, so that the first one would be lost."""
    path = folder(tmp_path, SCHEME, {"fit": "yes"}, {"fit": "no", "replicate": 1}, {"annotator": "p2", "fit": "yes"})
    (record,) = json.loads(written(path, "argilla")["records.json"].read_text(encoding="utf-8"))
    users = [each["user_id"] for each in record["responses"]["fit"]]
    assert [each["value"] for each in record["responses"]["fit"]] == ["yes", "no", "yes"]
    assert len({*users}) == 3


def told_by(path: Path, tool: str, *rows: dict[str, Any], scheme: Any) -> list[dict[str, Any]]:
    """What each annotator said in the files for a tool, by control."""
    path.mkdir()
    files = written(folder(path, scheme, *rows), tool)
    if tool == "label_studio":
        (task,) = json.loads(files["tasks.json"].read_text(encoding="utf-8"))
        return [{each["from_name"]: each["value"] for each in told["result"]} for told in task["annotations"]]
    (record,) = json.loads(files["records.json"].read_text(encoding="utf-8"))
    users = dict.fromkeys(each["user_id"] for given in record["responses"].values() for each in given)
    return [
        {
            name: each["value"]
            for name, given in record["responses"].items()
            for each in given
            if each["user_id"] == user
        }
        for user in users
    ]


def test_what_was_never_asked_is_not_none_of_them(tmp_path: Path) -> None:
    scheme = {
        **SCHEME,
        "shown": ["article", "question", "answer"],
        "aspects": [
            SCHEME["aspects"][0],  # type: ignore[index]
            {**SCHEME["aspects"][3], "none_label": "None"},  # type: ignore[index]
            {"key": "cited", "kind": "sentences", "title": "Where?"},
        ],
    }
    asked = {"fit": "yes", "faults": [], "cited": []}
    never = {"annotator": "p2", "fit": "yes", "faults": None, "cited": None}
    one, other = told_by(tmp_path / "studio", "label_studio", asked, never, scheme=scheme)
    assert (one["faults"], one["cited"]) == ({"choices": []}, {"text": ["none"]})
    assert {"faults", "cited"}.isdisjoint(other)
    one, other = told_by(tmp_path / "argilla", "argilla", asked, never, scheme=scheme)
    assert (one["faults"], one["cited"]) == ([], "none")
    assert {"faults", "cited"}.isdisjoint(other)


def test_what_annotators_wrote_is_no_text_of_the_item_whatever_it_is_called(tmp_path: Path) -> None:
    scheme = {**SCHEME, "aspects": [{"key": "rationale", "kind": "text", "title": "Why?"}]}
    rows = [{"rationale": "It pulls."}, {"annotator": "p2", "rationale": "It does."}]
    files = written(folder(tmp_path, scheme, *rows), "label_studio")
    (task,) = json.loads(files["tasks.json"].read_text(encoding="utf-8"))
    assert "rationale" not in task["data"]
    assert [each["result"][0]["value"]["text"] for each in task["annotations"]] == [["It pulls."], ["It does."]]
