"""Files that the worker makes for somebody: what their rows have in common."""

from pathlib import Path

from django.conf import settings
from django.db import models

from annotation_platform.scoring.models.queue import ACTIVE


class FileJobStatus(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class FileJob(models.Model):
    """A file that is asked for on a page and made by the worker. The row is the queue: see ``scoring/file_jobs.py``."""

    Status = FileJobStatus
    prefix = ""

    status = models.CharField(max_length=10, choices=FileJobStatus.choices, default=FileJobStatus.PENDING)
    worker = models.CharField(max_length=200, blank=True, help_text="The claim that holds the row.")
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    total = models.PositiveIntegerField(default=0, help_text="Rows to write, or charts to draw.")
    done = models.PositiveIntegerField(default=0, help_text="Rows written, or charts drawn, so far.")
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-pk"]

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

    @property
    def stem(self) -> str:
        """What the names of this row's files begin with; no other row's do."""
        return f"{self.prefix}{self.pk}-"

    @property
    def suffix(self) -> str:
        raise NotImplementedError

    @property
    def path(self) -> Path:
        """Where the file of this claim is, or will be. Every claim has its own, so that two never write to one."""
        return Path(settings.EXPORTS_DIR) / f"{self.stem}{self.worker}.{self.suffix}"
