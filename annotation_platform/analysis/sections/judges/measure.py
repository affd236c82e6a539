"""How far a judge is biased on one aspect, from what people and the judge said of it."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.plain import difference, family_for_others
from annotation_platform.analysis.sections.judges.columns import Chosen, Looks, Scaled
from annotation_platform.analysis.sections.judges.figures import Bias, Biases, JudgeInstead
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics import Difference, holm
from annotation_platform.core.statistics.clustered_means import NOTHING_TO_COMPARE
from annotation_platform.core.statistics.crossed import ForOtherRaters
from annotation_platform.core.statistics.judge_bias import bias_apart, judge_leniency, length_bias, place_share
from annotation_platform.core.statistics.judge_bias_for_others import (
    apart_for_other_raters,
    length_for_other_raters,
    leniency_for_other_raters,
)
from annotation_platform.core.statistics.linear_for_others import Said

KINDS = ("leniency", "first", "last", "length", "own_family", "japanese")
NOBODY_BOTH = gettext_noop("People and the judge have not both judged any of these items.")
NO_LENIENCY = gettext_noop("A choice is neither kind nor strict.")
TWO_PLACES = gettext_noop("Of two, the last is where the first is not.")
NO_LENGTH = gettext_noop("What is judged is no single answer, whose length could matter.")
NO_FAMILY = gettext_noop("No system here is of the judge's family, as far as names tell.")
ALL_FAMILY = gettext_noop("All systems here are of the judge's family.")
NO_JAPANESE, NO_ENGLISH = (
    gettext_noop("Nothing that is judged is in Japanese."),
    gettext_noop("Nothing that is judged is in Latin letters."),
)

SHARES = (0.0, 1.0)
"""Of the scale's length, or of a choice: in these all is measured."""
Told = tuple[Difference, ForOtherRaters | None]
"""A bias against these people, and against other people, too; the latter None where there is no bias."""
Differences = Mapping[str, Told]


def biases_on_scale(asked: Scaled, judge: Floats, own: Sequence[str]) -> Differences:
    """``judge`` has its value of each unit as people's are, NaN where it gave none."""
    if asked.reason:
        return dict.fromkeys(KINDS, _undefined(asked.reason))
    looks, said, placeless = asked.looks, asked.said, _undefined(asked.place)
    japanese = looks.japanese[~np.isnan(asked.people) & ~np.isnan(judge)]
    return {
        "leniency": _leniency(asked.people, judge, asked.groups, said),
        "first": placeless,
        "last": placeless,
        "length": _length(asked.people, judge, looks, asked.groups, said),
        "own_family": _family(asked.people, judge, looks, asked.groups, asked.questions, own, said),
        "japanese": _defined(
            {NO_JAPANESE: bool((japanese == 1).any()), NO_ENGLISH: bool((japanese == 0).any())},
            lambda: _apart(
                asked.people,
                np.where(np.isnan(looks.japanese), np.nan, judge),
                looks.japanese == 1,
                asked.groups,
                None,
                said,
            ),
        ),
    }


def biases_of_choice(asked: Chosen, chosen: Floats, own: Sequence[str]) -> Differences:
    """``chosen`` has the place that the judge chose of each item, 0 where it chose none, NaN where nothing is known."""
    rows = np.arange(len(asked.sizes))
    first, last = (
        _leniency(
            asked.shares[rows, asked.sizes - 1 if place < 0 else 0],
            place_share(chosen, asked.sizes, place),
            asked.groups,
            asked.of_place(place),
        )
        for place in (1, -1)
    )
    beyond_two = asked.sizes[~np.isnan(asked.shares[:, 0]) & ~np.isnan(chosen)] > 2
    found: dict[str, Told] = {
        "leniency": _undefined(NO_LENIENCY),
        "japanese": _undefined(NO_LENIENCY),
        "first": first,
        "last": last if beyond_two.any() or not len(beyond_two) else _undefined(TWO_PLACES),
    }
    if asked.looks is None:
        return found | dict.fromkeys(("length", "own_family"), _undefined(asked.reason))
    # One row for each place that there is.
    item, place = np.nonzero(np.arange(asked.shares.shape[1]) < asked.sizes[:, None])
    people = asked.shares[item, place]
    judge = np.where(np.isnan(chosen[item]), np.nan, np.where(chosen[item] == 0, 1 / asked.sizes[item], 0.0))
    judge = np.where(chosen[item] == place + 1, 1.0, judge)
    looks, groups, said = asked.looks, asked.groups[item], asked.by_place()
    return found | {
        "length": _length(people, judge, looks, groups, said, within=item),
        "own_family": _family(people, judge, looks, groups, asked.questions[item], own, said),
    }


