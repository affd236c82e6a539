"""What is due by the clock is done by the worker itself when no sweep comes.

A sweep is a task like others. It waits while every thread of the workers is at a long job, for hours where language
models are asked; and none is sent where beat is gone or the clock was set back, or where Redis takes no messages; and
nobody takes one while the worker ends, which waits for the answers of models that are under way. Mail with a code to
sign in, a batch's deadline and all else that people wait for would wait as long.
"""

import logging
import threading
import time
from datetime import datetime
from typing import Any

from celery import bootsteps
from celery.signals import worker_shutdown
from celery.worker import state
from django.db import Error, connection

from annotation_platform.jobs import heartbeat, worker_status
from workers.schedule import SWEEP_EVERY

logger = logging.getLogger(__name__)

LOOKS_EVERY = SWEEP_EVERY / 4
OVERDUE_AFTER = 3 * SWEEP_EVERY  # seconds without a sweep by any worker, while this one has threads that are free
LONGEST_GOODBYE = 45.0  # seconds: more than one request takes, such as the paying of a bonus


class Errands(bootsteps.StartStopStep):
    """A thread of the worker's main process, beside all that its pool does; and one on which providers are called.

    Providers have their own since they may be slow, and no mail waits for them. Both go on until the pool has ended,
    however long its last jobs take; only what is ordered of providers is begun no more once the worker is to end.
    """

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._worker = worker
        self._thread = threading.Thread(target=self._run, name="errands", daemon=True)
        self._calls: threading.Thread | None = None
        self._sent_at: datetime | None = None  # the last turn, where its sweep was sent

    def start(self, worker: Any) -> None:
        self._thread.start()
        worker_shutdown.connect(self._end, weak=False)  # not when steps stop, which may be before the pool does

    def close(self, worker: Any) -> None:
        heartbeat.stopping.set()  # where no signal did, and before the pool is waited for

    def _end(self, **_: Any) -> None:
        heartbeat.ending.set()  # what is under way ends after its next step
        end = time.monotonic() + LONGEST_GOODBYE
        self._thread.join(LONGEST_GOODBYE)
        if self._calls is not None:
            self._calls.join(max(0.0, end - time.monotonic()))

    def _run(self) -> None:
        while not heartbeat.ending.wait(LOOKS_EVERY):
            try:
                self._look()
            except Error as error:
                logger.warning("It could not be looked up when the last sweep was: %s", error)
            finally:
                connection.close()  # as in the pulse: pool processes must not inherit it

    def _look(self) -> None:
        """See to a sweep where none began lately: by one of the threads if any is free, or else here.

        A sweep that was sent and that nobody began is done here as well as sent again: the thread may be free and hear
        of nothing.
        """
        takes_none = heartbeat.stopping.is_set() or len(state.active_requests) >= int(self._worker.concurrency)
        is_unheard = self._sent_at is not None and worker_status.last_sweep_at() == self._sent_at
        turn = worker_status.take_turn_to_sweep(after=SWEEP_EVERY if takes_none or is_unheard else OVERDUE_AFTER)
        if turn is None:
            return
        self._sent_at = turn if not takes_none and _send_sweep() else None
        if self._sent_at is None or is_unheard:
            self._sweep()

    def _sweep(self) -> None:
        from workers.tasks import call_providers_here, sweep_here

        if self._calls is None or not self._calls.is_alive():
            self._calls = threading.Thread(target=call_providers_here, name="calls to providers", daemon=True)
            self._calls.start()
        sweep_here()


def _send_sweep() -> bool:
    """Send a sweep as beat does; False where the broker takes no messages."""
    from workers.tasks import sweep

    try:
        sweep.apply_async(expires=SWEEP_EVERY, retry=False)
    except Exception as error:  # whatever a broker's client raises
        logger.warning("No sweep could be sent, so it is done here: %s", error)
        return False
    return True
