"""The pages of a study's tab *Crowd*, in the order of their navigation, and what each of them starts from."""

from typing import Any, NamedTuple

from django.http import HttpRequest

from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader


class CrowdPage(NamedTuple):
    """A page in the second navigation: the name of its address, and its title."""

    name: str
    title: str


PAGES: tuple[CrowdPage, ...] = (
    CrowdPage("crowd_messages", "Messages"),
    CrowdPage("crowd_announcements", "Announcements"),
    CrowdPage("crowd_faq", "Frequent questions"),
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
