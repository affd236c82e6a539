"""The embedded broker: kombu's filesystem transport, made safe for several processes that start and send at once.

As it comes, a message can be read while it is still being written, and the file of an exchange while it is
being made; the reader, a worker, then ends with an error.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time_ns
from typing import Any
from uuid import uuid4

from kombu.transport import filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Write the message under a name that no reader looks for, then give it its own."""
        folder = Path(self.data_folder_out)
        name = f"{time_ns()}_{uuid4()}.{queue}.msg"
        unfinished = folder / f"{name}.unfinished"
        unfinished.write_bytes(str_to_bytes(dumps(message)))
        unfinished.rename(folder / name)

    def get_table(self, exchange: str) -> list[Any]:
        with self._locked_tables():
            return list(super().get_table(exchange))

    def _queue_bind(self, *args: Any) -> None:
        with self._locked_tables():
            super()._queue_bind(*args)

    @contextmanager
    def _locked_tables(self) -> Iterator[None]:
        with (Path(self.control_folder) / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    Channel = Channel
