"""Figures as a snapshot stores them: frozen types, each section's with a version."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator

from annotation_platform.core.few_units import UnitName
from annotation_platform.core.reasons import Reason, as_data, from_data
from annotation_platform.core.text import percent

T = TypeVar("T")
Interval = tuple[float, float]


def _as_told(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    said = from_data(value)
    return said if isinstance(said, Reason) else handler(said)


Said = Annotated[str, WrapValidator(_as_told), PlainSerializer(as_data)]
"""What is said of a figure: stored as a code with its parameters where it has one, and told in its reader's language;
else a sentence."""
Because = Said | None
"""The same of why a figure is not there."""


class StoredFigures(BaseModel):
    """Figures that belong together; nothing is added to them or changed after they were measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Figure(StoredFigures):
    """One number with its interval, or the reason why it is not defined or has none.

    ``units`` is how many articles, or else questions, or items, the interval rests on: those that items share.
    """

    value: float | None
    interval: Interval | None
    units: int
    undefined_because: Because
    no_interval_because: Because

    @property
    def why_not(self) -> str:
        """Why it is not defined or, if it is, has no interval."""
        return self.undefined_because or self.no_interval_because or ""

    @property
    def corrected_p(self) -> float | None:
        """Corrected by Holm for the family that it was measured with; a figure that was not tested has none."""
        return None


class CountedFigure(Figure):
    """One number, and how much it rests on."""

    items: int
    annotators: int
    judgments: int


class TestedDifference(Figure):
    """One number minus another, with its p, raw and corrected by Holm for the family it was tested in."""

    items: int
    p_value: float | None
    p_holm: float | None = None
    no_p_value_because: Because

    @property
    def corrected_p(self) -> float | None:
        return self.p_holm


class ForOthers(StoredFigures):
    """What a figure says about other annotators, too, from the pigeonhole bootstrap: conservative, never narrower.

    ``p_value`` is that of a difference, and corrected by Holm for the family that it was tested in.
    """

    interval: Interval | None
    no_interval_because: Because
    units: int
    annotators: int
    p_value: float | None = None
    p_holm: float | None = None


class MeanChange(CountedFigure):
    """How much a mean τ changes by rescaling.

    ``p_value`` is from resampling units, and corrected by Holm over the settings.
    """

    p_value: float | None
    p_value_holm: float | None = None

    @property
    def corrected_p(self) -> float | None:
        return self.p_value_holm


class ComparedFigure(CountedFigure):
    """A figure of one annotator, its modified z-score among all of them or why there is none, and their median."""

    z: float | None
    no_z_because: Because
    median: float | None


class DescribedRun(StoredFigures):
    """A run in words: which model, asked how."""

    run: int
    method: str
    model: str
    asking: dict[str, Any]
    repetitions: int
    signature: str


class Label(StoredFigures):
    """One label of a scale; its number is None where it has none."""

    key: str
    label: str
    number: float | None


class AspectHead(StoredFigures):
    """What every page needs to know of an aspect, without any of its figures.

    ``unit`` is what its intervals draw, where that was written down.
    """

    aspect: str
    title: str
    per: str
    level: str
    labels: tuple[Label, ...]
    best_label: str | None
    better: str | None
    is_rescaled: bool
    rescaled_undefined_because: Because
    resamples_of_pairs: int
    unit: UnitName | None = None

    @property
    def is_nominal(self) -> bool:
        return self.level == "nominal"

    @property
    def length(self) -> float | None:
        """From the lowest number of the scale to the highest; None where labels have no numbers."""
        numbers = [label.number for label in self.labels if label.number is not None]
        return max(numbers) - min(numbers) if numbers else None


class Counts(StoredFigures):
    """What there is: judgments, items, annotators, and how many items have how many judgments."""

    judgments: int = 0
    items: int = 0
    annotators: int = 0
    systems: int = 0
    items_by_number_of_judgments: dict[str, int] = {}
    judgments_not_scored_yet: int = 0


class Alpha(CountedFigure):
    """Krippendorff α at a level of measurement."""

    level: str


