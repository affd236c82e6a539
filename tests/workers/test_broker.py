"""The embedded broker: no reader ever sees half a message or half a table."""

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import IO, Any

import pytest
from kombu import Connection
from kombu.transport import filesystem

from workers.broker import Channel


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[Channel]:
    folders = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path), "control_folder": str(tmp_path)}
    with Connection(
        "filesystem://localhost", transport="workers.broker:Transport", transport_options=folders
    ) as broker:
        yield broker.channel()


def test_a_message_arrives_as_it_was_sent(channel: Channel) -> None:
    channel._put("celery", {"task": "one"})
    channel._put("celery", {"task": "two"})
    assert channel._size("celery") == 2
    assert [channel._get("celery")["task"] for _ in range(2)] == ["one", "two"]
    with pytest.raises(Empty):
        channel._get("celery")


def test_a_message_is_invisible_until_it_is_whole(channel: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    write, seen = Path.write_bytes, []

    def slowly(self: Path, data: Any) -> int:
        write(self, data[:3])
        with suppress(Empty):
            seen.append(channel._get("celery"))
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", slowly)
    channel._put("celery", {"task": "one"})
    assert seen == []
    assert channel._get("celery") == {"task": "one"}


def test_many_processes_that_start_at_once_find_whole_tables(channel: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, errors = filesystem.lock, []

    def slowly(file: IO[bytes], flags: int) -> None:
        time.sleep(0.01)  # the file is there by now, and empty
        lock(file, flags)

    monkeypatch.setattr(filesystem, "lock", slowly)

    def start(number: int) -> None:
        try:
            channel._queue_bind("exchange", "key", "", f"queue-{number}")
            channel.get_table("exchange")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=start, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(queue.queue for queue in channel.get_table("exchange")) == [f"queue-{n}" for n in range(8)]
