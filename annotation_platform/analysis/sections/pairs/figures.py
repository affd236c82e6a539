"""What is stored of τ: its mean over pairs of annotators in each setting, and every pair."""

from typing import Any

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import (
    Because,
    CountedFigure,
    Figure,
    Interval,
    MeanChange,
    SectionFigures,
    StoredFigures,
)


class MeanOfPairs(StoredFigures):
    """Mean τ over the pairs for which it is defined."""

    mean: CountedFigure
    pairs_defined: int


class Way(StoredFigures):
    """How many pairs rise or fall, and on average by how much."""

    count: int
    mean: float | None


class TauChange(StoredFigures):
    """What rescaling changes in the τ of pairs; above and below the threshold are changes that are large."""

    mean: MeanChange
    rises: Way
    falls: Way
    unchanged: int
    threshold: float
    rises_above_threshold: int
    falls_below_threshold: int


class TauOfSetting(StoredFigures):
    """Mean τ raw and rescaled, with the paired change; the latter two are None before any run."""

    raw: MeanOfPairs
    rescaled: MeanOfPairs | None
    change: TauChange | None

    @property
    def means(self) -> tuple[CountedFigure, CountedFigure | None, MeanChange | None]:
        """Raw, rescaled, change."""
        return (
            self.raw.mean,
            self.rescaled.mean if self.rescaled else None,
            self.change.mean if self.change else None,
        )


class PairwiseTau(StoredFigures):
    """τ over all items, without those where both chose the best label, and without ties."""

    all: TauOfSetting
    incomplete: TauOfSetting
    no_ties: TauOfSetting

    @property
    def by_setting(self) -> dict[str, TauOfSetting]:
        return {"all": self.all, "incomplete": self.incomplete, "no_ties": self.no_ties}


class PairTau(StoredFigures):
    """τ of two annotators, before and after; ``n`` counts joined judgments.

    ``p_value`` is that of the change, ``p_holm`` the same corrected for all pairs that have one. Of the figures
    (``raw``, ``rescaled``, ``change``) that are defined and have no interval, ``no_intervals_because`` says why.
    """

    annotators: tuple[str, str]
    n: int
    items: int
    units: int
    raw: float | None
    raw_interval: Interval | None
    rescaled: float | None
    rescaled_interval: Interval | None
    change: float | None
    change_interval: Interval | None
    p_value: float | None
    p_holm: float | None
    undefined_because: Because
    no_intervals_because: dict[str, Because] = {}


class PairKappa(Figure):
    """Cohen κ of two annotators; ``n`` counts joined judgments."""

    annotators: tuple[str, str]
    n: int
    items: int


PAIRWISE_TAU = SectionFigures[PairwiseTau](
    "pairwise_tau", gettext_noop("τ"), version=6, type=PairwiseTau, names_people=False
)
PAIRS_OF_SETTING = {
    setting: SectionFigures[tuple[PairTau, ...]](f"pairs_{setting}", title, version=version, type=tuple[PairTau, ...])
    for setting, (title, version) in {
        "all": (gettext_noop("Pair, all items"), 5),
        "incomplete": (gettext_noop("Pair, incomplete setting"), 6),
        "no_ties": (gettext_noop("Pair, without ties"), 5),
    }.items()
}
PAIRS_ALL = PAIRS_OF_SETTING["all"]
PAIRS_COHEN_KAPPA = SectionFigures[tuple[PairKappa, ...]](
    "pairs_cohen_kappa", gettext_noop("Pair, Cohen κ"), version=5, type=tuple[PairKappa, ...]
)
FIGURES: dict[str, SectionFigures[Any]] = {
    PAIRWISE_TAU.key: PAIRWISE_TAU,
    **{each.key: each for each in PAIRS_OF_SETTING.values()},
    PAIRS_COHEN_KAPPA.key: PAIRS_COHEN_KAPPA,
}
