"""Consent texts of a study, and what its annotators said to them."""

import hashlib

from django.db import models

from annotation_platform.accounts.models import User
from annotation_platform.studies.models import Member, Study


class ConsentText(models.Model):
    """One version of what annotators of a study agree to, in one or several languages. Never changed."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="consent_texts")
    number = models.PositiveIntegerField()
    texts = models.JSONField(help_text="Language: text.")
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "-number"]
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="consent_text_number_once")]

    def __str__(self) -> str:
        return f"Version {self.number}"

    def language(self, wanted: str) -> str:
        """The language that is shown to a reader of another one: theirs, where it is there, else English."""
        return wanted if wanted in self.texts else "en" if "en" in self.texts else next(iter(self.texts))

    def text(self, wanted: str) -> str:
        return str(self.texts[self.language(wanted)])

    def digest(self, language: str) -> str:
        return hashlib.sha256(self.text(language).encode()).hexdigest()


class Consent(models.Model):
    """What somebody said to a version: once agreed, for ever; a no can become a yes."""

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="consents")
    text = models.ForeignKey(ConsentText, on_delete=models.CASCADE, related_name="consents")
    agreed = models.BooleanField()
    language = models.CharField(max_length=8, help_text="In which it was read.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of what was read.")
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["member", "text"], condition=models.Q(agreed=True), name="consent_once")
        ]

    def __str__(self) -> str:
        return f"{'Agreed to' if self.agreed else 'Declined'} {self.text_id}"
