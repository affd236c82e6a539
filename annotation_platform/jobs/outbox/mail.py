"""Mail: requests write it down, the worker sends it. No request ever waits for a mail server."""

import logging
import secrets
import smtplib
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from email.utils import make_msgid, parseaddr
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.heartbeat import ending
from annotation_platform.jobs.models import OutgoingMail

logger = logging.getLogger(__name__)

AT_ONCE = 20  # in one session
ROUND_SECONDS = 30.0  # after which other work of the worker has its turn
CLAIMED_FOR = timedelta(minutes=5)  # more than a session and its connecting take
PAUSES = [timedelta(seconds=30), *(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 30, 60))]
GIVEN_UP_AFTER = timedelta(hours=24)
KEPT_FOR = timedelta(days=30)


class OutboxBackend(BaseEmailBackend):
    """Django's e-mail backend: puts mail into the outbox, within the transaction that it belongs to."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        now = timezone.now()
        mails = [message for message in email_messages if message.recipients()]
        OutgoingMail.objects.bulk_create(
            OutgoingMail(
                recipients=message.recipients(),
                subject=str(message.subject),
                content=_content_of(message),
                due_at=now,
            )
            for message in mails
        )
        return len(mails)


def deliver_mail() -> int:
    """Send what is due, for about ``ROUND_SECONDS``, the newest first; give how many went out.

    The newest, since a code to sign in is of use for three minutes, and an announcement to hundreds for a day. A mail
    that its server refuses for good (a reply of 5xx) is given up at once, any other is tried again after a growing
    pause, for a day. A worker that dies between the server's thanks and the note of it sends a mail twice, with the
    same Message-ID.
    """
    sent, end = 0, time.monotonic() + ROUND_SECONDS
    while not ending.is_set() and (mails := _claim()):
        sent_now = _deliver(mails)
        sent += sent_now
        if not sent_now or time.monotonic() > end:  # where none was taken, the next ones would not be either
            break
    return sent


def _deliver(mails: Sequence[OutgoingMail]) -> int:
    """Send a few mails in one session; give how many went out."""
    connection = get_connection(settings.MAIL_DELIVERY_BACKEND)
    try:
        connection.open()
        for mail in mails:
            if ending.is_set():  # the next worker need not wait until the claim is too old
                release_claim(mail, due_at=timezone.now())
            else:
                _send(connection, mail)
    except OSError as error:  # of the line, not of one mail; smtplib's own errors are of this kind, too
        left = [mail for mail in mails if mail.claim]
        logger.warning("The mail server cannot be reached, %d mails wait: %s", len(left), _in_words(error))
        for mail in left:
            _postpone(mail, Reason("jobs.mail_unreachable", words=_in_words(error)))
    finally:
        with suppress(OSError):
            connection.close()
    return sum(mail.state == OutgoingMail.State.SENT for mail in mails)


def is_due() -> bool:
    return OutgoingMail.objects.due().exists()


def forget_old_mail() -> None:
    """Delete the rows of mail that was sent or given up long ago."""
    OutgoingMail.objects.exclude(state=OutgoingMail.State.WAITING).filter(
        created_at__lt=timezone.now() - KEPT_FOR
    ).delete()


def send_again(mails: Sequence[OutgoingMail]) -> None:
    """Try waiting mails at the next look, without their pause."""
    OutgoingMail.objects.waiting().filter(pk__in=[mail.pk for mail in mails]).update(due_at=timezone.now())


def _claim() -> list[OutgoingMail]:
    claim, now = secrets.token_hex(8), timezone.now()
    first = list(OutgoingMail.objects.due().order_by("-pk").values_list("pk", flat=True)[:AT_ONCE])
    OutgoingMail.objects.due().filter(pk__in=first).update(claim=claim, due_at=now + CLAIMED_FOR)
    return list(OutgoingMail.objects.filter(claim=claim).order_by("-pk"))


def _send(connection: Any, mail: OutgoingMail) -> None:
    """Hand one mail over, or note why the server does not take it; an error of the line, for all mails, is raised."""
    try:
        connection.send_messages([_message_of(mail.content)])
    except smtplib.SMTPRecipientsRefused as error:
        _refused(mail, max(code for code, _ in error.recipients.values()), error)
    except smtplib.SMTPSenderRefused as error:  # the fault of a setting, which can be mended while mails wait
        _postpone(mail, Reason("jobs.mail_refused", words=_in_words(error)))
    except smtplib.SMTPResponseException as error:
        _refused(mail, error.smtp_code, error)
    else:
        told = {"state": OutgoingMail.State.SENT, "sent_at": timezone.now()}
        release_claim(mail, **told, content={}, error="", attempts=mail.attempts + 1)


def _refused(mail: OutgoingMail, code: int, error: Exception) -> None:
    reason = Reason("jobs.mail_refused", words=_in_words(error))
    if code >= 500:
        _give_up(mail, reason)
    else:
        _postpone(mail, reason)


def _postpone(mail: OutgoingMail, reason: Reason) -> None:
    if timezone.now() - mail.created_at > GIVEN_UP_AFTER:
        _give_up(mail, reason)
        return
    pause = PAUSES[min(mail.attempts, len(PAUSES) - 1)]
    release_claim(mail, attempts=mail.attempts + 1, error=reason, due_at=timezone.now() + pause)


def _give_up(mail: OutgoingMail, reason: Reason) -> None:
    logger.warning("Mail %s is given up; the admin site says why.", mail.pk)  # the reason has people's addresses
    release_claim(mail, state=OutgoingMail.State.GIVEN_UP, content={}, attempts=mail.attempts + 1, error=reason)


def release_claim(mail: OutgoingMail, **changes: Any) -> None:
    OutgoingMail.objects.filter(pk=mail.pk, claim=mail.claim).update(**changes, claim="")
    for name, value in {**changes, "claim": ""}.items():
        setattr(mail, name, value)


def _in_words(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "; ".join(f"{who}: {code} {_text(said)}" for who, (code, said) in error.recipients.items())
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    return str(error) or type(error).__name__


def _text(said: bytes | str) -> str:
    return said.decode(errors="replace") if isinstance(said, bytes) else said


def _content_of(message: EmailMessage) -> dict[str, Any]:
    if message.attachments:
        raise ValueError("The outbox takes no attachments.")
    sender = message.from_email or settings.DEFAULT_FROM_EMAIL
    # Made here, so that it is the same at every attempt; Django would ask the network for this machine's name.
    identity = make_msgid(domain=parseaddr(sender)[1].rpartition("@")[2] or "localhost")
    message.extra_headers.setdefault("Message-ID", identity)
    message.message()  # raises what is wrong with it here, where it was written
    alternatives = getattr(message, "alternatives", None) or []
    return {
        "subject": str(message.subject),
        "body": str(message.body),
        "from_email": sender,
        "to": list(message.to),
        "cc": list(message.cc),
        "bcc": list(message.bcc),
        "reply_to": list(message.reply_to),
        "headers": {name: str(value) for name, value in message.extra_headers.items()},
        "alternatives": [[str(content), str(kind)] for content, kind in alternatives],
    }


def _message_of(content: dict[str, Any]) -> EmailMultiAlternatives:
    given = dict(content)
    alternatives = given.pop("alternatives")
    message = EmailMultiAlternatives(**given)
    for text, kind in alternatives:
        message.attach_alternative(text, kind)
    return message
