"""May the model stand in for a person? Tables of the alternative annotator test."""

from collections.abc import Sequence
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.sections.human_llm.epsilon import read_epsilon
from annotation_platform.analysis.sections.human_llm.figures import HUMAN_LLM, Alternative, InsteadOfPerson
from annotation_platform.analysis.sections.human_llm.table_rows import AlternativeRow, PersonRow
from annotation_platform.analysis.tables.base import Column, FigureTable, Row
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.analysis.tables.rows import estimate_of
from annotation_platform.analysis.tables.words import in_a_row
from annotation_platform.core.winning_rates import ALPHA, PASSED, RATERS_AT, USUAL_EPSILONS, RatersAre

F = TypeVar("F", bound=InsteadOfPerson)
R = TypeVar("R", bound=AlternativeRow)
PEOPLE: dict[RatersAre, str] = {
    "experts": gettext_noop("experts"),
    "skilled": gettext_noop("skilled annotators"),
    "crowd": gettext_noop("a crowd"),
}
WHO = {epsilon: PEOPLE[who] for epsilon, who in RATERS_AT.items()}
EPSILON_OF: dict[str, float] = {who: epsilon for epsilon, who in RATERS_AT.items()}
WHAT_IT_SAYS = gettext_noop(
    "To pass is to be significantly less than ε behind at least half of the people, each measured by how often they "
    "agree with the others at least as well as the model does. It does not say that the model is right, nor that it "
    "may stand in for all of them at once."
)


def alternative_at(asked: TableRequest, figures: F) -> F:
    """With the ε that is asked for beside the three, of which that of the study's own annotators comes first."""
    epsilon, own = read_epsilon(asked.parameters.get("epsilon")), own_epsilon(asked)
    found = figures if epsilon is None else figures.at(epsilon)
    rates = sorted(found.winning_rates, key=lambda rate: rate.epsilon != own)
    return found.model_copy(update={"winning_rates": tuple(rates)})


def own_epsilon(asked: TableRequest) -> float | None:
    """The ε for the annotators that the study says it has; None where it says nothing."""
    kind = asked.snapshot.study.annotators_are
    return EPSILON_OF[kind] if kind else None


def meta_of(asked: TableRequest) -> Row:
    """The ε as addresses and commands say it."""
    return {"query": asked.query_of("epsilon"), "epsilon": asked.parameters.get("epsilon", "")}


def aspects_table(asked: TableRequest, titled: list[tuple[str, Alternative]]) -> FigureTable | None:
    """For every aspect the advantage, and the winning rate where people are experts, skilled or a crowd, and at the ε
    that is asked for."""
    every = [AlternativeRow(**fields_of(title, alternative_at(asked, figures))) for title, figures in titled]
    if not every:
        return None
    caption = _(
        "Dots are the share of judgments in which the model agrees with the other people at least as well as "
        "the person left out, the mean over people; lines 95\u00a0% intervals."
    )
    title, first = _("Instead of a person"), [Column("aspect", _("Aspect"))]
    said = reading(every, own_epsilon(asked))
    return advantages_table(asked, every, "llm-alternative", title, said, caption, first)


def advantages_table(
    asked: TableRequest, every: Sequence[R], name: str, title: str, reading: str, caption: str, first: list[Column]
) -> FigureTable[R]:
    """Advantage and winning rates of these rows; the ``first`` columns tell them apart."""
    rows = [row for row in every if row.advantage.value is not None]  # the sentence says it of the others
    rates = [Column(f"winning_rate_{epsilon}", _winning_rate(epsilon), "share") for epsilon in every[0].winning_rate]
    return FigureTable(
        name=name,
        title=title,
        reading=reading,
        columns=[
            *first,
            Column("advantage", _("Advantage ρ"), "share", True),
            *rates,
            Column("people", _("People tested"), "count"),
            Column("items", _("Items"), "count"),
            Column("judgments", _("Judgments"), "count"),
        ],
        rows=rows,
        charts={name: caption} if rows else {},
        meta=meta_of(asked),
    )


def _winning_rate(epsilon: float) -> str:
    if who := WHO.get(epsilon):
        return _("ω for {who}, ε {epsilon}").format(who=_(who), epsilon=f"{epsilon:g}")
    return _("ω, ε {epsilon}").format(epsilon=f"{epsilon:g}")


