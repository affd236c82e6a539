"""The Celery application: ``celery -A workers worker``, ``celery -A workers beat``."""

import os
from typing import Any

from celery import Celery
from celery.contrib.django.task import DjangoTask
from django.db import transaction

from workers import memory as memory  # connects itself to the end of each task
from workers.clock import OPTION
from workers.publisher import publisher
from workers.schedule import SCHEDULE

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")


class RowTask(DjangoTask):  # type: ignore[type-arg]  # generic in the stubs only
    """A task about a row. Its message only saves time: the sweep finds the row anyhow.

    So a broker that is down or silent is noted in the log, and neither breaks nor holds up the request that wrote
    the row.
    """

    def delay_on_commit(self, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]  # as Celery's own
        def send() -> None:
            self.delay(*args, **kwargs)

        if app.conf.task_always_eager:  # no broker, but the work itself
            transaction.on_commit(send, robust=True)
        else:
            transaction.on_commit(lambda: publisher.publish(str(self.name), send))


app = Celery("workers", task_cls=RowTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["workers"])
app.conf.beat_schedule = SCHEDULE
app.steps["worker"].update({"workers.lifecycle:Pulse", "workers.clock:Clock", "workers.errands:Errands"})
app.user_options["worker"].add(OPTION)
