"""The researchers' pages of files of results: reading one, and what came of it in a study."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.language import lines_in_language
from annotation_platform.accounts.permissions import study_creator
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.crowd.pages import enter
from annotation_platform.crowd.providers.results_file.forms import ResultsForm
from annotation_platform.crowd.providers.results_file.models import ImportedWork, ResultsFile
from annotation_platform.crowd.providers.results_file.services import let_files_arrive, take_over

MOST_MEGABYTES = 5  # more than that is read from the command line
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
            if upload.size > MOST_MEGABYTES * 1_000_000:
                raise InvalidInputError("crowd.results_too_large", size=upload.size / 1e6, most=MOST_MEGABYTES)
            file = take_over(
                name=upload.name,
                content=upload.read(),
                with_rejected=form.cleaned_data["with_rejected"],
                owner=user,
                actor=Actor.of_request(request),
            )
        except InvalidInputError as refused:
            lines = lines_in_language(refused)
        else:
            return redirect("results_file_read", pk=file.pk)
    files = ResultsFile.objects.filter(owner=user).select_related("job", "study")[:FILES_SHOWN]
    context = {"form": form, "lines": lines, "files": files}
    return render(request, "crowd/results_file/read.html", context, status=422 if lines or form.errors else 200)


@login_required
@require_safe
def file_read(request: HttpRequest, pk: int) -> HttpResponse:
    """What was found in a file and what of it does not come, before its columns are said what they are."""
    let_files_arrive()
    file = ResultsFile.objects.filter(pk=pk, owner=request.user.pk).select_related("job", "study").first()
    if file is None:
        raise NotThereError("crowd.no_results_file")
    counts = file.work.aggregate(
        all=Count("pk"), workers=Count("pseudonym", distinct=True), tasks=Count("task", distinct=True)
    )
    states = file.work.values_list("status").annotate(Count("pk")).order_by("status")
    standing = [
        _("%(count)s %(state)s") % {"count": count, "state": ImportedWork.Status(state).label.lower()}
        for state, count in states
    ]
    context = {"file": file, "counts": counts, "standing": ", ".join(standing)}
    return render(request, "crowd/results_file/file.html", context)


@login_required
@require_safe
def imported_work(request: HttpRequest, slug: str) -> HttpResponse:
    """What came with files of results into a study: each worker's assignments, times and approvals."""
    let_files_arrive()
    study, context = enter(request, slug, "sources")
    work = ImportedWork.objects.filter(file__study=study)
    context |= {
        "files": study.results_files.all(),
        "counts": work.aggregate(
            all=Count("pk"),
            approved=Count("pk", filter=Q(status="Approved")),
            rejected=Count("pk", filter=Q(status="Rejected")),
        ),
        "work": Paginator(work.select_related("member"), PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "crowd/results_file/work.html", context)
