"""All that the platform knows of a person, for themselves: one part of each kind.

A new topic's part is one line here; apps above this one add theirs by :func:`add_part`. A part yields plain
dictionaries of the person's own rows, however many there are, and nothing of anybody else's: researchers are no more
than "researcher".
"""

from collections.abc import Callable
from typing import NamedTuple

from allauth.account.models import EmailAddress
from django.db.models import Q

from annotation_platform.accounts.models import Event, User
from annotation_platform.annotations.models import Annotation, Draft, Hint, Message
from annotation_platform.crowd.home import own_topics
from annotation_platform.crowd.home.own_rows import CHUNK, ITEM, ITEM_NAMES, Rows, memberships
from annotation_platform.crowd.talk.models import AnnouncementReceipt, MailWishes
from annotation_platform.studies.models import Assignment, SetAside


class DataPart(NamedTuple):
    """The name of its files, and what gives their rows."""

    name: str
    rows_of: Callable[[User], Rows]


def _account(user: User) -> Rows:
    wishes = MailWishes.objects.filter(user=user).first() or MailWishes()
    yield {
        "email": None if user.is_guest else user.email,
        "name": user.get_full_name(),
        "language": user.language,
        "joined_at": user.date_joined,
        "last_signed_in_at": user.last_login,
        "has_password": user.has_usable_password(),
        "addresses": list(EmailAddress.objects.filter(user=user).values_list("email", flat=True)),
        "wants_mail_about_messages": wishes.wants_messages,
        "wants_mail_about_announcements": wishes.wants_announcements,
    }


def _memberships(user: User) -> Rows:
    for each in memberships(user).select_related("study").order_by("joined_at").iterator():
        yield {
            "study": each.study.slug,
            "name": each.study.name,
            "role": each.role,
            "pseudonym": each.pseudonym,
            "joined_at": each.joined_at,
            "removed_at": each.removed_at,
            "paused_at": each.paused_at,
            "paused_because": each.paused_because,
            "excluded_at": each.excluded_at,
            "excluded_because": each.excluded_because,
        }


def _tasks(user: User) -> Rows:
    place = ("hit__batch__study__slug", "hit__batch__number", "hit__position")
    times = ("state", "claimed_at", "lease_expires_at", "submitted_at")
    names = ("study", "batch", "task", "state", "taken_at", "reserved_until", "submitted_at")
    tasks = Assignment.objects.filter(annotator__in=memberships(user)).order_by("pk")
    for row in tasks.values_list(*place, *times).iterator():
        yield dict(zip(names, row, strict=True))


def _set_aside(user: User) -> Rows:
    place = ("assignment__hit__batch__study__slug", "assignment__hit__batch__number", "assignment__hit__position")
    fields = ("kind", "because", "submitted_at", "set_aside_at", "restored_at")
    work = SetAside.objects.filter(annotator__in=memberships(user)).order_by("pk")
    for row in work.values_list(*place, *fields).iterator():
        yield dict(zip(("study", "batch", "task", *fields), row, strict=True))


def _judgments(user: User) -> Rows:
    fields = ("revision", "is_current", "values", "seconds", "created_at")
    scheme = ("scheme_version__key", "scheme_version__number")
    # Also of items that are checks: what is missing here would give them away.
    judgments = Annotation.given.filter(annotator__in=memberships(user)).order_by("pk")
    names = (*ITEM_NAMES, "scheme", "scheme_version", "revision", "counts", "values", "seconds", "judged_at")
    for row in judgments.values_list(*ITEM, *scheme, *fields).iterator(CHUNK):
        yield dict(zip(names, row, strict=True))


def _drafts(user: User) -> Rows:
    fields = ("values", "seconds", "updated_at")
    drafts = Draft.objects.filter(annotator__in=memberships(user)).order_by("pk")
    for row in drafts.values_list(*ITEM, *fields).iterator(CHUNK):
        yield dict(zip((*ITEM_NAMES, *fields), row, strict=True))


def _hints(user: User) -> Rows:
    fields = ("aspect", "candidate", "text", "reason", "shown_at", "dismissed_at")
    hints = Hint.objects.filter(annotator__in=memberships(user)).order_by("pk")
    for row in hints.values_list(*ITEM, *fields).iterator(CHUNK):
        yield dict(zip((*ITEM_NAMES, *fields), row, strict=True))


def _messages(user: User) -> Rows:
    """Their threads as an annotator, with the answers; of a researcher's words, their own."""
    mine = memberships(user)
    words = Message.objects.filter(Q(annotator__in=mine) | Q(author__in=mine)).select_related(
        "author__study", "assignment__hit__batch", "item"
    )
    own = set(mine.values_list("pk", flat=True))
    for word in words.order_by("pk").iterator():
        hit = word.assignment.hit if word.assignment else None
        yield {
            "study": word.author.study.slug,
            "batch": hit.batch.number if hit else None,
            "task": hit.position if hit else None,
            "question": word.item.position if word.item else None,
            "by": "you" if word.author_id in own else "researcher",
            "text": word.text,
            "written_at": word.created_at,
        }


def _announcements(user: User) -> Rows:
    receipts = AnnouncementReceipt.objects.filter(member__in=memberships(user)).select_related("announcement__study")
    for each in receipts.order_by("pk").iterator():
        yield {
            "study": each.announcement.study.slug,
            "text": each.announcement.text,
            "put_away_at": each.dismissed_at,
        }


def _events(user: User) -> Rows:
    """What they did, and what was done to their memberships, without by whom."""
    members = list(memberships(user).values_list("pk", flat=True))
    about = Q(subject_type="studies.member", subject_id__in=members, topic="member")
    for each in Event.objects.filter(Q(user=user) | about).order_by("pk").iterator():
        is_own = each.user_id == user.pk
        yield {
            "at": each.at,
            "what": each.verb,
            "study": each.study_slug,
            "by": "you" if is_own else "others",
            "from_address": each.address if is_own else None,
            "change": each.change,
        }


PARTS: list[DataPart] = [
    DataPart("account", _account),
    DataPart("memberships", _memberships),
    DataPart("tasks", _tasks),
    DataPart("set_aside", _set_aside),
    DataPart("judgments", _judgments),
    DataPart("late_judgments", own_topics.late_judgments),
    DataPart("drafts", _drafts),
    DataPart("hints", _hints),
    DataPart("messages", _messages),
    DataPart("announcements", _announcements),
    DataPart("consents", own_topics.consents),
    DataPart("visits", own_topics.visits),
    DataPart("told_by_prolific", own_topics.told_by_prolific),
    DataPart("qualification", own_topics.rounds),
    DataPart("languages", own_topics.languages),
    DataPart("reviews", own_topics.reviews),
    DataPart("earnings", own_topics.earnings),
    DataPart("pastes", own_topics.pastes),
    DataPart("events", _events),
]


def add_part(name: str, rows_of: Callable[[User], Rows]) -> None:
    """For an app above this one, in ``ready()``: what it knows of a person."""
    PARTS.append(DataPart(name, rows_of))
