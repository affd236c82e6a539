"""The page of what changed between two releases: that they are being compared, and then what was found."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import NotThereError
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.jobs.worker_status import worker_state
from annotation_platform.releases.freeze.changes import changes_in
from annotation_platform.releases.freeze.comparing.jobs import compared_with, request_comparison
from annotation_platform.releases.freeze.reading import one, there
from annotation_platform.releases.models import Comparison, Release
from annotation_platform.studies.models import Role
from annotation_platform.studies.selectors import membership, study_for_reader
from workers.tasks import enqueue


@login_required
@require_safe
def changes(request: PageRequest, slug: str, number: int) -> HttpResponse:
    """What a release has that another (``with``; otherwise the one before) has not, and how each figure moved."""
    study = study_for_reader(request.user, slug)
    release = there(one(study, number))
    if (other := compared_with(release, request.GET.get("with"))) is None:
        raise NotThereError("releases.nothing_to_compare_with", number=number)
    context = {
        "study": study,
        "is_admin": membership(request.user, study, Role.RESEARCHER, Role.ADMIN).role == Role.ADMIN,
        "release": release,
        "others": study.releases.filter(status=JobStatus.DONE, withdrawn_at=None).exclude(number=number),
        "other": other,
        **compared(request, there(other), release),
    }
    return render(request, f"releases/changes.html{'#live' if request.htmx else ''}", context)


def compared(request: PageRequest, one: Release, other: Release) -> dict[str, Any]:
    """What the templates show of a comparison; it is asked for where it is not there.

    One that failed begins anew when somebody opens a page, not when the page asks how it stands.
    """
    before, after = sorted((one, other), key=lambda each: each.number)
    known = Comparison.objects.filter(before=before, after=after).first() if request.htmx else None
    comparison = known or request_comparison(before, after)
    if known is None and comparison.is_active:
        enqueue(comparison)
    return {
        "comparison": comparison,
        "before": before,
        "after": after,
        "changes": changes_in(comparison),
        "worker": worker_state(),
    }
