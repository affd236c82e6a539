"""An export as the worker makes it: claimed once, finished or explained, taken up again when its worker dies."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.utils import timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs import heartbeat
from annotation_platform.jobs.contract import claim, execute, run_job, waiting
from annotation_platform.jobs.files import ChecksummedFile
from annotation_platform.releases import services
from annotation_platform.releases.models import Export
from annotation_platform.releases.services import EXPORTS, request_export
from annotation_platform.studies.arrivals import clear_left_behind
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import delete_study
from tests.factories import OPERATOR, MemberFactory, open_study
from tests.releases import rows
from tests.studies.pieces import gone_after

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def exports_dir(settings: Any, tmp_path: Path) -> Path:
    settings.EXPORTS_DIR = tmp_path / "exports"
    return tmp_path / "exports"


def admin() -> Member:
    return MemberFactory(study=rows.hard_study(), role=Role.ADMIN, pseudonym="admin")


def request(member: Member, format: str = "csv") -> Export:
    return request_export(study=member.study, requested_by=member, format=format, actor=OPERATOR)


@pytest.mark.parametrize("format", ["csv", "spreadsheet", "jsonl", "parquet"])
def test_a_made_export_has_its_file_with_checksum_size_and_rows(format: str, tmp_path: Path) -> None:
    member = admin()
    export = run_job(EXPORTS, request(member, format).pk)
    assert export is not None
    data = export.path.read_bytes()
    assert export.status == Export.Status.DONE
    assert data == rows.export(member.study, tmp_path, format).read_bytes()
    assert (export.sha256, export.size) == (hashlib.sha256(data).hexdigest(), len(data))
    assert export.done == export.total == 18
    assert export.finished_at
    assert export.filename.startswith(f"{member.study.slug}-2")
    assert export.filename.endswith(".csv" if format == "spreadsheet" else format)


def test_an_export_is_made_once_however_often_its_message_comes() -> None:
    export = request(admin())
    first = run_job(EXPORTS, export.pk)
    assert first is not None
    assert run_job(EXPORTS, export.pk) is None
    assert len(list(first.path.parent.iterdir())) == 1


def test_a_double_click_requests_one_export() -> None:
    member = admin()
    assert request(member).pk == request(member).pk
    assert request(member, "jsonl").pk != request(member).pk


def test_an_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match=r"“xls” is no format.*parquet"):
        request(admin(), "xls")


def test_one_that_another_worker_is_making_is_left_alone_until_it_is_stale() -> None:
    export = request(admin())
    Export.objects.filter(pk=export.pk).update(
        status=Export.Status.RUNNING, worker="other", heartbeat_at=timezone.now(), done=7
    )
    assert run_job(EXPORTS, export.pk) is None
    assert waiting(EXPORTS) == []
    stale = timezone.now() - timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS + 1)
    Export.objects.filter(pk=export.pk).update(heartbeat_at=stale)
    assert waiting(EXPORTS) == [export.pk]
    made = run_job(EXPORTS, export.pk)
    assert made is not None
    assert (made.status, made.done) == (Export.Status.DONE, 18)


def test_what_a_dead_worker_left_behind_is_cleared_away(exports_dir: Path) -> None:
    export = request(admin())
    exports_dir.mkdir()
    (exports_dir / f".{export.pk}-dead.csv.ab12.part").write_text("half a line")
    (exports_dir / f".{export.pk}1-alive.csv.ab12.part").write_text("of another export")
    made = run_job(EXPORTS, export.pk)
    assert made is not None
    assert sorted(path.name for path in exports_dir.iterdir()) == [f".{export.pk}1-alive.csv.ab12.part", made.path.name]


def test_an_error_of_the_database_has_an_export_tried_again_and_is_its_reason_at_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def deadlock(**_: Any) -> None:
        raise OperationalError("deadlock detected")

    monkeypatch.setattr(services, "write_export", deadlock)
    export = request(admin())
    with pytest.raises(OperationalError):
        run_job(EXPORTS, export.pk)
    export.refresh_from_db()
    assert (export.status, export.worker, export.attempts) == (Export.Status.PENDING, "", 1)
    assert waiting(EXPORTS) == [export.pk]
    ended = run_job(EXPORTS, export.pk)
    assert ended is not None
    assert ended.status == Export.Status.FAILED
    assert "deadlock detected" in str(ended.error)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no connection that a server could end")
@pytest.mark.django_db(transaction=True)
def test_a_worker_whose_connection_was_cut_gives_its_export_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(**_: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    export = request(admin())
    write_export = services.write_export
    monkeypatch.setattr(services, "write_export", cut)
    with pytest.raises(OperationalError):
        run_job(EXPORTS, export.pk)
    monkeypatch.setattr(services, "write_export", write_export)
    export.refresh_from_db()
    assert (export.status, export.worker) == (Export.Status.PENDING, "")
    made = run_job(EXPORTS, export.pk)
    assert made is not None
    assert made.status == Export.Status.DONE


def test_while_the_database_is_away_an_export_waits_until_it_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    is_away = Event()

    def lost(**_: Any) -> None:
        is_away.set()
        raise OperationalError("the connection is lost")

    def refuse(execute: Any, sql: str, *args: Any) -> Any:
        if is_away.is_set():
            raise OperationalError("no connection")
        return execute(sql, *args)

    monkeypatch.setattr(services, "write_export", lost)
    export = request(admin())
    claimed = claim(EXPORTS, export.pk)
    assert claimed is not None
    with connection.execute_wrapper(refuse), pytest.raises(OperationalError, match="the connection is lost"):
        execute(EXPORTS, claimed)
    export.refresh_from_db()
    assert (export.status, export.worker) == (Export.Status.RUNNING, claimed.worker)


def test_a_worker_that_lost_its_claim_leaves_no_file(monkeypatch: pytest.MonkeyPatch, exports_dir: Path) -> None:
    export = request(admin())

    def write_and_lose(**options: Any) -> ChecksummedFile:
        file = services_write_export(**options)
        Export.objects.filter(pk=export.pk).update(worker="other")
        return file

    services_write_export = services.write_export
    monkeypatch.setattr(services, "write_export", write_and_lose)
    run_job(EXPORTS, export.pk)
    export.refresh_from_db()
    assert (export.status, export.worker, export.sha256) == (Export.Status.RUNNING, "other", "")
    assert list(exports_dir.iterdir()) == []


def test_an_export_goes_back_into_the_queue_when_its_worker_is_asked_to_end(
    monkeypatch: pytest.MonkeyPatch, exports_dir: Path
) -> None:
    export = request(admin())
    heartbeat.stopping.set()
    try:
        run_job(EXPORTS, export.pk)
    finally:
        heartbeat.stopping.clear()
    export.refresh_from_db()
    assert (export.status, export.worker) == (Export.Status.PENDING, "")
    assert list(exports_dir.iterdir()) == []
    assert waiting(EXPORTS) == [export.pk]
    assert waiting(EXPORTS) == []  # its message is under way
    made = run_job(EXPORTS, export.pk)
    assert made is not None
    assert made.status == Export.Status.DONE


def test_a_folder_that_cannot_be_written_is_the_reason_of_a_failed_export(exports_dir: Path) -> None:
    export = request(admin())
    exports_dir.write_text("a file where the folder should be")
    made = run_job(EXPORTS, export.pk)
    assert made is not None
    assert made.status == Export.Status.FAILED
    assert made.finished_at
    assert str(exports_dir) in made.error


@pytest.mark.django_db(transaction=True)
def test_an_export_whose_process_is_killed_is_finished_by_the_next_after_the_sweep(exports_dir: Path) -> None:
    export = request(admin())
    process = subprocess.Popen(
        [sys.executable, "-c", HANG, str(export.pk)],
        env=os.environ | {"DATABASE_URL": _database_url(), "EXPORTS": str(exports_dir)},
    )
    deadline = time.monotonic() + 60
    while not list(exports_dir.glob(".*.part")) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    export.refresh_from_db()
    assert export.status == Export.Status.RUNNING
    assert run_job(EXPORTS, export.pk) is None  # not stale yet

    Export.objects.filter(pk=export.pk).update(heartbeat_at=timezone.now() - timedelta(hours=1))
    assert waiting(EXPORTS) == [export.pk]
    made = run_job(EXPORTS, export.pk)
    assert made is not None
    assert (made.status, made.done) == (Export.Status.DONE, 18)
    assert [path.name for path in exports_dir.iterdir()] == [made.path.name]


# A worker that hangs in the middle of its file, so that it can be killed there.
HANG = """
import os, sys, time
from pathlib import Path
import django
django.setup()
from django.conf import settings
settings.EXPORTS_DIR = Path(os.environ["EXPORTS"])
from annotation_platform.jobs.heartbeat import Heartbeat
Heartbeat.beat = lambda self, steps=0: time.sleep(600)
from annotation_platform.jobs.contract import run_job
from annotation_platform.releases.services import EXPORTS
run_job(EXPORTS, int(sys.argv[1]))
"""


def _database_url() -> str:
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    user = ":".join(filter(None, (database["USER"], database["PASSWORD"])))
    return f"postgres://{user}@{database['HOST']}:{database['PORT'] or 5432}/{database['NAME']}"


def test_deleting_a_study_removes_all_files_of_it_and_of_its_rounds(exports_dir: Path) -> None:
    member = admin()
    main = open_study()
    of_round = run_job(EXPORTS, request(member).pk)
    of_main = run_job(EXPORTS, request(MemberFactory(study=main, role=Role.ADMIN)).pk)
    of_another = run_job(EXPORTS, request(MemberFactory(study=open_study(), role=Role.ADMIN)).pk)
    assert of_round
    assert of_main
    assert of_another
    (exports_dir / f"{of_main.stem}died.csv").write_text("of a worker that died before it could say so")
    (exports_dir / f".{of_main.stem}died.csv.0f.part").write_text("of one that died while it wrote")
    Study.objects.filter(pk=member.study.pk).update(qualifies_for=main)
    delete_study(study=main, typed_name=main.name, actor=OPERATOR)
    assert list(exports_dir.iterdir()) == [of_another.path]


@pytest.mark.django_db(transaction=True)
def test_the_sweep_removes_files_of_a_study_whose_deletion_was_killed(exports_dir: Path, settings: Any) -> None:
    member = admin()
    assert run_job(EXPORTS, request(member).pk)
    with gone_after(1):
        delete_study(study=member.study, typed_name=member.study.name, actor=OPERATOR)
    assert list(exports_dir.iterdir())
    settings.RUN_STALE_AFTER_SECONDS = 0
    clear_left_behind()
    assert not list(exports_dir.iterdir())
