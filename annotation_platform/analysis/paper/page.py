"""Figures for a paper: ask for a bundle of all of them, see how far it is, download it."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.analysis.frame.figures import figure_page
from annotation_platform.analysis.frame.tabs import Tab
from annotation_platform.analysis.paper.bundles import request_bundle as request_bundle_service
from annotation_platform.analysis.paper.requested import bundles_of
from annotation_platform.jobs.files import finished
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.server.downloads import stored
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue


@login_required
@require_safe
def paper(request: PageRequest, slug: str) -> HttpResponse:
    """The bundles made so far; asks for its own live part again while one is under way."""
    page = figure_page(request, slug, "paper")
    made = list(bundles_of(page.study))
    page.context.update(bundles=made, is_live=any(bundle.is_active for bundle in made), worker=worker_state())
    is_part = request.htmx and request.htmx.target == "made"
    return render(request, "analysis/paper.html" + ("#made" if is_part else ""), page.context)


@login_required
@require_POST
def request_bundle(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for_reader(request.user, slug)
    member = membership(request.user, study, Role.RESEARCHER, Role.ADMIN)
    bundle = request_bundle_service(study=study, requested_by=member, actor=Actor.of_request(request))
    enqueue(bundle)
    return redirect("agreement_paper", slug=slug)


@login_required
@require_safe
def download_bundle(request: HttpRequest, slug: str, pk: int) -> HttpResponse | StreamingHttpResponse:
    """The file, streamed."""
    bundle, path = finished(study_for_reader(request.user, slug).paper_bundles.all(), pk)
    kind = "application/zip"
    return stored(request, path, filename=bundle.filename, content_type=kind, digest=bundle.sha256)


TAB = Tab("paper", _("For a paper"), "agreement_paper")
urlpatterns = [
    path("agreement/paper/", paper, name="agreement_paper"),
    path("agreement/paper/make/", request_bundle, name="request_bundle"),
    path("agreement/paper/<int:pk>/", download_bundle, name="download_bundle"),
]
