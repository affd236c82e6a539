"""As whom somebody annotates a study."""

from rest_framework.request import Request

from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Member, Role


def as_annotator(request: Request, slug: str) -> Member:
    """
    Raises
    ------
    NotThereError
        For everybody but the study's annotators.
    """
    members = Member.objects.filter(study__slug=slug, study__arriving_at=None, user=request.user.pk)
    member = members.filter(role=Role.ANNOTATOR).select_related("study__scheme_version").first()
    if member is None:
        raise NotThereError("studies.no_study")
    return member
