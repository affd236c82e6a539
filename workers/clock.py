"""Beat on a thread of the worker, for an installation that has one worker (``--clock``).

``--beat`` forks a process for it, which holds all that the worker has loaded once more, some 60 MB.
"""

from typing import Any

from celery import bootsteps
from celery.beat import EmbeddedService
from click import Option

OPTION = Option(["--clock"], is_flag=True, help="Run beat on a thread of this worker; for one worker with threads.")


class Clock(bootsteps.StartStopStep):
    conditional = True

    def __init__(self, worker: Any, clock: bool = False, **options: Any) -> None:
        self.enabled = clock
        super().__init__(worker, **options)

    def create(self, worker: Any) -> Any:
        return EmbeddedService(
            worker.app, thread=True, schedule_filename=worker.schedule_filename, scheduler_cls=worker.scheduler
        )
