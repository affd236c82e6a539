"""The Batch API as a way of asking, against a local server that speaks it: what fails, is lost, or is interrupted."""

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import services
from annotation_platform.scoring.gateway import batch_server, batches, dialects, direct, endpoint, interrupts
from annotation_platform.scoring.gateway.budget import Budget
from annotation_platform.scoring.gateway.replies import Claims
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Claim, Completion, ModelBatch, ScoringRun
from annotation_platform.scoring.parameters import ModelCall
from annotation_platform.scoring.services import RUNS
from tests.factories import OPERATOR
from tests.scoring.test_budgets import PRICES, REPLY, begin, finish, small_study
from tests.servers.model_server import KEY, Answer, ModelRequest, ModelServer, fails, says

pytestmark = [pytest.mark.django_db, pytest.mark.storage]
Asks = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(direct, "WAIT", 0.05)
    monkeypatch.setattr(batches, "FIRST_LOOK", 0.05)
    monkeypatch.setattr(interrupts, "EVERY", 0.1)


def test_a_run_by_the_batch_api_stores_every_reply(server: ModelServer, asks: Asks) -> None:
    run = begin(small_study(), **asks(mode="batch", **PRICES))
    assert run.status == JobStatus.DONE, run.error
    assert len(server.batch_api.batches) == 1
    assert set(server.answered.values()) == {1}
    assert Completion.objects.count() == 8
    batch = ModelBatch.objects.get()
    assert (batch.state, batch.requests, batch.answered, batch.failed) == ("collected", 8, 8, 0)


def test_what_failed_in_a_batch_is_asked_again_and_nothing_else(server: ModelServer, asks: Asks) -> None:
    seen: list[str] = []

    def behaviour(asked: ModelRequest) -> Answer:
        seen.append(asked.prompt)
        return fails(500, "oh") if len(seen) in (2, 5) else says("Score: 9")

    server.behaviour = behaviour
    run = begin(small_study(), **asks(mode="batch"))
    assert run.status == JobStatus.DONE, run.error
    assert len(seen) == 10
    assert set(server.answered.values()) == {1}
    assert list(ModelBatch.objects.order_by("pk").values_list("requests", "answered")) == [(8, 6), (2, 2)]


def with_results(server: ModelServer, change: Callable[[list[bytes]], list[bytes]]) -> None:
    """Have the server change the lines of the next file of results."""
    finish_batch = server.batch_api._finish

    def finish_otherwise(batch: dict[str, Any]) -> None:
        finish_batch(batch)
        server.batch_api._finish = finish_batch  # type: ignore[method-assign]
        name = batch["output_file_id"]
        server.batch_api.files[name] = b"\n".join(change(server.batch_api.files[name].split(b"\n")))

    server.batch_api._finish = finish_otherwise  # type: ignore[method-assign]


def test_results_in_another_order_twice_and_of_another_batch_are_each_request_s_once(
    server: ModelServer, asks: Asks
) -> None:
    strange = b'{"custom_id": "of another batch", "response": {"status_code": 200, "body": {}}}'
    with_results(server, lambda lines: [strange, *lines[::-1], *lines[:3]])
    run = begin(small_study(), **asks(mode="batch", **PRICES))
    assert (run.status, run.spent) == (JobStatus.DONE, 8 * REPLY), run.error
    batch = ModelBatch.objects.get()
    assert (batch.state, batch.answered, batch.failed) == ("collected", 8, 0)


@pytest.mark.parametrize(
    "line",
    [b"no JSON", b"[" * 100_000, b"null", b"[1]", b'{"custom_id": "MARK", "response": "none", "error": null}'],
    ids=["no JSON", "deep", "null", "list", "other response"],
)
def test_a_result_that_cannot_be_read_does_not_keep_the_others_back(
    server: ModelServer, asks: Asks, line: bytes
) -> None:
    def break_first(lines: list[bytes]) -> list[bytes]:
        return [line.replace(b"MARK", json.loads(lines[0])["custom_id"].encode()), *lines[1:]]

    with_results(server, break_first)
    run = begin(small_study(), **asks(mode="batch"))
    assert run.status == JobStatus.DONE, run.error
    assert list(ModelBatch.objects.order_by("pk").values_list("requests", "answered")) == [(8, 7), (1, 1)]


