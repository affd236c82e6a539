"""One request at a time to the server, many at once: from the callers' requests to stored replies.

A question goes from ``new`` (no reply is stored) by a claim to ``ready``, and from there into the hands of the line.
One that somebody else has claimed is ``elsewhere``. All reading and writing of rows is done by the thread that
consumes the replies; the line's thread only talks to the server.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Generic, TypeVar

from django.db import Error, InterfaceError, OperationalError, connection

from annotation_platform.core.reasons import Reason
from annotation_platform.scoring.gateway import dialects
from annotation_platform.scoring.gateway.budget import Budget
from annotation_platform.scoring.gateway.concurrency import ConcurrencyShare
from annotation_platform.scoring.gateway.dispatcher import Dispatcher, Outcome, UncoveredError
from annotation_platform.scoring.gateway.endpoint import (
    Address,
    BilledError,
    LateError,
    ModelReply,
    ModelRequestError,
    ModelServerError,
    UnavailableError,
    pause_before,
)
from annotation_platform.scoring.gateway.interrupts import Interrupts
from annotation_platform.scoring.gateway.limits import Limits
from annotation_platform.scoring.gateway.patience import Patience
from annotation_platform.scoring.gateway.replies import Answer, Claims, count_in_vain, save, stored
from annotation_platform.scoring.gateway.requests import Key, Question, Request, make_question
from annotation_platform.scoring.gateway.resting import check_rest
from annotation_platform.scoring.models import Completion, ScoringRun
from annotation_platform.scoring.parameters import ModelCall

logger = logging.getLogger(__name__)

LOOK_UP = 200  # requests whose stored replies are looked for at once
CLAIMED_AT_ONCE = 100
GATHER = 0.03  # seconds in which replies are gathered before they are stored, while many are under way
FEW = 4
WAIT = 0.5  # seconds between looks at what others have asked, and at whether to go on
AWAY = (0.5, 1.0, 2.0, 4.0)  # seconds, after each of which a database that is away is tried once more

Result = TypeVar("Result")


class DirectTransport(Generic[Key]):
    """Used once: see :meth:`complete`."""

    def __init__(self, address: Address, parameters: ModelCall, run: ScoringRun | None) -> None:
        self._address, self._parameters, self._run = address, parameters, run
        self._budget = Budget(run, parameters)
        self._claims = Claims(run, self._budget)
        self._limits, self._places = Limits(parameters), ConcurrencyShare(parameters)
        self._patience, self._interrupts = Patience(parameters), Interrupts(run)
        self._new: deque[Question[Key]] = deque()
        self._ready: deque[Question[Key]] = deque()
        self._elsewhere: dict[str, Question[Key]] = {}
        self._in_hand: dict[str, Question[Key]] = {}
        # When to ask once more, as one that is new or ready, and what.
        self._again: list[tuple[float, deque[Question[Key]], Question[Key]]] = []
        self._open: dict[str, Question[Key]] = {}  # all of these by signature
        # What has come and is not stored yet.
        self._replies: list[tuple[Question[Key], ModelReply]] = []
        self._in_vain: deque[tuple[Question[Key], BilledError]] = deque()
        self._given_up: list[Reason] = []
        self._last_reply = 0  # how many outcomes ago; a server that fails always is told from one bad request

    def complete(self, asked: Iterable[Request[Key]]) -> Generator[Answer[Key], None, None]:
        self._interrupts.check_counts()
        self._patience.recall()
        remaining, line = iter(asked), Dispatcher(self._address, self._patience, self._budget)
        self._line, self._most_under_way = line, 0
        try:
            while True:
                yield from self._read_ahead(remaining)
                self._take_places()
                self._take_up_again()
                yield from self._claim()
                self._send()
                if not self._open:
                    break
                yield from self._receive(self._wait())
            if self._given_up:
                raise ModelServerError("scoring.requests_given_up", first=self._given_up[0], count=len(self._given_up))
        finally:
            self._end(line.close(meanwhile=self._keep_claims))

    def _read_ahead(self, remaining: Iterator[Request[Key]]) -> Iterator[Answer[Key]]:
        """Take requests in until enough have no reply yet; answer the others from what is stored."""
        while len(self._new) + len(self._ready) < 2 * self._parameters.concurrency:
            block = list(islice(remaining, LOOK_UP))
            if not block:
                return
            questions = [(request.key, make_question(request, self._parameters)) for request in block]
            known = stored({question.mark for _, question in questions if question.mark not in self._open})
            for key, question in questions:
                if completion := known.get(question.mark):
                    yield key, completion
                    continue
                if question.mark not in self._open:
                    self._open[question.mark] = question
                    self._new.append(question)
                self._open[question.mark].keys.append(key)

    def _take_places(self) -> None:
        """Of the requests that may be under way at this model, ask for as many as are ours now."""
        if self._open:
            self._most_under_way = self._places.take(self._line.under_way)
            self._line.set_places(self._most_under_way)

    def _take_up_again(self) -> None:
        """Those whose pause is over are asked before the others."""
        now = time.monotonic()
        due = [(queue, question) for moment, queue, question in self._again if moment <= now]
        self._again = [each for each in self._again if each[0] > now]
        for queue, question in reversed(due):
            queue.appendleft(question)

    def _claim(self) -> Iterator[Answer[Key]]:
        """Make sure that nobody else asks what is asked next."""
        self._claims.renew()
        if not self._new or len(self._ready) >= self._parameters.concurrency:
            return
        # With a budget, what is claimed is set aside: no more than what is sent soon.
        most = max(0, self._room() - len(self._ready)) if self._budget.is_limited else CLAIMED_AT_ONCE
        block = list(islice(self._new, most))
        if not block:
            return
        taken = self._claims.take(block)
        if not taken.tried and not taken.is_early and not (self._in_hand or self._ready or self._again):
            raise self._budget.reached(block[0])
        for _ in range(taken.tried):
            self._new.popleft()
        yield from self._sort(block[: taken.tried], taken.ours)

    def _sort(self, questions: list[Question[Key]], ours: set[str]) -> Iterator[Answer[Key]]:
        """Claimed ones are ready, unless their reply has come meanwhile; the others are elsewhere."""
        known = stored([question.mark for question in questions])
        for question in questions:
            if question.mark in known:
                yield from self._answered(question.mark, known[question.mark])
            elif question.mark in ours:
                self._ready.append(question)
            else:
                self._elsewhere[question.mark] = question
        self._claims.drop(ours & set(known))

    def _send(self) -> None:
        """Give the line what may go, as far as it has room and the limits a minute allow."""
        block = list(islice(self._ready, self._room()))
        if not block:
            return
        delays = self._limits.reserve([question.most_tokens if self._limits.is_limited else 0 for question in block])
        for _ in delays:
            self._ready.popleft()
        sent = list(zip(block, delays, strict=False))  # the limits may allow fewer
        for question, _ in sent:
            self._in_hand[question.mark] = question
            dialects.prepare(question, self._parameters)
        self._line.send(sent)

    def _wait(self) -> list[Outcome]:
        """What has come by now, or a little later; nothing, when it is time to look round."""
        pauses = [WAIT, *(moment - time.monotonic() for moment, *_ in self._again)]
        outcomes = self._hold(self._line.outcomes(timeout=max(0.0, min(pauses))))
        if outcomes and len(self._in_hand) > len(outcomes) + FEW:
            time.sleep(GATHER)  # a few at once are stored at the price of one
            outcomes += self._hold(self._line.outcomes(timeout=0))
        if self._interrupts.check():
            self._interrupts.check_counts()
            self._budget.look()
        return outcomes

    def _receive(self, outcomes: list[Outcome]) -> Iterator[Answer[Key]]:
        for question, _ in outcomes:
            del self._in_hand[question.mark]
        saved = self._keep()
        for question, outcome in outcomes:
            if isinstance(outcome, Exception):
                yield from self._failed(question, outcome)
            else:
                self._last_reply = 0
        for mark, completion in saved.items():
            yield from self._answered(mark, completion)
        if self._elsewhere and not outcomes:
            yield from self._look_elsewhere()

    def _look_elsewhere(self) -> Iterator[Answer[Key]]:
        """Has somebody else got the reply, or given up?"""
        questions = list(self._elsewhere.values())
        known = stored(self._elsewhere)
        for mark, completion in known.items():
            del self._elsewhere[mark]
            yield from self._answered(mark, completion)
        left = [question for question in questions if question.mark not in known]
        for question in self._claims.abandoned(left):
            del self._elsewhere[question.mark]
            self._new.append(question)

    def _answered(self, mark: str, answer: Completion | ModelRequestError) -> Iterator[Answer[Key]]:
        for key in self._open.pop(mark).keys:
            yield key, answer

    def _failed(self, question: Question[Key], error: Exception) -> Iterator[Answer[Key]]:
        """Ask again, later or otherwise; or give up."""
        if isinstance(error, UncoveredError):
            self._claim_anew(question)
            return
        if dialects.adapt(question, error):
            self._ready.appendleft(question)
            return
        if isinstance(error, ModelRequestError) and error.concerns_one:
            self._claims.drop({question.mark})
            self._line.send([])  # it stops at a refusal; this one is not the others'
            yield from self._answered(question.mark, error)
            return
        if not isinstance(error, UnavailableError):
            raise error
        check_rest(error, self._address.base_url)
        question.attempts += 1
        self._last_reply += 1
        if question.attempts <= self._parameters.retries and not self._is_silent(question):
            queue = self._ready
            if isinstance(error, BilledError) and self._budget.is_limited:
                self._claims.drop({question.mark})  # what was set aside may be spent: more is, or the run pauses
                queue = self._new
            pause = pause_before(question.attempts, error.retry_after)
            self._again.append((time.monotonic() + pause, queue, question))
            return
        times = Reason("words.once", count=question.attempts)
        gave_up = ModelServerError(
            "scoring.server_given_up", server=self._address.base_url, why=error.reason, times=times
        )
        if self._last_reply >= question.attempts:  # nothing has come in all that time
            raise gave_up
        self._given_up.append(gave_up.reason)
        del self._open[question.mark]

    def _claim_anew(self, question: Question[Key]) -> None:
        """One that was not sent: the tokens reserved for it are free, and are reserved again with its next turn."""
        if self._limits.is_limited:
            self._limits.give_back(question.most_tokens)
        self._claims.drop({question.mark})
        self._new.appendleft(question)

    def _is_silent(self, question: Question[Key]) -> bool:
        """Whether the server has answered nothing for as long as anybody would wait."""
        return not self._patience.has_answers and question.waited_in_all >= self._patience.longest

    def _hold(self, outcomes: list[Outcome]) -> list[Outcome]:
        """What has come is ours until it is stored, whatever happens meanwhile."""
        for question, outcome in outcomes:
            if isinstance(outcome, ModelReply):
                self._replies.append((question, outcome))
            elif isinstance(outcome, BilledError):
                self._in_vain.append((question, outcome))
        return outcomes

    def _keep(self) -> dict[str, Completion]:
        """Store what has come; return the replies by signature.

        Of what was asked in vain the run is told, and the next who asks: it may be paid for all the same.
        """
        whose: dict[str, Any] = {"parameters": self._parameters, "run": self._run, "budget": self._budget}
        while self._in_vain:
            question, error = self._in_vain[0]
            _write(partial(count_in_vain, question, error, **whose, waits=self._patience.seconds))
            self._in_vain.popleft()
            if isinstance(error, LateError):
                question.waited_in_all += error.waited
                self._patience.remember()
        if not self._replies:
            return {}
        saved = _write(partial(save, self._replies, **whose))
        replies, self._replies = self._replies, []
        for question, reply in replies:
            dialects.remember(question, self._parameters)
            if self._limits.is_limited and reply.prompt_tokens is not None and reply.completion_tokens is not None:
                self._limits.give_back(question.most_tokens - reply.prompt_tokens - reply.completion_tokens)
        return saved

    def _room(self) -> int:
        """For how many more; those that are to be asked again count, so that a server in trouble gets no others."""
        return max(0, 2 * self._most_under_way - len(self._in_hand) - len(self._again))

    def _keep_claims(self) -> None:
        """What is under way is ours until it has come, also where the run has ended: nobody else asks it, or counts it
        as lost."""
        with suppress(Error):  # the database may be what has ended it
            self._claims.renew()

    def _end(self, outcomes: list[Outcome]) -> None:
        """Keep what is paid for, and leave to others what was not asked."""
        self._hold(outcomes)
        try:
            self._keep()
            self._claims.release()
            self._places.leave()
            self._patience.remember()
        except Error:
            logger.exception(
                "Of what arrived until the asking ended, %d replies and %d bills for others could not be stored.",
                len(self._replies),
                len(self._in_vain),
            )


def _write(change: Callable[[], Result]) -> Result:
    """Make a change in a transaction of its own, again while the database is away: what it stores is paid for."""
    for pause in AWAY:
        try:
            return change()
        except (OperationalError, InterfaceError) as error:
            logger.warning("The database is away; trying again in %g s: %s", pause, error)
            time.sleep(pause)
            if not connection.in_atomic_block:  # else it is the caller's
                connection.close_if_unusable_or_obsolete()
    return change()
