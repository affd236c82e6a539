"""A WSGI application behind an ASGI server, for requests that have been taken in whole.

A slow client, sending or receiving, holds a task of the event loop and no thread. The package a2wsgi bridges the two
as well; with the body at hand already, this takes a third of its processor time for each request.
"""

import asyncio
import io
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, NamedTuple

from annotation_platform.core.text import typed_number
from annotation_platform.server.bodies import GoneError, Receive, RefusedError, pass_over, take_in

Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Any]

REFUSED = "platform.refused"  # in the environment, of a request whose body was not taken in: why
AT_ONCE = 256 * 1024  # bytes of a response that are made before the thread is given to somebody else


class BufferedWsgi:
    """``wsgi`` on so many threads. A request may have ``most`` bytes, or what ``upload_limit`` says of a larger one.

    One that is refused reaches ``wsgi`` as well, without its body and with the reason as ``REFUSED``, so that people
    are told on a page and programs as by the API.

    ``upload_limit`` gets the path, the Cookie header and the Authorization header, and is called on one of the threads.
    """

    def __init__(self, wsgi: Wsgi, *, threads: int, most: int, upload_limit: Callable[[str, str, str], int]) -> None:
        self._wsgi, self._most, self._upload_limit = wsgi, most, upload_limit
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            body, length = await self._take_in(scope, receive)
        except RefusedError as refused:
            environ = environ_of(scope, io.BytesIO(), 0) | {REFUSED: refused}
            await self._respond(environ, send, [(b"connection", b"close")])
            await pass_over(receive)
        except GoneError:
            return
        else:
            with body:
                await self._respond(environ_of(scope, body, length), send)

    async def _take_in(self, scope: Scope, receive: Receive) -> tuple[IO[bytes], int]:
        headers = dict(scope["headers"])
        announced = typed_number(headers.get(b"content-length", b"").decode("latin-1"))
        most = self._most
        if announced is not None and announced > most:
            told = (headers.get(name, b"").decode("latin-1") for name in (b"cookie", b"authorization"))
            most = max(most, await self._on_thread(self._upload_limit, scope["path"], *told))
        return await take_in(receive, announced=announced, most=most)

    async def _respond(
        self, environ: dict[str, Any], send: Send, more_headers: Sequence[tuple[bytes, bytes]] = ()
    ) -> None:
        response = _Response(self._wsgi, environ)
        try:
            part = await self._on_thread(response.next_part)
            headers = [*response.headers, *more_headers]
            await send({"type": "http.response.start", "status": response.status, "headers": headers})
            while True:
                await send({"type": "http.response.body", "body": part.body, "more_body": not part.is_last})
                if part.is_last:
                    return
                part = await self._on_thread(response.next_part)
        finally:
            if not response.is_closed:  # an error came in between, or the client has hung up
                await asyncio.shield(self._on_thread(response.close))

    async def _on_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)


class _Part(NamedTuple):
    body: bytes
    is_last: bool


class _Response:
    """What the application answers, some parts at a time; it runs when the first of them is asked for."""

    def __init__(self, wsgi: Wsgi, environ: dict[str, Any]) -> None:
        self._wsgi, self._environ = wsgi, environ
        self._chunks: Any = None
        self._rest: Iterator[bytes] = iter(())
        self.status, self.headers = 500, list[tuple[bytes, bytes]]()
        self.is_closed = False

    def next_part(self) -> _Part:
        if self._chunks is None:
            self._chunks = self._wsgi(self._environ, self._start)
            self._rest = iter(self._chunks)
        made, size = [], 0
        for chunk in self._rest:
            made.append(chunk)
            size += len(chunk)
            if size >= AT_ONCE:
                return _Part(b"".join(made), is_last=False)
        self.close()
        return _Part(b"".join(made), is_last=True)

    def close(self) -> None:
        self.is_closed = True
        if hasattr(self._chunks, "close"):
            self._chunks.close()

    def _start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> None:
        self.status = int(status.split(" ", 1)[0])
        self.headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def environ_of(scope: Scope, body: IO[bytes], length: int) -> dict[str, Any]:
    """The WSGI environment (PEP 3333) of an ASGI request whose body has been taken in."""
    server, client = scope.get("server") or ("localhost", 0), scope.get("client") or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        if b"_" in name:
            continue  # it would pass for the header with a hyphen, which a proxy may vouch for
        key = f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]}{'; ' if name == b'cookie' else ','}{text}" if key in environ else text
    environ.pop("HTTP_CONTENT_LENGTH", None)
    environ["CONTENT_LENGTH"] = str(length)
    environ["CONTENT_TYPE"] = environ.pop("HTTP_CONTENT_TYPE", "")
    return environ
