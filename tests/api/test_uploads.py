"""Files in parts by the API: each part counts whole or not at all, and an import takes what is whole."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.imports import drafts, uploads
from annotation_platform.imports.models import ImportJob, Upload
from tests.api.clients import ROOT, program, send
from tests.api.test_imports import TABLE
from tests.factories import OPERATOR, UserFactory

pytestmark = pytest.mark.django_db

CONTENT = TABLE.encode()
DIGEST = sha256(CONTENT).hexdigest()
TYPE = "application/offset+octet-stream"


@pytest.fixture(autouse=True)
def imports_dir(settings: Any, tmp_path: Path) -> Path:
    settings.IMPORTS_DIR = tmp_path / "imports"
    return tmp_path / "imports"


@pytest.fixture
def client() -> Client:
    return program(UserFactory(is_staff=True))


def begin(client: Client, content: bytes = CONTENT, **how: Any) -> Any:
    return send(client, "POST", "/uploads", {"name": "quiz.csv", "size": len(content), **how})


def append(client: Client, pk: int, at: int | str, part: bytes, kind: str = TYPE) -> Any:
    headers = {"upload-offset": str(at)}
    return client.generic("PATCH", f"{ROOT}/uploads/{pk}", part, content_type=kind, headers=headers)


def begun(client: Client, content: bytes = CONTENT, **how: Any) -> int:
    pk: int = begin(client, content, **how).json()["id"]
    return pk


def files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def test_parts_become_an_import_which_takes_them(client: Client, imports_dir: Path) -> None:
    reply = begin(client, sha256=DIGEST)
    assert (reply.status_code, reply["Upload-Offset"]) == (201, "0")
    pk = reply.json()["id"]
    assert reply["Location"].endswith(f"/api/v1/uploads/{pk}")
    assert append(client, pk, 0, CONTENT[:50]).json()["offset"] == 50
    assert client.head(f"{ROOT}/uploads/{pk}")["Upload-Offset"] == "50"
    refused = send(client, "POST", "/imports", {"uploads": [pk]})
    assert (refused.status_code, refused.json()["code"]) == (409, "imports.upload_unfinished")
    assert append(client, pk, 50, CONTENT[50:])["Upload-Offset"] == str(len(CONTENT))
    made = send(client, "POST", "/imports", {"uploads": [pk], "name": "Quiz", "scheme": "equivalence"}).json()
    assert (made["name"], made["format"], made["state"]) == ("Quiz", "table", "draft")
    assert made["files"] == [{"name": "quiz.csv", "size": len(CONTENT)}]
    job = ImportJob.objects.get(pk=made["id"])
    assert job.paths[0].read_bytes() == CONTENT
    assert send(client, "GET", f"/uploads/{pk}").json()["code"] == "imports.no_upload"
    assert send(client, "POST", "/imports", {"uploads": [pk]}).status_code == 404
    assert list(files_in(imports_dir)) == job.paths
    assert Event.objects.filter(verb="import.upload_begun").count() == 1


def test_a_part_that_begins_elsewhere_is_told_where_the_next_one_does(client: Client) -> None:
    pk = begun(client)
    append(client, pk, 0, CONTENT[:50])
    for at in (0, 49, 51, 10**9):
        refused = append(client, pk, at, b"x")
        assert (refused.status_code, refused.json()["parameters"]) == (409, {"offset": 50, "sent": at})
    beyond = append(client, pk, 50, CONTENT)
    assert (beyond.status_code, beyond.json()["code"]) == (422, "imports.part_too_long")
    assert append(client, pk, 50, b"").json()["code"] == "imports.part_missing"
    assert append(client, pk, "here", b"x").json()["code"] == "imports.offset_missing"
    assert append(client, pk, 50, b'"x"', kind="application/json").json()["code"] == "imports.part_missing"
    assert append(client, pk, 50, b"x", kind="text/csv").status_code == 415
    assert append(client, pk, 50, b"x" * (5 * 1024 * 1024 + 1)).status_code == 413
    assert Upload.objects.get(pk=pk).offset == 50


def test_the_same_file_goes_on_where_it_was_for_one_person_alone(client: Client) -> None:
    pk = begun(client, sha256=DIGEST)
    append(client, pk, 0, CONTENT[:20])
    again = begin(client, sha256=DIGEST)
    assert (again.status_code, again.json()["id"], again.json()["offset"]) == (200, pk, 20)
    assert begun(client) != pk, "without a checksum it may be another file"
    other = program(UserFactory(is_staff=True))
    assert begun(other, sha256=DIGEST) != pk
    for method, path in (("GET", ""), ("DELETE", "")):
        assert send(other, method, f"/uploads/{pk}{path}").json()["code"] == "imports.no_upload"
    assert append(other, pk, 20, b"x").status_code == 404
    assert send(other, "POST", "/imports", {"uploads": [pk]}).status_code == 404
    assert [each["id"] for each in send(other, "GET", "/uploads").json()["results"]] != [pk]


def test_what_is_not_stored_does_not_count(client: Client, imports_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies between the disk and the row leaves a file that the next part replaces."""
    pk = begun(client, sha256=DIGEST)
    upload = Upload.objects.get(pk=pk)
    upload.folder.mkdir(parents=True)
    (upload.folder / "0").write_bytes(b"left behind, and longer than what comes now")

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(uploads.os, "replace", full)
        refused = append(client, pk, 0, CONTENT[:30])
    assert (refused.status_code, refused.json()["code"]) == (422, "imports.not_kept")
    assert Upload.objects.get(pk=pk).offset == 0
    assert [path.name for path in files_in(imports_dir)] == ["0"]
    append(client, pk, 0, CONTENT[:30])
    append(client, pk, 30, CONTENT[30:])
    assert send(client, "POST", "/imports", {"uploads": [pk]}).status_code == 201


