"""SMTP with an end: a mail server that says nothing, or a letter a minute, is left after a fixed time."""

import os
import smtplib
import socket
from contextlib import suppress
from threading import Timer
from typing import Any

from django.core.mail.backends import smtp

SESSION_SECONDS = 60.0


class BoundedSMTP(smtplib.SMTP):
    """A session that is cut off after ``SESSION_SECONDS``; every wait for single bytes has its own, shorter limit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._line: socket.socket | None = None
        self._end = Timer(SESSION_SECONDS, self._cut_off)
        self._end.daemon = True
        self._end.start()
        try:
            super().__init__(*args, **kwargs)
        except BaseException:
            self._over()
            raise

    def getreply(self) -> tuple[int, bytes]:
        if self._line is None and self.sock is not None:
            # Stays the same line when TLS takes the socket over; a socket of TLS itself cannot be duplicated.
            self._line = socket.socket(fileno=os.dup(self.sock.fileno()))
        return super().getreply()

    def close(self) -> None:
        self._over()
        super().close()

    def _over(self) -> None:
        self._end.cancel()
        if self._line is not None:
            self._line.close()
            self._line = None

    def _cut_off(self) -> None:
        line = self._line
        if line is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


class BoundedSMTPOverTLS(BoundedSMTP, smtplib.SMTP_SSL):
    """The same with TLS from the first byte."""


class EmailBackend(smtp.EmailBackend):
    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return BoundedSMTPOverTLS if self.use_ssl else BoundedSMTP
