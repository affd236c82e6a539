"""An answer-equivalence run beside people: every way of judging, by system, by probability and by rule."""

from operator import itemgetter

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import unit_called
from annotation_platform.analysis.sections.equivalence.figures import (
    EQUIVALENCE,
    DecidingRule,
    Equivalence,
    ShareOfAll,
    WayOfJudging,
)
from annotation_platform.analysis.sections.equivalence.table_rows import ShareRow
from annotation_platform.analysis.sections.powered.tables import (
    differences_of,
    remark_column,
    sides_of,
)
from annotation_platform.analysis.sections.powered.words import CLASSIFIER
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    from_to,
    highest,
    in_a_row,
    leads,
    number,
    sided,
    with_interval,
)
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_in, estimate_of
from annotation_platform.core.methods.answer_rules import Rule
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
        title=_("Agreement with people"),
        reading=_ways_reading(found, number(first["accuracy"], "share"), others),
        columns=[
            Column("way", _("Way")),
            Column("accuracy", _("Accuracy"), "value", True),
            Column("f1", _("F1 of “right”"), "value", True),
            Column("answers", _("Answers"), "count"),
            Column("questions", _("Questions"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"equivalence": _("Dots are the accuracy, lines its 95\u00a0% interval.")},
    )


def _ways_reading(found: Equivalence, share: str, others: list[Row]) -> str:
    """How often the classifier says what most people say, and the best of the simple ways."""
    said = _("The classifier says what most people say of {share} of {answers:,} answers to {questions:,} questions")
    text = said.format(share=share, answers=found.answers, questions=found.questions)
    if ways := _simple_ways(others):
        text = _("{words}; {ways}").format(words=text, ways=ways)
    return _("{words}.").format(words=text)


def _simple_ways(others: list[Row]) -> str:
    best = highest(others, itemgetter("accuracy"), "value")
    if not best:
        return ""
    if leads(best, others, lambda row: estimate_in(row, "accuracy")):
        said = ngettext(
            "of the simple ways {names} has the highest share, {share}",
            "of the simple ways {names} have the highest share, {share}",
            len(best),
        )
    else:
        said = ngettext(
            "of the simple ways {names} has the highest share, {share}, not significantly ahead",
            "of the simple ways {names} have the highest share, {share}, not significantly ahead",
            len(best),
        )
    return said.format(names=in_a_row([row["way"] for row in best]), share=number(best[0]["accuracy"], "share"))


def systems_of_run(asked: TableRequest) -> FigureTable | None:
    """By system: which share is right, which share the classifier takes as right, and how often each way agrees."""
    if (found := section_of(asked)) is None or len(found.systems) < 2:
        return None
    ways = [_(each.way) for each in found.ways]
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
        title=_("Systems: right by people, and by the classifier"),
        reading=_widest(rows),
        columns=[
            Column("system", _("System")),
            Column("answers", _("Answers"), "count"),
            Column("right", _("Right (people)"), "share", True),
            Column("taken", _("Taken as right"), "share", True),
            *(
                Column(f"way_{place}", _("Accuracy: {way}").format(way=way), "value", place == 0)
                for place, way in enumerate(ways)
            ),
        ],
        rows=rows,
        charts={"equivalence-systems": _("Share of answers that are right: by people, and by the classifier.")},
    )


def _widest(rows: list[Row]) -> str:
    """For which systems people and the classifier differ most."""
    gaps = [row | {"gap": abs(row["right"] - row["taken"])} for row in rows if None not in (row["right"], row["taken"])]
    widest = highest(gaps, itemgetter("gap"), "share")
    if not widest or number(widest[0]["gap"], "share") == number(0, "share"):
        return _("People and the classifier take the same share of every system's answers as right.")
    taken = _("{system} (people take {people} of its answers as right, the classifier {classifier})")
    said = [
        taken.format(
            system=row["system"], people=number(row["right"], "share"), classifier=number(row["taken"], "share")
        )
        for row in widest
    ]
    return _("The shares lie furthest apart for {systems}.").format(systems=in_a_row(said))


# What a chart shows: whether tasks were drawn, and whether the classifier is nowhere reckoned with.
DRAWN = {
    (False, True): gettext_noop(
        "Share of all answers that people would take as right, with 95\u00a0% intervals by {unit}: from the answers "
        "that they judged."
    ),
    (False, False): gettext_noop(
        "Share of all answers that people would take as right, with 95\u00a0% intervals by {unit}: from the answers "
        "that they judged, and with the classifier's probabilities of all."
    ),
    (True, True): gettext_noop(
        "Share of all answers that people would take as right, with 95\u00a0% intervals by {unit}, tasks that were "
        "drawn taken as a whole: from the answers that they judged."
    ),
    (True, False): gettext_noop(
        "Share of all answers that people would take as right, with 95\u00a0% intervals by {unit}, tasks that were "
        "drawn taken as a whole: from the answers that they judged, and with the classifier's probabilities of all."
    ),
}


def all_answers_table(asked: TableRequest) -> FigureTable | None:
    """What people would say of all answers, where they have judged some of them."""
    if (found := section_of(asked)) is None or not found.all_answers:
        return None
    rows = [_of_system(each) for each in found.all_answers]
    drawn = DRAWN[bool(found.drawn), all(row.is_off for row in rows)]
    return FigureTable(
        name="equivalence-all",
        unit=unit_called(found.unit),
        title=_("What people would say of all answers"),
        reading=_of_all(found.all_answers, found.drawn),
        columns=[
            Column("system", _("System")),
            Column("judged", _("Judged by people"), "count"),
            Column("others", _("Other answers"), "count"),
            Column("people", _("Right: people alone"), "share", True),
            Column("both", _("People and classifier"), "share", True),
            Column("effective", _("Worth so many judged (effective n)"), "count"),
            *remark_column(rows),
        ],
        rows=rows,
        meta={"sides": sides_of(rows, _("People alone"), _("With the classifier"))},
        charts={"equivalence-all": _(drawn).format(unit=_(found.unit))},
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
        title=_("Differences of systems over all answers"),
        kind="share",
    )


