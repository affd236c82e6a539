"""A way to a server on which answers get lost: the request arrives and is done, and nothing comes back."""

import socket
from collections.abc import Callable
from contextlib import suppress
from socketserver import StreamRequestHandler
from urllib.parse import urlsplit

from tests.servers.threaded import Threaded

MOST = 65_536


class Losing(Threaded):
    """Use as a context manager. Of the methods in ``loses`` the next answer is lost, after ``then`` was called."""

    def __init__(self, url: str) -> None:
        self._to = urlsplit(url)
        self.loses: list[str] = []
        self.then: Callable[[], None] = lambda: None
        self.sent: list[str] = []
        outer = self

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):
                    outer._pass_on(self)

        super().__init__(Handler)

    def _pass_on(self, handler: StreamRequestHandler) -> None:
        first, length, headers = handler.rfile.readline(), 0, b"Connection: close\r\n"
        while line := handler.rfile.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            headers += b"" if name.lower() == b"connection" else line + b"\r\n"
        method = first.partition(b" ")[0].decode()
        self.sent.append(method)
        with socket.create_connection((str(self._to.hostname), self._to.port or 80)) as there:
            there.sendall(first + headers + b"\r\n" + handler.rfile.read(length))
            answer = b"".join(iter(lambda: there.recv(MOST), b""))
        if method in self.loses:
            self.loses.remove(method)
            self.then()
            return
        handler.request.sendall(answer)
