"""What the engine of runs asks of a method: parameters, what a run is about, and the work itself."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.prompts import Message
from annotation_platform.core.schemes import Scheme
from annotation_platform.jobs.heartbeat import Heartbeat
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


class OptionKind(StrEnum):
    CHOICE = "choice"
    NUMBER = "number"
    WHOLE = "whole"
    YES_NO = "yes_no"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter that people may set when they start a run; left open, ``resolve`` of the method fills it in.

    Attributes
    ----------
    name : str
        As ``resolve`` takes it.
    choices : tuple of (value, label)
        Of a choice; where nothing is chosen the first counts.
    usual : str
        What is taken when it is left open, in words.
    initial : str
        What the page fills in beforehand; emptied there, it means none.
    scorers : tuple of Scorer
        Whom it concerns; empty: all of the method's.
    is_rare : bool
        Seldom set, so that the page folds it away.
    """

    name: str
    label: str
    kind: OptionKind
    choices: tuple[tuple[str, str], ...] = ()
    help: str = ""
    usual: str = ""
    initial: str = ""
    scorers: tuple[Scorer, ...] = ()
    is_rare: bool = False

    def read(self, text: str) -> Any:
        """The value that a form's text stands for; None for one left open.

        Raises
        ------
        InvalidInputError
            When it is not among the choices, no number, or no whole one.
        """
        text = text.strip()
        if self.kind is OptionKind.YES_NO:
            return text == "yes" if text else None
        if self.kind is OptionKind.CHOICE and text and text not in dict(self.choices):
            raise InvalidInputError("scoring.option_no_choice", label=self.label, text=text)
        if not text or self.kind not in (OptionKind.NUMBER, OptionKind.WHOLE):
            return text or None
        try:
            return int(text) if self.kind is OptionKind.WHOLE else float(text)
        except ValueError:
            code = "scoring.option_no_whole_number" if self.kind is OptionKind.WHOLE else "scoring.option_no_number"
            raise InvalidInputError(code, label=self.label, text=text) from None


def typed_as(value: Any) -> str:
    """What people type in a form for this value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return "" if value is None else str(value).removesuffix(".0")


class RunMethod(ABC):
    """One of the platform's methods. Stateless: everything about a run is in its row.

    ``purpose`` says in a sentence what it is for; ``scorers`` are those who can do it, the first by default.
    """

    method: ClassVar[Method]
    purpose: ClassVar[str] = ""
    scorers: ClassVar[tuple[Scorer, ...]]
    counted: ClassVar[str] = "judgments"
    """What a step of such a run is about."""
    sources: ClassVar[tuple[str, ...]] = ()
    """Parameters that name, by its slug, another study whose judgments such a run reads."""

    def options(self, study: Study) -> tuple[Option, ...]:
        """What a person may set in a new run of this study, in the order in which it is asked."""
        return ()

    @abstractmethod
    def check(self, study: Study) -> None:
        """Raise InvalidInputError, with what to do, where such a run would have nothing to do."""

    def obstacle(self, study: Study) -> str:
        """What :meth:`check` raises, in words; empty where there is something to do."""
        try:
            self.check(study)
        except InvalidInputError as refused:
            return refused.reason
        return ""

    @abstractmethod
    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> Parameters:
        """The parameters of a new run; raises InvalidInputError where something is missing, unknown or wrong."""

    def typed(self, run: ScoringRun) -> dict[str, str]:
        """What to type on the page of a new run to have one like this."""
        told = self._told(run)
        found = {option.name: typed_as(told[option.name]) for option in self.options(run.study) if option.name in told}
        budget = {} if run.budget is None else {"budget": typed_as(run.budget)}
        return {"scorer": run.scorer, **found, **budget}

    def _told(self, run: ScoringRun) -> Mapping[str, Any]:
        """A run's parameters by the names of its options."""
        return dict(run.parameters)

    @abstractmethod
    def parse(self, *, scorer: str, stored: Mapping[str, Any]) -> Parameters:
        """The parameters that a run was started with."""

    def batches(self, study: Study) -> list[Batch]:
        """What a new run is about: every batch, open or closed, where a method needs no judgments."""
        return list(study.batches.all())

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

    def summary(self, run: ScoringRun) -> list[str]:
        """What a finished run found, in lines for people."""
        return []

    def asked(self, *, study: Study, parameters: Parameters, limit: int, item_id: int | None = None) -> Iterator[Asked]:
        """The first ``limit`` requests of such a run, or those about one item: for preview and dry run.

        Raises
        ------
        InvalidInputError
            When no model is asked.
        """
        raise InvalidInputError("scoring.no_prompt")
