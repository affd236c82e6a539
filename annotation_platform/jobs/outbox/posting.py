"""One POST (or PATCH) to a server that a stranger named: bounded in time, followed nowhere, never to a private address.

The name is resolved once and the connection goes to the address that was looked at, so that a name cannot mean another
machine a moment later (DNS rebinding).
"""

import http.client
import socket
import ssl
import time
from collections.abc import Mapping
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


class PostError(InvalidInputError):
    """There was no answer."""


@dataclass(frozen=True)
class Answer:
    """The status that a server gave, the first bytes of what it said, and its ``Retry-After``, if any."""

    status: int
    beginning: str
    retry_after: str = ""

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
    parts = check_web_address(address, private=private)
    end = time.monotonic() + whole_seconds
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    target = _resolve(str(parts.hostname), port, private=private, seconds=whole_seconds)
    line = _Line(str(parts.hostname), port, target=target, is_encrypted=parts.scheme == "https", end=end)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        line.request(method, path, body, {**headers, "Connection": "close"})
        reply = line.getresponse()
        return Answer(reply.status, _beginning(reply), reply.headers.get("Retry-After", ""))
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, TimeoutError) or line.is_over:
            raise PostError("jobs.post_too_slow", seconds=round(whole_seconds)) from error
        raise PostError("jobs.post_failed", words=_words(error)) from error
    finally:
        line.end()


class _Line(http.client.HTTPConnection):
    """A connection to an address that was looked up before; all of it is over when the time is."""

    def __init__(self, host: str, port: int, *, target: str, is_encrypted: bool, end: float) -> None:
        self._target, self._is_encrypted = target, is_encrypted
        self.default_port = DEFAULT_PORTS["https" if is_encrypted else "http"]  # for the Host header
        super().__init__(host, port, timeout=max(end - time.monotonic(), 0.01))
        self._raw: socket.socket | None = None
        self.is_over = False
        self._end = Timer(max(end - time.monotonic(), 0.01), self._cut_off)
        self._end.daemon = True

    def connect(self) -> None:
        self._end.start()
        self.sock = socket.create_connection((self._target, self.port), self.timeout)
        self._raw = self.sock.dup()  # stays the same line when TLS takes the socket over, or only the answer is left
        if self._is_encrypted:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)

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


def _beginning(reply: http.client.HTTPResponse) -> str:
    """The first bytes of what is said, as far as it comes; the status counts without it."""
    try:
        return reply.read(FIRST_BYTES).decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return ""


def _resolve(host: str, port: int, *, private: bool, seconds: float) -> str:
    """An address of a name; on a thread of its own, for a name server that is silent cannot be interrupted."""
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
        raise PostError("jobs.post_too_slow", seconds=round(seconds)) from None
    if isinstance(addresses, OSError):
        raise PostError("jobs.post_failed", words=_words(addresses))
    for each in addresses:
        _check_reachable(ip_address(each.partition("%")[0]), private=private)
    return addresses[0]


def _check_reachable(address: IPv4Address | IPv6Address, *, private: bool) -> None:
    if not private and not all(_is_public(each) for each in _meant(address)):
        raise PostError("jobs.post_private")


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not address.is_multicast


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
