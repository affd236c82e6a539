"""The cache that web processes share through Redis, or each its own while Redis is away."""

import logging
import time
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

AWAY_FOR = 10.0  # seconds without another look at a Redis that did not answer
_away_until = 0.0  # by the monotonic clock, for all threads of the process


class ForgivingRedisCache(RedisCache):
    """Redis, and this process's memory for ``AWAY_FOR`` seconds after it has not answered.

    What counts attempts goes on counting then, in each process by itself; nobody waits for Redis more than once.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._own = LocMemCache("while Redis is away", {})

    def add(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("add", *args, **kwargs)

    def get(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("get", *args, **kwargs)

    def set(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("set", *args, **kwargs)

    def touch(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("touch", *args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("delete", *args, **kwargs)

    def has_key(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("has_key", *args, **kwargs)

    def incr(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("incr", *args, **kwargs)

    def get_many(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("get_many", *args, **kwargs)

    def set_many(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("set_many", *args, **kwargs)

    def delete_many(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("delete_many", *args, **kwargs)

    def clear(self) -> Any:
        return self._ask("clear")

    def _ask(self, method: str, *args: Any, **kwargs: Any) -> Any:
        global _away_until
        if time.monotonic() >= _away_until:
            try:
                return getattr(super(), method)(*args, **kwargs)
            except RedisError as error:
                _away_until = time.monotonic() + AWAY_FOR
                logger.warning("Redis does not answer; each web process counts by itself meanwhile: %s", error)
        return getattr(self._own, method)(*args, **kwargs)
