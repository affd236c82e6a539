"""Who asks: the owner of a token, or whoever is signed in with this browser."""

from django.http import HttpRequest, HttpResponse
from rest_framework.authentication import BaseAuthentication, CSRFCheck, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotation_platform.accounts.models import ApiToken, User
from annotation_platform.accounts.tokens import token_of
from annotation_platform.api.frame.problems import NotAllowedError
from annotation_platform.core.reasons import Reason

KEYWORD = "bearer"


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer …``. A token that is not valid is an error, also where nobody needs to be known."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        keyword, _, secret = request.headers.get("Authorization", "").partition(" ")
        if keyword.lower() != KEYWORD:
            return None
        if (token := token_of(secret.strip())) is None:
            raise AuthenticationFailed(Reason("api.token_not_valid"))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class BrowserAuthentication(SessionAuthentication):
    """The session of a page, with the mark of our pages (CSRF) on whatever changes something."""

    def enforce_csrf(self, request: Request) -> None:
        """Asks the request itself, whose body stays unread: the framework's would be parsed here."""

        def enforced(_: HttpRequest) -> HttpResponse:
            return HttpResponse()

        check = CSRFCheck(enforced)
        check.process_request(request._request)
        if why := check.process_view(request._request, enforced, (), {}):
            raise NotAllowedError("api.csrf", why=why)
