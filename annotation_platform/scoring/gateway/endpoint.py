"""One attempt at a request to an OpenAI-compatible server, and what is thought of how it ends."""

import asyncio
import json
import random
import time
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from annotation_platform.core.errors import CodedError, DomainError
from annotation_platform.core.reasons import Reason

if TYPE_CHECKING:
    from ssl import SSLContext

    from openai import AsyncOpenAI

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
RETRIED = {408, 409, 425, 429}
MOST_TOKENS = 10_000_000  # no model reads or writes so much at once: what is above is a server's mistake
REFUSED_ALONE = {400, 413, 422}  # about one request: too long, filtered, …
BROKEN_OFF = "error"
"""Why a reply ended, where Mistral's servers or OpenRouter met an error in the middle of it."""
REFUSALS = {
    401: "scoring.server_refuses_key",
    403: "scoring.server_forbids_model",
    404: "scoring.server_without_model",
    **dict.fromkeys((301, 302, 303, 307, 308), "scoring.server_redirects"),
}


Result = TypeVar("Result")

_begun: ContextVar[list[Any]] = ContextVar("begun")
"""The responses of which the task at work has the head."""


class ModelRequestError(DomainError):
    """The model server refuses what it is asked; the same request would be refused again."""

    def __init__(self, code: str, /, *, status: int = 0, **parameters: Any) -> None:
        super().__init__(code, status=status, **parameters)
        self.status = status

    @property
    def concerns_one(self) -> bool:
        """Whether others may be answered all the same."""
        return self.status in REFUSED_ALONE


class ModelServerError(DomainError):
    """The model server gave no usable answer in any attempt. The same request may succeed later."""


class UnavailableError(CodedError):
    """One attempt failed in a way that may be over by the next."""

    def __init__(self, code: str, /, *, retry_after: float | None = None, **parameters: Any) -> None:
        self.retry_after = retry_after
        super().__init__(code, **parameters)


class BilledError(UnavailableError):
    """One attempt brought no reply that is of use. The server may bill it all the same.

    ``prompt_tokens`` and ``completion_tokens`` are what it counts for it, None where it does not say.
    """

    def __init__(
        self, code: str, /, *, prompt_tokens: int | None = None, completion_tokens: int | None = None, **parameters: Any
    ) -> None:
        self.prompt_tokens, self.completion_tokens = prompt_tokens, completion_tokens
        super().__init__(code, **parameters)


class LateError(BilledError):
    """No whole answer came in the time that it was waited for.

    ``came`` are the bytes of its body that did come.
    """

    def __init__(self, waited: float, came: int = 0) -> None:
        self.waited, self.came = waited, came
        if came:
            super().__init__("scoring.server_unfinished", seconds=waited, bytes=came)
        else:
            super().__init__("scoring.server_silent", seconds=waited)


@dataclass(frozen=True)
class Address:
    """A model server, the key it wants, and where that key comes from, for people."""

    base_url: str
    api_key: str
    key_source: str
    timeout: float


@dataclass(frozen=True)
class ModelReply:
    text: str
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    finish_reason: str = ""


def make_client(address: Address, timeout: Any = None) -> "AsyncOpenAI":
    """openai's client; ``timeout`` stands in for the address's own.

    Raises
    ------
    ModelRequestError
        No request can be sent to such an address.
    """
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    try:
        # Attempts are counted by the caller alone. Servers that need no key still want one to be sent.
        return AsyncOpenAI(
            # Only the address itself has been checked, not what a server may send requests on to.
            http_client=DefaultAsyncHttpxClient(
                follow_redirects=False, event_hooks={"response": [_note]}, verify=_certificates()
            ),
            base_url=address.base_url,
            api_key=address.api_key or "none",
            timeout=timeout or address.timeout,
            max_retries=0,
        )
    except Exception as error:  # whatever the libraries below make of an impossible address
        raise cannot_be_asked(address, error) from error


