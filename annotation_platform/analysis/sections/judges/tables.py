"""All judging models side by side, and each kind of bias by judge and aspect; sentences follow from the intervals."""

from collections.abc import Callable
from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import TestedDifference
from annotation_platform.analysis.sections.judges import alternative
from annotation_platform.analysis.sections.judges.figures import JUDGES, Biases, Judge
from annotation_platform.analysis.sections.judges.kinds import KINDS, Kind
from annotation_platform.analysis.sections.judges.table_rows import BiasRow, JudgeRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.leading import highest, leads
from annotation_platform.analysis.tables.others import as_asked, speaks_for_both
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import in_a_row, number, some, with_commas
from annotation_platform.core.text import decimal

NOT_SHOWN = gettext_noop("That a bias is not significant does not show that there is none.")


PLACES = {"first": gettext_noop("first"), "last": gettext_noop("last")}


def judges_table(asked: TableRequest) -> FigureTable | None:
    """What each judge's labels are worth beside people's, what they cost, and how many are missing."""
    found = asked.section(JUDGES)
    if not found.judges:
        return None
    rows = [_judge(each) for each in found.judges]
    older = [_("{n:,} older runs are left out.").format(n=found.left_out)] if found.left_out else []
    return FigureTable(
        name="judges",
        title=_("Judges side by side"),
        reading=" ".join([judges_reading(rows, alike=found.alike), *older]),
        columns=[
            Column("judge", _("Judge")),
            Column("prompt", _("Prompt")),
            Column("same", _("Label of most people"), "share", True),
            Column("labels", _("Labels compared"), "count"),
            Column("aspects", _("Aspects"), "count"),
            Column("items", _("Items judged"), "count"),
            Column("failures", _("Not read"), "share"),
            Column("cost", _("US$ for 1,000 items"), "money"),
            Column("tokens", _("Tokens for 1,000 items"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
        charts={"judges": _("Dots are the share of labels that are those of most people, lines 95\u00a0% intervals.")}
        if len([row for row in rows if row.same.value is not None]) > 1
        else {},
    )


def _judge(judge: Judge) -> JudgeRow:
    unknown = (judge.failure_rate_unknown_because, judge.cost_unknown_because, judge.tokens_unknown_because)
    why = dict.fromkeys(filter(None, [judge.all_labels.why_not, *unknown]))
    return JudgeRow(
        judge=judge.name,
        prompt=_prompt(judge),
        labels=judge.all_labels.judgments,
        aspects=len(judge.aspects),
        items=judge.items,
        failures=judge.failure_rate,
        cost=judge.cost,
        tokens=None if judge.tokens is None else round(judge.tokens),
        same=estimate_of(judge.all_labels),
        remark=" ".join(map(why_in_language, why)),
    )


def _prompt(judge: Judge) -> str:
    asking = judge.run.asking
    how = [str(asking[key]) for key in ("format", "calling") if asking.get(key)]
    again = [_("{n} times").format(n=judge.run.repetitions)] if judge.run.repetitions > 1 else []
    return with_commas([*how, *again])


def judges_reading(rows: list[JudgeRow], *, alike: bool) -> str:
    """Who gives the label of most people most often, if all were asked the same; and what is cheapest."""
    known = [row for row in rows if row.same.value is not None]
    if not known:
        said = _("No judge's labels can be compared with people's. {why}")
        return said.format(why=why_in_language(rows[0].same.why))
    if len(known) == 1:
        row = known[0]
        shown = Column("same", "", "share", has_interval=True).show(row.cells)
        one = _("{judge} gives the label of most people in {share} of {n:,} labels")
        text = one.format(judge=row.judge, share=shown, n=row.labels)
    elif alike and len(known) == len(rows):
        best = highest(known, lambda row: row.same.value, "share")
        share, names = number(best[0].same.value, "share"), in_a_row(some([row.judge for row in best]))
        most = _("Of the same {n:,} labels most are those of most people for {names} ({share})")
        if not leads(best, known, lambda row: row.same):
            most = _(
                "Of the same {n:,} labels most are those of most people for {names} ({share}, not significantly ahead)"
            )
        text = most.format(n=known[0].labels, names=names, share=share)
    else:
        text = _("They were not asked for the same labels, so that their shares are not to be compared")
    return _("{words}; {bill}.").format(words=text, bill=_bill(rows))


def _bill(rows: list[JudgeRow]) -> str:
    if priced := sorted((row.cost, row.judge) for row in rows if row.cost is not None):
        each = [f"${cost:,.2f} ({judge})" for cost, judge in priced]
        return _("1,000 items cost {costs}").format(costs=in_a_row(some(each)))
    return ngettext("its cost is not known", "nobody knows what they cost", len(rows))


def _bias_table(kind: Kind) -> Callable[[TableRequest], FigureTable | None]:
    def table(asked: TableRequest) -> FigureTable | None:
        found = asked.section(JUDGES)
        titles = {each.aspect: each.title for each in asked.snapshot.head.aspects}
        rows = [
            row
            for key, title in titles.items()
            for judge in found.judges
            if key in judge.aspects
            for row in _rows(asked, kind, judge, title, judge.aspects[key])
        ]
        if not rows:
            return None
        table = bias_table(kind, rows)
        if not table.rows:
            return table
        return replace(
            table,
            meta={"query": asked.query_of("others")},
            speaks_for=speaks_for_both(asked),
            offers_others=True,
            are_wide=asked.others,
        )

    return table


def _rows(asked: TableRequest, kind: Kind, judge: Judge, title: str, biases: Biases) -> list[BiasRow]:
    return [
        bias_row(
            as_asked(asked, getattr(biases, name)),
            biases.span,
            judge=judge.name,
            aspect=f"{title}, {_(PLACES[place])}" if place else title,
            title=title,
            measured=place or biases.measured,
            own=in_a_row(some(list(judge.own_systems))),
        )
        for name, place in kind.figures.items()
    ]


def bias_row(figure: TestedDifference, span: float | None, **about: str) -> BiasRow:
    """``span``: the length of the scale, where a bias is a share of it."""
    return BiasRow(
        **about,
        p_holm=figure.p_holm,
        items=figure.items,
        units=figure.units,
        points=None if figure.value is None or span is None else figure.value * span,
        bias=estimate_of(figure),
        is_certain=is_certain(figure),
        is_tested=figure.p_value is not None,
        remark=figure.why_not,
    )


def bias_table(kind: Kind, rows: list[BiasRow]) -> FigureTable:
    """One kind of bias; where no figure is defined the sentence says why, and there are no rows."""
    defined = [row for row in rows if row.bias.value is not None]
    has_own = kind.name == "judge-family" and bool(defined)
    has_points = any(row.points is not None for row in rows)
    return FigureTable(
        name=kind.name,
        title=kind.heading,
        reading=bias_reading(kind, rows),
        columns=[
            Column("aspect", _("Aspect")),
            Column("judge", _("Judge")),
            *([Column("own", _("Its own family"))] if has_own else []),
            Column("bias", _("Bias"), "share", True),
            *([Column("points", _("In the scale's numbers"), "value")] if has_points else []),
            Column("p_holm", _("p, corrected"), "p"),
            Column("items", _("Compared"), "count"),
            Column("units", _("Units"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows if defined else [],
        charts={kind.name: _("Dots are {caption}; lines 95\u00a0% intervals.").format(caption=_(kind.caption))}
        if defined
        else {},
    )


def bias_reading(kind: Kind, rows: list[BiasRow]) -> str:
    """Which biases are certain by their interval and their corrected p, how large they are, and what they are."""
    defined = [row for row in rows if row.bias.value is not None]
    if not defined:
        return _("{bias} is not defined: {why}").format(bias=_(kind.title), why=_reasons(rows))
    means = _("The bias is {what}.").format(what=_(kind.means))
    sure = [row for row in defined if row.is_certain]
    said = [
        _claim(kind, judge, [row for row in sure if row.judge == judge])
        for judge in dict.fromkeys(row.judge for row in sure)
    ]
    if not sure:
        tested = [row for row in defined if row.is_tested]
        if not tested:
            why = why_in_language(defined[0].remark)
            return _("Nothing can be said for certain: {why} {means}").format(why=why, means=means)
        none = ngettext("The only figure is not significant.", "No figure of {n:,} is significant.", len(tested))
        said = [none.format(n=len(tested))]
    missed = [row for row in defined if not row.is_certain and row.is_beside_zero]
    said += _corrected_away(missed, are_more=bool(sure))
    return " ".join([*said, means, *([] if len(sure) == len(defined) else [_(NOT_SHOWN)])])


def _corrected_away(rows: list[BiasRow], *, are_more: bool) -> list[str]:
    """Why intervals that leave out 0 in the chart are not enough."""
    if not rows:
        return []
    if are_more:
        said = ngettext(
            "{n:,} more interval leaves out 0, but its p, corrected for all that was tested of the judge, is not below "
            "0.05.",
            "{n:,} more intervals leave out 0, but their p, corrected for all that was tested of the judge, is not "
            "below 0.05.",
            len(rows),
        )
    else:
        said = ngettext(
            "{n:,} interval leaves out 0, but its p, corrected for all that was tested of the judge, is not below "
            "0.05.",
            "{n:,} intervals leave out 0, but their p, corrected for all that was tested of the judge, is not below "
            "0.05.",
            len(rows),
        )
    return [said.format(n=len(rows))]


def _reasons(rows: list[BiasRow]) -> str:
    """Why nothing is defined; where aspects have reasons of their own, each with those that it holds for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(why_in_language(row.remark), []).append(_("“{title}”").format(title=row.title))
    if len(found) == 1:
        return next(iter(found))
    on = _("On {aspects}: {why}")
    return " ".join(
        on.format(aspects=in_a_row(some(list(dict.fromkeys(named)))), why=why) for why, named in found.items()
    )


def _claim(kind: Kind, judge: str, rows: list[BiasRow]) -> str:
    """What one judge significantly does, by what it does: “X rates kinder than these people do on …, and …”."""
    does: dict[str, list[str]] = {}
    for row in rows:
        above, below = kind.phrases[row.measured]
        bias = row.bias.value or 0.0
        where = _("“{aspect}” ({bias})").format(aspect=row.title, bias=signed(bias))
        does.setdefault(above if bias > 0 else below, []).append(where)
    on = _("{does} on {aspects}")
    parts = [on.format(does=_(what), aspects=in_a_row(some(where))) for what, where in does.items()]
    return _("{judge} {does}.").format(judge=judge, does=_("; it ").join(parts))


def signed(share: float) -> str:
    return f"{decimal(100 * share, 1, with_plus=True)}\u00a0%"


TABLES: dict[str, TableOf] = {
    "judges": TableOf((JUDGES.key,), judges_table, of_study=True),
    alternative.NAME: TableOf((JUDGES.key,), alternative.alternative_table, of_study=True),
} | {kind.name: TableOf((JUDGES.key,), _bias_table(kind), of_study=True) for kind in KINDS}
