"""Study home: how far everything is, and the steps that a researcher takes by hand."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.entry import enter
from annotation_platform.analysis.frame.standing import scoring_of, standing_of
from annotation_platform.analysis.snapshots.stored import headline_of
from annotation_platform.core.errors import DomainError
from annotation_platform.scoring.services import start_run
from annotation_platform.studies.selectors import study_for_reader
from annotation_platform.workspace.attention import attention_of, spent_in_words
from annotation_platform.workspace.batches import progress
from annotation_platform.workspace.study.people import people_of
from workers.tasks import enqueue


@login_required
@require_safe
def study(request: PageRequest, slug: str) -> HttpResponse:
    """The study at a glance; asks for its own live part again while something is under way."""
    found, context = enter(request, slug)
    standing = standing_of(found)
    batches = progress.batches_of(found, request.GET.get("page"), count=standing.batches)
    scoring, headline = scoring_of(found), headline_of(found)
    context |= {
        "batches": batches,
        "people": people_of(found, headline.snapshot if headline else None, request.GET.get("people")),
        "scoring": scoring,
        "headline": headline,
        "standing": standing,
        "attention": attention_of(
            found, scoring, headline.snapshot if headline else None, is_admin=context["is_admin"]
        ),
        "spent": spent_in_words(found),
        "is_live": progress.is_live(batches, scoring),
    }
    return render(request, "workspace/study.html" + ("#live" if request.htmx else ""), context)


@login_required
@require_POST
def score_again(request: PageRequest, slug: str) -> HttpResponse:
    """Start the scoring anew, after a failure; what came before is kept and not asked for again."""
    found = study_for_reader(request.user, slug)
    try:
        run = start_run(study=found, actor=Actor.of_request(request))
    except DomainError as error:
        messages.error(request, in_language(error))
    else:
        enqueue(run)
        messages.success(request, _("The scoring is in the queue again."))
    return redirect("study", slug=slug)
