"""What a job freed goes back to the system, for a worker is idle most of the time."""

import os
from typing import Any

from celery import signals

from annotation_platform.jobs.memory import give_large_back_at_once, give_memory_back

# Each thread of the linear algebra library keeps room of its own, and the tables here are too small for several.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
give_large_back_at_once()


@signals.task_postrun.connect
def after_each_job(**_: Any) -> None:
    give_memory_back()
