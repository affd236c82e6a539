"""A thread that talks to the model server, many requests at a time, and hands back what came of each."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from typing import Any

from annotation_platform.scoring.gateway.budget import Budget
from annotation_platform.scoring.gateway.endpoint import (
    Address,
    BilledError,
    Endpoint,
    LateError,
    ModelReply,
    ModelRequestError,
)
from annotation_platform.scoring.gateway.patience import Patience
from annotation_platform.scoring.gateway.requests import Question
from annotation_platform.scoring.gateway.resting import wants_rest

WAIT = 0.5  # seconds between two things that are done while requests are under way


class UncoveredError(Exception):
    """It was not sent: by now more is set aside for such a request than was for this one."""


Outcome = tuple[Question[Any], ModelReply | Exception]


class Dispatcher:
    """As many requests as there are places are under way; the others that were sent wait their turn here."""

    def __init__(self, address: Address, patience: Patience, budget: Budget) -> None:
        self._endpoint, self._places, self._patience, self._budget = Endpoint(address), 0, patience, budget
        self._outcomes: SimpleQueue[Outcome] = SimpleQueue()
        self._waiting: deque[Question[Any]] = deque()  # these two are touched in the loop only
        self._under_way: set[asyncio.Task[None]] = set()
        self._is_refused = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="model requests", daemon=True)
        self._thread.start()

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    def set_places(self, places: int) -> None:
        """Requests under way at a time; with fewer than now, nothing starts until so many are answered."""
        if places != self._places:
            self._places = places
            self._loop.call_soon_threadsafe(self._fill)

    def send(self, questions: Iterable[tuple[Question[Any], float]]) -> None:
        """Ask each question so many seconds from now, or when its turn comes."""
        self._loop.call_soon_threadsafe(self._enter, list(questions))

    def outcomes(self, timeout: float) -> list[Outcome]:
        """What has come; when there is nothing yet, what comes first within ``timeout`` seconds."""
        found = []
        try:
            found.append(self._outcomes.get(timeout=timeout))
            while True:
                found.append(self._outcomes.get_nowait())
        except Empty:
            return found

    def close(self, meanwhile: Callable[[], object]) -> list[Outcome]:
        """Ask nothing more, wait for the requests under way, and hand back what came of them; ``meanwhile`` is called
        again and again as long as they are."""
        self._places = 0
        self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._finish()))
        while self._thread.is_alive():
            meanwhile()
            self._thread.join(WAIT)
        return self.outcomes(timeout=0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _enter(self, questions: list[tuple[Question[Any], float]]) -> None:
        self._is_refused = False  # whoever sends more thinks that the next need not be refused as well
        for question, delay in questions:
            if delay > 0:
                self._loop.call_later(delay, self._wait, question)
            else:
                self._waiting.append(question)
        self._fill()

    def _wait(self, question: Question[Any]) -> None:
        self._waiting.append(question)
        self._fill()

    def _fill(self) -> None:
        while self._waiting and len(self._under_way) < self._places and not self._is_refused:
            task = self._loop.create_task(self._ask(self._waiting.popleft()))
            self._under_way.add(task)
            task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._fill()

    async def _ask(self, question: Question[Any]) -> None:
        outcome: ModelReply | Exception
        if not self._budget.covers(question):
            self._outcomes.put((question, UncoveredError()))
            return
        patience, before, started = self._patience, question.waited, time.monotonic()
        try:
            outcome = await self._endpoint.attempt(
                question.body, mark=question.mark, patience=lambda: patience.of(before)
            )
            patience.answered(time.monotonic() - started)
            self._budget.notice(question, outcome.prompt_tokens, outcome.completion_tokens)
        except Exception as error:
            if isinstance(error, LateError):
                question.waited = error.waited
                patience.missed(error.waited)  # at once, for those that are waited for as well
            if isinstance(error, BilledError):
                self._budget.notice(question, error.prompt_tokens, error.completion_tokens)
            outcome = error
            self._is_refused = self._is_refused or isinstance(error, ModelRequestError) or wants_rest(error)
        self._outcomes.put((question, outcome))

    async def _finish(self) -> None:
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._endpoint.close()
        self._loop.stop()
