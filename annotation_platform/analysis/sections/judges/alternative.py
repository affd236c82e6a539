"""May a judge stand in for a person? The alternative annotator test by judge and aspect."""

from django.utils.translation import gettext as _

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.human_llm.alternative import (
    WHAT_IT_SAYS,
    advantages_table,
    alternative_at,
    at_chosen,
    fields_of,
    own_epsilon,
    where_it_passes,
    whose_epsilon,
)
from annotation_platform.analysis.sections.judges.figures import JUDGES
from annotation_platform.analysis.sections.judges.table_rows import InsteadRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableRequest

NAME = "judge-alternative"


def alternative_table(asked: TableRequest) -> FigureTable | None:
    """For every aspect and judge the advantage, and the winning rate at each ε."""
    every = [
        InsteadRow(
            judge=judge.name, **fields_of(head.title, alternative_at(asked, judge.aspects[head.aspect].alternative))
        )
        for head in asked.snapshot.head.aspects
        for judge in asked.section(JUDGES).judges
        if head.aspect in judge.aspects
    ]
    if not every:
        return None
    caption = _(
        "Dots are the share of judgments in which the judge agrees with the other people at least as well as "
        "the person left out, the mean over people; lines 95\u00a0% intervals."
    )
    title = _("Instead of a person, judge by judge")
    first = [Column("aspect", _("Aspect")), Column("judge", _("Judge"))]
    return advantages_table(asked, every, NAME, title, reading(every, own_epsilon(asked)), caption, first)


def reading(rows: list[InsteadRow], own: float | None = None) -> str:
    """Where each judge passes, and what that means."""
    said = []
    for judge in dict.fromkeys(row.judge for row in rows):
        of_judge = [row for row in rows if row.judge == judge]
        if tested := [row for row in of_judge if row.advantage.value is not None]:
            words, *others = where_it_passes(tested, own)
            sentence = _("{judge} {does}.").format(judge=judge, does=words)
            said += [sentence, *others, *at_chosen(tested)]
        else:
            cannot = _("{judge} cannot be tested against single people. {why}")
            said.append(cannot.format(judge=judge, why=why_in_language(of_judge[0].remark)))
    start = filter(None, [whose_epsilon(own), _("In the alternative annotator test:")])
    return " ".join([*start, *said, _(WHAT_IT_SAYS)])
