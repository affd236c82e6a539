"""An answer-equivalence run beside people: every way of judging, by system, by probability and by rule."""

from annotation_platform.analysis.measuring.certainty import unit_called
from annotation_platform.analysis.sections.equivalence.figures import EQUIVALENCE, Equivalence, ShareOfAll, WayOfJudging
from annotation_platform.analysis.sections.powered.tables import (
    CLASSIFIER,
    and_both,
    differences_of,
    remark_column,
    sides_of,
)
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    highest,
    in_a_row,
    not_significantly,
    number,
    sided,
    with_interval,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.core.text import ONE_GROUP


def section_of(asked: TableRequest) -> Equivalence | None:
    """The run's figures; None where they are undefined."""
    found = asked.section(EQUIVALENCE)
    return None if found.undefined_because else found


def ways_table(asked: TableRequest) -> FigureTable | None:
    """Accuracy and F1 of the classifier, exact match, token F1 and containment."""
    if (found := section_of(asked)) is None:
        return None
    rows = [_way(each) for each in found.ways]
    first, *others = rows
    return FigureTable(
        name="equivalence",
        unit=unit_called(found.unit),
        title="Agreement with people",
        reading=f"The classifier says what most people say of {number(first['accuracy'], 'share')} of "
        f"{found.answers:,} answers to {found.questions:,} questions{_simple_ways(others)}.",
        columns=[
            Column("way", "Way"),
            Column("accuracy", "Accuracy", "value", True),
            Column("f1", "F1 of “right”", "value", True),
            Column("answers", "Answers", "count"),
            Column("questions", "Questions", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"equivalence": "Dots are the accuracy, lines its 95\u00a0% interval."},
    )


def _simple_ways(others: list[Row]) -> str:
    best = highest(others, "accuracy", "value")
    if not best:
        return ""
    names, share = in_a_row([row["way"] for row in best]), number(best[0]["accuracy"], "share")
    has = "has" if len(best) == 1 else "have"
    return f"; of the simple ways {names} {has} the highest share, {share}{not_significantly(best, others, 'accuracy')}"


def systems_of_run(asked: TableRequest) -> FigureTable | None:
    """By system: which share is right, which share the classifier takes as right, and how often each way agrees."""
    if (found := section_of(asked)) is None or len(found.systems) < 2:
        return None
    ways = [each.way for each in found.ways]
    rows = []
    for each in found.systems:
        row = {"system": each.system, "answers": each.right.judgments}
        row |= sided("right", each.right) | sided("taken", each.taken)
        for place, way in enumerate(each.ways):
            row |= sided(f"way_{place}", way.accuracy)
        rows.append(row)
    return FigureTable(
        name="equivalence-systems",
        unit=unit_called(found.unit),
        title="Systems: right by people, and by the classifier",
        reading=_widest(rows),
        columns=[
            Column("system", "System"),
            Column("answers", "Answers", "count"),
            Column("right", "Right (people)", "share", True),
            Column("taken", "Taken as right", "share", True),
            *(Column(f"way_{place}", f"Accuracy: {way}", "value", place == 0) for place, way in enumerate(ways)),
        ],
        rows=rows,
        charts={"equivalence-systems": "Share of answers that are right: by people, and by the classifier."},
    )


def _widest(rows: list[Row]) -> str:
    """For which systems people and the classifier differ most."""
    gaps = [row | {"gap": abs(row["right"] - row["taken"])} for row in rows if None not in (row["right"], row["taken"])]
    widest = highest(gaps, "gap", "share")
    if not widest or number(widest[0]["gap"], "share") == number(0, "share"):
        return "People and the classifier take the same share of every system's answers as right."
    said = [
        f"{row['system']} (people take {number(row['right'], 'share')} of its answers as right, the classifier "
        f"{number(row['taken'], 'share')})"
        for row in widest
    ]
    return f"The shares lie furthest apart for {in_a_row(said)}."


def all_answers_table(asked: TableRequest) -> FigureTable | None:
    """What people would say of all answers, where they have judged some of them."""
    if (found := section_of(asked)) is None or not found.all_answers:
        return None
    rows = [_of_system(each) for each in found.all_answers]
    both = and_both(rows, ", and with the classifier's probabilities of all")
    return FigureTable(
        name="equivalence-all",
        unit=unit_called(found.unit),
        title="What people would say of all answers",
        reading=_of_all(found.all_answers, found.drawn),
        columns=[
            Column("system", "System"),
            Column("judged", "Judged by people", "count"),
            Column("others", "Other answers", "count"),
            Column("people", "Right: people alone", "share", True),
            Column("both", "People and classifier", "share", True),
            Column("effective", "Worth so many judged (effective n)", "count"),
            *remark_column(rows),
        ],
        rows=rows,
        meta={"sides": sides_of(rows, "People alone", "With the classifier")},
        charts={
            "equivalence-all": "Share of all answers that people would take as right, with 95\u00a0% intervals by "
            f"{found.unit}{', tasks that were drawn taken as a whole' if found.drawn else ''}: from the answers "
            f"that they judged{both}."
        },
    )


def all_differences_table(asked: TableRequest) -> FigureTable | None:
    """Every two systems over the questions that both answered, as people would judge all of them."""
    if (found := section_of(asked)) is None:
        return None
    return differences_of(
        {"": found.all_differences},
        found.unit,
        CLASSIFIER,
        name="equivalence-differences",
        title="Differences of systems over all answers",
        kind="share",
    )


def _of_system(each: ShareOfAll) -> Row:
    judged = each.people.judgments
    return (
        {"system": each.system, "judged": judged, "others": each.answers - judged}
        | sided("people", each.people)
        | sided("both", each.both)
        | {"effective": each.effective and round(each.effective)}
        | {"remark": each.no_model_because or "", "effective_why": each.no_model_because or ""}
        | {"is_off": bool(each.no_model_because)}
    )


RESTS_ON = {
    "": "This holds if the answers that people judged were drawn at random from all; what the classifier gets wrong is "
    "corrected by them.",
    "random": "The answers that people judged were drawn at random; they correct what the classifier gets wrong.",
    "uncertainty": "The answers that people judged were drawn by a model's uncertainty, so that each is weighed by the "
    "chance that it had; they correct what the classifier gets wrong.",
}


def _of_all(found: tuple[ShareOfAll, ...], drawn: str) -> str:
    """For how many systems the classifier helps and how much; always on what it rests."""
    worth = [each.effective / each.people.judgments for each in found if each.effective]
    if not worth:
        off = {each.no_model_because or "What it says does not go with people's verdicts." for each in found}
        why = off.pop() if len(off) == 1 else "The table says why, and gives their own shares."
        own = f"Here the classifier adds nothing to what people said. {why}"
        return f"{own} {RESTS_ON[drawn]}" if drawn == "uncertainty" else own
    low, high = (f"{each:.1f}" for each in (min(worth), max(worth)))
    times = low if low == high else f"{low} to {high}"
    return (
        f"For {len(worth)} of {len(found)} systems, people's verdicts together with the classifier's tell as much as "
        f"{times} times as many verdicts of people alone{' about answers drawn at random' if drawn else ''}. "
        f"{RESTS_ON[drawn]}"
    )


def calibration_table(asked: TableRequest) -> FigureTable | None:
    """How far the classifier's probability can be believed."""
    if (found := section_of(asked)) is None:
        return None
    unsure = sum(each.answers for each in found.calibration if each.low >= 0.1 and each.high <= 0.9)
    return FigureTable(
        name="equivalence-calibration",
        unit=unit_called(found.unit),
        title="Calibration of its probability",
        reading=f"{unsure:,} of {found.answers:,} answers have a probability between 0.1 and 0.9"
        f"{': look there first' if unsure else ''}.",
        columns=[
            Column("range", "Probability"),
            Column("answers", "Answers", "count"),
            Column("probability", "Mean probability", "value"),
            Column("right", "Of these right (people)", "share", True),
        ],
        rows=[
            {"range": f"{each.low:.1f}–{each.high:.1f}", "answers": each.answers}
            | {"probability": each.probability}
            | with_interval("right", each.right, each.right_interval, ONE_GROUP, units=each.units)
            for each in found.calibration
        ],
        charts={
            "equivalence-calibration": "A dot is a range of probabilities; on the dashed line, as many answers are "
            "right as the probability says. The larger a dot, the more answers; lines are 95\u00a0% intervals."
        },
    )


def rules_table(asked: TableRequest) -> FigureTable | None:
    """Which rules decided, and how often people agree with the verdict and name the same rule."""
    if (found := section_of(asked)) is None or not found.rules:
        return None
    first = [rule for rule in found.rules if rule.answers == found.rules[0].answers]
    said = [
        f"“{rule.rule.replace('_', ' ')}”: {rule.answers:,} answers, on {number(rule.agreed, 'share')} of"
        " which people agree with the verdict"
        for rule in first
    ]
    return FigureTable(
        name="equivalence-rules",
        title="Deciding rules",
        reading=f"Most often the rule is {'; '.join(said)}.",
        columns=[
            Column("rule", "Most likely rule"),
            Column("answers", "Answers", "count"),
            Column("agreed", "People agree with the verdict", "share"),
            Column("rule_named", "People named a rule", "count"),
            Column("same_rule", "The same rule", "share"),
        ],
        rows=[each.model_dump() | {"rule": each.rule.replace("_", " ")} for each in found.rules],
    )


def _way(each: WayOfJudging) -> Row:
    return (
        {"way": each.way, "answers": each.accuracy.judgments, "questions": each.accuracy.items}
        | sided("accuracy", each.accuracy)
        | sided("f1", each.f1)
        | {"undefined_because": each.f1.undefined_because or ""}
    )


TABLES = {
    "equivalence": TableOf(("equivalence",), ways_table),
    "equivalence-systems": TableOf(("equivalence",), systems_of_run),
    "equivalence-all": TableOf(("equivalence",), all_answers_table),
    "equivalence-differences": TableOf(("equivalence",), all_differences_table),
    "equivalence-calibration": TableOf(("equivalence",), calibration_table),
    "equivalence-rules": TableOf(("equivalence",), rules_table),
}
