"""What sending scores back says."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "scoreback.no_program": _("“{program}” is no program that scores can go to ({known})."),
        "scoreback.no_destination": _("The study sends no scores there."),
        "scoreback.no_aspect": _("“{aspect}” is no aspect whose scores can go to a trace ({known})."),
        "scoreback.no_aspects": _("Choose at least one aspect."),
        "scoreback.no_such_way": _("“{what}” is none of what can be sent ({known})."),
        "scoreback.key_malformed": _(
            "A key has printable ASCII characters only, without blanks, and at most {most} of them."
        ),
        "scoreback.key_missing": _("Enter the key: {key}."),
        "scoreback.secret_of_other_address": _("Enter the key again: the stored one belongs to the former address."),
        "scoreback.being_sent": _("Scores are being sent; stop that first."),
        "scoreback.not_paused": _("This sending is not paused."),
        "scoreback.ended_already": _("This sending has ended already."),
        "scoreback.no_such_step": _("There is no such button."),
        "scoreback.key_refused": _(
            "The program does not accept the key ({status}): {words} Enter another one and send again."
        ),
        "scoreback.not_now": _("The program answers {status}: {words}"),
        "scoreback.refused": _("The program refuses it ({status})."),
        "scoreback.all_refused": _(
            "{count} scores in a row were refused, so the rest was not sent. See what the program said to them."
        ),
        "scoreback.given_up": _("After {count} pauses the program still takes nothing: {last}"),
        "scoreback.pauses": _("It goes on later by itself: {why}"),
    }
)
