"""What is stored of a composite of LLM-MATE: it stands in the section about people and a model."""

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    Interval,
    StoredFigures,
    TestedDifference,
)


class MeasureFigures(StoredFigures):
    """A measure's mean for each system, and its correlation with people's overall rating."""

    measure: str
    by_system: tuple[CountedFigure, ...]
    r: CountedFigure


class Bias(StoredFigures):
    """People's mean of an aspect, the model's, and the latter minus the former, its p corrected over the aspects."""

    aspect: str
    human: CountedFigure
    model: CountedFigure
    bias: TestedDifference


class FittedWeight(StoredFigures):
    value: float
    low: float | None
    high: float | None
    no_interval_because: Because

    @property
    def interval(self) -> Interval | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


class Fit(StoredFigures):
    """What a run has written down of its weights, by aspect, and how well they predict judgments left out.

    ``unit`` is what was resampled and left out as a whole, ``units`` of how many.
    """

    title: str
    fitted_on: str
    answers: int
    questions: int
    unit: str = "question"
    units: int | None = None
    weights: dict[str, FittedWeight]
    held_out_r: float | None
    held_out_low: float | None = None
    held_out_high: float | None = None
    held_out_no_interval_because: Because = "this run was made before it had one"
    held_out_answers: int
    held_out_questions: int | None = None  # of runs from before units were written down
    held_out_units: int | None = None
    held_out_undefined_because: Because
    signature: str

    @property
    def n_units(self) -> int:
        return self.questions if self.units is None else self.units

    @property
    def held_out_interval(self) -> Interval | None:
        low, high = self.held_out_low, self.held_out_high
        return None if low is None or high is None else (low, high)


class CompositeFigures(StoredFigures):
    """The report about one composite; ``change`` is its r minus that of the overall rating that the model gave."""

    answers: int
    human: tuple[CountedFigure, ...]
    measures: tuple[MeasureFigures, ...]
    change: TestedDifference | None
    bias: tuple[Bias, ...]


class Composite(CompositeFigures):
    """``score`` is the name of its scores, ``overall`` the aspect that it predicts; ``titles`` are its aspects'."""

    title: str
    overall: str
    score: str
    systems: tuple[str, ...]
    titles: dict[str, str]
    fit: Fit
