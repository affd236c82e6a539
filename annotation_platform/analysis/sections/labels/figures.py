"""What is stored of how often each label was given, and of the mean score behind each."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    ForOthers,
    Interval,
    SectionFigures,
    StoredFigures,
)


class LabelShare(StoredFigures):
    """How many judgments of a group have a label, and which share of them; the interval rests on ``units``.

    ``for_others`` has the interval for other annotators, too, where the group is not one annotator's judgments.
    """

    count: int
    share: float | None
    interval: Interval | None
    units: int
    for_others: ForOthers | None = None


class GroupLabels(StoredFigures):
    """The labels that a group gave or got, by their keys: everybody, an annotator, a system, a family of systems.

    ``no_interval_because`` holds for the shares of all its labels, which rest on the same units.
    """

    name: str
    judgments: int
    items: int
    annotators: int
    labels: dict[str, LabelShare]
    no_interval_because: Because = None


class LabelDistribution(StoredFigures):
    overall: tuple[GroupLabels, ...]
    by_system: tuple[GroupLabels, ...]
    by_family: tuple[GroupLabels, ...]
    by_annotator: tuple[GroupLabels, ...]


class PartLabels(StoredFigures):
    """The same by annotator, within a system, and where ``source`` is not empty within it."""

    source: str
    system: str
    annotators: tuple[GroupLabels, ...]

    @property
    def key(self) -> str:
        """As the address names it."""
        return "~".join(filter(None, (self.source, self.system)))


class MeanOfLabel(CountedFigure):
    """The mean score behind a label."""

    key: str
    label: str
    number: float | None


LABEL_DISTRIBUTION = SectionFigures[LabelDistribution](
    "label_distribution", gettext_noop("Share of label"), version=7, type=LabelDistribution
)
LABELS_BY_PART = SectionFigures[tuple[PartLabels, ...] | None](
    "labels_by_part", gettext_noop("Labels by part"), version=6, type=tuple[PartLabels, ...] | None
)
MEAN_BY_LABEL = SectionFigures[tuple[MeanOfLabel, ...] | None](
    "mean_by_label",
    gettext_noop("Mean score of label"),
    version=5,
    type=tuple[MeanOfLabel, ...] | None,
    names_people=False,
)
FIGURES = {each.key: each for each in (LABEL_DISTRIBUTION, MEAN_BY_LABEL, LABELS_BY_PART)}
