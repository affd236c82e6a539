"""Exports of a study's judgments, made by the worker, kept with their checksum; and releases, which never change."""

from datetime import UTC, date, datetime
from functools import reduce
from pathlib import Path
from typing import Self

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.models import User
from annotation_platform.jobs.files import FileJob
from annotation_platform.jobs.rows import Job, JobStatus, QueueQuerySet
from annotation_platform.studies.models import Member, Role, Study

BETWEEN_TRAITS = " and "


class ExportFormat(models.TextChoices):
    CSV = "csv", _("CSV")
    SPREADSHEET = "spreadsheet", _("CSV for spreadsheets")
    JSONL = "jsonl", _("JSON Lines")
    PARQUET = "parquet", _("Parquet")
    CONSENSUS = "consensus", _("Consensus labels")

    @property
    def description(self) -> str:
        return {
            ExportFormat.CSV: gettext("As it is, for pandas, R and every other program."),
            ExportFormat.SPREADSHEET: gettext(
                "Opens in Excel, Numbers and LibreOffice; no text is taken for a formula."
            ),
            ExportFormat.JSONL: gettext("One JSON object a line, with lists as lists."),
            ExportFormat.PARQUET: gettext("Typed columns, a fraction of the size."),
            ExportFormat.CONSENSUS: gettext("One label for each item, by majority, Dawid–Skene and MACE, as CSV."),
        }[self]

    @property
    def suffix(self) -> str:
        return "csv" if self in (ExportFormat.SPREADSHEET, ExportFormat.CONSENSUS) else self.value

    @property
    def ending(self) -> str:
        """How a downloaded file's name ends, so that CSV files of one day are told apart."""
        return f".{self.suffix}" if self.suffix == self.value else f"-{self.value}.{self.suffix}"


class Export(FileJob):
    """A file with all judgments of a study's closed batches."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exports")
    requested_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="exports")
    format = models.CharField(max_length=20, choices=ExportFormat.choices)
    all_revisions = models.BooleanField(default=False, help_text="Also those that a newer one replaced.")
    filename = models.CharField(max_length=200, blank=True)

    objects = QueueQuerySet["Export"].as_manager()

    class Meta(FileJob.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.study} as {self.get_format_display()}"

    @property
    def suffix(self) -> str:
        return ExportFormat(self.format).suffix


def is_over(embargo_until: date) -> bool:
    """Whether an embargo has ended. Days are those of UTC: a request's zone is whichever its sender names."""
    return embargo_until <= datetime.now(UTC).date()


class Release(Job):
    """A study as it was at one moment, in a folder of files that never change, named after its own checksum.

    It is first looked through for what may say who somebody is; what is found waits for a person to settle it. Then
    it is frozen. Its batches take no judgments any more from then on.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="releases")
    number = models.PositiveIntegerField()
    requested_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True, max_length=4000)
    authors = models.TextField(max_length=2000, help_text="One a line, as “Family, Given”.")
    licence = models.CharField(max_length=60, help_text="As SPDX names it, such as CC-BY-4.0.")
    with_prompts = models.BooleanField(
        default=True, help_text="Also what language models were asked, with the texts that they were shown."
    )
    with_replies = models.BooleanField(default=False, help_text="Also what language models replied, word by word.")
    participant_columns = models.JSONField(
        default=list, blank=True, help_text="Of Prolific's file of participants, what is said of annotators."
    )
    embargo_until = models.DateField(null=True, blank=True, help_text="Day of UTC before which no link lets in.")
    pseudonym_key = models.CharField(max_length=64, editable=False)
    looked_at = models.DateTimeField(null=True, blank=True, editable=False)
    looked_through = models.JSONField(
        default=dict, blank=True, editable=False, help_text="Digests of what was looked through then."
    )
    frozen_at = models.DateTimeField(null=True, blank=True, editable=False)
    database_state = models.JSONField(default=dict, blank=True, editable=False)
    facts = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="What its words say of the study, as last looked through.",
    )
    code_version = models.CharField(max_length=40, blank=True)
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of its manifest.")
    size = models.PositiveBigIntegerField(default=0)
    packed = models.JSONField(
        default=dict, blank=True, editable=False, help_text="Path: CRC-32, and bytes in the ZIP file."
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True, editable=False)
    withdrawn_because = models.CharField(max_length=500, blank=True)

    objects = QueueQuerySet["Release"].as_manager()

    class Meta(Job.Meta):
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="release_number_once_in_study"),
        ]

    def __str__(self) -> str:
        return f"{self.study}, release {self.number}"

    @property
    def folder(self) -> Path:
        return Path(settings.RELEASES_DIR) / self.digest

    @property
    def is_frozen(self) -> bool:
        return self.status == JobStatus.DONE and self.withdrawn_at is None

    @property
    def is_embargoed(self) -> bool:
        return self.embargo_until is not None and not is_over(self.embargo_until)

    @property
    def at(self) -> datetime:
        """The moment that its files name as theirs."""
        return self.frozen_at or self.created_at


class Packing(Job):
    """The files of a frozen release deflated for downloads. Until it is done they are sent as they are."""

    release = models.OneToOneField(Release, on_delete=models.CASCADE, related_name="packing")

    objects = QueueQuerySet["Packing"].as_manager()

    class Meta(Job.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.release}, deflated"


class Comparison(Job):
    """How one release differs from an earlier one: their files never change, so it is found once."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+")
    before = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    after = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="comparisons")
    code_version = models.CharField(max_length=40)
    found = models.JSONField(default=dict, blank=True)

    objects = QueueQuerySet["Comparison"].as_manager()

    class Meta(Job.Meta):
        constraints = [models.UniqueConstraint(fields=["before", "after"], name="compared_once")]

    def __str__(self) -> str:
        return f"{self.after}, since release {self.before.number}"

    @property
    def was_found_by_the_freeze(self) -> bool:
        """So that CHANGES.md says it."""
        return self.status == JobStatus.DONE and self.started_at is None


