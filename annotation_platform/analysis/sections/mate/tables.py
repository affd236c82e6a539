"""LLM-MATE: the composite and its baselines by system and against people, weights, and the model's bias."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation_platform.accounts.language import why_in_language
from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import AspectHead, CountedFigure
from annotation_platform.analysis.sections.mate.figures import Composite, Fit
from annotation_platform.analysis.sections.mate.table_rows import BiasRow, CorrelationRow, SystemRow, WeightRow
from annotation_platform.analysis.tables.base import Column, FigureTable
from annotation_platform.analysis.tables.leading import highest, leads
from annotation_platform.analysis.tables.rows import NOTHING, Estimate, estimate_of, estimated
from annotation_platform.analysis.tables.words import (
    from_to,
    half_sentence,
    in_a_row,
    number,
    sign,
    units_called,
    with_commas,
    with_ends,
)

NAMES = {
    "baseline.rouge_1": "ROUGE-1",
    "baseline.rouge_2": "ROUGE-2",
    "baseline.rouge_l": "ROUGE-L",
    "baseline.bert_score": "BERTScore",
    "baseline.perplexity_answer": gettext_noop("Perplexity"),
    "baseline.perplexity_question": gettext_noop("Perplexity after the question"),
    "baseline.perplexity_random_question": gettext_noop("Perplexity after a random question"),
    "baseline.length": gettext_noop("Length"),
}


def correlations_table(composites: list[Composite]) -> FigureTable | None:
    """Pearson's r of each measure with people's overall rating."""
    rows = [
        CorrelationRow(
            measure=name_of(each.measure, composite),
            answers=each.r.judgments,
            questions=each.r.items,
            group=kind_of(each.measure),
            r=estimate_of(each.r),
            undefined_because=each.r.why_not,
        )
        for composite in composites
        for each in composite.measures
    ]
    if not rows:
        return None
    return FigureTable(
        name="mate-correlations",
        title=_("What agrees with people's overall rating?"),
        reading=_correlations_reading(composites),
        columns=[
            Column("measure", _("Measure")),
            Column("r", _("Pearson's r"), "value", True),
            Column("answers", _("Answers"), "count"),
            Column("questions", _("Questions"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={"mate-correlations": _("Dots are Pearson's r, lines 95\u00a0% intervals from resamples of questions.")},
    )


def systems_table(composites: list[Composite]) -> FigureTable | None:
    """The mean of each measure for each system: the paper's Table 1."""
    if not composites:
        return None
    composite = composites[0]
    rows = [
        SystemRow(
            system=system,
            answers=people.judgments,
            people=estimate_of(people),
            measures={
                column: estimate_of(each.by_system[place]) for column, each in enumerate(composite.measures, start=1)
            },
        )
        for place, (system, people) in enumerate(zip(composite.systems, composite.human, strict=True))
    ]
    footer = SystemRow(
        system=_("Pearson's r with people"),
        answers=composite.answers,
        people=NOTHING,
        measures={column: estimate_of(each.r) for column, each in enumerate(composite.measures, start=1)},
    )
    return FigureTable(
        name="mate-systems",
        title=_("Means by system"),
        reading=_systems_reading(rows, [each.r.judgments for each in composite.measures]),
        columns=[
            Column("system", _("System")),
            Column("answers", _("Answers"), "count"),
            Column("m0", _("People"), "value", True),
            *(
                Column(f"m{column}", name_of(each.measure, composite), "value", True)
                for column, each in enumerate(composite.measures, start=1)
            ),
        ],
        rows=[*rows, footer],
    )


def weights_table(composites: list[Composite]) -> FigureTable | None:
    """What each aspect weighs in people's overall rating."""
    rows = [
        WeightRow(
            aspect=composite.titles[aspect],
            answers=composite.fit.answers,
            weight=estimated(weight.value, weight.interval, weight.no_interval_because or "", composite.fit.n_units),
            questions=composite.fit.questions,
            fitted_on=composite.fit.fitted_on,
            remark=weight.no_interval_because or "",
        )
        for composite in composites
        for aspect, weight in composite.fit.weights.items()
    ]
    if not rows:
        return None
    return FigureTable(
        name="mate-weights",
        title=_("What weighs in people's overall rating"),
        reading=" ".join(_fit_reading(composite) for composite in composites),
        columns=[
            Column("aspect", _("Aspect")),
            Column("weight", _("Weight"), "value", True),
            Column("fitted_on", _("Fitted on")),
            Column("answers", _("Judgments"), "count"),
            Column("questions", _("Questions"), "count"),
            Column("remark", _("Remark")),
        ],
        rows=rows,
        charts={
            "mate-weights": _(
                "Dots are weights: the fall of people's overall rating from an aspect's best to its worst, lines "
                "95\u00a0% intervals."
            )
        },
    )


