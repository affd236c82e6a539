"""What the worker is asked to compute of a study: its snapshot, and the explorer's rows."""

from django.db import models

from annotation_platform.jobs.rows import Job, QueueQuerySet
from annotation_platform.studies.models import Study


class SnapshotJob(Job):
    """A study that is to be measured, or was."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="snapshot_jobs")

    objects = QueueQuerySet["SnapshotJob"].as_manager()

    class Meta(Job.Meta):
        pass

    def __str__(self) -> str:
        return f"Snapshot of {self.study}"


class ExplorationJob(Job):
    """A study whose explorer is to be brought up to its newest snapshot, or was."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exploration_jobs")

    objects = QueueQuerySet["ExplorationJob"].as_manager()

    class Meta(Job.Meta):
        pass

    def __str__(self) -> str:
        return f"Exploration of {self.study}"
