"""Sentences above the tables of people and a model at once."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.powered.table_rows import DifferenceRow, MeanRow, ModelBeside
from annotation_platform.analysis.sections.powered.words import DRAWN, ONE_PAIR_ALONE, TWO_SYSTEMS, Words, unread_by
from annotation_platform.analysis.tables.words import from_to, upper_first


def who_judged(words: Words) -> dict[str, str]:
    """Who judged what, for a sentence."""
    return {"few": _(words.few), "many": _(words.many), "few_judgments": _(words.few_judgments)}


def means_reading(
    rows: list[MeanRow], why_nothing: list[str], words: Words, of: str = "", unread: int = 0, *, drawn: str = ""
) -> str:
    """How much the model adds and to how many systems; why it does not; and always on what that rests."""
    said = (
        [*why_nothing, *_gained(rows, words, of)] if rows else why_nothing or [_("Nothing is known{of}.").format(of=of)]
    )
    if not rows:
        return " ".join(said)
    if unread:
        said.append(unread_by(upper_first(_(words.many)), unread))
    return " ".join([*said, _rests_on(words, drawn)])


def _rests_on(words: Words, drawn: str) -> str:
    rests_on = words.declared if drawn == "declared" else DRAWN.get(drawn, words.holds)
    return _(rests_on).format(**who_judged(words))


def _gained(rows: list[MeanRow], words: Words, of: str) -> list[str]:
    helped = [row for row in rows if row.times]
    off, told = _reasons(rows), who_judged(words)
    if not helped:
        reasons = " ".join(off) or _("What {many} says does not go with {few_judgments}.").format(**told)
        return [_("Here {many} adds nothing to {few_judgments}{of}. {why}").format(of=of, why=reasons, **told)]
    several = len({row.judge for row in rows}) > 1
    most = max(helped, key=lambda row: row.times or 0.0)
    times = number_range([row.times for row in helped if row.times])
    example = (
        _("the {judged:,} of {system} (with {judge}) say as much as {effective:,} alone would")
        if several
        else _("the {judged:,} of {system} say as much as {effective:,} alone would")
    ).format(judged=most.judged, system=most.system, judge=most.judge, effective=most.effective)
    if len(helped) == len(rows):
        said = _("What {many} says of all answers{of} makes {few_judgments} worth {times} times as many: {example}.")
    elif several:
        said = _(
            "What {many} says of all answers{of} makes {few_judgments} worth {times} times as many for {n} of {all} "
            "pairs of judge and system: {example}."
        )
    else:
        said = _(
            "What {many} says of all answers{of} makes {few_judgments} worth {times} times as many for {n} of {all} "
            "systems: {example}."
        )
    found = [said.format(of=of, times=times, n=len(helped), all=len(rows), example=example, **told)]
    return [*found, _("For the others: {why}").format(why=" ".join(off))] if off else found


def _reasons(rows: Sequence[ModelBeside]) -> list[str]:
    """Why the model is not reckoned with, each reason once."""
    return list(dict.fromkeys(why_in_language(row.remark) for row in rows if row.remark))


def number_range(values: list[float]) -> str:
    return from_to(f"{min(values):.1f}", f"{max(values):.1f}")


def differences_reading(rows: list[DifferenceRow], words: Words, *, drawn: str = "") -> str:
    """How many pairs differ significantly by people alone, and how many with the model, where it counts anywhere."""
    defined = [row for row in rows if row.people.value is not None]
    if not defined:
        said = _("No difference can be estimated. {why}")
        return said.format(why=why_in_language(rows[0].remark))
    rests_on = [_rests_on(words, drawn), *_weighed(rows)]
    if all(row.is_off for row in defined):
        return " ".join([_by_few_alone(defined, words), *_reasons(defined), *rests_on])
    alone, both = sum(row.is_certain_alone for row in defined), sum(row.is_certain for row in defined)
    if len(rows) == 1:
        counts = _(TWO_SYSTEMS[bool(alone), bool(both)])
    elif len({row.judge for row in rows}) > 1:
        counts = _(
            "{alone} of {n} comparisons of two systems differ significantly by {few} alone and {both} with {many} (p "
            "below 0.05 after Holm's correction, and an interval without 0)."
        )
    else:
        counts = _(
            "{alone} of {n} pairs of systems differ significantly by {few} alone and {both} with {many} (p below 0.05 "
            "after Holm's correction, and an interval without 0)."
        )
    told = who_judged(words)
    helped = [row.times for row in defined if row.times]
    said = (
        _("Worth {times} times as many judged answers.")
        if _weighed(rows)
        else _("Worth {times} times as many judged questions.")
    )
    worth = said.format(times=number_range(helped)) if helped else ""
    return " ".join(
        [
            counts.format(alone=alone, both=both, n=len(rows), **told),
            *([worth] if helped else _reasons(defined)),
            *rests_on,
        ]
    )


def _weighed(rows: Sequence[DifferenceRow]) -> list[str]:
    """What is compared where what was judged is no even part; nothing elsewhere."""
    if all(row.answers is None for row in rows):
        return []
    return [
        _(
            "Compared are the means of the two over their answers to the questions that both answered, each judged "
            "answer weighed by its chance; it need not be known with what chance both answers to a question were drawn."
        )
    ]


def _by_few_alone(rows: list[DifferenceRow], words: Words) -> str:
    """How many pairs differ; each counts once, however many models there are."""
    certain = {row.pair: row.is_certain_alone for row in rows}
    if len(certain) == 1:
        said = _(ONE_PAIR_ALONE[any(certain.values())])
    else:
        said = _(
            "{alone} of {n} pairs of systems differ significantly by {few} alone (p below 0.05 after Holm's "
            "correction, and an interval without 0)."
        )
    return said.format(alone=sum(certain.values()), n=len(certain), **who_judged(words))
