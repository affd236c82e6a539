"""What providers say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.secret_unreadable": _(
            "What was stored encrypted cannot be read any more, since the platform's keys have changed. Enter it again."
        ),
        "crowd.nobody_to_erase": _("Nothing is known of {member} that could be erased."),
        "crowd.pseudonym_differs": _("Send {member} to erase who that is. Nothing was erased."),
        "crowd.no_such_address": _("There is no study at this address. Copy the whole address from Prolific."),
        "crowd.arrival_incomplete": _(
            "This page is entered from Prolific, and the address lacks {missing}. Please go back to Prolific and open "
            "the study from there."
        ),
        "crowd.arrival_wrong": _(
            "{name} in the address is none that Prolific makes. Please open the study from Prolific; if this stays, "
            "return your submission there and write to the researcher."
        ),
        "crowd.arrival_unsigned": _(
            "This study is entered from Prolific only, and the address lacks Prolific's signature. Please open the "
            "study from there."
        ),
        "crowd.arrival_signature_wrong": _(
            "The signature in the address is not Prolific's, or was made for another study. Please open the study from "
            "Prolific; if this stays, return your submission there and write to the researcher."
        ),
        "crowd.arrival_expired": _("The address is too old. Please go back to Prolific and open the study again."),
        "crowd.arrival_unchecked": _(
            "Prolific cannot be asked at the moment whether the address is its own. Please try again in a minute."
        ),
        "crowd.arrival_closed": _(
            "This study takes nobody in at the moment. Please return your submission on Prolific."
        ),
        "crowd.arrival_of_other_study": _(
            "This address belongs to another study on Prolific. Please return your submission there."
        ),
        "crowd.submission_of_somebody_else": _(
            "Somebody else came by this submission. Please open the study from Prolific yourself."
        ),
        "crowd.prolific_not_connected": _("This study is not connected with Prolific. Connect it first."),
        "crowd.prolific_unreachable": _("Prolific cannot be reached. {words}"),
        "crowd.prolific_no_reply": _("Prolific was asked, and did not answer. {words}"),
        "crowd.prolific_other_reply": _("Prolific gave an answer that the platform cannot read: {words}"),
        "crowd.prolific_endless_list": _(
            "Prolific's list of submissions goes on after {pages:,} pages; what comes later was not looked at."
        ),
        "crowd.prolific_too_many": _("Prolific asks for fewer requests; the platform waits."),
        "crowd.prolific_refuses_token": _("Prolific does not accept the token ({status}). Enter a new one."),
        "crowd.prolific_refuses": _("Prolific refuses ({status}): {words}"),
        "crowd.prolific_broke": _("Something broke at Prolific ({status}): {words}"),
        "crowd.prolific_no_token": _("Enter the token of Prolific's API first; nothing can be ordered without it."),
        "crowd.call_worker_died": _(
            "The worker died while it waited for the answer, so nobody knows whether it was carried out."
        ),
        "crowd.bonus_misunderstood": _(
            "Prolific would take {understood} for bonuses of {meant} (in the currency's smallest unit), so nothing was "
            "paid."
        ),
        "crowd.rejection_category": _("“{category}” is none of Prolific's categories ({known})."),
        "crowd.rejection_length": _("The message has {length:,} characters; Prolific takes {least} to {most:,}."),
        "crowd.bonus_for_nobody": _("Name at least one submission that gets a bonus."),
        "crowd.bonus_submission": _("The submission of {submission} is named twice, or is of another study."),
        "crowd.bonus_amount": _("A bonus of {amount:,} cannot be; 1 to {most:,} of the currency's smallest unit can."),
        "crowd.submission_decided": _("This submission is approved or rejected already, or about to be."),
        "crowd.call_not_unclear": _("Somebody has settled this order already."),
        "crowd.call_not_refused": _("This order cannot be made again. Give a new one."),
        "crowd.order_payment_anew": _(
            "These bonuses are of a payment, whose lines are to be paid again. Order them anew on the payment's page."
        ),
        "crowd.bonus_since": _(
            "Another bonus for this submission was ordered since you opened the page. Look at the orders below; if you "
            "mean one more, press the button again."
        ),
        "crowd.settle_how": _("Say whether it was carried out or not."),
        "crowd.no_draft_there": _("There is no draft on Prolific that was made from here and could be published."),
        "crowd.published_already": _("This study is published already, or about to be."),
        "crowd.offer_text_wrong": _("People on Prolific read a name and a description; at most {most:,} characters."),
        "crowd.offer_number_wrong": _(
            "An offer has 1 to {places:,} places, pays up to {reward}, and takes 1 to {minutes} minutes."
        ),
        "crowd.no_such_order": _("There is no such order in this study."),
        "crowd.no_such_submission": _("There is no such submission in this study."),
        "crowd.code_missing": _("Enter the code for a finished submission; without it nobody can finish."),
        "crowd.codes_alike": _("Two endings have the same code, so Prolific could not tell them apart."),
        "crowd.external_study_wrong": _("“{study}” is no identifier of a study on Prolific."),
        "crowd.token_malformed": _("A token or secret has printable ASCII characters only, without blanks."),
        "crowd.participants_too_large": _(
            "The file has {size:.1f} MB; at most {most} MB are read here. Send it in several files, each of which "
            "begins with the first line."
        ),
        "crowd.results_too_large": _("The file has {size:.1f} MB; {most} MB at most are read here."),
        "crowd.results_not_csv": _("The file cannot be read as CSV in UTF-8: {why}"),
        "crowd.results_no_columns": _("The file lacks {missing}, which every file of results of the marketplace has."),
        "crowd.results_no_rows": _("No row can be taken over."),
        "crowd.results_wrong": ngettext_noop(
            "{count:,} row cannot be read, so nothing was stored.",
            "{count:,} rows cannot be read, so nothing was stored.",
        ),
        "crowd.results_row_cells": _("Line {line}: it has {cells} cells, and the header has {columns}."),
        "crowd.results_row_missing": _("Line {line}: {column} is empty."),
        "crowd.results_row_twice": _("Line {line}: assignment {assignment} stands in line {first} already."),
        "crowd.results_row_status": _("Line {line}: “{status}” is no state of an assignment."),
        "crowd.results_row_time": _("Line {line}: {column} “{value}” is no time."),
        "crowd.results_row_seconds": _("Line {line}: WorkTimeInSeconds “{value}” is no number of seconds."),
        "crowd.results_columns_stay": _("Columns that nothing is done with: {columns}."),
        "crowd.results_rejected_stay": ngettext_noop(
            "The judgments of {count:,} rejected assignment; its times and its reason are kept.",
            "The judgments of {count:,} rejected assignments; their times and reasons are kept.",
        ),
        "crowd.results_undated": ngettext_noop(
            "When {count:,} assignment was submitted, which the file does not say.",
            "When {count:,} assignments were submitted, which the file does not say.",
        ),
        "crowd.no_results_file": _("There is no such file of yours."),
        "crowd.results_row_answers": _("Line {line}: the answers in {column} are no JSON."),
        "crowd.no_participants_file": _(
            "There is no such file of participants in this study; it waits for a day, and is then forgotten."
        ),
        "crowd.participants_not_csv": _("The file cannot be read as CSV, line {line}: {why}"),
        "crowd.participants_no_columns": _(
            "The file lacks {missing}, which Prolific's export of a study's participants has."
        ),
        "crowd.participants_column_twice": _("The file has columns twice: {columns}."),
        "crowd.participants_no_rows": _("No row can be read."),
        "crowd.participants_column_name": _("Column “{column}…”: a name has at most {most} characters."),
        "crowd.participants_column_many": _("Column “{column}”: at most {most} columns about people are read."),
        "crowd.participants_row_cells": _("Line {line}: it has {cells} cells, and the header has {columns}."),
        "crowd.participants_row_identifier": _("Line {line}: {column} is none that Prolific makes."),
        "crowd.participants_row_status": _("Line {line}: Status “{status}” is no state of a submission."),
        "crowd.participants_row_twice": _("Line {line}: its submission stands in line {first} already."),
        "crowd.participants_cell": _("Line {line}, column “{column}”: at most {most} characters can be kept."),
        "crowd.participants_cell_identifies": _(
            "Line {line}, column “{column}”: it has an identifier of Prolific's, which is not kept."
        ),
        "crowd.participants_stored": _("This file was stored already, and its text is gone. Send it again."),
        "crowd.participants_no_such_column": _("The file has no columns about people with these names: {columns}."),
        "crowd.participants_not_agreed": _(
            "Say that participants agreed to these columns being kept, or keep none of them."
        ),
        "crowd.participants_nobody": _("No row is of somebody who came here. Is it the file of another study?"),
        "crowd.there_not_here": _("Nobody came here as this participant."),
        "crowd.there_other_visit": _("They came here, but by none of this submission."),
        "crowd.there_other_person": _("{name} came here by this submission, who is somebody else."),
        "crowd.there_judged_but": ngettext_noop(
            "{count:,} task was submitted here, but there it ended without approval.",
            "{count:,} tasks were submitted here, but there it ended without approval.",
        ),
        "crowd.there_nothing_done": _("Nothing was submitted here."),
        "crowd.there_too_few": _("{done} of {wanted} tasks were submitted here."),
        "crowd.there_no_code": _("No code was entered."),
        "crowd.there_unknown_code": _("The code that was entered is none of the study's."),
        "crowd.there_other_code": _("The code that was entered is for another ending than it had here."),
        "crowd.there_state_differs": _("It stands otherwise here."),
        "crowd.there_withdrawn": _("They have withdrawn, so nothing of them is kept."),
    }
)
