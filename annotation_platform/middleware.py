"""The one place where domain errors become responses."""

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import activate, get_language
from django_htmx.http import HttpResponseClientRefresh

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.zones import COOKIE, zone_named
from annotation_platform.api.frame.problems import MEDIA_TYPE, problem
from annotation_platform.core.errors import CodedError, ConflictError, DomainError, InvalidInputError, NotThereError
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.transactions import DatabaseBusyError, is_busy
from annotation_platform.server.adapter import REFUSED
from annotation_platform.server.bodies import RefusedError

logger = logging.getLogger(__name__)


class NotAPageError(DomainError):
    """An address that takes forms only was opened."""

    def __init__(self) -> None:
        super().__init__("accounts.takes_forms_only")


STATUS = {NotThereError: 404, ConflictError: 409, InvalidInputError: 422}


class LanguageMiddleware:
    """Gives each page one language: that which its reader chose, else the browser's, where there is such a one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> None:
        speak_language_of(request)


def speak_language_of(request: HttpRequest) -> None:
    chosen = request.user.language if isinstance(request.user, User) else ""
    activate(chosen or get_language() or settings.LANGUAGE_CODE)
    request.LANGUAGE_CODE = get_language() or settings.LANGUAGE_CODE


class ZoneMiddleware:
    """Each request in its browser's time zone: what pages write and forms read. What is stored is in UTC."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with timezone.override(zone_named(request.COOKIES.get(COOKIE, ""))):
            return self.get_response(request)


API = "/api/"  # reads its bodies itself, once it is known who sends them, and refuses NUL


class NulMiddleware:
    """Takes NUL out of whatever is sent: no browser lets anybody type it, and PostgreSQL has no room for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info and request.path_info.startswith(API):
            request.path = request.path_info = API  # where there is nothing, which is told as the API tells it
        elif "\x00" in request.path_info:
            return _page(request, NotThereError("accounts.no_page"), 404)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *view: Any) -> None:
        """Only now, when the form has been read by the check of where it comes from."""
        if "%00" in request.META.get("QUERY_STRING", ""):
            request.GET = _without_nul(request.GET)
        if request.method != "POST" or request.path_info.startswith(API):
            return
        if any("\x00" in text for _key, texts in request.POST.lists() for text in texts):
            request.POST = _without_nul(request.POST)


def _without_nul(sent: QueryDict) -> Any:
    kept = QueryDict(mutable=True)
    for key, texts in sent.lists():
        kept.setlist(key.replace("\x00", ""), [text.replace("\x00", "") for text in texts])
    kept._mutable = False
    return kept


class DomainErrorMiddleware:
    """Shows a domain error as a page (or, to htmx, as a notice) with the status that fits its kind."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (refused := request.META.get(REFUSED)) is not None:
            return _refused(request, refused)
        response = self.get_response(request)
        if response.status_code == 405 and request.method == "GET":
            # Where a sign-in leads back to after a form met an expired session; browsers would show an empty page.
            page = _page(request, NotAPageError(), 405)
            page.headers["Allow"] = response.headers["Allow"]
            return page
        if getattr(request, "htmx", False) and response.status_code == 302 and _leads_to_sign_in(response):
            return HttpResponseClientRefresh()  # or the whole sign-in page would land inside a part of this one
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if is_busy(error):
            logger.warning("The database was busy at %s", request.path, exc_info=error)
            return _page(request, DatabaseBusyError(), 503)
        if not isinstance(error, DomainError):
            return None
        return _page(request, error, next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400))


def _leads_to_sign_in(response: HttpResponse) -> bool:
    return response.headers["Location"].split("?")[0] == resolve_url(settings.LOGIN_URL)


def _refused(request: HttpRequest, refused: RefusedError) -> HttpResponse:
    """Why the body of a request was not taken in."""
    speak_language_of(request)
    if not request.path_info.startswith(API):
        return _page(request, refused, refused.status)
    reason = Reason("api.body_too_large", most=refused.most) if refused.most else refused.reason
    return JsonResponse(problem(refused.status, reason), status=refused.status, content_type=MEDIA_TYPE)


def _page(request: HttpRequest, error: CodedError, status: int) -> HttpResponse:
    template = "error.html#notice" if getattr(request, "htmx", False) else "error.html"
    reasons = [in_language(reason) for reason in getattr(error, "reasons", ())]
    context = {"error": in_language(error), "reasons": reasons, "status": status, "came_from": _came_from(request)}
    return render(request, template, context, status=status)


def _came_from(request: HttpRequest) -> str:
    """The page of ours that what was refused was sent from; nothing where an address was opened."""
    page = request.headers.get("Referer", "")
    is_ours = request.method == "POST" and url_has_allowed_host_and_scheme(page, {request.get_host()})
    return page if is_ours else ""
