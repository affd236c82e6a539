"""What is stored of each judging model: what it costs, how far it agrees with people, and its biases by aspect."""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Literal

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    DescribedRun,
    ForOthers,
    SectionFigures,
    StoredFigures,
    TestedDifference,
)
from annotation_platform.analysis.sections.human_llm.figures import Alternative, InsteadOfPerson
from annotation_platform.core.winning_rates import LeadTest

Measured = Literal["worth", "number", "choice"]
Lead = tuple[float, float | None, float | None, int]
"""Of the fields of `LeadTest`, in their order."""


class JudgeInstead(InsteadOfPerson):
    """Without names or p, which follow: only the leads of the people who can be tested, for ω at any ε."""

    leads: tuple[Lead, ...]

    @classmethod
    def of(cls, found: Alternative) -> "JudgeInstead":
        leads = tuple(astuple(test) for test in found.tests if test is not None)
        return cls(advantage=found.advantage, winning_rates=found.winning_rates, leads=leads)

    @property
    def tests(self) -> Sequence[LeadTest]:
        return [LeadTest(*lead) for lead in self.leads]


class Bias(TestedDifference):
    """A bias against these people; ``for_others`` says what it is against other people, too."""

    for_others: ForOthers | None = None


class Biases(StoredFigures):
    """One judge against people on one aspect; above 0: kinder, or more of the number or of the choice.

    ``measured`` says of what: the ``worth`` of an answer where one end of the scale is better, its ``number`` where
    none is, both as a share of the scale's length, ``span`` in its numbers; or its share of a ``choice``. ``first`` and
    ``last`` are how much more often the judge chooses what it is shown first, or last, than people do. ``length`` is
    for an answer twice as long.
    """

    measured: Measured
    span: float | None
    same_label: CountedFigure
    alternative: JudgeInstead
    leniency: Bias
    first: Bias
    last: Bias
    length: Bias
    own_family: Bias
    japanese: Bias


class Judge(StoredFigures):
    """``own_systems`` are those of the judge's family. ``all_labels`` is the share of labels that are those of most
    people, over all aspects that it was asked; costs and tokens are for 1,000 items, undefined for the reason beside
    them."""

    name: str
    run: DescribedRun
    own_systems: tuple[str, ...]
    items: int
    all_labels: CountedFigure
    failure_rate: float | None
    failure_rate_unknown_because: Because
    labels: int
    cost: float | None
    cost_unknown_because: Because
    tokens: float | None
    tokens_unknown_because: Because
    aspects: dict[str, Biases]


class Judges(StoredFigures):
    """``left_out`` counts older runs; ``alike`` is whether all were asked for the very same labels."""

    judges: tuple[Judge, ...]
    left_out: int
    alike: bool

    def at(self, epsilon: float) -> "Judges":
        """The same with the alternative annotator test at this ε, too."""
        judges = tuple(
            judge.model_copy(
                update={
                    "aspects": {
                        key: each.model_copy(update={"alternative": each.alternative.at(epsilon)})
                        for key, each in judge.aspects.items()
                    }
                }
            )
            for judge in self.judges
        )
        return self.model_copy(update={"judges": judges})


JUDGES = SectionFigures[Judges]("judges", gettext_noop("Judges"), version=5, type=Judges, names_people=False)
FIGURES = {JUDGES.key: JUDGES}
