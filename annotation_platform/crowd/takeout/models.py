"""A person's own data as a file."""

from datetime import datetime, timedelta

from django.db import models

from annotation_platform.accounts.models import User
from annotation_platform.jobs.files import FileJob
from annotation_platform.jobs.rows import QueueQuerySet

KEPT = timedelta(days=7)


class Takeout(FileJob):
    """A ZIP of all that the platform knows of somebody, for them alone."""

    prefix = "own-data-"
    suffix = "zip"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="takeouts")

    objects = QueueQuerySet["Takeout"].as_manager()

    class Meta(FileJob.Meta):
        pass

    def __str__(self) -> str:
        return f"Own data {self.pk}"

    @property
    def filename(self) -> str:
        """As it is downloaded."""
        return f"my-data-{self.created_at:%Y-%m-%d}.zip"

    @property
    def kept_until(self) -> datetime | None:
        return None if self.finished_at is None else self.finished_at + KEPT
