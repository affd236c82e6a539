"""A run is paused while a worker is at it, which looks for that in a transaction of its own."""

import time
from typing import Any

import pytest

from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.services import RUNS, pause_run, resume_run, start_run
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
