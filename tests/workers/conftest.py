from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.servers.model_server import ModelServer
from tests.workers.installation import Installation


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def own_redis(redis_url: str) -> Iterator[str]:
    """A Redis database without anybody's messages, for the length of a test."""
    import redis

    url = urlsplit(redis_url)._replace(path="/5").geturl()
    with redis.Redis.from_url(url) as client:
        yield url
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
