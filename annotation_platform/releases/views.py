"""The export page, for a study's admins."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.jobs.files import finished
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.releases.models import ExportFormat
from annotation_platform.releases.selectors.page import exports_of
from annotation_platform.releases.selectors.query import count_rows, export_query
from annotation_platform.releases.services import request_export as request_export_service
from annotation_platform.server.downloads import stored
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_admin
from workers.tasks import enqueue

COUNTED = 2_000  # rows; beyond that the page says "more than", for counting them all takes longer than the page
CONTENT_TYPES = {
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.SPREADSHEET: "text/csv; charset=utf-8",
    ExportFormat.JSONL: "application/jsonl",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
    ExportFormat.CONSENSUS: "text/csv; charset=utf-8",
}


@login_required
@require_safe
def exports(request: PageRequest, slug: str) -> HttpResponse:
    """The exports made so far; asks for its own live part again while one is under way."""
    study = study_for_admin(request.user, slug)
    made = list(exports_of(study))
    context = {
        "study": study,
        "is_admin": True,
        "exports": made,
        "is_live": any(export.is_active for export in made),
        "worker": worker_state(),
    }
    if request.htmx:
        return render(request, "releases/exports.html#live", context)
    rows = count_rows(study, most=COUNTED + 1)
    context |= {
        "row_count": min(rows, COUNTED),
        "is_more": rows > COUNTED,
        "columns": export_query(study).columns,
        "formats": ExportFormat,
    }
    return render(request, "releases/exports.html", context)


@login_required
@require_POST
def request_export(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for_admin(request.user, slug)
    format = request.POST.get("format", "")
    export = request_export_service(
        study=study,
        requested_by=membership(request.user, study, Role.ADMIN),
        format=format,
        all_revisions="all_revisions" in request.POST and format != ExportFormat.CONSENSUS,
        actor=Actor.of_request(request),
    )
    enqueue(export)
    return redirect("exports", slug=slug)


@login_required
@require_safe
def download_export(request: HttpRequest, slug: str, pk: int) -> HttpResponse | StreamingHttpResponse:
    """The file, streamed."""
    export, path = finished(study_for_admin(request.user, slug).exports.all(), pk)
    kind = CONTENT_TYPES[ExportFormat(export.format)]
    return stored(request, path, filename=export.filename, content_type=kind, digest=export.sha256)
