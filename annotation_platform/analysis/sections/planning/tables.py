"""Plans as tables: what designs find and cost, and the variances that they rest on."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.figures import AspectHead
from annotation_platform.analysis.sections.planning.figures import PILOT, PilotOfAspect, Variances
from annotation_platform.analysis.sections.planning.forms import (
    IN_WORDS,
    IN_WORDS_ABOUT_NONE,
    START,
    DesignForm,
    StatedForm,
)
from annotation_platform.analysis.sections.planning.plan import Basis, Plan, Price, shares
from annotation_platform.analysis.sections.planning.table_rows import DesignRow, VarianceRow, speaks_of_these_alone
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.request import TableOf, TableRequest
from annotation_platform.analysis.tables.words import in_a_row, number, number_kind, with_commas
from annotation_platform.core.few_units import FEWEST_ARTICLES
from annotation_platform.core.power import Components, Design

ASKED = (*DesignForm.base_fields,)


def pilot_of(asked: TableRequest) -> PilotOfAspect:
    return asked.section(PILOT)[asked.aspect]


def variances_of(asked: TableRequest) -> Variances:
    """Of rescaled judgments where there are any, as on the page Systems."""
    pilot = pilot_of(asked)
    return pilot.raw if pilot.rescaled is None else pilot.rescaled


def components_of(found: Variances) -> Components:
    given = [found.articles, found.questions, found.annotators, found.residual, found.strictness]
    return Components(*(value or 0.0 for value in given))


def usual(pilot: PilotOfAspect, head: AspectHead) -> dict[str, Any]:
    """A study like the pilot; of what is judged side by side all stands in one task."""
    of = pilot.raw
    return {
        "articles": max(of.n_articles, 2),
        "questions": max(1, round(of.n_questions / max(of.n_articles, 1))),
        "annotators": pilot.annotators_an_item,
        "systems": max(pilot.systems, 2),
        "way": "together" if head.per == "candidate" else "apart",
        "per_task": 5,
        "paid_by": "task",
    }


def form_of(asked: TableRequest) -> DesignForm:
    sent = {name: asked.parameters[name] for name in ASKED if name in asked.parameters}
    return DesignForm(sent, usual(pilot_of(asked), asked.head))


def plan_of(asked: TableRequest, form: DesignForm) -> Plan | None:
    """The plan that was asked for; None without variances, or where the form has mistakes."""
    found = variances_of(asked)
    if found.undefined_because or not form.is_valid():
        return None
    units = found.n_articles if found.unit == "article" else found.n_questions
    basis = Basis(components_of(found), found.covariance, found.no_covariance_because or "", found.unit, units)
    return plan_from(form, basis)


def plan_from(form: DesignForm, basis: Basis) -> Plan:
    """A valid form's plan."""
    return Plan(basis, form.design, price_of(form))


def price_of(form: DesignForm) -> Price:
    of = form.cleaned_data
    return Price(of["pay"], of["currency"].strip(), of["minutes"], of["paid_by"], of["bonus"] or 0, of["fee"] or 0)


def as_data(row: DesignRow) -> dict[str, Any]:
    """A design as plain data: what it finds, with its interval, and what it takes."""
    told = {name: getattr(row, name) for name in ("articles", "questions", "annotators", "tasks", "cost", "hours")}
    interval = None if row.smallest.low is None else [row.smallest.low, row.smallest.high]
    return {**told, "smallest": row.smallest.value, "smallest_interval": interval, "is_chosen": row.is_chosen}


def stated_form(parameters: Mapping[str, str]) -> StatedForm:
    """The design and the variances that are stated by these parameters, before there is any study."""
    return StatedForm({name: parameters[name] for name in StatedForm.base_fields if name in parameters}, START)


def stated_tables(form: StatedForm, *, query: str) -> dict[str, FigureTable]:
    """What a valid form's design finds and costs, the curve, and the variances: by name."""
    made = plan_from(form, Basis(form.components))
    kind = "score" if form.cleaned_data["length"] > 10 else "value"
    found = [
        designs(made, kind, query=query),
        curve(made, kind, query=query),
        components_table(made.basis.components, kind, about_none=made.design.about_none, query=query),
    ]
    return {table.name: table for table in found}


def plan_table(asked: TableRequest) -> FigureTable | None:
    """What the design asked for finds and costs, beside fewer and more of articles and annotators."""
    plan = plan_of(asked, form_of(asked))
    return None if plan is None else designs(plan, number_kind(asked.head), query=asked.query_of(*ASKED))


def curve_table(asked: TableRequest) -> FigureTable | None:
    """The smallest difference over the number of articles."""
    plan = plan_of(asked, form_of(asked))
    return None if plan is None else curve(plan, number_kind(asked.head), query=asked.query_of(*ASKED))


def designs(plan: Plan, kind: str, *, query: str) -> FigureTable:
    return FigureTable(
        name="plan",
        title=_("Designs"),
        reading=plan_reading(plan.chosen, plan, kind),
        columns=_columns(plan, kind),
        rows=plan.grid,
        meta={"query": query},
        unit=plan.basis.unit,
    )


