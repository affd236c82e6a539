"""A plan from stated variances, before there is any study; and using the plan that the dashboard makes of a study's."""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import lines_in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.charts.page import chart_or_table
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.analysis.sections.planning.tables import comes_otherwise, stated_form, stated_tables
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.studies.models import Study
from annotation_platform.workspace.planning.forms import PlannedWork, UsedDesign
from annotation_platform.workspace.planning.using import use_design

WORK = (*PlannedWork.base_fields,)


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
            "work": "".join(f"&{urlencode({name: request.GET[name]})}" for name in WORK if request.GET.get(name)),
            "comes_otherwise": comes_otherwise(form.design),
        }
    return render(request, "workspace/plan.html", context, status=200 if form.is_valid() else 422)


@login_required
@require_POST
def use_plan(request: PageRequest, slug: str) -> HttpResponse:
    """Make the design of the study's plan its own; its pay only for an admin."""
    study, context = enter(request, slug)
    form = UsedDesign(request.POST)
    is_valid = form.is_valid()
    takes_pay = is_valid and form.cleaned_data["takes_pay"]
    if takes_pay and not context["is_admin"]:
        raise NotThereError("studies.for_admins")
    back = request.POST.get("back", "")
    try:
        if not is_valid:
            raise InvalidInputError("workspace.no_design")
        use_design(
            study=study,
            overlap=form.cleaned_data["overlap"] or study.overlap,
            task_minutes=form.task_minutes,
            pay=form.terms if takes_pay else None,
            actor=Actor.of_request(request),
        )
    except InvalidInputError as refused:
        messages.error(request, " ".join(lines_in_language(refused)))
    else:
        messages.success(request, _used(study, takes_pay=takes_pay))
    return redirect(f"{reverse('agreement_planning', args=[slug])}?{QueryDict(back).urlencode()}")


def _used(study: Study, *, takes_pay: bool) -> str:
    overlap = ngettext(
        "The design is the study's: {n} judgment of each answer.",
        "The design is the study's: {n} judgments of each answer.",
        study.overlap,
    )
    pay = _("What a task pays now holds for tasks that are taken from now on; for others, what was promised stays.")
    return " ".join([overlap.format(n=study.overlap), *([pay] if takes_pay else [])])


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
