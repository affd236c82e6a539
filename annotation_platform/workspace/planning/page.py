"""A plan from stated variances, before there is any study; the dashboard plans from a study's own."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe

from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.charts.page import chart_or_table
from annotation_platform.analysis.sections.planning.tables import comes_otherwise, stated_form, stated_tables
from annotation_platform.core.errors import NotThereError


@login_required
@require_safe
def plan(request: PageRequest) -> HttpResponse:
    """The form, and what the design finds and costs; the address keeps what was asked."""
    form = stated_form(request.GET.dict())
    user = request.user
    context = {"form": form, "may_make_studies": isinstance(user, User) and user.may_create_studies}
    if form.is_valid():
        query = "?" + request.GET.urlencode() if request.GET else ""
        context |= {
            "figures": list(stated_tables(form, query=query).values()),
            "design": form.design,
            "per_task": form.design.per_task,
            "comes_otherwise": comes_otherwise(form.design),
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
    form = stated_form(request.GET.dict())
    with override(settings.LANGUAGE_CODE):  # a file is the same whoever loads it
        table = stated_tables(form, query="").get(name) if form.is_valid() else None
    if table is None or (kind != "csv" and name not in table.charts):
        raise NotThereError("analysis.no_chart")
    return chart_or_table(request.GET, table, name, kind)
