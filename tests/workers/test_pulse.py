"""A worker shows that it is there, and a page can tell when it is not."""

from pathlib import Path

import pytest

from tests import rests_on
from tests.workers.installation import Installation

pytestmark = pytest.mark.long(*rests_on.JOBS)


def test_a_worker_is_seen_while_it_runs_and_takes_leave_when_it_ends(tmp_path: Path) -> None:
    pulses = "SELECT count(*) FROM jobs_workerpulse WHERE name <> 'sweep'"
    with Installation(tmp_path) as installation:
        installation.run("-m", "tests.workers.seed_closed_study", "distilled")
        worker = installation.start_worker()
        installation.wait_for("the worker's pulse", lambda: installation.value(pulses) == 1)
        # No beat is running: what an earlier worker left behind is taken up because a worker has started.
        installation.wait_for(
            "the snapshot", lambda: installation.value("SELECT count(*) FROM analysis_agreementsnapshot") == 1
        )
        assert installation.rows("SELECT DISTINCT state FROM studies_batch") == [("scored",)]
        worker.stop()
        assert installation.value(pulses) == 0


def test_beat_on_a_thread_of_the_worker_sends_sweeps_and_ends_with_it(tmp_path: Path) -> None:
    with Installation(tmp_path) as installation:
        worker = installation.start_worker("--clock --pool threads")
        installation.wait_for("a sweep by the clock", lambda: "Sending due task sweep" in worker.log.read_text())
        worker.stop()
        assert list(tmp_path.glob("beat-schedule*"))
