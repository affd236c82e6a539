"""Every test is in a lane, and a long test is left out only while what it rests on is as it was when it passed."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.test import Client

from tests import lanes
from tests.factories import CorpusFactory


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param({"sqlite"}, id="no database"),
        pytest.param({"postgresql"}, marks=pytest.mark.django_db, id="database"),
        pytest.param({"postgresql", "sqlite"}, marks=[pytest.mark.django_db, pytest.mark.storage], id="storage"),
        pytest.param({"sqlite"}, marks=[pytest.mark.django_db, pytest.mark.browser], id="browser"),
    ],
)
def test_a_test_is_in_the_lanes_that_its_marks_say(request: pytest.FixtureRequest, expected: set[str]) -> None:
    assert lanes_of(request.node) == expected
    assert lanes.is_in("everything", request.node)


@pytest.mark.django_db
@pytest.mark.parametrize("folder", lanes.STORAGE_FOLDERS)
def test_what_is_in_a_folder_about_storage_runs_on_both(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setattr(request.node, "path", lanes.ROOT / "tests" / folder / "test_any.py")
    assert lanes_of(request.node) == {"postgresql", "sqlite"}
    request.node.add_marker(pytest.mark.pages)
    assert lanes_of(request.node) == {"postgresql"}


def lanes_of(item: pytest.Item) -> set[str]:
    return {lane for lane in ("postgresql", "sqlite") if lanes.is_in(lane, item)}


@pytest.fixture(scope="module")
def shared() -> str:
    return "made once"


def test_one_process_runs_all_that_share_something_of_their_module(request: pytest.FixtureRequest, shared: str) -> None:
    group = request.node.get_closest_marker("xdist_group")
    assert group is not None
    assert group.args == ("test_lanes",)


def test_clients_share_their_middleware_until_a_setting_changes(settings: Any) -> None:
    def chain() -> Any:
        handler = Client().handler
        handler.load_middleware()
        return handler._middleware_chain

    before = chain()
    assert chain() is before
    settings.X_FRAME_OPTIONS = "SAMEORIGIN"
    assert chain() is not before


@pytest.mark.django_db
@pytest.mark.storage
@pytest.mark.parametrize("time", ["first", "second"])
def test_keys_are_counted_anew_for_each_test(time: str) -> None:
    assert CorpusFactory().pk == 1


@pytest.mark.postgres
def test_a_database_of_its_own_has_all_migrations(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as there:
        applied = set(there.execute("SELECT app, name FROM django_migrations").fetchall())
    assert applied >= set(MigrationLoader(None).disk_migrations)


@pytest.mark.django_db
def test_the_servers_vacuum_leaves_the_tests_tables_alone() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("about PostgreSQL")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE 'autovacuum_enabled=off' = ANY(reloptions)) FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        tables, left_alone = cursor.fetchone()
    assert tables == left_alone > 50


class TestALongTest:
    def test_rests_on_its_module_the_files_it_names_and_the_libraries(
        self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert lanes.what_it_rests_on(request.node) is None
        request.node.add_marker(pytest.mark.long("annotation_platform/core/signature.py"))
        before = lanes.what_it_rests_on(request.node)
        assert before == lanes.what_it_rests_on(request.node)
        monkeypatch.setattr(request.node, "path", Path(lanes.__file__))
        assert lanes.what_it_rests_on(request.node) not in (before, None)

    def test_that_names_a_file_that_has_moved_says_so(self) -> None:
        with pytest.raises(pytest.UsageError, match="gone"):
            lanes.files_named(["core/gone.py"])

    def test_is_noted_when_it_has_passed_with_all_its_parameters(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lanes, "LAST_PASSED", tmp_path / "long_tests.json")
        lanes.LAST_PASSED.write_text(json.dumps({"t.py::failing": "old", "t.py::elsewhere": "kept"}))
        record = lanes.Record()
        for nodeid, outcome in (
            ("t.py::good[a]@group", "passed"),
            ("t.py::good[b]", "passed"),
            ("t.py::failing[a]", "failed"),
            ("t.py::failing[b]", "passed"),
        ):
            record.pytest_runtest_logreport(report(nodeid, outcome, rests_on="new"))
        record.pytest_runtest_logreport(report("t.py::short", "passed"))
        record.pytest_sessionfinish()
        assert json.loads(lanes.LAST_PASSED.read_text()) == {"t.py::elsewhere": "kept", "t.py::good": "new"}


def report(nodeid: str, outcome: str, **properties: str) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=nodeid,
        location=("t.py", 1, nodeid),
        keywords={},
        outcome=outcome,  # type: ignore[arg-type]
        longrepr=None,
        when="call",
        user_properties=list(properties.items()),
    )
