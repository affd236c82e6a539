"""What is stored of each aspect under which sentences are cited."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    Interval,
    SectionFigures,
    StoredFigures,
)


class Sample(StoredFigures):
    """The items that α was computed of, where all of them would be too many."""

    items: int
    of: int
    seed: int


class CitedSentences(StoredFigures):
    """Agreement on the sentences of one aspect, how many are cited, and how much of the documents.

    ``alpha`` is by the distance of two sets. ``sizes`` counts judgments by how many sentences they cite, the last one
    those that cite more; ``documents_by_coverage`` documents by the tenths of their sentences that somebody cites,
    the first one those of which nothing is cited; ``citations_by_place`` citations by tenths of their document.
    ``withheld`` documents have no text here. Each list of intervals has all of them, or none for one reason.
    """

    aspect: str
    title: str
    alpha: dict[str, CountedFigure]
    sampled: Sample | None
    cited: CountedFigure
    cites_none: CountedFigure
    sizes: tuple[int, ...]
    size_intervals: tuple[Interval | None, ...]
    no_size_intervals_because: Because
    coverage: CountedFigure
    withheld: int
    documents_by_coverage: tuple[int, ...]
    coverage_intervals: tuple[Interval | None, ...]
    no_coverage_intervals_because: Because
    citations_by_place: tuple[int, ...]
    place_intervals: tuple[Interval | None, ...]
    no_place_intervals_because: Because


SENTENCES = SectionFigures[tuple[CitedSentences, ...]](
    "sentences", gettext_noop("Cited sentences"), version=7, type=tuple[CitedSentences, ...], names_people=False
)
FIGURES = {SENTENCES.key: SENTENCES}
