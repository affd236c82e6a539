"""What every test stands on: a data directory of its own, real databases, and skips that say what is missing.

Django reads the environment once, so it is set here, before anything imports the settings. Every process of a
test run (pytest-xdist starts several) has a directory of its own; programs that a test starts inherit it.
"""

import asyncio
import atexit
import gc
import os
import shutil
import socket
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django import DjangoDbBlocker

from tests import emptied, keys, lanes, migrated, on_postgres, shared_middleware
from tests.published import EBR

# A slow or busy machine is no mistake of the code. The same examples each time: who changes a page is not told of a
# rare case in a coefficient. ``make test-all`` explores, with new examples at each run.
hypothesis.settings.register_profile(
    "the same", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], derandomize=True
)
hypothesis.settings.register_profile("explore", hypothesis.settings.get_profile("the same"), derandomize=False)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "the same"))
if "HYPOTHESIS_PROFILE" not in os.environ:
    # Constants of our own code would make the examples depend on which modules a process has loaded, and reading all
    # of them takes each process some seconds.
    vars(providers)["is_local_module_file"] = lambda path: False
expect.set_options(timeout=30_000)

DATA_DIR = Path(tempfile.mkdtemp(prefix="annotation-platform-tests-"))
atexit.register(shutil.rmtree, DATA_DIR, ignore_errors=True)
POSTGRES_URL = os.environ.get("DATABASE_URL", "")
if not POSTGRES_URL.startswith("postgres"):
    POSTGRES_URL = "postgres://postgres@127.0.0.1:5432/postgres"
    # A file, not memory: threads, live servers and child processes then meet SQLite as users do.
    os.environ["TEST_DB_NAME"] = str(DATA_DIR / "test.sqlite3")
# Messages go to files unless a test asks for Redis, so that nothing needs a broker by accident.
REDIS_URL = os.environ.pop("REDIS_URL", "") or "redis://127.0.0.1:6379/15"

os.environ["DATA_DIR"] = str(DATA_DIR)
os.environ["DJANGO_SETTINGS_MODULE"] = "annotation_platform.settings"
os.environ["PLATFORM_MODE"] = "embedded"

CHROMIUM_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
HOW_TO = "docs/how-to/run-the-tests.md says how to get it"


def pytest_addoption(parser: pytest.Parser) -> None:
    lanes.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    from django.conf import settings

    gc.disable()  # until the tests are found

    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(lanes.WithoutGroups())
        if config.getoption("--long") != "always":
            config.pluginmanager.register(lanes.Record(config.getoption("--lane")))
    # pytest-django reads the settings before this file where pytest-xdist started the process.
    settings.EXPORTS_DIR, settings.RELEASES_DIR, settings.IMPORTS_DIR, settings.HOLDS_DIR = (
        DATA_DIR / folder for folder in ("exports", "releases", "imports", "holds")
    )
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # tests sign in often
    shared_middleware.share()


