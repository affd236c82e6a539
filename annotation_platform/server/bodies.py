"""Taking in the body of a request: not too large, not too slow, and not on any thread."""

import io
import time
from asyncio import timeout
from collections.abc import Awaitable, Callable
from contextlib import suppress
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from annotation_platform.core.errors import CodedError

Receive = Callable[[], Awaitable[dict[str, Any]]]

IN_MEMORY = 256 * 1024  # bytes; what is larger waits in a file
GRACE_SECONDS = 30.0  # for any body
LEAST_BYTES_A_SECOND = 1024.0  # on average, once these are over
PASSED_OVER_SECONDS, PASSED_OVER_BYTES = 10.0, 64 * 1024 * 1024  # of a body that was refused


class GoneError(Exception):
    """The client has hung up."""


class RefusedError(CodedError):
    """A body that is not taken in. The application tells why, in place of what it would have answered.

    ``most``: the bytes that would have been taken, of one that is too large.
    """

    def __init__(self, code: str, *, status: int, most: int = 0, **parameters: Any) -> None:
        self.status, self.most = status, most
        super().__init__(code, **parameters)


def too_large(most: int) -> RefusedError:
    return RefusedError("accounts.body_too_large", status=413, most=most, size=most / 1024**2)


def too_slow() -> RefusedError:
    return RefusedError("accounts.body_too_slow", status=408)


async def take_in(receive: Receive, *, announced: int | None, most: int) -> tuple[IO[bytes], int]:
    """The body and its length.

    Parameters
    ----------
    announced
        What Content-Length says, if it was sent.
    most
        The largest body that is taken, in bytes.

    Raises
    ------
    RefusedError
        It is larger than ``most``, announced or not; or after ``GRACE_SECONDS`` it has come with less than
        ``LEAST_BYTES_A_SECOND`` on average.
    GoneError
        The client hung up before its end.
    """
    if announced is not None and announced > most:
        raise too_large(most)
    began = time.monotonic()
    in_memory = announced is not None and announced <= IN_MEMORY
    body: IO[bytes] = io.BytesIO() if in_memory else SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # given on
    length, more = 0, True
    try:
        while more:
            due = began + GRACE_SECONDS + length / LEAST_BYTES_A_SECOND
            async with timeout(max(0.0, due - time.monotonic())):
                message = await receive()
            if message["type"] == "http.disconnect":
                raise GoneError
            chunk = message.get("body", b"")
            length, more = length + len(chunk), message.get("more_body", False)
            if length > most:
                raise too_large(most)
            body.write(chunk)
    except BaseException as error:
        body.close()
        if isinstance(error, TimeoutError):
            raise too_slow() from None
        raise
    body.seek(0)
    return body, length


async def pass_over(receive: Receive) -> None:
    """Take in what still comes of a body that was refused, for a while, and keep nothing of it.

    Whoever is still sending reads no answer, and loses it where the connection ends under them.
    """
    left = PASSED_OVER_BYTES
    with suppress(TimeoutError):
        async with timeout(PASSED_OVER_SECONDS):
            while left > 0:
                message = await receive()
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
                left -= len(message.get("body", b""))
