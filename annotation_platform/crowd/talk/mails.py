"""What mails of the topic say, in their reader's language, and the links in them."""

from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform.accounts.models import User
from annotation_platform.annotations.models import Message
from annotation_platform.crowd.talk.models import Announcement
from annotation_platform.crowd.talk.services.wishes import stop_token
from annotation_platform.studies.models import Study


def mail_of_messages(user: User, messages: Sequence[Message]) -> None:
    """Say that there are new words, and where; what they say is read on the platform only."""
    by_address: dict[str, list[Message]] = {}
    for each in messages:
        by_address.setdefault(_address_of(each), []).append(each)
    with translation.override(user.language or settings.LANGUAGE_CODE):
        lines = []
        for address, words in by_address.items():
            study = _in_a_line(_study_of(words[0]).name)
            if words[0].is_annotators:
                line = ngettext(
                    "{count} new message of an annotator in “{study}”:",
                    "{count} new messages of annotators in “{study}”:",
                    len(words),
                )
            else:
                line = ngettext(
                    "{count} new message of the researchers of “{study}”:",
                    "{count} new messages of the researchers of “{study}”:",
                    len(words),
                )
            lines.append(line.format(count=len(words), study=study) + f"\n{address}")
        count = len(messages)
        subject = ngettext("{count} new message", "{count} new messages", count).format(count=count)
        _send(user, subject, "\n\n".join(lines))


def mail_of_announcement(user: User, announcement: Announcement) -> None:
    """Say what was announced."""
    study = _in_a_line(announcement.study.name)
    with translation.override(user.language or settings.LANGUAGE_CODE):
        where = _link(reverse("work"))
        _send(user, _("News of “{study}”").format(study=study), f"{announcement.text}\n\n{where}")


def _send(user: User, subject: str, body: str) -> None:
    stop = _link(reverse("stop_mail", args=[stop_token(user)]))
    why = _("You get this mail because you take part in a study. To get no more of them:")
    EmailMessage(
        subject,
        f"{body}\n\n--\n{why}\n{stop}",
        to=[user.email],
        headers={"List-Unsubscribe": f"<{stop}>"},
    ).send()


def _address_of(message: Message) -> str:
    """Where a word is read by the one who gets the mail about it."""
    if message.is_annotators:
        return _link(reverse("crowd_messages", args=[_study_of(message).slug]))
    if message.assignment_id is not None:
        return _link(reverse("messages", args=[message.assignment_id]))
    return _link(reverse("my_study_messages", args=[_study_of(message).slug]))


def _study_of(message: Message) -> Study:
    """The study whose researchers it is about; of a round, the one that it qualifies for."""
    own = (message.annotator or message.author).study
    return own.qualifies_for or own


def _link(path: str) -> str:
    return settings.PLATFORM_URL + path


def _in_a_line(name: str) -> str:
    return " ".join(name.split())
