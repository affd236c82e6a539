"""Files of results, and what their rows say beside the judgments: times, approvals, what the worker was told."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.models import User
from annotation_platform.accounts.reason_fields import ReasonsField
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Member, Study


class ResultsFile(models.Model):
    """One that was read. Its study is there once the import that it was handed to is done."""

    name = models.CharField(max_length=200)
    job = models.OneToOneField(ImportJob, on_delete=models.SET_NULL, null=True, related_name="+")
    study = models.ForeignKey(Study, on_delete=models.CASCADE, null=True, related_name="results_files")
    owner = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    left_out = ReasonsField(default=list, help_text="What does not come, in sentences.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class ImportedWork(models.Model):
    """One assignment of the marketplace. It names no worker but by the pseudonym."""

    class Status(models.TextChoices):
        APPROVED = "Approved", _("Approved")
        REJECTED = "Rejected", _("Rejected")
        SUBMITTED = "Submitted", _("Submitted")

    file = models.ForeignKey(ResultsFile, on_delete=models.CASCADE, related_name="work")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, null=True, related_name="imported_work")
    pseudonym = models.CharField(max_length=60)
    line = models.PositiveIntegerField()
    task = models.CharField(max_length=64, help_text="The marketplace's name of the HIT.")
    assignment = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=Status.choices)
    seconds = models.FloatField(null=True)
    accepted_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True, help_text="Approved or rejected.")
    feedback = models.TextField(blank=True, help_text="What the worker was told.")

    class Meta:
        ordering = ["file", "line"]
        verbose_name_plural = "imported work"
        constraints = [models.UniqueConstraint(fields=["file", "assignment"], name="assignment_once_in_file")]

    def __str__(self) -> str:
        return f"Assignment {self.assignment}"
