"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "api.fields_wrong": _("Some fields cannot be accepted as they are; “errors” says which."),
        "api.field_unknown": _("There is no field “{name}”. There are: {known}."),
        "api.body_unread": _("The body cannot be read: {why}"),
        "api.body_unstorable": _("The body contains a character that cannot be stored (NUL or half of a pair)."),
        "api.body_too_large": _(
            "The body has more than the {most:,} bytes that this address takes. Send less at a time; files for an "
            "import also come in parts, by /api/v1/uploads."
        ),
        "api.too_many_parts": _("The form has more parts than are taken at once. Send fewer files."),
        "api.too_many_items": _("There are more than {most:,} rows. Send them in several corpora."),
        "api.cursor_wrong": _("This cursor was not given by this list. Begin again without one."),
        "api.limit_wrong": _("Ask for 1 to {most:,} entries at a time."),
        "api.no_corpus": _("There is no such corpus, or it is not for you to make studies of."),
        "api.no_corpora": _("Corpora are made by people who are trusted with studies. Ask an admin."),
        "api.choice_wrong": _("“{field}” takes one of: {known}."),
        "api.not_late": _(
            "The time for this task has not run out, or nobody else has it. Submit the judgment as usual."
        ),
        "api.number_wrong": _("“{field}” takes a whole number of at most {most} digits."),
        "api.no_job": _("There is no job “{name}”, or it is not for you to see."),
        "api.no_section": _("This snapshot has no figures “{section}”. It has: {known}."),
        "api.round_of_one_thing": _("Name a corpus or an existing study, one of the two."),
        "api.no_study_to_adopt": _("There is no such study of yours that could become a round."),
        "api.no_assignment": _("This study has no such assignment."),
        "api.no_migration": _("This study's scheme has no such migration."),
        "api.no_release_before": _("There is no release before release {number}. Name another one."),
        "api.no_snapshot_before": _("There is no snapshot before snapshot {number}. Name another one."),
        "api.nothing_to_give_up": _("Release {number} is neither a draft nor failed, so that nothing can be given up."),
        "api.filter_wrong": _("“{field}” is longer than anything that there is to look for."),
        "api.day_over": _("This day is over. Choose a later one, or none."),
        "api.too_long": _("This is longer than the {most:,} characters that are kept."),
        "api.no_preset": _("There is no preset “{key}”. There are: {known}."),
        "api.no_address": _("There is nothing at this address. /api/docs/ lists what there is."),
        "api.not_signed_in": _("Send a token: “Authorization: Bearer …”. You make one under My account."),
        "api.token_not_valid": _("This token is unknown, revoked or too old, or its account is closed."),
        "api.csrf": _("The request does not come from one of our pages (CSRF): {why}"),
        "api.scope_missing": _("This needs the scope “{scope}”, which the token does not have."),
        "api.too_many_requests": _("Too many requests. Go on in {seconds} s."),
        "api.method_not_allowed": _("This address does not take {method}."),
        "api.media_type": _("This address does not take “{media_type}”."),
        "api.not_acceptable": _("There is no such representation. This address gives JSON."),
        "api.key_wrong": _("An Idempotency-Key has 1 to 255 printable characters."),
        "api.key_used": _("This Idempotency-Key was sent with another request. Take a new one."),
        "api.key_in_flight": _("The first request with this Idempotency-Key has not ended. Ask again later."),
        "api.key_died": _(
            "The process that worked on the first request with this Idempotency-Key ended in the middle of it. Look at "
            "what it did, and ask with another key for what is left."
        ),
        "api.version_needed": _("Others may change this, too: send the ETag that you read as If-Match."),
        "api.version_differs": _("Somebody has changed this since you read it. Read it again."),
        "api.platform_error": _("Something went wrong here. It was noted."),
        "api.judgment_wrong": _("The judgment is not accepted; “errors” says why, field by field."),
        "api.accepted_wrong": _("The accepted answers cannot be; “errors” says why, aspect by aspect."),
        "api.scheme_wrong": _("The scheme is not accepted; “errors” has each mistake with its line."),
        "api.scheme_missing": _("Name a preset (“preset”) or send a scheme (“text” or “definition”)."),
    }
)
