"""Figures of one aspect under which sentences are cited: agreement, how many, and how much of the documents."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, get_args

import numpy as np
from django.utils.translation import gettext_noop
from numpy.typing import NDArray

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.plain import counted, share_intervals, share_of, undefined
from annotation_platform.analysis.sections.sentences.figures import CitedSentences, Sample
from annotation_platform.core.arrays import Codes, Integers
from annotation_platform.core.few_units import UnitName
from annotation_platform.core.statistics import Bootstrap, Ratings, Statistic, krippendorff_alpha_of_sets, set_codes
from annotation_platform.core.statistics.codes import compact, distinct
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.sets import SetDistance

MOST_SETS = 3_000  # α compares every distinct set with every other
MOST_CITED = 10  # judgments that cite more are counted together
TENTHS = 10
NOTHING_CITED = gettext_noop("Nothing was cited.")


@dataclass(frozen=True, eq=False)
class CitedSets:
    """The judgments of one aspect, an entry each: codes of unit and annotator; and the sentences that they cite.

    ``owners`` says of each sentence by which judgment it is cited, ``documents`` the document's key, ``sentences`` its
    number there. ``drawn_with`` has, of each unit, a code of what it is drawn together with, which is a ``unit``.
    ``lengths`` is the number of sentences of each document that was shown, 0 where its text is withheld.
    """

    key: str
    title: str
    units: Codes
    raters: Codes
    owners: Integers
    documents: Codes
    sentences: Integers
    drawn_with: Codes
    lengths: dict[int, int]
    unit: UnitName | None = None

    @cached_property
    def sizes(self) -> Codes:
        """How many sentences each judgment cites."""
        return np.bincount(self.owners, minlength=len(self.units))

    def sets_of(self, rows: Codes) -> Iterator[frozenset[tuple[int, int]]]:
        """What these judgments cite."""
        order = np.argsort(self.owners, kind="stable")
        ends = np.cumsum(self.sizes)
        for row in rows.tolist():
            cited = order[ends[row] - self.sizes[row] : ends[row]]
            yield frozenset(zip(self.documents[cited].tolist(), self.sentences[cited].tolist(), strict=True))

    @cached_property
    def marks(self) -> NDArray[np.uint64]:
        """A number of each judgment, the same where it cites the same: the sum of random ones of its sentences."""
        width = int(self.sentences.max(initial=0)) + 1
        keys = (self.documents - self.documents.min(initial=0)) * width + self.sentences
        known, code = distinct(keys, int(keys.max(initial=-1)) + 1)
        random = np.random.default_rng(0).integers(1, 1 << 63, len(known), dtype=np.uint64)
        marks = np.zeros(len(self.units), dtype=np.uint64)
        np.add.at(marks, self.owners, random[code])
        return marks


def sentences_figures(given: CitedSets, bootstrap: Bootstrap) -> CitedSentences:
    bootstrap = replace(bootstrap, unit=given.unit)
    sizes, capped = given.sizes.astype(np.float64), np.minimum(given.sizes, MOST_CITED)
    intervals, why = share_intervals(capped, MOST_CITED + 1, given.drawn_with[given.units], nothing=NOTHING_CITED)
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
            nothing=NOTHING_CITED,
        ),
        sizes=np.bincount(capped, minlength=MOST_CITED + 1).tolist(),
        size_intervals=intervals,
        no_size_intervals_because=why,
        **_coverage(given),
    )


def _mean(given: CitedSets, values: np.ndarray, bootstrap: Bootstrap) -> Statistic:
    ratings = Ratings.from_arrays(
        given.units, given.raters, values, units=given.drawn_with, ends=(0.0, inf), repeated="cross"
    )
    return scale_means(
        ratings,
        np.zeros(len(values), dtype=np.int64),
        1,
        bootstrap=bootstrap,
        undefined_because=NOTHING_CITED,
    )[0]


def _agreement(given: CitedSets, bootstrap: Bootstrap) -> dict[str, Any]:
    """α with both distances; of many judgments, of a seeded sample of the units."""
    rows = _sampled(given, bootstrap.seed)
    n_units = len(np.unique(given.units))
    if not len(rows):
        return {
            "alpha": {name: _undefined(NOTHING_CITED) for name in get_args(SetDistance)},
            "sampled": None,
        }
    codes, sets = set_codes(given.sets_of(rows))
    known, units = np.unique(given.units[rows], return_inverse=True)
    drawn_with = compact(given.drawn_with[known])
    ratings = Ratings.from_arrays(units, given.raters[rows], codes, units=drawn_with, repeated="cross")
    sampled = int(units.max()) + 1
    return {
        "alpha": {
            name: counted(krippendorff_alpha_of_sets(ratings, sets, name, bootstrap=bootstrap))
            for name in get_args(SetDistance)
        },
        "sampled": None if sampled == n_units else Sample(items=sampled, of=n_units, seed=bootstrap.seed),
    }


def _undefined(because: str) -> CountedFigure:
    return CountedFigure(**undefined(because))


def _sampled(given: CitedSets, seed: int) -> Codes:
    """Rows of all units, or of so many in random order that there are not too many distinct sets."""
    rank = np.random.default_rng(seed).permutation(int(given.units.max(initial=-1)) + 1)[given.units]
    order = np.argsort(rank, kind="stable")
    first = np.unique(given.marks[order], return_index=True)[1]
    if len(first) <= MOST_SETS:
        return np.arange(len(given.units))
    is_new = np.zeros(len(order), dtype=np.bool_)
    is_new[first] = True
    too_many = order[int(np.argmax(np.cumsum(is_new) > MOST_SETS))]
    return np.flatnonzero(rank < rank[too_many])


def _coverage(given: CitedSets) -> dict[str, Any]:
    """Share of each document's sentences that somebody cites, and where in the documents citations stand."""
    known = np.array(sorted(document for document, length in given.lengths.items() if length), dtype=np.int64)
    sentences = np.array([given.lengths[document] for document in known.tolist()], dtype=np.int64)
    place = np.searchsorted(known, given.documents).astype(np.int32)  # citations are many, so that nothing stays long
    there = np.append(known, -1)[place] == given.documents
    document, number = place[there], given.sentences[there]
    del place, there
    inside = (number > 0) & (number <= sentences[document])
    document, number = document[inside], number[inside]
    del inside
    width = int(sentences.max(initial=0)) + 1
    is_cited = np.zeros((len(known), width), dtype=np.bool_)
    is_cited[document, number] = True
    ever = is_cited.sum(axis=1)
    places = np.minimum((number - 1) * TENTHS // sentences[document], TENTHS - 1)
    shares = ever / sentences
    documents = np.arange(len(shares))
    nothing = gettext_noop("No document that was shown has its text here.")
    tenths = np.minimum(np.ceil(shares * TENTHS), TENTHS).astype(np.int64)  # 0: nothing is cited
    of_coverage, no_coverage = share_intervals(tenths, TENTHS + 1, documents, nothing=nothing)
    of_places, no_places = share_intervals(places, TENTHS, document, nothing=NOTHING_CITED if len(known) else nothing)
    return {
        "coverage": share_of(shares, documents, trials=sentences, nothing=nothing),
        "withheld": len(given.lengths) - len(known),
        "documents_by_coverage": np.bincount(tenths, minlength=TENTHS + 1).tolist(),
        "coverage_intervals": of_coverage,
        "no_coverage_intervals_because": no_coverage,
        "citations_by_place": np.bincount(places, minlength=TENTHS).tolist(),
        "place_intervals": of_places,
        "no_place_intervals_because": no_places,
    }
