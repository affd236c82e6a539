"""The pages of adjudication: the queue, one item, and the decisions as a file."""

import csv
from io import StringIO
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations import forms
from annotation_platform.annotations.migrating import carried_over, typed_today
from annotation_platform.core.errors import DomainError
from annotation_platform.core.qualification import AcceptedAnswersError
from annotation_platform.core.schemes import InvalidJudgmentError, Scheme
from annotation_platform.core.text import guarded
from annotation_platform.crowd.adjudication.models import LONGEST_NOTE, Adjudication
from annotation_platform.crowd.adjudication.selectors import (
    HEADER,
    QUEUES,
    decided_rows,
    decisions_that_count,
    item_to_decide,
    next_in_queue,
    own_decision,
    queue,
)
from annotation_platform.crowd.adjudication.services import adjudicate, make_gold
from annotation_platform.crowd.pages import enter
from annotation_platform.studies.models import Member, Study

PER_PAGE = 50


@login_required
@require_safe
def adjudication(request: PageRequest, slug: str) -> HttpResponse:
    """The items, those whose judgments lie farthest apart first."""
    study, context = enter(request, slug, "adjudication")
    aspect = _aspect(request, study)
    given = request.GET.get("which", "")
    which = given if given in QUEUES else "open"
    rows = queue(study, aspect, context["member"], which)
    scheme = study.scheme(forms.interface_language())
    context |= {
        "aspects": [(each.key, each.title) for each in scheme.labelled_aspects],
        "aspect": aspect,
        "queues": QUEUES.items(),
        "which": which,
        "rows": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "query": f"&{urlencode({'aspect': aspect, 'which': which})}",
        "is_measured": study.item_figures.exists(),
    }
    return render(request, "crowd/adjudication/queue.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def adjudicate_item(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """One item: all its judgments under letters, its texts, and the scheme's own form to decide in."""
    study, context = enter(request, slug, "adjudication")
    language = forms.interface_language()
    found, scheme = item_to_decide(study, pk, context["member"], language), study.scheme(language)
    typed, note = _decided_before(study, scheme, found.own or found.earlier)
    errors: dict[str, str] = {}
    error = ""
    if request.method == "POST":
        typed, note = typed_today(study, scheme, request.POST), request.POST.get("note", "")
        try:
            adjudicate(
                item=found.item,
                adjudicator=context["member"],
                raw=typed,
                scheme_signature=request.POST.get("scheme", ""),
                note=note,
                language=language,
                actor=Actor.of_request(request),
            )
        except InvalidJudgmentError as refused:
            errors = {key: in_language(reason) for key, reason in refused.errors.items()}
        except DomainError as refused:
            error = in_language(refused)
        else:
            messages.success(request, gettext("Your decision is stored beside the judgments."))
            return redirect(_onward(request, study, context["member"], pk))
    context |= forms.form_context(scheme, found.material, typed, errors) | {
        "found": found,
        "item": found.item,
        "aspect": _aspect(request, study),
        "note": note,
        "longest": LONGEST_NOTE,
        "has_errors": bool(errors),
        "error": error,
    }
    return render(request, "crowd/adjudication/item.html", context, status=422 if errors or error else 200)


@login_required
@require_POST
def make_item_gold(request: PageRequest, slug: str, pk: int) -> HttpResponse:
    """Make a check of what the adjudicator decided about an item."""
    study, context = enter(request, slug, "adjudication")
    decided = own_decision(study, pk, context["member"])
    try:
        make_gold(adjudication=decided, actor=Actor.of_request(request))
    except AcceptedAnswersError as refused:
        messages.error(request, " ".join(in_language(why) for why in refused.errors.values()))
    except DomainError as refused:
        messages.error(request, in_language(refused))
    else:
        messages.success(
            request,
            gettext("Your decision is a gold check now. The page of the checks says how often one is mixed in."),
        )
    return redirect("adjudicate", slug=slug, pk=pk)


@login_required
@require_safe
def adjudication_file(request: PageRequest, slug: str) -> HttpResponse:
    """All decisions as CSV, a row for each value."""
    study, _ = enter(request, slug, "adjudication")
    written = StringIO()
    writer = csv.writer(written)
    writer.writerow(HEADER)
    rows = decided_rows(decisions_that_count(study))
    writer.writerows([guarded(each) if isinstance(each, str) else each for each in row] for row in rows)
    response = HttpResponse(written.getvalue(), content_type="text/csv; charset=utf-8")
    name = f"{study.slug}-adjudication-{timezone.now():%Y-%m-%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _decided_before(study: Study, scheme: Scheme, decision: Adjudication | None) -> tuple[dict[str, str], str]:
    """What the form begins with: a decision of one's own, under the keys of the scheme that the study has; its note."""
    if decision is None:
        return {}, ""
    version = decision.scheme_version
    if version.pk == study.scheme_version_id:
        return forms.typed_from_values(scheme, decision.values), decision.note
    typed = forms.typed_from_values(version.scheme(), decision.values)
    return carried_over(study, typed, signature=version.signature), decision.note


def _aspect(request: PageRequest, study: Study) -> str:
    keys = [each.key for each in study.scheme().labelled_aspects]
    given = request.GET.get("aspect") or request.POST.get("aspect", "")
    return given if given in keys else next(iter(keys), "")


def _onward(request: PageRequest, study: Study, member: Member, pk: int) -> str:
    """To the next item that nobody has decided on when that was asked for, else back to this one."""
    aspect = _aspect(request, study)
    if "next" in request.POST:
        following = next_in_queue(study, aspect, member, after=pk)
        if following is not None:
            return f"{reverse('adjudicate', args=[study.slug, following])}?aspect={aspect}"
        return f"{reverse('adjudication', args=[study.slug])}?aspect={aspect}"
    return f"{reverse('adjudicate', args=[study.slug, pk])}?aspect={aspect}"
