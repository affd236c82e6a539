import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.servers.model_server import ModelServer
from tests.workers.installation import Installation

if TYPE_CHECKING:
    import redis

OWN_DATABASES = range(8, 14)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def own_redis(redis_url: str) -> Iterator[str]:
    """A Redis database without anybody's messages, for the length of a test."""
    import redis

    with _database_of_nobody_else() as number:
        url = urlsplit(redis_url)._replace(path=f"/{number}").geturl()
        with redis.Redis.from_url(url) as client:
            _forget_messages(client)
            yield url
            _forget_messages(client)


@contextmanager
def _database_of_nobody_else() -> Iterator[int]:
    """The number of one that no other process of these tests uses: their workers would take each other's messages."""
    for number in OWN_DATABASES:
        with (Path(tempfile.gettempdir()) / f"annotation-platform-tests-redis-{number}").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield number
            return
    raise RuntimeError(f"Other tests use the Redis databases {OWN_DATABASES}; run fewer at a time.")


def _forget_messages(client: "redis.Redis") -> None:
    if left := [key for pattern in ("celery*", "unacked*", "_kombu*") for key in client.keys(pattern)]:
        client.delete(*left)


@pytest.fixture
def small(tmp_path: Path, server: ModelServer) -> Iterator[Installation]:
    """With files as broker, and SQLite."""
    with Installation(tmp_path, OPENAI_BASE_URL=server.url, OPENAI_MODEL="tiny") as installation:
        yield installation


@pytest.fixture
def large(tmp_path: Path, server: ModelServer, own_redis: str, postgres_url: str) -> Iterator[Installation]:
    """With Redis and PostgreSQL."""
    addresses = {"database_url": postgres_url, "redis_url": own_redis}
    with Installation(tmp_path, **addresses, OPENAI_BASE_URL=server.url, OPENAI_MODEL="tiny") as installation:
        yield installation