def test_files_of_an_import_that_had_its_number_before_the_database_was_restored_are_no_part_of_it(
    client: Client, imports_dir: Path
) -> None:
    def imported() -> ImportJob:
        pk = begun(client)
        append(client, pk, 0, CONTENT)
        return ImportJob.objects.get(pk=send(client, "POST", "/imports", {"uploads": [pk]}).json()["id"])

    lost = imports_dir / str(imported().pk + 1)
    lost.mkdir()
    for name in ("0", "1"):
        (lost / name).write_bytes(b"of somebody else")
    job = imported()
    assert job.folder == lost
    assert {path.name: path.read_bytes() for path in files_in(lost)} == {"0": CONTENT}


def test_a_file_that_is_not_what_was_announced_is_forgotten(
    client: Client, imports_dir: Path, django_capture_on_commit_callbacks: Any
) -> None:
    pk = begun(client, sha256=sha256(b"another one").hexdigest())
    append(client, pk, 0, CONTENT)
    with django_capture_on_commit_callbacks(execute=True):
        refused = send(client, "POST", "/imports", {"uploads": [pk]})
    assert (refused.status_code, refused.json()["code"]) == (422, "imports.upload_differs")
    assert not ImportJob.objects.exists()
    assert not Upload.objects.exists()
    assert not list(files_in(imports_dir))


