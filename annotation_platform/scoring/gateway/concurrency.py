"""How many requests may be under way at a time at one model: so many by all workers together."""

import secrets
import time

from django.conf import settings

from annotation_platform.core.signature import signature
from annotation_platform.scoring.gateway import shared
from annotation_platform.scoring.parameters import ModelCall

LOOK_EVERY = 1.0  # seconds


class ConcurrencyShare:
    """One asker's share of a model's places.

    Everybody who asks the model is due an equal share, rounded up, and gets it as far as the others have left theirs:
    a share that has become smaller is free when the requests in it are answered. An asker that is not heard of for
    ``RUN_STALE_AFTER_SECONDS`` holds none any more. Where there are more askers than places, the last ones wait.
    """

    def __init__(self, parameters: ModelCall) -> None:
        self._most = parameters.concurrency
        self._key = signature(["places", parameters.base_url, parameters.model])
        self._me = secrets.token_hex(8)
        self._number, self._looked = 0, float("-inf")

    def take(self, under_way: int) -> int:
        """How many requests may be under way from now on, of whom so many are; to be called often."""
        if self._number and time.monotonic() - self._looked < LOOK_EVERY:
            return self._number
        before, now = self._number, time.time()

        def share(held: shared.State) -> shared.State:
            others = {who: kept for who, kept in held.items() if who != self._me and kept[1] > now}
            due, free = -(-self._most // (len(others) + 1)), self._most - sum(number for number, _ in others.values())
            self._number = max(0, min(due, free))
            # A share that shrinks is told to the one who sends only after this, so it is left at the next look.
            mine = max(self._number, under_way, before)
            return others | {self._me: [min(mine, self._most), now + settings.RUN_STALE_AFTER_SECONDS]}

        if shared.change(self._key, share):
            self._looked = time.monotonic()
        return self._number

    def leave(self) -> None:
        """Let others have them."""
        if self._looked > float("-inf"):
            shared.change(self._key, lambda held: {who: kept for who, kept in held.items() if who != self._me})
