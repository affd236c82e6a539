"""Signs of life of the background workers, and when one of them last began a sweep."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from annotation_platform.jobs.models import WorkerPulse

WORKER_MISSING_AFTER = timedelta(seconds=20)
SWEEP = "sweep"  # no worker's name, which has an @


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
    last_seen_at = WorkerPulse.objects.exclude(name=SWEEP).aggregate(Max("seen_at"))["seen_at__max"]
    is_running = last_seen_at is not None and timezone.now() - last_seen_at < WORKER_MISSING_AFTER
    return WorkerState(is_running, last_seen_at)


def record_pulse(*, name: str) -> None:
    """Note that a background worker is alive."""
    WorkerPulse.objects.update_or_create(name=name[:200], defaults={"seen_at": timezone.now()})


def forget_pulse(*, name: str) -> None:
    """Note that a background worker has ended, and drop those not heard of since yesterday."""
    WorkerPulse.objects.filter(name=name[:200]).delete()
    WorkerPulse.objects.filter(seen_at__lt=timezone.now() - timedelta(days=1)).delete()


def note_sweep() -> None:
    """Note, for all workers, that one of them begins a sweep."""
    WorkerPulse.objects.update_or_create(name=SWEEP, defaults={"seen_at": timezone.now()})


def last_sweep_at() -> datetime | None:
    """When one of the workers last began a sweep, or took the turn to."""
    return WorkerPulse.objects.filter(name=SWEEP).values_list("seen_at", flat=True).first()


def take_turn_to_sweep(*, after: float) -> datetime | None:
    """Now, where no worker began a sweep for so many seconds; whoever asks first has the turn.

    None for the others.
    """
    now = timezone.now()
    last, is_first = WorkerPulse.objects.get_or_create(name=SWEEP, defaults={"seen_at": now})
    if is_first:
        return now
    if abs((now - last.seen_at).total_seconds()) < after:  # further ahead than that, the clock was set back
        return None
    return now if WorkerPulse.objects.filter(pk=last.pk, seen_at=last.seen_at).update(seen_at=now) else None
