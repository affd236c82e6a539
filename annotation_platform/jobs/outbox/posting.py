"""One request to a server outside: bounded in time as a whole, followed nowhere, to no private address unless allowed.

This is how threads of ours speak to any server: webhooks, scores that are sent back, crowd providers. (Language models
are asked in an event loop, many at a time, each for as long as replies take there: ``scoring.gateway.endpoint``.)

A limit for silence alone ends nothing that comes a letter at a time, so when the time is over the line is cut from
another thread, whatever is read or written by then. The name is resolved once and the connection goes to an address
that was looked at, so that a name cannot mean another machine a moment later (DNS rebinding).
"""

import http.client
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from queue import Empty, Queue
from threading import Thread, Timer
from urllib.parse import SplitResult, urlsplit

from annotation_platform.core.errors import InvalidInputError

WHOLE_SECONDS = 15.0
FIRST_BYTES = 500
LONGEST_ADDRESS = 500
DEFAULT_PORTS = {"https": 443, "http": 80}
_TRANSLATED = ip_network("64:ff9b::/96")  # an IPv4 address behind NAT64
_LOCAL = [ip_network(each) for each in ("192.0.0.0/24", "::/96", "64:ff9b:1::/48", "fec0::/10")]
"""What Python takes for global: protocols' own, version 4 within 6, behind a NAT64 of one's own, a site's."""


class PostError(InvalidInputError):
    """There was no answer."""


class NotReachedError(PostError):
    """Nothing was sent, since no server could be reached."""


@dataclass(frozen=True)
class Answer:
    """The status that a server gave, what it said, and its ``Retry-After``, if any."""

    status: int
    content: bytes
    retry_after: str = ""

    @property
    def beginning(self) -> str:
        """The first bytes as text."""
        return self.content[:FIRST_BYTES].decode(errors="replace").replace("\x00", "�")

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