def test_what_a_killed_process_left_of_an_import_is_nowhere_to_be_seen_and_goes_after_a_day(
    client: Client, imports_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pk = begun(client)
    append(client, pk, 0, CONTENT)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(uploads, "_write_whole", killed)
        with pytest.raises(KeyboardInterrupt):
            send(client, "POST", "/imports", {"uploads": [pk]})
    left = ImportJob.objects.get()
    assert left.folder.is_dir()
    assert send(client, "GET", "/imports").json()["results"] == []
    for method, path in (("GET", ""), ("GET", "/preview"), ("POST", "/check"), ("POST", "/store"), ("DELETE", "")):
        assert send(client, method, f"/imports/{left.pk}{path}").json()["code"] == "imports.no_import"
    made = send(client, "POST", "/imports", {"uploads": [pk]})
    assert made.status_code == 201
    drafts.discard_old_jobs()
    assert ImportJob.objects.count() == 2
    ImportJob.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    drafts.discard_old_jobs()
    assert [each.pk for each in ImportJob.objects.all()] == [made.json()["id"]]
    assert not left.folder.exists()


def test_one_whose_parts_are_not_on_the_disk_any_more_is_begun_anew(client: Client) -> None:
    pk = begun(client, sha256=DIGEST)
    append(client, pk, 0, CONTENT)
    (Upload.objects.get(pk=pk).folder / "0").unlink()
    assert send(client, "POST", "/imports", {"uploads": [pk]}).json()["code"] == "imports.no_upload"
    again = begin(client, sha256=DIGEST)
    assert (again.status_code, again.json()["offset"]) == (201, 0)
    assert not ImportJob.objects.exists()


def test_how_much_can_wait(client: Client, settings: Any) -> None:
    settings.IMPORT_MAX_MEGABYTES = 1
    megabyte = {"name": "large.csv", "size": 1_000_000}
    codes = {
        "imports.empty_file": {"name": "e.csv", "size": 0},
        "imports.files_too_large": {"name": "f.csv", "size": 1_000_001},
        "api.fields_wrong": {"name": "../g.csv", "size": 1},
    }
    for code, body in codes.items():
        assert send(client, "POST", "/uploads", body).json()["code"] == code
    first, _ = (send(client, "POST", "/uploads", megabyte).json()["id"] for _ in range(2))
    assert send(client, "POST", "/uploads", megabyte).json()["code"] == "imports.uploads_too_large"
    assert send(client, "DELETE", f"/uploads/{first}").status_code == 204
    assert send(client, "POST", "/uploads", megabyte).status_code == 201


def test_several_are_one_import_and_none_is_taken_twice(client: Client) -> None:
    first, second = begun(client), begun(client)
    for pk in (first, second):
        append(client, pk, 0, CONTENT)
    assert send(client, "POST", "/imports", {"uploads": [first, first]}).json()["code"] == "imports.upload_twice"
    assert send(client, "POST", "/imports", {"uploads": [first, 0]}).status_code == 422
    assert send(client, "POST", "/imports", {"uploads": []}).status_code == 422
    assert len(send(client, "POST", "/imports", {"uploads": [second, first]}).json()["files"]) == 2
    assert not Upload.objects.exists()


def test_those_that_nobody_goes_on_with_are_forgotten_after_a_day(
    client: Client, imports_dir: Path, django_capture_on_commit_callbacks: Any
) -> None:
    old, young = begun(client), begun(client)
    for pk in (old, young):
        append(client, pk, 0, b"some")
    Upload.objects.filter(pk=old).update(changed_at=timezone.now() - timedelta(days=1, seconds=1))
    with django_capture_on_commit_callbacks(execute=True):
        uploads.discard_old_uploads()
    assert [each.pk for each in Upload.objects.all()] == [young]
    assert [path.parent.name for path in files_in(imports_dir)] == [str(young)]


@pytest.mark.django_db(transaction=True)
def test_of_two_who_send_the_same_part_one_counts(client: Client) -> None:
    upload = Upload.objects.get(pk=begun(client))
    told: list[Any] = []
    gate = threading.Barrier(2)

    def one(letter: bytes) -> None:
        from django.db import connection

        own = Upload.objects.get(pk=upload.pk)
        gate.wait()
        try:
            uploads.append_part(upload=own, at=0, part=letter * 10)
            told.append(letter)
        except uploads.UploadOffsetError as refused:
            told.append(refused.offset)
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(letter,)) for letter in (b"a", b"b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (letter,) = (each for each in told if isinstance(each, bytes))
    assert sorted(map(str, told)) == sorted([str(letter), "10"])
    upload.refresh_from_db()
    assert [part.read_bytes() for part in upload.parts] == [letter * 10]


def test_they_go_with_the_account(client: Client, imports_dir: Path) -> None:
    from annotation_platform.imports.account_deletion import discard_uploads

    pk = begun(client)
    append(client, pk, 0, b"some")
    discard_uploads(user=Upload.objects.get(pk=pk).owner, actor=OPERATOR)
    assert not Upload.objects.exists()
