"""Models that need longer than anybody expected: real runs against a server that answers late, over a socket."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.bills import paid_in_words
from annotation_platform.scoring.gateway import direct, endpoint, patience
from annotation_platform.scoring.gateway.patience import MOST, Patience
from annotation_platform.scoring.methods.ebr.parameters import ModelParameters
from annotation_platform.scoring.models import Completion, ScoringRun
from annotation_platform.scoring.selectors import run_of
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Role, Study
from tests import rests_on
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.markup import markup
from tests.servers.model_server import ModelServer, says

pytestmark = pytest.mark.long(*rests_on.PLATFORM)
Asks = Callable[..., dict[str, Any]]
TIMEOUT, NEEDED = 1.0, 1.4  # seconds, for the 60 and the 66 of a large model; a busy machine adds to the second
PRICES = {"price_in": 10.0, "price_out": 100.0, "max_tokens": 10}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(direct, "WAIT", 0.05)


@pytest.fixture
def study(db: None) -> Study:
    return study_with_judgments(
        annotators=2,
        corpus=make_corpus(questions=3, systems=("alder", "birch")),
        values=lambda member, item: {"reasons": f"{member} says this of {item.pk}."},
    )


@pytest.fixture
def slow(server: ModelServer) -> Iterator[ModelServer]:
    server.behaviour = lambda asked: says("Score: 60", after=NEEDED)
    yield server
    server.behaviour = lambda asked: says("Score: 60")


def begin(study: Study, budget: Decimal | None = None, **parameters: Any) -> ScoringRun:
    return start_run(study=study, scorer="openai", parameters=parameters, budget=budget, actor=OPERATOR)


def work_on(run: ScoringRun) -> ScoringRun:
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    return execute(RUNS, claimed)


def test_answers_that_need_a_little_longer_are_not_thrown_away_again_and_again(
    study: Study, slow: ModelServer, asks: Asks
) -> None:
    run = work_on(begin(study, **asks(timeout=TIMEOUT, concurrency=4)))
    assert run.status == JobStatus.DONE
    assert Completion.objects.count() == 12
    assert run.late_attempts == 1  # the first; those beside it were waited for longer at once
    assert len(slow.asked) == 13
    assert run.waits == pytest.approx(2 * TIMEOUT)


def test_the_next_run_waits_long_enough_from_the_start(study: Study, slow: ModelServer, asks: Asks) -> None:
    work_on(begin(study, **asks(timeout=TIMEOUT)))
    asked = len(slow.asked)
    again = work_on(begin(study, **asks(timeout=TIMEOUT, max_tokens=99)))
    assert (again.status, again.late_attempts) == (JobStatus.DONE, 0)
    assert len(slow.asked) == asked + 12


def test_what_timed_out_counts_in_what_was_paid(study: Study, slow: ModelServer, asks: Asks) -> None:
    run = work_on(begin(study, **asks(timeout=TIMEOUT, **PRICES)))
    assert run.late_attempts == 1
    prompt = len(slow.asked[0].system.encode()) + len(slow.asked[0].prompt.encode())
    assert run.late_tokens > prompt
    assert run.late_cost > Decimal(prompt * 10 + 10 * 100) / 1_000_000
    words = paid_in_words(run_of(study, run.pk))
    assert words.endswith("for attempts that timed out or were broken off")
    assert f"at most ${run.late_cost:f}".rstrip("0") in words


def test_a_budget_counts_what_timed_out(study: Study, slow: ModelServer, asks: Asks) -> None:
    slow.behaviour = lambda asked: says("Score: 60", after=30)
    run = work_on(begin(study, Decimal("0.04"), **asks(timeout=0.1, retries=1, **PRICES)))
    assert run.status == JobStatus.PAUSED
    assert run.spent == 0
    assert 0 < run.late_cost <= Decimal("0.04")


def test_a_server_that_never_answers_pauses_the_run_and_says_how_long_was_waited(
    study: Study, slow: ModelServer, asks: Asks
) -> None:
    slow.behaviour = lambda asked: says("Score: 60", after=30)
    run = work_on(begin(study, **asks(timeout=0.1, retries=20, concurrency=2)))
    assert run.status == JobStatus.PAUSED
    assert re.search(r"did not answer within [\d.]+ seconds \(asked \d times\)", run.error)
    assert run.waits <= MOST * 0.1
    assert 4 <= run.late_attempts < 20


def test_an_attempt_ends_though_its_answer_goes_on_coming_byte_by_byte(
    study: Study, server: ModelServer, asks: Asks
) -> None:
    server.behaviour = lambda asked: replace(says("Score: 60" + " " * 10_000), drips=0.05)
    started = time.monotonic()
    run = work_on(begin(study, **asks(timeout=3, retries=0, concurrency=2, price_in=10.0, price_out=100.0)))
    assert time.monotonic() - started < 100  # the whole answer takes 500 seconds
    assert run.status == JobStatus.PAUSED
    assert re.search(r"began to answer \(with \d+ bytes\), but was not at its end after 3 sec.*asked once", run.error)
    assert Completion.objects.count() == 0
    assert run.late_attempts == len(server.asked) >= 2  # those that ended after the run had given up, too
    assert run.spent == 0 < run.late_cost


def test_what_came_of_an_answer_counts_as_paid_where_no_longest_reply_is_set(
    study: Study, server: ModelServer, asks: Asks
) -> None:
    server.behaviour = lambda asked: replace(says("Score: 60" + " " * 10_000), drips=0.01)
    prices = {"price_in": 0.0, "price_out": 1_000_000.0, "max_tokens": None}  # a dollar a token
    run = work_on(begin(study, **asks(timeout=3, retries=0, concurrency=1, **prices)))
    came = re.search(r"began to answer \(with (\d+) bytes\)", run.error)
    assert came is not None
    assert run.late_cost >= int(came[1]) > 0


def test_a_batch_server_that_drips_pauses_the_run(
    study: Study, server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "MOST", 1.0)
    server.batch_api.drips = 0.5  # never silent for longer than the timeout
    run = work_on(begin(study, **asks(timeout=3, retries=0, mode="batch")))
    assert run.status == JobStatus.PAUSED
    assert re.search(r"was not at its end after 3 seconds \(asked once\)", run.error)


@pytest.mark.django_db(transaction=True)
def test_the_page_says_that_requests_are_timing_out(client: Client, server: ModelServer, asks: Asks) -> None:
    study = study_with_judgments(annotators=2)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    server.behaviour = lambda asked: says("Score: 60", after=30)
    run = begin(study, **asks(timeout=0.3, concurrency=2, retries=9))
    address = reverse("run", args=[study.slug, run.pk])
    assert "timing out" not in markup(client.get(address))
    worker = threading.Thread(target=work_on_apart, args=(run,))
    worker.start()
    deadline = time.monotonic() + 60
    while "Requests are timing out" not in (page := markup(client.get(address))):
        assert time.monotonic() < deadline, page
        time.sleep(0.1)
    found = re.search(r"(\d+) of (\d+) attempts had no answer in time, (\d+) were answered.*up to ([\d.]+) sec", page)
    assert found is not None
    assert float(found[4]) >= 0.6
    server.behaviour = lambda asked: says("Score: 60")
    worker.join()
    run.refresh_from_db()
    assert run.status == JobStatus.DONE
    page = markup(client.get(address))
    assert "Requests are timing out" not in page
    assert "Timed out</dt>" in page


def work_on_apart(run: ScoringRun) -> None:
    from django.db import connection

    try:
        work_on(run)
    finally:
        connection.close()


@pytest.mark.django_db
def test_the_wait_follows_what_comes(asks: Asks) -> None:
    parameters = ModelParameters.model_construct(**asks(timeout=60.0))
    own = Patience(parameters)
    assert own.seconds == 60
    own.missed(60)
    assert own.seconds == 120
    own.answered(66)
    assert own.seconds == 132
    assert own.of(132) == 264
    for _ in range(50):
        own.answered(2)
    assert own.seconds == 60
    own.missed(10_000)
    assert own.seconds == own.longest == 600
