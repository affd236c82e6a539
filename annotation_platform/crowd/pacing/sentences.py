"""What the errors of this topic say, and what holds batches back."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.pacing_wrong": _("From 1 to {batches} batches can be released at once, every 1 to {hours:,} hours."),
        "crowd.no_bound": _("Choose which number is held against the limits."),
        "crowd.limit_grouped": _(
            "The limit of “{figure}” is “{text}”, where the comma could part thousands or stand before decimals. Write "
            "thousands without a comma, and a point before decimals."
        ),
        "crowd.limit_unread": _("The limit of “{figure}” is not a number."),
        "crowd.nothing_to_release": _("No batch is left to release: all of them are open or closed."),
        "crowd.released_meanwhile": _("Batches were released meanwhile. Look at them, then decide again."),
        "crowd.measured_before": _(
            "{figure} is being measured again, since a batch has closed. If that takes more than a few minutes, the "
            "page of the study's agreement says what went wrong."
        ),
        "crowd.too_low": _("{figure} is {value}; at least {limit} is wanted."),
        "crowd.too_high": _("{figure} is {value}; at most {limit} is wanted."),
        "crowd.gate_agreement": _("Krippendorff α: {aspect}"),
        "crowd.gate_checks": _("Checks that were passed"),
        "crowd.gate_hourly": _("Median pay for an hour, in {currency}"),
        "crowd.gate_budget": _("Left of the budget, in {currency}"),
        "crowd.rests_on_judgments": _("{judgments} of {items}"),
        "crowd.rests_on_judgments_count": ngettext_noop("{count:,} judgment", "{count:,} judgments"),
        "crowd.rests_on_items_count": ngettext_noop("{count:,} item", "{count:,} items"),
        "crowd.rests_on_nothing": _("nothing measured yet"),
        "crowd.rests_on_checks": _("{judgments:,} judgments of checks"),
        "crowd.rests_on_annotators": ngettext_noop("{count:,} annotator", "{count:,} annotators"),
        "crowd.rests_on_ledger": _("the ledger"),
    }
)
