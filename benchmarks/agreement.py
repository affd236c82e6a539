"""All-pairs τ-b beside pandas and scipy, and the whole agreement report. ``python -m benchmarks.agreement``.

The reference for the matrix is what a competent person writes: for each pair of raters a pandas merge on
integer codes, then `scipy.stats.kendalltau`.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kendalltau

from annotation_platform.core.statistics import (
    Bootstrap,
    Ratings,
    Setting,
    fleiss_kappa,
    krippendorff_alpha,
    label_distributions,
    pairwise_tau,
    tau_change,
)
from annotation_platform.core.statistics.joins import join_raters
from annotation_platform.core.statistics.ratings import Repeated
from benchmarks.protocol import Side, compare, run_apart, seconds, timed
from benchmarks.studies import NUMBERS, StudyTable, released_or_synthetic

Matrix = NDArray[np.float64]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--report-once", action="store_true", help="only compute the report, print nothing")
    arguments = parser.parse_args()
    study = released_or_synthetic()
    if arguments.report_once:
        report(study)
        return
    n = len(study.items)
    print(f"{study.name}: {n:,} judgments, {study.items.max() + 1:,} items, {study.raters.max() + 1} raters")
    print_matrices(study, arguments.rounds)
    print_limit(study, arguments.rounds)
    timing = timed(Side("report", partial(report, study)), rounds=arguments.rounds)
    print(
        "\nThe whole agreement report (τ raw and rescaled in three settings, their changes, α, κ, label "
        "distributions; each with 1,000 resamples, and 20 draws of noise without ties)"
    )
    print(f"  {timing}; {n / timing.median:,.0f} judgments/s")
    elapsed, peak = run_apart([sys.executable, "-m", "benchmarks.agreement", "--report-once"])
    print(f"  in a process of its own, with start-up and reading: {seconds(elapsed)}, {peak / 1e6:.0f} MB")


def print_matrices(study: StudyTable, rounds: int) -> None:
    print("\nτ-b of all pairs of raters, equal to 1e-12 on both sides")
    for name, values in (("raw labels", study.numbers), ("rescaled scores", study.scores)):
        frame = pd.DataFrame({"item": study.items, "rater": study.raters, "value": values, "best": study.best})
        for setting in (Setting.ALL, Setting.INCOMPLETE):
            comparison = compare(
                Side("ours", partial(our_matrix, study, values, setting)),
                Side("merge + scipy", partial(joined_matrix, frame, setting)),
                same=equal,
                rounds=rounds,
            )
            print(f"  {name}, {len(np.unique(values))} levels, {setting}: {comparison}")
        comparison = compare(
            Side("ours", partial(our_matrix, study, values, Setting.ALL, repeated="mean")),
            Side("pivot.corr", partial(pivoted_matrix, frame)),
            same=equal,
            rounds=rounds,
        )
        print(f"  {name}, repeated judgments averaged: {comparison}")


def print_limit(study: StudyTable, rounds: int) -> None:
    """What cannot be avoided: fetching both levels of every joined row and counting the row in its cell."""
    ratings = Ratings.from_arrays(study.items, study.raters, study.labels, repeated="cross")
    rows = join_raters(ratings)
    levels = study.labels.astype(np.int16)
    cells = (len(rows.rater_a)) * 16

    def count() -> NDArray[np.intp]:
        return np.bincount(rows.pair * 16 + levels[rows.first] * 4 + levels[rows.second], minlength=cells)

    counting = timed(Side("counting the joined rows, the join known", count), rounds=rounds)
    ours = timed(Side("ours", partial(our_matrix, study, study.numbers, Setting.ALL)), rounds=rounds)
    print(f"\nThe limit, {len(rows.pair):,} joined rows: {counting}")
    print(f"  ours takes {ours.median / counting.median:.1f} times as long")


def our_matrix(study: StudyTable, values: Matrix, setting: Setting, repeated: Repeated = "cross") -> Matrix:
    ratings = Ratings.from_arrays(study.items, study.raters, values, best=study.best, repeated=repeated)
    return pairwise_tau(ratings, setting).matrix()


def joined_matrix(frame: pd.DataFrame, setting: Setting) -> Matrix:
    by_rater = dict(list(frame.groupby("rater")[["item", "value", "best"]]))
    matrix = np.eye(len(by_rater))
    for a, b in combinations(range(len(by_rater)), 2):
        joined = by_rater[a].merge(by_rater[b], on="item")
        if setting is Setting.INCOMPLETE:
            joined = joined[~(joined["best_x"] & joined["best_y"])]
        tau = kendalltau(joined["value_x"].to_numpy(), joined["value_y"].to_numpy()).statistic
        matrix[a, b] = matrix[b, a] = tau
    return matrix


def pivoted_matrix(frame: pd.DataFrame) -> Matrix:
    wide = frame.pivot_table(index="item", columns="rater", values="value", aggfunc="mean")
    return wide.corr("kendall").to_numpy()


def equal(ours: Matrix, theirs: Matrix) -> bool:
    return bool(np.allclose(ours, theirs, rtol=0, atol=1e-12, equal_nan=True))


def report(study: StudyTable) -> list[object]:
    """Every agreement figure of a study's report."""
    bootstrap = Bootstrap(resamples=1000)
    raw, rescaled, complete = (
        Ratings.from_arrays(study.items, study.raters, values, best=study.best, repeated="cross")
        for values in (study.numbers, study.scores, study.best)
    )
    figures: list[object] = []
    for setting in Setting:
        before, after = (pairwise_tau(table, setting, bootstrap=bootstrap) for table in (raw, rescaled))
        figures += [before, after, tau_change(before, after)]
    figures += [
        krippendorff_alpha(raw, "ordinal", bootstrap=bootstrap),
        krippendorff_alpha(rescaled, "interval", bootstrap=bootstrap),
        fleiss_kappa(complete, 5, bootstrap=bootstrap),
    ]
    for groups in (None, raw.raters, study.system_of_item[raw.items]):
        figures += label_distributions(raw, NUMBERS.tolist(), groups=groups)
    return figures


if __name__ == "__main__":
    main()
