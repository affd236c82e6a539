"""The researcher's page about checks: what came of them, the rule, mixing them in, and adding them as a file."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.crowd.checks import services
from annotation_platform.crowd.checks.files import read_checks, write_rows
from annotation_platform.crowd.checks.forms import RuleForm, UploadForm
from annotation_platform.crowd.checks.importing import import_checks
from annotation_platform.crowd.checks.models import Action, CheckResult
from annotation_platform.crowd.checks.overview import (
    action_lines,
    annotator_lines,
    check_lines,
    drafts_of,
    told_left_aside,
)
from annotation_platform.crowd.checks.selectors import action_in, check_in, rule_of
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.uploads.reading import content_of
from annotation_platform.studies.models import Study
from annotation_platform.studies.selectors import corpora_of

PAGE = "checks"
RESULT_COLUMNS = (
    *("check", "kind", "article", "question", "annotator", "batch", "task", "is_check", "passed", "missed"),
    *("met_before", "counts", "submitted_at"),
)


@login_required
@require_safe
def checks(request: PageRequest, slug: str) -> HttpResponse:
    """The whole page."""
    study, context = enter(request, slug, PAGE)
    return _page(request, study, context)


@login_required
@require_POST
def change_check_rule(request: PageRequest, slug: str) -> HttpResponse:
    """Store how often checks are mixed in, and what follows when somebody fails them."""
    study, context = enter(request, slug, PAGE)
    form = RuleForm(request.POST, instance=rule_of(study), label_suffix="")
    if form.is_valid():
        try:
            services.change_rule(study=study, actor=Actor.of_request(request), **form.cleaned_data)
        except InvalidInputError as refused:
            form.add_error(None, in_language(refused))
        else:
            messages.success(request, gettext("Saved. It holds for tasks that are submitted from now on."))
            return redirect(reverse(PAGE, args=[slug]) + "#rule")
    return _page(request, study, context, status=422, rule_form=form)


@login_required
@require_POST
def mix_checks(request: PageRequest, slug: str) -> HttpResponse:
    """Mix checks into the draft batches."""
    study, _ = enter(request, slug, PAGE)
    try:
        mixed = services.mix_in(study=study, actor=Actor.of_request(request))
    except InvalidInputError as refused:
        messages.error(request, in_language(refused))
    else:
        messages.success(request, _mixed(mixed))
    return redirect(reverse(PAGE, args=[slug]) + "#mixing")


@login_required
@require_POST
def upload_checks(request: PageRequest, slug: str) -> HttpResponse:
    """Store the checks of a file, or say what is wrong with each of its rows."""
    study, context = enter(request, slug, PAGE)
    form = UploadForm(request.POST, request.FILES, corpora=corpora_of(context["member"].user), label_suffix="")
    reasons: list[str] = []
    if form.is_valid():
        try:
            made = import_checks(
                study=study,
                corpus=form.cleaned_data["corpus"],
                written=read_checks(content_of(form.cleaned_data["file"], form.cleaned_data["text"])),
                actor=Actor.of_request(request),
            )
        except InvalidInputError as refused:
            reasons = [
                in_language(refused),
                *(in_language(reason) for reason in refused.reasons if reason != refused.reason),
            ]
        else:
            said = ngettext(
                "%(count)s check stored. Mix them into draft batches.",
                "%(count)s checks stored. Mix them into draft batches.",
                len(made),
            )
            messages.success(request, said % {"count": len(made)})
            return redirect(reverse(PAGE, args=[slug]) + "#checks")
    return _page(request, study, context, status=422, upload_form=form, reasons=reasons)


@login_required
@require_POST
def retire_check(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Take a check out of use, or into it again, as the button said: pressed twice, it says the same."""
    study, _ = enter(request, slug, PAGE)
    check = check_in(study, pk)
    change = services.use_again if request.POST.get("in_use") == "yes" else services.retire_check
    change(check=check, actor=Actor.of_request(request))
    return redirect(reverse(PAGE, args=[slug]) + "#checks")


@login_required
@require_POST
def undo_check_action(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Take back what the rule did."""
    study, _ = enter(request, slug, PAGE)
    action = action_in(study, pk)
    try:
        services.undo(action=action, actor=Actor.of_request(request))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    else:
        said = gettext("Undone. What %(annotator)s was checked so far is not counted again.")
        messages.success(request, said % {"annotator": action.annotator})
        if action.action == Action.EXCLUDE and (told := told_left_aside(action.annotator)):
            messages.warning(request, told)
    return redirect(reverse(PAGE, args=[slug]) + "#done")


@login_required
@require_safe
def check_results(request: PageRequest, slug: str) -> HttpResponse:
    """All judgments of checks as CSV, each with what it missed: apart from the study's exports, which have none."""
    study, _ = enter(request, slug, PAGE)
    rows = CheckResult.objects.filter(check_item__study=study).select_related(
        "check_item__question__article", "annotator", "assignment__hit__batch", "annotation"
    )
    lines = (
        (
            *(each.check_item_id, each.check_item.kind, each.check_item.question.article.external_id),
            *(each.check_item.question.external_id, each.annotator.pseudonym, each.assignment.hit.batch.number),
            *(each.assignment.hit.position, "yes", _said(each.passed), " ".join(each.missed)),
            *(_said(each.is_repeated), _said(not each.is_repeated and each.check_item.retired_at is None)),
            each.annotation.created_at.isoformat(),
        )
        for each in rows
    )
    response = HttpResponse(write_rows(RESULT_COLUMNS, lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-checks.csv"'
    return response


def _mixed(mixed: services.Mixed) -> str:
    said = gettext("%(checks)s of %(tasks)s tasks in draft batches got a check.")
    if mixed.elsewhere:
        said = gettext(
            "%(checks)s of %(tasks)s tasks in draft batches got a check. In %(elsewhere)s of them it is about another "
            "document than the task, which can be noticed."
        )
    return said % {"checks": mixed.checks, "tasks": mixed.tasks, "elsewhere": mixed.elsewhere}


def _said(fact: bool) -> str:
    return "yes" if fact else "no"


def _page(
    request: PageRequest, study: Study, context: dict[str, Any], *, status: int = 200, **extra: Any
) -> HttpResponse:
    context |= {
        "lines": check_lines(study, language=interface_language()),
        "annotators": annotator_lines(study),
        "actions": action_lines(study),
        "drafts": drafts_of(study),
        "rule_form": RuleForm(instance=rule_of(study), label_suffix=""),
        "upload_form": UploadForm(
            corpora=corpora_of(context["member"].user), initial={"corpus": study.corpus_id}, label_suffix=""
        ),
    }
    return render(request, "crowd/checks/checks.html", context | extra, status=status)
