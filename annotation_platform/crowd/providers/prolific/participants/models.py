"""Files of participants that wait to be decided about, and what of them was kept about somebody."""

from datetime import timedelta

from django.db import models

from annotation_platform.accounts.models import User
from annotation_platform.crowd.providers.prolific.models import ProlificStudy
from annotation_platform.studies.models import Member

HELD = timedelta(days=1)
"""How long a file waits for somebody to say what is kept of it."""


class ParticipantsFile(models.Model):
    """A file that was sent. Its text is there, encrypted, until it is stored, given up, or a day old."""

    connection = models.ForeignKey(ProlificStudy, on_delete=models.CASCADE, related_name="participants_files")
    name = models.CharField(max_length=200)
    encrypted_text = models.TextField(blank=True)
    rows = models.PositiveIntegerField()
    columns = models.JSONField(default=list, help_text="Those that were kept.")
    people = models.PositiveIntegerField(default=0, help_text="Of whom something was kept.")
    states = models.PositiveIntegerField(default=0, help_text="Submissions that stand otherwise by it.")
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    stored_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class ParticipantAttributes(models.Model):
    """What Prolific said of somebody, by columns that researchers chose; gone with who they are."""

    member = models.OneToOneField(Member, on_delete=models.CASCADE, related_name="participant_attributes")
    identity = models.OneToOneField("crowd.ProviderIdentity", on_delete=models.CASCADE, related_name="+")
    values = models.JSONField(default=dict, help_text="Column: what stands in it.")
    missing = models.JSONField(default=dict, help_text="Column: why nothing does, as Prolific writes it.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "participant attributes"

    def __str__(self) -> str:
        return f"What Prolific said of {self.member}"
