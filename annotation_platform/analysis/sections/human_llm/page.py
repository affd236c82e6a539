"""People and a language model: can it take a rater's place, and what does a score of several aspects add?"""

from collections.abc import Iterable

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.sections.human_llm.epsilon import EpsilonForm
from annotation_platform.analysis.sections.human_llm.figures import HUMAN_LLM, HumanLlm
from annotation_platform.analysis.sections.powered.figures import POWERED, Powered
from annotation_platform.analysis.tables.others import with_others

TABLES = (
    "llm-replacement",
    "llm-alternative",
    "llm-alternative-people",
    "llm-alignment",
    "llm-additional",
    "llm-confusion",
    "mate-correlations",
    "mate-systems",
    "mate-weights",
    "mate-bias",
    "preference",
)
POWERED_TABLES = ("powered", "powered-differences", "powered-scores", "powered-scores-differences")
PARTS = {
    "confusion": ("llm-confusion", "llm-alternative-people"),
    "powered": POWERED_TABLES,
    "instead": (*TABLES, *POWERED_TABLES),
}


@login_required
@require_safe
def human_llm(request: PageRequest, slug: str) -> HttpResponse:
    """All aspects side by side, and one of them label by label; the composite and its baselines where there is one.

    The address keeps the aspect and the ε of the alternative annotator test.
    """
    page = figure_page(request, slug, "human_llm")
    target = request.htmx.target if request.htmx else None
    form = EpsilonForm(request.GET)
    if page.aspect:
        asked, found = page.tables(*PARTS.get(target or "", (*TABLES, *POWERED_TABLES)), **form.parameters)
        figures = asked.section(HUMAN_LLM) if asked.has(HUMAN_LLM) else None
        powered = asked.section(POWERED) if asked.has(POWERED) else None
        page.context |= with_others(asked, found) | {
            "tables": {name.replace("-", "_"): table for name, table in found.items()},
            "form": form,
            "epsilon": form.parameters["epsilon"],
            "is_known": figures is not None,
            "judge": figures and figures.judge,
            "mate": figures and figures.mate,
            "baselines": figures and figures.baselines,
            "confused": _judged(figures, page.context["aspects"], asked.aspect),
            "powered": _offered(powered, page.context["aspects"], asked.aspect),
        }
    part = f"#{target}" if target in PARTS else ""
    status = 200 if form.is_valid() else 422
    return render(request, f"analysis/sections/human_llm.html{part}", page.context, status=status)


def _judged(figures: HumanLlm | None, aspects: Iterable[AspectHead], shown: str) -> list[AspectHead]:
    """The aspects that the model was asked about, and the one shown."""
    known = {*figures.aspects, shown} if figures else set()
    return [one for one in aspects if one.aspect in known]


def _offered(powered: Powered | None, aspects: Iterable[AspectHead], shown: str) -> list[AspectHead]:
    """The aspects of which people judged a part and a model all, and the one shown; none where there are none."""
    known = {*powered.judges, *powered.scores} if powered else set()
    return [one for one in aspects if one.aspect in known | {shown}] if known else []


TAB = Tab("human_llm", _("Human and LLM"), "agreement_human_llm", of_aspect=True)
urlpatterns = [path("agreement/human-llm/", human_llm, name="agreement_human_llm")]
