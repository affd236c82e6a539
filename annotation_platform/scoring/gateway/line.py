"""A thread that talks to the model server, many requests at a time, and hands back what came of each."""

import asyncio
import threading
from collections.abc import Iterable
from queue import Empty, SimpleQueue
from typing import Any

from annotation_platform.scoring.gateway.endpoint import Address, Endpoint, ModelReply, ModelRequestError
from annotation_platform.scoring.gateway.requests import Question

Outcome = tuple[Question[Any], ModelReply | Exception]


class Line:
    """At most ``concurrency`` requests are under way; the others that were sent wait their turn here."""

    def __init__(self, address: Address, concurrency: int) -> None:
        self._endpoint, self._concurrency = Endpoint(address), concurrency
        self._outcomes: SimpleQueue[Outcome] = SimpleQueue()
        self._waiting: set[asyncio.Task[None]] = set()  # those not under way yet; touched in the loop only
        self._under_way: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="model requests", daemon=True)
        self._thread.start()

    def send(self, questions: Iterable[tuple[Question[Any], float]]) -> None:
        """Ask each question so many seconds from now, or when its turn comes."""
        self._loop.call_soon_threadsafe(self._start, list(questions))

    def outcomes(self, timeout: float) -> list[Outcome]:
        """What has come; when there is nothing yet, what comes first within ``timeout`` seconds."""
        found = []
        try:
            found.append(self._outcomes.get(timeout=timeout))
            while True:
                found.append(self._outcomes.get_nowait())
        except Empty:
            return found

    def close(self) -> list[Outcome]:
        """Ask nothing more, wait for the requests under way, and hand back what came of them."""
        self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._finish()))
        self._thread.join()
        return self.outcomes(timeout=0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._turns = asyncio.Semaphore(self._concurrency)
        self._go_on = asyncio.Event()
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _start(self, questions: list[tuple[Question[Any], float]]) -> None:
        self._go_on.set()
        for question, delay in questions:
            task = self._loop.create_task(self._ask(question, delay))
            self._waiting.add(task)

    async def _ask(self, question: Question[Any], delay: float) -> None:
        task = asyncio.current_task()
        assert task is not None
        try:
            if delay > 0:
                await asyncio.sleep(delay)
            async with self._turns:
                await self._go_on.wait()
                self._waiting.discard(task)
                self._under_way.add(task)
                outcome: ModelReply | Exception
                try:
                    outcome = await self._endpoint.attempt(question.body, mark=question.mark)
                except Exception as error:
                    outcome = error
                    if isinstance(error, ModelRequestError):
                        self._go_on.clear()  # the next might be refused as well; whoever sends more thinks otherwise
                self._outcomes.put((question, outcome))
        finally:
            self._waiting.discard(task)
            self._under_way.discard(task)

    async def _finish(self) -> None:
        unsent = list(self._waiting)
        for task in unsent:
            task.cancel()
        await asyncio.gather(*unsent, *self._under_way, return_exceptions=True)
        await self._endpoint.close()
        self._loop.stop()
