"""The queue of replies that a person must read, one at a time."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoring.forms import read_number
from annotation_platform.scoring.reply_review import (
    LEFT_OPEN,
    NO_LABEL,
    Unread,
    decide_label,
    next_unread,
    unread_labels,
    unread_of,
)
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue_snapshot

REASONS = {
    "missing": _("The rules found no label that is surely one."),
    "ambiguous": _("The rules found several labels, a range, or one that is taken back."),
    "refused": _("The model seems to refuse."),
    "out_of_scale": _("The rules found a label that this question does not have."),
    "cut": _("It was cut at its longest length, so no rule reads it."),
    "filtered": _("The server's filter took something out of it, so no rule reads it."),
    "declined": _("The model declined to answer."),
    "undecided": _("Whether it was to be answered depends on another question that could not be read."),
}


@login_required
@require_http_methods(["GET", "POST"])
def unread(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the next reply with its labels, and record what a person reads in it."""
    study = study_for_reader(request.user, slug)
    member = membership(request.user, study, Role.RESEARCHER, Role.ADMIN)
    error, shown = "", None
    if request.method == "POST":
        pk = read_number(request.POST.get("label"))
        try:
            decide_label(
                study=study,
                pk=pk,
                choice=request.POST.get("choice", ""),
                member=member,
                actor=Actor.of_request(request),
            )
        except ConflictError as refused:
            messages.info(request, in_language(refused))
            return redirect("unread", slug=slug)
        except InvalidInputError as refused:
            error, shown = in_language(refused), unread_of(study, pk)
        else:
            if not unread_labels(study).exists():
                enqueue_snapshot(study, actor=Actor.of_request(request))
                messages.success(request, gettext("That was the last one. The study's figures are computed anew."))
            return redirect(f"{reverse('unread', kwargs={'slug': slug})}?after={pk}")
    shown = shown or next_unread(study, after=read_number(request.GET.get("after")))
    context: dict[str, Any] = {
        "study": study,
        "is_admin": member.role == Role.ADMIN,
        "waiting": unread_labels(study).count(),
        "error": error,
    }
    if shown is not None:
        context |= {"shown": shown, "options": _options(shown), "reason": gettext(REASONS.get(shown.label.reason, ""))}
    return render(request, "scoring/unread.html", context, status=422 if error else 200)


def _options(shown: Unread) -> list[dict[str, str]]:
    """What can be chosen, each with its key: a label's own digit where all have one, else its place."""
    options = shown.question.options
    has_digits = all(len(option.shown) == 1 and option.shown.isdigit() for option in options)
    found = [
        {
            "value": option.choice,
            "shown": option.shown,
            "description": option.description or ", ".join(option.names if option.shown != option.choice else ()),
            "key": option.shown if has_digits else str(place) if place <= 9 else "",
        }
        for place, option in enumerate(options, start=1)
    ]
    if shown.question.not_applicable:
        found.append({"value": LEFT_OPEN, "shown": gettext("Not applicable"), "description": "", "key": "o"})
    return [
        *found,
        {
            "value": NO_LABEL,
            "shown": gettext("It gives none of these"),
            "description": gettext("counts as wrong"),
            "key": "x",
        },
    ]
