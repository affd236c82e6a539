"""Figures of one aspect under which words are marked: agreement by overlap, exactly and over tokens; how much."""

from dataclasses import dataclass, replace
from math import inf

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.plain import counted, nothing, share_of
from annotation_platform.analysis.sections.spans.figures import MarkedLabel, MarkedSample, MarkedSpans
from annotation_platform.core.arrays import Codes
from annotation_platform.core.few_units import UnitName
from annotation_platform.core.statistics import Bootstrap, MarkedTexts, Ratings, span_f1, token_alpha
from annotation_platform.core.statistics.codes import compact
from annotation_platform.core.statistics.means import scale_means

MOST_TOKENS = 2_000_000  # read by somebody; α has an entry for each
NOBODY = gettext_noop("Nobody has answered this yet.")


@dataclass(frozen=True, eq=False)
class Marks:
    """What was marked under one aspect, and its labels: key → title, in the order of their codes."""

    key: str
    title: str
    labels: dict[str, str]
    texts: MarkedTexts
    unit: UnitName | None = None


def spans_figures(given: Marks, bootstrap: Bootstrap) -> MarkedSpans:
    bootstrap = replace(bootstrap, unit=given.unit)
    texts = _sampled(given.texts, bootstrap.seed)
    whole, used = len(given.texts.lengths), len(texts.lengths)
    named = [("", "All labels", None), *((key, title, code) for code, (key, title) in enumerate(given.labels.items()))]
    if len(given.labels) == 1:
        named = named[1:]
    return MarkedSpans(
        aspect=given.key,
        title=given.title,
        texts=whole,
        readings=len(given.texts.texts),
        labels=tuple(_label(key, title, code, given.texts, texts, bootstrap) for key, title, code in named),
        sampled=None if used == whole else MarkedSample(texts=used, of=whole, seed=bootstrap.seed),
    )


def _label(
    key: str, title: str, code: int | None, given: MarkedTexts, sampled: MarkedTexts, bootstrap: Bootstrap
) -> MarkedLabel:
    mine = given.readings if code is None else given.readings[given.labels == code]
    often = np.bincount(mine, minlength=len(given.texts))
    return MarkedLabel(
        key=key,
        title=title,
        overlap=counted(span_f1(sampled, "overlap", label=code, bootstrap=bootstrap)),
        exact=counted(span_f1(sampled, "exact", label=code, bootstrap=bootstrap)),
        alpha=counted(token_alpha(sampled, label=code, bootstrap=bootstrap)),
        spans=len(mine),
        per_reading=_mean(given, often, bootstrap),
        used=share_of(often > 0, given.texts, units=given.units[given.texts], raters=given.raters, nothing=NOBODY),
    )


def _mean(given: MarkedTexts, often: Codes, bootstrap: Bootstrap) -> CountedFigure:
    if not len(often):
        return nothing(NOBODY)
    ratings = Ratings.from_arrays(
        given.texts, given.raters, often.astype(np.float64), units=given.units, ends=(0.0, inf), repeated="cross"
    )
    everyone = np.zeros(len(often), dtype=np.int64)
    return counted(scale_means(ratings, everyone, 1, bootstrap=bootstrap, undefined_because=NOBODY)[0])


def _sampled(given: MarkedTexts, seed: int) -> MarkedTexts:
    """All texts, or so many in random order that what was read of them is not too much."""
    read = np.bincount(given.texts, minlength=len(given.lengths)) * given.lengths
    if read.sum() <= MOST_TOKENS:
        return given
    order = np.random.default_rng(seed).permutation(len(read))
    kept = np.zeros(len(read), dtype=np.bool_)
    kept[order[: max(int(np.searchsorted(np.cumsum(read[order]), MOST_TOKENS)), 1)]] = True
    return texts_where(given, kept)


def texts_where(given: MarkedTexts, kept: np.ndarray) -> MarkedTexts:
    """Only these texts, with their readings and spans."""
    readings = kept[given.texts]
    spans = readings[given.readings]
    text, reading = np.cumsum(kept) - 1, np.cumsum(readings) - 1
    return MarkedTexts(
        texts=text[given.texts[readings]],
        raters=given.raters[readings],
        lengths=given.lengths[kept],
        readings=reading[given.readings[spans]],
        starts=given.starts[spans],
        ends=given.ends[spans],
        labels=given.labels[spans],
        n_labels=given.n_labels,
        units=compact(given.units[kept]),
    )
