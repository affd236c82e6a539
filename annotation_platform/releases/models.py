"""Exports of a study's judgments, made by the worker, kept with their checksum."""

from pathlib import Path
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation_platform.scoring.models import stale_before
from annotation_platform.studies.models import Member, Study


class ExportFormat(models.TextChoices):
    CSV = "csv", "CSV"
    SPREADSHEET = "spreadsheet", "CSV for spreadsheets"
    JSONL = "jsonl", "JSON Lines"
    PARQUET = "parquet", "Parquet"

    @property
    def description(self) -> str:
        return {
            ExportFormat.CSV: "As it is, for pandas, R and every other program.",
            ExportFormat.SPREADSHEET: "Opens in Excel, Numbers and LibreOffice; no text is taken for a formula.",
            ExportFormat.JSONL: "One JSON object a line, with lists as lists.",
            ExportFormat.PARQUET: "Typed columns, a fraction of the size.",
        }[self]

    @property
    def suffix(self) -> str:
        return "csv" if self is ExportFormat.SPREADSHEET else self.value

    @property
    def ending(self) -> str:
        """How a downloaded file's name ends, so that two CSV files of one day are told apart."""
        return f"-{self.value}.{self.suffix}" if self is ExportFormat.SPREADSHEET else f".{self.suffix}"


class ExportQuerySet(models.QuerySet["Export"]):
    def active(self) -> Self:
        return self.filter(status__in=[Export.Status.PENDING, Export.Status.RUNNING])

    def stale(self) -> Self:
        """Exports whose worker has not been heard of for too long."""
        return self.filter(status=Export.Status.RUNNING, heartbeat_at__lt=stale_before())

    def claimable(self) -> Self:
        return self.filter(
            Q(status=Export.Status.PENDING) | Q(status=Export.Status.RUNNING, heartbeat_at__lt=stale_before())
        )

    def unheard(self) -> Self:
        """Pending exports whose message was sent so long ago that it is taken for lost, or never."""
        return self.filter(Q(heartbeat_at=None) | Q(heartbeat_at__lt=stale_before()), status=Export.Status.PENDING)


class Export(models.Model):
    """A file with all judgments of a study's closed batches. The row is the queue: see ``make_export``."""

    class Status(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exports")
    requested_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="exports")
    format = models.CharField(max_length=20, choices=ExportFormat.choices)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    worker = models.CharField(max_length=200, blank=True, help_text="The claim that holds the export.")
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    total = models.PositiveIntegerField(default=0, help_text="Rows to write.")
    done = models.PositiveIntegerField(default=0, help_text="Rows written so far.")
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    filename = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ExportQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} as {self.get_format_display()}"

    @property
    def is_active(self) -> bool:
        return self.status in (Export.Status.PENDING, Export.Status.RUNNING)

    @property
    def path(self) -> Path:
        """Where the file of this claim is, or will be. Every claim has its own, so that two never write to one."""
        return Path(settings.EXPORTS_DIR) / f"{self.pk}-{self.worker}.{ExportFormat(self.format).suffix}"
