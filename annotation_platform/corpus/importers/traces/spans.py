"""What every program's records are read into: the steps of a trace, and the examples that traces were run on."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Self

from annotation_platform.corpus.importers.mistakes import RowError

LONGEST_NAME = 200  # characters of the names by which scores find their way back


class Step(StrEnum):
    """What a step of a trace does, as far as that matters here."""

    MODEL = "model"
    """A model was asked, and answered."""
    RETRIEVAL = "retrieval"
    """Documents were looked for."""
    RERANKING = "reranking"
    """Documents that were found were put in order; those that it gives take the place of what was found."""
    OTHER = "other"
    """Anything else: a chain, an agent, a tool."""


@dataclass(frozen=True)
class Span:
    """One step of a trace. Several records may tell of one; without ``span`` it is about the trace as a whole.

    ``asked`` and ``said`` are messages as conversations.py knows them, or texts; where neither can be told,
    ``asked_as_is`` and ``said_as_is`` have what was written, for traces that say nothing else. ``start`` sorts steps in
    time.
    ``about`` has what else the record says, by the name that its column gets. ``scores`` are those of automatic metrics
    and of people there, by name. ``example`` names what the trace was run on, ``experiment`` the run that it is of, and
    ``project`` where the program keeps the trace.
    """

    trace: str
    span: str = ""
    parent: str = ""
    step: str = Step.OTHER
    name: str = ""
    start: str = ""
    asked: Any = None
    said: Any = None
    asked_as_is: str = ""
    said_as_is: str = ""
    model: str = ""
    documents: list[dict[str, Any]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    scores: dict[str, Any] = field(default_factory=dict)
    project: str = ""
    example: str = ""
    experiment: str = ""
    is_broken: bool = False
    kind: str = ""
    """What the program calls such a step."""

    def __post_init__(self) -> None:
        for name in ("trace", "span", "project"):
            if len(value := getattr(self, name)) > LONGEST_NAME:
                raise RowError("corpus.too_long", field=name, length=len(value), most=LONGEST_NAME)
        if not self.trace:
            raise RowError("corpus.span_without_trace")

    @property
    def is_whole(self) -> bool:
        """Whether the record tells of the step itself, and not of one event in it."""
        return bool(self.start or self.name or self.kind)

    def as_data(self) -> dict[str, Any]:
        """What is not as usual, as JSON."""
        return {
            name: value for name, value in asdict(self).items() if value not in ("", None, [], {}, False, Step.OTHER)
        }

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        return cls(**data)


@dataclass(frozen=True)
class Example:
    """What traces of an experiment were run on: the question as the data set has it, and the right answer."""

    name: str
    asked: Any = None
    expected: Any = None


@dataclass(frozen=True)
class Score:
    """A score of a trace, or of one of its steps, that stands in a record of its own."""

    trace: str
    name: str
    value: Any