def bias_table(composites: list[Composite], heads: Sequence[AspectHead]) -> FigureTable | None:
    """The model's mean rating minus people's, by aspect; drawn as shares, since scales differ in length."""
    lengths = {head.aspect: head.length for head in heads}
    rows = [
        BiasRow(
            aspect=composite.titles[each.aspect],
            answers=each.bias.items,
            p_holm=each.bias.p_holm,
            bias=estimate_of(each.bias),
            share=_of_length(estimate_of(each.bias), lengths.get(each.aspect)),
            is_certain=is_certain(each.bias),
            human=estimate_of(each.human),
            model=estimate_of(each.model),
            undefined_because=each.bias.undefined_because or "",
        )
        for composite in composites
        for each in composite.bias
    ]
    if not rows:
        return None
    return FigureTable(
        name="mate-bias",
        title=_("The model's bias"),
        reading=_bias_reading(rows),
        columns=[
            Column("aspect", _("Aspect")),
            Column("human", _("People's mean"), "value", True),
            Column("model", _("The model's mean"), "value", True),
            Column("bias", _("Bias"), "value", True),
            Column("share", _("Of the scale's length"), "share"),
            Column("p_holm", _("p, corrected"), "p"),
            Column("answers", _("Answers"), "count"),
            Column("undefined_because", _("Remark")),
        ],
        rows=rows,
        charts={
            "mate-bias": _(
                "Dots are the model's mean minus people's, as a share of the scale's length; lines 95\u00a0% intervals."
            )
        },
        draws={"mate-bias": ("share",)},
    )


def _of_length(bias: Estimate, length: float | None) -> Estimate:
    """A difference in the numbers of a scale as a share of its length."""
    if bias.value is None or not length:
        return NOTHING
    low, high = (None if end is None else end / length for end in (bias.low, bias.high))
    return Estimate(bias.value / length, low, high, bias.why, bias.units)


def name_of(measure: str, composite: Composite) -> str:
    if measure == composite.score:
        return str(composite.title)
    if measure == composite.overall:
        return _("Overall, asked directly")
    return _(NAMES[measure])


def kind_of(measure: str) -> str:
    return _("Baseline") if measure in NAMES else _("Language model")


def _correlations_reading(found: list[Composite]) -> str:
    """Each r with its n, since not every measure has a value for every answer."""
    sentences = []
    for composite in found:
        figures = {each.measure: each.r for each in composite.measures}
        direct = figures.get(composite.overall)
        baselines = {name: r.value for name, r in figures.items() if name in NAMES and r.value is not None}
        text = _correlates(composite.title, figures.get(composite.score))
        if direct and direct.value is not None:
            text = _("{words}; asked directly, the model reaches {r}").format(
                words=text, r=_over(number(direct.value, "value"), direct)
            )
        if (change := composite.change) and change.value is not None and change.interval:
            said = _("{words} (on the answers with both, difference {difference}, no significant difference)")
            if is_certain(change):
                said = _("{words} (on the answers with both, difference {difference}, a significant difference)")
            text = said.format(words=text, difference=sign(change.value))
        if baselines:
            best = max(baselines, key=lambda name: abs(baselines[name]))
            text = _("{words}; of the baselines {name} has the r farthest from 0, {r}").format(
                words=text, name=_(NAMES[best]), r=_over(number(baselines[best], "value"), figures[best])
            )
        sentences.append(_("{words}.").format(words=text))
    return " ".join(sentences)


def _over(shown: str, r: CountedFigure) -> str:
    said = _("{r} over {answers:,} answers to {questions:,} questions")
    return said.format(r=shown, answers=r.judgments, questions=r.items)


