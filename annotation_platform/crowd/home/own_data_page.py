"""A person's own data: where it is, how to have it, and how to leave a study."""

from datetime import date

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import User
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.core.errors import NotThereError
from annotation_platform.crowd.home.archive import archive_of
from annotation_platform.crowd.home.own_rows import memberships
from annotation_platform.studies.models import AssignmentState, Member, Role
from annotation_platform.studies.services import leave_study


@login_required
@require_safe
def my_data(request: PageRequest) -> HttpResponse:
    """What there is, the download, and the studies that one can leave."""
    user = request.user
    assert isinstance(user, User)  # login_required
    members = memberships(user).filter(role=Role.ANNOTATOR, study__arriving_at=None, study__qualifies_for=None)
    context = {
        "members": members.filter(user=user).select_related("study").order_by("study__name"),
        "left": members.filter(former_user=user).select_related("study").order_by("study__name"),
    }
    return render(request, "crowd/home/my_data.html", context)


@login_required
@require_POST
def download_my_data(request: PageRequest) -> FileResponse:
    """Everything as a ZIP, made while it is asked for and kept nowhere."""
    user = request.user
    assert isinstance(user, User)  # login_required
    file = archive_of(user=user, actor=Actor.of_request(request))
    response = FileResponse(file, as_attachment=True, filename=f"my-data-{date.today():%Y-%m-%d}.zip")
    response["Cache-Control"] = "private, no-store"
    return response


@login_required
@require_http_methods(["GET", "POST"])
def leave(request: PageRequest, slug: str) -> HttpResponse:
    """Ask, then leave a study: what stays and what goes is said before."""
    member = Member.objects.filter(study__slug=slug, user=request.user.pk, role=Role.ANNOTATOR).first()
    if member is None:
        raise NotThereError("studies.no_study")
    if request.method == "POST":
        leave_study(member=member, actor=Actor.of_request(request))
        messages.success(request, _("You left “{study}”.").format(study=member.study.name))
        return redirect("work")
    held = member.assignments.filter(state=AssignmentState.CLAIMED).count()
    submitted = member.assignments.filter(state=AssignmentState.SUBMITTED).count()
    context = {"member": member, "study": member.study, "held": held, "submitted": submitted}
    return render(request, "crowd/home/leave.html", context)
