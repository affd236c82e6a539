"""A line to a server that breaks: it passes bytes on, and cuts connections, or goes silent, after so many of them."""

import socket
import threading
from collections import deque
from contextlib import suppress
from types import TracebackType
from typing import Self

PIECE = 16 * 1024


class CuttingLine:
    """Use as a context manager.

    Attributes
    ----------
    up, down : deque of int
        After how many bytes towards the server, or from it, the next connections are cut, one for each; those after
        them hold.
    silent_after, silent_down_after : int or None
        After so many bytes towards the server, or from it, on all connections together, nothing more is passed on
        there, until it is None.
    silent_from : bytes or None
        From where a client has sent this, nothing more is passed on from the server.
    sent, got : int
        Bytes that were passed on towards the server and from it.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self.up: deque[int] = deque()
        self.down: deque[int] = deque()
        self.silent_after: int | None = None
        self.silent_down_after: int | None = None
        self.silent_from: bytes | None = None
        self.is_silent = threading.Event()
        self.sent = self.got = 0
        self._cuts = 0
        self._over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def cut_what_is_silent(self) -> None:
        """End the connections that have gone silent, with what they hold, and pass on again what comes by others."""
        self._cuts += 1
        self.silent_after = self.silent_down_after = None

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                up = self.up.popleft() if self.up else None
                down = self.down.popleft() if self.down else None
                for pump in (self._pump(near, far, up, is_up=True), self._pump(far, near, down, is_up=False)):
                    pump.start()

    def _is_silent(self, is_up: bool) -> bool:
        most, passed = (self.silent_after, self.sent) if is_up else (self.silent_down_after, self.got)
        return most is not None and passed >= most

    def _pump(self, source: socket.socket, target: socket.socket, most: int | None, *, is_up: bool) -> threading.Thread:
        def run() -> None:
            passed = 0
            with suppress(OSError):
                while (piece := source.recv(PIECE)) and not self._over.is_set():
                    cuts = self._cuts
                    while self._is_silent(is_up):
                        self.is_silent.set()
                        if self._over.wait(0.01):
                            return
                    if cuts != self._cuts:
                        break
                    if is_up and self.silent_from is not None and self.silent_from in piece:
                        self.silent_down_after = 0
                    if most is not None:
                        piece = piece[: most - passed]
                    target.sendall(piece)
                    passed += len(piece)
                    self.sent, self.got = self.sent + len(piece) * is_up, self.got + len(piece) * (not is_up)
                    if passed == most:
                        break
            for end in (source, target):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

        return threading.Thread(target=run, daemon=True)