@pytest.mark.parametrize(
    ("asked", "said", "status"),
    [
        ("POST /v1/files", b"[]", JobStatus.DONE),  # what is there all the same is found
        ("POST /v1/batches", b"{}", JobStatus.DONE),
        ("GET /v1/batches/batch-1", b"{}", JobStatus.PAUSED),
        ("GET /v1/batches/batch-1", b'{"status": "completed", "input_file_id": "f", "errors": "no"}', JobStatus.PAUSED),
        ("GET /v1/batches/batch-1", b"<html>Sign in</html>", JobStatus.PAUSED),
    ],
)
def test_what_no_batch_api_says_is_asked_again_and_then_given_up_in_words(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch, asked: str, said: bytes, status: str
) -> None:
    respond = server.batch_api._respond

    def otherwise(method: str, path: str, *rest: Any) -> tuple[int, bytes] | None:
        response = respond(method, path, *rest)
        return (200, said) if f"{method} {path}" == asked else response

    monkeypatch.setattr(server.batch_api, "_respond", otherwise)
    run = begin(small_study(), **asks(mode="batch"))
    assert run.status == status, run.error
    if status == JobStatus.PAUSED:
        assert "answered with something that no Batch API says (asked 3 times)" in run.error
        monkeypatch.undo()
        services.resume_run(run=run, actor=OPERATOR)
        assert finish(run).status == JobStatus.DONE
    assert set(server.answered.values()) == {1}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/v1/files", "has no Batch API: gone. Start a new run that sends requests one by one."),
        ("/v1/batches/batch-1", "does not know this run's batch, or a file of it, any more (status 404: gone)"),
    ],
)
def test_what_a_server_of_batches_does_not_know_is_named(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch, path: str, words: str
) -> None:
    respond = server.batch_api._respond

    def unknown(method: str, asked: str, *rest: Any) -> tuple[int, bytes] | None:
        return (404, b'{"error": {"message": "gone"}}') if asked == path else respond(method, asked, *rest)

    monkeypatch.setattr(server.batch_api, "_respond", unknown)
    run = begin(small_study(), **asks(mode="batch"))
    assert (run.status, words in run.error) == (JobStatus.FAILED, True), run.error


