"""What is said of figures: their units, why they are not there, and what the guard says of a rescaling."""

from annotation_platform.core.reasons import add_sentences, ngettext_noop
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "statistics.article": _("article"),
        "statistics.question": _("question"),
        "statistics.item": _("item"),
        "statistics.unit": _("group"),
        "statistics.articles": _("articles"),
        "statistics.questions": _("questions"),
        "statistics.items": _("items"),
        "statistics.units": _("items (or questions, or articles)"),
        "statistics.too_few_units": _(
            "It rests on too few {units} for an interval: {count:,}; from {least:,} on there is one."
        ),
        "statistics.too_few_articles": _(
            "It rests on too few articles for an interval: {count:,}; from {least:,} on there is one. With "
            "{fewest:,} articles or more in a study its intervals speak for other articles, with fewer for other "
            "questions about the same articles."
        ),
        "statistics.too_skewed": _(
            "Most judgments are alike, so that it rests on the few that are not. For an interval it takes {least:,} "
            "{units} with judgments as uneven as these; it rests on {count:,}."
        ),
        "statistics.pairs_share_too_few": _(
            "Pairs of annotators share {shared} {units} on average, too few for an interval; from {least:,} on there "
            "is one."
        ),
        "statistics.too_few_of_a_verdict": _(
            "An interval takes right answers in {least:,} {units} and wrong ones in as many; they are in {right:,} and "
            "{wrong:,}."
        ),
        "statistics.competence_of_few": _(
            "It rests on {count:,} judgments of items that {others} others judged on average; an interval takes "
            "{least:,} of such judgments, since with fewer the most reliable annotators come out too low."
        ),
        "statistics.competence_of_too_few_others": _(
            "It rests on items that {others} others judged on average; an interval takes more than one other, since "
            "else the most reliable annotators come out too low."
        ),
        "statistics.undefined_in_resamples": _(
            "The statistic was undefined in {undefined:,} of {resamples:,} resamples."
        ),
        "statistics.no_item_with_so_many": _("No item has exactly {ratings} ratings."),
        "statistics.no_item_with_so_many_and_model": _(
            "The language model has judged no item with exactly {ratings} judgments on this aspect."
        ),
        "statistics.all_of_these_alike": _("All ratings of the items with {ratings} ratings have the same value."),
        "statistics.no_defined_pair": _("No pair of raters has a defined {symbol}."),
        "statistics.no_defined_pair_value": _("No pair of raters has a defined value."),
        "statistics.pair_shares_nothing": _("Raters {first} and {second} share no item."),
        "statistics.pair_shares_nothing_left": _(
            "Raters {first} and {second} share no item that is left after leaving out where both chose the best label."
        ),
        "statistics.pair_shares_one": _("Raters {first} and {second} share a single judgment of one item."),
        "statistics.pair_shares_one_left": _(
            "Raters {first} and {second} share a single judgment of one item that is left after leaving out where both "
            "chose the best label."
        ),
        "statistics.pair_shares_one_only": _("Raters {first} and {second} share one judgment only."),
        "statistics.pair_differs_by_rounding": _(
            "What raters {first} and {second} gave differs by no more than rounding ({rows} joined rows)."
        ),
        "statistics.rater_constant": _(
            "Rater {name} gave one and the same value to everything shared ({rows} joined rows)."
        ),
        "statistics.rater_constant_left": _(
            "Rater {name} gave one and the same value to everything shared that is left after leaving out where both "
            "chose the best label ({rows} joined rows)."
        ),
        "statistics.raters_constant": _(
            "Each of raters {first} and {second} gave one and the same value to everything shared ({rows} joined rows)."
        ),
        "statistics.raters_constant_left": _(
            "Each of raters {first} and {second} gave one and the same value to everything shared that is left after "
            "leaving out where both chose the best label ({rows} joined rows)."
        ),
        "statistics.judged_by_few": ngettext_noop(
            "All judgments are by one annotator; who is right where people differ can be told of three or more.",
            "All judgments are by two annotators; who is right where people differ can be told of three or more.",
        ),
        "statistics.too_many_labels": _(
            "There are {labels} different labels; what people make of each is estimated for {most} at most."
        ),
        "statistics.parts_apart": _(
            "The comparisons fall into {parts} parts that nothing connects, so that there is no common scale."
        ),
        "statistics.too_few_shared_words": _(
            "Too few explanations share words: it takes {texts} different ones, and {words} such words."
        ),
        "statistics.nobody_to_test": _(
            "The test needs {people} people with {items} items each that others judged, too, and the model; nobody has."
        ),
        "statistics.too_few_to_test": ngettext_noop(
            "The test needs {people} people with {items} items each that others judged, too, and the model; only one "
            "has.",
            "The test needs {people} people with {items} items each that others judged, too, and the model; only "
            "{count} have.",
        ),
        "statistics.too_few_items_to_test": ngettext_noop(
            "Not tested: it takes {items} items, and there is {count}.",
            "Not tested: it takes {items} items, and there are {count}.",
        ),
        "statistics.one_group_to_test": _(
            "Not tested: all these items are about one article or question, so that nothing says how others would "
            "differ."
        ),
        "statistics.no_item_by_all": _("No item was judged by all {raters} raters."),
        "statistics.one_item_by_all": _("A single item was judged by all {raters} raters."),
        "rescaling.guard_silent": _("Nothing can be said of this rescaling: {why}"),
        "rescaling.guard_content": _(
            "No objection: it leaves {spread} of the variance of an annotator's values ({nuance} of it tells judgments "
            "with one label apart) and turns {reversed} of an annotator's own ordered pairs round."
        ),
        "rescaling.guard_compresses": _(
            "It merely compresses the values: it leaves {spread} of the variance of an annotator's values, and only "
            "{nuance} of that tells judgments with one label apart."
        ),
        "rescaling.guard_reverses": _(
            "It reverses annotators too often: it turns {reversed} of an annotator's own ordered pairs round, more "
            "than {most}."
        ),
        "rescaling.guard_turns_one": _("It turns more than {most} of the own order of annotator {name} round."),
        "rescaling.guard_turns_some": _(
            "It turns more than {most} of the own order of annotators {names} and {last} round."
        ),
        "rescaling.guard_turns_many": _(
            "It turns more than {most} of the own order of annotators {names} and {more:,} more round."
        ),
        "rescaling.guard_both": _("{first} {second}"),
        "statistics.too_few_raters": _(
            "Too few annotators to say anything about others: {count:,}; it takes {least:,} or more."
        ),
        "statistics.rough": _(
            "Rough intervals, from fewer than {few} {units}, which may miss the true value more often than they say"
        ),
        "statistics.for_other_raters_as_well": _("Intervals speak for other {units} and other annotators."),
        "statistics.for_other_units": _("Intervals speak for other {units}, judged by the same annotators."),
        "statistics.for_other_raters": _(
            "Intervals speak for other {units} and other annotators (pigeonhole bootstrap; rather too wide than too "
            "narrow)."
        ),
        "statistics.single_unit": _("It rests on a single {unit}; an interval needs at least two."),
    }
)
