"""The one place where domain errors become responses."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation_platform.core.errors import ConflictError, DomainError, InvalidInputError, NotThereError

STATUS = {NotThereError: 404, ConflictError: 409, InvalidInputError: 422}


class DomainErrorMiddleware:
    """Shows a domain error as a page (or, to htmx, as a notice) with the status that fits its kind."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DomainError):
            return None
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
        template = "error.html#notice" if getattr(request, "htmx", False) else "error.html"
        return render(request, template, {"error": error, "status": status}, status=status)
