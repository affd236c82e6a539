"""Models that need longer than anybody expected: real runs against a server that answers late, over a socket."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.scoring.bills import paid_in_words
from annotation_platform.scoring.gateway import asking, endpoint
from annotation_platform.scoring.gateway.patience import MOST, Patience
from annotation_platform.scoring.methods.ebr_parameters import ModelParameters
from annotation_platform.scoring.models import Completion, RunStatus, ScoringRun
from annotation_platform.scoring.selectors import run_of
from annotation_platform.scoring.services import claim_run, execute_run, start_run
from annotation_platform.studies.models import Role, Study
from tests.factories import MemberFactory, make_corpus, study_with_judgments
from tests.servers.model_server import ModelServer, says

Asks = Callable[..., dict[str, Any]]
TIMEOUT, NEEDED = 1.0, 1.4  # seconds, for the 60 and the 66 of a large model; a busy machine adds to the second
PRICES = {"price_in": 10.0, "price_out": 100.0, "max_tokens": 10}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(asking, "WAIT", 0.05)


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
    return start_run(study=study, scorer="openai", parameters=parameters, budget=budget)


def work_on(run: ScoringRun) -> ScoringRun:
    claimed = claim_run(run_id=run.pk)
    assert claimed is not None
    return execute_run(run=claimed)


def test_answers_that_need_a_little_longer_are_not_thrown_away_again_and_again(
    study: Study, slow: ModelServer, asks: Asks
) -> None:
    run = work_on(begin(study, **asks(timeout=TIMEOUT, concurrency=4)))
    assert run.status == RunStatus.DONE
    assert Completion.objects.count() == 12
    assert run.late_attempts == 1  # the first; those beside it were waited for longer at once
    assert len(slow.asked) == 13
    assert run.waits == pytest.approx(2 * TIMEOUT)


def test_the_next_run_waits_long_enough_from_the_start(study: Study, slow: ModelServer, asks: Asks) -> None:
    work_on(begin(study, **asks(timeout=TIMEOUT)))
    asked = len(slow.asked)
    again = work_on(begin(study, **asks(timeout=TIMEOUT, max_tokens=99)))
    assert (again.status, again.late_attempts) == (RunStatus.DONE, 0)
    assert len(slow.asked) == asked + 12


def test_what_timed_out_counts_in_what_was_paid(study: Study, slow: ModelServer, asks: Asks) -> None:
    run = work_on(begin(study, **asks(timeout=TIMEOUT, **PRICES)))
    assert run.late_attempts == 1
    prompt = len(slow.asked[0].system.encode()) + len(slow.asked[0].prompt.encode())
    assert run.late_tokens > prompt
    assert run.late_cost > Decimal(prompt * 10 + 10 * 100) / 1_000_000
    words = paid_in_words(run_of(study, run.pk))
    assert words.endswith("for an attempt that timed out")
    assert f"at most ${run.late_cost:f}".rstrip("0") in words


def test_a_budget_counts_what_timed_out(study: Study, slow: ModelServer, asks: Asks) -> None:
    slow.behaviour = lambda asked: says("Score: 60", after=30)
    run = work_on(begin(study, Decimal("0.04"), **asks(timeout=0.1, retries=1, **PRICES)))
    assert run.status == RunStatus.PAUSED
    assert run.spent == 0
    assert 0 < run.late_cost <= Decimal("0.04")


def test_a_server_that_never_answers_pauses_the_run_and_says_how_long_was_waited(
    study: Study, slow: ModelServer, asks: Asks
) -> None:
    slow.behaviour = lambda asked: says("Score: 60", after=30)
    run = work_on(begin(study, **asks(timeout=0.1, retries=20, concurrency=2)))
    assert run.status == RunStatus.PAUSED
    assert re.search(r"did not answer within [\d.]+ seconds \(asked \d times\)", run.error)
    assert run.waits <= MOST * 0.1
    assert 4 <= run.late_attempts < 20


@pytest.mark.django_db(transaction=True)
def test_the_page_says_that_requests_are_timing_out(client: Client, server: ModelServer, asks: Asks) -> None:
    study = study_with_judgments(annotators=2)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    server.behaviour = lambda asked: says("Score: 60", after=30)
    run = begin(study, **asks(timeout=0.3, concurrency=2, retries=9))
    address = reverse("run", args=[study.slug, run.pk])
    assert "timing out" not in client.get(address).content.decode()
    worker = threading.Thread(target=work_on_apart, args=(run,))
    worker.start()
    deadline = time.monotonic() + 60
    while "Requests are timing out" not in (page := client.get(address).content.decode()):
        assert time.monotonic() < deadline, page
        time.sleep(0.1)
    found = re.search(r"(\d+) of (\d+) attempts had no answer in time, (\d+) were answered.*up to ([\d.]+) sec", page)
    assert found is not None
    assert float(found[4]) >= 0.6
    server.behaviour = lambda asked: says("Score: 60")
    worker.join()
    run.refresh_from_db()
    assert run.status == RunStatus.DONE
    page = client.get(address).content.decode()
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
    patience = Patience(parameters)
    assert patience.seconds == 60
    patience.missed(60)
    assert patience.seconds == 120
    patience.answered(66)
    assert patience.seconds == 132
    assert patience.of(132) == 264
    for _ in range(50):
        patience.answered(2)
    assert patience.seconds == 60
    patience.missed(10_000)
    assert patience.seconds == patience.longest == 600