def curve(plan: Plan, kind: str, *, query: str) -> FigureTable:
    rows = plan.curve
    caption = [_("Each line is a number of annotators per answer; the dot is the design above.")]
    if speaks_of_these_alone(rows[0]):
        few = _("Lines break before {fewest} articles: of fewer, the test is by question and speaks of these alone.")
        caption.append(few.format(fewest=FEWEST_ARTICLES))
    return FigureTable(
        name="plan-curve",
        title=(
            _("Smallest difference by number of questions")
            if plan.design.about_none
            else _("Smallest difference by number of articles")
        ),
        reading=curve_reading(rows, plan, kind),
        columns=_columns(plan, kind),
        rows=rows,
        charts={"plan-curve": " ".join(caption)},
        meta={"query": query},
        unit=plan.basis.unit,
    )


def _columns(plan: Plan, kind: str) -> list[Column]:
    of = plan.price
    money = _("Cost ({currency})").format(currency=of.currency) if of.currency else _("Cost")
    return [
        *_columns_of_material(plan.design),
        Column("annotators", _("Annotators per answer"), "count"),
        Column("smallest", _("Smallest difference"), kind, plan.basis.covariance is not None),
        Column("tasks", _("Tasks to fill"), "count"),
        *([Column("cost", money, "money")] if of.of_task is not None else []),
        *([Column("hours", _("Hours"), "score")] if of.minutes is not None else []),
    ]


def _columns_of_material(design: Design) -> list[Column]:
    if design.about_none:
        return [Column("articles", _("Questions"), "count")]
    return [Column("articles", _("Articles"), "count"), Column("questions", _("Questions about each"), "count")]


def plan_reading(row: DesignRow, plan: Plan, kind: str) -> str:
    """What the design finds, what it takes, and what the test goes by."""
    design = plan.design
    smallest = row.smallest
    finds = number(smallest.value, kind)
    if smallest.low is not None:
        finds = _("{difference} (95\u00a0% interval, from the pilot's own size: {low} to {high})").format(
            difference=finds, low=number(smallest.low, kind), high=number(smallest.high, kind)
        )
    per_answer = ngettext("{n} annotator per answer", "{n} annotators per answer", design.annotators)
    said = _(
        "With {material} and {annotators}, a true difference of {finds} between two systems is found in "
        "80\u00a0% of such studies (two-sided test at 0.05, by {unit}, n = {units:,})."
    ).format(
        material=with_commas(_material(design)),
        annotators=per_answer.format(n=design.annotators),
        finds=finds,
        unit=_(design.unit),
        units=design.units,
    )
    return f"{said} {_price_in_words(row, plan.price)}"


def _articles(n: int, design: Design) -> str:
    """So many articles, or questions where these are about none."""
    if design.about_none:
        return ngettext("{n:,} question", "{n:,} questions", n).format(n=n)
    return ngettext("{n:,} article", "{n:,} articles", n).format(n=n)


def _material(design: Design) -> list[str]:
    about = ngettext("{n:,} question about each", "{n:,} questions about each", design.questions)
    each = [] if design.about_none else [about.format(n=design.questions)]
    return [_articles(design.articles, design), *each]


def comes_otherwise(design: Design) -> str:
    """What of a design no study is made with, and where it comes from instead."""
    come = (
        _(
            "Questions come with the corpus that you choose or import: the plan is of {material}, and answers of "
            "{systems} systems."
        )
        if design.about_none
        else _(
            "Articles and questions come with the corpus that you choose or import: the plan is of {material}, and "
            "answers of {systems} systems."
        )
    )
    corpus = come.format(material=with_commas(_material(design)), systems=design.systems)
    if design.people is None:
        invited = _("Invite so many annotators that hardly anybody judges twice.")
    else:
        invited = ngettext("Invite {n:,} annotator.", "Invite {n:,} annotators.", design.people).format(n=design.people)
    return " ".join(
        [
            corpus,
            invited,
            _("What a task pays and how long it takes becomes the study's, too, as far as the plan says it."),
        ]
    )


def _price_in_words(row: DesignRow, price: Price) -> str:
    takes = [ngettext("{n:,} task", "{n:,} tasks", row.tasks).format(n=row.tasks)]
    if row.cost is not None:
        takes.append(price.in_words(row.cost))
    if row.hours is not None:
        takes.append(_("{hours} hours of work").format(hours=number(row.hours, "score")))
    return " ".join([_("It takes {what}.").format(what=in_a_row(takes)), *cost_in_words(price)])


def cost_in_words(price: Price) -> Iterator[str]:
    """What the cost is made of, where it is more than the pay of tasks."""
    if price.of_task is None:
        return
    if price.by == "hour":
        hourly = _("Pay is {pay} an hour, which is {reward} for a task of {minutes} minutes.")
        yield hourly.format(
            pay=price.in_words(price.pay), reward=price.in_words(price.reward), minutes=price.told_minutes
        )
    if price.bonus or price.fee:
        added = _("With a bonus of {bonus}\u00a0% and a provider's fee of {fee}\u00a0% a task costs {cost}.")
        yield added.format(bonus=f"{price.bonus:g}", fee=f"{price.fee:g}", cost=price.in_words(price.of_task))


