"""What is asked: as callers put it, and as it goes to the server under the signature by which its reply is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any, Generic, TypeVar

from annotation_platform.core.methods.messages import Message
from annotation_platform.core.signature import canonical_json, signature
from annotation_platform.scoring.parameters import ModelCall

TOKENS_AROUND = 64  # more than any chat format puts around one message
SCHEMA = "response_format"
MILLION = Decimal(1_000_000)
MOST_COST = Decimal("999999.999999")  # as costs are stored

Key = TypeVar("Key")


@dataclass(frozen=True)
class Request(Generic[Key]):
    """What is to be asked; ``key`` is the caller's own name for it.

    ``schema`` is the JSON schema that the reply should follow, where the server knows how. ``repetition`` tells
    equal requests apart that are each to have a reply of their own: the first is 0. ``room`` times as long a reply is
    allowed as by the parameters.
    """

    key: Key
    messages: Sequence[Message]
    schema: Mapping[str, Any] | None = None
    repetition: int = 0
    room: int = 1


@dataclass(frozen=True)
class Excess:
    """Tokens that were billed beyond the most that a request was thought to have."""

    tokens_in: int = 0
    tokens_out: int = 0

    def __or__(self, other: "Excess") -> "Excess":
        """The larger of each."""
        return Excess(max(self.tokens_in, other.tokens_in), max(self.tokens_out, other.tokens_out))


@dataclass
class Question(Generic[Key]):
    """A request on its way, and everybody who waits for its reply."""

    mark: str
    body: dict[str, Any]
    keys: list[Key] = field(default_factory=list)
    attempts: int = 0
    waited: float = 0.0
    """Seconds in the last attempt that was in vain."""
    waited_in_all: float = 0.0
    covered: Excess | None = None
    """What was set aside for it beyond its most, when it was claimed; None where there was no budget."""
    refused: set[str] = field(default_factory=set)
    """Parts of the body that the server did not take, so that it is asked otherwise; see :mod:`dialects`."""

    @cached_property
    def most_tokens_in(self) -> int:
        """No more tokens than this can be in the prompt: none is shorter than a byte."""
        texts = sum(len(str(message["content"]).encode()) + TOKENS_AROUND for message in self.body["messages"])
        return texts + len(canonical_json(self.body.get(SCHEMA, "")))

    @property
    def most_tokens_out(self) -> int | None:
        """No more tokens than this are to be in the reply; None where it may be as long as the server likes."""
        return self.body.get("max_tokens") or self.body.get("max_completion_tokens")

    @property
    def most_tokens(self) -> int:
        return self.most_tokens_in + (self.most_tokens_out or 0)


def make_question(asked: Request[Key], parameters: ModelCall) -> Question[Key]:
    """The request's body, and its signature: model, address, messages and settings, but neither pace nor price."""
    body: dict[str, Any] = {"model": parameters.model, "messages": [dict(message) for message in asked.messages]}
    if parameters.temperature is not None:
        body["temperature"] = parameters.temperature
    if parameters.max_tokens is not None:
        body["max_tokens"] = parameters.max_tokens * asked.room
    if parameters.seed is not None:
        body["seed"] = parameters.seed + asked.repetition  # else the server would repeat itself
    if asked.schema is not None:
        body[SCHEMA] = by_schema(asked.schema)
    distinct = {"repetition": asked.repetition} if asked.repetition else {}
    return Question(signature({"base_url": parameters.base_url, **body, **distinct}), body)


def by_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Said in a request's body, that the reply is to follow a JSON schema."""
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema), "strict": True}}


def cost_of(parameters: ModelCall, tokens_in: int | None, tokens_out: int | None) -> Decimal | None:
    """US dollars for so many tokens, as far as they can be stored; None where a price or a count is not known."""
    if None in (parameters.price_in, parameters.price_out, tokens_in, tokens_out):
        return None
    price_in, price_out = Decimal(str(parameters.price_in)), Decimal(str(parameters.price_out))
    return min(MOST_COST, (Decimal(tokens_in or 0) * price_in + Decimal(tokens_out or 0) * price_out) / MILLION)
