"""What is due by the clock is done by the worker itself when no sweep comes.

A sweep is a task like others. It waits while every thread of the worker is at a long job, for hours where language
models are asked; and none is sent where beat is gone or the clock was set back, or where Redis takes no messages. Mail
with a code to sign in, a batch's deadline and all else that people wait for would wait as long.
"""

import threading
from typing import Any

from celery import bootsteps
from celery.worker import state
from django.db import connection

from annotation_platform.jobs import heartbeat
from workers.schedule import SWEEP_EVERY, note_sweep, seconds_without_sweep

OVERDUE_AFTER = 3 * SWEEP_EVERY  # seconds without a sweep in this process, which has threads that are free
LONGEST_GOODBYE = 45.0  # seconds: more than one request takes, such as the paying of a bonus


class Errands(bootsteps.StartStopStep):
    """A thread of the worker's main process, beside all that its pool does."""

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._worker = worker
        self._thread = threading.Thread(target=self._run, name="errands", daemon=True)

    def start(self, worker: Any) -> None:
        note_sweep()
        self._thread.start()

    def stop(self, worker: Any) -> None:
        heartbeat.stopping.set()  # where no signal did; what is under way ends after its next step
        self._thread.join(LONGEST_GOODBYE)

    def _run(self) -> None:
        while not heartbeat.stopping.wait(SWEEP_EVERY / 10):
            is_busy = self._is_busy()
            if seconds_without_sweep() > (SWEEP_EVERY if is_busy else OVERDUE_AFTER):
                self._sweep(hand_out=not is_busy)

    def _is_busy(self) -> bool:
        """Whether no thread is free for the next sweep."""
        return len(state.active_requests) >= int(self._worker.concurrency)

    def _sweep(self, *, hand_out: bool) -> None:
        from workers.tasks import sweep_here

        note_sweep()
        try:
            sweep_here(hand_out=hand_out)
        finally:
            connection.close()  # as in the pulse: pool processes must not inherit it
