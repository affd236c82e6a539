"""Uploaded files on their way to a study or corpus."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import models

from annotation_platform.accounts.models import User
from annotation_platform.accounts.reason_fields import ReasonsField
from annotation_platform.corpus.models import Corpus
from annotation_platform.jobs.rows import Job, JobStatus, QueueQuerySet
from annotation_platform.studies.models import Study


class Upload(models.Model):
    """A file that comes in parts, until it is whole and an import takes it.

    The parts are files below ``folder``, each named by where it begins. The row says how far they count.
    """

    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="import_uploads")
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="Bytes of the whole file.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the whole file; empty: not announced.")
    offset = models.PositiveBigIntegerField(default=0, help_text="Bytes that are surely stored.")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(help_text="When the last part came.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name", "size", "sha256"],
                condition=~models.Q(sha256=""),
                name="one_upload_of_a_file",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def folder(self) -> Path:
        return Path(settings.IMPORTS_DIR) / "uploads" / str(self.pk)

    @property
    def parts(self) -> Iterator[Path]:
        """The files of the parts that count, in order."""
        at = 0
        while at < self.offset:
            part = self.folder / str(at)
            yield part
            at += part.stat().st_size


class ImportJob(Job):
    """Files that somebody uploaded, what they chose for them, and what came of it. The row is the queue.

    A draft is being looked at; a pending one waits for a worker, to be checked or imported as ``wanted`` says, and is
    a draft again after a check.
    """

    class Wanted(models.TextChoices):
        CHECK = "check"
        IMPORT = "import"
        LOOK = "look"

    class Target(models.TextChoices):
        STUDY = "study", "A study"
        CORPUS = "corpus", "A corpus only"

    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="import_jobs")
    files = models.JSONField(default=list, help_text="Names and sizes, in the order uploaded.")
    target = models.CharField(max_length=10, choices=Target.choices, default=Target.STUDY)
    name = models.CharField(max_length=200, blank=True, help_text="Of the new study or corpus.")
    format = models.CharField(max_length=20)
    scheme = models.CharField(max_length=40, blank=True, help_text="A preset's key; empty: the file's or format's own.")
    scheme_text = models.TextField(blank=True, help_text="A scheme of one's own, instead of a preset.")
    language = models.CharField(max_length=8, default="en")
    columns = models.JSONField(default=dict, help_text="Column to field, as chosen by hand.")
    values = models.JSONField(default=dict, help_text="Column to what the file says there to what that stands for.")
    sheet = models.CharField(max_length=100, blank=True, default="", help_text="Of a workbook; empty: the first one.")
    overlap = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Empty: what the file says or has.")
    hits_per_batch = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Empty: the usual size.")
    status = models.CharField(max_length=10, choices=JobStatus.choices, default=JobStatus.DRAFT)
    wanted = models.CharField(max_length=10, choices=Wanted.choices, blank=True)
    first_rows = models.JSONField(
        null=True, blank=True, help_text="Of large files: what a preview needs of them, so that they are read once."
    )
    found = ReasonsField(null=True, blank=True, help_text="Counts, when the last check found nothing wrong.")
    mistakes = ReasonsField(default=list, help_text="The first of what the last check or import found wrong.")
    mistake_count = models.PositiveIntegerField(default=0)
    study = models.ForeignKey(Study, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    corpus = models.ForeignKey(Corpus, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    objects = QueueQuerySet["ImportJob"].as_manager()

    class Meta(Job.Meta):
        pass

    def __str__(self) -> str:
        return self.name or ", ".join(file["name"] for file in self.files)

    @property
    def size(self) -> int:
        """Bytes uploaded."""
        return sum(file["size"] for file in self.files)

    @property
    def folder(self) -> Path:
        return Path(settings.IMPORTS_DIR) / str(self.pk)

    @property
    def paths(self) -> list[Path]:
        return [self.folder / str(number) for number in range(len(self.files))]
