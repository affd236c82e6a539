"""Telling many annotators something, and putting it away again."""

from django.db import transaction
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.talk.models import Announcement, AnnouncementReceipt, Audience
from annotation_platform.studies.models import Assignment, Member, Role, Study

LONGEST, MOST_AT_ONCE = 2_000, 5


@transaction.atomic
def announce(*, author: Member, text: str, audience: Audience, by_mail: bool, actor: Actor) -> Announcement:
    """Tell the annotators of a study something, on their pages and by mail if wanted.

    Raises
    ------
    InvalidInputError
        When it is empty or too long, is shown already, as after a second click, nobody is at work to read it, or so
        many are shown that nobody would read one more.
    """
    study = author.study
    text = text.replace("\x00", "").strip()
    if not text:
        raise InvalidInputError("crowd.announcement_empty")
    if len(text) > LONGEST:
        raise InvalidInputError("crowd.announcement_too_long", length=len(text), most=LONGEST)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # one after the other
    shown = Announcement.objects.filter(study=study, ended_at=None)
    if shown.filter(text=text, audience=audience).exists():
        raise InvalidInputError("crowd.announced_already")
    if len(shown) >= MOST_AT_ONCE:
        raise InvalidInputError("crowd.too_many_announcements", most=MOST_AT_ONCE)
    announcement = Announcement.objects.create(
        study=study, author=author, text=text, audience=audience, by_mail=by_mail
    )
    if audience == Audience.AT_WORK:
        _address_to_those_at_work(announcement)
    change = {"audience": (None, str(audience)), "by_mail": (None, by_mail)}
    record(actor, Verb.MEMBER_ANNOUNCED, announcement, study=study, change=change)
    return announcement


@transaction.atomic
def end_announcement(*, announcement: Announcement, actor: Actor) -> None:
    """Show it to nobody any more; mail that has not gone yet does not go."""
    if Announcement.objects.filter(pk=announcement.pk, ended_at=None).update(ended_at=timezone.now()):
        record(actor, Verb.MEMBER_ANNOUNCEMENT_ENDED, announcement, study=announcement.study)


@transaction.atomic
def dismiss_announcement(*, announcement: Announcement, member: Member) -> None:
    """Show it to this annotator no more: a click like closing a window, which leaves no event."""
    now = timezone.now()
    receipt, is_new = AnnouncementReceipt.objects.get_or_create(
        announcement=announcement, member=member, defaults={"dismissed_at": now}
    )
    if not is_new and receipt.dismissed_at is None:
        AnnouncementReceipt.objects.filter(pk=receipt.pk).update(dismissed_at=now)


def _address_to_those_at_work(announcement: Announcement) -> None:
    holders = Assignment.objects.at_work().filter(hit__batch__study=announcement.study)
    members = Member.objects.filter(
        pk__in=holders.values("annotator"), user__isnull=False, role=Role.ANNOTATOR
    ).values_list("pk", flat=True)
    receipts = [AnnouncementReceipt(announcement=announcement, member_id=pk) for pk in members]
    if not receipts:
        raise InvalidInputError("crowd.nobody_at_work")
    AnnouncementReceipt.objects.bulk_create(receipts)
