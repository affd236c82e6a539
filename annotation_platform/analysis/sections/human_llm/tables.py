"""People and a language model: in a rater's place, beside raters, and against their majority."""

from typing import Any

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.sections.human_llm import alternative
from annotation_platform.analysis.sections.human_llm.figures import HUMAN_LLM, JudgedAspect, Replacement
from annotation_platform.analysis.sections.mate import tables as mate
from annotation_platform.analysis.sections.mate.figures import Composite
from annotation_platform.analysis.sections.number_of_raters.figures import NUMBER_OF_RATERS
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    highest,
    in_a_row,
    number,
    sided,
    sign,
    some,
    with_interval,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.text import ONE_GROUP

NO_LABEL = "no label"


def titles(asked: TableRequest) -> dict[str, str]:
    return {each.aspect: each.title for each in asked.snapshot.head.aspects}


def judged(asked: TableRequest) -> list[tuple[str, JudgedAspect]]:
    """(title, figures) of the aspects that the model gave labels on, in the order of the snapshot."""
    found = asked.section(HUMAN_LLM).aspects
    return [(title, found[key]) for key, title in titles(asked).items() if key in found]


def replacement_table(asked: TableRequest) -> FigureTable | None:
    """α among people, and with the model in the place of a random one of them (ACORN, figure 3)."""
    aspects = judged(asked)
    if not aspects:
        return None
    rows = [_replacement(title, figures.replacement) | {"level": figures.level} for title, figures in aspects]
    return FigureTable(
        name="llm-replacement",
        title="In a rater's place",
        reading=_replacement_reading(rows),
        columns=[
            Column("aspect", "Aspect"),
            Column("level", "Level"),
            Column("raters", "α of people", "value", True),
            Column("expected", "α with the model", "value", True),
            Column("change", "Change", "value", True),
            Column("p_value", "p", "p"),
            Column("mean_of_draws", "Mean of 20 draws", "value"),
            Column("items", "Items", "count"),
            Column("judgments", "Judgments", "count"),
            Column("without_label", "Items without a label", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"llm-replacement": "Dots are Krippendorff's α, lines 95\u00a0% intervals; light ticks: the 20 draws."}
        if any(row["raters"] is not None for row in rows)
        else {},
    )


def alignment_table(asked: TableRequest) -> FigureTable | None:
    """The model against the majority of people: rank correlation (ACORN, figure 4) and share of equal labels."""
    aspects = judged(asked)
    if not aspects:
        return None
    rows = [
        {"aspect": title, "items": figures.accuracy.items, "failures": figures.failures}
        | {"undecided": figures.undecided, "judgments": figures.accuracy.items}
        | sided("rho", figures.spearman)
        | sided("accuracy", figures.accuracy)
        | {"remark": figures.spearman.remark or figures.spearman.why_not}
        | {"has_order": not figures.spearman.remark}
        for title, figures in aspects
    ]
    return FigureTable(
        name="llm-alignment",
        title="Against the majority",
        reading=_alignment_reading(rows),
        columns=[
            Column("aspect", "Aspect"),
            Column("rho", "Spearman's ρ", "value", True),
            Column("accuracy", "Same label", "share", True),
            Column("items", "Items", "count"),
            Column("failures", "No label read", "count"),
            Column("undecided", "Ties left out", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows,
        charts={
            "llm-alignment": "Dots are Spearman's ρ of the model's labels with people's majority, lines 95\u00a0% "
            "intervals.",
            "llm-alignment-share": "Dots are the share of items with the majority's label, lines 95\u00a0% intervals.",
        },
    )


def additional_table(asked: TableRequest) -> FigureTable | None:
    """k people with and without the model, over all aspects with an order (ACORN, figure 5)."""
    section = asked.section(NUMBER_OF_RATERS)
    if not (found := section.over_aspects):
        return None
    left_out = [titles(asked)[key] for key in section.left_out]
    rows: list[Row] = [
        {"raters": each.raters, "helps": each.helps, "harms": each.harms, "aspects": each.aspects}
        | {"items": each.with_model.items}
        | sided("alone", each.alone)
        | sided("with_model", each.with_model)
        | sided("change", each.change)
        | {"is_certain": is_certain(each.change)}
        for each in found
    ]
    return FigureTable(
        name="llm-additional",
        title="As one more rater",
        reading=f"{_additional_reading(rows)}{_left_out(left_out)}",
        columns=[
            Column("raters", "People", "count"),
            Column("alone", "ρ of their vote", "value", True),
            Column("with_model", "ρ with the model's vote too", "value", True),
            Column("change", "Change", "value", True),
            Column("helps", "Aspects where it significantly helps", "count"),
            Column("harms", "Aspects where it significantly harms", "count"),
            Column("aspects", "Aspects", "count"),
            Column("items", "Items", "count"),
        ],
        rows=rows,
        charts={
            "llm-additional": "Dots are Spearman's ρ with the vote of all people, their own among them; the mean over "
            "aspects that have an order, the same ones at every number of people, lines 95\u00a0% intervals. Each "
            "aspect is on the page Number of raters."
        },
    )


def confusion_table(asked: TableRequest) -> FigureTable | None:
    """Which label the model gave where people's majority gave which, on one aspect."""
    figures = asked.section(HUMAN_LLM).aspects.get(asked.aspect)
    if not figures or not figures.confusion:
        return None
    labels = {label.key: label.label for label in asked.head.labels} | {"": NO_LABEL}
    total: dict[str, int] = {}
    for cell in figures.confusion:
        total[cell.majority] = total.get(cell.majority, 0) + cell.count
    rows = [
        {"majority": labels[cell.majority], "model": labels[cell.model], "count": cell.count}
        | {"of": total[cell.majority], "is_same": cell.majority == cell.model}
        | with_interval("share", cell.count / total[cell.majority], cell.interval, ONE_GROUP, units=cell.units)
        for cell in figures.confusion
    ]
    return FigureTable(
        name="llm-confusion",
        title="Where they differ",
        reading=_confusion_reading(rows),
        columns=[
            Column("majority", "People's majority"),
            Column("model", "The model"),
            Column("count", "Items", "count"),
            Column("share", "Of that majority", "share", True),
            Column("of", "Items with that majority", "count"),
        ],
        rows=rows,
        charts={
            "llm-confusion": "Each row is a label of people's majority; the stronger the colour, the larger a share "
            "of it. In a frame: the same label. All labels of the scale are shown, also those never given."
        },
        meta={"query": f"?aspect={asked.aspect}", "labels": [label.label for label in asked.head.labels]},
    )


def preference_table(asked: TableRequest) -> FigureTable | None:
    """How many items have how many people agreeing on the best candidate."""
    rows = [
        {"aspect": titles(asked).get(key, key), "agreeing": int(size), "items": items}
        for key, sizes in asked.section(HUMAN_LLM).unanimity.items()
        for size, items in sizes.items()
    ]
    if not rows:
        return None
    return FigureTable(
        name="preference",
        title="Do people prefer the same one?",
        reading=_preference_reading(rows),
        columns=[
            Column("aspect", "Aspect"),
            Column("agreeing", "People who agree", "count"),
            Column("items", "Items", "count"),
        ],
        rows=rows,
    )


def _preference_reading(rows: list[Row]) -> str:
    """For each aspect, on how many items the most people agree that agree anywhere."""
    by_aspect: dict[str, list[Row]] = {}
    for row in rows:
        by_aspect.setdefault(row["aspect"], []).append(row)
    said = []
    for title, own in by_aspect.items():
        most, total = max(row["agreeing"] for row in own), sum(row["items"] for row in own)
        agreed = sum(row["items"] for row in own if row["agreeing"] == most)
        text = f"On {agreed:,} of {total:,} items {most} people prefer the same candidate."
        if most < 2:
            text = f"On none of {total:,} items do two people prefer the same candidate."
        said.append(f"“{title}”: {text[0].lower()}{text[1:]}" if len(by_aspect) > 1 else text)
    return " ".join(said)


def _replacement(title: str, figures: Replacement) -> Row:
    if figures.raters is None or figures.expected is None or figures.change is None:
        blank: dict[str, Any] = dict.fromkeys(("p_value", "mean_of_draws", "items", "judgments", "without_label"))
        blank |= sided("raters", None) | sided("expected", None) | sided("change", None)
        return {"aspect": title, **blank, "draws": [], "undefined_because": figures.undefined_because}
    return (
        {"aspect": title, "p_value": figures.change.p_value, "mean_of_draws": figures.mean_of_draws}
        | {"draws": figures.draws, "without_label": figures.without_label}
        | {"items": figures.raters.items, "judgments": figures.raters.judgments}
        | sided("raters", figures.raters)
        | sided("expected", figures.expected)
        | sided("change", figures.change)
        | {"undefined_because": figures.raters.why_not or figures.expected.why_not}
    )


def _replacement_reading(rows: list[Row]) -> str:
    sure = [row for row in rows if row["change_low"] is not None]
    lower = [row["aspect"] for row in sure if row["change_high"] < 0]
    higher = [row["aspect"] for row in sure if row["change_low"] > 0]
    parts = []
    if lower:
        parts.append(f"agreement significantly falls on {_named(lower)}")
    if higher:
        parts.append(f"agreement significantly rises on {_named(higher)}")
    rest = len(sure) - len(lower) - len(higher)
    if rest:
        parts.append(f"on {rest} aspect{'' if rest == 1 else 's'} no significant change is seen")
    return f"With the model in a random person's place, {'; '.join(parts) or 'nothing can be said'}."


def _alignment_reading(rows: list[Row]) -> str:
    known = [row for row in rows if row["rho"] is not None and row["has_order"]]
    text = "No correlation with the majority is defined for labels with an order"
    if len(known) == 1:
        only = f", on “{known[0]['aspect']}”, the only one of {len(rows)} aspects for which it is defined"
        text = f"{_follows(known[0])}{only if len(rows) > 1 else ''}"
    elif known:
        text = _follows_on_several(known, len(rows))
    failures = sum(row["failures"] for row in rows)
    such = f"there {'is' if failures == 1 else 'are'} {failures:,} of them" if failures else "there are none"
    return f"{text}. A reply without a label counts as wrong; {such}."


def _follows(row: Row) -> str:
    """Whether the model's labels go with people's majority on one aspect, by the interval of ρ."""
    rho = Column("rho", "", "value", has_interval=True).show(row)
    if row["rho_low"] is None:
        return f"ρ of the model's labels with people's majority is {rho} without an interval"
    if row["rho_low"] > 0:
        return f"The model's labels follow people's majority, ρ {rho}"
    if row["rho_high"] < 0:
        return f"The model's labels run against people's majority, ρ {rho}"
    return f"It is not certain that the model's labels follow people's majority, ρ {rho}"


def _follows_on_several(known: list[Row], of: int) -> str:
    follows = sum(row["rho_low"] is not None and row["rho_low"] > 0 for row in known)
    best, worst = (pick(known, key=lambda row: row["rho"]) for pick in (max, min))
    mean = sum(row["rho"] for row in known) / len(known)
    text = f"The model's labels significantly follow people's majority on {follows} of {len(known)} aspects (of {of})"
    text += f" that have an order and a defined ρ; ρ is {number(mean, 'value')} on average"
    if best["rho"] == worst["rho"]:
        return f"{text} and the same on each"
    low, high = number(worst["rho"], "value"), number(best["rho"], "value")
    return f"{text}, from {low} on “{worst['aspect']}” to {high} on “{best['aspect']}”"


def _additional_reading(rows: list[Row]) -> str:
    if not rows:
        return "No aspect has an order."
    said: dict[str, list[str]] = {}
    for row in rows:
        if row["change"] is None:
            continue
        way = "raises" if row["change"] > 0 else "lowers"
        how = f"significantly {way} ρ" if row["is_certain"] else "makes no significant difference"
        who = "1 person" if row["raters"] == 1 else f"{row['raters']} people"
        said.setdefault(how, []).append(f"{who} ({sign(row['change'])})")
    if not said:
        return "What the model's vote adds is not defined."
    parts = [f"{how} beside the vote of {in_a_row(people)}" for how, people in said.items()]
    n = rows[0]["aspects"]
    over = "On the only aspect" if n == 1 else f"On average over the same {n} aspects"
    return f"{over} with an order, the model's vote {', and '.join(parts)}."


def _left_out(titles: list[str]) -> str:
    if not titles:
        return ""
    return f" Left out, since other numbers of people judged them or their ρ is not defined: {_named(titles)}."


def _confusion_reading(rows: list[Row]) -> str:
    total, same = sum(row["count"] for row in rows), sum(row["count"] for row in rows if row["is_same"])
    text = f"The model gives the majority's label on {same:,} of {total:,} items"
    if wrong := [row for row in rows if not row["is_same"]]:
        most = highest(wrong, "count", "count")
        parts = [f"“{row['model']}” where people say “{row['majority']}”" for row in most]
        text += f"; of the others it most often says {in_a_row(some(parts))} ({most[0]['count']:,}"
        text += " each)" if len(most) > 1 else ")"
    return f"{text}."


def _named(names: list[str]) -> str:
    return in_a_row([f"“{name}”" for name in names])


def _composites(asked: TableRequest) -> list[Composite]:
    return list(asked.section(HUMAN_LLM).composites.values())


TABLES = {
    "llm-replacement": TableOf((HUMAN_LLM.key,), replacement_table),
    "llm-alternative": TableOf(
        (HUMAN_LLM.key,),
        lambda asked: alternative.aspects_table([(title, each.alternative) for title, each in judged(asked)]),
    ),
    "llm-alternative-people": TableOf((HUMAN_LLM.key,), alternative.people_table),
    "llm-alignment": TableOf((HUMAN_LLM.key,), alignment_table),
    "llm-additional": TableOf((NUMBER_OF_RATERS.key, HUMAN_LLM.key), additional_table),
    "llm-confusion": TableOf((HUMAN_LLM.key,), confusion_table),
    "preference": TableOf((HUMAN_LLM.key,), preference_table),
    "mate-correlations": TableOf((HUMAN_LLM.key,), lambda asked: mate.correlations_table(_composites(asked))),
    "mate-systems": TableOf((HUMAN_LLM.key,), lambda asked: mate.systems_table(_composites(asked))),
    "mate-weights": TableOf((HUMAN_LLM.key,), lambda asked: mate.weights_table(_composites(asked))),
    "mate-bias": TableOf((HUMAN_LLM.key,), lambda asked: mate.bias_table(_composites(asked))),
}
