"""Bundles of figures for a paper, made by the worker."""

from django.db import models

from annotation_platform.analysis.models.snapshots import AgreementSnapshot
from annotation_platform.jobs.files import FileJob
from annotation_platform.jobs.rows import QueueQuerySet
from annotation_platform.studies.models import Member, Study


class PaperBundle(FileJob):
    """An archive with every figure of a snapshot."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="paper_bundles")
    snapshot = models.ForeignKey(AgreementSnapshot, on_delete=models.CASCADE, related_name="paper_bundles")
    requested_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="paper_bundles")

    objects = QueueQuerySet["PaperBundle"].as_manager()

    class Meta(FileJob.Meta):
        pass

    prefix, suffix = "figures-", "zip"

    def __str__(self) -> str:
        return self.filename

    @property
    def filename(self) -> str:
        return f"{self.study.slug}-figures-{self.snapshot.signature[:8]}.zip"
