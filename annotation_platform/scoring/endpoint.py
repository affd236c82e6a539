"""One request to an OpenAI-compatible server, tried again when the server is busy, broken or silent.

Part of the gateway and used by nothing else.
"""

import json
import random
import threading
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from annotation_platform.core.errors import DomainError

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
LONGEST_RETRY_AFTER = 120.0  # a server that wants to rest longer is as good as unreachable
RETRIED = {408, 409, 425, 429}
REASONS = {
    401: "does not accept the key in OPENAI_API_KEY",
    403: "does not let this key use the model",
    404: "does not know the model (or the address is wrong)",
}


class ModelRequestError(DomainError):
    """The model server refuses what it is asked; the same request would be refused again."""


class ModelServerError(DomainError):
    """The model server gave no usable answer in any attempt. The same request may succeed later."""


@dataclass(frozen=True)
class ModelReply:
    text: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None


class _Unavailable(Exception):
    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(reason)


class Endpoint:
    """A model server. ``ask`` may be called from many threads; once ``stopping`` is set nothing is tried again."""

    def __init__(self, *, base_url: str, api_key: str, timeout: float, retries: int, stopping: threading.Event) -> None:
        from openai import OpenAI  # slow to import and large; only a process that asks models pays for it

        self._base_url, self._api_key = base_url, api_key
        self._timeout, self._retries, self._stopping = timeout, retries, stopping
        # Attempts are counted here alone. Servers that need no key still want one to be sent.
        self._client = OpenAI(base_url=base_url, api_key=api_key or "none", timeout=timeout, max_retries=0)

    def close(self) -> None:
        self._client.close()

    def ask(self, request: dict[str, Any]) -> ModelReply:
        """Send a chat completion request.

        Raises
        ------
        ModelRequestError
            Refused for good.
        ModelServerError
            Busy, broken or silent in every attempt.
        """
        attempt = 0
        while True:
            try:
                return self._attempt(request)
            except _Unavailable as error:
                attempt += 1
                if attempt > self._retries or self._stopping.wait(self._pause(attempt, error.retry_after)):
                    times = "once" if attempt == 1 else f"{attempt} times"
                    raise ModelServerError(f"The model server {self._base_url} {error} (asked {times}).") from None

    def _attempt(self, request: dict[str, Any]) -> ModelReply:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            response = self._client.chat.completions.with_raw_response.create(**request)
            return _read(response.text)
        except APITimeoutError:
            raise _Unavailable(f"did not answer within {self._timeout:g} seconds") from None
        except APIConnectionError as error:
            raise _Unavailable(f"cannot be reached: {error.__cause__ or error}") from None
        except APIStatusError as error:
            status, words = error.status_code, self._words(error.response.text)
            if status in RETRIED or status >= 500:
                retry_after = _seconds(error.response.headers.get("retry-after"))
                raise _Unavailable(f"answered with status {status}: {words}", retry_after) from None
            reason = REASONS.get(status, "refuses the request")
            model = request["model"]
            raise ModelRequestError(
                f"The model server {self._base_url} {reason} (model “{model}”, status {status}: {words})."
            ) from None

    def _words(self, body: str) -> str:
        """What the server said about it, without the key, which some servers repeat."""
        try:
            said = json.loads(body)["error"]
            text = str(said["message"] if isinstance(said, dict) else said)
        except (ValueError, KeyError, TypeError):
            text = body
        if self._api_key:
            text = text.replace(self._api_key, "(key)")
        return " ".join(text.split())[:300].rstrip(".") or "no reason given"

    def _pause(self, attempt: int, retry_after: float | None) -> float:
        """Exponential with full jitter above half; at least what the server asked for."""
        pause: float = min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE) * random.uniform(0.5, 1.0)
        return max(pause, min(retry_after or 0.0, LONGEST_RETRY_AFTER))


def _read(body: str) -> ModelReply:
    """The reply in a response's body. The server is not trusted to send what the protocol promises."""
    try:
        data = json.loads(body)
        text = data["choices"][0]["message"].get("content") or ""
        usage = data.get("usage") or {}
        reply = ModelReply(
            text=_storable(text),
            model=_storable(str(data.get("model", ""))),
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise _Unavailable("answered with something that is no chat completion") from None
    return reply


def _storable(text: str) -> str:
    """Without what a database cannot hold: NUL characters and halves of surrogate pairs."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def _seconds(retry_after: str | None) -> float | None:
    """Retry-After as seconds from now: it is a number or a date."""
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
