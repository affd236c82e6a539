"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "accounts.link_not_valid": _(
            "This link does not work. Copy the whole link; when you have made a newer one, use that."
        ),
        "accounts.no_demo_sign_in": _("There is no demo sign-in here."),
        "accounts.no_demo_people": _(
            "The demo's people are missing. Stop the demo and start over with “make demo-reset”."
        ),
        "accounts.no_link_needed": _("Your account has a password, so it needs no personal link."),
        "accounts.no_such_language": _("These pages are not there in this language."),
        "accounts.takes_forms_only": _(
            "This address only takes what a form sends, so there is nothing to see here. If you have just signed "
            "in, please repeat your last step."
        ),
        "accounts.typed_name_differs": _("What you typed is not what stands there, so nothing was deleted."),
        "accounts.token_name_wrong": _("Give the token a name of at most {most} characters."),
        "accounts.token_scopes_wrong": _("Say what the token may be used for; there are: {known}."),
        "accounts.token_days_wrong": _("A token is in force for 1 to {most:,} days, or until it is revoked."),
        "accounts.too_many_tokens": _("There are {most} tokens already. Revoke those that are not needed."),
        "accounts.no_token": _("There is no such token."),
        "accounts.may_create_no_study": _(
            "Researchers make studies and import data. "
            "Ask the admin of a study to make you one, or the platform's staff."
        ),
        "accounts.no_page": _("There is no such page."),
        "accounts.body_too_large": _(
            "This is more than {size:.0f} MB, the most that can be sent to this page, so nothing of it was kept. Send "
            "less at a time; a file, in several."
        ),
        "accounts.body_too_slow": _(
            "This took too long to arrive, so nothing of it was kept. Please check your connection and send it again."
        ),
    }
)
