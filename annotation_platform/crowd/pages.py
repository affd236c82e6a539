"""The pages of a study's tab *Crowd*, in groups, and what each of them starts from."""

from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_safe

from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader


class CrowdPage(NamedTuple):
    """A page in the navigation: the name of its address, its title, and what it is for."""

    name: str
    title: str | Promise
    about: str | Promise


class PageGroup(NamedTuple):
    """Pages that stand together in the navigation."""

    title: str | Promise
    pages: tuple[CrowdPage, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(page.name for page in self.pages)


GROUPS: tuple[PageGroup, ...] = (
    PageGroup(
        _("Annotators"),
        (
            CrowdPage("sources", _("Sources"), _("where annotators come from: a link, an account, Prolific")),
            CrowdPage("consent_texts", _("Consent"), _("what they agree to before their first task")),
            CrowdPage("crowd_languages", _("Languages"), _("which ones they must read")),
            CrowdPage("rounds", _("Qualification"), _("what they pass before their first task")),
            CrowdPage("checks", _("Checks"), _("items mixed into tasks whose right judgment you know")),
        ),
    ),
    PageGroup(
        _("Work"),
        (
            CrowdPage("monitor", _("Monitor"), _("who does what, how fast, and where to look")),
            CrowdPage(
                "crowd_release",
                pgettext_lazy("of batches", "Release"),
                _("when the next batches open, and what holds them back"),
            ),
            CrowdPage("reviews", _("Review"), _("approve or reject what was submitted, answer appeals")),
            CrowdPage("crowd_late", _("Late work"), _("what was submitted when the time had run out")),
            CrowdPage("adjudication", _("Adjudication"), _("decide where the judgments differ")),
        ),
    ),
    PageGroup(
        _("Talk"),
        (
            CrowdPage("crowd_messages", _("Messages"), _("every conversation; what waits for an answer comes first")),
            CrowdPage("crowd_announcements", _("Announcements"), _("a word to all annotators")),
            CrowdPage("crowd_faq", _("Frequent questions"), _("answers that everybody in the study reads")),
        ),
    ),
    PageGroup(_("Pay"), (CrowdPage("crowd_pay", _("Pay"), _("what a task pays, the budget, what is owed, payments")),)),
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
