"""What the engine of runs asks of a method: parameters, what a run is about, and the work itself."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from annotation_platform import __version__
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.messages import Message
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.core.schemes import Scheme
from annotation_platform.core.signature import signature
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.models import Scorer, ScoringRun
from annotation_platform.scoring.options import Option, typed_as
from annotation_platform.scoring.parameters import ModelCall, Parameters, chosen, server_and_model
from annotation_platform.studies.models import Batch, Study


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """A request that a run would send, for people to look at: about which item (and judgment), and the messages."""

    item_id: int
    about: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ScoredBy:
    """One who can do the work of a method, by name and by what pages say; and what such a run is told."""

    scorer: str
    title: str
    parameters: type[Parameters]


def by_language_model(parameters: type[ModelCall]) -> ScoredBy:
    return ScoredBy(Scorer.LANGUAGE_MODEL, _("Language model"), parameters)


class RunMethod(ABC):
    """One of the platform's methods. Stateless: everything about a run is in its row.

    ``name`` is kept with its runs and stands in addresses; ``title`` and ``purpose``, a sentence, on pages;
    ``scored_by`` says who can do it, the first by default.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    purpose: ClassVar[str] = ""
    scored_by: ClassVar[tuple[ScoredBy, ...]]
    counted: ClassVar[str] = "judgments"
    """What a step of such a run is about."""
    asks_for_labels: ClassVar[bool] = False
    """Whether it asks a model what people are asked, as far as aspects have labels."""
    sources: ClassVar[tuple[str, ...]] = ()
    """Parameters that name, by its slug, another study whose judgments such a run reads."""
    signs_as_it_reads: ClassVar[bool] = False
    """Whether :meth:`execute` signs what it reads, and calls :meth:`sign` in the end; what a run is about is read once
    then."""

    @property
    def scorers(self) -> tuple[str, ...]:
        return tuple(each.scorer for each in self.scored_by)

    def parameters(self, scorer: str) -> type[Parameters]:
        """What a run by this scorer is told.

        Raises
        ------
        InvalidInputError
            The scorer is none of the method's.
        """
        for each in self.scored_by:
            if each.scorer == scorer:
                return each.parameters
        raise InvalidInputError("scoring.no_scorer", label=self.title, scorer=scorer, known=[*self.scorers])

    def options(self) -> dict[str, Option]:
        """What people may set of its parameters, by name: those of all its scorers, each with whom it concerns."""
        found: dict[str, Option] = {}
        concerned: dict[str, list[str]] = {}
        for each in self.scored_by:
            for name, option in each.parameters.options().items():
                found.setdefault(name, option)
                concerned.setdefault(name, []).append(each.scorer)
        of_all = len(self.scored_by)
        return {
            name: option if len(who := concerned[name]) == of_all else replace(option, scorers=tuple(who))
            for name, option in found.items()
        }

    def options_in(self, study: Study) -> dict[str, Option]:
        """What the page of a new run of this study asks, in this order."""
        found = {name: option.in_study(study) for name, option in self.options().items()}
        return {name: option for name, option in found.items() if option is not None}

    def options_of(self, scorer: str, study: Study) -> dict[str, Option]:
        """Those of them that concern one scorer: what somebody who is not at the server's console may set."""
        asked = self.options_in(study)
        return {name: asked[name] for name in self.parameters(scorer).options() if name in asked}

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

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> Parameters:
        """The parameters of a new run; raises InvalidInputError where something is missing, unknown or wrong."""
        kind = self.parameters(scorer)
        found = chosen(kind, given)
        if issubclass(kind, ModelCall):
            found |= server_and_model(found)
        return kind.checked(**found)

    def typed(self, run: ScoringRun) -> dict[str, str]:
        """What to type on the page of a new run to have one like this."""
        told = self._told(run)
        found = {name: typed_as(told[name]) for name in self.options_in(run.study) if name in told}
        budget = {} if run.budget is None else {"budget": typed_as(run.budget)}
        return {"scorer": run.scorer, **found, **budget}

    def _told(self, run: ScoringRun) -> Mapping[str, Any]:
        """A run's parameters by the names of its options."""
        return dict(run.parameters)

    def parse(self, *, scorer: str, stored: Mapping[str, Any]) -> Parameters:
        """The parameters that a run was started with."""
        return self.parameters(scorer)(**stored)

    def batches(self, study: Study) -> list[Batch]:
        """What a new run is about: every batch, open or closed, where a method needs no judgments."""
        return list(study.batches.all())

    @abstractmethod
    def total(self, run: ScoringRun, scheme: Scheme) -> int:
        """How many steps the run has."""

    @abstractmethod
    def data_signature(self, run: ScoringRun) -> str:
        """SHA-256 over what the run is about, by revision."""

    def sign(self, run: ScoringRun, parameters: Parameters, about: str) -> None:
        """Give the run its signature; ``about`` is its :meth:`data_signature`."""
        run.signature = signature(
            {
                "method": run.method,
                "scorer": run.scorer,
                "parameters": parameters.deciding(),
                "scheme": run.study.scheme_version.signature,
                "judgments": about,
                "code": __version__,
            }
        )

    def ready(self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters) -> None:
        """Raise InvalidInputError for what would keep a run from its end, before a dry run pays for anything; in a run
        without one :meth:`execute` finds it by itself."""
        self.check(run.study)

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

    def asked(
        self, *, study: Study, parameters: Parameters, limit: int, item_id: int | None = None
    ) -> Iterator[PromptPreview]:
        """The first ``limit`` requests of such a run, or those about one item: for preview and dry run.

        Raises
        ------
        InvalidInputError
            When no model is asked.
        """
        raise InvalidInputError("scoring.no_prompt")
