"""Which tests a run takes: on which database, and whether those that take long.

``pytest`` by itself takes all that it is asked for. ``make test`` makes two runs where a PostgreSQL server answers:
one there (``--lane postgresql``) of what touches the database, and one on SQLite (``--lane sqlite``) of the browser,
of programs and the core, and once more of what is about storage. Each reads only modules that it has tests of.
docs/how-to/run-the-tests.md tells the same to people.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

import pytest

from tests import rests_on

BEGUN = time.monotonic()
ROOT = Path(__file__).resolve().parents[1]
LAST_PASSED = ROOT / "tests" / "long_tests"

Lane = Literal["everything", "postgresql", "sqlite"]
Long = Literal["always", "changed", "all"]
LANES: tuple[Lane, ...] = ("postgresql", "sqlite")

# Folders of tests about rows: SQL of our own, constraints, locks, transactions, files written from rows.
STORAGE_FOLDERS = ("annotations", "corpus", "crowd", "imports", "jobs", "releases", "server", "studies", "workers")
# Folders of tests that start whole platforms, or wait for what is slow or down.
SLOW_FOLDERS = ("journeys", "workers", "deployment", "demo", "client", "other_tools")
# Folders that SQLite's lane reads; elsewhere it reads the modules that have one of these marks.
ON_SQLITE = {"core", "browser", *STORAGE_FOLDERS, *SLOW_FOLDERS}
# Folders of which every test is long, whatever marks it has, and what their tests rest on.
LONG_FOLDERS = {
    "analysis": rests_on.FIGURES,
    "browser": rests_on.PLATFORM,
    "client": (*rests_on.PLATFORM, "client/src/**/*.py", "client/pyproject.toml"),
    "demo": rests_on.PLATFORM,
    "journeys": rests_on.PLATFORM,
    "releases/freeze": rests_on.PLATFORM,
}
_IMPORTS_TESTS = re.compile(r"^\s*from (tests[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
_USES_DATABASE = re.compile(r"\b(django_db|module_db|transactional_db|live_server)\b|\bdb: None\b")
_MARKED_FOR_SQLITE = re.compile(r"\bmark\.(storage|browser)\b")
_ABOUT_PAGES = re.compile(r"^pytestmark\b.*\bmark\.pages\b", re.MULTILINE)
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup"}


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("lanes")
    group.addoption("--lane", choices=("everything", "postgresql", "sqlite"), default="everything")
    group.addoption(
        "--long",
        choices=("always", "changed", "all"),
        default="always",
        help="long tests: always; those whose files have changed since they last passed, but none of other tools, "
        "noting what passes; all, noting what passes",
    )
    group.addoption(
        "--long-within",
        type=float,
        metavar="SECONDS",
        help="long tests run behind the others, and none begins later than this: those that are left are skipped",
    )


def take(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the items that this run is to take."""
    lane, long = config.getoption("--lane"), config.getoption("--long")
    taken, left = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        if reason := _why_it_would_be_lost(item):
            raise pytest.UsageError(f"{item.nodeid} {reason}")
        is_left_out = long == "changed" and item.get_closest_marker("other_tools") is not None
        is_wanted = is_in(lane, item) and not (is_left_out or (long == "changed" and is_as_it_passed(lane, item)))
        (taken if is_wanted else left).append(item)
    count_parameters(taken)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = taken


def spread(items: list[pytest.Item]) -> None:
    """Where several processes share the tests: begin with those that take half a minute each, so that none works alone
    at the end, and spread those that wait for a browser among the others, so that not all processes wait at once.
    """
    slow, in_browser, others = list[pytest.Item](), list[pytest.Item](), list[pytest.Item]()
    for item in items:
        is_slow = item.path.relative_to(ROOT / "tests").parts[0] in SLOW_FOLDERS
        waits = item.get_closest_marker("browser") is not None
        (slow if is_slow else in_browser if waits else others).append(item)
    placed = [(n / len(some), item) for some in (in_browser, others) for n, item in enumerate(some)]
    items[:] = slow + [item for _, item in sorted(placed, key=itemgetter(0))]


