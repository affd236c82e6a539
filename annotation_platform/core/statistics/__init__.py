"""Agreement and distribution statistics with intervals; numpy and scipy only.

All of them take one `Ratings` table: integer codes of items and raters, values, and (for the incomplete
setting) whether the raw label is the scale's best. Missing ratings are absent; what happens to several
judgments of one rater on one item is said by ``repeated=``. Give a `Bootstrap` to get 95 % intervals by
resampling items; equal seeds draw equal resamples, so that figures are comparable and differences paired.
A value that is undefined is None, with its reason.

>>> best = [label == "complete" for label in ("complete", "missing", "complete", "complete", "missing")]
>>> item, rater = [0, 0, 1, 1, 2], [0, 1, 0, 1, 0]
>>> raw = Ratings.from_arrays(item, rater, [100, 0, 100, 100, 0], best=best, repeated="cross")
>>> scored = Ratings.from_arrays(item, rater, [60.0, 20.0, 90.0, 95.0, 10.0], best=best, repeated="cross")
>>> before, after = (pairwise_tau(ratings, Setting.ALL) for ratings in (raw, scored))
>>> before.mean.undefined_because, after.mean.value
('No pair of raters has a defined τ.', 1.0)
>>> tau_change(before, after).pairs[0].undefined_because
'Rater 0 gave one and the same value to everything shared (2 joined rows).'
>>> round(krippendorff_alpha(raw, "ordinal").value, 6)
0.0
>>> [label.count for label in label_distributions(raw, [100, 0])[0].shares]
[3, 2]
"""

from annotation_platform.core.statistics.alpha import krippendorff_alpha
from annotation_platform.core.statistics.changes import PairChange, TauChange, tau_change
from annotation_platform.core.statistics.correlation import (
    Noise,
    PairTau,
    PairwiseTau,
    Setting,
    kendall_tau_b,
    pairwise_tau,
)
from annotation_platform.core.statistics.distribution import Distribution, LabelShare, label_distributions
from annotation_platform.core.statistics.kappa import fleiss_kappa
from annotation_platform.core.statistics.means import group_means
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap
from annotation_platform.core.statistics.result import Interval, Statistic

__all__ = [
    "Bootstrap",
    "Distribution",
    "Interval",
    "LabelShare",
    "Noise",
    "PairChange",
    "PairTau",
    "PairwiseTau",
    "Ratings",
    "RatingsError",
    "Setting",
    "Statistic",
    "TauChange",
    "fleiss_kappa",
    "group_means",
    "kendall_tau_b",
    "krippendorff_alpha",
    "label_distributions",
    "pairwise_tau",
    "tau_change",
]
