"""People and a model: no sentence says more than its figures do."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import (
    CountedFigure,
    Figure,
)
from annotation_platform.analysis.sections.human_llm import alternative
from annotation_platform.analysis.sections.human_llm import tables as human_llm
from annotation_platform.analysis.sections.human_llm.alignment import alignment_reading
from annotation_platform.analysis.sections.human_llm.replacement import replacement_reading
from annotation_platform.analysis.sections.human_llm.table_rows import (
    AdditionalRow,
    AlignmentRow,
    AlternativeRow,
    ConfusionRow,
    PersonRow,
    PreferenceRow,
    ReplacementRow,
)
from annotation_platform.analysis.sections.mate import tables as mate
from annotation_platform.analysis.sections.mate.figures import Composite, Fit, FittedWeight, MeasureFigures
from annotation_platform.analysis.sections.mate.table_rows import BiasRow as BiasOfModel
from annotation_platform.analysis.sections.mate.table_rows import SystemRow as MeansOfSystem
from tests.analysis.made_figures import difference, figure
from tests.analysis.sentences.rows import FIRST, says, typed


def changed(*spans: Any) -> list[ReplacementRow]:
    """Significant where the interval leaves out 0."""
    return [
        typed(ReplacementRow, aspect=title, change=span, is_certain=len(span) > 1 and span[1] * span[2] > 0)
        for title, span in zip("ABC", spans, strict=False)
    ]


def corrected_away(*spans: Any) -> list[ReplacementRow]:
    return [replace(row, is_certain=False) for row in changed(*spans)]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (changed((None,)), "nothing can be said"),
        (changed((0.1,)), "nothing can be said ≠ significantly"),
        (changed((-0.1, -0.2, -0.05)), "agreement significantly falls on “A”."),
        (
            changed((0.1, 0.05, 0.2)),
            "in a random person's place, agreement significantly rises on “A”. ≠ keeps to the majority",
        ),
        (changed((0.1, -0.05, 0.2), (-0.1, -0.2, 0.1)), "on 2 aspects no significant change is seen ≠ significantly"),
        (
            corrected_away((-0.1, -0.2, -0.01), (0.1, 0.02, 0.2)),
            "on 2 aspects no significant change is seen ≠ significantly",
        ),
    ],
)
def test_the_model_in_a_persons_place(rows: list[ReplacementRow], said: str) -> None:
    says(replacement_reading(rows), said)


def at_each(values: tuple[float, float, float] | None) -> dict[float, float | None]:
    return dict(zip(alternative.WHO, values or (None,) * 3, strict=True))


def alternatives(*rates: tuple[float, float, float] | None) -> list[AlternativeRow]:
    """ω for experts, skilled annotators and a crowd on each aspect; None: it could not be tested."""
    return [
        typed(
            AlternativeRow,
            aspect=title,
            advantage=(each and 0.8,),
            remark="" if each else "The test needs 3 people.",
            winning_rate=at_each(each),
        )
        for title, each in zip("ABC", rates, strict=False)
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (alternatives(None), "The model cannot be tested against single people. The test needs 3 people."),
        (alternatives((1, 0.5, 0.4)), "the model passes where people are experts (ε 0.2) and skilled annotators"),
        (alternatives((1, 0.5, 0.4)), "and does not pass where people are a crowd (ε 0.1). To pass is to be"),
        (alternatives((0, 0, 0)), "the model does not pass where people are experts ≠ passes where"),
        (alternatives((1, 1, 1), None), "on “A”, the only one of 2 aspects that could be tested, passes where"),
        (alternatives((1, 1, 0), (1, 0, 0)), "the model passes on 2 of 2 aspects where people are experts (ε 0.2)"),
        (alternatives((1, 1, 0), (1, 0, 0)), "passes on 1 of 2 aspects where people are skilled annotators (ε 0.15)"),
        (alternatives((1, 1, 0), (1, 0, 0), None), "Not tested, for too few items or people: “C”. To pass is"),
        (alternatives((1, 1, 0), None), "on “A”, the only one ≠ Not tested"),
        (alternatives((1, 1, 0), (1, 0, 0)), "passes on 0 of 2 aspects where people are a crowd ≠ does not pass"),
    ],
)
def test_the_model_instead_of_a_person(rows: list[AlternativeRow], said: str) -> None:
    says(alternative.reading(rows), said)


def against(*people: tuple[float, float, float] | None) -> list[PersonRow]:
    return [typed(PersonRow, p_value=at_each(each)) for each in people]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (against(None, None), "Nobody could be tested: the test needs three people with 30 items"),
        (
            against((0.01, 0.04, 0.2), (0.001, 0.2, 0.3), (0.5, 0.5, 0.5), None),
            "Of 3 people who could be tested, the model is significantly less than ε behind 2 at ε 0.2, 1 at ε 0.15 "
            "and 0 at",
        ),
    ],
)
def test_the_model_against_each_person(rows: list[PersonRow], said: str) -> None:
    says(alternative.people_reading(rows), said)


def aligned(*spans: Any) -> list[AlignmentRow]:
    return [
        typed(AlignmentRow, aspect=title, rho=span, has_order=True, failures=0, left_open=0)
        for title, span in zip("ABC", spans, strict=False)
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "No correlation with the majority is defined"),
        (aligned((None,)), "No correlation with the majority is defined"),
        (aligned((0.5, 0.3, 0.7)), "The model's labels follow people's majority, ρ 0.500 [0.300, 0.700]. ≠ certain"),
        (aligned((0.01, -0.3, 0.3)), "It is not certain that the model's labels follow people's majority, ρ 0.010"),
        (aligned((-0.5, -0.7, -0.3)), "The model's labels run against people's majority, ρ −0.500"),
        (aligned((0.5,)), "is 0.500 without an interval ≠ follow"),
        (aligned((0.5, 0.3, 0.7), (None,)), "on “A”, the only one of 2 aspects"),
        (
            aligned((0.5, 0.3, 0.7), (0.1, -0.1, 0.3)),
            "significantly follow people's majority on 1 of 2 aspects (of 2) … from 0.100",
        ),
        (aligned((0.5, 0.3, 0.7), (0.5, 0.3, 0.7)), "ρ is 0.500 on average and the same on each ≠ from"),
    ],
)
def test_the_model_against_the_majority(rows: list[AlignmentRow], said: str) -> None:
    says(alignment_reading(rows), said)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "No aspect has an order."),
        (
            [typed(AdditionalRow, raters=1, aspects=3, change=(None,), is_certain=False)],
            "What the model's vote adds is not defined.",
        ),
        (
            [typed(AdditionalRow, raters=1, aspects=3, change=(-0.0001,), is_certain=False)],
            "makes no significant difference beside the vote of 1 person (0.000).",
        ),
        (
            [typed(AdditionalRow, raters=1, aspects=3, change=(0.1,), is_certain=True)],
            "significantly raises ρ beside the vote of 1 person (+0.100).",
        ),
        (
            [typed(AdditionalRow, raters=1, aspects=3, change=(-0.1,), is_certain=True)],
            "significantly lowers ρ beside the vote of 1 person (−0.100).",
        ),
    ],
)
def test_the_model_as_one_more_rater(rows: list[AdditionalRow], said: str) -> None:
    says(human_llm._additional_reading(rows), said)


def cell(majority: str, model: str, count: int) -> ConfusionRow:
    return typed(ConfusionRow, majority=majority, model=model, count=count, is_same=majority == model)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([cell("a", "a", 3)], "label on 3 of 3 items. ≠ most often"),
        ([cell("a", "a", 3), cell("a", "b", 2)], "it most often says “b” where people say “a” (2)."),
        (
            [cell("a", "b", 2), cell("b", "a", 2)],
            "on 0 of 4 items … most often says “b” where people say “a” and “a” where people say “b” (2 each).",
        ),
    ],
)
def test_where_the_model_and_people_part(rows: list[ConfusionRow], said: str) -> None:
    says(human_llm._confusion_reading(rows), said)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("A", 1, 5)], "On none of 5 items do two people prefer the same candidate. ≠ On 0"),
        ([("A", 3, 2), ("A", 1, 5)], "On 2 of 7 items 3 people prefer the same candidate. ≠ “A”"),
        ([("A", 3, 2), ("B", 1, 2)], "“A”: on 2 of 2 items 3 people … “B”: on none of 2 items do two people"),
    ],
)
def test_whether_people_prefer_the_same(rows: list[Any], said: str) -> None:
    found = [PreferenceRow(aspect=aspect, agreeing=agreeing, items=items) for aspect, agreeing, items in rows]
    says(human_llm._preference_reading(found), said)


def composite(
    r: CountedFigure | None, baselines: Mapping[str, float] = MappingProxyType({}), change: Figure | None = None
) -> Composite:
    measures = [MeasureFigures(measure=name, by_system=(), r=figure(value)) for name, value in baselines.items()]
    measures += [MeasureFigures(measure="score", by_system=(), r=r)] if r else []
    return Composite.model_construct(
        title="T", score="score", overall="overall", measures=tuple(measures), change=change
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (composite(None), "The correlation of “T” with people's overall rating is not defined."),
        (composite(figure(None)), "The correlation of “T” with people's overall rating is not defined."),
        (composite(figure(0.5)), "have r 0.500 over … answers to … questions, without an interval ( ≠ correlates"),
        (
            composite(figure(0.5, (0.3, 0.7))),
            "“T” correlates with people's overall rating with r 0.500 [0.300, 0.700] over … answers to … questions.",
        ),
        (composite(figure(0.1, (-0.3, 0.4))), "It is not certain that “T” correlates"),
        (composite(figure(-0.5, (-0.7, -0.3))), "“T” runs against people's overall rating"),
        (
            composite(figure(0.5), {"baseline.length": 0.3, "baseline.perplexity_answer": -0.6}),
            "of the baselines Perplexity has the r farthest from 0, −0.600 over … answers ≠ largest",
        ),
        (
            composite(figure(0.5), change=difference(0.1, (0.01, 0.2))),
            "with both, difference +0.100, a significant difference)",
        ),
        (
            composite(figure(0.5), change=difference(0.1, (-0.01, 0.2))),
            "with both, difference +0.100, no significant difference)",
        ),
    ],
)
def test_what_agrees_with_the_overall_rating(found: Composite, said: str) -> None:
    says(mate._correlations_reading([found]), said)


@pytest.mark.parametrize(("means", "names", "mean"), FIRST)
def test_the_highest_mean_of_systems(means: list[Any], names: str, mean: str) -> None:
    rows = [typed(MeansOfSystem, system=name, people=value) for name, value in zip("ab", means, strict=False)]
    told = (
        f"People's mean is highest for {names} ({mean})." if len(rows) > 1 else f"People's mean for {names} is {mean}."
    )
    if names:
        told += " The last row is each measure's r, over 112 to 1,120 answers."
    said = mate._systems_reading(rows, [1120, 112])
    says(said, told if names else "People have rated none of these systems' answers.")


@pytest.mark.parametrize(("means", "names", "mean"), FIRST[1:])
def test_the_largest_weight(means: list[Any], names: str, mean: str) -> None:
    weights = {
        key: FittedWeight(
            value=span[0],
            low=span[1] if span[1:] else None,
            high=span[2] if span[1:] else None,
            no_interval_because=None,
        )
        for key, span in zip("ab", means, strict=False)
    }
    fit = Fit.model_construct(weights=weights, held_out_r=None, held_out_undefined_because="Too few.")
    found = Composite.model_construct(fit=fit, titles={"a": "a", "b": "b"})
    quoted = " and ".join(f"“{name}”" for name in names.split(" and "))
    told = f"The largest weight is that of {quoted} ({mean})." if len(means) > 1 else f"{quoted} has the weight {mean}."
    says(mate._fit_reading(found), f"{told} … is not defined: Too few.")


def test_how_well_the_weights_predict_has_its_interval_or_says_why_not() -> None:
    weights = {"a": FittedWeight(value=2.0, low=None, high=None, no_interval_because=None)}
    known = {"title": "", "fitted_on": "", "answers": 9, "questions": 4, "weights": weights, "signature": ""}
    known |= {"held_out_r": 0.5, "held_out_answers": 12, "held_out_undefined_because": None}
    ends = {"held_out_low": 0.25, "held_out_high": 0.75, "held_out_no_interval_because": None}
    for fit, said in (
        (Fit(**known, **ends), "On 12 judgments, left out of a fit of its own, r is 0.500 [0.250, 0.750]."),
        (Fit(**known, **ends, held_out_units=3), "On 12 judgments about 3 questions, left out of"),
        (Fit(**known, **ends, unit="article", held_out_units=1), "On 12 judgments about 1 article, left out of"),
        (Fit(**known), "r is 0.500, without an interval (this run was made before it had one)."),
    ):
        says(mate._fit_reading(Composite.model_construct(fit=fit, titles={"a": "a"})), said)


@pytest.mark.parametrize(
    ("biases", "said"),
    [
        ([difference(None)], "The model's bias is not defined: Because."),
        ([difference(0.5)], "The model shows no significant bias."),
        ([difference(0.5, (-0.1, 0.9), 0.3)], "The model shows no significant bias."),
        ([difference(0.5, (0.1, 0.9), 0.06)], "The model shows no significant bias."),  # of several that were tested
        (
            [difference(0.5, (0.1, 0.9), 0.01), difference(-0.5, (-0.9, -0.1), 0.01)],
            "The model rates higher on “A” (+0.500), lower on “B” (−0.500) than",
        ),
    ],
)
def test_the_models_bias(biases: list[Figure], said: str) -> None:
    rows = [
        typed(
            BiasOfModel,
            aspect=title,
            bias=(each.value,),
            is_certain=is_certain(each),
            undefined_because="Because.",
        )
        for title, each in zip("AB", biases, strict=False)
    ]
    says(mate._bias_reading(rows), said)
