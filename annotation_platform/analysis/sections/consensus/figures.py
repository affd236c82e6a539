"""What is stored of consensus labels: the ways compared, each annotator's competence, the least certain items."""

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    Interval,
    SectionFigures,
    StoredFigures,
)

SURE = 0.95
"""The posterior from which on a model counts as sure of an item."""
WAYS = {"majority": gettext_noop("Majority"), "dawid_skene": "Dawid–Skene", "mace": "MACE"}


class ShareOfLabel(StoredFigures):
    """How many items get a label, and which share of those that get one."""

    count: int
    share: float | None
    interval: Interval | None
    units: int


class Way(StoredFigures):
    """The labels that one way gives; ``undecided`` counts the items that it leaves tied.

    The reasons hold for the shares of all labels: why they are undefined, else why they have no interval.
    """

    way: str
    items: int
    undecided: int
    posterior: CountedFigure | None
    labels: dict[str, ShareOfLabel]
    undefined_because: Because = None
    no_interval_because: Because = None

    @property
    def why_not(self) -> str:
        return self.undefined_because or self.no_interval_because or ""


class WaysCompared(StoredFigures):
    """How many items get the same label in two ways, of those that get one in both."""

    first: str
    second: str
    different: int
    same: CountedFigure


class AnnotatorCompetence(StoredFigures):
    """How reliable an annotator is: the chance to give the true label (Dawid–Skene), and to know it (MACE)."""

    name: str
    judgments: int
    items: int
    dawid_skene: CountedFigure
    mace: CountedFigure


class UncertainItem(StoredFigures):
    """An item with the labels that it gets (keys; None where it is tied) and how sure the two models are of theirs;
    ``text`` is its question's, shortened."""

    item: int
    article: str
    question: str
    text: str
    system: str
    majority: str | None
    dawid_skene: str
    dawid_skene_posterior: float
    mace: str
    mace_posterior: float


class ConsensusOfAspect(StoredFigures):
    """``undefined_because`` says why there is nothing but the majority.

    Of ``unsure`` items at least one of the two models is not sure; ``uncertain`` are the least certain ones.
    ``is_ambiguous``: MACE has another solution that explains the judgments about as well, with other competences of
    the ``ambiguous`` annotators.
    """

    undefined_because: Because
    unit: str
    ways: tuple[Way, ...]
    compared: tuple[WaysCompared, ...]
    annotators: tuple[AnnotatorCompetence, ...]
    uncertain: tuple[UncertainItem, ...]
    unsure: int = 0
    is_ambiguous: bool = False
    ambiguous: tuple[str, ...] = ()


class Consensus(StoredFigures):
    aspects: dict[str, ConsensusOfAspect]


CONSENSUS = SectionFigures[Consensus]("consensus", gettext_noop("Consensus"), version=7, type=Consensus)
FIGURES = {CONSENSUS.key: CONSENSUS}