def biases(
    asked: Mapping[str, Scaled | Chosen],
    found: Mapping[str, Differences],
    agreement: Mapping[str, CountedFigure],
    instead: Mapping[str, JudgeInstead],
) -> dict[str, Biases]:
    """The figures of one judge by aspect, their p corrected by Holm for all that were tested of it."""
    flat = [(aspect, kind, each[kind]) for aspect, each in found.items() for kind in KINDS]
    corrected = holm([each.p_value for _, _, (each, _) in flat])
    others = iter(family_for_others([other for _, _, (_, other) in flat if other is not None]))
    figures: dict[str, dict[str, Bias]] = {aspect: {} for aspect in found}
    for (aspect, kind, (each, other)), p_holm in zip(flat, corrected, strict=True):
        of_others = None if other is None else next(others)
        figures[aspect][kind] = Bias(**difference(each), for_others=of_others).model_copy(update={"p_holm": p_holm})
    return {
        aspect: Biases(
            measured="choice" if isinstance(of := asked[aspect], Chosen) else of.measured,
            span=None if isinstance(of, Chosen) else of.span,
            same_label=agreement[aspect],
            alternative=instead[aspect],
            **each,
        )
        for aspect, each in figures.items()
    }


def _leniency(people: Floats, judge: Floats, groups: Codes, said: Said) -> Told:
    found = judge_leniency(people, judge, groups, ends=SHARES)
    if found.undefined_because == NOTHING_TO_COMPARE:
        return _undefined(NOBODY_BOTH)
    return found, leniency_for_other_raters(said, judge, groups, found, ends=SHARES)


def _apart(people: Floats, judge: Floats, is_second: Flags, groups: Codes, questions: Codes | None, said: Said) -> Told:
    found = bias_apart(people, judge, is_second, groups, questions=questions, ends=SHARES)
    if found.value is None:
        return found, None
    return found, apart_for_other_raters(said, judge, is_second, groups, found, questions=questions, ends=SHARES)


def _length(
    people: Floats, judge: Floats, looks: Looks, groups: Codes, said: Said, *, within: Codes | None = None
) -> Told:
    lengths = np.nan_to_num(looks.characters)

    def measure() -> Told:
        found = length_bias(people, judge, lengths, groups, within=within)
        if found.value is None:
            return found, None
        return found, length_for_other_raters(said, judge, lengths, groups, found, within=within)

    return _defined({NO_LENGTH: bool((~np.isnan(looks.characters)).any())}, measure)


def _family(
    people: Floats, judge: Floats, looks: Looks, groups: Codes, questions: Codes, own: Sequence[str], said: Said
) -> Told:
    both: Flags = ~np.isnan(people) & ~np.isnan(judge)
    is_own = np.isin(looks.system, [looks.systems.index(name) for name in own if name in looks.systems])
    return _defined(
        {
            NO_LENGTH: looks.systems != ("",),
            NO_FAMILY: bool(is_own[both].any()),
            ALL_FAMILY: bool((~is_own[both]).any()),
        },
        lambda: _apart(people, judge, is_own, groups, questions, said),
    )


def _defined(needed: Mapping[str, bool], measure: Callable[[], Told]) -> Told:
    """What is measured where all that it needs is there; else the first reason."""
    missing = next((reason for reason, is_there in needed.items() if not is_there), None)
    return _undefined(missing) if missing else measure()


def _undefined(reason: str) -> Told:
    missing = gettext_noop("The difference itself is undefined.")
    return Difference(None, reason, None, missing, None, missing, 0, 0, ""), None