def forgets(server: ModelServer, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Have the server answer with 404 there."""
    respond = server.batch_api._respond

    def unknown(method: str, asked: str, *rest: Any) -> tuple[int, bytes] | None:
        return (404, b'{"error": {"message": "gone"}}') if asked == path else respond(method, asked, *rest)

    monkeypatch.setattr(server.batch_api, "_respond", unknown)


@pytest.mark.parametrize("path", ["/v1/batches/batch-1", "/v1/files/file-2/content"])
def test_a_batch_that_the_server_knows_no_more_is_sent_anew_only_when_somebody_goes_on(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    forgets(server, monkeypatch, path)
    run = begin(small_study(), "5", **asks(mode="batch", **PRICES))
    assert run.status == JobStatus.FAILED
    assert "what it has not brought is sent anew, and may be paid for a second time" in run.error
    held = sum(run.claims.values_list("most_cost", flat=True))
    assert (len(server.batch_api.batches), run.claims.count()) == (1, 8)
    run.claims.update(expires_at=timezone.now() - timedelta(seconds=1))  # a day later, when another run begins
    parameters = run_method("ebr").resolve(study=run.study, scorer="openai", given=asks(**PRICES))
    assert isinstance(parameters, ModelCall)
    other = ScoringRun.objects.create(study=run.study, method="judge", scorer="openai", budget=5)
    Claims(other, Budget(other, parameters))
    services.resume_run(run=run, actor=OPERATOR)
    run = finish(run)
    assert (run.status, run.spent, run.late_cost) == (JobStatus.DONE, 8 * REPLY, held), run.error
    assert list(ModelBatch.objects.order_by("pk").values_list("state", flat=True)) == ["lost", "collected"]
    assert not Claim.objects.exists()


def test_one_that_the_server_knows_again_when_somebody_goes_on_is_collected(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgets(server, monkeypatch, "/v1/batches/batch-1")  # as it does under another key
    run = begin(small_study(), **asks(mode="batch", **PRICES))
    monkeypatch.undo()
    services.resume_run(run=run, actor=OPERATOR)
    run = finish(run)
    assert (run.status, run.spent, run.late_cost) == (JobStatus.DONE, 8 * REPLY, 0), run.error
    assert set(server.answered.values()) == {1}


def test_one_that_it_knew_again_and_then_forgot_is_told_once_more(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgets(server, monkeypatch, "/v1/batches/batch-1")
    run = begin(small_study(), **asks(mode="batch"))
    monkeypatch.undo()
    server.batch_api.hold = True
    sleep = batches.BatchTransport._sleep

    def forget_meanwhile(self: Any, seconds: float) -> None:
        forgets(server, monkeypatch, "/v1/batches/batch-1")
        server.batch_api.hold = False
        sleep(self, seconds)

    monkeypatch.setattr(batches.BatchTransport, "_sleep", forget_meanwhile)
    services.resume_run(run=run, actor=OPERATOR)
    run = finish(run)
    assert (run.status, "does not know this run's batch" in run.error) == (JobStatus.FAILED, True), run.error
    assert len(server.batch_api.batches) == 1


def test_a_worker_that_takes_the_run_up_by_itself_sends_nothing_anew(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgets(server, monkeypatch, "/v1/batches/batch-1")
    run = begin(small_study(), **asks(mode="batch"))
    ScoringRun.objects.update(status=JobStatus.PENDING)  # as it is where the first worker dies before it can say so
    assert finish(run).status == JobStatus.FAILED
    assert len(server.batch_api.batches) == 1


def test_a_run_by_batches_pauses_too_where_the_server_wants_to_rest_for_an_hour(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_server, "seconds", lambda said: 3600.0)
    server.batch_api.refuses_batches = 503
    run = begin(small_study(), **asks(mode="batch"))
    assert (run.status, "asks to be left alone until" in run.error) == (JobStatus.PAUSED, True), run.error
    assert len(server.batch_api.uploads) == 1
    server.batch_api.refuses_batches = 0
    services.resume_run(run=run, actor=OPERATOR)
    assert finish(run).status == JobStatus.DONE
    assert len(server.batch_api.uploads) == 1


def ended_early(server: ModelServer, status: str, answers: int) -> None:
    """Have the server end the next batch so, with so many answers."""
    finish_batch = server.batch_api._finish

    def end(batch: dict[str, Any]) -> None:
        finish_batch(batch)
        batch["status"] = status

    with_results(server, lambda lines: lines[:answers])
    finish_batch, server.batch_api._finish = server.batch_api._finish, end  # type: ignore[method-assign]


def test_a_batch_that_somebody_cancels_at_the_server_is_sent_again_only_when_the_run_goes_on(
    server: ModelServer, asks: Asks
) -> None:
    ended_early(server, "cancelled", answers=3)
    run = begin(small_study(), **asks(mode="batch"))
    assert (run.status, len(server.batch_api.batches)) == (JobStatus.PAUSED, 1)
    assert "The batch batch-1 was cancelled at the model server" in run.error
    assert "go on to have the other 5 requests sent in a new batch" in run.error
    services.resume_run(run=run, actor=OPERATOR)
    assert finish(run).status == JobStatus.DONE
    assert list(ModelBatch.objects.order_by("pk").values_list("requests", "answered")) == [(8, 3), (5, 5)]


def test_nor_is_one_that_was_cancelled_while_no_process_waited_for_it(server: ModelServer, asks: Asks) -> None:
    ended_early(server, "cancelled", answers=3)
    run = begin(small_study(), **asks(mode="batch"))
    ModelBatch.objects.update(state=ModelBatch.State.OPEN)  # as a process leaves it that is killed while it waits
    services.resume_run(run=run, actor=OPERATOR)
    run = finish(run)
    assert (run.status, len(server.batch_api.batches)) == (JobStatus.PAUSED, 1)
    assert "go on to have the other 5 requests sent in a new batch" in run.error
    services.resume_run(run=run, actor=OPERATOR)
    assert finish(run).status == JobStatus.DONE


def test_a_batch_that_expires_is_named_so(server: ModelServer, asks: Asks) -> None:
    ended_early(server, "expired", answers=3)
    run = begin(small_study(), **asks(mode="batch", retries=0))
    assert run.status == JobStatus.PAUSED
    assert "until the time of its batch was over (one of 5 requests" in run.error


def test_what_is_refused_in_a_batch_is_a_failure_of_its_own(server: ModelServer, asks: Asks) -> None:
    seen: list[str] = []

    def behaviour(asked: ModelRequest) -> Answer:
        seen.append(asked.prompt)
        return fails(400, "too long") if len(seen) == 3 else says("Score: 9")

    server.behaviour = behaviour
    run = begin(small_study(), **asks(mode="batch"))
    assert run.status == JobStatus.DONE, run.error
    assert "too long" in run.scores.exclude(failure="").get().failure
    assert Completion.objects.count() == 7
    assert not Claim.objects.exists()


def test_a_batch_of_which_everything_is_refused_fails_the_run(server: ModelServer, asks: Asks) -> None:
    server.behaviour = lambda asked: fails(400, "too long")
    run = begin(small_study(), **asks(mode="batch"))
    assert run.status == JobStatus.FAILED
    assert "too long" in run.error
    assert not run.scores.exists()


@pytest.mark.parametrize("is_about_one", [True, False], ids=["one request", "the whole batch"])
def test_what_a_server_says_of_a_batch_is_told_shortly_and_without_the_key(
    server: ModelServer, asks: Asks, is_about_one: bool
) -> None:
    said = {"message": f"The key {KEY} is spent.\n" + "Look at your bill. " * 100}
    finish_batch = server.batch_api._finish

    def fail(batch: dict[str, Any]) -> None:
        finish_batch(batch)
        batch |= {"status": "failed", "output_file_id": None, "error_file_id": None, "errors": {"data": [said]}}

    if is_about_one:
        with_results(server, lambda lines: [json.dumps(json.loads(each) | {"error": said}).encode() for each in lines])
    else:
        server.batch_api._finish = fail  # type: ignore[method-assign]
    run = begin(small_study(), **asks(mode="batch", retries=0))
    assert (run.status in (JobStatus.PAUSED, JobStatus.FAILED), "The key (key) is spent. Look" in run.error) == (
        True,
        True,
    )
    assert KEY not in run.error
    assert len(run.error) < 600


def test_of_a_batch_that_failed_for_no_reason_that_is_said_in_every_language(server: ModelServer, asks: Asks) -> None:
    finish_batch = server.batch_api._finish

    def fail(batch: dict[str, Any]) -> None:
        finish_batch(batch)
        said = {"data": [{"message": ""}, {"message": None}]}
        batch |= {"status": "failed", "output_file_id": None, "error_file_id": None, "errors": said}

    server.batch_api._finish = fail  # type: ignore[method-assign]
    run = begin(small_study(), **asks(mode="batch", retries=0))
    assert isinstance(run.error, Reason)
    words = run.error.parameters["words"]
    assert isinstance(words, Reason)
    assert words.code == "words.nothing_said"


def test_a_newer_server_gets_the_longest_reply_under_its_name_in_the_next_batch(
    server: ModelServer, asks: Asks
) -> None:
    server.behaviour = lambda asked: (
        fails(400, "use max_completion_tokens") if "max_tokens" in asked.body else says("9")
    )
    run = begin(small_study(), **asks(mode="batch"))
    dialects.forget()
    assert run.status == JobStatus.DONE, run.error
    assert len(server.batch_api.batches) == 2
    assert set(server.answered.values()) == {1}


def test_a_batch_whose_making_was_never_confirmed_is_found_by_its_key(server: ModelServer, asks: Asks) -> None:
    server.batch_api.loses_answers = True  # made, but nobody hears of it
    run = begin(small_study(), **asks(mode="batch", retries=0))
    assert run.status == JobStatus.PAUSED
    assert len(server.batch_api.batches) == 1
    server.batch_api.loses_answers = False
    services.resume_run(run=run, actor=OPERATOR)
    run = finish(run)
    assert run.status == JobStatus.DONE, run.error
    assert len(server.batch_api.batches) == 1
    assert set(server.answered.values()) == {1}


def test_a_batch_under_way_is_waited_for_after_a_pause(server: ModelServer, asks: Asks) -> None:
    server.batch_api.hold = True
    run = services.start_run(study=small_study(), scorer="openai", parameters=asks(mode="batch"), actor=OPERATOR)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    services.pause_run(run=claimed, actor=OPERATOR)
    assert execute(RUNS, claimed).status == JobStatus.PAUSED
    server.batch_api.hold = False
    services.resume_run(run=run, actor=OPERATOR)
    assert finish(run).status == JobStatus.DONE
    assert len(server.batch_api.batches) == 1


def unanswered(server: ModelServer, asks: Asks, **parameters: Any) -> ScoringRun:
    """A run whose batch is at the server, but has stopped before it heard of that."""
    server.batch_api.loses_answers = True
    run = begin(small_study(), **asks(mode="batch", retries=0, **(parameters or PRICES)))
    assert run.status == JobStatus.PAUSED
    server.batch_api.loses_answers = False
    return run


def test_a_batch_is_found_among_many(server: ModelServer, asks: Asks) -> None:
    run = unanswered(server, asks)
    for number in range(250):
        server.batch_api.batches[f"other-{number}"] = {
            "id": f"other-{number}", "object": "batch", "status": "completed", "created_at": 1, "endpoint": "/v1/x",
            "completion_window": "24h", "input_file_id": "file-x", "metadata": None,
        }  # fmt: skip
    services.resume_run(run=run, actor=OPERATOR)
    assert finish(run).status == JobStatus.DONE
    assert len(server.batch_api.batches) == 251
    assert set(server.answered.values()) == {1}


@pytest.mark.parametrize("lists_files", [True, False])
def test_a_file_whose_arrival_was_never_confirmed_is_used_where_the_server_lists_its_files(
    server: ModelServer, asks: Asks, lists_files: bool
) -> None:
    server.batch_api.lists_files = lists_files
    server.batch_api.refuses_batches = 503
    run = begin(small_study(), **asks(mode="batch", retries=0))
    assert (run.status, len(server.batch_api.uploads)) == (JobStatus.PAUSED, 1)
    server.batch_api.refuses_batches = 0
    services.resume_run(run=run, actor=OPERATOR)
    assert finish(run).status == JobStatus.DONE
    assert len(server.batch_api.batches) == 1
    assert len(server.batch_api.uploads) == (1 if lists_files else 2)
    assert set(server.answered.values()) == {1}


def test_what_is_in_a_batch_is_asked_by_no_other_run_though_its_own_has_stopped(
    server: ModelServer, asks: Asks
) -> None:
    first = unanswered(server, asks)
    second = begin(first.study, **asks(**PRICES))
    assert second.status == JobStatus.PAUSED
    assert f"in a batch of scoring run {first.pk}, which has stopped. Go on with that run first" in second.error
    assert not server.asked
    for run in (first, second):
        services.resume_run(run=run, actor=OPERATOR)
        assert finish(run).status == JobStatus.DONE
    assert set(server.answered.values()) == {1}
    assert not Claim.objects.exists()


def test_a_batch_of_a_run_whose_labels_count_no_more_is_collected_and_nothing_else_is_asked(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "PART", 5)
    run = unanswered(server, asks)
    ScoringRun.objects.update(is_outdated=True)
    run.refresh_from_db()
    services.resume_run(run=run, actor=OPERATOR)
    run = finish(run)
    assert (run.status, run.spent, "count no more" in run.error) == (JobStatus.PAUSED, 5 * REPLY, True), run.error
    assert len(server.batch_api.batches) == 1
    assert not Claim.objects.exists()
    with pytest.raises(InvalidInputError, match="count no more"):
        services.resume_run(run=run, actor=OPERATOR)


def test_of_such_a_run_whose_file_alone_has_arrived_no_batch_is_made(server: ModelServer, asks: Asks) -> None:
    server.batch_api.refuses_batches = 503
    run = begin(small_study(), **asks(mode="batch", retries=0))
    server.batch_api.refuses_batches = 0
    ScoringRun.objects.update(is_outdated=True)
    run.refresh_from_db()
    services.resume_run(run=run, actor=OPERATOR)
    run = finish(run)
    assert (run.status, "count no more" in run.error) == (JobStatus.PAUSED, True), run.error
    assert server.batch_api.batches == {}
    assert (run.may_go_on, Claim.objects.exists()) == (False, False)


def test_so_is_one_of_a_run_that_can_keep_no_budget_where_its_study_has_one_by_now(
    server: ModelServer, asks: Asks
) -> None:
    run = unanswered(server, asks, max_tokens=10)
    services.set_budget(study=run.study, budget=Decimal(1), actor=OPERATOR)
    services.resume_run(run=run, actor=OPERATOR)
    run = finish(run)
    assert Completion.objects.count() == 8
    assert ModelBatch.objects.get().state == ModelBatch.State.COLLECTED


def test_another_is_started_only_after_it(server: ModelServer, asks: Asks) -> None:
    study = small_study()
    given = asks(mode="batch")
    run = services.start_run(study=study, scorer="openai", parameters=given, actor=OPERATOR)
    assert services.start_run(study=study, scorer="openai", parameters=given, actor=OPERATOR) == run
    ScoringRun.objects.update(is_outdated=True)
    with pytest.raises(services.RunActiveError):
        services.start_run(study=study, scorer="openai", parameters=given, actor=OPERATOR)


def test_so_is_one_that_is_waited_for_when_they_come_to_count_no_more(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "PART", 5)
    server.batch_api.hold = True
    looked: list[str] = []
    look = batch_server.BatchServer.look

    def outdate_meanwhile(self: Any, batch_id: str) -> Any:
        looked.append(batch_id)
        ScoringRun.objects.update(is_outdated=True)
        server.batch_api.hold = len(looked) < 6  # two looks at the run's row later
        return look(self, batch_id)

    monkeypatch.setattr(batch_server.BatchServer, "look", outdate_meanwhile)
    run = begin(small_study(), **asks(mode="batch", **PRICES))
    assert (run.status, run.spent, "count no more" in run.error) == (JobStatus.PAUSED, 5 * REPLY, True), run.error
    assert len(server.batch_api.batches) == 1


def test_what_is_in_a_batch_stays_set_aside_in_the_studys_budget(server: ModelServer, asks: Asks) -> None:
    study = small_study(budget=Decimal("0.2"))
    server.batch_api.loses_answers = True
    first = begin(study, **asks(mode="batch", retries=0, **PRICES))
    assert first.status == JobStatus.PAUSED
    server.batch_api.loses_answers = False
    other = begin(study, **asks(model="other", **PRICES))
    assert other.status == JobStatus.PAUSED
    assert "Budget reached: the study's budget" in other.error
    assert not server.asked
    services.resume_run(run=first, actor=OPERATOR)
    assert finish(first).spent == 8 * REPLY


def test_a_batch_that_the_server_refuses_to_take_holds_nobody_up(server: ModelServer, asks: Asks) -> None:
    study = small_study()
    server.batch_api.refuses_batches = 404
    run = begin(study, **asks(mode="batch"))
    assert run.status == JobStatus.FAILED
    assert ModelBatch.objects.get().state == ModelBatch.State.LOST
    assert not Claim.objects.exists()
    assert begin(study, **asks()).status == JobStatus.DONE


def test_storing_that_breaks_off_is_taken_up_where_it_stopped(
    server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "SAVED_AT_ONCE", 3)
    save, blocks = batches.save, []

    def dies_at_the_second(*args: Any, **kwargs: Any) -> Any:
        blocks.append(1)
        if len(blocks) == 2:
            raise OperationalError("deadlock detected")
        return save(*args, **kwargs)

    monkeypatch.setattr(batches, "save", dies_at_the_second)
    run = services.start_run(
        study=small_study(), scorer="openai", parameters=asks(mode="batch", **PRICES), actor=OPERATOR
    )
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    with pytest.raises(OperationalError):
        execute(RUNS, claimed)
    assert Completion.objects.count() == 3
    run = finish(run)
    assert (run.status, run.spent) == (JobStatus.DONE, 8 * REPLY)
    assert Completion.objects.count() == 8
    assert len(server.batch_api.batches) == 1
    assert set(server.answered.values()) == {1}
