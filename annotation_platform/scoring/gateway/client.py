"""What callers of language models use."""

import asyncio
import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.gateway import dialects
from annotation_platform.scoring.gateway.batches import BatchTransport
from annotation_platform.scoring.gateway.direct import DirectTransport
from annotation_platform.scoring.gateway.endpoint import (
    Address,
    Endpoint,
    ModelReply,
    ModelRequestError,
    ModelServerError,
    UnavailableError,
)
from annotation_platform.scoring.gateway.replies import Answer, has_reply
from annotation_platform.scoring.gateway.requests import SCHEMA, Key, Question, Request, by_schema
from annotation_platform.scoring.keys import check_key, key_of, key_source
from annotation_platform.scoring.models import Completion, ModelConnection, ScoringRun
from annotation_platform.scoring.models.completions import SHORTFALLS
from annotation_platform.scoring.models.connections import validate_outer_address
from annotation_platform.scoring.parameters import OPENAI_URL, ModelCall

LONGEST_TRIAL = 15.0  # seconds; somebody waits for it in front of a page
MOST_TRIED = 512  # tokens; models that think aloud need many
TRIED_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "state": {"type": "string", "enum": ["ready", "busy"]},
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
    },
    "required": ["state", "score"],
    "additionalProperties": False,
}
"""With all that the schemas of runs have."""
ROOM = 4  # times the longest length, for a reply that was cut
REFUSED_AT_FIRST = 100  # one item may have so many requests, which are all too long


class Gateway:
    """Asks one model with one set of parameters, for a run or (without) for nobody in particular."""

    def __init__(self, parameters: ModelCall, run: ScoringRun | None = None) -> None:
        self._parameters, self._run = parameters, run
        self._has_reply = False

    def complete(self, asked: Iterable[Request[Key]]) -> Iterator[Answer[Key]]:
        """Yield (key, stored completion) for each request, in the order of arrival.

        Where the server refuses one request and has answered others, its ModelRequestError comes in the place of the
        completion. Nothing of that is stored: who needs the reply later asks again.

        A reply that was cut at the longest length of ours is asked for once more, with ``ROOM`` times as much room,
        when all else is answered; if it is cut again, or the server allows no more, the last one that came is yielded.

        A request that was answered once, for this run or any other, is answered from its stored reply and costs
        nothing; one that another process is asking is waited for. However it ends, by an error, an interrupt or a
        consumer that has had enough, no new request is sent and the replies to those under way, which are paid
        for, are stored.

        Raises
        ------
        ModelRequestError
            The server refuses every request (wrong key, unknown model, …); trying again would not help.
        ModelServerError
            The server answered nothing any more, or a request failed in every attempt; a run pauses then.
        BudgetReachedError
            The next request could cost more than the run's or the study's budget has left; a run pauses then.
        JobPausedError, JobStoppedError
            Somebody asked the run to pause, or the process to end, while replies were waited for.
        InvalidInputError
            The key is missing, or a budget cannot be kept because a price or a limit is missing.
        """
        address = address_of(self._parameters, self._run)
        kind = BatchTransport[Key] if self._parameters.mode == "batch" else DirectTransport[Key]

        def ask(some: Iterable[Request[Key]]) -> Generator[Answer[Key], None, None]:
            return kind(address, self._parameters, self._run).complete(some)

        if self._parameters.max_tokens is None:  # the server's own limit, which nobody can raise
            return self._unless_all_refused(ask(asked))
        return self._unless_all_refused(_with_more_room(asked, ask))

    def _unless_all_refused(self, answers: Generator[Answer[Key], None, None]) -> Iterator[Answer[Key]]:
        """Hold back what is refused until something is answered."""
        held: list[tuple[Key, ModelRequestError]] = []
        with closing(answers):
            for key, answer in answers:
                if isinstance(answer, Completion):
                    self._has_reply = True
                elif not self._has_reply:
                    held.append((key, answer))
                    if len(held) >= REFUSED_AT_FIRST:
                        self._raise_unless_answered(answer)
                    continue
                yield from held
                held.clear()
                yield key, answer
            if held:
                self._raise_unless_answered(held[0][1])
            yield from held

    def _raise_unless_answered(self, error: ModelRequestError) -> None:
        self._has_reply = self._has_reply or has_reply(self._run)
        if not self._has_reply:
            raise error


