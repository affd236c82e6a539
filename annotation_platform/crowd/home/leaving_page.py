"""Leaving a study."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import escape, format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.requests import PageRequest
from annotation_platform.crowd.endings import leave
from annotation_platform.studies.models import AssignmentState
from annotation_platform.studies.selectors import annotator_in
from annotation_platform.studies.steps import way_out


@login_required
@require_http_methods(["GET", "POST"])
def leave_page(request: PageRequest, slug: str) -> HttpResponse:
    """Ask, then leave a study: what stays and what goes is said before."""
    member = annotator_in(request.user, slug)
    if request.method == "POST":
        back = leave(member=member, actor=Actor.of_request(request))
        messages.success(request, _("You left “{study}”.").format(study=member.study.name))
        if back is not None:
            said = escape(_("To finish your submission where you came from, go back by this, or enter {code} there:"))
            code = format_html("<code>{}</code>", back.code)
            link = format_html('<a href="{}">{}</a>', back.address, _("Finish and go back"))
            messages.info(request, format_html("{} {}", format_html(said, code=code), link))
        return redirect("work")
    held = member.assignments.filter(state=AssignmentState.CLAIMED).count()
    submitted = member.assignments.filter(state=AssignmentState.SUBMITTED).count()
    context = {
        "member": member,
        "study": member.study,
        "held": held,
        "submitted": submitted,
        "way_out": way_out(member),
    }
    return render(request, "crowd/home/leave.html", context)
