"""Agreement of people who mark spans in texts: F1 of two people's marks, and Krippendorff's α over the tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.reasons import gettext_noop
from annotation_platform.core.statistics.alpha import krippendorff_alpha
from annotation_platform.core.statistics.ratings import Ratings, RatingsError
from annotation_platform.core.statistics.resampling import Bootstrap, by_unit, statistic
from annotation_platform.core.statistics.result import Statistic, signature_line

Match = Literal["overlap", "exact"]
MOST_LABELS = 52  # whose combinations are still whole numbers

NOT_TWICE = gettext_noop("No text was marked by two people.")
NOTHING_MARKED = gettext_noop("Nobody marked anything in a text that two people read.")


@dataclass(frozen=True, eq=False)
class MarkedTexts:
    """Texts, who read them, and what each of them marked there, which may be nothing. All arrays are of int.

    Attributes
    ----------
    texts, raters : shape (readings,)
        One entry for each time that somebody read a text: codes from 0.
    lengths : shape (texts,)
        Tokens of each text.
    readings, starts, ends, labels : shape (spans,)
        By which reading a span was marked, its first token, the one behind its last, and its label, a code from 0.
        Spans may overlap.
    n_labels : int
    units : shape (texts,)
        A code of what texts are drawn together with for intervals, such as an article.
    """

    texts: Codes
    raters: Codes
    lengths: Codes
    readings: Codes
    starts: Codes
    ends: Codes
    labels: Codes
    n_labels: int
    units: Codes

    def __post_init__(self) -> None:
        spans = (self.readings, self.starts, self.ends, self.labels)
        if len(self.texts) != len(self.raters) or len({len(column) for column in spans}) > 1:
            raise RatingsError("The columns of readings, or those of spans, differ in length.")
        if len(self.units) != len(self.lengths):
            raise RatingsError("Give one unit and one length for each text.")
        if self.n_labels > MOST_LABELS:
            raise RatingsError(f"There are {self.n_labels} labels; at most {MOST_LABELS} can be told apart.")
        if len(self.starts) and not (
            (self.starts >= 0).all() and (self.starts < self.ends).all() and (self.ends <= self._length_of_span).all()
        ):
            raise RatingsError("A span is empty, or not within its text.")

    @property
    def _length_of_span(self) -> Codes:
        length: Codes = self.lengths[self.texts[self.readings]]
        return length

    @cached_property
    def read_twice(self) -> Flags:
        """Of each text, whether there are two readings of it; others say nothing about agreement."""
        return np.bincount(self.texts, minlength=len(self.lengths)) > 1

    @cached_property
    def compared(self) -> Flags:
        """Of each reading, whether there is another of its text."""
        return self.read_twice[self.texts]

    def tokens_marked(self, label: int | None = None) -> tuple[Codes, Codes, Codes]:
        """Reading, token and label of all that is marked; each once, however many spans of the label lie over it."""
        mine = np.arange(len(self.labels)) if label is None else np.flatnonzero(self.labels == label)
        sizes = (self.ends - self.starts)[mine]
        span = np.repeat(mine, sizes)
        within = np.arange(len(span)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        found = np.stack([self.readings[span], self.starts[span] + within, self.labels[span]])
        reading, token, of_label = np.unique(found, axis=1)
        return reading, token, of_label


def span_f1(
    marked: MarkedTexts, match: Match, *, label: int | None = None, bootstrap: Bootstrap | None = None
) -> Statistic:
    """F1 of the marks of two people who read the same text, over all pairs of them.

    With A_j what reading j marks, and pairs {j, k} of readings of one text::

        F1 = 2 Σ_{j,k} |A_j ∩ A_k| / Σ_{j,k} (|A_j| + |A_k|)

    For ``match='overlap'`` A_j holds each marked token with its label, so that spans count as far as they overlap; for
    ``'exact'`` it holds whole spans, which agree where first token, last token and label do. Readings are
    exchangeable, so that F1 is precision, recall and their harmonic mean in one; with several readings by one person
    each counts. Since nearly all tokens of a text are unmarked, and how many is arbitrary, agreement on what is not
    marked counts for nothing: F1 is what κ of the tokens tends to as the unmarked text grows.

    Parameters
    ----------
    marked : MarkedTexts
    match : {'overlap', 'exact'}
    label : int, optional
        Only spans with this label; by default those of all labels, told apart.
    bootstrap : Bootstrap, optional
        Resample the texts' units for an interval.

    Returns
    -------
    Statistic
        ``n_items`` counts texts, ``n_ratings`` their readings. Undefined where no text has two readings, or nothing is
        marked in those that have.

    Raises
    ------
    ValueError
        For another kind of match.

    References
    ----------
    Hripcsak and Rothschild (2005), Agreement, the F-measure, and reliability in information retrieval. Checked against
    all pairs written out.
    """
    if match not in ("overlap", "exact"):
        raise ValueError(f"The match {match!r} is neither 'overlap' nor 'exact'.")
    reading, element = _elements(marked, match, label)
    kept = marked.compared[reading]
    reading, element = reading[kept], element[kept]
    text = marked.texts[reading]
    others = np.bincount(marked.texts, minlength=len(marked.lengths))[text] - 1
    _, first, times = np.unique(element, return_index=True, return_counts=True)
    both = _by_text(text[first], times * (times - 1.0), marked)  # twice the pairs that share an element
    either = _by_text(text, others.astype(np.float64), marked)

    def f1(weights: Floats) -> Floats:
        total = np.asarray(either @ weights)[0]
        return np.where(total > 0, np.asarray(both @ weights)[0] / np.where(total > 0, total, 1.0), np.nan)

    n_units = both.shape[1]
    value = float(f1(np.ones((n_units, 1)))[0])
    return statistic(
        value=value,
        undefined_because=NOTHING_MARKED if marked.read_twice.any() else NOT_TWICE,
        n_items=int(marked.read_twice.sum()),
        n_units=len(np.unique(marked.units[marked.read_twice])),
        n_raters=len(np.unique(marked.raters[marked.compared])),
        n_ratings=int(marked.compared.sum()),
        sample=bootstrap.sample(f1, n_units) if bootstrap and value == value else None,
        bootstrap=bootstrap,
        signature=signature_line("span-f1", match=match, of="all" if label is None else "label"),
        n_items_resampled=n_units,
        ends=(0.0, 1.0),
    )


def token_alpha(marked: MarkedTexts, *, label: int | None = None, bootstrap: Bootstrap | None = None) -> Statistic:
    """Krippendorff's α where each token of a text is an item, and each reading of the text rates it (nominal).

    With a ``label``, a token has the value 1 where a span of that label lies over it and 0 elsewhere. Without, its
    value is its label, or none; where spans overlap, the combination of their labels, which is a value of its own. The
    formula is that of :func:`krippendorff_alpha`. Tokens of one text are no evidence of their own, so that intervals
    draw the texts' units.

    Parameters
    ----------
    marked : MarkedTexts
    label : int, optional
        The label that α is about; by default all of them.
    bootstrap : Bootstrap, optional
        Resample the texts' units for an interval.

    Returns
    -------
    Statistic
        ``n_items`` counts texts, ``n_ratings`` their readings. Undefined where no text has two readings, or all tokens
        of those that have were given one value: nobody marked anything, or everybody everything.

    References
    ----------
    Krippendorff (2019), Content Analysis, 4th edition, chapter 12, with tokens as units. (His ᵤα of continua in chapter
    12.6 weighs lengths of gaps and is another figure.)
    """
    kept = np.flatnonzero(marked.compared)
    ratings = _as_ratings(marked, kept, label)
    found = krippendorff_alpha(ratings, "nominal", bootstrap=bootstrap)
    reason = found.undefined_because
    if reason is not None and not ratings.numbers.any():  # otherwise everybody marked everything alike
        reason = NOTHING_MARKED if marked.read_twice.any() else NOT_TWICE
    return replace(
        found,
        undefined_because=reason,
        n_items=int(marked.read_twice.sum()),
        n_ratings=int(marked.compared.sum()),
        signature=f"{found.signature}|of:tokens",
    )


def _as_ratings(marked: MarkedTexts, kept: Codes, label: int | None) -> Ratings:
    """Each token as an item, rated by each reading; as numbers, the labels over a token are the bits of its value."""
    lengths = marked.lengths[marked.texts[kept]]
    ends = np.cumsum(lengths)
    place = np.full(len(marked.texts), -1, dtype=np.int64)  # of each reading's first token
    place[kept] = ends - lengths
    before = np.cumsum(marked.lengths) - marked.lengths
    within = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
    values = np.zeros(len(within), dtype=np.float64)
    reading, token, of_label = marked.tokens_marked(label)
    mine = place[reading] >= 0
    bits = np.exp2(of_label[mine]) if label is None else np.ones(int(mine.sum()))
    np.add.at(values, place[reading[mine]] + token[mine], bits)
    return Ratings.from_arrays(
        np.repeat(before[marked.texts[kept]], lengths) + within,
        np.repeat(marked.raters[kept], lengths),
        values,
        repeated="cross",
        n_items=int(marked.lengths.sum()),
        n_raters=int(marked.raters.max(initial=0)) + 1,
        units=np.repeat(marked.units, marked.lengths),
    )


def _elements(marked: MarkedTexts, match: Match, label: int | None) -> tuple[Codes, Codes]:
    """What each reading marks: its code, and a code of the element, the same for the same element of one text."""
    if match == "overlap":
        reading, *named = marked.tokens_marked(label)
    else:
        mine = np.arange(len(marked.labels)) if label is None else np.flatnonzero(marked.labels == label)
        columns = (marked.readings, marked.starts, marked.ends, marked.labels)
        reading, *named = np.unique(np.stack([column[mine] for column in columns]), axis=1)
    named = [marked.texts[reading], *named]
    return reading, np.unique(np.stack(named), axis=1, return_inverse=True)[1].reshape(-1)


def _by_text(texts: Codes, terms: Floats, marked: MarkedTexts) -> sparse.csr_array:
    row = sparse.csr_array((terms, (np.zeros(len(texts), dtype=np.int64), texts)), shape=(1, len(marked.lengths)))
    return by_unit(row, marked.units)
