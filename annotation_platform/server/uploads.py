"""Who may send more than a form: only people who import files, only where files are taken."""

from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.db import DatabaseError, close_old_connections
from django.http import HttpRequest, parse_cookie
from django.urls import reverse

from annotation_platform.accounts.models import User
from annotation_platform.accounts.tokens import token_of

FORM_PARTS = 1_000_000  # bytes beside the files: names and boundaries


def upload_limit(path: str, cookies: str, authorization: str = "") -> int:
    """The most bytes that whoever has these cookies, or this token, may send to this path; 0 for no upload at all."""
    is_for_programs = path.rstrip("/") in (reverse("api_corpora"), reverse("api_imports"))
    if not is_for_programs and not path.startswith(reverse("import_study")):
        return 0
    close_old_connections()
    try:
        secret = authorization.partition(" ")[2].strip() if is_for_programs else ""
        token = token_of(secret) if secret else None
        user = token.user if token else get_user(_asking(cookies))
        may_import = isinstance(user, User) and user.may_create_studies
    except DatabaseError:
        may_import = False
    return settings.IMPORT_MAX_MEGABYTES * 1_000_000 + FORM_PARTS if may_import else 0


def _asking(cookies: str) -> HttpRequest:
    request = HttpRequest()
    request.COOKIES = parse_cookie(cookies)
    sessions = import_module(settings.SESSION_ENGINE)
    request.session = sessions.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    return request
