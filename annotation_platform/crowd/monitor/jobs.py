"""Measuring a study's annotators as a long job, as long as somebody looks at the monitor."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotation_platform.crowd.monitor.models import MonitorJob, Watch
from annotation_platform.jobs.contract import JobKind
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.studies.models import Study

WATCHED_FOR = timedelta(minutes=2)  # after the page last asked
EVERY = timedelta(seconds=15)
COST = 20  # a measurement is worth repeating after so many times what it took


@transaction.atomic  # a sweep in between would have it measured, too
def look(study: Study) -> MonitorJob | None:
    """Remember that somebody looks, so that a worker measures: at the first look with this job, else with a sweep's."""
    _, is_first = Watch.objects.update_or_create(study=study, defaults={"watched_at": timezone.now()})
    return MonitorJob.objects.create(study=study, heartbeat_at=None) if is_first else None


def find_watched() -> None:
    """Have the studies measured whose monitor is looked at, and whose figures are old by what they cost."""
    now = timezone.now()
    watched = Watch.objects.filter(
        Q(measured_at=None) | Q(measured_at__lt=now - EVERY), watched_at__gt=now - WATCHED_FOR
    )
    for watch in watched.exclude(measured_at__gt=F("watched_at")).select_related("study"):
        is_due = watch.measured_at is None or now - watch.measured_at > timedelta(seconds=COST * watch.took)
        if is_due and not MonitorJob.objects.active().filter(study=watch.study).exists():
            earlier = MonitorJob.objects.filter(study=watch.study)
            failed = earlier.filter(status=MonitorJob.Status.FAILED).first()  # the page says so until one ends well
            earlier.exclude(pk=0 if failed is None else failed.pk).delete()
            MonitorJob.objects.create(study=watch.study, heartbeat_at=None)


def _measure(job: MonitorJob, heartbeat: Heartbeat) -> None:
    # numpy is for the worker; entry points import this module.
    from annotation_platform.crowd.monitor.measuring import measure

    heartbeat.beat()
    measure(job.study)
    MonitorJob.objects.filter(study=job.study, status=MonitorJob.Status.FAILED).delete()  # of no interest any more


MONITORS = JobKind("monitor", MonitorJob, _measure, find=find_watched)
