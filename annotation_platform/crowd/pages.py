"""The pages of a study's tab *Crowd*, in the order of their navigation, and what each of them starts from."""

from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader


class CrowdPage(NamedTuple):
    """A page in the second navigation: the name of its address, and its title."""

    name: str
    title: str


PAGES: tuple[CrowdPage, ...] = (
    CrowdPage("monitor", "Monitor"),
    CrowdPage("reviews", "Review"),
    CrowdPage("adjudication", "Adjudication"),
    CrowdPage("sources", "Sources"),
    CrowdPage("consent_texts", "Consent"),
    CrowdPage("rounds", "Qualification"),
    CrowdPage("checks", "Checks"),
    CrowdPage("crowd_release", "Release"),
    CrowdPage("crowd_late", "Late work"),
    CrowdPage("crowd_messages", "Messages"),
    CrowdPage("crowd_announcements", "Announcements"),
    CrowdPage("crowd_faq", "Frequent questions"),
    CrowdPage("crowd_languages", "Languages"),
    CrowdPage("crowd_pay", "Pay"),
)


def enter(request: HttpRequest, slug: str, page: str) -> tuple[Study, dict[str, Any]]:
    """The study and the start of a page's context.

    Raises
    ------
    NotThereError
        For everybody but the study's researchers and admins.
    """
    study = study_for_reader(request.user, slug)
    member = membership(request.user, study, Role.RESEARCHER, Role.ADMIN)
    is_admin = member.role == Role.ADMIN
    return study, {"study": study, "member": member, "is_admin": is_admin, "pages": PAGES, "page": page}


@login_required
@require_safe
def first_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the tab leads: to the first of its pages."""
    enter(request, slug, PAGES[0].name)
    return redirect(PAGES[0].name, slug=slug)