def _correlates(title: str, r: CountedFigure | None) -> str:
    """Whether a composite goes with people's overall rating, by the interval of r."""
    if r is None or r.value is None:
        return _("The correlation of “{title}” with people's overall rating is not defined").format(title=title)
    shown = _over(with_ends(r.value, r.interval, "value"), r)
    if not r.interval:
        said = _("“{title}” and people's overall rating have r {r}, without an interval ({why})")
        return said.format(title=title, r=shown, why=half_sentence(r.no_interval_because or ""))
    low, high = r.interval
    if low > 0:
        said = _("“{title}” correlates with people's overall rating with r {r}")
    elif high < 0:
        said = _("“{title}” runs against people's overall rating with r {r}")
    else:
        said = _("It is not certain that “{title}” correlates with people's overall rating: r {r}")
    return said.format(title=title, r=shown)


def _systems_reading(rows: list[SystemRow], answers: list[int]) -> str:
    """``answers``: over how many each measure's r is."""
    known = [row for row in rows if row.people.value is not None]
    if not known:
        return _("People have rated none of these systems' answers.")
    best = highest(known, lambda row: row.people.value, "value")
    mean, names = number(best[0].people.value, "value"), in_a_row([row.system for row in best])
    if len(known) == 1:
        text = _("People's mean for {names} is {mean}.")
    elif leads(best, known, lambda row: row.people):
        text = _("People's mean is highest for {names} ({mean}).")
    else:
        text = _("People's mean is highest for {names} ({mean}, not significantly ahead).")
    over = from_to(f"{min(answers, default=0):,}", f"{max(answers, default=0):,}")
    last = _("The last row is each measure's r, over {n} answers.").format(n=over)
    return " ".join([text.format(names=names, mean=mean), last])


def _fit_reading(composite: Composite) -> str:
    fit = composite.fit
    weights = [
        (composite.titles[aspect], estimated(weight.value, weight.interval, "", None))
        for aspect, weight in fit.weights.items()
    ]
    heaviest = highest(weights, lambda each: each[1].value, "value")
    names = in_a_row([_("“{title}”").format(title=title) for title, _weight in heaviest])
    if len(weights) == 1:
        text = _("{names} has the weight {weight}.")
    elif leads(heaviest, weights, lambda each: each[1]):
        text = _("The largest weight is that of {names} ({weight}).")
    else:
        text = _("The largest weight is that of {names} ({weight}, not significantly ahead).")
    text = text.format(names=names, weight=number(heaviest[0][1].value, "value"))
    return f"{text} {_held_out(fit)}"


def _held_out(fit: Fit) -> str:
    """How well the weights predict judgments that they were not fitted on."""
    if fit.held_out_r is None:
        why = why_in_language(fit.held_out_undefined_because or "")
        return _("How well the weights predict is not defined: {why}").format(why=why)
    r = with_ends(fit.held_out_r, fit.held_out_interval, "value")
    if not fit.held_out_interval:
        why = half_sentence(fit.held_out_no_interval_because or "")
        r = _("{r}, without an interval ({why})").format(r=r, why=why)
    units = fit.held_out_units if fit.held_out_units is not None else fit.held_out_questions
    if units is None:
        said = _("On {n:,} judgments, left out of a fit of its own, r is {r}.")
        return said.format(n=fit.held_out_answers, r=r)
    how_many = f"{units:,} {_(fit.unit) if units == 1 else units_called(fit.unit)}"
    said = _("On {n:,} judgments about {units}, left out of a fit of its own, r is {r}.")
    return said.format(n=fit.held_out_answers, units=how_many, r=r)


def _bias_reading(rows: list[BiasRow]) -> str:
    if all(row.bias.value is None for row in rows):
        return _("The model's bias is not defined: {why}").format(why=why_in_language(rows[0].undefined_because))
    higher, lower = _("higher on “{aspect}” ({bias})"), _("lower on “{aspect}” ({bias})")
    parts = [
        (higher if bias > 0 else lower).format(aspect=row.aspect, bias=sign(bias))
        for row in rows
        if row.is_certain and (bias := row.bias.value) is not None
    ]
    if not parts:
        return _("The model shows no significant bias.")
    return _("The model rates {parts} than people do.").format(parts=with_commas(parts))
