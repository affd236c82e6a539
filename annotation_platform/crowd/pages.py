"""The pages of a study's tab *Crowd*, in groups, and what each of them starts from."""

from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader


class CrowdPage(NamedTuple):
    """A page in the navigation: the name of its address, its title, and what it is for."""

    name: str
    title: str
    about: str


class PageGroup(NamedTuple):
    """Pages that stand together in the navigation."""

    title: str
    pages: tuple[CrowdPage, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(page.name for page in self.pages)


GROUPS: tuple[PageGroup, ...] = (
    PageGroup(
        "Annotators",
        (
            CrowdPage("sources", "Sources", "where annotators come from: a link, an account, Prolific"),
            CrowdPage("consent_texts", "Consent", "what they agree to before their first task"),
            CrowdPage("crowd_languages", "Languages", "which ones they must read"),
            CrowdPage("rounds", "Qualification", "what they pass before their first task"),
            CrowdPage("checks", "Checks", "items mixed into tasks whose right judgment you know"),
        ),
    ),
    PageGroup(
        "Work",
        (
            CrowdPage("monitor", "Monitor", "who does what, how fast, and where to look"),
            CrowdPage("crowd_release", "Release", "when the next batches open, and what holds them back"),
            CrowdPage("reviews", "Review", "approve or reject what was submitted, answer appeals"),
            CrowdPage("crowd_late", "Late work", "what was submitted when the time had run out"),
            CrowdPage("adjudication", "Adjudication", "decide where the judgments differ"),
        ),
    ),
    PageGroup(
        "Talk",
        (
            CrowdPage("crowd_messages", "Messages", "every conversation; what waits for an answer comes first"),
            CrowdPage("crowd_announcements", "Announcements", "a word to all annotators"),
            CrowdPage("crowd_faq", "Frequent questions", "answers that everybody in the study reads"),
        ),
    ),
    PageGroup("Pay", (CrowdPage("crowd_pay", "Pay", "what a task pays, the budget, what is owed, payments"),)),
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
    return study, {"study": study, "member": member, "is_admin": is_admin, "groups": GROUPS, "page": page}


@login_required
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the tab leads: all its pages, and what each of them is for."""
    return render(request, "crowd/overview.html", enter(request, slug, "crowd")[1])