def people_table(asked: TableRequest) -> FigureTable | None:
    """Each person against the model on one aspect."""
    judged = asked.section(HUMAN_LLM).aspects.get(asked.aspect)
    if not judged or not judged.alternative.people:
        return None
    figures = alternative_at(asked, judged.alternative)
    too_few = figures.winning_rates[0].undefined_because
    rows = [
        PersonRow(
            annotator=each.annotator,
            person=each.person,
            model=each.model,
            items=each.lead.items,
            p_value={rate.epsilon: each.p_values[str(rate.epsilon)] for rate in figures.winning_rates},
            lead=estimate_of(each.lead),
            remark=each.lead.no_test_because or "",
        )
        for each in figures.people
    ]
    return FigureTable(
        name="llm-alternative-people",
        title=_("Person by person"),
        reading=people_reading(rows, too_few),
        columns=[
            Column("annotator", _("Left out")),
            Column("person", _("Person at least as close"), "share"),
            Column("model", _("Model at least as close"), "share"),
            Column("lead", _("Lead of the person"), "value", True),
            *(Column(f"p_value_{epsilon}", f"p, ε {epsilon:g}", "p") for epsilon in rows[0].p_value),
            Column("items", _("Items"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
        meta=meta_of(asked),
    )


def fields_of(aspect: str, figures: InsteadOfPerson) -> dict[str, Any]:
    """What a row says of one judge on one aspect."""
    return {
        "aspect": aspect,
        "people": figures.advantage.annotators,
        "items": figures.advantage.items,
        "judgments": figures.advantage.judgments,
        "remark": figures.advantage.why_not,
        "advantage": estimate_of(figures.advantage),
        "winning_rate": {rate.epsilon: rate.value for rate in figures.winning_rates},
    }


def reading(rows: list[AlternativeRow], own: float | None = None) -> str:
    """On how many aspects the model passes, for each kind of people and at the chosen ε, and what that means."""
    tested = [row for row in rows if row.advantage.value is not None]
    if not tested:
        said = _("The model cannot be tested against single people. {why}")
        return said.format(why=why_in_language(rows[0].remark))
    if len(tested) == 1 < len(rows):
        sentence = _(
            "In the alternative annotator test the model on “{aspect}”, the only one of {n} aspects that could be "
            "tested, {words}."
        )
    else:
        sentence = _("In the alternative annotator test the model {words}.")
    words, *others = where_it_passes(tested, own)
    sentence = sentence.format(aspect=tested[0].aspect, n=len(rows), words=words)
    untested = [_("“{name}”").format(name=row.aspect) for row in rows if row.advantage.value is None]
    left = _("Not tested, for too few items or people: {aspects}.").format(aspects=in_a_row(untested))
    parts = [whose_epsilon(own), sentence, *others, *at_chosen(tested)]
    return " ".join(filter(None, [*parts, *([left] if untested and len(tested) > 1 else []), _(WHAT_IT_SAYS)]))


def whose_epsilon(own: float | None) -> str:
    """Which ε counts, where the study says who its annotators are."""
    if own is None:
        return ""
    return _("By the study's settings its annotators are {who} (ε {epsilon}).").format(
        who=_(WHO[own]), epsilon=f"{own:g}"
    )


def where_it_passes(tested: Sequence[AlternativeRow], own: float | None) -> list[str]:
    """For which kinds of people the model passes on the aspect, or on how many of several: for every kind; or for the
    study's ``own``, and in a sentence of its own for the others."""
    if own is None:
        return [_passes_for(tested, list(WHO))]
    others = _("With the ε of other annotators it {words}.")
    rest = _passes_for(tested, [epsilon for epsilon in WHO if epsilon != own])
    return [_passes_for(tested, [own]), others.format(words=rest)]


def _passes_for(tested: Sequence[AlternativeRow], epsilons: Sequence[float]) -> str:
    said: dict[tuple[str, int], list[str]] = {}
    for epsilon in epsilons:
        who = WHO[epsilon]
        passed = _passed(epsilon, tested)
        if len(tested) > 1:
            how = _("passes on {passed} of {n} aspects where people are {who}")
        elif passed:
            how = _("passes where people are {who}")
        else:
            how = _("does not pass where people are {who}")
        said.setdefault((how, passed), []).append(f"{_(who)} (ε {epsilon:g})")
    return _(", and ").join(how.format(passed=n, n=len(tested), who=in_a_row(who)) for (how, n), who in said.items())


def at_chosen(tested: Sequence[AlternativeRow]) -> list[str]:
    """Whether the model passes at the ε that was asked for beside the three."""
    return [_at(epsilon, tested) for epsilon in tested[0].winning_rate if epsilon not in WHO]


def _at(epsilon: float, tested: Sequence[AlternativeRow]) -> str:
    passed = _passed(epsilon, tested)
    if len(tested) > 1:
        said = _("At the chosen ε of {epsilon} it passes on {passed} of {n} aspects.")
    elif passed:
        said = _("At the chosen ε of {epsilon} it passes.")
    else:
        said = _("At the chosen ε of {epsilon} it does not pass.")
    return said.format(epsilon=f"{epsilon:g}", passed=passed, n=len(tested))


def _passed(epsilon: float, tested: Sequence[AlternativeRow]) -> int:
    return sum((row.winning_rate[epsilon] or 0.0) >= PASSED for row in tested)


def people_reading(rows: list[PersonRow], too_few: str | None = None) -> str:
    """Against how many people the model wins at each ε; ``too_few``: why these are too few for a winning rate."""
    shares = _(
        "“At least as close”: the share of items on which the one agrees with the others at least as well as the other."
    )
    tested = [row for row in rows if row.p_value[USUAL_EPSILONS[0]] is not None]
    if not tested:
        nobody = _("Nobody could be tested: the test needs three people with 30 items each that others judged, too.")
        return f"{nobody} {shares}"
    parts = [
        _("{n} at ε {epsilon}").format(
            n=sum((row.p_value[epsilon] or 0.0) <= ALPHA for row in tested), epsilon=f"{epsilon:g}"
        )
        for epsilon in tested[0].p_value
    ]
    said = _("Of {n} people who could be tested, the model is significantly less than ε behind {parts}.")
    behind = said.format(n=len(tested), parts=in_a_row(parts))
    return " ".join(filter(None, (behind, why_in_language(too_few or ""), shares)))
