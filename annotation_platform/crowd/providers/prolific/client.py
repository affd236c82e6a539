"""Prolific's REST API: one request, and what is thought of how it ends."""

import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NoReturn
from urllib.parse import urlencode

from django.conf import settings

from annotation_platform.core.errors import DomainError
from annotation_platform.jobs.outbox.posting import Answer, NotReachedError, PostError, exchange

WHOLE_SECONDS = 30.0
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

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, **query: str | int) -> dict[str, Any]:
        """Make one request, once, and give what the reply says; empty where it says nothing.

        Raises
        ------
        NotSentError
            When nobody could be reached, or there were too many requests.
        RefusalError
            When the reply says no.
        UnclearError
            When there was no whole reply, none that can be read, or the server broke.
        """
        content = self._made(method, path, body, query).content
        if not content.strip():
            return {}
        try:
            told = json.loads(content, parse_constant=_no_number)
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict):
            raise UnclearError("crowd.prolific_other_reply", words=_shown(content))
        return told

    def tell(self, method: str, path: str, body: dict[str, Any] | None = None) -> None:
        """Make one request, once, of which the status says whether it was done, whatever else the reply says.

        Raises
        ------
        NotSentError, RefusalError, UnclearError
            As :meth:`ask`.
        """
        self._made(method, path, body, {})

    def _made(self, method: str, path: str, body: dict[str, Any] | None, query: dict[str, str | int]) -> Answer:
        try:
            reply = self._exchange(method, path, body, query)
        except NotReachedError as error:
            raise NotSentError("crowd.prolific_unreachable", words=error.reason) from error
        except PostError as error:
            raise UnclearError("crowd.prolific_no_reply", words=error.reason) from error
        if 200 <= (status := reply.status) < 300:
            return reply
        said = _said(reply.content)
        if status == 429:
            raise NotSentError("crowd.prolific_too_many", wait=_wait(reply.retry_after))
        if status in (401, 403):
            raise RefusalError("crowd.prolific_refuses_token", status=status)
        if 300 <= status < 500 and status != 408:
            raise RefusalError("crowd.prolific_refuses", status=status, words=said)
        raise UnclearError("crowd.prolific_broke", status=status, words=said)

    def _exchange(self, method: str, path: str, body: dict[str, Any] | None, query: dict[str, str | int]) -> Answer:
        """One request as a whole in its time; redirects are not followed, so that the token goes nowhere else."""
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Token {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        return exchange(
            method,
            f"{self._base}{path}" + (f"?{urlencode(query)}" if query else ""),
            None if body is None else json.dumps(body).encode(),
            headers,
            private=True,  # the operator names the address
            whole_seconds=self._whole,
            most_bytes=LARGEST_REPLY,
        )


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


def _said(content: bytes) -> str:
    """What a reply says is wrong, by Prolific's ``{"error": {"title": …, "detail": …}}``; otherwise its first words."""
    try:
        error = json.loads(content)["error"]
        words = [error["title"], error["detail"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return _shown(content)
    return (
        _shown(": ".join(words).encode(errors="replace"))
        if all(isinstance(each, str) for each in words)
        else _shown(content)
    )


def _shown(content: bytes) -> str:
    """The first words of a reply, as a database can keep them."""
    return content.decode(errors="replace")[:SHOWN_WORDS].replace("\x00", "�")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
