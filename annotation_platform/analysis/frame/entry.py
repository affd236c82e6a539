"""Who may enter a study's pages, and what every one of them shows."""

from typing import Any

from django.http import HttpRequest

from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.selectors import membership, study_for_reader


def enter(request: HttpRequest, slug: str) -> tuple[Study, dict[str, Any]]:
    """The study and the start of a page's context.

    Raises
    ------
    NotThereError
        For everybody but the study's researchers and admins.
    """
    study = study_for_reader(request.user, slug)
    member = membership(request.user, study, Role.RESEARCHER, Role.ADMIN)
    return study, {"study": study, "member": member, "is_admin": member.role == Role.ADMIN}
