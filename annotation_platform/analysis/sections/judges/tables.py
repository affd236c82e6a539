"""All judging models side by side, and each kind of bias by judge and aspect; sentences follow from the intervals."""

from collections.abc import Callable
from typing import NamedTuple

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import TestedDifference
from annotation_platform.analysis.sections.judges.figures import JUDGES, Biases, Judge
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    highest,
    in_a_row,
    not_significantly,
    number,
    sided,
    some,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.text import decimal

NOT_SHOWN = "That a bias is not significant does not show that there is none."


class Kind(NamedTuple):
    """A kind of bias: which figures of an aspect it is, by what it is told apart; and what a judge does that has it,
    by what is measured: above 0, and below."""

    name: str
    title: str
    figures: dict[str, str]  # the figure's name -> which place it is about, if any
    phrases: dict[str, tuple[str, str]]
    means: str
    caption: str
    known_as: str = ""  # in the literature

    @property
    def heading(self) -> str:
        return f"{self.title} ({self.known_as})" if self.known_as else self.title


KINDS = (
    Kind(
        "judge-leniency",
        "Leniency",
        {"leniency": ""},
        {
            "worth": ("rates more kindly than these people do", "rates more strictly than these people do"),
            "number": ("gives higher numbers than these people do", "gives lower numbers than these people do"),
        },
        "the judge's mean less these people's, on the items that both judged, in per cent of the scale's length",
        "the judge's mean minus people's, as a share of the scale's length",
    ),
    Kind(
        "judge-place",
        "Place",
        {"first": "first", "last": "last"},
        {
            "first": (
                "chooses what it is shown first more often than these people do",
                "chooses what it is shown first less often than these people do",
            ),
            "last": (
                "chooses what it is shown last more often than these people do",
                "chooses what it is shown last less often than these people do",
            ),
        },
        "how much more often the judge chooses what stands first (or last) before it than these people choose the same",
        "how much more often the judge chooses what it is shown first (or last) than people choose the same",
        "position bias",
    ),
    Kind(
        "judge-length",
        "Length",
        {"length": ""},
        {
            "worth": (
                "is kinder than these people to longer answers",
                "is stricter than these people with longer answers",
            ),
            "number": (
                "gives longer answers higher numbers than these people do",
                "gives longer answers lower numbers than these people do",
            ),
            "choice": (
                "chooses longer answers more often than these people do",
                "chooses longer answers less often than these people do",
            ),
        },
        "how much the judge's judgment less these people's rises where an answer is twice as long",
        "how much the judge's judgment minus people's rises for an answer twice as long",
        "verbosity bias",
    ),
    Kind(
        "judge-family",
        "Own family",
        {"own_family": ""},
        {
            "worth": (
                "is kinder to its own family, beside the others, than these people are",
                "is stricter with its own family, beside the others, than these people are",
            ),
            "number": (
                "gives its own family, beside the others, higher numbers than these people do",
                "gives its own family, beside the others, lower numbers than these people do",
            ),
            "choice": (
                "chooses answers of its own family, beside the others, more often than these people do",
                "chooses answers of its own family, beside the others, less often than these people do",
            ),
        },
        "the judge's judgment less these people's, of answers by systems of its own family minus the others'",
        "the judge's judgment minus people's, of its own family's answers minus the others'",
        "self-preference",
    ),
    Kind(
        "judge-language",
        "Japanese against English",
        {"japanese": ""},
        {
            "worth": (
                "is kinder to Japanese, beside English, than these people are",
                "is stricter with Japanese, beside English, than these people are",
            ),
            "number": (
                "gives Japanese, beside English, higher numbers than these people do",
                "gives Japanese, beside English, lower numbers than these people do",
            ),
        },
        "the judge's judgment less these people's, of what is in Japanese minus what is in Latin letters",
        "the judge's judgment minus people's, of what is in Japanese minus what is in Latin letters",
    ),
)


