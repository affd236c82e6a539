"""Service accounts: a study's own way in for programs, which stays when the people who made it leave."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import ApiToken, User
from annotation_platform.accounts.tokens import create_token
from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import add_member

ROLES = (Role.RESEARCHER, Role.ADMIN)


@transaction.atomic
def create_service_token(
    *, study: Study, name: str, role: Role, scopes: Collection[str], days: int | None = None, actor: Actor
) -> tuple[ApiToken, str]:
    """A member of the study that is a program, and its token, which is shown this once.

    Raises
    ------
    InvalidInputError
        When the role is none for programs, or the token cannot be (:func:`create_token`).
    """
    if role not in ROLES or study.is_round:
        raise InvalidInputError("studies.no_role", role=role, roles=[*ROLES])
    user = User.objects.create_guest(name[:150])
    add_member(study=study, role=role, user=user, actor=actor)
    return create_token(user=user, name=name, scopes=scopes, days=days, study=study, actor=actor)


def tokens_of(study: Study) -> QuerySet[ApiToken]:
    """The tokens of a study's service accounts, the newest first."""
    return ApiToken.objects.filter(study=study.pk)


def token_of_study(study: Study, pk: Any) -> ApiToken:
    """
    Raises
    ------
    NotThereError
        When the study has no such token.
    """
    if (token := tokens_of(study).filter(pk=pk).first()) is None:
        raise NotThereError("accounts.no_token")
    return token


def is_service_account(user_id: int | None) -> bool:
    """Whether an account is a program of a study, so that behind it may be anybody who has its token."""
    return ApiToken.objects.of_programs().filter(user=user_id).exists()