class WithoutGroups:
    """Calls each test by its own name in the process that gathers all reports. pytest-xdist puts its group's name
    behind it, so that ``--last-failed`` would not find it among the tests of another run, and leave it out.
    """

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        report.nodeid = without_group(report.nodeid)


def without_group(nodeid: str) -> str:
    """Parameters may have an @ of their own."""
    test, bracket, behind = nodeid.rpartition("]")
    return test + bracket + behind.split("@")[0]


def is_in(lane: Lane, item: pytest.Item) -> bool:
    if lane == "everything":
        return True
    is_in_browser = item.get_closest_marker("browser") is not None
    if lane == "postgresql":
        return not is_in_browser and (touches_database(item) or not is_read("sqlite", item.path))
    is_for_sqlite = is_in_browser or not touches_database(item) or is_about_storage(item)
    return is_for_sqlite and is_read("sqlite", item.path)


@cache
def is_read(lane: Lane, module: Path) -> bool:
    """Whether a lane has any tests of a module. Each of its processes takes seconds to import all the others.

    What is not read on SQLite runs on PostgreSQL, also what touches no database.
    """
    if lane == "everything":
        return True
    folder = module.relative_to(ROOT / "tests").parts[0]
    text = module.read_text(encoding="utf-8") if module.exists() else ""
    if lane == "postgresql":
        uses_database = folder not in SLOW_FOLDERS or _USES_DATABASE.search(text) is not None
        return uses_database and folder not in ("core", "browser")
    if folder in ON_SQLITE and not _ABOUT_PAGES.search(text):
        return True
    return _MARKED_FOR_SQLITE.search(text) is not None


def _why_it_would_be_lost(item: pytest.Item) -> str:
    """A lane that does not read a module leaves out a test that is there for a reason which the text does not show."""
    wanted = {lane for lane in LANES if is_in(lane, item)}
    if is_about_storage(item) or item.get_closest_marker("browser"):
        wanted.add("sqlite")
    unread = [lane for lane in wanted if not is_read(lane, item.path)]
    return f"is for {unread[0]}, whose lane does not find its marks in the text of {item.path.name}." if unread else ""


def touches_database(item: pytest.Item) -> bool:
    """Whether it uses the run's own test database; one that makes its own does not."""
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("django_db") is not None or not DATABASE_FIXTURES.isdisjoint(fixtures)


def shares_with_its_module(item: pytest.Item) -> bool:
    """Whether it uses something that its module makes once for all its tests, and no mark says who runs them."""
    found = getattr(item, "_fixtureinfo", None)
    fixtures = [] if found is None else [each[-1] for each in found.name2fixturedefs.values()]
    return item.get_closest_marker("xdist_group") is None and any(each.scope == "module" for each in fixtures)


def is_about_storage(item: pytest.Item) -> bool:
    folder = item.path.relative_to(ROOT / "tests").parts[0]
    is_about_pages = item.get_closest_marker("pages") is not None
    return (folder in STORAGE_FOLDERS and not is_about_pages) or item.get_closest_marker("storage") is not None


# --- Long tests ------------------------------------------------------------------------------------------------


def is_too_late_for(item: pytest.Item) -> bool:
    within = item.config.getoption("--long-within")
    return within is not None and is_long(item) and time.monotonic() - BEGUN > within


def is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None


def rests_on_of_its_folder(module: Path) -> tuple[str, ...]:
    """What a module's tests rest on where those of its folder are long by themselves."""
    folder = str(module.parent.relative_to(ROOT / "tests"))
    return next((files for name, files in LONG_FOLDERS.items() if f"{folder}/".startswith(f"{name}/")), ())


def what_it_rests_on(item: pytest.Item) -> str | None:
    """A digest of the test's module, what this imports of the tests, the files that its mark names, and the versions
    of libraries; None: not long.
    """
    mark = item.get_closest_marker("long")
    return None if mark is None else _digest(item.path, mark.args)


@cache
def _digest(module: Path, patterns: tuple[str, ...]) -> str:
    own = b"".join(map(_named_content, [*sorted(imported_tests(module)), ROOT / "requirements.txt"]))
    return sha256(own + _digest_of_files(patterns)).hexdigest()


