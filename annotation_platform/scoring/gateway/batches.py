"""Many requests as one file, which the server answers in its own time and at its own price: the Batch API.

A batch has a row before it is sent, and the row's key goes along as the batch's metadata. So whenever a process dies,
the next one finds the batch, waits for it and collects it. Until then the batch itself holds the claims on what it
asks, so that nothing is sent a second time, by this run or another, while the first may come.
"""

import logging
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import Any, Generic

from django.db import transaction
from django.utils import timezone

from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.heartbeat import JobPausedError
from annotation_platform.scoring.gateway import dialects
from annotation_platform.scoring.gateway.batch_server import UNKNOWN, BatchLine, BatchServer
from annotation_platform.scoring.gateway.budget import Budget
from annotation_platform.scoring.gateway.endpoint import (
    Address,
    BilledError,
    ModelReply,
    ModelRequestError,
    ModelServerError,
    UnavailableError,
    pause_before,
)
from annotation_platform.scoring.gateway.interrupts import Interrupts
from annotation_platform.scoring.gateway.replies import Answer, Claims, count_in_vain, save, stored
from annotation_platform.scoring.gateway.requests import Key, Question, Request, make_question
from annotation_platform.scoring.gateway.resting import check_rest
from annotation_platform.scoring.models import Completion, ModelBatch, ScoringRun
from annotation_platform.scoring.parameters import ModelCall

logger = logging.getLogger(__name__)

PART = 10_000  # requests a batch; servers take up to 50,000, and this many are kept in memory
FIRST_LOOK, LONGEST_LOOK = 1.0, 60.0  # seconds between looks at a batch, growing
SAVED_AT_ONCE = 200
CANCELLED = "cancelled"
OVER = {"completed", "failed", "expired", CANCELLED}
"""What a batch is when it will not change any more."""
UNANSWERED = {"expired": "scoring.batch_expired"}
"""Why such a batch left a request without an answer, where that is known."""

_nap = threading.Event()