def _of_system(each: ShareOfAll) -> ShareRow:
    judged, remark = each.people.judgments, each.no_model_because or ""
    return ShareRow(
        system=each.system,
        judged=judged,
        others=each.answers - judged,
        people=estimate_of(each.people),
        both=estimate_of(each.both),
        effective=None if each.effective is None else round(each.effective),
        remark=remark,
        effective_why=remark,
        is_off=bool(each.no_model_because),
    )


RULES = {
    Rule.ALIASES: gettext_noop("aliases"),
    Rule.NUMBERS: gettext_noop("numbers"),
    Rule.FEWER: gettext_noop("fewer details"),
    Rule.MORE: gettext_noop("more details"),
    Rule.MEANING: gettext_noop("meaning"),
    Rule.IRRELEVANT: gettext_noop("irrelevant"),
    Rule.OTHER: gettext_noop("other possible"),
}
RESTS_ON = {
    "": gettext_noop(
        "This holds if the answers that people judged were drawn at random from all; what the classifier gets wrong is "
        "corrected by them."
    ),
    "random": gettext_noop(
        "The answers that people judged were drawn at random; they correct what the classifier gets wrong."
    ),
    "uncertainty": gettext_noop(
        "The answers that people judged were drawn by a model's uncertainty, so that each is weighed by the chance "
        "that it had; they correct what the classifier gets wrong."
    ),
}


def _of_all(found: tuple[ShareOfAll, ...], drawn: str) -> str:
    """For how many systems the classifier helps and how much; always on what it rests."""
    worth = [each.effective / each.people.judgments for each in found if each.effective]
    if not worth:
        unlike = _("What it says does not go with people's verdicts.")
        off = {why_in_language(each.no_model_because) if each.no_model_because else unlike for each in found}
        why = off.pop() if len(off) == 1 else _("The table says why, and gives their own shares.")
        own = _("Here the classifier adds nothing to what people said. {why}").format(why=why)
        return f"{own} {_(RESTS_ON[drawn])}" if drawn == "uncertainty" else own
    if drawn:
        said = _(
            "For {n} of {of} systems, people's verdicts together with the classifier's tell as much as {times} times "
            "as many verdicts of people alone about answers drawn at random."
        )
    else:
        said = _(
            "For {n} of {of} systems, people's verdicts together with the classifier's tell as much as {times} times "
            "as many verdicts of people alone."
        )
    times = from_to(f"{min(worth):.1f}", f"{max(worth):.1f}")
    return f"{said.format(n=len(worth), of=len(found), times=times)} {_(RESTS_ON[drawn])}"


def calibration_table(asked: TableRequest) -> FigureTable | None:
    """How far the classifier's probability can be believed."""
    if (found := section_of(asked)) is None:
        return None
    unsure = sum(each.answers for each in found.calibration if each.low >= 0.1 and each.high <= 0.9)
    return FigureTable(
        name="equivalence-calibration",
        unit=unit_called(found.unit),
        title=_("Calibration of its probability"),
        reading=(
            _("{n:,} of {answers:,} answers have a probability between 0.1 and 0.9: look there first.")
            if unsure
            else _("{n:,} of {answers:,} answers have a probability between 0.1 and 0.9.")
        ).format(n=unsure, answers=found.answers),
        columns=[
            Column("range", _("Probability")),
            Column("answers", _("Answers"), "count"),
            Column("probability", _("Mean probability"), "value"),
            Column("right", _("Of these right (people)"), "share", True),
        ],
        rows=[
            {"range": f"{each.low:.1f}–{each.high:.1f}", "answers": each.answers}
            | {"probability": each.probability}
            | with_interval("right", each.right, each.right_interval, _(ONE_GROUP), units=each.units)
            for each in found.calibration
        ],
        charts={
            "equivalence-calibration": _(
                "A dot is a range of probabilities; on the dashed line, as many answers are right as the probability "
                "says. The larger a dot, the more answers; lines are 95\u00a0% intervals."
            )
        },
    )


def rules_table(asked: TableRequest) -> FigureTable | None:
    """Which rules decided, and how often people agree with the verdict and name the same rule."""
    if (found := section_of(asked)) is None or not found.rules:
        return None
    first = [rule for rule in found.rules if rule.answers == found.rules[0].answers]
    how = _("“{rule}”: {n:,} answers, on {share} of which people agree with the verdict")
    said = [how.format(rule=_rule(rule), n=rule.answers, share=number(rule.agreed, "share")) for rule in first]
    return FigureTable(
        name="equivalence-rules",
        title=_("Deciding rules"),
        reading=_("Most often the rule is {rules}.").format(rules=_("; ").join(said)),
        columns=[
            Column("rule", _("Most likely rule")),
            Column("answers", _("Answers"), "count"),
            Column("agreed", _("People agree with the verdict"), "share"),
            Column("rule_named", _("People named a rule"), "count"),
            Column("same_rule", _("The same rule"), "share"),
        ],
        rows=[each.model_dump() | {"rule": _rule(each)} for each in found.rules],
    )


def _rule(each: DecidingRule) -> str:
    """A rule by its name; one of another version by its key."""
    known: dict[str, str] = {str(rule): words for rule, words in RULES.items()}
    return _(known[each.rule]) if each.rule in known else each.rule.replace("_", " ")


def _way(each: WayOfJudging) -> Row:
    return (
        {"way": _(each.way), "answers": each.accuracy.judgments, "questions": each.accuracy.items}
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
