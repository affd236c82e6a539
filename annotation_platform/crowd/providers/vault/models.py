"""The one table with identifiers of other platforms: encrypted to be read, hashed with a key to be found."""

from django.db import models
from django.db.models import Q

from annotation_platform.accounts.models import User
from annotation_platform.imports.models import ImportJob
from annotation_platform.studies.models import Member, Study


class ProviderIdentity(models.Model):
    """Who a member of a study is on another platform. Nothing but ``vault/identities.py`` reads it.

    ``lookup`` is of the study, so that two studies cannot find out that they know the same person. Of a file of results
    that is not imported yet there is no member: ``arrives_with`` then says by which upload they come.
    """

    provider = models.CharField(max_length=20)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, null=True, related_name="+")
    member = models.OneToOneField(Member, on_delete=models.CASCADE, null=True, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    arrives_with = models.ForeignKey(ImportJob, on_delete=models.CASCADE, null=True, related_name="+")
    pseudonym = models.CharField(max_length=60)
    encrypted_id = models.TextField()
    lookup = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "provider identities"
        constraints = [
            models.UniqueConstraint(fields=["study", "provider", "lookup"], name="identity_once_in_study"),
            models.UniqueConstraint(fields=["arrives_with", "provider", "lookup"], name="identity_once_in_upload"),
            models.CheckConstraint(
                condition=Q(study__isnull=False, member__isnull=False, arrives_with__isnull=True)
                | Q(study__isnull=True, member__isnull=True, arrives_with__isnull=False),
                name="identity_of_member_or_upload",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pseudonym} ({self.provider})"
