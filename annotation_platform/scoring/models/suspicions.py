"""Texts that try to order a judging model about, for a person to look at."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.methods.injection import Sign
from annotation_platform.scoring.models.runs import ScoringRun
from annotation_platform.studies.models import Item, Member

SIGNS = {
    Sign.ORDER.value: _("order"),
    Sign.DEMANDS_LABEL.value: _("demands label"),
    Sign.ADDRESSES_MODEL.value: _("addresses model"),
    Sign.SPEAKS_OF_JUDGING.value: _("speaks of judging"),
    Sign.FAKES_STRUCTURE.value: _("fakes structure"),
    Sign.PRETENDS_REPLY.value: _("pretends reply"),
    Sign.HIDDEN.value: _("hidden"),
    Sign.DISGUISED.value: _("disguised"),
}


class SuspiciousPassage(models.Model):
    """A sign, in a text that a run showed to a model, that it was written for the model. It changes no score.

    The text is an annotator's explanation, or (without ``annotation``) an item's answer ``candidate``.
    """

    run = models.ForeignKey(ScoringRun, on_delete=models.CASCADE, related_name="suspicious_passages")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="suspicious_passages")
    annotation = models.ForeignKey(
        Annotation, on_delete=models.CASCADE, null=True, blank=True, related_name="suspicious_passages"
    )
    candidate = models.PositiveSmallIntegerField(default=0, help_text="Of the item; 0 for the item as a whole.")
    sign = models.CharField(max_length=20, choices=list(SIGNS.items()))
    passage = models.TextField(help_text="The words that show it.")
    dismissed_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    dismissed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.sign}: {self.passage[:60]}"
