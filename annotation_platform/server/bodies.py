"""Taking in the body of a request: not too large, not too slow, and not on any thread."""

import io
import time
from asyncio import timeout
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Any

Receive = Callable[[], Awaitable[dict[str, Any]]]

IN_MEMORY = 256 * 1024  # bytes; what is larger waits in a file
GRACE_SECONDS = 30.0  # for any body
LEAST_BYTES_A_SECOND = 1024.0  # on average, once these are over


class GoneError(Exception):
    """The client has hung up."""


@dataclass
class RefusedError(Exception):
    """A body that is not taken in; status and sentence are what the client is told."""

    status: int
    sentence: str


def too_large(most: int) -> RefusedError:
    return RefusedError(
        413, f"This is more than {most / 1024**2:.0f} MB, the most that can be sent to this page. Send less at a time."
    )


TOO_SLOW = RefusedError(
    408, "This took too long to arrive, so nothing of it was kept. Please check your connection and send it again."
)


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
            raise TOO_SLOW from None
        raise
    body.seek(0)
    return body, length
