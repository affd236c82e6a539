"""The researchers' pages of files of results: reading one, and what came of it in a study."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import lines_in_language
from annotation_platform.accounts.permissions import study_creator
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.providers.results_file.forms import ResultsForm
from annotation_platform.crowd.providers.results_file.selectors import (
    decided_of,
    file_of,
    files_of,
    work_of,
)
from annotation_platform.crowd.providers.results_file.services import let_files_arrive, take_over_upload

PER_PAGE, FILES_SHOWN = 50, 20


@login_required
@require_http_methods(["GET", "POST"])
def read_file(request: HttpRequest) -> HttpResponse:
    """Take a file, say row by row what is wrong with it, and go on to what its columns mean."""
    user = study_creator(request)
    let_files_arrive()
    form = ResultsForm(request.POST or None, request.FILES or None, label_suffix="")
    lines: list[str] = []
    if request.method == "POST" and form.is_valid():
        upload = form.cleaned_data["file"]
        try:
            file = take_over_upload(
                upload=upload,
                with_rejected=form.cleaned_data["with_rejected"],
                owner=user,
                actor=Actor.of_request(request),
            )
        except InvalidInputError as refused:
            lines = lines_in_language(refused)
        else:
            return redirect("results_file_read", pk=file.pk)
    files = files_of(user)[:FILES_SHOWN]
    context = {"form": form, "lines": lines, "files": files}
    return render(request, "crowd/results_file/read.html", context, status=422 if lines or form.errors else 200)


@login_required
@require_safe
def file_read(request: HttpRequest, pk: int) -> HttpResponse:
    """What was found in a file and what of it does not come, before its columns are said what they are."""
    let_files_arrive()
    return render(request, "crowd/results_file/file.html", {"file": file_of(request.user, pk)})


@login_required
@require_safe
def imported_work(request: HttpRequest, slug: str) -> HttpResponse:
    """What came with files of results into a study: each worker's assignments, times and approvals."""
    let_files_arrive()
    study, context = enter(request, slug, "sources")
    context |= {
        "files": study.results_files.all(),
        "counts": decided_of(study),
        "work": Paginator(work_of(study), PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "crowd/results_file/work.html", context)
