"""What the explorer and the page of cited sentences know of single items and documents, so that they need not compute.

The worker writes these rows whenever a snapshot is taken (``exploring``).
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation_platform.analysis.models.snapshots import AgreementSnapshot
from annotation_platform.corpus.models import Article
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.studies.models import Item, Study


class AgreementPattern(models.TextChoices):
    """How an item's labels and scores stand to each other."""

    SAME = "same", _("Saw the same thing")
    DIFFERENTLY = "differently", _("See it differently")


class ItemFigures(models.Model):
    """What the explorer knows of one item under one aspect, so that it can sort and page without computing.

    One row for each judged item, replaced whenever a snapshot is taken. Disagreement is the mean difference of two
    judgments, 0 to 1 (``core.statistics.disagreement``); a candidate's are averaged over the item's candidates.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="item_figures")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="figures")
    aspect = models.CharField(max_length=40)
    judgments = models.PositiveIntegerField()
    mean = models.FloatField(null=True, help_text="Mean score; of labels that are not rescaled, their mean number.")
    raw_disagreement = models.FloatField(null=True)
    rescaled_disagreement = models.FloatField(null=True)
    judge_gap = models.FloatField(null=True, help_text="From the judge's label to people's mean, in scale lengths.")
    judge_label = models.CharField(max_length=40, blank=True, help_text="Of the item as a whole.")
    seen = models.CharField(max_length=12, choices=AgreementPattern.choices, blank=True)
    contrast = models.FloatField(null=True, help_text="How strongly it is seen so.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "aspect"], name="figures_once_of_item_and_aspect")]
        indexes = [
            models.Index(fields=["study", "aspect", "raw_disagreement", "item"], name="items_by_raw_disagreement"),
            models.Index(fields=["study", "aspect", "rescaled_disagreement", "item"], name="items_by_rescaled"),
            models.Index(fields=["study", "aspect", "judge_gap", "item"], name="items_by_judge_gap"),
            models.Index(fields=["study", "aspect", "mean", "item"], name="items_by_mean"),
            models.Index(fields=["study", "aspect", "seen", "contrast", "item"], name="items_by_contrast"),
        ]

    def __str__(self) -> str:
        return f"{self.aspect} of item {self.item_id}"


class ItemFlag(models.Model):
    """Something about an item that a person should look at, and how often it was found there."""

    class Flag(models.TextChoices):
        VACUOUS = "vacuous", _("an explanation that says nothing new")
        SUSPICIOUS = "suspicious", _("orders to a judging model")
        UNREAD = "unread", _("a reply without a readable label or score")

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="item_flags")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="flags")
    flag = models.CharField(max_length=12, choices=Flag.choices)
    count = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "flag"], name="flag_once_on_item")]
        indexes = [models.Index(fields=["study", "flag", "item"], name="items_by_flag")]

    def __str__(self) -> str:
        return f"{self.flag} × {self.count}"


class ArticleCitations(models.Model):
    """Which sentences of a document were cited under one aspect, and how often: its heat map and coverage."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="article_citations")
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="citations")
    aspect = models.CharField(max_length=40)
    judgments = models.PositiveIntegerField(help_text="Of items that show the document.")
    citations = models.PositiveIntegerField()
    cited = models.PositiveIntegerField(help_text="Sentences that were cited at least once.")
    coverage = models.FloatField(null=True, help_text="Share of its sentences; empty where its text is withheld.")
    counts = models.JSONField(help_text="Sentence number to judgments that cite it.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "aspect", "article"], name="citations_once_of_article"),
        ]
        indexes = [models.Index(fields=["study", "aspect", "coverage", "article"], name="articles_by_coverage")]

    def __str__(self) -> str:
        return f"{self.aspect} in article {self.article_id}"


class ExploredStudy(models.Model):
    """Up to which snapshot the rows above are, and which texts were looked through for flags."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, primary_key=True, related_name="explored")
    snapshot = models.ForeignKey(AgreementSnapshot, on_delete=models.CASCADE, related_name="+")
    judge_run = models.ForeignKey(ScoringRun, on_delete=models.SET_NULL, null=True, related_name="+")
    read_scheme = models.CharField(max_length=64, blank=True, help_text="Signature of the scheme under which.")
    read_batches = models.JSONField(default=list, help_text="Numbers of the batches whose texts were read.")
    explored_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"Study {self.study_id} as of snapshot {self.snapshot_id}"
