"""Reads across models of a study."""

from typing import Any

from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Member, Role, Study


def study_for_reader(user: Any, slug: str) -> Study:
    """The study, for its researchers and admins.

    Raises
    ------
    NotThereError
        For everybody else, as if it did not exist.
    """
    return _study(Study.objects.visible_to(user), slug)


def study_for_admin(user: Any, slug: str) -> Study:
    """The study, for its admins only; see :func:`study_for_reader`."""
    return _study(Study.objects.administered_by(user), slug)


def membership(user: Any, study: Study, *roles: Role) -> Member:
    """The user's membership of a study in one of these roles (any, when none is named).

    Raises
    ------
    NotThereError
        When they have none.
    """
    member = Member.objects.filter(study=study, user=user).select_related("study__scheme_version").first()
    if member is None or (roles and member.role not in roles):
        raise NotThereError("There is no such study, or it is not open to you.")
    return member


def _study(studies: Any, slug: str) -> Study:
    study: Study | None = studies.select_related("scheme_version", "corpus").filter(slug=slug).first()
    if study is None:
        raise NotThereError("There is no such study, or it is not open to you.")
    return study
