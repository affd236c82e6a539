"""A program that takes webhooks, on a real socket, and with the moods that servers have."""

import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from socketserver import StreamRequestHandler

from tests.servers.threaded import Threaded

ANSWER = b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n%sConnection: close\r\n\r\n%s"


class Receiver(Threaded):
    """Use as a context manager. ``moods`` holds what the next answers are: a status, ``cut``, ``silent``, ``drips``
    or ``drips_body``; when none is left, it is 204."""

    root = "/hook?for=us"

    def __init__(self) -> None:
        self.moods: deque[int | str] = deque()
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.on_message: Callable[[], object] = lambda: None  # called with each message before it is answered
        self.location = ""
        self.says = b""
        self.headers = ""
        outer = self

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):
                    outer._take(self)

        super().__init__(Handler)

    def _take(self, handler: StreamRequestHandler) -> None:
        headers = {}
        handler.rfile.readline()
        while line := handler.rfile.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        body = handler.rfile.read(int(headers.get("content-length", "0")))
        self.received.append((headers, body))
        self.on_message()
        mood = self.moods.popleft() if self.moods else 204
        connection: socket.socket = handler.request
        if mood == "cut":
            return
        if mood == "silent":
            self.over.wait(10)
        elif mood in ("drips", "drips_body"):
            begun = ANSWER % (200, 1000, b"", b"")
            if mood == "drips_body":
                connection.sendall(begun)
            while not self.over.wait(0.05):
                connection.sendall(b"x")
        else:
            headers = self.headers + (f"Location: {self.location}\r\n" if self.location else "")
            connection.sendall(ANSWER % (mood, len(self.says), headers.encode(), self.says))
