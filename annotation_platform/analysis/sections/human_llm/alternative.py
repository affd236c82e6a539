"""May the model stand in for a person? Tables of the alternative annotator test."""

from annotation_platform.analysis.sections.human_llm.figures import HUMAN_LLM, Alternative
from annotation_platform.analysis.tables.base import Column, FigureTable, Row, in_a_row, sided
from annotation_platform.analysis.tables.request import TableRequest

WHO = {0.2: "experts", 0.15: "skilled annotators", 0.1: "a crowd"}
SURE_BELOW, PASSED = 0.05, 0.5
WHAT_IT_SAYS = (
    "To pass is to be significantly less than ε behind at least half of the people, each measured by how often they "
    "agree with the others at least as well as the model does. It does not say that the model is right, nor that it "
    "may stand in for all of them at once."
)


def aspects_table(titled: list[tuple[str, Alternative]]) -> FigureTable | None:
    """For every aspect the advantage, and the winning rate where people are experts, skilled or a crowd."""
    every = [_aspect(title, figures) for title, figures in titled]
    if not every:
        return None
    rows = [row for row in every if row["advantage"] is not None]  # the sentence says it of the others
    return FigureTable(
        name="llm-alternative",
        title="Instead of a person",
        reading=reading(every),
        columns=[
            Column("aspect", "Aspect"),
            Column("advantage", "Advantage ρ", "share", True),
            *(Column(rate_key(epsilon), f"ω for {who}, ε {epsilon}", "share") for epsilon, who in WHO.items()),
            Column("people", "People tested", "count"),
            Column("items", "Items", "count"),
            Column("judgments", "Judgments", "count"),
        ],
        rows=rows,
        charts={
            "llm-alternative": "Dots are the share of judgments in which the model agrees with the other people at "
            "least as well as the person left out, the mean over people; lines 95\u00a0% intervals."
        }
        if rows
        else {},
    )


def people_table(asked: TableRequest) -> FigureTable | None:
    """Each person against the model on one aspect."""
    figures = asked.section(HUMAN_LLM).aspects.get(asked.aspect)
    if not figures or not figures.alternative.people:
        return None
    rows: list[Row] = [
        {"annotator": each.annotator, "person": each.person, "model": each.model, "items": each.lead.items}
        | {p_key(float(epsilon)): p for epsilon, p in each.p_values.items()}
        | sided("lead", each.lead)
        | {"remark": "" if each.is_tested else "not tested"}
        for each in figures.alternative.people
    ]
    return FigureTable(
        name="llm-alternative-people",
        title="Person by person",
        reading=people_reading(rows),
        columns=[
            Column("annotator", "Left out"),
            Column("person", "Agrees with the others at least as well: the person", "share"),
            Column("model", "the model", "share"),
            Column("lead", "Lead of the person", "value", True),
            *(Column(p_key(epsilon), f"p, ε {epsilon}", "p") for epsilon in WHO),
            Column("items", "Items", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows,
    )


def rate_key(epsilon: float) -> str:
    return f"winning_rate_{epsilon}"


def p_key(epsilon: float) -> str:
    return f"p_value_{epsilon}"


def _aspect(title: str, figures: Alternative) -> Row:
    return (
        {"aspect": title, "people": figures.advantage.annotators, "items": figures.advantage.items}
        | {"judgments": figures.advantage.judgments, "remark": figures.advantage.why_not}
        | sided("advantage", figures.advantage)
        | {rate_key(rate.epsilon): rate.value for rate in figures.winning_rates}
    )


def reading(rows: list[Row]) -> str:
    """On how many aspects the model passes, for each kind of people, and what that means."""
    tested = [row for row in rows if row["advantage"] is not None]
    if not tested:
        return f"The model cannot be tested against single people. {rows[0]['remark']}"
    one = len(tested) == 1
    said: dict[str, list[str]] = {}
    for epsilon, who in WHO.items():
        passed = sum(row[rate_key(epsilon)] >= PASSED for row in tested)
        how = ("passes" if passed else "does not pass") if one else f"passes on {passed} of {len(tested)} aspects"
        said.setdefault(how, []).append(f"{who} (ε {epsilon})")
    of = f" on “{tested[0]['aspect']}”, the only one of {len(rows)} aspects that could be tested," if one else ""
    of = "" if len(rows) == 1 else of
    untested = [f"“{row['aspect']}”" for row in rows if row["advantage"] is None]
    left = f" Not tested, for too few items or people: {in_a_row(untested)}." if untested and not one else ""
    parts = [f"{how} where people are {in_a_row(who)}" for how, who in said.items()]
    return f"In the alternative annotator test the model{of} {', and '.join(parts)}.{left} {WHAT_IT_SAYS}"


def people_reading(rows: list[Row]) -> str:
    """Against how many people the model wins at each ε."""
    tested = [row for row in rows if row[p_key(min(WHO))] is not None]
    if not tested:
        return "Nobody could be tested: the test needs three people with 30 items each that others judged, too."
    parts = [f"{sum(row[p_key(epsilon)] <= SURE_BELOW for row in tested)} at ε {epsilon}" for epsilon in WHO]
    n = len(tested)
    return f"Of {n} people who could be tested, the model is significantly less than ε behind {in_a_row(parts)}."
