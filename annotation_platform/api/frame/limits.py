"""How often somebody may ask: counted for each minute, told in the headers of every reply."""

import time
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotation_platform.accounts.actors import client_address
from annotation_platform.accounts.models import ApiToken

if TYPE_CHECKING:
    from rest_framework.views import APIView

WINDOW = 60  # seconds


class RateLimit(BaseThrottle):
    """``API_REQUESTS_A_MINUTE`` for each token, else for each person, else for each address."""

    def allow_request(self, request: Request, view: "APIView") -> bool:
        now = time.time()
        window = int(now // WINDOW)
        self._left_seconds = WINDOW - now % WINDOW
        most: int = settings.API_REQUESTS_A_MINUTE
        asked = self._count(f"api:{_who(request)}:{window}")
        request.rate_headers = {  # type: ignore[attr-defined]
            "RateLimit-Limit": str(most),
            "RateLimit-Remaining": str(max(most - asked, 0)),
            "RateLimit-Reset": str(int(self._left_seconds) + 1),
        }
        return asked <= most

    def wait(self) -> float:
        return self._left_seconds

    def _count(self, key: str) -> int:
        cache.add(key, 0, timeout=2 * WINDOW)
        try:
            return int(cache.incr(key) or 1)
        except ValueError:  # the cache is away, or has just forgotten it
            return 1


def _who(request: Request) -> str:
    if isinstance(request.auth, ApiToken):
        return f"token:{request.auth.pk}"
    return f"user:{request.user.pk}" if request.user.pk else f"address:{client_address(request._request)}"
