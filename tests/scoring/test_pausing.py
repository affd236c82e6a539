"""A run is paused while a worker is at it, which looks for that in a transaction of its own."""

import time
from typing import Any

import pytest

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import selectors
from annotation_platform.scoring.methods.ebr import scorers
from annotation_platform.scoring.services import RUNS, pause_run, resume_run, start_run
from tests.annotations.test_migrating import RENAMINGS, edited
from tests.factories import OPERATOR, close_all, study_with_judgments

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_at_work_pauses_after_its_step_and_keeps_what_came(settings: Any) -> None:
    study = study_with_judgments()
    close_all(study)
    settings.RUN_STALE_AFTER_SECONDS = 0.05
    run = claim(RUNS, start_run(study=study, actor=OPERATOR).pk)
    assert run is not None
    pause_run(run=run, actor=OPERATOR)

    paused = execute(RUNS, run, on_progress=lambda done, total: time.sleep(0.1))
    assert paused.status == JobStatus.PAUSED
    resume_run(run=paused, actor=OPERATOR)
    settings.RUN_STALE_AFTER_SECONDS = 30
    again = claim(RUNS, run.pk)
    assert again is not None
    assert execute(RUNS, again).status == JobStatus.DONE


def test_a_run_whose_scheme_is_migrated_meanwhile_pauses_and_goes_on_under_the_new_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(selectors, "PAGE", 2)
    monkeypatch.setattr(scorers, "BLOCK", 2)
    study = study_with_judgments(values=lambda member, item: {"reasons": f"{member} on {item.pk}"})
    close_all(study)
    run = claim(RUNS, start_run(study=study, actor=OPERATOR).pk)
    assert run is not None

    def migrate_amid(done: int, total: int) -> None:
        if done == 3:
            migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)

    paused = execute(RUNS, run, on_progress=migrate_amid)
    assert (paused.status, "another version while this run was under way" in paused.error) == (JobStatus.PAUSED, True)
    resume_run(run=paused, actor=OPERATOR)
    again = claim(RUNS, run.pk)
    assert again is not None
    done = execute(RUNS, again)
    assert (done.status, done.counts["fullness"]["judgments"]) == (JobStatus.DONE, run.total)
