"""What is stored of runs of rescaling side by side."""

from typing import Generic, TypeVar

from django.utils.translation import gettext_noop
from pydantic import ConfigDict, Field

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    Counts,
    Figure,
    Label,
    Said,
    SectionFigures,
    StoredFigures,
)

F = TypeVar("F", bound=Figure)


class BySetting(StoredFigures, Generic[F]):
    """A figure over all items, without those where both chose the best label, and without ties."""

    all: F
    incomplete: F
    no_ties: F

    @property
    def by_setting(self) -> dict[str, F]:
        return {"all": self.all, "incomplete": self.incomplete, "no_ties": self.no_ties}


class WithMixture(StoredFigures):
    """Something made with a λ, which Python has no such name for."""

    model_config = ConfigDict(populate_by_name=True)

    mixture: float = Field(alias="lambda")


class DifferenceOfTau(Figure):
    """A mean τ minus another, over the pairs of annotators that are defined on both sides."""

    no_interval_because: Because = None
    items: int
    p_value: float | None
    no_p_value_because: Because


class Comparison(DifferenceOfTau):
    """A run against another or against the labels as given, in one setting; p is corrected for all of the setting."""

    first: str
    second: str
    setting: str
    p_holm: float | None

    @property
    def corrected_p(self) -> float | None:
        return self.p_holm


class OwnOrderShares(StoredFigures):
    """Of the pairs of judgments that annotators' own labels order, which shares are reversed and made equal; and how
    much of the variance is left, and how much of that lies within labels."""

    ordered_pairs: int
    reversed: CountedFigure
    tied: CountedFigure
    spread: CountedFigure
    nuance: CountedFigure


class Guard(OwnOrderShares):
    """What the guard says of a rescaling."""

    sentence: Said
    is_good: bool
    merely_compresses: bool
    reverses_too_often: bool
    reversed_annotators: tuple[str, ...]


class AnnotatorsOrder(OwnOrderShares):
    annotator: str


class MixtureFigures(WithMixture):
    """What one λ makes of some judgments: τ, and its change from the labels."""

    tau: BySetting[CountedFigure]
    change: BySetting[DifferenceOfTau]
    guard: Guard


class PartOfCorpus(StoredFigures):
    """The judgments of one source (None: all of them), as given and under each λ."""

    source: str | None
    counts: Counts
    raw: BySetting[CountedFigure]
    mixtures: tuple[MixtureFigures, ...]


class ClassMean(Figure):
    """The mean score g behind a label."""

    judgments: int


class ClassMeans(StoredFigures):
    """Of one annotator (None: of all together), by label."""

    annotator: str | None
    labels: dict[str, ClassMean]


class VariantFigures(WithMixture):
    """A run; ``key`` names it, and its own λ is that of which it was made."""

    key: str
    parts: tuple[PartOfCorpus, ...]
    classes: tuple[ClassMeans, ...]
    own_order: tuple[AnnotatorsOrder, ...]


class Limits(StoredFigures):
    """Beyond which the guard objects."""

    spread: float
    nuance: float
    reversed: float


class VariantsOfAspect(StoredFigures):
    aspect: str
    title: str
    labels: tuple[Label, ...]
    limits: Limits
    variants: tuple[VariantFigures, ...]
    comparisons: tuple[Comparison, ...]


class DescribedVariant(WithMixture):
    """What a run is, in words: who read the explanations, what they were shown, and whether that leaks."""

    run: int
    scorer: str
    model: str
    shown: str
    is_leaking: bool
    signature: str
    finished_at: str


class Variants(StoredFigures):
    """The runs by their keys, and their comparison on each rescaled aspect."""

    runs: dict[str, DescribedVariant]
    aspects: dict[str, VariantsOfAspect]


VARIANTS = SectionFigures[Variants]("variants", gettext_noop("Variants"), version=9, type=Variants, names_people=False)
FIGURES = {VARIANTS.key: VARIANTS}
