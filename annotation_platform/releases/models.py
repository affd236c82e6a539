"""Exports of a study's judgments, made by the worker, kept with their checksum."""

from django.db import models

from annotation_platform.jobs.files import FileJob
from annotation_platform.jobs.rows import QueueQuerySet
from annotation_platform.studies.models import Member, Study


class ExportFormat(models.TextChoices):
    CSV = "csv", "CSV"
    SPREADSHEET = "spreadsheet", "CSV for spreadsheets"
    JSONL = "jsonl", "JSON Lines"
    PARQUET = "parquet", "Parquet"
    CONSENSUS = "consensus", "Consensus labels"

    @property
    def description(self) -> str:
        return {
            ExportFormat.CSV: "As it is, for pandas, R and every other program.",
            ExportFormat.SPREADSHEET: "Opens in Excel, Numbers and LibreOffice; no text is taken for a formula.",
            ExportFormat.JSONL: "One JSON object a line, with lists as lists.",
            ExportFormat.PARQUET: "Typed columns, a fraction of the size.",
            ExportFormat.CONSENSUS: "One label for each item, by majority, Dawid–Skene and MACE, as CSV.",
        }[self]

    @property
    def suffix(self) -> str:
        return "csv" if self in (ExportFormat.SPREADSHEET, ExportFormat.CONSENSUS) else self.value

    @property
    def ending(self) -> str:
        """How a downloaded file's name ends, so that CSV files of one day are told apart."""
        return f".{self.suffix}" if self.suffix == self.value else f"-{self.value}.{self.suffix}"


class Export(FileJob):
    """A file with all judgments of a study's closed batches."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exports")
    requested_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="exports")
    format = models.CharField(max_length=20, choices=ExportFormat.choices)
    all_revisions = models.BooleanField(default=False, help_text="Also those that a newer one replaced.")
    filename = models.CharField(max_length=200, blank=True)

    objects = QueueQuerySet["Export"].as_manager()

    class Meta(FileJob.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.study} as {self.get_format_display()}"

    @property
    def suffix(self) -> str:
        return ExportFormat(self.format).suffix
