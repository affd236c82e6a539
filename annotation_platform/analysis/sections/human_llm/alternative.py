"""May the model stand in for a person? Tables of the alternative annotator test."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.human_llm.figures import HUMAN_LLM, Alternative
from annotation_platform.analysis.sections.human_llm.table_rows import AlternativeRow, PersonRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import in_a_row

WHO = {0.2: gettext_noop("experts"), 0.15: gettext_noop("skilled annotators"), 0.1: gettext_noop("a crowd")}
SURE_BELOW, PASSED = 0.05, 0.5
WHAT_IT_SAYS = gettext_noop(
    "To pass is to be significantly less than ε behind at least half of the people, each measured by how often they "
    "agree with the others at least as well as the model does. It does not say that the model is right, nor that it "
    "may stand in for all of them at once."
)


def aspects_table(titled: list[tuple[str, Alternative]]) -> FigureTable | None:
    """For every aspect the advantage, and the winning rate where people are experts, skilled or a crowd."""
    every = [_aspect(title, figures) for title, figures in titled]
    if not every:
        return None
    rows = [row for row in every if row.advantage.value is not None]  # the sentence says it of the others
    return FigureTable(
        name="llm-alternative",
        title=_("Instead of a person"),
        reading=reading(every),
        columns=[
            Column("aspect", _("Aspect")),
            Column("advantage", _("Advantage ρ"), "share", True),
            *(
                Column(
                    f"winning_rate_{epsilon}",
                    _("ω for {who}, ε {epsilon}").format(who=_(who), epsilon=epsilon),
                    "share",
                )
                for epsilon, who in WHO.items()
            ),
            Column("people", _("People tested"), "count"),
            Column("items", _("Items"), "count"),
            Column("judgments", _("Judgments"), "count"),
        ],
        rows=rows,
        charts={
            "llm-alternative": _(
                "Dots are the share of judgments in which the model agrees with the other people at least as well as "
                "the person left out, the mean over people; lines 95\u00a0% intervals."
            )
        }
        if rows
        else {},
    )


def people_table(asked: TableRequest) -> FigureTable | None:
    """Each person against the model on one aspect."""
    figures = asked.section(HUMAN_LLM).aspects.get(asked.aspect)
    if not figures or not figures.alternative.people:
        return None
    rows = [
        PersonRow(
            annotator=each.annotator,
            person=each.person,
            model=each.model,
            items=each.lead.items,
            p_value={float(epsilon): p for epsilon, p in each.p_values.items()},
            lead=estimate_of(each.lead),
            remark="" if each.is_tested else _("not tested"),
        )
        for each in figures.alternative.people
    ]
    return FigureTable(
        name="llm-alternative-people",
        title=_("Person by person"),
        reading=people_reading(rows),
        columns=[
            Column("annotator", _("Left out")),
            Column("person", _("Agrees with the others at least as well: the person"), "share"),
            Column("model", _("the model"), "share"),
            Column("lead", _("Lead of the person"), "value", True),
            *(Column(f"p_value_{epsilon}", f"p, ε {epsilon}", "p") for epsilon in WHO),
            Column("items", _("Items"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
    )


def _aspect(title: str, figures: Alternative) -> AlternativeRow:
    return AlternativeRow(
        aspect=title,
        people=figures.advantage.annotators,
        items=figures.advantage.items,
        judgments=figures.advantage.judgments,
        remark=figures.advantage.why_not,
        advantage=estimate_of(figures.advantage),
        winning_rate={rate.epsilon: rate.value for rate in figures.winning_rates},
    )


def reading(rows: list[AlternativeRow]) -> str:
    """On how many aspects the model passes, for each kind of people, and what that means."""
    tested = [row for row in rows if row.advantage.value is not None]
    if not tested:
        said = _("The model cannot be tested against single people. {why}")
        return said.format(why=why_in_language(rows[0].remark))
    words = _(", and ").join(_where_it_passes(tested))
    if len(tested) == 1 < len(rows):
        sentence = _(
            "In the alternative annotator test the model on “{aspect}”, the only one of {n} aspects that could be "
            "tested, {words}."
        ).format(aspect=tested[0].aspect, n=len(rows), words=words)
    else:
        sentence = _("In the alternative annotator test the model {words}.").format(words=words)
    untested = [_("“{name}”").format(name=row.aspect) for row in rows if row.advantage.value is None]
    left = _("Not tested, for too few items or people: {aspects}.").format(aspects=in_a_row(untested))
    return " ".join([sentence, *([left] if untested and len(tested) > 1 else []), _(WHAT_IT_SAYS)])


def _where_it_passes(tested: list[AlternativeRow]) -> list[str]:
    """For which kinds of people the model passes on the aspect, or on how many of several."""
    said: dict[tuple[str, int], list[str]] = {}
    for epsilon, who in WHO.items():
        passed = sum((row.winning_rate[epsilon] or 0.0) >= PASSED for row in tested)
        if len(tested) > 1:
            how = _("passes on {passed} of {n} aspects where people are {who}")
        elif passed:
            how = _("passes where people are {who}")
        else:
            how = _("does not pass where people are {who}")
        said.setdefault((how, passed), []).append(f"{_(who)} (ε {epsilon})")
    return [how.format(passed=n, n=len(tested), who=in_a_row(who)) for (how, n), who in said.items()]


def people_reading(rows: list[PersonRow]) -> str:
    """Against how many people the model wins at each ε."""
    tested = [row for row in rows if row.p_value[min(WHO)] is not None]
    if not tested:
        return _("Nobody could be tested: the test needs three people with 30 items each that others judged, too.")
    parts = [
        _("{n} at ε {epsilon}").format(
            n=sum((row.p_value[epsilon] or 0.0) <= SURE_BELOW for row in tested), epsilon=epsilon
        )
        for epsilon in WHO
    ]
    said = _("Of {n} people who could be tested, the model is significantly less than ε behind {parts}.")
    return said.format(n=len(tested), parts=in_a_row(parts))
