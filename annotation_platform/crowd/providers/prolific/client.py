"""Prolific's REST API: one request, and what is thought of how it ends."""

import json
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
from django.conf import settings

from annotation_platform.core.errors import DomainError

CONNECT_SECONDS, SILENT_SECONDS, WHOLE_SECONDS = 5.0, 15.0, 30.0
LARGEST_REPLY = 5_000_000  # bytes
LONGEST_WAIT = 3_600.0  # seconds; a server that wants more rest is asked again after so long
SHOWN_WORDS = 500


class NotSentError(DomainError):
    """The request did not reach Prolific, or was not looked at: it can be made again."""

    def __init__(self, code: str, /, *, wait: float | None = None, **parameters: Any) -> None:
        self.wait = wait
        super().__init__(code, **parameters)


class RefusalError(DomainError):
    """Prolific said no; the same request would be refused again."""


class UnclearError(DomainError):
    """Nobody knows whether Prolific did what it was asked for."""


class ProlificClient:
    """Speaks for one study, by its token; without one, about what is public.

    ``base`` is the address that all paths hang on.
    """

    def __init__(self, token: str, *, base: str = "", whole_seconds: float = WHOLE_SECONDS) -> None:
        self._token = token
        self._base = (base or settings.PROLIFIC_API_URL).rstrip("/")
        self._whole = whole_seconds

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, **query: str | int) -> Any:
        """Make one request, once, and give what the reply says.

        Raises
        ------
        NotSentError
            When nobody could be reached, or there were too many requests.
        RefusalError
            When the reply says no.
        UnclearError
            When there was no whole reply, or the server broke.
        """
        try:
            status, headers, content = self._exchange(method, path, body, query)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            raise NotSentError("crowd.prolific_unreachable", words=_words(error)) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            raise UnclearError("crowd.prolific_no_reply", words=_words(error)) from error
        said = content.decode(errors="replace")[:SHOWN_WORDS]
        if status == 429:
            raise NotSentError("crowd.prolific_too_many", wait=_wait(headers.get("Retry-After", "")))
        if status in (401, 403):
            raise RefusalError("crowd.prolific_refuses_token", status=status)
        if 300 <= status < 500 and status != 408:
            raise RefusalError("crowd.prolific_refuses", status=status, words=said)
        if not 200 <= status < 300:
            raise UnclearError("crowd.prolific_broke", status=status, words=said)
        try:
            return json.loads(content) if content.strip() else {}
        except ValueError:
            raise UnclearError("crowd.prolific_no_reply", words=said) from None

    def _exchange(
        self, method: str, path: str, body: dict[str, Any] | None, query: dict[str, str | int]
    ) -> tuple[int, httpx2.Headers, bytes]:
        end = time.monotonic() + self._whole
        limits = httpx2.Timeout(SILENT_SECONDS, connect=CONNECT_SECONDS)
        headers = {"Accept": "application/json"} | ({"Authorization": f"Token {self._token}"} if self._token else {})
        with (
            httpx2.Client(timeout=limits, follow_redirects=False) as client,  # the token goes nowhere else
            client.stream(method, f"{self._base}{path}", json=body, params=query, headers=headers) as reply,
        ):
            content = b""
            for piece in reply.iter_bytes():
                content += piece
                if time.monotonic() > end or len(content) > LARGEST_REPLY:
                    raise TimeoutError("the reply has no end")
            return reply.status_code, reply.headers, content


def _wait(said: str) -> float | None:
    """Seconds that a Retry-After asks for, also where it names a time; None where it says nothing."""
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 1.0), LONGEST_WAIT)


def _words(error: Exception) -> str:
    return str(error)[:SHOWN_WORDS] or type(error).__name__
