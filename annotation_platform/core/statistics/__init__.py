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
from annotation_platform.core.statistics.alternative_annotator import AlternativeAnnotator, alternative_annotator
from annotation_platform.core.statistics.changes import PairChange, TauChange, mean_tau_change, tau_change
from annotation_platform.core.statistics.consensus import Consensus
from annotation_platform.core.statistics.correlation import kendall_tau_b, pairwise_tau, pairwise_taus
from annotation_platform.core.statistics.correlation_path import pairwise_taus_along
from annotation_platform.core.statistics.dawid_skene import dawid_skene
from annotation_platform.core.statistics.differences import (
    Difference,
    holm,
    mean_difference_test,
    paired_bootstrap,
    permutation_test,
)
from annotation_platform.core.statistics.distribution import Distribution, LabelShare, label_distributions
from annotation_platform.core.statistics.gwet import gwet_ac, percent_agreement
from annotation_platform.core.statistics.icc import Icc, icc2
from annotation_platform.core.statistics.kappa import fleiss_kappa
from annotation_platform.core.statistics.mace import mace
from annotation_platform.core.statistics.means import group_means, mean_of_figures
from annotation_platform.core.statistics.number_of_raters import (
    NumberOfRaters,
    VoteCurve,
    VoteOfSome,
    number_of_raters,
    vote_curve,
)
from annotation_platform.core.statistics.pair_taus import Noise, PairTau, PairwiseTau, Setting
from annotation_platform.core.statistics.pairs import (
    Measure,
    PairAgreement,
    PairwiseAgreement,
    cohen_kappa,
    pairwise_agreement,
    pearson,
    spearman,
)
from annotation_platform.core.statistics.raters import (
    SelfConsistency,
    drift,
    leniency,
    self_consistency,
    severity_shift,
)
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.replacement import Replacement, replacement
from annotation_platform.core.statistics.resampling import Bootstrap
from annotation_platform.core.statistics.result import Interval, Statistic
from annotation_platform.core.statistics.sets import krippendorff_alpha_of_sets, set_codes
from annotation_platform.core.statistics.spans import MarkedTexts, span_f1, token_alpha
from annotation_platform.core.statistics.votes import Votes, majority_vote

__all__ = [
    "AlternativeAnnotator",
    "Bootstrap",
    "Consensus",
    "Difference",
    "Distribution",
    "Icc",
    "Interval",
    "LabelShare",
    "MarkedTexts",
    "Measure",
    "Noise",
    "NumberOfRaters",
    "PairAgreement",
    "PairChange",
    "PairTau",
    "PairwiseAgreement",
    "PairwiseTau",
    "Ratings",
    "RatingsError",
    "Replacement",
    "SelfConsistency",
    "Setting",
    "Statistic",
    "TauChange",
    "VoteCurve",
    "VoteOfSome",
    "Votes",
    "alternative_annotator",
    "cohen_kappa",
    "dawid_skene",
    "drift",
    "fleiss_kappa",
    "group_means",
    "gwet_ac",
    "holm",
    "icc2",
    "kendall_tau_b",
    "krippendorff_alpha",
    "krippendorff_alpha_of_sets",
    "label_distributions",
    "leniency",
    "mace",
    "majority_vote",
    "mean_difference_test",
    "mean_of_figures",
    "mean_tau_change",
    "number_of_raters",
    "paired_bootstrap",
    "pairwise_agreement",
    "pairwise_tau",
    "pairwise_taus",
    "pairwise_taus_along",
    "pearson",
    "percent_agreement",
    "permutation_test",
    "replacement",
    "self_consistency",
    "set_codes",
    "severity_shift",
    "span_f1",
    "spearman",
    "tau_change",
    "token_alpha",
    "vote_curve",
]
