"""What is stored of a study as the pilot of another one."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import Because, SectionFigures, StoredFigures
from annotation_platform.core.few_units import UnitName


class Variances(StoredFigures):
    """Variances of the difference between two systems, in the scale's numbers squared, or why there are none.

    ``covariance`` is that of their estimates, in the order of the fields. ``below_zero`` names those that were
    estimated below 0 and cut; ``merged`` says what could not be told apart.
    """

    articles: float | None = None
    questions: float | None = None
    annotators: float | None = None
    residual: float | None = None
    strictness: float | None = None
    covariance: tuple[tuple[float, ...], ...] | None = None
    no_covariance_because: Because = None
    undefined_because: Because = None
    below_zero: tuple[str, ...] = ()
    merged: Because = None
    unit: UnitName = "article"
    n_articles: int = 0
    n_questions: int = 0
    n_annotators: int = 0
    n_pairs: int = 0

    @property
    def about_none(self) -> bool:
        """Whether each question stands by itself, as those about no document do."""
        return self.unit == "question" and self.n_articles == self.n_questions


class PilotOfAspect(StoredFigures):
    """By labels as given, and as rescaled; ``annotators_an_item`` is how many judged an item, rounded."""

    raw: Variances
    rescaled: Variances | None = None
    systems: int
    annotators_an_item: int


PILOT = SectionFigures[dict[str, PilotOfAspect]](
    "pilot", gettext_noop("Variances for planning"), version=2, type=dict[str, PilotOfAspect], names_people=False
)
FIGURES = {PILOT.key: PILOT}
