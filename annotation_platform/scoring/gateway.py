"""The only caller of language models: many questions at once, every reply stored the moment it arrives.

Threads only talk to the model server; all reading and writing of rows is done by the thread that consumes the
replies, so one transaction at a time is enough on any database. A request that was answered once, by this run
or any other, is answered from its :class:`Completion` and costs nothing.
"""

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any, Generic, TypeVar

from django.conf import settings

from annotation_platform.core.methods.prompts import Message
from annotation_platform.core.signature import signature
from annotation_platform.scoring.endpoint import Endpoint, ModelReply, ModelRequestError, ModelServerError
from annotation_platform.scoring.models import Completion, ScoringRun
from annotation_platform.scoring.parameters import ModelCall

__all__ = ["Gateway", "ModelRequestError", "ModelServerError", "Request"]
logger = logging.getLogger(__name__)

LOOK_UP = 200  # requests whose stored replies are looked for at once
MILLION = Decimal(1_000_000)

Key = TypeVar("Key")


@dataclass(frozen=True)
class Request(Generic[Key]):
    """What is to be asked; ``key`` is the caller's own name for it.

    ``schema`` is the JSON schema that the reply should follow, where the server knows how. ``repetition`` tells
    equal requests apart that are each to have a reply of their own: the first is 0.
    """

    key: Key
    messages: Sequence[Message]
    schema: Mapping[str, Any] | None = None
    repetition: int = 0


@dataclass
class _Question(Generic[Key]):
    """A request under way, and everybody who waits for its reply."""

    mark: str
    request: dict[str, Any]
    keys: list[Key] = field(default_factory=list)


class Gateway:
    """Asks one model with one set of parameters, for a run or (without) for nobody in particular."""

    def __init__(self, parameters: ModelCall, run: ScoringRun | None = None) -> None:
        self._parameters = parameters
        self._run = run
        self._stopping = threading.Event()
        self._endpoint = Endpoint(
            base_url=parameters.base_url,
            api_key=settings.OPENAI_API_KEY,
            timeout=parameters.timeout,
            retries=parameters.retries,
            stopping=self._stopping,
        )

    def complete(self, asked: Iterable[Request[Key]]) -> Iterator[tuple[Key, Completion]]:
        """Yield (key, stored completion) for each request, in the order of arrival.

        However it ends, by an error, an interrupt or a consumer that has had enough, no new request is sent
        and the replies to those under way, which are paid for, are stored.

        Raises
        ------
        ModelRequestError
            The server refuses the request (wrong key, unknown model, …); trying again would not help.
        ModelServerError
            A request failed in every attempt.
        """
        running: dict[Future[ModelReply], _Question[Key]] = {}
        executor = ThreadPoolExecutor(self._parameters.concurrency, thread_name_prefix="model request")
        remaining = iter(asked)
        try:
            while block := list(islice(remaining, LOOK_UP)):
                questions = [(request.key, self._question(request)) for request in block]
                known = self._stored([question.mark for _, question in questions])
                for key, question in questions:
                    while question.mark not in known and len(running) >= self._parameters.concurrency:
                        yield from self._next_replies(running, known)
                    if completion := known.get(question.mark):
                        yield key, completion
                    elif same := next((q for q in running.values() if q.mark == question.mark), None):
                        same.keys.append(key)
                    else:
                        question.keys.append(key)
                        running[executor.submit(self._endpoint.ask, question.request)] = question
            while running:
                yield from self._next_replies(running, {})
        finally:
            self._stopping.set()
            self._keep(running)
            executor.shutdown()
            self._endpoint.close()

    def _question(self, asked: Request[Any]) -> _Question[Any]:
        parameters = self._parameters
        request: dict[str, Any] = {"model": parameters.model, "messages": [dict(message) for message in asked.messages]}
        if parameters.temperature is not None:
            request["temperature"] = parameters.temperature
        if parameters.max_tokens is not None:
            request["max_tokens"] = parameters.max_tokens
        if asked.schema is not None:
            schema = {"name": "reply", "schema": dict(asked.schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        distinct = {"repetition": asked.repetition} if asked.repetition else {}
        return _Question(signature({"base_url": parameters.base_url, **request, **distinct}), request)

    def _stored(self, marks: list[str]) -> dict[str, Completion]:
        return {completion.signature: completion for completion in Completion.objects.filter(signature__in=marks)}

    def _next_replies(
        self, running: dict[Future[ModelReply], _Question[Key]], known: dict[str, Completion]
    ) -> Iterator[tuple[Key, Completion]]:
        """Wait for the next reply or replies; store each before anybody reads it."""
        arrived, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in arrived:
            question = running[future]
            completion = self._store(question, future.result())
            del running[future]
            known[question.mark] = completion
            for key in question.keys:
                yield key, completion

    def _keep(self, running: dict[Future[ModelReply], _Question[Key]]) -> None:
        for future, question in running.items():
            if future.cancel():
                continue
            try:
                self._store(question, future.result())
            except (ModelServerError, ModelRequestError) as error:
                logger.info("A request under way when its run ended got no reply: %s", error)

    def _store(self, question: _Question[Key], reply: ModelReply) -> Completion:
        completion, _ = Completion.objects.get_or_create(
            signature=question.mark,
            defaults={
                "request": {"base_url": self._parameters.base_url, **question.request},
                "reply": reply.text,
                "model": reply.model[:200],
                "prompt_tokens": reply.prompt_tokens,
                "completion_tokens": reply.completion_tokens,
                "cost": self._cost(reply),
                "run": self._run,
            },
        )
        return completion

    def _cost(self, reply: ModelReply) -> Decimal | None:
        price_in, price_out = self._parameters.price_in, self._parameters.price_out
        if None in (price_in, price_out, reply.prompt_tokens, reply.completion_tokens):
            return None
        tokens_in, tokens_out = Decimal(reply.prompt_tokens or 0), Decimal(reply.completion_tokens or 0)
        return (tokens_in * Decimal(str(price_in)) + tokens_out * Decimal(str(price_out))) / MILLION
