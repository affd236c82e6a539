"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "scoring.connection_name_taken": _("The name “{name}” is taken by a study's own connection. Choose another."),
        "scoring.no_uncertainty": _(
            "No finished run says how uncertain it is. Have answer equivalence judge the answers, or a language model "
            "that is asked several times about each item, or two different ones; then tasks can be chosen by it."
        ),
        "scoring.run_without_uncertainty": _("Run {run} does not say how uncertain it is. Choose another one."),
        "scoring.never_uncertain": _(
            "Run {run} is as certain of each task that is left as of all others, so it cannot choose among them."
        ),
        "scoring.nothing_to_pay": _("No model is asked in such a run, so there is nothing to pay and nothing to try."),
        "scoring.nothing_to_ask": _("Nothing would be asked about the items tried: they have nothing to be read."),
        "scoring.budget_needs_max_tokens": _("A budget needs a limit on the tokens of one reply (max_tokens)."),
        "scoring.budget_needs_prices": _("A budget needs the model's prices, for tokens in and out."),
        "scoring.study_budget_needs_max_tokens": _(
            "The study has a budget, which this run cannot keep without a limit on the tokens of one reply "
            "(max_tokens). Start a run with one, or empty the study's budget and go on."
        ),
        "scoring.study_budget_needs_prices": _(
            "The study has a budget, which this run cannot keep without the model's prices, for tokens in and out. "
            "Start a run with prices, or empty the study's budget and go on."
        ),
        "scoring.runs_cannot_keep_budget": ngettext_noop(
            "Run {runs} is at work without the model's prices or a longest reply, so it cannot keep the study's budget:"
            " it asks nothing more and ends as failed; what came is kept.",
            "Runs {runs} are at work without the model's prices or a longest reply, so they cannot keep the study's "
            "budget: they ask nothing more and end as failed; what came is kept.",
        ),
        "scoring.connection_gone": _("The connection “{connection}” is gone. Start a new run with another."),
        "scoring.connection_moved": _(
            "The connection “{connection}” has another address since this run was started. Start a new run."
        ),
        "scoring.connection_of_other_study": _("The connection “{connection}” belongs to another study."),
        "scoring.connection_not_askable": _("The connection “{connection}” cannot be asked. {why}"),
        "scoring.key_unreadable": _(
            "The key of the connection “{connection}” was stored under another SECRET_KEY. Enter it again."
        ),
        "scoring.key_variable_unset": _(
            "The connection “{connection}” takes its key from {variable}, which is not set."
        ),
        "scoring.key_malformed": _("The key holds a space or a character that no key has. Copy it once more."),
        "scoring.no_method": _("There is no method “{method}”. Choose one of: {methods}."),
        "scoring.no_batches_to_score": _("“{study}” has no batches yet. Plan them first; then it can be scored."),
        "scoring.option_no_choice": _("{label}: “{text}” is not among the choices."),
        "scoring.no_prompt": _("No model is asked in such a run, so there is no prompt to show and nothing to pay."),
        "scoring.no_reply_with_score": _(
            "No score could be read from any of the language model's replies, so there is nothing to learn from. "
            "One of them is “{example}”."
        ),
        "scoring.no_prompt_variant": _("There is no prompt variant “{variant}”. Choose one of: {known}."),
        "scoring.no_labels_to_ask_for": _(
            "The study's scheme has no aspect with labels, so there is nothing to ask a model for."
        ),
        "scoring.no_items_to_ask_about": _("“{study}” has no batches yet, so there are no items to ask about."),
        "scoring.no_composite": _(
            "The study's scheme names no composite, so there is no score to make of its aspects."
        ),
        "scoring.no_system": _("The corpus has no system “{system}”."),
        "scoring.no_study_of_weights": _("There is no study “{study}” to take the weights of."),
        "scoring.no_language_model": _("There is no language model “{name}” here. Installed: {installed}."),
        "scoring.weights_not_fitted": _(
            "“{title}” cannot be fitted on the {count:,} closed judgments of “{study}”: {why} Close more "
            "batches, or take the weights of another study."
        ),
        "scoring.overall_without_best_end": _(
            "The overall aspect of a composite needs a scale of which one end is better."
        ),
        "scoring.other_overall_scale": _(
            "Answers as a whole are rated from {theirs} in “{study}” and from {ours} here, so its weights do not fit. "
            "Take them from a study with the same scale."
        ),
        "scoring.no_such_composite": _("The scheme of “{study}” has no composite of {parts} that predicts {predicts}."),
        "scoring.no_own_rescaler": _("“{study}” has no rescaler of its own yet. Train one first."),
        "scoring.no_rescaler": _("“{study}” has no rescaler {wanted}. Rescalers: {known}."),
        "scoring.rescaler_gone": _("The study's rescaler of “{aspect}” ({digest}…) is gone. Train it again."),
        "scoring.nothing_to_rescale": _("The scheme of “{study}” rescales nothing, so there is nothing to score."),
        "scoring.no_batch_closed": _("No batch of “{study}” is closed yet. Close one first; then it can be scored."),
        "scoring.no_score_read": _(
            "None of {count:,} explained judgments got a score from 0 to 100 ({why}), so there is nothing to "
            "rescale by. All that came is kept; try another model or prompt."
        ),
        "scoring.weights_changed": _("“{name}” has other weights now than when the run was started."),
        "scoring.address_not_usable": _("The model server's address cannot be used. {why}"),
        "scoring.no_model_chosen": _(
            "No language model is chosen. Choose a model connection, or have the server's OPENAI_MODEL name one."
        ),
        "scoring.no_api_key": _(
            "OPENAI_API_KEY is not set, and api.openai.com needs a key. Set it, or set OPENAI_BASE_URL to your "
            "own model server."
        ),
        "scoring.no_recorded_replies": _(
            "“{study}” has no recorded replies: they come with data that are imported with a language model's replies. "
            "Choose another scorer."
        ),
        "scoring.no_such_connection": _("There is no connection “{name}”. Connections: {known}."),
        "scoring.connection_and_address": _(
            "Give a connection or a server's address, not both: the connection has an address."
        ),
        "scoring.connection_without_schemas": _(
            "The connection “{name}” is set never to ask for structured output. Choose free text, or change it."
        ),
        "scoring.parameter_unknown": _("There is no such parameter. There are: {known}."),
        "scoring.parameters_wrong": _("The run's parameters are not right. {mistakes}."),
        "scoring.sample_wrong": _("The sample is a share above 0 and at most 1, not {sample:g}."),
        "scoring.too_few_to_learn_from": _(
            "Run {run} has {count} judgments of “{aspect}” with an explanation and a language model's score; at "
            "least {fewest} are needed to learn from."
        ),
        "scoring.scores_of_earlier_scheme": _(
            "The scores of run {run} are of judgments as they were before the scheme migrated. Score the study again "
            "first; what is asked alike is not paid for again."
        ),
        "scoring.no_run_to_learn_from": _(
            "“{study}” has no finished run in which a language model scored judgments. Start one first; a share "
            "of the judgments is enough."
        ),
        "scoring.no_rescaling_run": _("“{study}” has no rescaling run {run}."),
        "scoring.run_not_finished": _("Run {run} is not finished."),
        "scoring.run_asked_no_model": _("Run {run} asked no language model, so there is nothing to learn from it."),
        "scoring.no_run": _("This study has no scoring run {run}."),
        "scoring.no_scorer": _("{label}: there is no scorer “{scorer}” for it. Choose one of: {known}."),
        "scoring.no_readable_study": _(
            "There is no study “{slug}” whose judgments you may read. You need to be its researcher or admin."
        ),
        "scoring.run_not_usable": _("Only a finished run can be used for the study's figures."),
        "scoring.run_outdated": _(
            "The labels of this run count no more: the scheme has migrated since, and one of their keys names "
            "something else now, or counts otherwise. Start a new run; what is asked alike is not paid for again."
        ),
        "scoring.nothing_to_pause": _("This run is not under way, so there is nothing to pause."),
        "scoring.nothing_to_stop": _("This run has ended, so there is nothing to stop."),
        "scoring.run_could_not_start": _("This run could not be started. Start a new one."),
        "scoring.nothing_to_resume": _("This run is neither paused nor failed, so there is nothing to resume."),
        "scoring.budget_unread": _("Budget: “{text}” is not an amount of dollars, such as 5 or 0.50."),
        "scoring.budget_out_of_range": _(
            "Budget: {text} dollars cannot be spent. Give an amount from {least} to {most:,}, or none at all."
        ),
        "scoring.reply_decided_otherwise": _(
            "Somebody has decided on this reply in the meantime, its run is at work again, or another run counts now."
        ),
        "scoring.choose_label": _("Choose one of the labels, or say that the reply gives none."),
        "scoring.reply_decided": _("Somebody has decided on this reply in the meantime."),
        "scoring.may_not_change_connection": _(
            "This connection is changed by who made it, or by an admin of the study."
        ),
        "scoring.may_not_manage_connections": _("The platform's model connections are managed by its staff."),
        "scoring.no_connection": _("There is no such connection."),
        "scoring.no_item": _("There is no item “{typed}”. Give a number from 1 to {count:,}."),
        "scoring.no_passage": _("This study has no such passage."),
        "scoring.runs_not_comparable": _("Only two runs of the same method can be compared."),
        "scoring.server_refuses_key": _(
            "The model server {server} does not accept the key in {key} (model “{model}”, status {status}: {words})."
        ),
        "scoring.server_forbids_model": _(
            "The model server {server} does not let this key use the model (model “{model}”, status {status}: {words})."
        ),
        "scoring.server_without_model": _(
            "The model server {server} does not know the model (or the address is wrong) (model “{model}”, "
            "status {status}: {words})."
        ),
        "scoring.server_redirects": _(
            "The model server {server} sends requests on to another address; connect that address instead (model "
            "“{model}”, status {status}: {words})."
        ),
        "scoring.server_refuses": _(
            "The model server {server} refuses the request (model “{model}”, status {status}: {words})."
        ),
        "scoring.server_not_askable": _("The model server {server} cannot be asked: {why}."),
        "scoring.server_without_batches": _(
            "The model server {server} has no Batch API: {why}. Start a new run that sends requests one by one."
        ),
        "scoring.server_silent": _("did not answer within {seconds:.3g} seconds"),
        "scoring.server_unfinished": _(
            "began to answer (with {bytes:,} bytes), but was not at its end after {seconds:.3g} seconds"
        ),
        "scoring.server_not_reached_in_time": _("cannot be reached within {seconds:g} seconds"),
        "scoring.server_not_reached": _("cannot be reached: {why}"),
        "scoring.server_unwell": _("answered with status {status}: {words}"),
        "scoring.server_cut_off": _("ended the connection in the middle of its answer: {why}"),
        "scoring.server_hung_up": _("ended the connection without an answer: {why}"),
        "scoring.server_broke_off": _("met an error in the middle of its reply"),
        "scoring.server_speaks_otherwise": _("answered with something that is no chat completion"),
        "scoring.server_sends_an_error": _("answered with an error instead of a chat completion: {words}"),
        "scoring.server_sends_a_page": _(
            "answered with a web page instead of a chat completion (is its address the whole one, with /v1 at the end?)"
        ),
        "scoring.server_without_answer": _("gave no answer: {words}"),
        "scoring.server_speaks_no_batches": _("answered with something that no Batch API says"),
        "scoring.server_lost_batch": _(
            "The model server {server} does not know this run's batch, or a file of it, any more (status {status}: "
            "{why}). If the key in {key} was changed, give it the one that the batch was sent with, and go on: what "
            "was answered is collected then. If the batch is gone, go on as well: what it has not brought is sent "
            "anew, and may be paid for a second time."
        ),
        "scoring.batch_expired": _("left it without an answer until the time of its batch was over"),
        "scoring.batch_cancelled": _(
            "The batch {batch} was cancelled at the model server {server}. What it had answered by then is stored; go "
            "on to have the other {count:,} requests sent in a new batch."
        ),
        "scoring.server_file_unread": _("sent a file that is no JSON lines"),
        "scoring.server_forgot": _("left it without an answer"),
        "scoring.server_unavailable": _("The model server {server} {why}."),
        "scoring.server_rests": _(
            "The model server {server} {why}. It asks to be left alone until {until} (UTC). Go on then; everything so "
            "far is kept."
        ),
        "scoring.server_given_up": _("The model server {server} {why} (asked {times})."),
        "scoring.requests_given_up": _("{first} {count:,} such requests have no reply."),
        "scoring.batch_given_up": _(
            "The model server {server} {why} (one of {count:,} requests, sent in {attempts} batches)."
        ),
        "scoring.batch_refused": _("The model server {server} refuses the batch: {words}."),
        "scoring.token_limit_reached": _("The run's limit of {most:,} tokens is reached. Everything so far is kept."),
        "scoring.budget_reached": _(
            "Budget reached: {whose} has ${left:.4f} left, and the next request may cost up to ${next:.4f}. "
            "Everything so far is kept; raise the budget and go on."
        ),
        "scoring.budget_of_nobody": _("nobody"),
        "scoring.budget_of_run": _("the run's budget of ${budget}"),
        "scoring.budget_of_study": _("the study's budget of ${budget}"),
        "scoring.option_no_whole_number": _("{label}: “{text}” is not a whole number."),
        "scoring.option_no_number": _("{label}: “{text}” is not a number."),
        "scoring.parts_not_shown": _("{method} needs {about}; in “{study}”, the items have no {missing}."),
        "scoring.answers": _("answers"),
        "scoring.reference_answers": _("reference answers"),
        "scoring.rationales": _("rationales"),
        "scoring.method_equivalence": _("Answer equivalence"),
        "scoring.method_rev": _("REV"),
        "scoring.scored_already": _("“{study}” is being scored already. Wait until that run is finished."),
        "scoring.scored_already_so_far": _(
            "“{study}” is being scored already ({done:,} of {total:,} steps, {scorer}). Wait until that run is "
            "finished."
        ),
        "scoring.scored_already_without_worker": _(
            "“{study}” is being scored already ({done:,} of {total:,} steps, {scorer}). No worker is at it right "
            "now: the next one that is free takes it up, or, on the server, manage.py score_study with --resume."
        ),
        "scoring.scored_already_at_other_cost": _(
            "“{study}” is being scored already with these settings: {kind}, {budget}. Wait until that run is finished, "
            "or stop it and start anew; what came so far is kept and not asked for again."
        ),
        "scoring.scheme_migrated_meanwhile": _(
            "The study's scheme was given another version while this run was under way. Go on with it: it scores the "
            "judgments under that version then, and what is asked alike is not paid for again."
        ),
        "scoring.dry_run": _("a dry run"),
        "scoring.whole_run": _("a whole run"),
        "scoring.with_budget": _("with a budget of ${budget}"),
        "scoring.without_budget": _("without a budget"),
        "scoring.replies_in_stopped_run": _(
            "Replies that are needed here were asked for in a batch of scoring run {run}, which has stopped. Go "
            "on with that run first, then with this one: so nothing is paid for twice."
        ),
        "scoring.dry_run_done": _(
            "The dry run asked about {tried:,} of {items:,} items. All of them will take about {bill}. Go on to "
            "start; the replies so far are kept."
        ),
        "scoring.bill": _("{parts}"),
        "scoring.bill_dollars": _("${expected:.4f}"),
        "scoring.bill_dollars_between": _("${expected:.4f} (between ${low:.4f} and ${high:.4f})"),
        "scoring.bill_without_price": _("price not known"),
        "scoring.bill_tokens": _("{expected:,} tokens"),
        "scoring.bill_tokens_between": _("{expected:,} tokens (between {low:,} and {high:,})"),
        "scoring.bill_without_tokens": _("the server counts no tokens"),
        "scoring.bill_requests": _("{requests:,} requests"),
        "scoring.above_most": _("{given} is not at most {limit}"),
        "scoring.not_below": _("{given} is not less than {limit}"),
        "scoring.below_least": _("{given} is not at least {limit}"),
        "scoring.not_above": _("{given} is not more than {limit}"),
    }
)
