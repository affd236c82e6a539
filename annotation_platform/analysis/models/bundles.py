"""Bundles of figures for a paper, made by the worker."""

from pathlib import Path
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation_platform.analysis.models.snapshots import AgreementSnapshot
from annotation_platform.scoring.models import stale_before
from annotation_platform.studies.models import Member, Study


class PaperBundleQuerySet(models.QuerySet["PaperBundle"]):
    def claimable(self) -> Self:
        running = Q(status=PaperBundle.Status.RUNNING, heartbeat_at__lt=stale_before())
        return self.filter(Q(status=PaperBundle.Status.PENDING) | running)

    def waiting(self) -> Self:
        """Bundles whose message seems lost, or whose worker has not been heard of for too long."""
        active = [PaperBundle.Status.PENDING, PaperBundle.Status.RUNNING]
        return self.filter(Q(heartbeat_at=None) | Q(heartbeat_at__lt=stale_before()), status__in=active)


class PaperBundle(models.Model):
    """An archive with every figure of a snapshot. The row is the queue: see ``bundles.make_bundle``."""

    class Status(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="paper_bundles")
    snapshot = models.ForeignKey(AgreementSnapshot, on_delete=models.CASCADE, related_name="paper_bundles")
    requested_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="paper_bundles")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    worker = models.CharField(max_length=200, blank=True, help_text="The claim that holds the bundle.")
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    total = models.PositiveIntegerField(default=0, help_text="Charts to draw.")
    done = models.PositiveIntegerField(default=0, help_text="Charts drawn so far.")
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = PaperBundleQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.filename

    @property
    def is_active(self) -> bool:
        return self.status in (PaperBundle.Status.PENDING, PaperBundle.Status.RUNNING)

    @property
    def filename(self) -> str:
        return f"{self.study.slug}-figures-{self.snapshot.signature[:8]}.zip"

    @property
    def path(self) -> Path:
        """Where the file of this claim is, or will be. Every claim has its own, so that two never write to one."""
        return Path(settings.EXPORTS_DIR) / f"figures-{self.pk}-{self.worker}.zip"
