"""Imports let others work meanwhile, and nothing of them is seen before all of it is there."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.corpus.importers import FORMATS, open_files, read_study
from annotation_platform.corpus.models import Answer, Corpus, Sentence
from annotation_platform.imports.storing import ImportSummary, import_study
from annotation_platform.jobs import transactions
from annotation_platform.middleware import DomainErrorMiddleware
from annotation_platform.studies import arrivals
from annotation_platform.studies.models import Batch, Item, Member, SchemeVersion, Study
from annotation_platform.studies.services import claim_assignment, create_study
from tests.corpus.test_import_study import corpus, judgments, study
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, open_study
from tests.studies.test_concurrency import at_once

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("many connections"),
]
Progress = Callable[[str, int, int], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "towns.yaml"
    rows = [f"{name} a{n} q{m} a" for name in ("Wren", "Lark") for n in range(3) for m in (1, 2)]
    file.write_text(yaml.safe_dump(study(*rows, overlap=2) | {"corpus": corpus(3, "a"), "judgments": judgments(*rows)}))
    return file


def bring(path: Path, progress: Progress = lambda *_: None, **options: Any) -> ImportSummary:
    format = FORMATS["native"]
    with read_study(format, open_files(format, [path])) as imported:
        return import_study(imported=imported, name="Towns", progress=progress, **options, actor=OPERATOR)


def test_a_place_can_be_taken_at_every_step_of_an_import(path: Path) -> None:
    running = open_study(overlap=2)
    waited: list[str] = []

    def someone_works(step: str, done: int, total: int) -> None:
        def take() -> None:
            claim_assignment(annotator=MemberFactory(study=running, role="annotator"), actor=OPERATOR)
            connection.close()

        person = Thread(target=take, daemon=True)
        person.start()
        person.join(timeout=60)
        if person.is_alive():
            waited.append(step)
            raise TimeoutError(step)  # or the database would stay locked for the test's other threads
        assert not Study.objects.filter(name="Towns").exists()
        assert not Corpus.objects.filter(name="Two towns").exists()

    summary = bring(path, someone_works)
    assert not waited
    assert Study.objects.get(name="Towns").corpus == Corpus.objects.get(name="Two towns")
    assert summary.judgments == 12


def leave_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a killed process does: nothing is cleared."""

    def killed(step: str, done: int, total: int) -> None:
        if step == "judgments":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(arrivals, "_clear", lambda arrival: None)
        with pytest.raises(KeyboardInterrupt):
            bring(path, killed)


def assert_nothing_is_left() -> None:
    for rows in (Study.every, Corpus.every, Sentence.objects, Answer.objects, Item.objects, Batch.objects):
        assert not rows.exists()
    assert not Member.objects.exists()
    assert not SchemeVersion.objects.exists()


def test_an_import_that_is_broken_off_leaves_nothing(path: Path) -> None:
    def stopped(step: str, done: int, total: int) -> None:
        if step == "judgments" and done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bring(path, stopped)
    assert_nothing_is_left()


def test_a_check_leaves_nothing(path: Path) -> None:
    assert bring(path, dry_run=True).batches["closed"]
    assert_nothing_is_left()


def test_what_a_killed_import_left_is_hidden_and_holds_its_name_for_a_while(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_behind(path, monkeypatch)
    assert not Study.objects.exists()
    assert not Corpus.objects.exists()
    with pytest.raises(CommandError, match="“Towns” is being made at this moment"):
        call_command("import_study", "native", str(path), name="Towns", stderr=None)
    with pytest.raises(InvalidInputError, match="already"):
        make_study(name="Towns")


def test_after_a_kill_the_same_import_can_be_started_again(
    path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    leave_behind(path, monkeypatch)
    settings.RUN_STALE_AFTER_SECONDS = 0
    assert bring(path).judgments == 12
    assert Study.every.count() == Corpus.every.filter(studies__isnull=False).count() == 1


def test_the_sweep_clears_what_a_killed_import_left(path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    leave_behind(path, monkeypatch)
    arrivals.clear_left_behind()
    assert Study.every.exists()  # it may still be alive
    settings.RUN_STALE_AFTER_SECONDS = 0
    arrivals.clear_left_behind()
    assert_nothing_is_left()


def test_an_import_that_was_cleared_meanwhile_stops_with_a_sentence(path: Path, settings: Any) -> None:
    def slept(step: str, done: int, total: int) -> None:
        if step == "judgments":
            settings.RUN_STALE_AFTER_SECONDS = 0
            arrivals.clear_left_behind()

    with pytest.raises(arrivals.ArrivalLostError, match="Start it again"):
        bring(path, slept)
    assert_nothing_is_left()


def test_a_study_made_eight_times_at_once_is_there_once() -> None:
    texts = make_corpus()
    definition = make_study(corpus=texts).scheme_version.definition
    results = at_once(8, lambda _: create_study(name="Twins", corpus=texts, definition=definition).name)
    assert results.count("Twins") == 1
    refused = [str(result) for result in results if result != "Twins"]
    assert refused == ["There is a study named “Twins” already. Choose another name."] * 7


def test_a_busy_database_is_tried_again_and_then_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite has one writer at a time")
    monkeypatch.setattr(transactions, "PAUSES", (0.01, 0.01))
    connection.cursor().execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CommandError, match="The database is busy with other work"):
            call_command("import_study", "native", str(path), name="Towns", stderr=None)
        other.execute("ROLLBACK")
        assert_nothing_is_left()
    finally:
        other.close()
        connection.close()


def test_a_page_says_in_a_sentence_that_the_database_is_busy() -> None:
    def page(request: HttpRequest) -> HttpResponse:
        raise AssertionError

    request: Any = RequestFactory().get("/")
    request.user, request.htmx, request.session = AnonymousUser(), False, {}
    response = DomainErrorMiddleware(page).process_exception(request, OperationalError("database is locked"))
    assert response is not None
    assert response.status_code == 503
    assert "The database is busy" in response.content.decode()
