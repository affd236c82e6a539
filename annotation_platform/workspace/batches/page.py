"""The batch page, and the steps that a researcher takes with a batch by hand."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.accounts.zones import zone_named
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.analysis.frame.standing import scoring_of
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.studies import services as studies
from annotation_platform.studies.models import Batch, BatchState, Study
from annotation_platform.studies.selectors import study_for_reader
from annotation_platform.workspace.batches import progress
from annotation_platform.workspace.batches.forms import DeadlineForm
from annotation_platform.workspace.batches.threads import threads_of
from annotation_platform.workspace.batches.worth_a_look import worth_a_look
from workers import tasks


@login_required
@require_safe
def batch(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """One batch: who has which place, what was asked, what is worth a look, how its scoring goes."""
    return _page(request, slug, number)


def _page(request: PageRequest, slug: str, number: int, *, status: int = 200, **extra: Any) -> HttpResponse:
    found, context = enter(request, slug)
    one = progress.batch_for(found, number)
    scoring = scoring_of(found)
    context |= extra | {
        "batch": one,
        "hits": progress.hits_of(one, request.GET.get("page")),
        "places_with_words": [] if request.htmx else threads_of(one),
        "found": None if request.htmx or one.state == BatchState.DRAFT else worth_a_look(one, found.scheme()),
        "scoring": scoring,
        "is_live": progress.is_live([one], scoring),
    }
    return render(request, "workspace/batch.html" + ("#live" if request.htmx else ""), context, status=status)


@login_required
@require_POST
def open_batch(request: PageRequest, slug: str, number: int) -> HttpResponse:
    one = progress.batch_for(study_for_reader(request.user, slug), number)
    try:
        studies.open_batch(batch=one, **_deadline(request), actor=Actor.of_request(request))
    except InvalidInputError as error:
        return _refused(request, one, "deadline", in_language(error))
    messages.success(request, _("%(batch)s is open: annotators can take its tasks now.") % {"batch": one})
    return redirect("batch", slug=slug, number=number)


@login_required
@require_POST
def close_batch(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """Close a batch by hand, now or when those at work have finished; closing it twice does no harm."""
    found, context = enter(request, slug)
    one = progress.batch_for(found, number)
    by = f"by {context['member'].pseudonym}"
    lets_finish = request.POST.get("when") == "finished"
    if lets_finish:
        done = studies.finish_batch(
            batch=one, because=f"{by}, after those at work"[:60], actor=Actor.of_request(request)
        )
    else:
        done = studies.close_batch(batch=one, because=by, actor=Actor.of_request(request))
    if done and one.is_finishing:
        told = _("%(batch)s takes nobody new, and closes when those at work have finished.") % {"batch": one}
        messages.success(request, told)
    elif done:
        _have_it_measured(request, found, one)
    else:
        told = _("%(batch)s was closing already.") if one.is_finishing else _("%(batch)s was not open any more.")
        messages.info(request, told % {"batch": one})
    return redirect("batch", slug=slug, number=number)


@login_required
@require_POST
def keep_batch_open(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """Take back that a batch closes when those at work have finished."""
    one = progress.batch_for(study_for_reader(request.user, slug), number)
    if studies.keep_batch_open(batch=one, actor=Actor.of_request(request)):
        messages.success(request, _("%(batch)s stays open: annotators can take its tasks again.") % {"batch": one})
    else:
        messages.info(request, _("%(batch)s was not about to close, or has closed by now.") % {"batch": one})
    return redirect("batch", slug=slug, number=number)


@login_required
@require_POST
def reopen_batch(request: PageRequest, slug: str, number: int) -> HttpResponse:
    one = progress.batch_for(study_for_reader(request.user, slug), number)
    try:
        studies.reopen_batch(batch=one, **_deadline(request), actor=Actor.of_request(request))
    except InvalidInputError as error:
        return _refused(request, one, "until", in_language(error))
    told = _(
        "%(batch)s is open again: its judgments can be changed and its free assignments taken. "
        "Figures that rest on it say that they are out of date until it has closed."
    )
    messages.success(request, told % {"batch": one})
    return redirect("batch", slug=slug, number=number)


@login_required
@require_POST
def set_deadline(request: PageRequest, slug: str, number: int) -> HttpResponse:
    one = progress.batch_for(study_for_reader(request.user, slug), number)
    try:
        studies.set_deadline(batch=one, **_deadline(request), actor=Actor.of_request(request))
    except InvalidInputError as error:
        return _refused(request, one, "deadline", in_language(error))
    told = _("%(batch)s has a new deadline.") if one.deadline_at else _("%(batch)s has no deadline any more.")
    messages.success(request, told % {"batch": one})
    return redirect("batch", slug=slug, number=number)


def _refused(request: PageRequest, batch: Batch, field: str, reason: str) -> HttpResponse:
    """The page with the form open as it was sent, and why its deadline cannot be."""
    refused = {"field": field, "reason": reason, "sent": request.POST}
    return _page(request, batch.study.slug, batch.number, status=422, refused=refused)


def _deadline(request: PageRequest) -> dict[str, Any]:
    """What the form says, read in the zone that it named: the browser's may have become known since."""
    form = DeadlineForm(request.POST)
    with timezone.override(zone_named(request.POST.get("zone", ""))):
        if not form.is_valid():
            raise InvalidInputError("workspace.deadline_unread")
    return form.cleaned_data


def _have_it_measured(request: PageRequest, study: Study, closed: Batch) -> None:
    tasks.sweep.delay_on_commit()
    told = (
        _("%(batch)s is closed. Its judgments are scored next.")
        if study.scheme().rescale
        else _("%(batch)s is closed. Agreement is measured next.")
    )
    messages.success(request, told % {"batch": closed})
