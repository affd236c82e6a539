"""What is stored of what a language model said of the judged items, beside what people said."""

from typing import Any

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
    """How much more often a person agrees with the others at least as well as the model than the other way round."""

    items: int


class AgainstPerson(StoredFigures):
    """One person and the model against the others: shares of the items on which the one does at least as well as the
    other one, and p by ε, corrected by Benjamini and Yekutieli."""

    annotator: str
    person: float | None
    model: float | None
    lead: Lead
    p_values: dict[str, float | None]

    @property
    def is_tested(self) -> bool:
        return any(p is not None for p in self.p_values.values())


class WinningRate(StoredFigures):
    """Share of the tested people who do not lead the model by ε or more."""

    epsilon: float
    value: float | None
    undefined_because: Because


class Alternative(StoredFigures):
    """The alternative annotator test: each person left out in turn."""

    advantage: CountedFigure
    winning_rates: tuple[WinningRate, ...]
    people: tuple[AgainstPerson, ...]


class ConfusionCell(StoredFigures):
    """How often the model gave which label (none: "") where people's majority gave which."""

    majority: str
    model: str
    count: int
    interval: Interval | None
    units: int


class JudgedAspect(StoredFigures):
    """The model against people on one aspect; ``undecided`` items have no majority."""

    level: str
    items: int
    asked: int
    failures: int
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


HUMAN_LLM = SectionFigures[HumanLlm](
    "human_llm", gettext_noop("Human and LLM"), version=8, type=HumanLlm, names_people=False
)
FIGURES = {HUMAN_LLM.key: HUMAN_LLM}
