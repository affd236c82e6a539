"""Signs of life of the background workers, so that pages can say when none is running."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from annotation_platform.jobs.models import WorkerPulse

WORKER_MISSING_AFTER = timedelta(seconds=20)


@dataclass(frozen=True)
class WorkerState:
    """Whether a background worker was heard of lately, and when the last one was (None: never)."""

    is_running: bool
    last_seen_at: datetime | None

    @property
    def start_command(self) -> str:
        """What starts one. A server has a clock (beat) of its own beside it, and a second one would do all twice."""
        clock = "" if settings.PRODUCTION else " --clock"
        return f"celery -A workers worker{clock} --pool threads --concurrency 2"


def worker_state() -> WorkerState:
    last_seen_at = WorkerPulse.objects.aggregate(Max("seen_at"))["seen_at__max"]
    is_running = last_seen_at is not None and timezone.now() - last_seen_at < WORKER_MISSING_AFTER
    return WorkerState(is_running, last_seen_at)


def record_pulse(*, name: str) -> None:
    """Note that a background worker is alive."""
    WorkerPulse.objects.update_or_create(name=name[:200], defaults={"seen_at": timezone.now()})


def forget_pulse(*, name: str) -> None:
    """Note that a background worker has ended, and drop those not heard of since yesterday."""
    WorkerPulse.objects.filter(name=name[:200]).delete()
    WorkerPulse.objects.filter(seen_at__lt=timezone.now() - timedelta(days=1)).delete()
