"""``manage.py score_study``: in the foreground, without a worker."""

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation_platform.core.schemes import preset
from annotation_platform.jobs.contract import claim
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import BatchState, Study
from tests.factories import OPERATOR, make_corpus, study_with_judgments
from tests.servers.model_server import ModelServer, fails

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=2, corpus=make_corpus(questions=2, systems=("alder", "birch")))


def command(*arguments: str) -> str:
    output = StringIO()
    call_command("score_study", *arguments, stdout=output, stderr=StringIO())
    return output.getvalue()


def test_it_scores_measures_and_says_what_came_from_where(study: Study) -> None:
    output = command(study.name, "--method", "ebr", "--scorer", "distilled", "--lambda", "0.5")
    assert "8 judgments" in output
    assert "completeness: 8 read, 0 without explanation; values: read from label and explanation 8" in output
    run = ScoringRun.objects.get()
    assert (run.status, run.parameters["lambda"]) == (JobStatus.DONE, 0.5)
    assert study.batches.get().state == BatchState.SCORED
    assert study.snapshots.get().run == run


def test_a_language_model_is_told_what_the_command_line_says(
    study: Study, server: ModelServer, asks: Callable[..., Any]
) -> None:
    asks()  # sets the key
    options = "--scorer openai --model tiny --variant label --temperature 0.3 --max-tokens none --concurrency 2"
    prices = "--price-in 10 --price-out 100 --timeout 5 --retries 0"
    output = command(study.name, *options.split(), *prices.split(), "--base-url", server.url)
    assert {"temperature": 0.3}.items() <= server.asked[0].body.items()
    assert "max_tokens" not in server.asked[0].body
    assert "tells of matter" not in server.asked[0].prompt
    assert f"paid by this run: ${0.003 * len(server.asked):g}, " in output


def test_a_failure_is_told_in_words(study: Study, server: ModelServer, asks: Callable[..., Any]) -> None:
    asks()
    server.behaviour = lambda asked: fails(404, "The model 'gone' does not exist")
    with pytest.raises(CommandError, match=r"does not know the model .*gone"):
        command(study.name, "--scorer", "openai", "--model", "gone", "--base-url", server.url)
    assert not study.snapshots.exists()


def test_an_unknown_study_is_an_error_that_names_the_known_ones(study: Study) -> None:
    with pytest.raises(CommandError, match=f"no study named “Nothing”. Studies: “{study.name}”"):
        command("Nothing")


def test_a_study_that_is_being_scored_is_left_alone(study: Study) -> None:
    start_run(study=study, scorer="recorded", actor=OPERATOR)
    with pytest.raises(CommandError, match="is being scored already"):
        command(study.name, "--scorer", "distilled")


def test_a_value_that_cannot_be_is_named(study: Study) -> None:
    with pytest.raises(CommandError, match=r"lambda: 1\.5 is not at most 1"):
        command(study.name, "--lambda", "1.5")


@pytest.mark.parametrize("amount", ["nan", "inf", "1e99", "0", "much", " "])
def test_a_budget_that_is_none_is_refused_in_words(study: Study, amount: str) -> None:
    with pytest.raises(CommandError, match=r"[Bb]udget: .*(is not an amount|cannot be spent|give an amount)"):
        command(study.name, f"--budget={amount}")
    assert not study.scoring_runs.exists()


def test_a_scorer_that_the_method_has_not_is_refused(study: Study) -> None:
    with pytest.raises(CommandError, match=r"raters by aspect: there is no scorer “distilled” .* one of: openai"):
        command(study.name, "--method", "judge", "--scorer", "distilled", "--model", "m")
    assert not study.scoring_runs.exists()


def test_a_method_that_has_nothing_to_do_here_is_refused() -> None:
    study = study_with_judgments(definition={**preset("ebr"), "rescale": []})
    with pytest.raises(CommandError, match="rescales nothing, so there is nothing to score"):
        command(study.name, "--method", "ebr")
    assert not study.scoring_runs.exists()


def test_a_dry_run_that_was_interrupted_ends_as_one_when_it_is_resumed(
    study: Study, server: ModelServer, asks: Callable[..., Any]
) -> None:
    start_run(study=study, scorer="openai", parameters=asks(), dry_run=True, actor=OPERATOR)
    study.scoring_runs.update(status=JobStatus.FAILED, error="Stopped by hand.")
    told = command(study.name, "--resume")
    assert "All of them will take about" in told
    assert "To go on" in told
    assert command(study.name, "--resume").startswith("Scored")