def _with_more_room(
    asked: Iterable[Request[Key]], ask: Callable[[Iterable[Request[Key]]], Generator[Answer[Key], None, None]]
) -> Generator[Answer[Key], None, None]:
    """Hold back what had too little room, and ask for it again at the end."""
    under_way: dict[Key, Request[Key]] = {}
    cut: dict[Key, Completion] = {}

    def noted() -> Iterator[Request[Key]]:
        for request in asked:
            under_way[request.key] = request
            yield request

    with closing(ask(noted())) as answers:
        for key, answer in answers:
            if isinstance(answer, Completion) and answer.needs_room:
                cut[key] = answer
            else:
                under_way.pop(key)
                yield key, answer
    if cut:
        with closing(ask(replace(under_way[key], room=ROOM) for key in cut)) as answers:
            for key, answer in answers:
                yield key, answer if isinstance(answer, Completion) else cut[key]


def address_of(parameters: ModelCall, run: ScoringRun | None = None) -> Address:
    """Where the requests go and with which key. No key is sent to another address than the one it is for.

    Raises
    ------
    InvalidInputError
        When the connection is gone, has another address by now, or its key is missing.
    """
    connection: ModelConnection | None = None
    if run is not None and run.connection_id is not None:
        connection = run.connection
    elif parameters.connection:
        connection = ModelConnection.objects.filter(name=parameters.connection).first()
        if connection is None:
            raise InvalidInputError("scoring.connection_gone", connection=parameters.connection)
    if connection is None:
        own = (settings.OPENAI_BASE_URL or OPENAI_URL).rstrip("/")
        key = settings.OPENAI_API_KEY if parameters.base_url == own else ""
        check_key(key)
        return Address(parameters.base_url, key, "OPENAI_API_KEY", parameters.timeout)
    if connection.base_url.rstrip("/") != parameters.base_url:
        raise InvalidInputError("scoring.connection_moved", connection=connection)
    _check_scope(connection, run)
    check_key(key := key_of(connection))
    return Address(parameters.base_url, key, key_source(connection), parameters.timeout)


def _check_scope(connection: ModelConnection, run: ScoringRun | None) -> None:
    """
    Raises
    ------
    InvalidInputError
        When a study's own connection is used by another, or leads where only the platform's staff may look.
    """
    if connection.study_id is None:
        return
    if run is not None and run.study_id != connection.study_id:
        raise InvalidInputError("scoring.connection_of_other_study", connection=connection)
    try:
        validate_outer_address(connection.base_url, look_up=True)
    except ValidationError as error:
        raise InvalidInputError("scoring.connection_not_askable", connection=connection, why=error.message) from None


@dataclass(frozen=True)
class Trial:
    """What a server answered to a tiny request."""

    reply: ModelReply
    seconds: float
    takes_schema: bool | None
    """Whether its reply follows a JSON schema that came along; None where that could not be seen, or is not wanted."""


def try_out(parameters: ModelCall) -> Trial:
    """Send one tiny request, and again with a JSON schema, and keep nothing of it.

    Raises
    ------
    ModelRequestError, ModelServerError, InvalidInputError
        With the server's words.
    """
    address = address_of(parameters.model_copy(update={"timeout": min(parameters.timeout, LONGEST_TRIAL)}))
    started = time.perf_counter()
    try:
        reply = asyncio.run(_ask_once(address, Question("", _trial_body(parameters))))
    except UnavailableError as error:
        raise ModelServerError("scoring.server_unavailable", server=address.base_url, why=error.reason) from None
    seconds = time.perf_counter() - started
    return Trial(reply, seconds, None if parameters.structured == "never" else _takes_schema(address, parameters))


def _trial_body(parameters: ModelCall) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Answer with one word: ready"}]
    return {"model": parameters.model, "messages": messages, "max_tokens": 8}


def _takes_schema(address: Address, parameters: ModelCall) -> bool | None:
    """Whether the server holds a reply to a schema that the words alone would never lead to."""
    body = _trial_body(parameters) | {"max_tokens": MOST_TRIED, SCHEMA: by_schema(TRIED_SCHEMA)}
    question = Question[None]("", body)
    try:
        reply = asyncio.run(_ask_once(address, question))
    except (UnavailableError, ModelRequestError):
        return None
    if SCHEMA in question.refused:
        return False
    if reply.finish_reason in SHORTFALLS:
        return None
    try:
        found = json.loads(reply.text)
    except ValueError:
        return False
    return isinstance(found, dict) and found.keys() == TRIED_SCHEMA["properties"].keys()


async def _ask_once(address: Address, question: Question[None]) -> ModelReply:
    """The reply to a question, said as the server wants it."""
    endpoint = Endpoint(address)
    try:
        while True:
            try:
                return await endpoint.attempt(question.body)
            except ModelRequestError as error:
                if not dialects.adapt(question, error):
                    raise
    finally:
        await endpoint.close()
