"""Study home and batch page: how far everything is, and the steps that a researcher takes by hand."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.forms import OpenBatchForm
from annotation_platform.analysis.selectors import progress
from annotation_platform.analysis.selectors.snapshots import headline_of
from annotation_platform.analysis.views.entry import enter
from annotation_platform.core.errors import DomainError, InvalidInputError
from annotation_platform.scoring.services import start_run
from annotation_platform.studies import services as studies
from annotation_platform.studies.invitations import make_invitation
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import study_for_reader
from workers import tasks


@login_required
@require_GET
def study(request: PageRequest, slug: str) -> HttpResponse:
    """The study at a glance; asks for its own live part again while something is under way."""
    found, context = enter(request, slug)
    batches = progress.batches_of(found, request.GET.get("page"))
    scoring, headline = progress.scoring_of(found), headline_of(found)
    context |= {
        "batches": batches,
        "people": progress.people_of(found, headline.snapshot if headline else None, request.GET.get("people")),
        "scoring": scoring,
        "headline": headline,
        "is_live": progress.is_live(batches, scoring),
        "open_form": OpenBatchForm(),
        "invitation": _invitation(request, found),
    }
    return render(request, "analysis/study.html" + ("#live" if request.htmx else ""), context)


@login_required
@require_GET
def batch(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """One batch: who has which place, what was asked, how its scoring goes."""
    found, context = enter(request, slug)
    one = progress.batch_for(found, number)
    scoring = progress.scoring_of(found)
    context |= {
        "batch": one,
        "hits": progress.hits_of(one, request.GET.get("page")),
        "threads": [] if request.htmx else list(progress.threads_of(one)),
        "scoring": scoring,
        "is_live": progress.is_live([one], scoring),
        "open_form": OpenBatchForm(),
    }
    return render(request, "analysis/batch.html" + ("#live" if request.htmx else ""), context)


@login_required
@require_POST
def open_batch(request: PageRequest, slug: str, number: int) -> HttpResponse:
    found = study_for_reader(request.user, slug)
    one = progress.batch_for(found, number)
    form = OpenBatchForm(request.POST)
    if not form.is_valid():
        raise InvalidInputError("The deadline is not a date and time. Choose one, or leave it empty.")
    studies.open_batch(batch=one, deadline_at=form.cleaned_data["deadline_at"])
    messages.success(request, f"{one} is open: annotators can take its tasks now.")
    return redirect("batch", slug=slug, number=number)


@login_required
@require_POST
def close_batch(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """Close a batch by hand and have it scored; closing it twice does no harm."""
    found, context = enter(request, slug)
    one = progress.batch_for(found, number)
    if studies.close_batch(batch=one, because=f"by {context['member'].pseudonym}"):
        tasks.batch_closed.delay_on_commit(one.pk)
        what_next = "Its judgments are scored next" if found.scheme().rescale else "Agreement is measured next"
        messages.success(request, f"{one} is closed. {what_next}.")
    else:
        messages.info(request, f"{one} was not open, so there was nothing to close.")
    return redirect("batch", slug=slug, number=number)


@login_required
@require_POST
def score_again(request: PageRequest, slug: str) -> HttpResponse:
    """Start the scoring anew, after a failure; what came before is kept and not asked for again."""
    found = study_for_reader(request.user, slug)
    try:
        run = start_run(study=found)
    except DomainError as error:
        messages.error(request, str(error))
    else:
        tasks.run_scoring.delay_on_commit(run.pk)
        messages.success(request, "The scoring is in the queue again.")
    return redirect("study", slug=slug)


def _invitation(request: PageRequest, study: Study) -> str:
    """The link that lets annotators into the study."""
    token = make_invitation(study=study, role=Role.ANNOTATOR)
    return request.build_absolute_uri(reverse("join", args=[token]))
