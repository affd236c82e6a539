"""One aspect's judgments with how they are measured: what every section of its figures starts from."""

from dataclasses import dataclass, field, replace
from functools import cached_property

from annotation_platform.analysis.measuring.judgment_table import SCORES, AspectSpec, JudgmentTable
from annotation_platform.core.arrays import Flags
from annotation_platform.core.statistics import (
    Bootstrap,
    PairwiseAgreement,
    PairwiseTau,
    Ratings,
    Setting,
    TauChange,
    pairwise_agreement,
    pairwise_taus_along,
    tau_change,
)
from annotation_platform.core.statistics import Measure as Agreement
from annotation_platform.core.statistics.correlation import joined


@dataclass(frozen=True, eq=False)
class TauOfPairs:
    """τ of all pairs in one setting, before and after; undefined as a whole where ``undefined_because`` is given."""

    measured: "AspectData"
    setting: Setting
    undefined_because: str | None

    @property
    def before(self) -> PairwiseTau:
        return self.measured.before[self.setting]

    @property
    def after(self) -> PairwiseTau | None:
        after = self.measured.after
        return None if after is None else after[self.setting]

    @cached_property
    def change(self) -> TauChange | None:
        return None if self.after is None else tau_change(self.before, self.after)


@dataclass(frozen=True, eq=False)
class AspectData:
    """One aspect of a study. What several sections need is computed once, when the first asks for it."""

    table: JudgmentTable
    spec: AspectSpec
    bootstrap: Bootstrap
    _taus: dict[Setting, TauOfPairs] = field(default_factory=dict)

    @cached_property
    def is_best(self) -> Flags | None:
        return None if self.spec.best is None else self.table.choices == self.spec.best

    @cached_property
    def raw(self) -> Ratings:
        return self.table.ratings(self.spec.values[self.table.choices], self.is_best)

    @cached_property
    def rescaled(self) -> Ratings | None:
        return None if self.table.scores is None else self.table.ratings(self.table.scores, self.is_best, ends=SCORES)

    @property
    def before(self) -> dict[Setting, PairwiseTau]:
        """τ of the labels in each setting that makes sense for them."""
        return self._before_and_after[0]

    @property
    def after(self) -> dict[Setting, PairwiseTau] | None:
        """The same of the rescaled judgments."""
        return self._before_and_after[1]

    @cached_property
    def cohen(self) -> PairwiseAgreement:
        """Cohen κ of all pairs, weighted where labels have an order; its resamples are not kept."""
        how = Agreement.COHEN_QUADRATIC if self.spec.is_ordered else Agreement.COHEN
        return replace(pairwise_agreement(self.raw, how, bootstrap=self.bootstrap), sample=None)

    @property
    def resamples_of_pairs(self) -> int:
        """How many stand behind each interval of a pair and of a mean of pairs; fewer where there are very many."""
        return self.bootstrap.of_pairs(len(self.cohen.pairs)).resamples

    def tau(self, setting: Setting) -> TauOfPairs:
        if setting not in self._taus:
            self._taus[setting] = TauOfPairs(self, setting, self.spec.no_tau_because(setting))
        return self._taus[setting]

    @cached_property
    def _before_and_after(self) -> tuple[dict[Setting, PairwiseTau], dict[Setting, PairwiseTau] | None]:
        """Both together, since they are about the same joined rows."""
        defined = [setting for setting in Setting if self.spec.no_tau_because(setting) is None]
        if not defined:
            return {}, None if self.rescaled is None else {}
        rows = joined(self.raw, defined)

        def taus(ratings: Ratings) -> dict[Setting, PairwiseTau]:
            return next(pairwise_taus_along([ratings], defined, bootstrap=self.bootstrap, rows=rows))

        return taus(self.raw), None if self.rescaled is None else taus(self.rescaled)
