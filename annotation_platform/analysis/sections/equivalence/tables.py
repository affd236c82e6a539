"""An answer-equivalence run beside people: every way of judging, by system, by probability and by rule."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from annotation_platform.analysis.measuring.certainty import unit_called
from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.sections.equivalence.figures import (
    EQUIVALENCE,
    Equivalence,
    ShareOfAll,
    WayOfJudging,
)
from annotation_platform.analysis.sections.equivalence.table_rows import (
    CalibrationRow,
    RuleRow,
    ShareRow,
    SystemRow,
    WayRow,
)
from annotation_platform.analysis.sections.equivalence.words import (
    BY_PLATFORM,
    DRAWN,
    of_all_reading,
    rule_called,
    ways_reading,
    widest_gap,
)
from annotation_platform.analysis.sections.powered.tables import differences_of, remark_column, sides_of
from annotation_platform.analysis.sections.powered.words import CLASSIFIER, out_of_reach
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import number, why_undefined


def section_of(asked: TableRequest) -> Equivalence | None:
    """The run's figures; None where they are undefined."""
    found = asked.section(EQUIVALENCE)
    return None if found.undefined_because else found


def ways_table(asked: TableRequest) -> FigureTable | None:
    """Accuracy, F1, macro-F1 and AUC of the classifier, exact match, token F1 and containment."""
    if (found := section_of(asked)) is None:
        return None
    rows = [_way(each) for each in found.ways]
    return FigureTable(
        name="equivalence",
        unit=unit_called(found.unit),
        title=_("Agreement with people"),
        reading=ways_reading(found, rows),
        columns=[
            Column("way", _("Way")),
            Column("accuracy", _("Accuracy"), "value", True),
            Column("f1", _("F1 of “right”"), "value", True),
            Column("macro_f1", _("Macro-F1"), "value", True),
            Column("auc", _("AUC"), "value", True),
            Column("answers", _("Answers"), "count"),
            Column("questions", _("Questions"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"equivalence": _("Dots are how often each way says what most people say, lines 95\u00a0% intervals.")},
        draws={"equivalence": ("accuracy",)},
    )


def systems_of_run(asked: TableRequest) -> FigureTable | None:
    """By system: which share is right, which share the classifier takes as right, and how often each way agrees; of the
    classifier also macro-F1 and AUC."""
    if (found := section_of(asked)) is None or len(found.systems) < 2:
        return None
    ways = [_(each.way) for each in found.ways]
    rows = [
        SystemRow(
            system=each.system,
            answers=each.right.judgments,
            right=estimate_of(each.right),
            taken=estimate_of(each.taken),
            ways={place: estimate_of(way.accuracy) for place, way in enumerate(each.ways)},
            macro_f1=estimate_of(each.ways[0].macro_f1),
            auc=estimate_of(each.ways[0].auc),
            remark=why_undefined(_by_both_verdicts(each.ways[0])),
        )
        for each in found.systems
    ]
    return FigureTable(
        name="equivalence-systems",
        unit=unit_called(found.unit),
        title=_("Systems: right by people, and by the classifier"),
        reading=widest_gap(rows),
        columns=[
            Column("system", _("System")),
            Column("answers", _("Answers"), "count"),
            Column("right", _("Right (people)"), "share", True),
            Column("taken", _("Taken as right"), "share", True),
            *(
                Column(f"way_{place}", _("Accuracy: {way}").format(way=way), "value", place == 0)
                for place, way in enumerate(ways)
            ),
            Column("macro_f1", _("Macro-F1: {way}").format(way=ways[0]), "value", True),
            Column("auc", _("AUC: {way}").format(way=ways[0]), "value", True),
            *_remarks(rows),
        ],
        rows=rows,
        charts={
            "equivalence-systems": _(
                "Of the answers that people judged, the share that is right: by people, and by the classifier; lines "
                "are 95\u00a0% intervals."
            )
        },
        draws={"equivalence-systems": ("right", "taken")},
    )


def all_answers_table(asked: TableRequest) -> FigureTable | None:
    """What people would say of all answers, where they have judged some of them."""
    if (found := section_of(asked)) is None or not found.all_answers:
        return None
    rows = [_of_system(each) for each in found.all_answers]
    drawn = DRAWN[found.drawn in BY_PLATFORM, all(row.is_off for row in rows)]
    return FigureTable(
        name="equivalence-all",
        unit=unit_called(found.unit),
        title=_("What people would say of all answers"),
        reading=" ".join([of_all_reading(found.all_answers, found.drawn), *out_of_reach(found.out_of_reach)]),
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
        beyond=found.out_of_reach,
        drawn=found.drawn,
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


def calibration_table(asked: TableRequest) -> FigureTable | None:
    """How far the classifier's probability can be believed."""
    if (found := section_of(asked)) is None:
        return None
    rows = [
        CalibrationRow(
            range=f"{each.low:.1f}–{each.high:.1f}",
            answers=each.right.judgments,
            probability=each.probability,
            right=estimate_of(each.right),
            remark=each.right.undefined_because or "",
        )
        for each in found.calibration
    ]
    unsure = sum(each.right.judgments for each in found.calibration if each.low >= 0.1 and each.high <= 0.9)
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
            *_remarks(rows),
        ],
        rows=rows,
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
    rows = [
        RuleRow(
            rule=rule_called(each.rule),
            answers=each.agreed.judgments,
            agreed=estimate_of(each.agreed),
            rule_named=each.same_rule.judgments,
            same_rule=estimate_of(each.same_rule),
            remark=each.same_rule.undefined_because or "",
        )
        for each in found.rules
    ]
    first = [rule for rule in found.rules if rule.agreed.judgments == found.rules[0].agreed.judgments]
    how = _("“{rule}”: {n:,} answers, on {share} of which people agree with the verdict")
    said = [
        how.format(rule=rule_called(each.rule), n=each.agreed.judgments, share=number(each.agreed.value, "share"))
        for each in first
    ]
    return FigureTable(
        name="equivalence-rules",
        unit=unit_called(found.unit),
        title=_("Deciding rules"),
        reading=_("Most often the rule is {rules}.").format(rules=_("; ").join(said)),
        columns=[
            Column("rule", _("Most likely rule")),
            Column("answers", _("Answers"), "count"),
            Column("agreed", _("People agree with the verdict"), "share", True),
            Column("rule_named", _("People named a rule"), "count"),
            Column("same_rule", _("The same rule"), "share", True),
            *_remarks(rows),
        ],
        rows=rows,
    )


def _remarks(rows: Sequence[SystemRow | CalibrationRow | RuleRow]) -> list[Column]:
    return [Column("remark", _("Remark"))] if any(row.remark for row in rows) else []


def _way(each: WayOfJudging) -> WayRow:
    return WayRow(
        way=_(each.way),
        answers=each.accuracy.judgments,
        questions=each.accuracy.items,
        accuracy=estimate_of(each.accuracy),
        f1=estimate_of(each.f1),
        macro_f1=estimate_of(each.macro_f1),
        auc=estimate_of(each.auc),
        undefined_because=why_undefined({_("F1 of “right”"): each.f1, **_by_both_verdicts(each)}),
    )


def _by_both_verdicts(each: WayOfJudging) -> dict[str, CountedFigure]:
    """Its figures that weigh right and wrong answers alike, under their names."""
    return {_("Macro-F1"): each.macro_f1, _("AUC"): each.auc}


TABLES = {
    "equivalence": TableOf((EQUIVALENCE.key,), ways_table, of_study=True),
    "equivalence-systems": TableOf((EQUIVALENCE.key,), systems_of_run, of_study=True),
    "equivalence-all": TableOf((EQUIVALENCE.key,), all_answers_table, of_study=True),
    "equivalence-differences": TableOf((EQUIVALENCE.key,), all_differences_table, of_study=True),
    "equivalence-calibration": TableOf((EQUIVALENCE.key,), calibration_table, of_study=True),
    "equivalence-rules": TableOf((EQUIVALENCE.key,), rules_table, of_study=True),
}