def judges_table(asked: TableRequest) -> FigureTable | None:
    """What each judge's labels are worth beside people's, what they cost, and how many are missing."""
    found = asked.section(JUDGES)
    if not found.judges:
        return None
    rows = [_judge(each) for each in found.judges]
    older = f" {found.left_out:,} older runs are left out." if found.left_out else ""
    return FigureTable(
        name="judges",
        title="Judges side by side",
        reading=f"{judges_reading(rows, alike=found.alike)}{older}",
        columns=[
            Column("judge", "Judge"),
            Column("prompt", "Prompt"),
            Column("same", "Label of most people", "share", True),
            Column("labels", "Labels compared", "count"),
            Column("aspects", "Aspects", "count"),
            Column("items", "Items judged", "count"),
            Column("failures", "Not read", "share"),
            Column("cost", "US$ for 1,000 items", "money"),
            Column("tokens", "Tokens for 1,000 items", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows,
        charts={"judges": "Dots are the share of labels that are those of most people, lines 95\u00a0% intervals."}
        if len([row for row in rows if row["same"] is not None]) > 1
        else {},
    )


def _judge(judge: Judge) -> Row:
    return (
        {"judge": judge.name, "prompt": _prompt(judge), "labels": judge.all_labels.judgments}
        | {"aspects": len(judge.aspects), "items": judge.items, "failures": judge.failure_rate, "cost": judge.cost}
        | {"tokens": None if judge.tokens is None else round(judge.tokens)}
        | sided("same", judge.all_labels)
        | {"remark": " ".join(filter(None, [judge.all_labels.why_not, judge.cost_unknown_because]))}
    )


def _prompt(judge: Judge) -> str:
    asking = judge.run.asking
    how = [str(asking[key]) for key in ("format", "calling") if asking.get(key)]
    return ", ".join([*how, *([f"{judge.run.repetitions} times"] if judge.run.repetitions > 1 else [])])


def judges_reading(rows: list[Row], *, alike: bool) -> str:
    """Who gives the label of most people most often, if all were asked the same; and what is cheapest."""
    known = [row for row in rows if row["same"] is not None]
    if not known:
        return f"No judge's labels can be compared with people's. {rows[0]['same_why']}"
    if len(known) == 1:
        row = known[0]
        shown = Column("same", "", "share", has_interval=True).show(row)
        text = f"{row['judge']} gives the label of most people in {shown} of {row['labels']:,} labels"
    elif alike and len(known) == len(rows):
        best = highest(known, "same", "share")
        share, names = number(best[0]["same"], "share"), in_a_row(some([row["judge"] for row in best]))
        text = (
            f"Of the same {known[0]['labels']:,} labels most are those of most people for {names} "
            f"({share}{not_significantly(best, known, 'same')})"
        )
    else:
        text = "They were not asked for the same labels, so that their shares are not to be compared"
    priced = [row for row in rows if row["cost"] is not None]
    bill = "; nobody knows what they cost" if len(rows) > 1 else "; its cost is not known"
    if priced:
        each = [f"${row['cost']:,.2f} ({row['judge']})" for row in sorted(priced, key=lambda row: row["cost"])]
        bill = f"; 1,000 items cost {in_a_row(some(each))}"
    return f"{text}{bill}."


def _bias_table(kind: Kind) -> Callable[[TableRequest], FigureTable | None]:
    def table(asked: TableRequest) -> FigureTable | None:
        found = asked.section(JUDGES)
        titles = {each.aspect: each.title for each in asked.snapshot.head.aspects}
        rows = [
            row
            for key, title in titles.items()
            for judge in found.judges
            if key in judge.aspects
            for row in _rows(kind, judge, title, judge.aspects[key])
        ]
        return bias_table(kind, rows) if rows else None

    return table


def _rows(kind: Kind, judge: Judge, title: str, biases: Biases) -> list[Row]:
    return [
        {"judge": judge.name, "aspect": f"{title}, {place}" if place else title, "title": title}
        | {"measured": place or biases.measured}
        | {"own": in_a_row(some(list(judge.own_systems)))}
        | _figure(getattr(biases, name), biases.span)
        for name, place in kind.figures.items()
    ]


def _figure(figure: TestedDifference, span: float | None) -> Row:
    points = None if figure.value is None or span is None else figure.value * span
    return (
        {"p_holm": figure.p_holm, "items": figure.items, "units": figure.units, "points": points}
        | sided("bias", figure)
        | {"is_certain": is_certain(figure), "is_tested": figure.p_value is not None, "remark": figure.why_not}
    )


def bias_table(kind: Kind, rows: list[Row]) -> FigureTable:
    """One kind of bias; where no figure is defined the sentence says why, and there are no rows."""
    defined = [row for row in rows if row["bias"] is not None]
    has_own = kind.name == "judge-family" and bool(defined)
    has_points = any(row["points"] is not None for row in rows)
    return FigureTable(
        name=kind.name,
        title=kind.heading,
        reading=bias_reading(kind, rows),
        columns=[
            Column("aspect", "Aspect"),
            Column("judge", "Judge"),
            *([Column("own", "Its own family")] if has_own else []),
            Column("bias", "Bias", "share", True),
            *([Column("points", "In the scale's numbers", "value")] if has_points else []),
            Column("p_holm", "p, corrected", "p"),
            Column("items", "Compared", "count"),
            Column("units", "Units", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows if defined else [],
        charts={kind.name: f"Dots are {kind.caption}; lines 95\u00a0% intervals."} if defined else {},
    )


def bias_reading(kind: Kind, rows: list[Row]) -> str:
    """Which biases are certain by their interval and their corrected p, how large they are, and what they are."""
    defined = [row for row in rows if row["bias"] is not None]
    if not defined:
        return f"{kind.title} is not defined: {_reasons(rows)}"
    means = f"The bias is {kind.means}."
    sure = [row for row in defined if row["is_certain"]]
    said = [_claim(kind, judge, [row for row in sure if row["judge"] == judge]) for judge in _in_order(sure, "judge")]
    if not sure:
        tested = [row for row in defined if row["is_tested"]]
        if not tested:
            return f"Nothing can be said for certain: {defined[0]['remark']} {means}"
        none = f"No figure of {len(tested):,} is" if len(tested) > 1 else "The only figure is not"
        said = [f"{none} significant."]
    missed = [row for row in defined if not row["is_certain"] and is_beside_zero(row)]
    said += _corrected_away(missed, are_more=bool(sure))
    return f"{' '.join(said)} {means}{'' if len(sure) == len(defined) else f' {NOT_SHOWN}'}"


def is_beside_zero(row: Row) -> bool:
    """Whether an interval lies on one side of 0, as a chart shows it."""
    return row["bias_low"] is not None and (row["bias_low"] > 0 or row["bias_high"] < 0)


def _corrected_away(rows: list[Row], *, are_more: bool) -> list[str]:
    """Why intervals that leave out 0 in the chart are not enough."""
    if not rows:
        return []
    n, more = f"{len(rows):,}", " more" if are_more else ""
    leave, their = ("interval leaves", "its") if len(rows) == 1 else ("intervals leave", "their")
    return [
        f"{n}{more} {leave} out 0, but {their} p, corrected for all that was tested of the judge, is not below 0.05."
    ]


def _reasons(rows: list[Row]) -> str:
    """Why nothing is defined; where aspects have reasons of their own, each with those that it holds for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["remark"], []).append(f"“{row['title']}”")
    if len(found) == 1:
        return next(iter(found))
    return " ".join(f"On {in_a_row(some(list(dict.fromkeys(named))))}: {why}" for why, named in found.items())


def _claim(kind: Kind, judge: str, rows: list[Row]) -> str:
    """What one judge significantly does, by what it does: “X rates kinder than these people do on …, and …”."""
    does: dict[str, list[str]] = {}
    for row in rows:
        above, below = kind.phrases[row["measured"]]
        does.setdefault(above if row["bias"] > 0 else below, []).append(f"“{row['title']}” ({signed(row['bias'])})")
    parts = [f"{what} on {in_a_row(some(where))}" for what, where in does.items()]
    return f"{judge} {'; it '.join(parts)}."


def signed(share: float) -> str:
    return f"{decimal(100 * share, 1, with_plus=True)}\u00a0%"


def _in_order(rows: list[Row], key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in rows))


TABLES: dict[str, TableOf] = {"judges": TableOf((JUDGES.key,), judges_table)} | {
    kind.name: TableOf((JUDGES.key,), _bias_table(kind)) for kind in KINDS
}
