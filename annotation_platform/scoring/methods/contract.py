"""What the engine of runs asks of a method: parameters, what a run is about, and the work itself."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.prompts import Message
from annotation_platform.core.schemes import Scheme
from annotation_platform.scoring.heartbeat import Heartbeat
from annotation_platform.scoring.models import Method, Scorer, ScoringRun
from annotation_platform.scoring.parameters import Parameters
from annotation_platform.studies.models import Batch, Study


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that a run would send, for people to look at: about which item (and judgment), and the messages."""

    item_id: int
    about: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None


class RunMethod(ABC):
    """One of the platform's methods. Stateless: everything about a run is in its row.

    ``scorers`` are those who can do it, the first by default.
    """

    method: ClassVar[Method]
    scorers: ClassVar[tuple[Scorer, ...]]

    @abstractmethod
    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> Parameters:
        """The parameters of a new run; raises InvalidInputError where something is missing, unknown or wrong."""

    @abstractmethod
    def parse(self, *, scorer: str, stored: Mapping[str, Any]) -> Parameters:
        """The parameters that a run was started with."""

    @abstractmethod
    def batches(self, study: Study) -> list[Batch]:
        """What a new run is about; raises InvalidInputError, with what to do, when there is nothing."""

    @abstractmethod
    def total(self, run: ScoringRun, scheme: Scheme) -> int:
        """How many steps the run has."""

    @abstractmethod
    def data_signature(self, run: ScoringRun) -> str:
        """SHA-256 over what the run is about, by revision."""

    @abstractmethod
    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        """Do the work and store what comes of it; return the run's counts.

        May be repeated after any failure: what is stored already stays, and comes out the same.
        """

    def asked(self, *, study: Study, parameters: Parameters, limit: int, item_id: int | None = None) -> Iterator[Asked]:
        """The first ``limit`` requests of such a run, or those about one item: for preview and dry run.

        Raises
        ------
        InvalidInputError
            When no model is asked.
        """
        raise InvalidInputError("No model is asked in such a run, so there is no prompt to show and nothing to pay.")
