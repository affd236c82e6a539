"""People's judgments of a part and a model's of all, at once: means of systems and their differences."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import is_certain, unit_called
from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.sections.powered.figures import (
    POWERED,
    PoweredDifference,
    PoweredMean,
    PoweredRun,
)
from annotation_platform.analysis.sections.powered.readings import differences_reading, means_reading, who_judged
from annotation_platform.analysis.sections.powered.table_rows import DifferenceRow, MeanRow, ModelBeside
from annotation_platform.analysis.sections.powered.words import (
    DRAWN,
    JUDGE,
    RESCALER,
    Words,
    out_of_reach,
    unread_by,
)
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.others import as_asked, drawn_by, speaks_for_both
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import in_a_row, number_kind


def judges_of(asked: TableRequest) -> tuple[PoweredRun, ...]:
    """The judges of the aspect that is shown, with the intervals that were asked for."""
    return tuple(
        run.model_copy(
            update={
                "means": tuple(
                    each.model_copy(update={"people": as_asked(asked, each.people), "both": as_asked(asked, each.both)})
                    for each in run.means
                ),
                "differences": tuple(
                    as_asked(asked, each).model_copy(update={"people": as_asked(asked, each.people)})
                    for each in run.differences
                ),
            }
        )
        for run in asked.section(POWERED).judges.get(asked.aspect, ())
    )


def _offering(asked: TableRequest, table: FigureTable | None, runs: tuple[PoweredRun, ...]) -> FigureTable | None:
    """The table, which says whom its intervals speak for; nothing is offered where it has no figures."""
    if table is None or not table.rows:
        return table
    unit = unit_called(runs[0].unit)
    return replace(
        table,
        meta=table.meta | {"query": asked.query_of("others")},
        speaks_for=speaks_for_both(asked, unit),
        offers_others=True,
        are_wide=asked.others,
    )


def means_table(asked: TableRequest) -> FigureTable | None:
    """By system: people alone, and with each judge."""
    runs = judges_of(asked)
    found = means_of(
        runs,
        JUDGE,
        name="powered",
        title=_("What people would say of all answers"),
        kind=kind_of(asked.head),
        of=_(" on “{aspect}”").format(aspect=asked.head.title),
        others=asked.others,
    )
    return _offering(asked, found, runs)


def differences_table(asked: TableRequest) -> FigureTable | None:
    """Every two systems by question: people alone, and with each judge."""
    runs = judges_of(asked)
    found = differences_of(
        *_by_judge(runs),
        JUDGE,
        beyond=_most_out_of_reach(runs),
        name="powered-differences",
        title=_("Differences of systems over all answers"),
        kind=kind_of(asked.head),
        others=asked.others,
        drawn=_drawn(runs),
    )
    return _offering(asked, found, runs)


def scores_table(asked: TableRequest) -> FigureTable | None:
    """By system: the language model alone, and with the distilled rescaler."""
    return means_of(
        _scores_of(asked),
        RESCALER,
        name="powered-scores",
        title=_("What the language model would score all answers"),
        kind="score",
        of=_(" on “{aspect}”").format(aspect=asked.head.title),
    )


def score_differences_table(asked: TableRequest) -> FigureTable | None:
    """Every two systems by question: the language model alone, and with the distilled rescaler."""
    return differences_of(
        *_by_judge(_scores_of(asked)),
        RESCALER,
        drawn=_drawn(_scores_of(asked)),
        name="powered-scores-differences",
        title=_("Differences of systems by these scores"),
        kind="score",
    )


def _scores_of(asked: TableRequest) -> tuple[PoweredRun, ...]:
    found = asked.section(POWERED).scores.get(asked.aspect)
    return () if found is None else (found,)


def kind_of(head: AspectHead) -> str:
    """Means of yes and no are shares."""
    numbers = {label.number for label in head.labels if label.number is not None}
    return "share" if numbers == {0, 1} else number_kind(head)


def means_of(
    runs: tuple[PoweredRun, ...], words: Words, *, name: str, title: str, kind: str, of: str = "", others: bool = False
) -> FigureTable | None:
    """None without runs; without rows where the sentence says all that there is."""
    if not runs:
        return None
    named = dict(zip(names_of(runs), runs, strict=True))
    rows = [_mean_row(judge, each) for judge, run in named.items() for each in run.means if each.answers]
    several = len(runs) > 1
    units = sorted({run.unit for run in runs if run.means})
    says = words.drawn if _are_all_off(rows) else words.drawn_with_all
    drawn = _drawn(runs)
    caption = _(says).format(units=drawn_by(in_a_row([_(unit) for unit in units]), others=others), **who_judged(words))
    return FigureTable(
        name=name,
        title=title,
        unit=unit_called(in_a_row(units)),
        reading=" ".join(
            [
                means_reading(rows, _why_nothing(named), words, of, 0 if several else runs[0].unread, drawn=drawn),
                *(unread_by(judge, run.unread) for judge, run in named.items() if several and run.unread),
                *out_of_reach(_most_out_of_reach(runs)),
            ]
        ),
        columns=[
            *([Column("judge", _("Judge"))] if several else []),
            Column("system", _("System")),
            Column("judged", _(words.judged), "count"),
            Column("others", _("Other answers"), "count"),
            Column("people", _(words.few_alone), kind, True),
            Column("both", _(words.both), kind, True),
            Column("effective", _("Worth so many judged (effective n)"), "count"),
            *remark_column(rows),
        ],
        rows=rows,
        charts={
            name: f"{caption} {_('Intervals keep the answers of one drawn task together.')}"
            if drawn in DRAWN
            else caption
        }
        if any(row.people.value is not None for row in rows)
        else {},
        meta={"kind": kind, "sides": sides_of(rows, _(words.few_alone), _(words.both))},
    )


def differences_of(
    found: Mapping[str, Sequence[PoweredDifference]],
    units: str,
    words: Words,
    *,
    name: str,
    title: str,
    kind: str,
    beyond: int = 0,
    others: bool = False,
    drawn: str = "",
) -> FigureTable | None:
    """By judge; None where no two systems were compared. ``beyond``: how many answers are out of reach."""
    rows = [_difference_row(judge, each) for judge, own in found.items() for each in own]
    if not rows:
        return None
    counts_answers = any(row.answers is not None for row in rows)
    judged = _(words.judged) if counts_answers else _("{judged}, both").format(judged=_(words.judged))
    return FigureTable(
        name=name,
        title=title,
        unit=unit_called(units),
        reading=" ".join([differences_reading(rows, words, drawn=drawn), *out_of_reach(beyond)]),
        columns=[
            *([Column("judge", _("Judge"))] if len(found) > 1 else []),
            Column("pair", _("From → to")),
            Column("judged", judged, "count"),
            *([Column("answers", _("Answers in all"), "count")] if counts_answers else []),
            Column("questions", _("Questions"), "count"),
            Column("people", _(words.few_alone), kind, True),
            Column("people_p_holm", _("p (Holm), alone"), "p"),
            Column("both", _(words.both), kind, True),
            Column("p_value", _("p, both"), "p"),
            Column("p_holm", _("p (Holm), both"), "p"),
            Column("effective", _("Worth so many judged (effective n)"), "count"),
            *remark_column(rows),
        ],
        rows=rows,
        charts={
            name: _(
                "Mean of the second minus that of the first over the questions that both answered, with 95\u00a0% "
                "intervals by {units}; a line across zero may be chance."
            ).format(units=drawn_by(_(units), others=others))
        }
        if any(row.people.value is not None for row in rows)
        else {},
        meta={"kind": kind, "sides": sides_of(rows, _(words.few_alone), _(words.both))},
    )


def _drawn(runs: tuple[PoweredRun, ...]) -> str:
    """How what was judged was drawn: the same of all runs that have figures."""
    return max((run.drawn for run in runs), default="")


def _most_out_of_reach(runs: tuple[PoweredRun, ...]) -> int:
    """They are the same answers for every judge, as far as it was asked."""
    return max((run.out_of_reach for run in runs), default=0)


def _by_judge(runs: tuple[PoweredRun, ...]) -> tuple[dict[str, tuple[PoweredDifference, ...]], str]:
    """The differences of each run, and by what their intervals are."""
    found = {name: run.differences for name, run in zip(names_of(runs), runs, strict=True)}
    return found, in_a_row(sorted({run.unit for run in runs if run.differences}))


def names_of(runs: Iterable[PoweredRun]) -> list[str]:
    """Each run in words, with its number where two would be called the same."""
    told = [(run.run.run, _name(run)) for run in runs]
    names, with_run = [name for _run, name in told], _("{model}, run {run}")
    return [with_run.format(model=name, run=run) if names.count(name) > 1 else name for run, name in told]


def _name(run: PoweredRun) -> str:
    name = run.run.model or run.run.method
    return _("{model} (score of several aspects)").format(model=name) if run.score else name


def _why_nothing(named: dict[str, PoweredRun]) -> list[str]:
    """Of the runs that have no figures, each with its name where there are others."""
    found = {name: why_in_language(run.why_nothing) for name, run in named.items() if run.why_nothing}
    of_run = _("{model}: {why}")
    return [of_run.format(model=name, why=why) if len(named) > 1 else why for name, why in found.items()]


def _mean_row(judge: str, each: PoweredMean) -> MeanRow:
    remark = each.no_model_because or each.people.undefined_because or ""
    return MeanRow(
        judge=judge,
        system=each.system,
        answers=each.answers,
        judged=each.people.items,
        others=each.answers - each.people.items,
        people=estimate_of(each.people),
        both=estimate_of(each.both),
        effective=None if each.effective is None else round(each.effective),
        is_off=bool(each.no_model_because),
        remark=remark,
        effective_why=remark,
    )


def _difference_row(judge: str, each: PoweredDifference) -> DifferenceRow:
    remark = each.undefined_because or each.no_model_because or ""
    return DifferenceRow(
        judge=judge,
        pair=" → ".join(each.systems),
        judged=each.people.items,
        questions=each.questions,
        answers=each.answers,
        people=estimate_of(each.people),
        both=estimate_of(each),
        p_value=each.p_value,
        p_holm=each.p_holm,
        people_p_holm=each.people.p_holm,
        effective=None if each.effective is None else round(each.effective),
        is_off=bool(each.no_model_because),
        is_certain=is_certain(each),
        is_certain_alone=is_certain(each.people),
        remark=remark,
        effective_why=remark,
    )


def remark_column(rows: Sequence[ModelBeside]) -> list[Column]:
    """None where one remark holds for all: the sentence above says it."""
    told = {row.remark for row in rows}
    return [] if len(rows) > 1 and len(told) == 1 else [Column("remark", _("Remark"))]


def sides_of(rows: Sequence[ModelBeside], alone: str, both: str) -> tuple[str, ...]:
    """What a chart draws of each row: people alone only, where the model is nowhere reckoned with."""
    return (alone,) if _are_all_off(rows) else (alone, both)


def _are_all_off(rows: Sequence[ModelBeside]) -> bool:
    """Whether there is no second series."""
    return bool(rows) and all(row.is_off for row in rows)


Build = Callable[[TableRequest], FigureTable | None]
_BUILD: dict[str, Build] = {
    "powered": means_table,
    "powered-differences": differences_table,
    "powered-scores": scores_table,
    "powered-scores-differences": score_differences_table,
}
TABLES = {name: TableOf((POWERED.key,), build) for name, build in _BUILD.items()}
