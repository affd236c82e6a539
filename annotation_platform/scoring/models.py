"""Scoring runs, the scores they gave, and every reply of a model with what was asked and what it cost."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Corpus
from annotation_platform.studies.models import Batch, Study


class Method(models.TextChoices):
    EBR = "ebr", "Explanation-based rescaling"


class Scorer(models.TextChoices):
    """Who gives f, the score read from label and explanation."""

    DISTILLED = "distilled", "Distilled rescaler"
    OPENAI = "openai", "Language model"
    RECORDED = "recorded", "Recorded replies"


class RunStatus(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class ScoringRunQuerySet(models.QuerySet["ScoringRun"]):
    def active(self) -> Self:
        return self.filter(status__in=[RunStatus.PENDING, RunStatus.RUNNING])

    def stale(self) -> Self:
        """Runs whose worker has not been heard of for too long."""
        return self.filter(status=RunStatus.RUNNING, heartbeat_at__lt=stale_before())

    def claimable(self) -> Self:
        return self.filter(Q(status=RunStatus.PENDING) | Q(status=RunStatus.RUNNING, heartbeat_at__lt=stale_before()))

    def unheard(self) -> Self:
        """Pending runs whose message was never sent, or so long ago that it is taken for lost."""
        return self.filter(Q(heartbeat_at=None) | Q(heartbeat_at__lt=stale_before()), status=RunStatus.PENDING)


def stale_before() -> datetime:
    return timezone.now() - timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS)


class ScoringRun(models.Model):
    """A scoring of all judgments in the closed batches of a study. The row is the queue: see ``claim_run``."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="scoring_runs")
    batches = models.ManyToManyField(Batch, related_name="scoring_runs")
    method = models.CharField(max_length=20, choices=Method.choices)
    scorer = models.CharField(max_length=20, choices=Scorer.choices)
    parameters = models.JSONField(default=dict, help_text="Model, template, λ, …: all that decides the scores.")
    signature = models.CharField(max_length=64, blank=True, help_text="Of parameters, data and code version.")
    code_version = models.CharField(max_length=40, blank=True)
    status = models.CharField(max_length=10, choices=RunStatus.choices, default=RunStatus.PENDING)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    counts = models.JSONField(
        default=dict, help_text="Per aspect: judgments with and without f, and why, and where the values come from."
    )
    worker = models.CharField(max_length=200, blank=True, help_text="The claim that holds the run.")
    heartbeat_at = models.DateTimeField(
        null=True, blank=True, help_text="When its worker, or while it is pending its message, was last heard of."
    )
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ScoringRunQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "method"],
                condition=Q(status__in=["pending", "running"]),
                name="one_active_run_per_method",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_method_display()} run {self.pk}"


class Completion(models.Model):
    """A model's reply, saved before anything is read from it; the same signature is never asked for twice."""

    signature = models.CharField(max_length=64, unique=True)
    request = models.JSONField()
    reply = models.TextField()
    model = models.CharField(max_length=200)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="US dollars, from usage.")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.model}: {self.signature[:12]}"


class RecordedReply(models.Model):
    """The raw reply of a model that came with imported data."""

    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="recorded_replies")
    aspect = models.CharField(max_length=40)
    reply = models.TextField()
    model = models.CharField(max_length=200)

    class Meta:
        verbose_name_plural = "recorded replies"
        constraints = [models.UniqueConstraint(fields=["annotation", "aspect"], name="one_recorded_reply")]

    def __str__(self) -> str:
        return self.reply


class Score(models.Model):
    """One judgment's score on one aspect in one run, and where it came from."""

    class Source(models.TextChoices):
        MODEL = "model", "read from label and explanation (f)"
        ANNOTATOR_MEAN = "g", "the annotator's mean for this label (g)"
        LABEL_MEAN = "label_mean", "the mean for this label over all annotators"
        SCALE_NUMBER = "scale_number", "the scale's own number"

    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="scores")
    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="scores")
    aspect = models.CharField(max_length=40)
    value = models.FloatField()
    explanation_score = models.FloatField(null=True, help_text="f, before mixing; empty where f gave nothing.")
    source = models.CharField(max_length=20, choices=Source.choices)
    completion = models.ForeignKey(Completion, on_delete=models.PROTECT, null=True, related_name="scores")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "annotation", "aspect"], name="scored_once_in_run")]

    def __str__(self) -> str:
        return f"{self.aspect}: {self.value:g}"


class WorkerPulse(models.Model):
    """When each background worker was last heard of, so that pages can say when none is running."""

    name = models.CharField(max_length=200, unique=True)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class ImportJobQuerySet(models.QuerySet["ImportJob"]):
    def claimable(self) -> Self:
        running = Q(status=ImportJob.Status.RUNNING, heartbeat_at__lt=stale_before())
        return self.filter(Q(status=ImportJob.Status.PENDING) | running)

    def waiting(self) -> Self:
        """Jobs whose message seems lost, or whose worker has not been heard of for too long."""
        active = [ImportJob.Status.PENDING, ImportJob.Status.RUNNING]
        return self.filter(Q(heartbeat_at=None) | Q(heartbeat_at__lt=stale_before()), status__in=active)


class ImportJob(models.Model):
    """Files that somebody uploaded, what they chose for them, and what came of it. The row is the queue.

    A draft is being looked at; a pending one waits for a worker, to be checked or imported as ``wanted`` says, and is
    a draft again after a check.
    """

    class Status(models.TextChoices):
        DRAFT = "draft"
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"

    class Wanted(models.TextChoices):
        CHECK = "check"
        IMPORT = "import"

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
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    wanted = models.CharField(max_length=10, choices=Wanted.choices, blank=True)
    worker = models.CharField(max_length=200, blank=True, help_text="The claim that holds the job.")
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0, help_text="Entries read and judgments stored so far.")
    found = models.JSONField(null=True, blank=True, help_text="Counts, when the last check found nothing wrong.")
    mistakes = models.JSONField(default=list, help_text="The first of what the last check or import found wrong.")
    mistake_count = models.PositiveIntegerField(default=0)
    study = models.ForeignKey(Study, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    corpus = models.ForeignKey(Corpus, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = ImportJobQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name or ", ".join(file["name"] for file in self.files)

    @property
    def is_active(self) -> bool:
        return self.status in (ImportJob.Status.PENDING, ImportJob.Status.RUNNING)

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
