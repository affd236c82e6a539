"""What a request may be used for: the scopes of its token. What it may see is asked of ``visible_to``, as by pages."""

from typing import TYPE_CHECKING

from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotation_platform.accounts.models import ApiToken, User
from annotation_platform.accounts.scopes import EVERY_SCOPE, Scope, granted
from annotation_platform.api.frame.problems import NotAllowedError
from annotation_platform.core.reasons import Reason

if TYPE_CHECKING:
    from rest_framework.views import APIView


class HasScope(BasePermission):
    """The view says in ``scopes`` what each of its methods needs; one that says nothing lets nobody in."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not isinstance(request.user, User):
            raise NotAuthenticated(Reason("api.not_signed_in"))
        method = "GET" if request.method in ("HEAD", "OPTIONS") else str(request.method)
        needed: Scope | None = getattr(view, "scopes", {}).get(method)
        if needed is not None:
            need_scope(request, needed)
        return needed is not None or method not in view.allowed_methods


def need_scope(request: Request, needed: Scope) -> None:
    """
    Raises
    ------
    NotAllowedError
        When the token of the request does not have it.
    """
    if needed not in scopes_of(request):
        raise NotAllowedError("api.scope_missing", scope=str(needed))


def scopes_of(request: Request) -> frozenset[Scope]:
    """What the request may be used for; whoever is signed in with a browser may use all that is theirs."""
    return granted(request.auth.scopes) if isinstance(request.auth, ApiToken) else EVERY_SCOPE


def user_of(request: Request) -> User:
    """Who asks, once :class:`HasScope` has let them in."""
    assert isinstance(request.user, User)
    return request.user
