"""What the errors of this app say."""

from annotation_platform.core.reasons import add_sentences
from annotation_platform.core.reasons import gettext_noop as _

add_sentences(
    {
        "analysis.no_figures_to_bundle": _("There are no figures yet. They are computed when a batch has closed."),
        "analysis.price_unknown": _("The price of {unknown:,} of {replies:,} replies is not known."),
        "analysis.no_chart": _("There is no such chart."),
        "analysis.no_snapshot": _("This study has no such snapshot."),
        "analysis.no_aspect": _("This study has no figures on such an aspect."),
        "analysis.no_item": _("This study has no such item."),
        "analysis.no_pair": _("There is no such pair of annotators in these figures."),
        "analysis.no_judgments_by": _("No annotator of that name has judged this."),
        "analysis.no_setting": _("There is no setting “{setting}”; there are: {settings}."),
        "analysis.no_epsilon": _(
            "“{typed}” is no ε. Write a number from 0 to below 1, with at most four digits after the point, such as "
            "0.05."
        ),
        "analysis.no_part_of_items": _("There is no such part of the items."),
        "analysis.no_run": _("There is no such run among those compared."),
        "analysis.no_part_of_corpus": _("There is no such part of the corpus in these figures."),
        "analysis.choose_two_runs": _("Choose two different ones of the runs compared."),
        "analysis.no_annotator": _("There is no annotator “{name}” in this study."),
        "analysis.figures_too_old": _(
            "These figures are of before annotators were measured one by one. Compute them again."
        ),
        "analysis.no_figures": _("This study has no figures yet."),
        "analysis.no_such_annotator": _("There is no such annotator in this study."),
    }
)
