"""What an adjudicator decided about an item."""

from django.db import models

from annotation_platform.studies.models import Item, Member, SchemeVersion

LONGEST_NOTE = 2_000


class Adjudication(models.Model):
    """An adjudicator's own word on an item, checked by the scheme as a judgment is; one of each adjudicator.

    It is in no figure of the judgments. Adjudicators who differ stand beside each other.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="adjudications")
    adjudicator = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="adjudications")
    scheme_version = models.ForeignKey(SchemeVersion, on_delete=models.PROTECT, related_name="+")
    values = models.JSONField()
    note = models.TextField(blank=True, max_length=LONGEST_NOTE, help_text="Why it was decided so.")
    decided_at = models.DateTimeField()

    class Meta:
        ordering = ["item", "decided_at"]
        constraints = [models.UniqueConstraint(fields=["item", "adjudicator"], name="adjudicated_once_by_each")]

    def __str__(self) -> str:
        return f"Adjudication of item {self.item_id}"
