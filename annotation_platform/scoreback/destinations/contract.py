"""What every program that takes scores is to the rest of the platform."""

import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "annotation-platform/scores-back")


@dataclass(frozen=True)
class HumanScore:
    """What one person, or all together, said to one aspect of the answer that a trace recorded.

    ``value`` is the number of the scale, or the mean of several; None where the aspect has no numbers, whose ``label``
    counts then. ``annotator`` is a pseudonym, "" for all of them together, ``count`` how many that is.
    """

    study: str
    trace: str
    span: str
    project: str
    aspect: str
    value: float | None
    label: str = ""
    comment: str = ""
    annotator: str = ""
    count: int = 1

    @property
    def identifier(self) -> uuid.UUID:
        """The same whenever the same is said again, so that it takes the place of what was sent before."""
        return uuid.uuid5(NAMESPACE, "\x1f".join((self.study, self.trace, self.span, self.aspect, self.annotator)))

    @property
    def about(self) -> dict[str, Any]:
        """What goes with it: from which study, and from whom or how many."""
        return {"study": self.study, **({"annotator": self.annotator} if self.annotator else {"judgments": self.count})}


@dataclass(frozen=True)
class Account:
    """How a study speaks to a program: its address without a slash at the end, and the keys."""

    address: str
    secret: str
    public_key: str = ""


@dataclass(frozen=True)
class Request:
    """One request to a program."""

    method: str
    path: str
    body: Mapping[str, Any]


class Destination(ABC):
    """A program that takes scores. One instance serves all studies.

    Attributes
    ----------
    key
        Its name in rows; never changed.
    title
        For the researcher.
    tools
        Formats of imports whose traces it may know.
    usual_address
        Where it is unless somebody runs it themselves.
    secret, public_key
        What it calls the key; ``public_key`` is "" where there is only one.
    needs_span
        Whether it takes scores of steps only, and none of a trace as a whole.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    tools: ClassVar[Sequence[str]]
    usual_address: ClassVar[str]
    secret: ClassVar[str]
    public_key: ClassVar[str]
    needs_span: ClassVar[bool]

    @abstractmethod
    def headers(self, account: Account) -> Mapping[str, str]:
        """Those by which it knows who sends."""

    @abstractmethod
    def request(self, score: HumanScore) -> Request:
        """What hands a score over; sent twice, it is there once."""

    def replacement(self, score: HumanScore) -> Request | None:
        """What changes a score that the program says is there already (409); None where that cannot be."""
        return None


def rounded(value: float, digits: int = 6) -> float:
    """A number without the noise of floating point."""
    return round(value, digits)
