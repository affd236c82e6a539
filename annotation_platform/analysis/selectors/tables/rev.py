"""A REV run: rationales by where they come from, the steps between kinds, and people's side."""

from annotation_platform.analysis.selectors.tables.asked import Asked
from annotation_platform.analysis.selectors.tables.base import Column, FigureTable, Row, number, sided, sign


def section_of(asked: Asked) -> Row | None:
    """The run's figures; None where they are undefined."""
    found: Row = asked.figures["rev"]
    return None if found["undefined_because"] else found


def kinds_table(asked: Asked) -> FigureTable | None:
    """REV, LAS and RQ of each kind of rationale, beside people's score."""
    if (found := section_of(asked)) is None:
        return None
    rows = [_kind(each["kind"], each["rationales"], each["rev"], each) for each in found["kinds"]]
    rows.append(_kind("all", found["rationales"], found["overall"], found["overall"]))
    has_people = any(row.get("people") is not None for row in rows)
    return FigureTable(
        name="rev",
        title="New information by kind of rationale",
        reading="Mean REV, from the highest: "
        + ", ".join(f"{row['kind']} {sign(row['rev'])}{_around_zero(row)}" for row in rows[:-1])
        + ". Above 0 a rationale adds information that supports its answer, about 0 it only restates, below 0 it "
        "speaks for something else.",
        columns=[
            Column("kind", "Rationales by"),
            Column("rationales", "Rationales", "count"),
            Column("rev", "REV (nats)", "value", True),
            Column("above_zero", "Above 0", "share"),
            *(
                [Column("people", "People, −1 … 3", "value", True), Column("justified", "Justify the answer", "share")]
                if has_people
                else []
            ),
            Column("las", "LAS", "value", True),
            Column("rq", "RQ", "value", True),
            Column("remark", "Remark"),
        ],
        rows=rows,
        charts={"rev": "Dots are mean REV, lines 95\u00a0% intervals; dashed: nothing new."},
    )


def steps_table(asked: Asked) -> FigureTable | None:
    """Each kind minus the next, question by question."""
    if (found := section_of(asked)) is None or not found["steps"]:
        return None
    rows = [
        {
            "step": " − ".join(each["kinds"]),
            "questions": each["items"],
            "p_value": each["p_value"],
            "p_holm": each["p_holm"],
            "remark": each["undefined_because"] or "",
        }
        | sided("difference", each)
        for each in found["steps"]
    ]
    sure = [row["step"] for row in rows if row["difference_low"] is not None and row["difference_low"] > 0]
    return FigureTable(
        name="rev-steps",
        title="Steps between kinds",
        reading=f"Sure steps, whose interval is above 0: {', '.join(sure)}." if sure else "No step is sure.",
        columns=[
            Column("step", "Step"),
            Column("difference", "Difference of REV", "value", True),
            Column("p_value", "p", "p"),
            Column("p_holm", "p, Holm", "p"),
            Column("questions", "Questions", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows,
    )


def people_table(asked: Asked) -> FigureTable | None:
    """REV of each rationale beside people's score of it."""
    if (found := section_of(asked)) is None or not found["points"]:
        return None
    rho = found["with_people"]
    return FigureTable(
        name="rev-people",
        title="Beside people",
        reading=_beside_people(rho),
        columns=[
            Column("kind", "Rationale by"),
            Column("rev", "REV (nats)", "value"),
            Column("people", "People", "value"),
        ],
        rows=found["points"],
        charts={"rev-people": "A dot is a rationale: people's score from −1 (does not justify) to 3, and its REV."},
    )


def _beside_people(rho: Row) -> str:
    if rho["value"] is None:
        return f"No correlation: {rho['undefined_because']}"
    interval = f" [{', '.join(number(end, 'value') for end in rho['interval'])}]" if rho["interval"] else ""
    return (
        f"Over {rho['items']:,} rationales that people judged, Spearman's ρ between REV and people's score is "
        f"{number(rho['value'], 'value')}{interval}."
    )


def _kind(kind: str, rationales: int, rev: Row, beside: Row) -> Row:
    las, rq = beside["las"], beside["rq"]
    reasons = [f"LAS: {las['undefined_because']}", f"RQ: {rq['undefined_because']}"]
    return (
        {"kind": kind, "rationales": rationales, "questions": rev["items"], "above_zero": beside.get("above_zero")}
        | sided("rev", rev)
        | sided("people", beside.get("people"))
        | {"justified": beside.get("justified")}
        | sided("las", las)
        | sided("rq", rq)
        | {"remark": " ".join(text for text, each in zip(reasons, (las, rq), strict=True) if each["value"] is None)}
    )


def _around_zero(row: Row) -> str:
    if row["rev_low"] is None or row["rev_low"] > 0 or row["rev_high"] < 0:
        return ""
    return " (its interval holds 0)"
