"""A mail server on a real socket, in several moods."""

import socketserver
import ssl
import time
from collections.abc import Callable

from tests.servers.threaded import Threaded


class MailServer(Threaded):
    """Use as a context manager.

    ``mood``: takes mail; or is silent, trickles, asks to come later, refuses people or the sender.
    """

    def __init__(self, mood: str = "takes", tls: ssl.SSLContext | None = None) -> None:
        self.mood = mood
        self.received: list[bytes] = []
        self.on_mail: Callable[[], object] = lambda: None  # called with each mail before it is taken
        outer = self

        class Session(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                if outer.mood == "silent":
                    outer.over.wait(60)
                    return
                if outer.mood == "trickles":
                    while not outer.over.wait(0.05):
                        self.wfile.write(b"2")
                    return
                outer._converse(self)

        super().__init__(Session)
        if tls is not None:  # from the first byte
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)

    def wait_for(self, count: int, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while len(self.received) < count:
            assert time.monotonic() < deadline, f"{len(self.received)} of {count} mails within {seconds} s"
            time.sleep(0.05)

    def _converse(self, session: socketserver.StreamRequestHandler) -> None:
        def say(line: str) -> None:
            session.wfile.write(f"{line}\r\n".encode())

        say("220 mail.example.org")
        while line := session.rfile.readline():
            match line.split(b" ")[0].strip().upper():
                case b"MAIL" if self.mood == "refuses the sender":
                    say("553 you are nobody of ours")
                case b"RCPT" if self.mood == "refuses" or b"nobody@" in line:
                    say("550 there is nobody of this name")
                case b"RCPT" if self.mood == "later":
                    say("451 come back later")
                case b"DATA":
                    say("354 go on")
                    self.received.append(b"".join(iter(session.rfile.readline, b".\r\n")))
                    self.on_mail()
                    say("250 taken")
                case b"QUIT":
                    say("221 bye")
                    return
                case _:
                    say("250 fine")
