"""Figures of one aspect under which sentences are cited: agreement, how many, and how much of the documents."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.judgment_table import Codes
from annotation_platform.analysis.measuring.plain import compact, counted, share_intervals, share_of, undefined
from annotation_platform.analysis.sections.sentences.figures import CitedSentences, Sample
from annotation_platform.core.few_units import UnitName
from annotation_platform.core.statistics import Bootstrap, Ratings, Statistic, krippendorff_alpha_of_sets, set_codes
from annotation_platform.core.statistics.means import group_means
from annotation_platform.core.statistics.sets import SetDistance

MOST_SETS = 3_000  # α compares every distinct set with every other
MOST_CITED = 10  # judgments that cite more are counted together
TENTHS = 10


@dataclass(frozen=True, eq=False)
class CitedSets:
    """The judgments of one aspect, an entry each: codes of unit and annotator, and the sentences, by document.

    ``drawn_with`` has, of each unit, a code of what it is drawn together with, which is a ``unit``.
    ``lengths`` is the number of sentences of each document that was shown, 0 where its text is withheld.
    """

    key: str
    title: str
    units: Codes
    raters: Codes
    sets: Sequence[frozenset[tuple[int, int]]]
    drawn_with: Codes
    lengths: dict[int, int]
    unit: UnitName | None = None


def sentences_figures(given: CitedSets, bootstrap: Bootstrap) -> CitedSentences:
    bootstrap = replace(bootstrap, unit=given.unit)
    sizes = np.array([len(each) for each in given.sets], dtype=np.float64)
    capped = np.minimum(sizes, MOST_CITED).astype(np.int64)
    return CitedSentences(
        aspect=given.key,
        title=given.title,
        **_agreement(given, bootstrap),
        cited=counted(_mean(given, sizes, bootstrap)),
        cites_none=share_of(
            sizes == 0,
            given.units,
            units=given.drawn_with[given.units],
            raters=given.raters,
            nothing="Nothing was cited.",
        ),
        sizes=np.bincount(capped, minlength=MOST_CITED + 1).tolist(),
        size_intervals=share_intervals(capped, MOST_CITED + 1, given.drawn_with[given.units]),
        **_coverage(given),
    )


def _mean(given: CitedSets, values: np.ndarray, bootstrap: Bootstrap) -> Statistic:
    ratings = Ratings.from_arrays(given.units, given.raters, values, units=given.drawn_with, repeated="cross")
    return group_means(
        ratings, np.zeros(len(values), dtype=np.int64), 1, bootstrap=bootstrap, undefined_because="Nothing was cited."
    )[0]


def _agreement(given: CitedSets, bootstrap: Bootstrap) -> dict[str, Any]:
    """α with both distances; of many judgments, of a seeded sample of the units."""
    rows = _sampled(given, bootstrap.seed)
    n_units = len(np.unique(given.units))
    if not len(rows):
        return {"alpha": {name: _undefined("Nothing was cited.") for name in get_args(SetDistance)}, "sampled": None}
    codes, distinct = set_codes(given.sets[row] for row in rows.tolist())
    known, units = np.unique(given.units[rows], return_inverse=True)
    drawn_with = compact(given.drawn_with[known])
    ratings = Ratings.from_arrays(units, given.raters[rows], codes, units=drawn_with, repeated="cross")
    sampled = int(units.max()) + 1
    return {
        "alpha": {
            name: counted(krippendorff_alpha_of_sets(ratings, distinct, name, bootstrap=bootstrap))
            for name in get_args(SetDistance)
        },
        "sampled": None if sampled == n_units else Sample(items=sampled, of=n_units, seed=bootstrap.seed),
    }


def _undefined(because: str) -> CountedFigure:
    return CountedFigure(**undefined(because))


def _sampled(given: CitedSets, seed: int) -> Codes:
    """Rows of all units, or of so many in random order that there are not too many distinct sets."""
    if len(set(given.sets)) <= MOST_SETS:
        return np.arange(len(given.sets))
    rank = np.random.default_rng(seed).permutation(int(given.units.max()) + 1)[given.units]
    order = np.argsort(rank, kind="stable")
    seen: set[frozenset[Hashable]] = set()
    for position, row in enumerate(order.tolist()):
        seen.add(given.sets[row])
        if len(seen) > MOST_SETS:
            return np.flatnonzero(rank < rank[order[position]])
    return order


def _coverage(given: CitedSets) -> dict[str, Any]:
    """Share of each document's sentences that somebody cites, and where in the documents citations stand."""
    known = {document: code for code, document in enumerate(sorted(d for d, n in given.lengths.items() if n))}
    ever: dict[int, set[int]] = {document: set() for document in known}
    cited = [one for each in given.sets for one in each if 0 < one[1] <= given.lengths.get(one[0], 0)]
    for document, sentence in cited:
        ever[document].add(sentence)
    tenth_of = [min((sentence - 1) * TENTHS // given.lengths[document], TENTHS - 1) for document, sentence in cited]
    places = np.array(tenth_of, dtype=np.int64)
    shares = np.array([len(ever[document]) / given.lengths[document] for document in known], dtype=np.float64)
    documents = np.arange(len(shares))
    sentences = np.array([given.lengths[document] for document in known], dtype=np.int64)
    nothing = "No document that was shown has its text here."
    tenths = np.minimum(np.ceil(shares * TENTHS), TENTHS).astype(np.int64)  # 0: nothing is cited
    return {
        "coverage": share_of(shares, documents, trials=sentences, nothing=nothing),
        "withheld": len(given.lengths) - len(known),
        "documents_by_coverage": np.bincount(tenths, minlength=TENTHS + 1).tolist(),
        "coverage_intervals": share_intervals(tenths, TENTHS + 1, documents),
        "citations_by_place": np.bincount(places, minlength=TENTHS).tolist(),
        "place_intervals": share_intervals(
            places, TENTHS, np.array([document for document, _ in cited], dtype=np.int64)
        ),
    }
