"""The one place where domain errors become responses."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render, resolve_url
from django.utils import timezone
from django.utils.translation import activate, get_language
from django_htmx.http import HttpResponseClientRefresh

from annotation_platform.accounts.language import in_language
from annotation_platform.accounts.models import User
from annotation_platform.accounts.zones import COOKIE, zone_named
from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError, NotThereError
from annotation_platform.jobs.transactions import DatabaseBusyError, is_busy


class NotAPageError(DomainError):
    """An address that takes forms only was opened."""

    def __init__(self) -> None:
        super().__init__("accounts.takes_forms_only")


STATUS = {NotThereError: 404, ConflictError: 409, InvalidInputError: 422}


TRANSLATED = (
    "allauth.",
    "annotation_platform.accounts.",
    "annotation_platform.analysis.explorer.",
    "annotation_platform.analysis.paper.",
    "annotation_platform.api.",
    "annotation_platform.workspace.batches.choosing",
    "annotation_platform.workspace.history.",
    "annotation_platform.workspace.home",
    "annotation_platform.analysis.sections.",
    "annotation_platform.annotations.",
    "annotation_platform.crowd.review.own_page",
    "annotation_platform.crowd.consent.reading_page",
    "annotation_platform.crowd.providers.prolific.visiting",
    "annotation_platform.crowd.home.",
    "annotation_platform.crowd.talk.mail_page",
    "annotation_platform.crowd.talk.own_page",
    "annotation_platform.crowd.checks.note_page",
    "annotation_platform.crowd.rounds.own_page",
    "annotation_platform.imports.",
    "annotation_platform.releases.freeze.given_page",
    "annotation_platform.scoreback.",
    "annotation_platform.scoring.",
    "annotation_platform.studies.views.joining",
)
"""Where the views stand whose pages are translated. All others are English as a whole, dates and numbers too."""


class LanguageMiddleware:
    """Gives each page one language: the one that its reader chose, else the browser's; English where it has no other.

    ``request.reader_language`` is the reader's all the same, for the switch in the frame.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., HttpResponse], *_: Any) -> None:
        chosen = request.user.language if isinstance(request.user, User) else ""
        language = chosen or get_language() or settings.LANGUAGE_CODE
        request.reader_language = language  # type: ignore[attr-defined]
        activate(language if view.__module__.startswith(TRANSLATED) else settings.LANGUAGE_CODE)
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
        if "\x00" in request.path_info:
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
            return _page(request, DatabaseBusyError(), 503)
        if not isinstance(error, DomainError):
            return None
        return _page(request, error, next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400))


def _leads_to_sign_in(response: HttpResponse) -> bool:
    return response.headers["Location"].split("?")[0] == resolve_url(settings.LOGIN_URL)


def _page(request: HttpRequest, error: DomainError, status: int) -> HttpResponse:
    template = "error.html#notice" if getattr(request, "htmx", False) else "error.html"
    reasons = [in_language(reason) for reason in getattr(error, "reasons", ())]
    context = {"error": in_language(error), "reasons": reasons, "status": status}
    return render(request, template, context, status=status)