def pytest_unconfigure(config: pytest.Config) -> None:
    migrated.forget(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """None leaves it to others."""
    is_module = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_module and not lanes.is_read(config.getoption("--lane"), collection_path) else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """What a module's tests share is made once: by the one process that runs all of them."""
    if not lanes.is_long(item) and (files := lanes.rests_on_of_its_folder(item.path)):
        item.add_marker(pytest.mark.long(*files))
    if lanes.shares_with_its_module(item):
        item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(lanes.ROOT))))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    lanes.take(config, items)
    if hasattr(config, "workerinput"):
        lanes.spread(items)
    if config.getoption("--long-within") is not None:
        items.sort(key=lanes.is_long)


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end; looking for garbage among them again and again takes a tenth of all time,
    and while they are found, there is none.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Count keys anew; skip what this machine has not got, and say how to get it, and what no time is left for."""
    if lanes.is_too_late_for(item):
        pytest.skip("no time was left for a long test whose files have changed (--long-within); make test-long runs it")
    if lanes.touches_database(item):
        keys.count_anew(item.path)
    if item.get_closest_marker("postgres") and not _answers(POSTGRES_URL):
        pytest.skip(f"needs a PostgreSQL server (none at {_address(POSTGRES_URL)}; {HOW_TO})")
    if item.get_closest_marker("redis") and not _answers(REDIS_URL):
        pytest.skip(f"needs a Redis server (none at {_address(REDIS_URL)}; {HOW_TO})")
    if item.get_closest_marker("browser") and chromium() is None:
        pytest.skip(f"needs Chromium (not found; {HOW_TO})")
    if item.get_closest_marker("release") and not EBR.is_dir():
        pytest.skip("needs the released EBR data in ../shared/data/ebr")


@pytest.fixture(autouse=True)
def the_next_test_begins_in_english() -> Iterator[None]:
    """A page that was asked for in Japanese leaves its language with the thread."""
    yield
    from django.utils import translation

    translation.activate("en")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    on_postgres.hurry()
    emptied.quickly()
    migrated.begin_with_copy(request.config, tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """The SQLite file is there already, and goes with the data directory."""
    return django_db_keepdb or not os.environ.get("DATABASE_URL", "").startswith("postgres")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """The test database, whose keys are counted anew for each test."""
    keys.begin(django_db_blocker)


@pytest.fixture(scope="session")
def release_data() -> list[Path]:
    """The two files of the released EBR annotations."""
    files = [EBR / name for name in ("inq_annotations.json", "inq_extended_annotations.json")]
    if not all(file.is_file() for file in files):
        pytest.skip("needs the released EBR data in ../shared/data/ebr")
    return files


@pytest.fixture(scope="session")
def redis_url() -> str:
    """Address of a Redis database for tests; mark the test with ``redis``."""
    return REDIS_URL


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """For fixtures of scope module that make rows: all its tests see them, and each undoes what it changes itself.

    A test gets a row's state afresh by asking the database for it; what is in a Python object stays.
    """
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def study(db: None, stored: Any) -> Any:
    """What the module's own ``stored`` made (``scope="module"``, with ``module_db``), read afresh for each test."""
    return type(stored).objects.get(pk=stored.pk)


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """Address of a migrated PostgreSQL database, dropped afterwards; mark the test with ``postgres``."""
    with temporary_database() as url:
        migrated.fill(url)
        yield url


@contextmanager
def temporary_database() -> Iterator[str]:
    """Address of an empty PostgreSQL database."""
    import psycopg

    name = f"annotation_platform_{os.getpid()}_{os.urandom(3).hex()}"
    with psycopg.connect(POSTGRES_URL, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
    try:
        yield urlsplit(POSTGRES_URL)._replace(path=f"/{name}").geturl()
    finally:
        with psycopg.connect(POSTGRES_URL, autocommit=True) as server:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The one browser of the test run; every page gets a context (cookies, storage) of its own."""
    if (path := chromium()) is None:
        pytest.skip(f"needs Chromium (not found; {HOW_TO})")
    # Playwright's synchronous interface runs an event loop in this thread; the tests' own queries are no danger to it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS, chromium_sandbox=False)
        loop = asyncio._get_running_loop()
        yield browser
        asyncio._set_running_loop(loop)
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Playwright's event loop counts as running in this thread as long as the browser lives, and a test that asks a
    model server by a loop of its own would be refused. Django has a connection for each, so it is for a whole test.
    """
    loop = asyncio._get_running_loop() if item.path.parent.name == "scoring" else None
    if loop is None:
        return (yield)
    asyncio._set_running_loop(None)
    try:
        return (yield)
    finally:
        if "DJANGO_ALLOW_ASYNC_UNSAFE" in os.environ:  # the browser is still there
            asyncio._set_running_loop(loop)


def chromium() -> str | None:
    """The one without a window takes a fifth of the time."""
    return next(filter(None, map(shutil.which, CHROMIUMS)), None)


def _address(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or {'redis': 6379}.get(parts.scheme, 5432)}"


def _answers(url: str) -> bool:
    host, port = _address(url).rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.fixture(autouse=True)
def nothing_is_counted_yet() -> None:
    """Failed sign-ins are counted in the process's memory, from which no rollback removes them."""
    from django.core.cache import cache

    cache.clear()


@pytest.fixture(autouse=True)
def messages_leave_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the test's own thread, so that it can look at what was sent; the publisher's thread has tests of its own."""
    from workers.publisher import attempt, publisher

    monkeypatch.setattr(publisher, "publish", attempt)
