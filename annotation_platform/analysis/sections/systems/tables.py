"""The systems whose answers were judged: means, how sure their order is, which of them differ."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.sections.systems import drawn_tables
from annotation_platform.analysis.sections.systems.columns import columns_of_differences, columns_of_means
from annotation_platform.analysis.sections.systems.drawn_tables import of_judged_ones_only
from annotation_platform.analysis.sections.systems.figures import (
    DRAWN_SYSTEMS,
    MEAN_BY_SYSTEM,
    SYSTEM_DIFFERENCES,
    DifferenceOfSystems,
    RankedMean,
)
from annotation_platform.analysis.sections.systems.table_rows import (
    AspectsRow,
    DifferenceRow,
    MeanOnAspect,
    RankRow,
    SystemRow,
)
from annotation_platform.analysis.sections.systems.words import UNPAIRED, compared_on, how_many_differ
from annotation_platform.analysis.snapshots.stored import section_by_aspect
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.others import as_asked, drawn_by, speaks_for, speaks_for_units
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import (
    in_a_row,
    number,
    number_kind,
    possible_ranks,
    some,
    units_called,
    with_commas,
)
from annotation_platform.core.rank_intervals import is_sole_first

# What a chart of differences shows: whether every pair, none, or only some share a question.
ALL_PAIRED, NONE_PAIRED = frozenset([True]), frozenset([False])
COMPARED_ON = {
    ALL_PAIRED: gettext_noop(
        "Mean of the second minus that of the first, on the questions that both answered, with 95\u00a0% intervals by "
        "{unit}; a line across zero may be chance."
    ),
    NONE_PAIRED: gettext_noop(
        "Mean of the second minus that of the first, each on all questions that it answered, since no question was "
        "answered by both, with 95\u00a0% intervals by {unit}; a line across zero may be chance."
    ),
    ALL_PAIRED | NONE_PAIRED: gettext_noop(
        "Mean of the second minus that of the first, on the questions that both answered or, where there are none, "
        "each on all questions that it answered, with 95\u00a0% intervals by {unit}; a line across zero may be chance."
    ),
}


def systems_table(asked: TableRequest) -> FigureTable | None:
    """Mean of each system, as labelled and as rescaled; None where there are no systems or no numbers."""
    if not (means := asked.section(MEAN_BY_SYSTEM)):
        return None
    kind = number_kind(asked.head)
    rows = [
        SystemRow(
            system=mean.system,
            items=mean.raw.items,
            annotators=mean.raw.annotators,
            judgments=mean.raw.judgments,
            undefined_because=mean.raw.why_not,
            raw=estimate_of(as_asked(asked, mean.raw)),
            rescaled=estimate_of(mean.rescaled and as_asked(asked, mean.rescaled)),
            raw_rank=mean.raw.rank,
            rescaled_rank=mean.rescaled.rank if mean.rescaled else None,
        )
        for mean in means
    ]
    side = _side(rows)
    means_of = {row.system: (row.rescaled if side == RESCALED else row.raw).value for row in rows}
    ranked = sorted(((mean, name) for name, mean in means_of.items() if mean is not None), key=lambda each: -each[0])
    order = with_commas([f"{name} ({number(mean, kind)})" for mean, name in ranked])
    by_mean = _("By {side} mean, from the highest: {order}.").format(side=_(side), order=order)
    return FigureTable(
        name="means-system",
        title=_("Mean by system"),
        reading=by_mean if ranked else _("No system has a mean."),
        columns=[
            *columns_of_means(rows, kind, is_rescaled=side == RESCALED),
            Column("judgments", _("Judgments"), "count"),
            Column("items", _("Items"), "count"),
        ],
        rows=rows,
        charts={"means-system": _("Dots are means in the scale's numbers, lines their 95\u00a0% intervals.")},
        meta={"query": asked.query_of("others")},
        unit=asked.head.unit,
        speaks_for=speaks_for(asked),
        offers_others=True,
        are_wide=asked.others,
    )


def ranks_table(asked: TableRequest) -> FigureTable | None:
    """How often each system takes each rank when items are resampled; None where no end of the scale is better."""
    means = asked.section(MEAN_BY_SYSTEM)
    side = "rescaled" if any(mean.rescaled for mean in means) else "raw"
    ranked = [
        (of_side.rank, mean.system, of_side)
        for mean in means
        if (of_side := mean.rescaled if side == "rescaled" else mean.raw) and of_side.rank and of_side.rank_shares
    ]
    if len(ranked) < 2:
        return None
    ranked.sort(key=lambda each: each[0])
    possible = _possible_ranks(asked, side)
    rows = [
        RankRow(
            system=system,
            rank=own,
            items=mean.items,
            possible=possible_ranks(possible.get(system)),
            mean=estimate_of(mean),
            shares=dict(enumerate(mean.rank_shares, start=1)),
        )
        for own, system, mean in ranked
    ]
    caption = _(
        "How often each system takes each rank by {side} mean when {units} are drawn anew by chance; 1 is best, and "
        "equal means share the better rank."
    )
    return FigureTable(
        name="ranks",
        title=_("How sure the order is"),
        reading=" ".join([*_order_in_words(rows, possible), *_open_first_place(possible)]),
        columns=[
            Column("system", _("System")),
            Column("rank", _("Rank"), "count"),
            *([Column("possible", _("Possible ranks, by pairs"))] if possible else []),
            Column("mean", _("Mean"), number_kind(asked.head), True),
            *[
                Column(f"rank_{rank}", _("Is no. {rank}").format(rank=rank), "share")
                for rank in range(1, len(rows) + 1)
            ],
            Column("items", _("Items"), "count"),
        ],
        rows=rows,
        charts={"ranks": caption.format(side=_(side), units=units_called(asked.head.unit or "item"))},
        unit=asked.head.unit,
        speaks_for=speaks_for_units(asked),
    )


def _order_in_words(rows: Sequence[RankRow], possible: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """A place is certain where resamples keep it and, where pairs were tested, no other rank is possible."""
    yield _who_comes_first([row for row in rows if row.rank == rows[0].rank])
    is_open = {system for system, (best, worst) in possible.items() if best < worst}
    if unsure := [row.system for row in rows if row.share_of_own < 0.95 or row.system in is_open]:
        places = ngettext("The place of {names} is not certain.", "The places of {names} are not certain.", len(unsure))
        yield places.format(names=in_a_row(unsure))
    else:
        yield _("The whole order is stable.")


def _possible_ranks(asked: TableRequest, side: str) -> dict[str, tuple[int, int]]:
    """The best and the worst rank that the differences of pairs leave each system; none where none was tested."""
    both = asked.section(SYSTEM_DIFFERENCES)
    left = both.raw_ranks if side == "raw" else both.rescaled_ranks
    return {each.system: (each.best, each.worst) for each in left}


def _open_first_place(possible: dict[str, tuple[int, int]]) -> list[str]:
    first = [system for system, (best, _worst) in possible.items() if best == 1]
    if not first:
        return []
    if is_sole_first(possible.values()):
        said = _("Compared two by two, {names} is significantly better than every other system.")
    elif len(first) == 1:
        said = _(
            "Compared two by two, only {names} may be the best: each of the others is "
            "significantly worse than another system."
        )
    else:
        said = _("Compared two by two, each of {names} may be the best.")
    return [said.format(names=in_a_row(some(first)))]


def differences_table(asked: TableRequest) -> FigureTable | None:
    """Every two systems on the questions that both answered, with p corrected for all pairs."""
    both = asked.section(SYSTEM_DIFFERENCES)
    side, stored = ("raw", both.raw) if both.rescaled is None else ("rescaled", both.rescaled)
    if not stored:
        return None
    found = tuple(as_asked(asked, each) for each in stored)
    rows = [_difference_row(each) for each in found]
    sure = sum(is_certain(each) for each in found)
    caption = _(COMPARED_ON[frozenset(each.is_paired for each in found)])
    return FigureTable(
        name="differences",
        title=_("Differences of systems"),
        reading=" ".join([how_many_differ(side, sure, rows), *compared_on(found, both.unit, others=asked.others)]),
        columns=columns_of_differences(
            (
                Column("answered_by_first", _("Answered by the first"), "count"),
                Column("answered_by_second", _("by the second"), "count"),
            ),
            number_kind(asked.head),
            both.unit,
        ),
        rows=rows,
        charts={"differences": caption.format(unit=drawn_by(_(both.unit), others=asked.others))},
        meta={"side": side.capitalize(), "query": asked.query_of("others")},
        unit=asked.head.unit,
        speaks_for=speaks_for(asked),
        offers_others=True,
        are_wide=asked.others,
    )


def _difference_row(each: DifferenceOfSystems) -> DifferenceRow:
    first, second = each.answered
    why = ["" if each.is_paired else _(UNPAIRED), why_in_language(each.why_not)]
    return DifferenceRow(
        pair=" → ".join(each.systems),
        questions=each.items,
        units=each.units,
        judgments=each.judgments,
        difference=estimate_of(each),
        p_value=each.p_value,
        p_holm=each.p_holm,
        answered_by_first=first,
        answered_by_second=second,
        undefined_because=" ".join(filter(None, why)),
    )


def _who_comes_first(first: list[RankRow]) -> str:
    if len(first) == 1:
        said = _("{system} comes first, alone or with another, in {share} of the resamples.")
        return said.format(system=first[0].system, share=number(first[0].share_of_own, "share"))
    in_share = _("{system} in {share}")
    shares = [in_share.format(system=row.system, share=number(row.share_of_own, "share")) for row in first]
    said = _("{n} systems have the same highest mean; of the resamples, {shares} come first.")
    return said.format(n=len(first), shares=in_a_row(shares))


def means_of_aspects_table(asked: TableRequest) -> FigureTable | None:
    """Mean of each system on every aspect with numbers (MATE Table 1); None where there is one aspect only."""
    by_aspect = section_by_aspect(asked.snapshot, MEAN_BY_SYSTEM)
    aspects = [each for each in asked.snapshot.head.aspects if by_aspect.get(each.aspect)]
    if len(aspects) < 2:
        return None
    systems = list(dict.fromkeys(mean.system for each in aspects for mean in by_aspect[each.aspect]))
    means = {each.aspect: {mean.system: mean.raw for mean in by_aspect[each.aspect]} for each in aspects}
    rows = [
        AspectsRow(
            system=system,
            means={each.aspect: _on_aspect(asked, each.title, means[each.aspect].get(system)) for each in aspects},
        )
        for system in systems
    ]
    return FigureTable(
        name="means-aspects",
        title=_("Mean by system, every aspect"),
        reading=" ".join(_most_and_least(each, rows) for each in aspects),
        columns=[
            Column("system", _("System")),
            *[Column(f"aspect_{each.aspect}", each.title, number_kind(each), True) for each in aspects],
        ],
        rows=rows,
        charts={"means-aspects": _("Dots are raw means of the labels' numbers, lines 95\u00a0% intervals.")},
        meta={"query": asked.query_of("others")},
        unit=aspects[0].unit if len({each.unit for each in aspects}) == 1 else None,
        speaks_for=speaks_for(asked),
        offers_others=True,
        are_wide=asked.others,
    )


def _on_aspect(asked: TableRequest, title: str, mean: RankedMean | None) -> MeanOnAspect:
    if mean is None:
        return MeanOnAspect(aspect=title, judgments=None)
    return MeanOnAspect(**vars(estimate_of(as_asked(asked, mean))), aspect=title, judgments=mean.judgments)


def _most_and_least(aspect: AspectHead, rows: list[AspectsRow]) -> str:
    values = [(row.means[aspect.aspect].value, row.system) for row in rows]
    given = sorted((value, system) for value, system in values if value is not None)
    if not given:
        return _("“{aspect}”: no system has a mean.").format(aspect=aspect.title)
    (low, least), (high, most) = given[0], given[-1]
    kind = number_kind(aspect)
    ends = {"low": number(low, kind), "high": number(high, kind)}
    if ends["low"] != ends["high"]:
        said = _("“{aspect}”: from {low} ({least}) to {high} ({most}).")
    else:
        said = _("“{aspect}”: {low} for all.") if len(given) > 1 else _("“{aspect}”: {low} for {least}.")
    return said.format(aspect=aspect.title, least=least, most=most, **ends)


RAW, RESCALED = gettext_noop("raw"), gettext_noop("rescaled")


def _side(rows: list[SystemRow]) -> str:
    return RESCALED if any(row.rescaled.value is not None for row in rows) else RAW


DRAWN = DRAWN_SYSTEMS.key
TABLES = {
    **drawn_tables.TABLES,
    "means-system": TableOf((MEAN_BY_SYSTEM.key, DRAWN), of_judged_ones_only(systems_table)),
    "ranks": TableOf((MEAN_BY_SYSTEM.key, SYSTEM_DIFFERENCES.key, DRAWN), of_judged_ones_only(ranks_table)),
    "differences": TableOf((SYSTEM_DIFFERENCES.key, DRAWN), of_judged_ones_only(differences_table)),
    "means-aspects": TableOf((DRAWN,), of_judged_ones_only(means_of_aspects_table, of_study=True), of_study=True),
}
