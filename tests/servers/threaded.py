"""What servers of the tests have in common: a socket of this machine, and threads that answer there."""

import threading
from socketserver import BaseRequestHandler, ThreadingTCPServer
from types import TracebackType
from typing import Self


class Threaded:
    """Use as a context manager. ``over`` is set at its end, for handlers that keep somebody waiting."""

    root = ""

    def __init__(
        self, handler: type[BaseRequestHandler], server: type[ThreadingTCPServer] = ThreadingTCPServer
    ) -> None:
        self.over = threading.Event()
        self._server = server(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign,assignment]  # clients hang up
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.root}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