def imported_tests(module: Path) -> set[Path]:
    """The module itself, the ``conftest.py`` of its folder and those above, and what all these import of the tests,
    but for what only decides when they run.
    """
    to_read = [module, *(folder / "conftest.py" for folder in module.parents if folder.is_relative_to(ROOT / "tests"))]
    found = set[Path]()
    while to_read:
        path = to_read.pop()
        if path not in found and path.exists():
            found.add(path)
            to_read += _tests_that_it_names(path)
    return found - {Path(__file__), Path(rests_on.__file__)}


@cache
def _tests_that_it_names(module: Path) -> list[Path]:
    names = set[str]()
    for package, inside in _IMPORTS_TESTS.findall(module.read_text(encoding="utf-8")):
        names |= {package, *(f"{package}.{name}" for name in re.findall(r"\w+", inside))}
    return [path for name in names for path in (ROOT.joinpath(*name.split(".")).with_suffix(".py"),) if path.exists()]


@cache
def _digest_of_files(patterns: tuple[str, ...]) -> bytes:
    digest = sha256()
    for path in files_named(patterns):
        digest.update(_named_content(path))
    return digest.digest()


@cache
def _named_content(path: Path) -> bytes:
    """Read once, though many long tests rest on the same files."""
    return f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0"


def files_named(patterns: Iterable[str]) -> list[Path]:
    """Files of the repository, each pattern's in order.

    Raises
    ------
    pytest.UsageError
        When a pattern names none, because what it named has moved.
    """
    found: list[Path] = []
    for pattern in patterns:
        files = _matching(pattern)
        if not files:
            raise pytest.UsageError(f"A long test rests on “{pattern}”, and there is no such file.")
        found += files
    return found


@cache
def _matching(pattern: str) -> list[Path]:
    return sorted(path for path in ROOT.glob(pattern) if path.is_file() and "__pycache__" not in path.parts)


def is_as_it_passed(lane: Lane, item: pytest.Item) -> bool:
    """Whether a long test rests on what it rested on when it last passed, in this lane; where all run as one, also
    when it passed in each of those that it is in.
    """
    digest = what_it_rests_on(item)
    if digest is None:
        return False
    passed = {each for each in (*LANES, lane) if last_passed(each).get(_name(item.nodeid)) == digest}
    return lane in passed or (lane == "everything" and passed == {each for each in LANES if is_in(each, item)})


def count_parameters(items: list[pytest.Item]) -> None:
    """Leave with each long test what Record notes when all its parameters have passed, and how many these are."""
    count = Counter(_name(item.nodeid) for item in items)
    for item in items:
        if digest := what_it_rests_on(item):
            item.user_properties.append(("long", [digest, count[_name(item.nodeid)]]))


class Record:
    """Notes for its lane what the long tests rested on when they passed, with all their parameters, in one run; a
    plugin of the process that gathers all reports.
    """

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._rested_on: dict[str, str] = {}
        self._left: dict[str, int] = {}
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        long: Any = dict(report.user_properties).get("long")
        if long is None:
            return
        name = _name(report.nodeid)
        self._rested_on[name], count = long
        self._left.setdefault(name, count)
        if report.failed:
            self._failed.add(name)
        elif report.when == "call":  # it passed, or said itself that there is nothing to test
            self._left[name] -= 1

    def pytest_sessionfinish(self) -> None:
        whole = {name: digest for name, digest in self._rested_on.items() if self._left[name] == 0}
        known = {**last_passed(self._lane), **whole}
        kept = {name: known[name] for name in sorted(known) if name not in self._failed}
        if kept != last_passed(self._lane):
            LAST_PASSED.mkdir(exist_ok=True)
            _notes(self._lane).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _notes(lane: Lane) -> Path:
    return LAST_PASSED / f"{lane}.json"


@cache
def last_passed(lane: Lane) -> dict[str, str]:
    notes = _notes(lane)
    known: dict[str, str] = json.loads(notes.read_text(encoding="utf-8")) if notes.exists() else {}
    return known


def _name(nodeid: str) -> str:
    """A test's name for all its parameters."""
    return without_group(nodeid).split("[")[0]
