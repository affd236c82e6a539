"""Languages that studies ask for, and that annotators say they read."""

from django.db import models

from annotation_platform.studies.models import Member, Study


class RequiredLanguages(models.Model):
    """Who takes tasks of the study reads all of these."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="required_languages")
    codes = models.JSONField(default=list, help_text="ISO 639 codes, such as ja.")

    class Meta:
        verbose_name_plural = "required languages"

    def __str__(self) -> str:
        return f"Languages of {self.study}"


class StatedLanguages(models.Model):
    """What an annotator says of themselves; nobody checks it but a round of qualification."""

    member = models.OneToOneField(Member, on_delete=models.CASCADE, related_name="stated_languages")
    codes = models.JSONField(default=list)
    stated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "stated languages"

    def __str__(self) -> str:
        return f"Languages of {self.member}"
