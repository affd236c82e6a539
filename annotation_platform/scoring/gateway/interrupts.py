"""Reasons to stop while replies are waited for."""

import time

from annotation_platform.jobs.heartbeat import JobLostError, JobPausedError, JobStoppedError, stopping
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ScoringRun

EVERY = 1.0  # seconds


class Interrupts:
    """Looks at a run's row now and then: is it still ours, and is it to go on?"""

    def __init__(self, run: ScoringRun | None) -> None:
        self._run, self._looked = run, time.monotonic()

    def check(self) -> bool:
        """Look, if it is time to; return whether it was.

        Raises
        ------
        JobStoppedError, JobPausedError, JobLostError
            This process is about to end; the run is to pause; another worker has it.
        """
        if stopping.is_set():
            raise JobStoppedError
        if self._run is None or time.monotonic() - self._looked < EVERY:
            return False
        self._looked = time.monotonic()
        rows = ScoringRun.objects.filter(pk=self._run.pk)
        row = rows.values_list("worker", "status", "pause_asked").first()
        if row is None or (row[:2] != (self._run.worker, JobStatus.RUNNING) and self._run.worker):
            raise JobLostError("jobs.taken_over", job=str(self._run))
        if row[2]:
            raise JobPausedError("jobs.paused_by_hand")
        return True

    def check_counts(self) -> None:
        """Look at once, before more is asked: is it of any use?

        Raises
        ------
        JobPausedError
            Nothing that the run asks counts any more.
        """
        if not self.counts():
            raise JobPausedError("scoring.run_outdated")

    def counts(self) -> bool:
        """Look at once: does what the run asks count?"""
        return self._run is None or not ScoringRun.objects.filter(pk=self._run.pk, is_outdated=True).exists()
