"""A job's sign of life: a thread that keeps its row fresh while the work goes on, and notices when it is lost."""

import logging
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from annotation_platform.core.errors import CodedError, ConflictError
from annotation_platform.jobs.rows import RUNNING, Job, QueueQuerySet

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
LONGEST_PAUSE = 2.0  # seconds; the row's progress is what people look at meanwhile
stopping = threading.Event()  # set when this process is asked to end: jobs are given back
ending = threading.Event()  # set when its jobs have ended: mail and all else that is due by the clock ends, too


class JobLostError(ConflictError):
    """Another worker has taken the job over; this one must stop."""


class JobStoppedError(Exception):
    """This process is about to end; the job goes back into the queue."""


class JobPausedError(CodedError):
    """The job is to pause, for the reason given; it goes on where it was when somebody resumes it."""


class Heartbeat:
    """Use around the work on a claimed job; call :meth:`beat` after each step."""

    def __init__(self, job: Job, on_progress: Progress | None = None) -> None:
        self._job = job
        self._on_progress = on_progress
        self._lost, self._pause = threading.Event(), threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep_alive, name=f"heartbeat of {job}", daemon=True)
        self.done = 0

    def __enter__(self) -> Self:
        # Within a transaction of the caller's, nobody else sees the claim; on SQLite the thread would wait for its end.
        if not connection.in_atomic_block:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def beat(self, steps: int = 0) -> None:
        """Count finished steps.

        Raises
        ------
        JobLostError
            When another worker has the job by now.
        JobPausedError
            When somebody asked for a pause.
        JobStoppedError
            When this process is about to end.
        """
        self.done += steps
        if self._on_progress:
            self._on_progress(self.done, self._job.total)
        if self._lost.is_set():
            raise JobLostError("jobs.taken_over", job=str(self._job))
        if self._pause.is_set():
            raise JobPausedError("jobs.paused_by_hand")
        if stopping.is_set():
            raise JobStoppedError

    def _keep_alive(self) -> None:
        pause = min(LONGEST_PAUSE, settings.RUN_STALE_AFTER_SECONDS / 5)
        try:
            while not self._over.wait(pause) and not self._lost.is_set():
                try:
                    self._write()
                except Error as error:  # a busy or briefly missing database; the next beat tries again
                    logger.warning("The heartbeat of “%s” could not be written: %s", self._job, error)
                    connection.close()  # it may be the connection that broke, and the next beat makes a new one
        finally:
            connection.close()

    def _write(self) -> None:
        rows: QueueQuerySet[Any] = QueueQuerySet(type(self._job)).filter(pk=self._job.pk)
        held = rows.filter(worker=self._job.worker, status=RUNNING)
        # Somebody else's row is a lost job; a row that cannot be seen from here is not.
        if not held.update(heartbeat_at=timezone.now(), done=self.done) and rows.exists():
            self._lost.set()
        if held.filter(pause_asked=True).exists():
            self._pause.set()
