"""Announcements to annotators, frequent questions, and whether somebody wants mail about all that."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Message
from annotation_platform.studies.models import Member, Study


class Audience(models.TextChoices):
    ALL = "all", _("All annotators, also those who join later")
    AT_WORK = "at_work", _("Those who have a task under way now")


class Announcement(models.Model):
    """What researchers tell annotators; shown until each has dismissed it, or a researcher ends it."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="announcements")
    author = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="announcements")
    text = models.TextField(max_length=2_000)
    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.ALL)
    by_mail = models.BooleanField(default=False)
    mailed_at = models.DateTimeField(null=True, blank=True, help_text="Empty, where it goes by mail: not yet.")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True, help_text="Shown to nobody from then on.")

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["study", "ended_at"], name="announcement_of_study")]

    def __str__(self) -> str:
        return self.text


class AnnouncementReceipt(models.Model):
    """That an announcement is for an annotator, where it is not for all; and when they put it away."""

    announcement = models.ForeignKey(Announcement, on_delete=models.CASCADE, related_name="receipts")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="announcement_receipts")
    dismissed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["announcement", "member"], name="announcement_received_once")]

    def __str__(self) -> str:
        return f"Announcement {self.announcement_id} for {self.member_id}"


class FaqEntry(models.Model):
    """A question that was asked more than once, with its answer, in English, Japanese or both."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="faq")
    position = models.PositiveIntegerField()
    question_en = models.CharField(_("Question"), max_length=300, blank=True)
    answer_en = models.TextField(_("Answer"), max_length=5_000, blank=True)
    question_ja = models.CharField(_("Question in Japanese"), max_length=300, blank=True)
    answer_ja = models.TextField(_("Answer in Japanese"), max_length=5_000, blank=True)
    grown_from = models.ForeignKey(
        Message, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", help_text="The answer it was once."
    )
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["position", "pk"]
        verbose_name_plural = "FAQ entries"

    def __str__(self) -> str:
        return self.question_en or self.question_ja


class MailWishes(models.Model):
    """Which mails somebody wants, and when they last got one about messages; nobody has a row before they need one."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="mail_wishes")
    wants_messages = models.BooleanField(default=True)
    wants_announcements = models.BooleanField(default=True)
    told_at = models.DateTimeField(null=True, blank=True)
    told_up_to = models.BigIntegerField(default=0, help_text="The newest message that they had a mail about.")

    def __str__(self) -> str:
        return f"Mail wishes of {self.user_id}"
