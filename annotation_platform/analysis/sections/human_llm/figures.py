"""What is stored of what a language model said of the judged items, beside what people said."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    DescribedRun,
    Figure,
    Interval,
    SectionFigures,
    StoredFigures,
    TestedDifference,
)
from annotation_platform.analysis.sections.mate.figures import Composite
from annotation_platform.core import winning_rates as core
from annotation_platform.core.winning_rates import RATERS_AT, LeadTest, RatersAre, winning_rate


class Replacement(StoredFigures):
    """α of people and what is expected with the model in a random one's place; where α cannot be computed, only the
    reason is known."""

    undefined_because: Because
    raters: CountedFigure | None = None
    expected: CountedFigure | None = None
    change: TestedDifference | None = None
    draws: tuple[float | None, ...] = ()
    mean_of_draws: float | None = None
    exact: float | None = None
    without_label: int | None = None


class RankCorrelation(CountedFigure):
    """``remark`` says that the labels have no order of their own, where they have none."""

    remark: str


class Lead(Figure):
    """How much more often a person agrees with the others at least as well as the model than the other way round, and
    what the test of any ε needs; ``standard_error`` is None where the lead is the same throughout."""

    items: int
    standard_error: float | None
    degrees_of_freedom: float | None
    no_test_because: Because

    @property
    def test(self) -> LeadTest | None:
        if self.value is None or self.no_test_because:
            return None
        return LeadTest(self.value, self.standard_error, self.degrees_of_freedom, self.units)


class AgainstPerson(StoredFigures):
    """One person and the model against the others: shares of the items on which the one does at least as well as the
    other one, and p by ε, corrected by Benjamini and Yekutieli."""

    annotator: str
    person: float | None
    model: float | None
    lead: Lead
    p_values: dict[str, float | None] = {}


class WinningRate(StoredFigures):
    """Share of the tested people who do not lead the model by ε or more; ``people_are`` says for which annotators the ε
    is, None for one that somebody chose."""

    epsilon: float
    people_are: RatersAre | None
    value: float | None
    undefined_because: Because


class InsteadOfPerson(StoredFigures, ABC):
    """The alternative annotator test: the advantage over a person, and ω by ε."""

    advantage: CountedFigure
    winning_rates: tuple[WinningRate, ...] = ()

    @property
    @abstractmethod
    def tests(self) -> Sequence[LeadTest | None]:
        """By person; None for one who cannot be tested."""

    def at(self, *epsilons: float) -> Self:
        """The same with what is found at these ε, too."""
        known = {rate.epsilon for rate in self.winning_rates}
        new = [epsilon for epsilon in dict.fromkeys(epsilons) if epsilon not in known]
        return self.with_rates([winning_rate(self.tests, epsilon) for epsilon in new])

    def with_rates(self, found: Sequence[core.WinningRate]) -> Self:
        rates = (
            WinningRate(
                epsilon=rate.epsilon,
                people_are=RATERS_AT.get(rate.epsilon),
                value=rate.value,
                undefined_because=rate.undefined_because,
            )
            for rate in found
        )
        return self.model_copy(update={"winning_rates": (*self.winning_rates, *rates)})


class Alternative(InsteadOfPerson):
    """Each person left out in turn."""

    people: tuple[AgainstPerson, ...]

    @property
    def tests(self) -> Sequence[LeadTest | None]:
        return [each.lead.test for each in self.people]

    def with_rates(self, found: Sequence[core.WinningRate]) -> Self:
        people = tuple(
            each.model_copy(
                update={"p_values": each.p_values | {str(rate.epsilon): rate.p_values[place] for rate in found}}
            )
            for place, each in enumerate(self.people)
        )
        return super().with_rates(found).model_copy(update={"people": people})


class ConfusionCell(StoredFigures):
    """How often the model gave which label (none: "") where people's majority gave which; the interval is that of the
    share among the items with that majority."""

    majority: str
    model: str
    count: int
    interval: Interval | None
    units: int
    no_interval_because: Because = None


class JudgedAspect(StoredFigures):
    """The model against people on one aspect; ``undecided`` items have no majority. Of ``left_open`` items the model
    need not give a label, since its other answers leave the question out, or the scheme lets it: they are not asked."""

    level: str
    items: int
    asked: int
    failures: int
    left_open: int = 0
    undecided: int
    replacement: Replacement
    alternative: Alternative
    spearman: RankCorrelation
    accuracy: CountedFigure
    confusion: tuple[ConfusionCell, ...]


class HumanLlm(StoredFigures):
    """Aspects are those that the judging run was asked, composites those that the run of LLM-MATE has weights of.

    ``unanimity`` counts by aspect the items on which so many people agree on the best candidate. ``baselines`` is what
    the run has written down of them.
    """

    judge: DescribedRun | None
    mate: DescribedRun | None
    aspects: dict[str, JudgedAspect]
    composites: dict[str, Composite]
    baselines: dict[str, Any] = {}
    unanimity: dict[str, dict[str, int]]

    def at(self, epsilon: float) -> "HumanLlm":
        """The same with the alternative annotator test at this ε, too."""
        aspects = {
            key: each.model_copy(update={"alternative": each.alternative.at(epsilon)})
            for key, each in self.aspects.items()
        }
        return self.model_copy(update={"aspects": aspects})


HUMAN_LLM = SectionFigures[HumanLlm](
    "human_llm", gettext_noop("Human and LLM"), version=12, type=HumanLlm, names_people=False
)
FIGURES = {HUMAN_LLM.key: HUMAN_LLM}
