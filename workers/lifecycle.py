"""What a worker does about itself: it shows that it lives, looks for work left behind, and ends in good order."""

import logging
import threading
from typing import Any

from celery import bootsteps
from celery.signals import worker_ready, worker_shutting_down
from django.db import Error, connection

from annotation_platform.jobs import heartbeat, worker_status

logger = logging.getLogger(__name__)

EVERY = 5.0  # seconds


class Pulse(bootsteps.StartStopStep):
    """A thread of the worker's main process, so that a long task in any kind of pool does not silence it."""

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._name = worker.hostname
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def start(self, worker: Any) -> None:
        self._thread.start()

    def stop(self, worker: Any) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        self._write(worker_status.record_pulse)
        while not self._over.wait(EVERY):
            self._write(worker_status.record_pulse)
        self._write(worker_status.forget_pulse)

    def _write(self, service: Any) -> None:
        try:
            service(name=self._name)
        except Error as error:
            logger.warning("The pulse of worker %s could not be written: %s", self._name, error)
        finally:
            connection.close()  # pool processes are forked from this one and must not inherit it


@worker_ready.connect
def look_for_work(**_: Any) -> None:
    """What an earlier worker left behind is taken up at once, not at the next beat."""
    from workers.tasks import sweep

    sweep.delay()


@worker_shutting_down.connect
def give_runs_back(**_: Any) -> None:
    heartbeat.stopping.set()
