"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "jobs.database_busy": _("The database is busy with other work, so nothing was stored. Try again in a minute."),
        "jobs.worker_died": _(
            "Its worker died in the middle of it, {attempts} times; perhaps the server has too little memory for it. "
            "It is not tried again by itself."
        ),
        "jobs.stopped_by_hand": _("Stopped by hand. What came is kept; start it again to go on."),
        "jobs.platform_error": _("An error in the platform stopped it; its log has the details ({error})."),
        "jobs.taken_over": _("{job} was taken over by another worker."),
        "jobs.paused_by_hand": _("Paused by hand."),
        "jobs.not_writable": _("{path} cannot be written: {why}."),
        "jobs.mail_refused": _("The mail server refused it: {words}"),
        "jobs.mail_unreachable": _("The mail server cannot be reached: {words}"),
        "jobs.post_address_wrong": _(
            "This is no web address that a message can be sent to, such as https://example.org/."
        ),
        "jobs.post_unencrypted": _("The address begins with https://, so that nobody reads along."),
        "jobs.post_private": _("The address is in a private network, which the platform's operator does not allow."),
        "jobs.post_too_slow": _("There was no whole answer within {seconds} s."),
        "jobs.post_failed": _("There was no answer: {words}"),
        "jobs.no_file": _("There is no such file, or it is not finished."),
        "jobs.file_removed": _("This file has been removed from the server. Make a new one."),
    }
)