@cache
def _certificates() -> "SSLContext":
    """Whom to believe where a connection is encrypted; reading them takes longer than all else that a client does."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


def cannot_be_asked(address: Address, error: Exception) -> ModelRequestError:
    return ModelRequestError("scoring.server_not_askable", server=address.base_url, why=error)


class Endpoint:
    """A model server, for use within one event loop."""

    def __init__(self, address: Address) -> None:
        from openai import Timeout  # slow to import; only who asks models pays for it

        # How long an answer may take is decided while it is waited for; a connection has its time from the start.
        self._address = address
        self._client = make_client(address, Timeout(None, connect=address.timeout))

    async def close(self) -> None:
        await self._client.close()

    async def attempt(
        self, body: dict[str, Any], *, mark: str = "", patience: Callable[[], float] | None = None
    ) -> ModelReply:
        """Send a chat completion request once.

        ``mark`` goes along as Idempotency-Key: a server that knows it gives its earlier reply instead of a new one.
        ``patience`` says how many seconds to wait in all; it is asked again before giving up.

        Raises
        ------
        ModelRequestError
            Refused for good.
        UnavailableError
            Busy, broken or silent this time; a BilledError where it had the request, and may have answered.
        """
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            # Not by chat.completions.create: checking types both ways costs as much as all the rest of a request.
            options: Any = {"headers": {"Idempotency-Key": mark}} if mark else {}
            call = self._client.post("/chat/completions", cast_to=str, body=body, options=options)
            reply = await wait_for(call, patience or (lambda: self._address.timeout))
        except LateError:
            raise
        except APITimeoutError:
            raise UnavailableError("scoring.server_not_reached_in_time", seconds=self._address.timeout) from None
        except APIConnectionError as error:
            raise _broken_off(error.__cause__ or error) from None
        except APIStatusError as error:
            retry_after = seconds(error.response.headers.get("retry-after"))
            raise judge_status(self._address, body, error.status_code, error.response.text, retry_after) from None
        except Exception as error:  # as above
            raise cannot_be_asked(self._address, error) from error
        return read_reply(reply, self._address.api_key)


def _broken_off(why: BaseException) -> UnavailableError:
    """What a broken connection means: a server that has the whole request may be at work on it, or have ended."""
    from httpx2 import ReadError, RemoteProtocolError

    begun = _begun.get([])
    if any(response.is_success for response in begun):
        return BilledError("scoring.server_cut_off", why=why)
    if not begun and isinstance(why, ReadError | RemoteProtocolError):
        return BilledError("scoring.server_hung_up", why=why)
    return UnavailableError("scoring.server_not_reached", why=why)


async def wait_for(call: Coroutine[Any, Any, Result], patience: Callable[[], float]) -> Result:
    """What a call gives.

    Raises
    ------
    LateError
        It took longer in all than ``patience`` allowed, which may grow meanwhile; it is cancelled, whatever has come.
    """
    begun: list[Any] = []
    _begun.set(begun)
    task, started = asyncio.ensure_future(call), time.monotonic()
    try:
        while (left := patience() - (time.monotonic() - started)) > 0:
            if (await asyncio.wait({task}, timeout=left))[0]:
                return task.result()
        raise LateError(patience(), begun[-1].num_bytes_downloaded if begun else 0)
    finally:
        task.cancel()


async def _note(response: Any) -> None:
    """Keep hold of a response whose body is still to come."""
    _begun.get([]).append(response)


def judge_status(
    address: Address, body: dict[str, Any], status: int, text: str, retry_after: float | None = None
) -> UnavailableError | ModelRequestError:
    """What a status other than success means."""
    words = words_of(text, address.api_key)
    if status in RETRIED or status >= 500:
        return UnavailableError("scoring.server_unwell", retry_after=retry_after, status=status, words=words)
    return ModelRequestError(
        REFUSALS.get(status, "scoring.server_refuses"),
        status=status,
        server=address.base_url,
        key=address.key_source,
        model=body.get("model", ""),
        words=words,
    )


def read_reply(body: str, api_key: str = "") -> ModelReply:
    """The reply in a response's body. The server is not trusted to send what the protocol promises.

    What it says instead is told without ``api_key``.

    Raises
    ------
    BilledError
        The server broke it off, or counts tokens for what is none.
    UnavailableError
        It is none.
    """
    usage: dict[str, int | None] = {}
    try:
        data = json.loads(body)
        usage = _usage(data)
        choice = data["choices"][0]
        if choice.get("finish_reason") == BROKEN_OFF:
            raise BilledError("scoring.server_broke_off", **usage)
        text, declined = _said(choice["message"].get("content")), choice["message"].get("refusal")
        return ModelReply(
            text=storable(str(declined) if declined else text),
            finish_reason="refusal" if declined else storable(str(choice.get("finish_reason") or ""))[:40],
            model=storable(str(data.get("model", ""))),
            prompt_tokens=usage["prompt_tokens"],
            completion_tokens=usage["completion_tokens"],
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        code, said = _said_instead(body, api_key)
        if any(usage.values()):
            raise BilledError(code, **usage, **said) from None
        raise UnavailableError(code, **said) from None


def _said_instead(body: str, api_key: str) -> tuple[str, dict[str, Any]]:
    """The code of what a response is that is no chat completion, and what its sentence tells."""
    if body.lstrip().startswith("<"):
        return "scoring.server_sends_a_page", {}
    try:
        is_error = bool(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        is_error = False
    if is_error:
        return "scoring.server_sends_an_error", {"words": words_of(body, api_key)}
    return "scoring.server_speaks_otherwise", {}


def _said(content: Any) -> str:
    """What a message says: its content, or of content in parts, as some servers send where a model thinks aloud, the
    parts that are text."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return content or ""


def pause_before(attempt: int, retry_after: float | None) -> float:
    """Seconds before the next attempt: exponential with jitter above half; at least what the server asked for."""
    pause: float = min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE) * random.uniform(0.5, 1.0)
    return max(pause, retry_after or 0.0)


def seconds(retry_after: str | None) -> float | None:
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


def _usage(data: Any) -> dict[str, int | None]:
    """The tokens that a response says were used, in and out."""
    found = data.get("usage")
    found = found if isinstance(found, dict) else {}
    return {name: _count(found.get(name)) for name in ("prompt_tokens", "completion_tokens")}


def words_of(body: str, api_key: str) -> str:
    """What the server said about it, without the key, which some servers repeat."""
    try:
        said = json.loads(body)["error"]
        text = str(said["message"] if isinstance(said, dict) else said)
    except (ValueError, KeyError, TypeError, RecursionError):
        text = body
    return in_a_line(text, api_key)


def in_a_line(said: str, api_key: str) -> str:
    """A server's own words, as they may stand in a sentence: one short line without the key."""
    if api_key:
        said = said.replace(api_key, "(key)")
    return " ".join(storable(said).split())[:300].rstrip(".") or Reason("words.nothing_said")


def storable(text: str) -> str:
    """Without what a database cannot hold: NUL characters and halves of surrogate pairs."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None
