"""The annotator's pages about their submissions: how each stands, and the appeal against a rejection."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.annotations.forms.texts import interface_language
from annotation_platform.core.errors import ConflictError, DomainError
from annotation_platform.crowd.review import services
from annotation_platform.crowd.review.models import LONGEST_APPEAL
from annotation_platform.crowd.review.selectors import own_submission, own_submissions, work_on_items

MOST_SHOWN = 200


@login_required
@require_safe
def my_submissions(request: PageRequest) -> HttpResponse:
    """What one has submitted, and how it stands."""
    context = {"submissions": own_submissions(request.user, most=MOST_SHOWN), "most": MOST_SHOWN}
    return render(request, "crowd/review/my_submissions.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def my_submission(request: PageRequest, pk: int) -> HttpResponse:
    """One submission with its verdict; a rejected one can be appealed against here, once."""
    found = own_submission(request.user, pk)
    error, words = "", request.POST.get("appeal", "")
    if request.method == "POST":
        try:
            if found.review is None:
                raise ConflictError("crowd.cannot_appeal")
            services.appeal(review=found.review, words=words, actor=Actor.of_request(request))
        except DomainError as refused:
            error = in_language(refused)
        else:
            messages.success(request, _("Your appeal was sent. The researcher will look at the task again."))
            return redirect("my_submission", pk=pk)
    context = {
        "submission": found,
        "review": found.review,
        "study": found.assignment.hit.batch.study,
        "work": work_on_items(found, interface_language()),
        "error": error,
        "words": words,
        "longest": LONGEST_APPEAL,
    }
    return render(request, "crowd/review/my_submission.html", context, status=422 if error else 200)
