"""What the signs say: what was counted, by which rule, and of each case."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "crowd.sign_haste": _(
            "Over {items} items that others judged too, half of the judgments took at most {typical:.0%} of the "
            "others' median time for the same item. The rule: below {below:.0%}, from {least} items on."
        ),
        "crowd.case_haste": _("{seconds:.0f} s; others {others:.0f} s"),
        "crowd.sign_one_label": _(
            "“{aspect}”: the same label in all of {cases} cases that others labelled too; in {against} of them, more "
            "of the others gave another one. Were each case labelled as the others label it, that would come about "
            "with a probability of {probability:.1g} (with e equal labels of m others counted as (e + 1) / (m + 2)). "
            "The rule: below {below}, from {least} cases on, {share:.0%} of them against the others."
        ),
        "crowd.sign_copied": ngettext_noop(
            "{count} explanation of {least} characters or more is at least {percent}% the same as another person's of "
            "the same item. Who copied from whom, or whether both took it from the text, is not said by that.",
            "{count} explanations of {least} characters or more are at least {percent}% the same as another person's "
            "of the same item. Who copied from whom, or whether both took it from the text, is not said by that.",
        ),
        "crowd.case_copied": _("{percent:.0f}% the same"),
        "crowd.sign_repeated": _("The same explanation stands under {items} items. The rule: {least} items or more."),
        "crowd.sign_from_text": ngettext_noop(
            "{count} explanation of {least} characters or more stands word for word in the question, an answer or the "
            "document; a quotation may be just what is needed.",
            "{count} explanations of {least} characters or more stand word for word in the question, an answer or the "
            "document; a quotation may be just what is needed.",
        ),
        "crowd.case_from_text": _("stands in the text word for word"),
        "crowd.sign_pasted": ngettext_noop(
            "{count} explanation with a paste of {least} characters or more, at least {share:.0%} of the length "
            "submitted. It may be their own text from another place.",
            "{count} explanations with a paste of {least} characters or more, at least {share:.0%} of the length "
            "submitted. It may be their own text from another place.",
        ),
        "crowd.case_pasted": _("{pasted} characters pasted, {submitted} submitted"),
    }
)
