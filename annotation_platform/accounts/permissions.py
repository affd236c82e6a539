"""What an account as a whole may do; what it may do in a study is its membership's role."""

from django.http import HttpRequest

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import NotThereError


def study_creator(request: HttpRequest) -> User:
    """Who is signed in, when they may create studies and import data.

    Raises
    ------
    NotThereError
        For everybody else, as if there were no such page.
    """
    if not isinstance(request.user, User) or not request.user.may_create_studies:
        raise NotThereError("accounts.may_create_no_study")
    return request.user
