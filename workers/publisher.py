"""Messages leave a process by a thread of their own, so that no request waits for the broker.

A message only saves time: the row that it is about is found by the sweep anyhow. So those that find no broker, or
too many before them, are dropped.
"""

import logging
import os
import threading
from collections.abc import Callable
from queue import Full, Queue

logger = logging.getLogger(__name__)

MOST_WAITING = 100


class Publisher:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: Queue[tuple[str, Callable[[], object]]] = Queue(MOST_WAITING)
        self._process = 0

    def publish(self, name: str, send: Callable[[], object]) -> None:
        """Call ``send`` soon, on another thread."""
        with self._lock:
            if self._process != os.getpid():  # threads do not come along when a process forks
                self._process, self._waiting = os.getpid(), Queue(MOST_WAITING)
                threading.Thread(target=self._run, args=[self._waiting], name="publisher", daemon=True).start()
        try:
            self._waiting.put_nowait((name, send))
        except Full:
            logger.warning("Too many messages wait for the broker; one for %s is left to the sweep.", name)

    def flush(self) -> None:
        """Wait until what was given so far has been sent or dropped."""
        self._waiting.join()

    @staticmethod
    def _run(waiting: "Queue[tuple[str, Callable[[], object]]]") -> None:
        while True:
            name, send = waiting.get()
            try:
                attempt(name, send)
            finally:
                waiting.task_done()


def attempt(name: str, send: Callable[[], object]) -> None:
    """Send a message; whatever a broker's client raises is for the log, since the sweep finds the row."""
    try:
        send()
    except Exception as error:
        logger.warning("The message for %s was not sent, the sweep will find its row: %s", name, error)


publisher = Publisher()
