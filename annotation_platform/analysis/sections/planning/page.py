"""The page that plans another study from this one."""

import re
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import FigurePage, figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.sections.planning import tables
from annotation_platform.analysis.sections.planning.figures import PILOT
from annotation_platform.core.schemes import Scheme
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import task_time

NAMES = ("plan", "plan-curve", "plan-variances")
_AMOUNT = re.compile(
    r"(?P<before>[€$£¥]|\b[A-Z]{3}\b)?\s?(?<![\d.,])"
    r"(?P<sum>[1-9]\d{0,2}(?P<between>[.,\u00a0\u202f])\d{3}(?:(?P=between)\d{3})*(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?)"
    r"(?![.,]?\d)\s?(?P<after>[€$£¥円]|\b[A-Z]{3}\b)?"
)
_BY_TIME = re.compile(r"hour|\bh\b|minute|時", re.IGNORECASE)


@login_required
@require_safe
def planning(request: PageRequest, slug: str) -> HttpResponse:
    """The form, and what the design finds and costs; the address keeps what was asked."""
    page = figure_page(request, slug, "planning")
    if page.aspect:
        _plan(page)
    has_mistakes = "form" in page.context and not page.context["form"].is_valid()
    return render(request, "analysis/sections/planning.html", page.context, status=422 if has_mistakes else 200)


def _plan(page: FigurePage) -> None:
    start = {key: str(value) for key, value in _of_study(page.study).items() if value is not None}
    sent = {name: page.request.GET[name] for name in tables.ASKED if name in page.request.GET}
    asked, made = page.tables(*NAMES, **(start | sent))
    if not asked.has(PILOT):
        return
    found = tables.variances_of(asked)
    page.context |= {"is_known": True, "undefined_because": found.undefined_because}
    if found.undefined_because:
        return
    form = tables.form_of(asked)
    page.context |= {
        "form": form,
        "tables": {name.replace("-", "_"): table for name, table in made.items()},
        "is_rescaled": tables.pilot_of(asked).rescaled is not None,
    }
    if form.is_valid():
        page.context |= {
            "design": form.design,
            "per_task": form.cleaned_data["per_task"],
            "comes_otherwise": tables.comes_otherwise(form.design),
        }


def _of_study(study: Study) -> dict[str, Any]:
    """A design like the study's own, with its pay and the time of its tasks."""
    counts = study.corpus.articles.aggregate(
        articles=Count("pk", distinct=True), questions=Count("questions", distinct=True)
    )
    pay, currency = pay_of(study.pay)
    articles, questions = counts["articles"], counts["questions"]
    return {
        "articles": max(articles, 2),
        "questions": max(1, round(questions / max(articles, 1))),
        "annotators": study.overlap,
        "per_task": study.questions_per_hit,
        "pay": pay,
        "currency": currency or None,
        "minutes": task_time(study).minutes,
    }


def pay_of(text: str) -> tuple[float | None, str]:
    """The amount and currency in what annotators are told, such as “€2.50 a task”; none where it goes by time.

    An amount with its currency comes before other numbers: “300円 for 1 task”. Three digits behind a point or a comma
    are thousands, unless a 0 stands before: “1.500 EUR”, “0.125 EUR”.
    """
    found = list(_AMOUNT.finditer(text))
    if not found or _BY_TIME.search(text):
        return None, ""
    told = next((each for each in found if each["before"] or each["after"]), found[0])
    amount = told["sum"].replace(told["between"], "") if told["between"] else told["sum"]
    return float(amount.replace(",", ".")), told["before"] or told["after"] or ""


def _compares_systems(scheme: Scheme) -> bool:
    return bool(scheme.labelled_aspects)


TAB = Tab("planning", _("Plan"), "agreement_planning", of_aspect=True, is_for=_compares_systems)
urlpatterns = [path("agreement/plan/", planning, name="agreement_planning")]
