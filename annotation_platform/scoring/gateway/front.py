"""What callers of language models use."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.gateway.asking import Asking
from annotation_platform.scoring.gateway.batches import BatchAsking
from annotation_platform.scoring.gateway.endpoint import (
    Address,
    Endpoint,
    ModelReply,
    ModelServerError,
    UnavailableError,
)
from annotation_platform.scoring.gateway.requests import Key, Request
from annotation_platform.scoring.keys import key_of, key_source
from annotation_platform.scoring.models import Completion, ModelConnection, ScoringRun
from annotation_platform.scoring.parameters import OPENAI_URL, ModelCall

LONGEST_TRIAL = 15.0  # seconds; somebody waits for it in front of a page


class Gateway:
    """Asks one model with one set of parameters, for a run or (without) for nobody in particular."""

    def __init__(self, parameters: ModelCall, run: ScoringRun | None = None) -> None:
        self._parameters, self._run = parameters, run

    def complete(self, asked: Iterable[Request[Key]]) -> Iterator[tuple[Key, Completion]]:
        """Yield (key, stored completion) for each request, in the order of arrival.

        A request that was answered once, for this run or any other, is answered from its stored reply and costs
        nothing; one that another process is asking is waited for. However it ends, by an error, an interrupt or a
        consumer that has had enough, no new request is sent and the replies to those under way, which are paid
        for, are stored.

        Raises
        ------
        ModelRequestError
            The server refuses the request (wrong key, unknown model, …); trying again would not help.
        ModelServerError
            The server answered nothing any more, or a request failed in every attempt; a run pauses then.
        BudgetReachedError
            The next request could cost more than the run's or the study's budget has left; a run pauses then.
        RunPausedError, RunStoppedError
            Somebody asked the run to pause, or the process to end, while replies were waited for.
        InvalidInputError
            The key is missing, or a budget cannot be kept because a price or a limit is missing.
        """
        address = address_of(self._parameters, self._run)
        if self._parameters.mode == "batch":
            return BatchAsking[Key](address, self._parameters, self._run).complete(asked)
        return Asking[Key](address, self._parameters, self._run).complete(asked)


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
            raise InvalidInputError(f"The connection “{parameters.connection}” is gone. Start a new run with another.")
    if connection is None:
        own = (settings.OPENAI_BASE_URL or OPENAI_URL).rstrip("/")
        key = settings.OPENAI_API_KEY if parameters.base_url == own else ""
        return Address(parameters.base_url, key, "OPENAI_API_KEY", parameters.timeout)
    if connection.base_url.rstrip("/") != parameters.base_url:
        raise InvalidInputError(
            f"The connection “{connection}” has another address since this run was started. Start a new run."
        )
    return Address(parameters.base_url, key_of(connection), key_source(connection), parameters.timeout)


@dataclass(frozen=True)
class Trial:
    """What a server answered to a tiny request."""

    reply: ModelReply
    seconds: float


def try_out(parameters: ModelCall) -> Trial:
    """Send one tiny request and keep nothing of it.

    Raises
    ------
    ModelRequestError, ModelServerError, InvalidInputError
        With the server's words.
    """
    address = address_of(parameters.model_copy(update={"timeout": min(parameters.timeout, LONGEST_TRIAL)}))
    body = {"model": parameters.model, "messages": [{"role": "user", "content": "Answer with one word: ready"}]}

    async def ask() -> ModelReply:
        endpoint = Endpoint(address)
        try:
            return await endpoint.attempt({**body, "max_tokens": 8})
        finally:
            await endpoint.close()

    started = time.perf_counter()
    try:
        reply = asyncio.run(ask())
    except UnavailableError as error:
        raise ModelServerError(f"The model server {address.base_url} {error}.") from None
    return Trial(reply, time.perf_counter() - started)
