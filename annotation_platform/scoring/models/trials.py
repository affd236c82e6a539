"""Trials of model connections."""

from django.db import models

from annotation_platform.jobs.rows import Job, QueueQuerySet
from annotation_platform.scoring.models.connections import ModelConnection


class ConnectionTrial(Job):
    """One tiny question to the server of a connection, asked by the worker, and what came of it."""

    connection = models.ForeignKey(ModelConnection, on_delete=models.CASCADE, related_name="trials")
    model = models.CharField(max_length=200, blank=True, help_text="As the server named it.")
    answer = models.CharField(max_length=200, blank=True, help_text="Its first words.")
    seconds = models.FloatField(null=True, blank=True)

    objects = QueueQuerySet["ConnectionTrial"].as_manager()

    class Meta(Job.Meta):
        pass

    def __str__(self) -> str:
        return f"Trial of {self.connection}"
