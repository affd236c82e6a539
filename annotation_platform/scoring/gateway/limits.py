"""Requests and tokens a minute, by all workers together.

Requests are spaced evenly. A request may start when both the requests and the tokens asked for before it have had
their share of a minute, so in no minute more than the limit is asked for.
"""

import time
from collections.abc import Callable, Sequence

from annotation_platform.core.signature import signature
from annotation_platform.scoring.gateway import shared
from annotation_platform.scoring.parameters import ModelCall

HORIZON = 2.0  # seconds; nothing is reserved further ahead, since a run may stop

Moments = tuple[float, float]  # from when on a request may start, by requests and by tokens


class Limits:
    """The limits a minute of one model on one server."""

    def __init__(self, parameters: ModelCall) -> None:
        self._requests, self._tokens = parameters.requests_per_minute, parameters.tokens_per_minute
        self._key = signature(["limits", parameters.base_url, parameters.model])
        self.is_limited = self._requests is not None or self._tokens is not None

    def reserve(self, tokens: Sequence[int]) -> list[float]:
        """Seconds until each of these requests, by their tokens, may start; fewer where that is too far ahead."""
        if not self.is_limited:
            return [0.0] * len(tokens)
        delays: list[float] = []

        def advance(moments: Moments) -> Moments:
            now = time.time()
            delays.clear()
            for count in tokens:
                start = max(now, *moments)
                if start > now + HORIZON:
                    break
                delays.append(start - now)
                moments = (
                    start + 60 / self._requests if self._requests else 0.0,
                    start + 60 * count / self._tokens if self._tokens else 0.0,
                )
            return moments

        self._update(advance)
        return delays

    def give_back(self, tokens: int) -> None:
        """Correct what was reserved by what was used; negative when more was."""
        if self._tokens and tokens:
            share = 60 * tokens / self._tokens
            self._update(lambda moments: (moments[0], moments[1] - share))

    def _update(self, advance: Callable[[Moments], Moments]) -> None:
        def step(state: shared.State) -> shared.State:
            requests_at, tokens_at = advance((state.get("requests_at", 0.0), state.get("tokens_at", 0.0)))
            return {"requests_at": requests_at, "tokens_at": tokens_at}

        shared.change(self._key, step)