class BatchTransport(Generic[Key]):
    """Used once: see :meth:`complete`."""

    def __init__(self, address: Address, parameters: ModelCall, run: ScoringRun | None) -> None:
        self._parameters, self._run = parameters, run
        self._server = BatchServer(address)
        self._budget = Budget(run, parameters)
        self._claims = Claims(run, self._budget)
        self._interrupts = Interrupts(run)

    def complete(self, asked: Iterable[Request[Key]]) -> Generator[Answer[Key], None, None]:
        remaining = iter(asked)
        try:
            for batch in self._left_open():
                status, _ = self._settle(batch)
                if status == CANCELLED and batch.failed:
                    raise self._cancelled(batch, batch.failed)
            while block := list(islice(remaining, PART)):
                yield from self._part(block)
        finally:
            self._claims.release()
            self._server.close()

    def _left_open(self) -> list[ModelBatch]:
        """The run's batches that an earlier process has sent and not collected."""
        if self._run is None:
            return []
        return list(self._run.model_batches.filter(state=ModelBatch.State.OPEN).order_by("pk"))

    def _part(self, block: list[Request[Key]]) -> Iterator[Answer[Key]]:
        """Answer all of these, from what is stored, from others, and by as many batches as it takes."""
        questions: dict[str, Question[Key]] = {}
        refused: dict[str, ModelRequestError] = {}
        for request in block:
            question = make_question(request, self._parameters)
            dialects.prepare(question, self._parameters)
            questions.setdefault(question.mark, question).keys.append(request.key)
        while questions:
            answers: dict[str, Completion | ModelRequestError] = {**stored(questions), **refused}
            refused.clear()
            for mark, answer in answers.items():
                for key in questions.pop(mark).keys:
                    yield key, answer
            if not questions:
                break
            self._interrupts.check_counts()  # what is at the server already is waited for: it is paid for
            self._claims.abandoned(list(questions.values()))
            left = list(questions.values())
            taken = self._claims.take(left)
            mine = [question for question in left if question.mark in taken.ours]
            if known_by_now := stored(taken.ours):
                mine = [question for question in mine if question.mark not in known_by_now]
            if mine:
                refused = self._ask(mine)
                self._claims.release()
            elif not taken.tried:
                raise self._budget.reached(left[0])
            else:
                self._sleep(FIRST_LOOK)  # others are asking these

    def _ask(self, questions: list[Question[Key]]) -> dict[str, ModelRequestError]:
        """Send a batch, store what comes, and return what was refused by itself; what failed for now is asked again
        by the caller's next round."""
        batch = self._send(questions)
        status, failures = self._settle(batch)
        by_mark = {question.mark: question for question in questions}
        refused: dict[str, ModelRequestError] = {}
        for mark in stored(by_mark):
            dialects.remember(by_mark.pop(mark), self._parameters)
        if by_mark and status == CANCELLED:
            raise self._cancelled(batch, len(by_mark))
        for question in by_mark.values():
            error = failures.get(question.mark)
            if error is not None and dialects.adapt(question, error):
                continue
            if isinstance(error, ModelRequestError):
                if not error.concerns_one:
                    raise error
                refused[question.mark] = error
                continue
            question.attempts += 1
            if question.attempts > self._parameters.retries:
                raise ModelServerError(
                    "scoring.batch_given_up",
                    server=self._parameters.base_url,
                    why=error.reason
                    if isinstance(error, UnavailableError)
                    else Reason(UNANSWERED.get(status, "scoring.server_forgot")),
                    count=len(by_mark),
                    attempts=question.attempts,
                )
        return refused

    def _cancelled(self, batch: ModelBatch, count: int) -> JobPausedError:
        return JobPausedError("scoring.batch_cancelled", batch=batch, server=self._parameters.base_url, count=count)

    def _send(self, questions: list[Question[Key]]) -> ModelBatch:
        with transaction.atomic():
            batch = ModelBatch.objects.create(
                key=self._server.new_key(), run=self._run, base_url=self._parameters.base_url, requests=len(questions)
            )
            self._claims.hand_over(questions, batch)
        try:
            batch.batch_id = self._patiently(
                lambda: self._server.send(questions, key=batch.key),
                again=lambda: self._server.find(key=batch.key) or self._server.send(questions, key=batch.key),
            )
        except ModelRequestError:
            self._close(batch, ModelBatch.State.LOST)
            raise
        batch.save(update_fields=["batch_id"])
        return batch

    def _close(self, batch: ModelBatch, state: ModelBatch.State) -> None:
        """Nothing more comes of it: its claims go with it."""
        batch.state = state
        with transaction.atomic():
            batch.save()
            self._claims.release_those_of(batch)

    def _settle(self, batch: ModelBatch) -> tuple[str, dict[str, Exception]]:
        """Wait for a batch that was sent, by this process or an earlier one, and store its replies; return how it
        ended, and its failures.

        Where the server does not know it, it may do so under another key: what it asked is let go only after somebody
        was told, and went on.
        """
        try:
            return self._collect(batch)
        except ModelRequestError as error:
            if error.status not in UNKNOWN or not batch.is_given_up:
                raise
        with transaction.atomic():
            self._claims.count_those_of(batch)
            self._close(batch, ModelBatch.State.LOST)
        return "", {}

    def _collect(self, batch: ModelBatch) -> tuple[str, dict[str, Exception]]:
        if not batch.batch_id:
            is_of_use = self._interrupts.counts()
            batch.batch_id = self._patiently(lambda: self._server.find(key=batch.key, may_make=is_of_use))
            if not batch.batch_id:
                self._close(batch, ModelBatch.State.LOST)
                return "", {}
            batch.save(update_fields=["batch_id"])
        pause, found = FIRST_LOOK, self._patiently(lambda: self._server.look(batch.batch_id))
        while found.status not in OVER:
            self._be_told_again(batch)
            self._sleep(pause)
            pause = min(pause * 1.5, LONGEST_LOOK)
            found = self._patiently(lambda: self._server.look(batch.batch_id))
        lines = self._patiently(lambda: self._server.collect(found))
        failures = self._store(lines)
        batch.answered = len(lines) - len(failures)
        batch.failed = batch.requests - batch.answered
        batch.collected_at = timezone.now()
        with transaction.atomic():  # so that nothing is counted twice
            self._count_in_vain(lines)
            self._close(batch, ModelBatch.State.COLLECTED)
        if found.status == "failed" and not lines:
            raise ModelRequestError(
                "scoring.batch_refused",
                server=self._parameters.base_url,
                words=found.reason or Reason("words.nothing_said"),
            )
        return found.status, failures

    def _be_told_again(self, batch: ModelBatch) -> None:
        """The server knows it, and is at work on it: should that be otherwise later, somebody is told first."""
        if batch.is_given_up:
            batch.is_given_up = False
            batch.save(update_fields=["is_given_up"])

    def _store(self, lines: list[BatchLine]) -> dict[str, Exception]:
        known = stored([line.mark for line in lines])
        replies = [
            (Question[Any](line.mark, line.body), line.outcome)
            for line in lines
            if isinstance(line.outcome, ModelReply) and line.mark not in known
        ]
        for start in range(0, len(replies), SAVED_AT_ONCE):
            save(
                replies[start : start + SAVED_AT_ONCE], parameters=self._parameters, run=self._run, budget=self._budget
            )
        return {line.mark: line.outcome for line in lines if isinstance(line.outcome, Exception)}

    def _count_in_vain(self, lines: list[BatchLine]) -> None:
        for line in lines:
            if isinstance(line.outcome, BilledError):
                count_in_vain(
                    Question[Any](line.mark, line.body),
                    line.outcome,
                    parameters=self._parameters,
                    run=self._run,
                    budget=self._budget,
                )

    def _patiently(self, call: Any, again: Any = None) -> Any:
        """Talk to the server, again (in another way, if one is given) when it is busy or away."""
        attempt = 0
        while True:
            try:
                return again() if again and attempt else call()
            except UnavailableError as error:
                check_rest(error, self._parameters.base_url)
                attempt += 1
                if attempt > self._parameters.retries:
                    raise ModelServerError(
                        "scoring.server_given_up",
                        server=self._parameters.base_url,
                        why=error.reason,
                        times=Reason("words.once", count=attempt),
                    ) from None
                self._sleep(pause_before(attempt, error.retry_after))

    def _sleep(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._interrupts.check()
            self._claims.renew()
            _nap.wait(min(left, 0.5))
