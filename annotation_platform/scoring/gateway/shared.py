"""Small states that all workers share: through Redis where there is one, else through a row."""

import json
import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from django.conf import settings
from django.db import transaction

from annotation_platform.scoring.models import SharedState

logger = logging.getLogger(__name__)

FORGOTTEN_AFTER = 3600  # seconds without a change, in Redis
State = dict[str, Any]


def change(key: str, to: Callable[[State], State]) -> bool:
    """Replace the state under a key, {} at first, by what ``to`` makes of it: one worker at a time.

    ``to`` is called again when another worker was faster. Returns whether it came to that: not when Redis is away.
    """
    if settings.REDIS_URL:
        return _change_in_redis(key, to)
    SharedState.objects.get_or_create(key=key)
    with transaction.atomic():
        row = SharedState.objects.select_for_update().get(key=key)
        row.state = to(row.state)
        row.save(update_fields=["state"])
    return True


def _change_in_redis(key: str, to: Callable[[State], State]) -> bool:
    import redis

    name = f"gateway:{key}"

    def step(pipe: Any) -> None:
        state = to(json.loads(pipe.get(name) or b"{}"))
        pipe.multi()
        pipe.set(name, json.dumps(state), ex=FORGOTTEN_AFTER)

    try:
        _redis(settings.REDIS_URL).transaction(step, name)
    except redis.RedisError as error:
        logger.warning("The limits that workers share cannot be reached in Redis: %s", error)
        return False
    return True


@cache
def _redis(url: str) -> Any:
    import redis

    return redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
