"""Exports of a study's judgments, made by the worker, kept with their checksum."""

from django.db import models

from annotation_platform.studies.models import Member, Study


class ExportFormat(models.TextChoices):
    CSV = "csv", "CSV"
    JSONL = "jsonl", "JSON Lines"
    PARQUET = "parquet", "Parquet"


class Export(models.Model):
    class Status(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exports")
    requested_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="exports")
    format = models.CharField(max_length=10, choices=ExportFormat.choices)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    worker = models.CharField(max_length=200, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    rows = models.PositiveIntegerField(default=0)
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    filename = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.study} as {self.get_format_display()}"