def check_web_address(address: str, *, private: bool) -> SplitResult:
    """What a web address is made of.

    Parameters
    ----------
    private
        Whether private networks may be reached; only then without encryption.

    Raises
    ------
    InvalidInputError
        When it is none that a message may be sent to.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise InvalidInputError("jobs.post_address_wrong") from None
    if len(address) > LONGEST_ADDRESS or not address.isascii() or not address.isprintable() or " " in address:
        raise InvalidInputError("jobs.post_address_wrong")
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or port == 0 or parts.username or parts.password:
        raise InvalidInputError("jobs.post_address_wrong")
    if parts.scheme == "http" and not private:
        raise InvalidInputError("jobs.post_unencrypted")
    with suppress(ValueError):
        _check_reachable(ip_address(parts.hostname), private=private)
    return parts


def post(
    address: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    private: bool,
    whole_seconds: float = WHOLE_SECONDS,
    method: str = "POST",
) -> Answer:
    """Send a body and give the beginning of the answer, within ``whole_seconds`` from looking the name up to the end.

    Raises
    ------
    PostError
        When nobody could be reached, the address is a private one, or there was no answer in time.
    """
    return _talk(method, address, body, headers, private=private, seconds=whole_seconds)


def exchange(
    method: str,
    address: str,
    body: bytes | None,
    headers: Mapping[str, str],
    *,
    private: bool,
    whole_seconds: float,
    most_bytes: int,
) -> Answer:
    """Make a request and give the whole answer, within ``whole_seconds`` from looking the name up to its last byte.

    Raises
    ------
    NotReachedError
        When nothing was sent.
    PostError
        When it was, and there was no whole answer in time, or one of more than ``most_bytes``.
    """
    return _talk(method, address, body, headers, private=private, seconds=whole_seconds, most_bytes=most_bytes)


def _talk(
    method: str,
    address: str,
    body: bytes | None,
    headers: Mapping[str, str],
    *,
    private: bool,
    seconds: float,
    most_bytes: int | None = None,
) -> Answer:
    """``most_bytes``: of the answer, which is read to its end; None where its beginning is enough."""
    parts = check_web_address(address, private=private)
    end = time.monotonic() + seconds
    host, port = str(parts.hostname), parts.port or DEFAULT_PORTS[parts.scheme]
    targets = _resolve(host, port, private=private, seconds=seconds)
    line = _Line(host, port, targets=targets, is_encrypted=parts.scheme == "https", end=end)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kind: type[PostError] = NotReachedError
    try:
        line.connect()
        kind = PostError
        line.request(method, path, body, {**headers, "Connection": "close"})
        with line.getresponse() as reply:
            content = _beginning(reply) if most_bytes is None else _whole(reply, most_bytes, line)
            return Answer(reply.status, content, reply.headers.get("Retry-After", ""))
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, TimeoutError) or line.is_over:
            raise kind("jobs.post_too_slow", seconds=round(seconds)) from error
        raise kind("jobs.post_failed", words=_words(error)) from error
    finally:
        line.end()


class _Line(http.client.HTTPConnection):
    """A connection to one of the addresses that were looked up before; all of it is over when the time is."""

    def __init__(self, host: str, port: int, *, targets: Sequence[str], is_encrypted: bool, end: float) -> None:
        self._targets, self._is_encrypted, self._ends_at = targets, is_encrypted, end
        self.default_port = DEFAULT_PORTS["https" if is_encrypted else "http"]  # for the Host header
        super().__init__(host, port, timeout=self._left())
        self._raw: socket.socket | None = None
        self.is_over = False
        self._end = Timer(self._left(), self._cut_off)
        self._end.daemon = True

    def connect(self) -> None:
        self._end.start()
        self.sock = self._reached()
        self._raw = self.sock.dup()  # stays the same line when TLS takes the socket over, or only the answer is left
        if self.is_over:  # it was cut before there was anything to cut
            raise TimeoutError
        self.sock.settimeout(self._left())
        if self._is_encrypted:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)

    def _left(self) -> float:
        return max(self._ends_at - time.monotonic(), 0.01)

    def _reached(self) -> socket.socket:
        """The first address where somebody answers; each has its part of the time, for one may be silent."""
        failed: OSError | None = None
        for number, target in enumerate(self._targets):
            try:
                return socket.create_connection((target, self.port), self._left() / (len(self._targets) - number))
            except OSError as error:
                failed = error
        raise failed or TimeoutError

    def end(self) -> None:
        self._end.cancel()
        self.close()
        if self._raw is not None:
            self._raw.close()

    def _cut_off(self) -> None:
        self.is_over = True
        if self._raw is not None:
            with suppress(OSError):
                self._raw.shutdown(socket.SHUT_RDWR)


def _beginning(reply: http.client.HTTPResponse) -> bytes:
    """The first bytes of what is said, as far as it comes; the status counts without it."""
    try:
        return reply.read(FIRST_BYTES)
    except (OSError, http.client.HTTPException):
        return b""


def _whole(reply: http.client.HTTPResponse, most_bytes: int, line: _Line) -> bytes:
    """All that is said; where its length was not announced, a line that was cut looks like the end of it."""
    content = reply.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise http.client.HTTPException(f"the answer is longer than {most_bytes:,} bytes")
    if line.is_over:
        raise TimeoutError
    if reply.length:
        raise http.client.IncompleteRead(content, reply.length)
    return content


def _resolve(host: str, port: int, *, private: bool, seconds: float) -> list[str]:
    """The addresses of a name; on a thread of its own, for a name server that is silent cannot be interrupted."""
    found: Queue[list[str] | OSError] = Queue()

    def look_up() -> None:
        try:
            found.put([str(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)])
        except (OSError, UnicodeError) as error:
            found.put(error if isinstance(error, OSError) else OSError(str(error)))

    Thread(target=look_up, name="name look-up", daemon=True).start()
    try:
        addresses = found.get(timeout=seconds)
    except Empty:
        raise NotReachedError("jobs.post_too_slow", seconds=round(seconds)) from None
    if isinstance(addresses, OSError):
        raise NotReachedError("jobs.post_failed", words=_words(addresses))
    for each in addresses:
        _check_reachable(ip_address(each.partition("%")[0]), private=private)
    return list(dict.fromkeys(addresses))


def _check_reachable(address: IPv4Address | IPv6Address, *, private: bool) -> None:
    if not private and not all(_is_public(each) for each in _meant(address)):
        raise NotReachedError("jobs.post_private")


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not address.is_multicast and not any(address in each for each in _LOCAL)


def _meant(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """The address, and those of version 4 that are written within it."""
    meant: list[IPv4Address | IPv6Address] = [address]
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return [address.ipv4_mapped]
        if address.sixtofour:
            meant.append(address.sixtofour)
        if address.teredo:
            meant += address.teredo
        if address in _TRANSLATED:
            return [IPv4Address(int(address) & 0xFFFFFFFF)]
    return meant


def _words(error: Exception) -> str:
    return str(error)[:300] or type(error).__name__