class MainFigures(StoredFigures):
    """α of an aspect, and its mean τ over all items before and after rescaling with the change."""

    aspect: str
    title: str
    is_rescaled: bool
    alpha: Alpha
    raw: CountedFigure
    rescaled: CountedFigure | None
    change: MeanChange | None


class MainNumbers(StoredFigures):
    """The few numbers that the study's start page shows."""

    counts: Counts
    aspects: tuple[MainFigures, ...]


class HowIntervals(StoredFigures):
    """How intervals come about: the share of resamples that they hold, and what is drawn, from how many."""

    level: float
    resamples: int
    seed: int
    resampled: str
    units: int

    @property
    def in_full(self) -> str:
        """How all of them come about."""
        return self.drawing(f"{self.units:,} {self.resampled}" if self.units else self.resampled)

    def drawing(self, units: str, *, of_pairs: int | None = None) -> str:
        """The sentence of a caption, true of every figure that speaks for other units alone, where these are resampled;
        ``of_pairs`` is how many resamples there are of pairs of annotators, where they are fewer."""
        fewer = f" (where pairs of annotators are compared, from {of_pairs:,})" if of_pairs else ""
        return (
            f"{percent(self.level)} intervals: of shares and of means on a scale Wilson's, of differences of systems "
            "and of models from people Student's t, both with the variance between groups; of preference models, "
            f"competences and plans from a jackknife; of AUC Obuchowski's; of all others from {self.resamples:,} "
            f"resamples of {units}{fewer}, seed {self.seed}."
        )

    def for_others(self, units: str) -> str:
        """The same of figures that speak for other annotators, too: nothing is drawn for these."""
        return (
            f"{percent(self.level)} intervals for other annotators, too: of shares and of means on a scale Wilson's, "
            f"of all others Student's t, with the variance between {units} and between annotators (the pigeonhole "
            "bootstrap without drawing, of preference models a jackknife over each, of people with a judge and of a "
            "judge's biases clusters both ways)."
        )


class DataRead(StoredFigures):
    """Signatures of all that was read: the scheme, each aspect's judgments with their scores, and what sections about
    the study as a whole read besides."""

    scheme: str
    judgments_sha256: dict[str, str]
    batches: tuple[int, ...]
    run: int | None
    read: dict[str, Any]


class ScoredBy(StoredFigures):
    """The run that gave the scores, as it was: the run itself may be deleted."""

    method: str
    scorer: str
    signature: str


class SnapshotHead(StoredFigures):
    """What a snapshot measured, from what and how, and the main figures.

    ``versions`` are those of its sections' types, by key. There is no older form of this one: a change of it comes
    with a migration that upgrades the heads that are stored.
    """

    scheme: str
    batches: tuple[int, ...]
    versions: dict[str, int]
    intervals: HowIntervals
    data: DataRead
    run: ScoredBy | None
    counts: Counts
    aspects: tuple[AspectHead, ...]
    headline: MainNumbers

    def aspect(self, key: str) -> AspectHead | None:
        """What is known of the aspect with this key; None where it was not measured."""
        return next((each for each in self.aspects if each.aspect == key), None)


@dataclass(frozen=True)
class SectionFigures(Generic[T]):
    """What a section stores under its key, and how it is called where two snapshots are compared.

    ``type`` is a kind of `StoredFigures`, or a list or dictionary of them. Raise ``version`` with every change after
    which figures that were stored before cannot be read any more or mean something else: a snapshot that has them is
    then said to be out of date, and they are not shown. Figures go into a release only with ``names_people=False``:
    where they name no annotator, who would be told from another release by them.
    """

    key: str
    title: str
    version: int
    type: Any
    names_people: bool = True

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self.type)

    def to_stored(self, figures: T) -> Any:
        """Plain JSON data; what was left at its default is not there."""
        return self._adapter.dump_python(figures, mode="json", exclude_unset=True, by_alias=True)

    def from_stored(self, stored: Any) -> T:
        return self._adapter.validate_python(stored)

    def json_schema(self) -> dict[str, Any]:
        """JSON Schema of what is stored."""
        return self._adapter.json_schema(mode="serialization", by_alias=True)
