"""How long an answer is waited for: longer where answers need longer, and as usual again when they come sooner.

What is thrown away when the wait is over may be paid for all the same, so the first request to wait in vain makes the
wait of all others longer, of those under way too. How slow a model was is remembered for the next who asks it.
"""

from collections import deque

from annotation_platform.core.signature import signature
from annotation_platform.scoring.gateway import shared
from annotation_platform.scoring.parameters import ModelCall

MARGIN = 2.0  # times the slowest of the last answers, and times what was waited in vain
LAST = 50  # answers
MOST = 10.0  # times the timeout that was set
LONGEST = 1_800.0  # seconds, unless the timeout that was set is longer


def longest_wait(timeout: float) -> float:
    """Seconds after which an attempt is over, however much of its answer has come, for a timeout that was set."""
    return max(timeout, min(MOST * timeout, LONGEST))


class Patience:
    """Of one asker with one model; read by the line's thread, which also tells it what comes."""

    def __init__(self, parameters: ModelCall) -> None:
        self._usual = parameters.timeout
        self.longest = longest_wait(parameters.timeout)
        self._key = signature(["patience", parameters.base_url, parameters.model])
        self._took: deque[float] = deque(maxlen=LAST)
        self.seconds = self._usual
        self.has_answers = False

    def recall(self) -> None:
        """Begin with what the model needed the last time."""

        def read(state: shared.State) -> shared.State:
            self.seconds = self._within(MARGIN * float(state.get("slowest", 0.0)))
            return state

        shared.change(self._key, read)

    def remember(self) -> None:
        if self._took:
            slowest = max(self._took)
            shared.change(self._key, lambda state: state | {"slowest": slowest})

    def answered(self, took: float) -> None:
        """An answer has come after so many seconds."""
        self.has_answers = True
        self._took.append(took)
        self.seconds = self._within(MARGIN * max(self._took))

    def missed(self, waited: float) -> None:
        """None has come in so many seconds."""
        self.seconds = max(self.seconds, self._within(MARGIN * waited))

    def of(self, waited_before: float) -> float:
        """How long to wait for a request that was waited for in vain for so long, the last time."""
        return max(self.seconds, self._within(MARGIN * waited_before))

    def _within(self, seconds: float) -> float:
        return min(max(seconds, self._usual), self.longest)
