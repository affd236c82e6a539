"""A plan from stated variances, before there is any study; the dashboard plans from a study's own."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.charts.page import chart_or_table
from annotation_platform.analysis.sections.planning import tables
from annotation_platform.analysis.sections.planning.forms import StatedForm
from annotation_platform.analysis.sections.planning.plan import Basis, Plan
from annotation_platform.analysis.tables.base import FigureTable
from annotation_platform.core.errors import NotThereError

START = {
    "articles": 20,
    "questions": 5,
    "annotators": 3,
    "systems": 2,
    "way": "apart",
    "per_task": 5,
    "length": 100,
}


@login_required
@require_safe
def plan(request: PageRequest) -> HttpResponse:
    """The form, and what the design finds and costs; the address keeps what was asked."""
    form = _form(request)
    user = request.user
    context = {"form": form, "may_make_studies": isinstance(user, User) and user.may_create_studies}
    if form.is_valid():
        made = _plan(form)
        query = "?" + request.GET.urlencode() if request.GET else ""
        context |= {
            "figures": list(_tables(form, made, query).values()),
            "design": made.design,
            "per_task": made.design.per_task,
        }
    return render(request, "workspace/plan.html", context, status=200 if form.is_valid() else 422)


@login_required
@require_safe
def plan_file(request: PageRequest, name: str, kind: str) -> HttpResponse:
    """A chart of the plan as its specification (``json``) or a picture, or one of its tables (``csv``).

    Raises
    ------
    NotThereError
        When there is no such chart or table, or the address asks for what cannot be planned.
    """
    form = _form(request)
    table = _tables(form, _plan(form), "").get(name) if form.is_valid() else None
    if table is None or (kind != "csv" and name not in table.charts):
        raise NotThereError("analysis.no_chart")
    return chart_or_table(request, table, name, kind)


def _form(request: PageRequest) -> StatedForm:
    sent = {name: request.GET[name] for name in StatedForm.base_fields if name in request.GET}
    return StatedForm(sent, START)


def _plan(form: StatedForm) -> Plan:
    return tables.plan_from(form, Basis(form.components))


def _tables(form: StatedForm, made: Plan, query: str) -> dict[str, FigureTable]:
    kind = "score" if form.cleaned_data["length"] > 10 else "value"
    found = [
        tables.designs(made, kind, query=query),
        tables.curve(made, kind, query=query),
        tables.components_table(made.basis.components, kind, query=query),
    ]
    return {table.name: table for table in found}
