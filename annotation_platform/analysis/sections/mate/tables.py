"""LLM-MATE: the composite and its baselines by system and against people, weights, and the model's bias."""

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.sections.mate.figures import Composite
from annotation_platform.analysis.tables.base import (
    Column,
    FigureTable,
    Row,
    highest,
    in_a_row,
    not_significantly,
    number,
    sided,
    sign,
    with_interval,
)

NAMES = {
    "baseline.rouge_1": "ROUGE-1",
    "baseline.rouge_2": "ROUGE-2",
    "baseline.rouge_l": "ROUGE-L",
    "baseline.bert_score": "BERTScore",
    "baseline.perplexity_answer": "Perplexity",
    "baseline.perplexity_question": "Perplexity after the question",
    "baseline.perplexity_random_question": "Perplexity after a random question",
    "baseline.length": "Length",
}
HUMAN = "human"


def correlations_table(composites: list[Composite]) -> FigureTable | None:
    """Pearson's r of each measure with people's overall rating."""
    rows = [
        {
            "measure": name_of(each.measure, composite),
            "answers": each.r.judgments,
            "questions": each.r.items,
        }
        | {"group": kind_of(each.measure)}
        | sided("r", each.r)
        | {"undefined_because": each.r.why_not}
        for composite in composites
        for each in composite.measures
    ]
    if not rows:
        return None
    return FigureTable(
        name="mate-correlations",
        title="What agrees with people's overall rating?",
        reading=_correlations_reading(composites),
        columns=[
            Column("measure", "Measure"),
            Column("r", "Pearson's r", "value", True),
            Column("answers", "Answers", "count"),
            Column("questions", "Questions", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"mate-correlations": "Dots are Pearson's r, lines 95\u00a0% intervals from resamples of questions."},
    )


def systems_table(composites: list[Composite]) -> FigureTable | None:
    """The mean of each measure for each system: the paper's Table 1."""
    if not composites:
        return None
    composite = composites[0]
    measures = [(HUMAN, composite.human)] + [(each.measure, each.by_system) for each in composite.measures]
    rows: list[Row] = []
    for place, system in enumerate(composite.systems):
        row: Row = {"system": system, "answers": composite.human[place].judgments}
        for column, (_, by_system) in enumerate(measures):
            row |= sided(f"m{column}", by_system[place])
        rows.append(row)
    footer: Row = {"system": "Pearson's r with people", "answers": composite.answers} | sided("m0", None)
    for column, each in enumerate(composite.measures, start=1):
        footer |= sided(f"m{column}", each.r)
    return FigureTable(
        name="mate-systems",
        title="Means by system",
        reading=_systems_reading(rows),
        columns=[
            Column("system", "System"),
            Column("answers", "Answers", "count"),
            *(
                Column(f"m{column}", "People" if name == HUMAN else name_of(name, composite), "value", True)
                for column, (name, _) in enumerate(measures)
            ),
        ],
        rows=[*rows, footer],
    )


def weights_table(composites: list[Composite]) -> FigureTable | None:
    """What each aspect weighs in people's overall rating."""
    rows = [
        {"aspect": composite.titles[aspect], "answers": composite.fit.answers}
        | with_interval(
            "weight", weight.value, weight.interval, weight.no_interval_because or "", units=composite.fit.n_units
        )
        | {"questions": composite.fit.questions, "fitted_on": composite.fit.fitted_on}
        | {"remark": weight.no_interval_because or ""}
        for composite in composites
        for aspect, weight in composite.fit.weights.items()
    ]
    if not rows:
        return None
    return FigureTable(
        name="mate-weights",
        title="What weighs in people's overall rating",
        reading=" ".join(_fit_reading(composite) for composite in composites),
        columns=[
            Column("aspect", "Aspect"),
            Column("weight", "Weight", "value", True),
            Column("fitted_on", "Fitted on"),
            Column("answers", "Judgments", "count"),
            Column("questions", "Questions", "count"),
            Column("remark", "Remark"),
        ],
        rows=rows,
        charts={"mate-weights": "Dots are weights: the fall of the overall rating from an aspect's best to its worst."},
    )


def bias_table(composites: list[Composite]) -> FigureTable | None:
    """The model's mean rating minus people's, by aspect."""
    rows = [
        {"aspect": composite.titles[each.aspect], "answers": each.bias.items, "p_holm": each.bias.p_holm}
        | sided("bias", each.bias)
        | {"is_certain": is_certain(each.bias)}
        | sided("human", each.human)
        | sided("model", each.model)
        | {"undefined_because": each.bias.undefined_because or ""}
        for composite in composites
        for each in composite.bias
    ]
    if not rows:
        return None
    return FigureTable(
        name="mate-bias",
        title="The model's bias",
        reading=_bias_reading(rows),
        columns=[
            Column("aspect", "Aspect"),
            Column("human", "People's mean", "value", True),
            Column("model", "The model's mean", "value", True),
            Column("bias", "Bias", "value", True),
            Column("p_holm", "p, corrected", "p"),
            Column("answers", "Answers", "count"),
            Column("undefined_because", "Remark"),
        ],
        rows=rows,
        charts={"mate-bias": "Dots are the model's mean minus people's, lines 95\u00a0% intervals."},
    )


def name_of(measure: str, composite: Composite) -> str:
    if measure == composite.score:
        return str(composite.title)
    if measure == composite.overall:
        return "Overall, asked directly"
    return NAMES[measure]


def kind_of(measure: str) -> str:
    return "Baseline" if measure in NAMES else "Language model"


def _correlations_reading(found: list[Composite]) -> str:
    """Each r with its n, since not every measure has a value for every answer."""
    sentences = []
    for composite in found:
        figures = {each.measure: each.r for each in composite.measures}
        direct = figures.get(composite.overall)
        baselines = {name: r.value for name, r in figures.items() if name in NAMES and r.value is not None}
        text = _correlates(composite.title, figures.get(composite.score))
        if direct and direct.value is not None:
            text += f"; asked directly, the model reaches {number(direct.value, 'value')}{_over(direct)}"
        if (change := composite.change) and change.value is not None and change.interval:
            sure = "a significant difference" if is_certain(change) else "no significant difference"
            text += f" (on the answers with both, difference {sign(change.value)}, {sure})"
        if baselines:
            best = max(baselines, key=lambda name: abs(baselines[name]))
            shown = f"{number(baselines[best], 'value')}{_over(figures[best])}"
            text += f"; of the baselines {NAMES[best]} has the r farthest from 0, {shown}"
        sentences.append(f"{text}.")
    return " ".join(sentences)


def _over(r: CountedFigure) -> str:
    return f" over {r.judgments:,} answers to {r.items:,} questions"


def _correlates(title: str, r: CountedFigure | None) -> str:
    """Whether a composite goes with people's overall rating, by the interval of r."""
    if r is None or r.value is None:
        return f"The correlation of “{title}” with people's overall rating is not defined"
    shown = Column("r", "", "value", has_interval=True).show(sided("r", r))
    shown += _over(r)
    if not r.interval:
        why = (r.no_interval_because or "").rstrip(".")
        return f"“{title}” and people's overall rating have r {shown}, without an interval ({why})"
    low, high = r.interval
    if low > 0:
        return f"“{title}” correlates with people's overall rating with r {shown}"
    if high < 0:
        return f"“{title}” runs against people's overall rating with r {shown}"
    return f"It is not certain that “{title}” correlates with people's overall rating: r {shown}"


def _systems_reading(rows: list[Row]) -> str:
    known = [row for row in rows if row["m0"] is not None]
    if not known:
        return "People have rated none of these systems' answers."
    best = highest(known, "m0", "value")
    mean, names = number(best[0]["m0"], "value"), in_a_row([row["system"] for row in best])
    text = f"People's mean is highest for {names} ({mean}{not_significantly(best, known, 'm0')})."
    if len(known) == 1:
        text = f"People's mean for {names} is {mean}."
    return f"{text} The last row is each measure's r."


def _fit_reading(composite: Composite) -> str:
    fit = composite.fit
    weights = [
        {"title": composite.titles[aspect]} | with_interval("weight", weight.value, weight.interval)
        for aspect, weight in fit.weights.items()
    ]
    heaviest = highest(weights, "weight", "value")
    weight, names = number(heaviest[0]["weight"], "value"), in_a_row([f"“{row['title']}”" for row in heaviest])
    text = f"The largest weight is that of {names} ({weight}{not_significantly(heaviest, weights, 'weight')})."
    if len(weights) == 1:
        text = f"{names} has the weight {weight}."
    if fit.held_out_r is None:
        return f"{text} How well the weights predict is not defined: {fit.held_out_undefined_because}"
    n, interval = fit.held_out_answers, fit.held_out_interval
    r = Column("r", "", "value", has_interval=True).show(with_interval("r", fit.held_out_r, interval))
    why = "" if interval else f", without an interval ({(fit.held_out_no_interval_because or '').rstrip('.')})"
    units = fit.held_out_units if fit.held_out_units is not None else fit.held_out_questions
    of = "" if units is None else f" about {units:,} {fit.unit}{'' if units == 1 else 's'}"
    return f"{text} On {n:,} judgments{of}, left out of a fit of its own, r is {r}{why}."


def _bias_reading(rows: list[Row]) -> str:
    if all(row["bias"] is None for row in rows):
        return f"The model's bias is not defined: {rows[0]['undefined_because']}"
    parts = []
    for row in rows:
        if not row["is_certain"]:
            continue
        parts.append(f"{'higher' if row['bias'] > 0 else 'lower'} on “{row['aspect']}” ({sign(row['bias'])})")
    return f"The model rates {', '.join(parts)} than people do." if parts else "The model shows no significant bias."
