"""Every test is in a lane, and a long test is left out only while what it rests on is as it was when it passed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import grimp
import psycopg
import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.test import Client

from annotation_platform.accounts.models import User
from annotation_platform.corpus.models import Corpus
from tests import lanes, on_postgres, rests_on
from tests.factories import CorpusFactory, UserFactory
from tests.some import some


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
    return {lane for lane in lanes.LANES if lanes.is_in(lane, item)}


@pytest.mark.parametrize(
    ("folder", "text", "expected"),
    [
        ("core", "", {"sqlite"}),
        ("browser", "pytestmark = [pytest.mark.django_db, pytest.mark.browser]", {"sqlite"}),
        ("deployment", "", {"sqlite"}),
        ("deployment", "pytestmark = pytest.mark.django_db", {"postgresql", "sqlite"}),
        ("studies", "pytestmark = pytest.mark.django_db", {"postgresql", "sqlite"}),
        ("studies", "pytestmark = [pytest.mark.django_db, pytest.mark.pages]", {"postgresql"}),
        ("workspace", "pytestmark = pytest.mark.django_db", {"postgresql"}),
        ("workspace", "@pytest.mark.storage\n", {"postgresql", "sqlite"}),
        ("workspace", "@pytest.mark.browser\n", {"postgresql", "sqlite"}),
    ],
)
def test_a_lane_reads_no_module_of_which_it_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, text: str, expected: set[str]
) -> None:
    module = tmp_path / "tests" / folder / "test_any.py"
    module.parent.mkdir(parents=True)
    module.write_text(text)
    monkeypatch.setattr(lanes, "ROOT", tmp_path)
    assert {lane for lane in lanes.LANES if lanes.is_read(lane, module)} == expected
    assert lanes.is_read("everything", module)


def test_one_whose_module_a_lane_would_not_read_is_an_error(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request.node, "path", lanes.ROOT / "tests" / "workspace" / "test_any.py")
    assert lanes_of(request.node) == {"postgresql"}
    request.node.add_marker(pytest.mark.browser)
    assert lanes_of(request.node) == set()
    with pytest.raises(pytest.UsageError, match="is for sqlite, whose lane does not find"):
        lanes.take(request.config, [request.node])
    request.node.own_markers.clear()
    request.node.add_marker(pytest.mark.storage)
    with pytest.raises(pytest.UsageError, match="is for sqlite, whose lane does not find"):
        lanes.take(request.config, [request.node])


@pytest.mark.parametrize(("long", "taken"), [("changed", 0), ("all", 1), ("always", 1)])
def test_tests_of_other_tools_are_no_part_of_a_usual_run(request: pytest.FixtureRequest, long: str, taken: int) -> None:
    request.node.add_marker(pytest.mark.other_tools)
    chosen = {"--lane": "everything", "--long": long}
    config: Any = SimpleNamespace(getoption=chosen.get, hook=SimpleNamespace(pytest_deselected=lambda items: None))
    items = [request.node]
    lanes.take(config, items)
    assert len(items) == taken


@pytest.fixture(scope="module")
def shared() -> str:
    return "made once"


def test_one_process_runs_all_that_share_something_of_their_module(request: pytest.FixtureRequest, shared: str) -> None:
    group = request.node.get_closest_marker("xdist_group")
    assert group is not None
    assert group.args == ("tests/deployment/test_lanes.py",)


@pytest.mark.parametrize(("within", "expected"), [(None, False), (1e9, False), (0.0, True)])
def test_no_long_test_begins_when_its_time_is_over(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, within: float | None, expected: bool
) -> None:
    monkeypatch.setattr(request.config.option, "long_within", within)
    assert not lanes.is_too_late_for(request.node)
    request.node.add_marker(pytest.mark.long("README.md"))
    assert lanes.is_too_late_for(request.node) == expected


def test_all_that_failed_in_many_processes_fails_once_more_by_itself(tmp_path: Path) -> None:
    """One that only failed beside others must not hide one of a group, which has another name there."""
    (tmp_path / "conftest.py").write_text(
        "from tests import lanes\n"
        "def pytest_configure(config):\n"
        "    if not hasattr(config, 'workerinput'):\n"
        "        config.pluginmanager.register(lanes.WithoutGroups())\n"
    )
    (tmp_path / "test_failing.py").write_text(
        "import os, pytest\n"
        "def test_beside_others(): assert 'PYTEST_XDIST_WORKER' not in os.environ\n"
        "@pytest.mark.xdist_group('g')\n"
        "@pytest.mark.parametrize('at', ['a@b'])\n"
        "def test_always(at): assert False\n"
    )

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "--rootdir=.", "-pno:django", "-pno:warnings", *options]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment["PYTHONPATH"] = str(lanes.ROOT)
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.stdout + done.stderr

    assert "2 failed" in (told := run("-n1", "--dist=loadgroup")), told
    assert "1 failed, 1 passed" in (told := run("--last-failed")), told


def test_clients_share_their_middleware_until_a_setting_changes_that_it_may_look_at(settings: Any) -> None:
    def chain() -> Any:
        handler = Client().handler
        handler.load_middleware()
        return handler._middleware_chain

    before = chain()
    assert chain() is before
    settings.EXPORTS_DIR = "elsewhere"
    assert chain() is before
    settings.X_FRAME_OPTIONS = "SAMEORIGIN"
    assert chain() is not before


@pytest.mark.django_db
@pytest.mark.storage
@pytest.mark.parametrize("time", ["first", "second"])
def test_keys_are_counted_anew_for_each_test(time: str) -> None:
    assert CorpusFactory().pk == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.storage
@pytest.mark.parametrize("time", ["first", "second"])
def test_what_was_committed_is_gone_and_what_migrations_left_is_there(time: str) -> None:
    assert not User.objects.exists()
    assert ContentType.objects.filter(app_label="accounts", model="user").exists()
    assert Permission.objects.exists()
    UserFactory()


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


@pytest.mark.django_db(transaction=True)
def test_rows_that_tests_left_behind_are_swept_away_with_their_pages() -> None:
    """A table with pages and without rows would have its later rows looked for by nested loops."""
    if connection.vendor != "postgresql":
        pytest.skip("about PostgreSQL")

    def size() -> tuple[int, int]:
        cursor.execute(
            "SELECT pg_relation_size(oid), relpages FROM pg_class WHERE relname = %s", [Corpus._meta.db_table]
        )
        found: tuple[int, int] = cursor.fetchone()
        return found

    with connection.cursor() as cursor:
        with transaction.atomic():
            Corpus.objects.bulk_create(Corpus(name=f"{number}{'x' * 150}") for number in range(2_000))
            transaction.set_rollback(True)
        assert size() > (on_postgres.BLOAT, 0)
        on_postgres.sweep(cursor)
        assert size() == (0, 0)


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

    def test_of_a_long_folder_needs_no_mark_and_rests_on_what_that_folder_does(self) -> None:
        tests = lanes.ROOT / "tests"
        assert lanes.rests_on_of_its_folder(tests / "client" / "test_any.py") == lanes.LONG_FOLDERS["client"]
        assert lanes.rests_on_of_its_folder(tests / "analysis" / "any" / "test_any.py") == rests_on.FIGURES
        assert lanes.rests_on_of_its_folder(tests / "releases" / "freeze" / "test_any.py") == rests_on.PLATFORM
        assert lanes.rests_on_of_its_folder(tests / "releases" / "test_any.py") == ()
        assert lanes.rests_on_of_its_folder(tests / "clients" / "test_any.py") == ()
        assert all((tests / folder).is_dir() for folder in lanes.LONG_FOLDERS)

    def test_of_figures_rests_on_every_app_that_analysis_imports(self) -> None:
        graph = grimp.build_graph("annotation_platform")
        analysis = [module for module in graph.modules if module.startswith("annotation_platform.analysis.")]
        reached = {name for module in analysis for name in (module, *graph.find_upstream_modules(module))}
        files = {str(path.relative_to(lanes.ROOT)) for path in lanes.files_named(rests_on.FIGURES)}
        for name in some(reached):
            path = name.replace(".", "/")
            assert files & {f"{path}.py", f"{path}/__init__.py"}, name

    def test_rests_on_what_its_module_and_that_of_what_it_imports_import_of_the_tests(self) -> None:
        tests = lanes.ROOT / "tests"
        found = lanes.imported_tests(tests / "browser" / "test_research.py")
        assert {tests / name for name in ("browser/test_research.py", "browser/conftest.py", "conftest.py")} <= found
        assert {tests / "factories.py", tests / "analysis" / "study_rows.py"} <= found
        assert tests / "rests_on.py" not in found
        assert tests / "browser" / "marking.py" not in found

    def test_rests_on_nothing_that_a_fresh_clone_lacks(self) -> None:
        if not (lanes.ROOT / ".git").exists():
            pytest.skip("not a clone")
        groups = [patterns for name, patterns in vars(rests_on).items() if name.isupper()]
        assert groups
        named = {str(path.relative_to(lanes.ROOT)) for patterns in groups for path in lanes.files_named(patterns)}
        ask = ["git", "check-ignore", "--no-index", "--stdin"]
        ignored = subprocess.run(ask, cwd=lanes.ROOT, input="\n".join(named), capture_output=True, text=True)
        assert ignored.returncode == 1, ignored.stderr
        assert ignored.stdout.split() == []

    @pytest.fixture
    def notes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        monkeypatch.setattr(lanes, "LAST_PASSED", tmp_path)
        lanes.last_passed.cache_clear()
        yield tmp_path
        lanes.last_passed.cache_clear()

    def test_is_noted_for_its_lane_when_it_has_passed_with_all_its_parameters(self, notes: Path) -> None:
        (notes / "sqlite.json").write_text(json.dumps({"t.py::failing": "old", "t.py::elsewhere": "kept"}))
        record = lanes.Record("sqlite")
        for nodeid, outcome in (
            ("t.py::good[a]@group", "passed"),
            ("t.py::good[b]", "passed"),
            ("t.py::failing[a]", "failed"),
            ("t.py::failing[b]", "passed"),
            ("t.py::cut_off[a]", "passed"),
            ("t.py::of_nothing[a]", "skipped"),
            ("t.py::of_nothing[b]", "passed"),
            ("t.py::left_for_want_of_time[b]", "passed"),
        ):
            record.pytest_runtest_logreport(report(nodeid, outcome, long=["new", 2]))
        late = report("t.py::left_for_want_of_time[a]", "skipped", when="setup", long=["new", 2])
        record.pytest_runtest_logreport(late)
        record.pytest_runtest_logreport(report("t.py::short", "passed"))
        record.pytest_sessionfinish()
        assert [note.name for note in notes.iterdir()] == ["sqlite.json"]
        told = json.loads((notes / "sqlite.json").read_text())
        assert told == {"t.py::elsewhere": "kept", "t.py::good": "new", "t.py::of_nothing": "new"}

    @pytest.mark.django_db
    @pytest.mark.storage
    def test_is_left_out_in_a_lane_where_it_passed_and_where_all_run_as_one_when_it_passed_in_each(
        self, request: pytest.FixtureRequest, notes: Path
    ) -> None:
        def left_out(*passed: str, digest: str | None) -> set[str]:
            for lane in ("sqlite", "postgresql", "everything"):
                name = request.node.nodeid.split("@")[0]
                (notes / f"{lane}.json").write_text(json.dumps({name: digest} if lane in passed else {}))
            lanes.last_passed.cache_clear()
            return {lane for lane in (*lanes.LANES, "everything") if lanes.is_as_it_passed(lane, request.node)}

        assert left_out("sqlite", "postgresql", digest=None) == set()
        request.node.add_marker(pytest.mark.long("README.md"))
        digest = lanes.what_it_rests_on(request.node)
        assert left_out(digest=digest) == set()
        assert left_out("sqlite", digest=digest) == {"sqlite"}
        assert left_out("everything", digest=digest) == {"everything"}
        assert left_out("sqlite", "postgresql", digest=digest) == {"sqlite", "postgresql", "everything"}
        assert left_out("sqlite", "postgresql", digest="of before") == set()


def report(
    nodeid: str, outcome: str, *, when: Literal["setup", "call"] = "call", **properties: Any
) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=nodeid,
        location=("t.py", 1, nodeid),
        keywords={},
        outcome=outcome,  # type: ignore[arg-type]
        longrepr=None,
        when=when,
        user_properties=list(properties.items()),
    )
