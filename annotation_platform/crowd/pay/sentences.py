"""What the errors of paying say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.pay_no_currency": _("“{currency}” is no currency. Write its three letters, such as USD, EUR or JPY."),
        "crowd.pay_no_amount": _("“{text}” is no amount. Write it as a number, such as 2.50."),
        "crowd.pay_too_many_digits": _("“{text}” has more digits after the point than {currency} has: {digits}."),
        "crowd.pay_amount_too_large": _("“{text}” is too large an amount."),
        "crowd.pay_amount_out_of_range": _("An amount must not be below zero, and not beyond reason."),
        "crowd.pay_returned_wrong": _("For unfinished tasks, the share must be from 0 to 100 percent."),
        "crowd.pay_bonus_wrong": _("The bonus must be from 0 to {most} percent."),
        "crowd.pay_bonus_not_whole": _("The bonus of a study is a whole number of percent."),
        "crowd.pay_hourly_without_minutes": _("Pay for an hour needs the minutes that a task takes."),
        "crowd.pay_plan_pays_less": _(
            "By the plan a task pays {planned} {currency}, with a bonus of {planned_bonus} %. Annotators of this study "
            "were told {agreed} {agreed_currency} and {bonus} %, and a plan takes nothing of that back, so nothing was "
            "changed. Plan with at least as much; an admin can change it on the page Pay, for tasks that are taken "
            "afterwards."
        ),
        "crowd.pay_plan_other_currency": _(
            "The budget, the least pay for an hour or the limit of approvals is agreed in {currency}, and would be as "
            "many units of another currency. So nothing was changed. Plan in {currency}, or have an admin change the "
            "currency on the page Pay first."
        ),
        "crowd.pay_hours_wrong": _("After how many hours? A whole number from 1 to {most}."),
        "crowd.pay_currency_fixed": _(
            "People have entries in {currency} already, so the currency stays. Another currency needs another study."
        ),
        "crowd.pay_no_terms": _("Nothing was agreed on pay in this study yet. Set it first."),
        "crowd.pay_not_submitted": _("This task is not submitted by that person, so it cannot be paid."),
        "crowd.pay_credited_elsewhere": _("Somebody else is crediting this task at the same moment. Try again."),
        "crowd.pay_batch_not_closed": _("Batch {number} is not closed yet. A bonus is for finished batches."),
        "crowd.pay_no_batch": _("There is no such batch in this study."),
        "crowd.pay_correction_of_nothing": _("A correction is an amount above or below zero, and not beyond reason."),
        "crowd.pay_nothing_owed": _("Nobody is owed anything that is not in a payment already."),
        "crowd.pay_admins_approve": _("Only an admin of the study approves a payment."),
        "crowd.pay_second_approves": _(
            "This payment is above the limit, so an admin who did not make it must approve it."
        ),
        "crowd.pay_people_approve": _(
            "This payment is above the limit, so two people stand behind it: one makes it and another one approves it. "
            "A program of the study counts as neither. If a program made this payment, or somebody whose account is "
            "deleted, cancel it and make it anew."
        ),
        "crowd.pay_limit_of_people": _(
            "A program of the study may lower the limit above which two people stand behind a payment. Only a person "
            "raises it, drops it, or changes its currency: an admin of the study."
        ),
        "crowd.pay_payment_decided": _("This payment was approved or cancelled meanwhile."),
        "crowd.pay_line_ordered": _(
            "What {member} is owed is ordered from Prolific. Wait for its answer, or settle the order."
        ),
        "crowd.pay_file_in_hand": _(
            "A file of this payment lists {count} of these people: who pays by it, too, pays them twice. Declare that "
            "nobody does, or pay by it."
        ),
        "crowd.pay_prolific_currency": _("Prolific pays in {known}, and this payment is in {currency}."),
        "crowd.pay_nobody_of_prolific": _("Nobody of this payment is left who could be paid by Prolific."),
        "crowd.pay_not_approved": _("This payment is not approved, so nothing can have been paid by it."),
        "crowd.pay_line_settled": _("This line is settled already."),
        "crowd.pay_line_not_paid": _("This line is not paid, or the payment came back already."),
        "crowd.pay_no_payment": _("This study has no payment {number}."),
        "crowd.pay_over_budget": _(
            "Opening batch {number} costs up to {cost} {currency}. Of the budget of {budget} {currency}, {spent} are "
            "spent and {committed} are bound by what is open, so {missing} {currency} are missing. Raise the budget, "
            "or make the batch smaller."
        ),
        "crowd.pay_places_over_budget": ngettext_noop(
            "{count:,} more place costs up to {cost} {currency}. Of the budget of {budget} {currency}, {spent} are "
            "spent and {committed} are bound by what is open, so {missing} {currency} are missing. Raise the budget "
            "first.",
            "{count:,} more places cost up to {cost} {currency}. Of the budget of {budget} {currency}, {spent} are "
            "spent and {committed} are bound by what is open, so {missing} {currency} are missing. Raise the budget "
            "first.",
        ),
        "crowd.pay_corrected_since": _(
            "Another correction for {member} was written since you opened this page. It is in the list: if yours is "
            "still needed, send it again."
        ),
        "crowd.pay_nothing_waits_so": _(
            "Some of these tasks were decided meanwhile. Look again at what waits, then approve it."
        ),
        "crowd.pay_file_too_large": _("The file is too large for a payment file."),
        "crowd.pay_file_unreadable": _("The file is no CSV file in UTF-8. Save it as one and send it again."),
        "crowd.pay_file_columns": _("The file lacks the columns: {missing}."),
        "crowd.pay_file_wrong": ngettext_noop(
            "Nothing of the file was taken: {count:,} row is wrong.",
            "Nothing of the file was taken: {count:,} rows are wrong.",
        ),
        "crowd.pay_row": _("Row {number}: {what}"),
        "crowd.pay_row_no_line": _("This payment has no line “{line}”."),
        "crowd.pay_row_twice": _("Line {line} stands there twice."),
        "crowd.pay_row_payee": _("Line {line} is for {payee}, not for “{given}”."),
        "crowd.pay_row_currency": _("The payment is in {currency}, not in “{given}”."),
        "crowd.pay_row_settled": _("Line {line} ({payee}) is settled with {was}; the file says {given}."),
    }
)
