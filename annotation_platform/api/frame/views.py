"""What every endpoint starts from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from hashlib import sha256
from typing import Any, ClassVar

from django.http import HttpRequest
from django.utils.http import http_date
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import ApiToken
from annotation_platform.accounts.scopes import Scope
from annotation_platform.api.frame import keeping
from annotation_platform.api.frame.pages import chosen_of
from annotation_platform.api.models import KeptReply
from annotation_platform.core.errors import InvalidInputError


class _KeptAlreadyError(Exception):
    def __init__(self, kept: KeptReply) -> None:
        self.kept = kept


@dataclass(frozen=True)
class Deprecation:
    """That an address is to go: the day since which it is marked, and the one from which it may be gone, in UTC."""

    since: date
    sunset: date

    @property
    def headers(self) -> dict[str, str]:
        """``Deprecation`` (RFC 9745) and ``Sunset`` (RFC 8594)."""
        since, sunset = (int(datetime.combine(day, time(), UTC).timestamp()) for day in (self.since, self.sunset))
        return {"Deprecation": f"@{since}", "Sunset": http_date(sunset)}


class ApiView(APIView):
    """An address of the API. ``scopes``: method → what a token needs; a method without one lets nobody in.
    ``deprecation`` marks one that is to go. ``pays_each_time``: its POST costs money whenever it is done.
    """

    scopes: ClassVar[Mapping[str, Scope]] = {}
    deprecation: ClassVar[Deprecation | None] = None
    pays_each_time: ClassVar[bool] = False
    _key: keeping.Key | None = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().dispatch(request, *args, **kwargs)
        finally:
            if self._key is not None:
                self._key.release()

    def perform_authentication(self, request: Request) -> None:
        """Who is refused counts among those who ask, and is told how often they may."""
        try:
            super().perform_authentication(request)
        finally:
            super().check_throttles(request)

    def check_throttles(self, request: Request) -> None:
        """Done by then: Django REST framework looks after its permissions, and so at nobody whom these refuse."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method != "POST":
            return
        self._key = keeping.begin(request, self.body_digest(request), pays_each_time=self.pays_each_time)
        if self._key is not None and self._key.row.status is not None:
            raise _KeptAlreadyError(self._key.row)

    def body_digest(self, request: Request) -> str:
        """What tells one body from another."""
        return sha256(request._request.body).hexdigest()

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, _KeptAlreadyError):
            return keeping.again(exc.kept)  # type: ignore[return-value]
        if isinstance(exc, exceptions.MethodNotAllowed):
            exc.args = (self.request.method,)
        if isinstance(exc, exceptions.UnsupportedMediaType):
            exc.args = (self.request.content_type,)
        response = super().handle_exception(exc)
        response.exception = True
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        if request.method == "GET" and isinstance(response, Response) and not response.exception:
            try:
                response.data = chosen_of(request, response.data)
            except InvalidInputError as error:
                response = self.handle_exception(error)
        final = super().finalize_response(request, response, *args, **kwargs)
        for name, value in getattr(request, "rate_headers", {}).items():
            final[name] = value
        if self.deprecation is not None:
            for name, value in self.deprecation.headers.items():
                final[name] = value
        if self._key is not None and self._key.row.status is None:
            keeping.keep(self._key.row, final)
        return final


def actor_of(request: Request) -> Actor:
    """Whoever asks, with the token by which they do."""
    actor = Actor.of_request(request)  # it has the user of the token, which the request within it has not
    return replace(actor, via=f"token {request.auth.prefix}" if isinstance(request.auth, ApiToken) else "API")


def sent(serializer: type[Serializer[Any]], request: Request, **how: Any) -> dict[str, Any]:
    """The checked fields of a body.

    Raises
    ------
    ValidationError
        When some cannot be accepted, or are unknown.
    """
    checked = serializer(data=request.data, **how)
    checked.is_valid(raise_exception=True)
    data: dict[str, Any] = checked.validated_data
    return data
