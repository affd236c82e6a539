"""Requests: tried again where that does no harm, pages hidden, errors told."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2

from annotation_client.errors import (
    IN_FLIGHT,
    BrokenError,
    BusyError,
    ConflictError,
    LostAnswerError,
    NotThereError,
    ProblemError,
    UnreachableError,
    problem,
)
from annotation_client.parts import Part
from annotation_client.sending import NDJSON, is_as_sent, key_of

ROOT = "/api/v1"
SECONDS = 60.0
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
LONGEST_PAUSE = 60.0
LONGEST_WORK = 900.0
"""Seconds for which a POST is asked for again that the platform is still working on."""
BUSY, BROKEN = (429, 503), (500, 502, 504)
SAFE = ("GET", "PUT", "DELETE", "POST")
"""Done once, however often they are sent: a POST by its key."""
CONDITIONS = {"If-Match", "If-None-Match"}
REPEATED = "Idempotent-Replay"
NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
PAGE = 500


class AsyncTransport:
    """Speaks for one token to one platform."""

    def __init__(self, url: str, token: str, *, language: str = "en", seconds: float = SECONDS) -> None:
        self.url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {token_of(token)}", "Accept-Language": language}
        self._client = httpx2.AsyncClient(headers=headers, timeout=seconds)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def get(self, path: str, **params: Any) -> Any:
        """What an address gives; parameters that are None are left out."""
        return (await self.ask("GET", path, params=params)).json()

    async def post(self, path: str, body: Any = None, *, key: str = "") -> Any:
        """What a POST gives; it is done once, however often it is tried."""
        return (await self.ask("POST", path, json={} if body is None else body, key=key)).json()

    async def make(self, path: str, *, key: str, where: str, **request: Any) -> tuple[dict[str, Any], bool]:
        """What a POST makes, and whether it was not there before: whoever asks for the same makes nothing twice.

        The platform's answer of before counts as long as it holds: after one that refused, and once what was made is
        gone (another of its name does not count), it is asked anew.

        Parameters
        ----------
        key
            Says what is asked for (:func:`annotation_client.sending.key_of`), so that another process has the same.
        where
            The path of what was made, with its fields in braces.
        request
            As for :meth:`ask`.
        """
        while True:
            try:
                reply = await self.ask("POST", path, key=key, **request)
                made: dict[str, Any] = reply.json()
                if REPEATED not in reply.headers:
                    return made, True
                with suppress(NotThereError):
                    if (await self.get(where.format_map(made)))["created_at"] == made["created_at"]:
                        return made, False
            except ProblemError as error:
                if not error.is_repeated:
                    raise
            key = key_of(key)

    async def change(
        self, path: str, settings: Mapping[str, Any], *, method: str = "PATCH", within: str | None = None
    ) -> Any:
        """Change what two may change, whatever somebody else changed meanwhile in other settings.

        Parameters
        ----------
        method
            ``PUT`` also sets up what is not there yet.
        within
            The field of the reply that has the settings, where they are not the reply itself.

        Raises
        ------
        ConflictError
            When somebody changed it in the moment between reading and changing.
        LostAnswerError
            When an answer was lost, and what is there is not surely what was sent.
        """
        try:
            condition = {"If-Match": (await self.ask("GET", path)).headers["ETag"]}
        except NotThereError:
            if method != "PUT":
                raise
            condition = {"If-None-Match": "*"}
        try:
            return (await self.ask(method, path, json=dict(settings), headers=condition)).json()
        except ConflictError as error:
            if error.status != 412 or not error.answer_was_lost:
                raise
            found = await self.get(path)
            if not is_as_sent(found[within] if within else found, settings):
                raise LostAnswerError(error, found) from error
            return found

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        key: str = "",
        **body: Any,
    ) -> httpx2.Response:
        """One request.

        Parameters
        ----------
        key
            Idempotency key of a POST; one is made up without.

        Raises
        ------
        UnreachableError
            When there was no answer.
        ProblemError
            When the answer says no. That there is nothing (404) is no such answer to a DELETE that was sent again
            because its answer was lost: it is done.
        """
        sent = dict(headers or {})
        if method == "POST":
            sent["Idempotency-Key"] = key or uuid4().hex
        end = time.monotonic() + LONGEST_WORK
        for pause in chain(PAUSES, repeat(PAUSES[-1])):
            try:
                return await self._tried(method, path, params=params, headers=sent, **body)
            except BusyError as error:
                if error.code != IN_FLIGHT or time.monotonic() > end:
                    raise
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    async def _tried(
        self, method: str, path: str, *, params: Mapping[str, Any] | None, headers: Mapping[str, str], **body: Any
    ) -> httpx2.Response:
        """One request, tried again where that does no harm."""
        given = {name: value for name, value in (params or {}).items() if value is not None} or None
        is_safe = method in SAFE or not CONDITIONS.isdisjoint(headers)
        was_lost = False
        for pause in (*PAUSES, None):
            try:
                reply = await self._client.request(method, self.address(path), params=given, headers=headers, **body)
            except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
                raise UnreachableError(f"{self.url} is no address: {error}") from error
            except httpx2.TransportError as error:
                if pause is None or not is_safe:
                    raise UnreachableError(f"{self.url} cannot be reached: {_words(error)}") from error
                was_lost = was_lost or not isinstance(error, NOT_SENT)
            else:
                self._check_sender(reply)
                if reply.is_success or (was_lost and method == "DELETE" and reply.status_code == 404):
                    return reply
                refused = _refused(reply, answer_was_lost=was_lost)
                if pause is None or not _may_repeat(reply, is_safe=is_safe):
                    raise refused
                was_lost = was_lost or reply.status_code in BROKEN
                pause = _asked_pause(refused, pause)
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    async def rows(self, path: str, **params: Any) -> AsyncIterator[dict[str, Any]]:
        """A list, page by page."""
        following: str | None = path
        asked: dict[str, Any] = {"limit": PAGE, **params}
        while following:
            page = await self.get(following, **asked)
            for row in page["results"]:
                yield row
            following, asked = page["next"], {}

    async def lines(self, path: str, **params: Any) -> AsyncIterator[dict[str, Any]]:
        """A list as lines, read while they are sent.

        Raises
        ------
        UnreachableError
            When the connection breaks once it has begun; a list that ends is whole.
        """
        given = {name: value for name, value in params.items() if value is not None} or None
        pauses, has_begun = iter(PAUSES), False
        while True:
            try:
                async with self._client.stream(
                    "GET", self.address(path), params=given, headers={"Accept": NDJSON}
                ) as reply:
                    self._check_sender(reply)
                    if not reply.is_success:
                        await reply.aread()
                        raise _refused(reply)
                    has_begun, rest = True, b""
                    async for piece in reply.aiter_bytes():
                        # Only a line feed ends a line: texts may hold other ends of lines, such as U+2028.
                        whole, _, rest = (rest + piece).rpartition(b"\n")
                        for line in filter(None, whole.decode().split("\n")):
                            yield json.loads(line)
                    if rest:
                        yield json.loads(rest)
                    return
            except (httpx2.TransportError, BusyError, BrokenError) as error:
                pause = _pause_after(error, None if has_begun else next(pauses, None))
            await asyncio.sleep(pause)

    async def download(self, path: str, to: Path) -> Path:
        """A file, whole or not at all; what broke off goes on where it was (``NAME.part``), also in another process.

        Raises
        ------
        UnreachableError
            When the connection breaks again and again, and nothing comes.
        OSError
            When another program is downloading to the same place.
        """
        with Part(to) as part:
            pauses = iter(PAUSES)
            while True:
                before = part.size
                try:
                    await self._take(path, part)
                    return part.whole()
                except (httpx2.TransportError, BusyError, BrokenError) as error:
                    if part.size > before:
                        pauses = iter(PAUSES)
                    pause = _pause_after(error, next(pauses, None))
                await asyncio.sleep(pause)

    async def _take(self, path: str, part: Part) -> None:
        """Ask for what is missing, or for the whole where the file has no ranges or is another one by now."""
        async with self._client.stream("GET", self.address(path), headers=part.headers) as reply:
            self._check_sender(reply, is_file=True)
            if reply.status_code == 416:
                if not part.is_all(reply.headers):
                    part.begin({})
                    raise httpx2.RemoteProtocolError("What had come was not the beginning of the file.")
                return
            if not reply.is_success:
                await reply.aread()
                raise _refused(reply)
            if not part.goes_on(reply.status_code, reply.headers):
                part.begin(reply.headers)
            async for piece in reply.aiter_bytes():
                part.add(piece)

    def _check_sender(self, reply: httpx2.Response, *, is_file: bool = False) -> None:
        """
        Raises
        ------
        UnreachableError
            When somebody else answers at this address: another server, or the page of a network to sign in to.
        """
        if reply.has_redirect_location:
            raise UnreachableError(f"{self.url} leads to {reply.headers['Location']}. Give that server's address.")
        kind = reply.headers.get("Content-Type") or "json"  # what says nothing has no type, or an empty one
        if reply.is_success and ("html" in kind if is_file else "json" not in kind):
            raise UnreachableError(f"{self.url} answers with {kind}, so this is not the platform's API. Look there.")

    def address(self, path: str) -> str:
        """The address of a path of the API. One that the platform gave must be its own, for the token goes there."""
        if not path.startswith(("http://", "https://")):
            return f"{self.url}{ROOT}{path}"
        inside = path.partition(f"{ROOT}/")[2]
        return f"{self.url}{ROOT}/{inside}"


def token_of(text: str) -> str:
    """A token without the spaces and the line feed that come along where it is copied or read from a file.

    Raises
    ------
    ValueError
        When a header could not hold it. It is not told: errors are kept in logs and notebooks.
    """
    token = text.strip()
    if not (token.isascii() and token.isprintable()):
        raise ValueError("The token holds characters that no token has. Copy it once more.")
    return token


def _may_repeat(reply: httpx2.Response, *, is_safe: bool) -> bool:
    """Whether the same request can be sent again without being done twice."""
    return reply.status_code in BUSY or (reply.status_code in BROKEN and is_safe)


def _refused(reply: httpx2.Response, *, answer_was_lost: bool = False) -> ProblemError:
    """The error for a reply that has been read and says no."""
    said = reply.headers.get("Retry-After", "")
    return problem(
        reply.status_code,
        _json(reply),
        answer_was_lost=answer_was_lost,
        is_repeated=REPEATED in reply.headers,
        retry_after=float(said) if said.isascii() and said.isdigit() else 0.0,
    )


def _asked_pause(refused: ProblemError, usual: float) -> float:
    return min(max(refused.retry_after, usual), LONGEST_PAUSE)


def _pause_after(error: Exception, usual: float | None) -> float:
    """How long to wait before a stream is asked for again; None: it is not, and the error is raised."""
    if isinstance(error, ProblemError):
        if usual is None:
            raise error
        return _asked_pause(error, usual)
    if usual is None:
        raise UnreachableError(f"The connection broke: {_words(error)}") from error
    return usual


def _json(reply: httpx2.Response) -> dict[str, Any]:
    try:
        body = reply.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
