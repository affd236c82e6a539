"""Errors as problem details (RFC 9457): code, parameters, and the sentence in the reader's language."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig
from django.http import Http404
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from rest_framework import exceptions
from rest_framework.response import Response

from annotation_platform.accounts.language import in_language
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError, NotThereError
from annotation_platform.core.qualification import AcceptedAnswersError
from annotation_platform.core.reasons import Reason, as_data
from annotation_platform.core.schemes import InvalidJudgmentError, SchemeError
from annotation_platform.jobs.transactions import DatabaseBusyError, is_busy
from annotation_platform.scoring.parameters import WrongParametersError

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
TITLES = {
    400: _("Bad request"),
    401: _("Not signed in"),
    403: _("Not allowed"),
    404: _("Not there"),
    405: _("Method not allowed"),
    406: _("Not acceptable"),
    408: _("Too slow"),
    409: _("Conflict"),
    412: _("Changed since"),
    413: _("Too large"),
    415: _("Unsupported media type"),
    422: _("Not accepted"),
    428: _("Version needed"),
    429: _("Too many requests"),
    500: _("Platform error"),
    503: _("Busy"),
}
OTHER = _("Error")
STATUS: Mapping[type[DomainError], int] = {NotThereError: 404, ConflictError: 409, InvalidInputError: 422}
PLACES = {"line": "line", "entry": "line", "row": "line", "part": "field", "field": "field", "what": "field"}
RETRY_AFTER = 5  # seconds, when the database has no time


class VersionNeededError(DomainError):
    """Somebody would write over what they have not read."""


class VersionDiffersError(DomainError):
    """What they read has been changed since."""


class KeyReusedError(InvalidInputError):
    """An idempotency key came with another request than before."""


class NotAllowedError(exceptions.PermissionDenied):
    """Who asks may not, for a reason of ours: a scope is missing, or the mark of our pages."""

    def __init__(self, code: str, **parameters: Any) -> None:
        self.reason = Reason(code, **parameters)
        super().__init__(self.reason)


def problem_of(error: Exception, context: Mapping[str, Any]) -> Response:
    """The reply to any exception; one that nobody expected is logged, and says nothing of itself."""
    status, reason, errors = _told(error)
    if status == 500:
        logger.error("The API failed at %s", _path(context), exc_info=error)
    elif is_busy(error):
        logger.warning("The database was busy at %s", _path(context), exc_info=error)
    response = Response(problem(status, reason, errors), status=status, content_type=MEDIA_TYPE)
    if status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="api"'
    wait = getattr(error, "wait", None)
    if wait is not None or status == 503:
        response["Retry-After"] = str(int(wait) + 1 if wait is not None else RETRY_AFTER)
    return response


def problem(status: int, reason: Reason, errors: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """The body of a reply that says what is wrong."""
    body: dict[str, Any] = {
        "type": f"urn:annotation-platform:{reason.code}",
        "title": gettext(TITLES.get(status, OTHER)),
        "status": status,
        "detail": in_language(reason),
        "code": reason.code,
        "parameters": as_data(reason.parameters),
    }
    return body | ({"errors": errors} if errors else {})


def _told(error: Exception) -> tuple[int, Reason, list[dict[str, Any]]]:
    if is_busy(error):
        error = DatabaseBusyError()
    match error:
        case DatabaseBusyError():
            return 503, error.reason, []
        case VersionNeededError():
            return 428, error.reason, []
        case VersionDiffersError():
            return 412, error.reason, []
        case InvalidJudgmentError():
            return 422, Reason("api.judgment_wrong"), [told_mistake(key, why) for key, why in error.errors.items()]
        case AcceptedAnswersError():
            return (
                422,
                Reason("api.accepted_wrong"),
                [told_mistake(f"accepted.{key}", why) for key, why in error.errors.items()],
            )
        case WrongParametersError():
            return 422, error.reason, [told_mistake(f"parameters.{key}", why) for key, why in error.wrong.items()]
        case SchemeError():
            mistakes = [{**told_mistake(each.path, each.reason), "line": each.line} for each in error.mistakes]
            return 422, Reason("api.scheme_wrong"), mistakes
        case DomainError():
            status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 400)
            return status, error.reason, [told_mistake("", why) for why in getattr(error, "reasons", ())]
        case exceptions.ValidationError():
            return 422, Reason("api.fields_wrong"), list(_fields(error.detail))
        case RequestDataTooBig():
            return 413, Reason("api.body_too_large", most=settings.DATA_UPLOAD_MAX_MEMORY_SIZE), []
        case Http404():
            return 404, Reason("api.no_address"), []
        case DjangoPermissionDenied():
            return 403, Reason("api.csrf", why=str(error)), []
        case exceptions.APIException():
            return error.status_code, _reason(error), []
    return 500, Reason("api.platform_error"), []


def _reason(error: exceptions.APIException) -> Reason:
    """Of what the framework refuses, in our words."""
    match error:
        case exceptions.Throttled():
            return Reason("api.too_many_requests", seconds=int(getattr(error, "wait", 0)) + 1)
        case exceptions.MethodNotAllowed():
            return Reason("api.method_not_allowed", method=str(error.args[0]) if error.args else "")
        case exceptions.UnsupportedMediaType():
            return Reason("api.media_type", media_type=str(error.args[0]) if error.args else "")
        case exceptions.NotAcceptable():
            return Reason("api.not_acceptable")
        case exceptions.NotFound():
            return Reason("api.no_address")
        case exceptions.ParseError():
            return Reason("api.body_unread", why=str(error.detail))
        case exceptions.NotAuthenticated():
            return Reason("api.not_signed_in")
        case exceptions.AuthenticationFailed():
            return Reason("api.token_not_valid")
        case NotAllowedError():
            return error.reason
    return Reason("api.csrf", why=str(error.detail))


def _fields(detail: Any, at: str = "") -> Iterator[dict[str, Any]]:
    """What is wrong with the fields of a body, each by its path."""
    if isinstance(detail, Mapping):
        for key, inner in detail.items():
            yield from _fields(inner, f"{at}.{key}" if at else str(key))
    elif isinstance(detail, list) and detail and all(isinstance(each, str) for each in detail):
        for each in detail:
            yield {"field": at, "detail": str(each), "code": f"api.{getattr(each, 'code', 'invalid')}"}
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            yield from _fields(inner, f"{at}[{index}]")
    elif detail:
        yield {"field": at, "detail": str(detail), "code": "api.invalid"}


def told_mistake(field: str, why: str) -> dict[str, Any]:
    """An entry of ``errors``: what is wrong with a field; of the whole (""), in which row and field of a file."""
    told: dict[str, Any] = {"field": field, "detail": in_language(why)}
    if isinstance(why, Reason):
        told |= {"code": why.code, "parameters": as_data(why.parameters)} | ({} if field else _place(why))
    return told


def _place(why: Reason) -> dict[str, Any]:
    """The row of a file that a reason is about, and the field there."""
    found: dict[str, Any] = {}
    for name, value in why.parameters.items():
        if isinstance(value, Reason):
            found |= _place(value)
        elif name in PLACES and value:
            found[PLACES[name]] = value
    return found


def _path(context: Mapping[str, Any]) -> str:
    request = context.get("request")
    return f"{request.method} {request.path}" if request is not None else "?"