class Pseudonym(models.Model):
    """What a release calls an annotator: another name in each, so that two releases cannot be put together by it."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="pseudonyms")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    pseudonym = models.CharField(max_length=40)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "member"], name="pseudonym_once_in_release"),
            models.UniqueConstraint(fields=["release", "pseudonym"], name="member_once_in_release"),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class Finding(models.Model):
    """Something in a study's free text, or about its annotators, that may say who somebody is."""

    class Kind(models.TextChoices):
        EMAIL = "email", _("An e-mail address")
        PHONE = "phone", _("A telephone number")
        WEB = "web", _("A web address")
        PLATFORM_ID = "platform_id", _("An identifier of a crowd platform")
        ACCOUNT = "account", _("The name or address of an account")
        PSEUDONYM = "pseudonym", _("An annotator's pseudonym in the study")
        REASON = "reason", _("Why somebody was excluded, or a task rejected, as it was written to them")
        FEW = "few", _("So few annotators that each can be told by those who know them")
        GROUP = "group", _("Annotators whom fewer than five resemble")

    class Verdict(models.TextChoices):
        OPEN = "open", _("Not settled")
        KEPT = "kept", _("Stays as it is")
        REMOVED = "removed", _("Replaced by [removed]")

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    text = models.CharField(max_length=700)
    times = models.PositiveIntegerField(default=1, help_text="In how many texts; of groups: how many annotators.")
    example = models.TextField(blank=True, help_text="Where it stands first.")
    verdict = models.CharField(max_length=10, choices=Verdict.choices, default=Verdict.OPEN)

    OF_PEOPLE = (Kind.FEW, Kind.GROUP)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["release", "kind", "text"], name="found_once_in_release")]

    def __str__(self) -> str:
        return self.text

    @property
    def traits_in_words(self) -> str:
        """What a group of annotators resembles each other by, in the active language; it is kept in English."""
        first, *more = (gettext(trait) for trait in self.text.split(BETWEEN_TRAITS))
        return reduce(lambda said, trait: gettext("%(some)s and %(more)s") % {"some": said, "more": trait}, more, first)

    @property
    def is_of_people(self) -> bool:
        """Whether it is about how few annotators there are, so that no text could be replaced."""
        return self.kind in self.OF_PEOPLE


class DownloadLink(models.Model):
    """Lets anybody who has it download a release, until it expires or is revoked."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="links")
    note = models.CharField(max_length=120, blank=True, help_text="Whom it is for.")
    created_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    downloads = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Link {self.pk} to {self.release}"

    @property
    def is_open(self) -> bool:
        return self.revoked_at is None and self.expires_at > timezone.now()


def _names(user: User) -> models.Q:
    address = EmailAddress.objects.filter(user=user.pk, email__iexact=user.email, verified=True)
    return models.Q(team=None, email=user.email.lower()) if address.exists() else models.Q(pk=None)


class DownloadRightQuerySet(models.QuerySet["DownloadRight"]):
    def in_force(self) -> Self:
        """Those that were not revoked, of releases that are frozen or were withdrawn."""
        return self.filter(revoked_at=None, release__status=JobStatus.DONE, release__study__arriving_at=None)

    def held_by(self, user: User) -> Self:
        """Those by which this account may download now, by its confirmed address or by a role in a study."""
        team = Member.objects.filter(
            study=models.OuterRef("team"), role=models.OuterRef("role"), user=user.pk, excluded_at=None
        )
        return self.in_force().filter(_names(user) | models.Exists(team))

    def naming(self, user: User) -> Self:
        """Those that name the address of an account, which has confirmed it: it may be somebody else's otherwise."""
        return self.filter(_names(user))


class DownloadRight(models.Model):
    """Lets one person, or a team, download a release without being a member of its study, until it is revoked.

    A person is whoever has an account with this address and has confirmed it, now or later. A team is everybody who
    has a role in a study at the moment of the download.
    """

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="rights")
    email = models.EmailField(blank=True, help_text="The person's address, in small letters.")
    team = models.ForeignKey(Study, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    role = models.CharField(max_length=20, choices=Role.choices, blank=True)
    created_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    downloads = models.PositiveIntegerField(default=0)

    objects = DownloadRightQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                name="right_of_person_or_team",
                condition=models.Q(team=None, role="") & ~models.Q(email="")
                | models.Q(team__isnull=False, email="") & ~models.Q(role=""),
            ),
            models.UniqueConstraint(
                fields=["release", "email"],
                condition=models.Q(team=None, revoked_at=None),
                name="person_once_in_release",
            ),
            models.UniqueConstraint(
                fields=["release", "team", "role"],
                condition=models.Q(email="", revoked_at=None),
                name="team_once_in_release",
            ),
        ]

    def __str__(self) -> str:
        return f"Right {self.pk} to {self.release}"