def test_the_bill_is_told_first_and_the_run_goes_on_when_asked(
    study: Study, server: ModelServer, asks: Callable[..., Any]
) -> None:
    asks()
    model = ["--scorer", "openai", "--model", "tiny", "--base-url", server.url, "--price-in", "10", "--price-out", "9"]
    told = command(study.name, *model, "--max-tokens", "20", "--dry-run")
    assert "items" in told
    assert "--resume" in told
    tried = len(server.asked)
    with pytest.raises(CommandError, match="no dry run any more; leave --dry-run out"):
        command(study.name, "--resume", "--dry-run")
    assert len(server.asked) == tried
    told = command(study.name, "--resume", "--budget", "5")
    assert "paid by this run: $" in told
    assert "worth $" in told
    assert set(server.answered.values()) == {1}
    assert len(server.asked) >= tried


def test_a_run_goes_on_without_its_budget(study: Study, server: ModelServer, asks: Callable[..., Any]) -> None:
    prices = {"price_in": 10.0, "price_out": 100.0, "max_tokens": 20}
    run = start_run(study=study, scorer="openai", parameters=asks(**prices), budget=Decimal("0.001"), actor=OPERATOR)
    with pytest.raises(CommandError, match="Budget reached"):
        command(study.name, "--resume")
    with pytest.raises(CommandError, match="Budget reached"):
        command(study.name, "--resume")
    assert command(study.name, "--resume", "--no-budget").startswith("Scored")
    run.refresh_from_db()
    assert (run.status, run.budget) == (JobStatus.DONE, None)


def test_several_runs_are_measured_once_after_the_last(study: Study) -> None:
    command(study.name, "--scorer", "distilled", "--no-measure")
    assert not study.snapshots.exists()
    command(study.name, "--scorer", "distilled", "--lambda", "0.5")
    compared = study.snapshots.get().figures["variants"]["aspects"]["completeness"]["variants"]
    assert [variant["lambda"] for variant in compared] == [0.5, 0.0]


def test_a_run_that_waits_for_its_worker_is_resumed(study: Study) -> None:
    run = start_run(study=study, scorer="distilled", actor=OPERATOR)
    assert command(study.name, "--resume").startswith("Scored")
    run.refresh_from_db()
    assert run.status == JobStatus.DONE
    with pytest.raises(CommandError, match="Every run of this study is finished"):
        command(study.name, "--resume")


def test_a_killed_run_is_not_called_a_workers(study: Study) -> None:
    """One whose process has just died looks like one that is being worked on; later it is known that nobody is."""
    run = start_run(study=study, scorer="distilled", actor=OPERATOR)
    claim(RUNS, run.pk)
    with pytest.raises(CommandError, match=r"Another process is working on this run .*or stopped.* --resume"):
        command(study.name, "--scorer", "distilled")
    ScoringRun.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    with pytest.raises(CommandError, match=r"is being scored already.*No worker is at it.*--resume"):
        command(study.name, "--scorer", "distilled", "--lambda", "0.5")


def test_a_run_that_another_process_is_at_is_left_to_it(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(study=study, scorer="distilled", actor=OPERATOR)
    ScoringRun.objects.filter(pk=run.pk).update(status=JobStatus.RUNNING, worker="other", heartbeat_at=timezone.now())

    def beats(_: float) -> None:
        ScoringRun.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now())

    monkeypatch.setattr("annotation_platform.scoring.management.commands.score_study.time.sleep", beats)
    with pytest.raises(CommandError, match="Another process is working on run"):
        command(study.name, "--resume")


def test_a_run_that_pauses_says_how_it_goes_on(study: Study) -> None:
    nobody_there = ["--scorer", "openai", "--model", "tiny", "--base-url", "http://127.0.0.1:9", "--retries", "0"]
    with pytest.raises(CommandError, match=r"cannot be reached.*to go on: this command with --resume"):
        command(study.name, *nobody_there)
    assert study.scoring_runs.get().status == JobStatus.PAUSED


def test_one_that_cannot_go_on_says_no_such_thing(study: Study, server: ModelServer, asks: Callable[..., Any]) -> None:
    start_run(study=study, scorer="openai", parameters=asks(), actor=OPERATOR)
    ScoringRun.objects.update(is_outdated=True)
    for _ in range(2):
        with pytest.raises(CommandError, match="count no more") as error:
            command(study.name, "--resume")
        assert str(error.value).endswith("Start a new run; what is asked alike is not paid for again.")
    assert server.asked == []


def test_a_wrong_budget_or_method_is_an_error_of_the_command_line() -> None:
    """As a process: what a type of argparse raises otherwise ends in a traceback."""
    budget = wrong_command("--budget=-1")
    assert "argument --budget: Budget: -1 dollars cannot be spent." in budget
    assert "(choose from 'ebr', 'judge'" in wrong_command("--method=nope")


def wrong_command(*arguments: str) -> str:
    command = [sys.executable, "manage.py", "score_study", "Towns", *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    return result.stderr
