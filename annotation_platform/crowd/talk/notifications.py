"""Telling people by mail that there is something new: chores of the worker, so that no request does it."""

from collections import defaultdict
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Message, MessageRead
from annotation_platform.crowd.talk.mails import mail_of_announcement, mail_of_messages
from annotation_platform.crowd.talk.models import Announcement, MailWishes
from annotation_platform.crowd.talk.selectors import recipients_of
from annotation_platform.studies.models import Member, Role

QUIET = timedelta(minutes=2)  # what is read at once needs no mail
PAUSE = timedelta(minutes=15)  # between two mails to one person
AT_ONCE = 500


def tell_of_messages() -> int:
    """Write a mail to everybody who has new words to read, one at most within ``PAUSE``; how many mails it were."""
    now = timezone.now()
    new = list(
        Message.objects.filter(is_told=False, created_at__lte=now - QUIET)
        .select_related("annotator__study__qualifies_for", "annotator__user", "annotator__former_user")
        .order_by("pk")[:AT_ONCE]
    )
    read = set(MessageRead.objects.filter(message__in=new).values_list("message_id", "reader_id"))
    unread: defaultdict[User, list[Message]] = defaultdict(list)
    for message in new:
        for member, user in _readers_of(message):
            if (message.pk, member) not in read:
                unread[user].append(message)
    wait: set[int] = set()
    mails = 0
    for user, messages in unread.items():
        told = _tell(user, messages, now)
        mails += told is True
        if told is None:
            wait.update(each.pk for each in messages)
    Message.objects.filter(pk__in=[each.pk for each in new if each.pk not in wait]).update(is_told=True)
    return mails


def tell_of_announcements() -> int:
    """Mail what was announced and is to go by mail; how many mails it were."""
    mails = 0
    for announcement in Announcement.objects.filter(by_mail=True, mailed_at=None, ended_at=None).select_related(
        "study"
    ):
        with transaction.atomic():
            waiting = Announcement.objects.filter(pk=announcement.pk, mailed_at=None, ended_at=None)
            if not waiting.update(mailed_at=timezone.now()):
                continue  # another worker was faster, or somebody ended it
            for user in recipients_of(announcement):
                mail_of_announcement(user, announcement)
                mails += 1
    return mails


def _tell(user: User, messages: list[Message], now: datetime) -> bool | None:
    """Whether a mail was written; None: not yet, for the last one is too fresh."""
    if user.is_guest or not user.is_active:
        return False
    wishes, _ = MailWishes.objects.get_or_create(user=user)
    if not wishes.wants_messages:
        return False
    fresh = [each for each in messages if each.pk > wishes.told_up_to]
    if not fresh:
        return False
    if wishes.told_at is not None and wishes.told_at > now - PAUSE:
        return None
    with transaction.atomic():
        unchanged = MailWishes.objects.filter(pk=wishes.pk, told_up_to=wishes.told_up_to)
        if not unchanged.update(told_at=now, told_up_to=fresh[-1].pk):
            return False  # another worker was faster
        mail_of_messages(user, fresh)
    return True


def _readers_of(message: Message) -> list[tuple[int, User]]:
    """Who should read a word: its annotator, or the researchers of the study; each with the key of their membership."""
    annotator = message.annotator
    if annotator is None:
        return []
    if message.is_annotators:
        team = annotator.study.qualifies_for_id or annotator.study_id
        researchers = Member.objects.filter(study=team, user__isnull=False).exclude(role=Role.ANNOTATOR)
        return [(each.pk, each.user) for each in researchers.select_related("user") if each.user is not None]
    user = annotator.user or annotator.former_user
    return [] if user is None else [(annotator.pk, user)]