def curve_reading(rows: list[DesignRow], plan: Plan, kind: str) -> str:
    """What more articles, or more annotators, would buy."""
    own = [row for row in rows if row.annotators == plan.design.annotators]
    same = [row for row in rows if row.articles == plan.design.articles]
    first, last = own[0], own[-1]
    at_both_ends = _("With {annotators} per answer it is {first} with {few} and {last} with {many}.")
    text = at_both_ends.format(
        annotators=plan.design.annotators,
        first=number(first.smallest.value, kind),
        few=_articles(first.articles, plan.design),
        last=number(last.smallest.value, kind),
        many=_articles(last.articles, plan.design),
    )
    if len(same) > 1:
        fewest, most = same[0], same[-1]
        by = _("With {articles} it is {high} with {fewest} per answer and {low} with {most}.").format(
            articles=_articles(plan.design.articles, plan.design),
            high=number(fewest.smallest.value, kind),
            fewest=fewest.annotators,
            low=number(most.smallest.value, kind),
            most=most.annotators,
        )
        text = f"{text} {by}"
    return text


def variances_table(asked: TableRequest) -> FigureTable | None:
    """Where the pilot's differences come from."""
    found = variances_of(asked)
    if found.undefined_because:
        return None
    return components_table(components_of(found), number_kind(asked.head), found)


BELOW_ZERO = gettext_noop("It was estimated below 0 and is taken for 0.")


def components_table(
    components: Components, kind: str, found: Variances | None = None, *, about_none: bool = False, query: str = ""
) -> FigureTable:
    """The standard deviations with their parts in the whole; ``found`` is the pilot that they come from.

    ``about_none``: questions are about no document, in the plan or in the pilot.
    """
    deviations = shares(components)
    total = sum(sd**2 for sd in deviations)
    cut = found.below_zero if found else ()
    told = IN_WORDS_ABOUT_NONE if about_none or (found and found.about_none) else IN_WORDS
    rows = [
        VarianceRow(
            source=_(title),
            deviation=sd,
            share=sd**2 / total if total else None,
            meaning=" ".join([_(meaning), *([_(BELOW_ZERO)] if name in cut else [])]),
        )
        for name, sd in zip(IN_WORDS, deviations, strict=True)
        if name in told
        for title, meaning in [told[name]]
    ]
    return FigureTable(
        name="plan-variances",
        title=_("What the plan rests on"),
        reading=variances_reading(rows, kind, found),
        columns=[
            Column("source", _("Source")),
            Column("deviation", _("Standard deviation"), kind),
            Column("share", _("Share of the variance"), "share"),
            Column("meaning", _("What it is")),
        ],
        rows=rows,
        meta={"query": query},
    )


def variances_reading(rows: list[VarianceRow], kind: str, found: Variances | None) -> str:
    """What varies most, how much the pilot has, and what it could not tell apart."""
    known = [row for row in rows if row.share is not None]
    if not known:
        return _("Nothing varies: any difference would be found.")
    top = max(row.share or 0.0 for row in known)
    named = [row for row in known if row.share == top]
    sources = in_a_row([_("“{source}”").format(source=row.source) for row in named])
    most = _("Most of the variance: {sources} (standard deviation {deviation}).")
    text = most.format(sources=sources, deviation=number(named[0].deviation, kind))
    if found is None:
        return text
    counted = _rests_on(found).format(
        n=found.n_questions, articles=found.n_articles, annotators=found.n_annotators, pairs=found.n_pairs
    )
    merged = None if found.about_none else found.merged
    return " ".join([text, counted, *([why_in_language(merged)] if merged else [])])


def _rests_on(found: Variances) -> str:
    if found.about_none and found.n_pairs > 1:
        return _("Estimated from {n:,} questions, judged by {annotators:,} annotators, over {pairs} pairs of systems.")
    if found.about_none:
        return _("Estimated from {n:,} questions, judged by {annotators:,} annotators.")
    if found.n_pairs > 1:
        return ngettext(
            "Estimated from {n:,} question about {articles:,} articles, judged by {annotators:,} annotators, over "
            "{pairs} pairs of systems.",
            "Estimated from {n:,} questions about {articles:,} articles, judged by {annotators:,} annotators, over "
            "{pairs} pairs of systems.",
            found.n_questions,
        )
    return ngettext(
        "Estimated from {n:,} question about {articles:,} articles, judged by {annotators:,} annotators.",
        "Estimated from {n:,} questions about {articles:,} articles, judged by {annotators:,} annotators.",
        found.n_questions,
    )


TABLES = {
    "plan": TableOf((PILOT.key,), plan_table),
    "plan-curve": TableOf((PILOT.key,), curve_table),
    "plan-variances": TableOf((PILOT.key,), variances_table),
}
