"""What is stored of each aspect under which words are marked."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import CountedFigure, SectionFigures, StoredFigures


class MarkedSample(StoredFigures):
    """The texts that the figures were computed of, where all of them would be too many."""

    texts: int
    of: int
    seed: int


class MarkedLabel(StoredFigures):
    """The spans of one label, or with the key "" of all labels, told apart.

    ``overlap`` and ``exact`` are F1 of two people's marks by tokens and by whole spans, ``alpha`` is Krippendorff's
    over tokens. ``spans`` is how many there are, ``per_reading`` how many one person marks in a text on average, and
    ``used`` in which share of readings there is one at all.
    """

    key: str
    title: str
    overlap: CountedFigure
    exact: CountedFigure
    alpha: CountedFigure
    spans: int
    per_reading: CountedFigure
    used: CountedFigure


class MarkedSpans(StoredFigures):
    """Agreement on the marks of one aspect; ``labels`` has all of them together first."""

    aspect: str
    title: str
    texts: int
    readings: int
    labels: tuple[MarkedLabel, ...]
    sampled: MarkedSample | None


SPANS = SectionFigures[tuple[MarkedSpans, ...]](
    "spans", gettext_noop("Marked words"), version=3, type=tuple[MarkedSpans, ...], names_people=False
)
FIGURES = {SPANS.key: SPANS}
