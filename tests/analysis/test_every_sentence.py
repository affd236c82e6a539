"""Every sentence about figures says no more than they do: a table of rows for each function that makes one.

Rows are made by hand: nothing measured, one of a kind, undefined, without an interval, an interval below 0, around it
and above it, ends that round to zero, and ties for the first place.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypeVar

import pytest

from annotation_platform.analysis.measuring.certainty import is_certain
from annotation_platform.analysis.measuring.figures import (
    Alpha,
    CountedFigure,
    Counts,
    Figure,
    HowIntervals,
    Label,
    MainFigures,
    SnapshotHead,
)
from annotation_platform.analysis.measuring.plain import nothing
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.paper.archive import caption_source
from annotation_platform.analysis.sections.agreement import tables as agreement
from annotation_platform.analysis.sections.agreement.figures import RescaledAlpha
from annotation_platform.analysis.sections.agreement.table_rows import CoefficientRow
from annotation_platform.analysis.sections.annotators import tables as annotators
from annotation_platform.analysis.sections.annotators import words as annotators_words
from annotation_platform.analysis.sections.annotators.figures import AnnotatorFigures, Annotators
from annotation_platform.analysis.sections.annotators.measure import why_no_leniency
from annotation_platform.analysis.sections.consensus import tables as consensus
from annotation_platform.analysis.sections.consensus import words as consensus_words
from annotation_platform.analysis.sections.consensus.table_rows import CompetenceRow, TwoWaysRow
from annotation_platform.analysis.sections.equivalence import tables as equivalence
from annotation_platform.analysis.sections.equivalence import words as equivalence_words
from annotation_platform.analysis.sections.equivalence.figures import ShareOfAll
from annotation_platform.analysis.sections.equivalence.table_rows import SystemRow as SystemVerdictsRow
from annotation_platform.analysis.sections.equivalence.table_rows import WayRow
from annotation_platform.analysis.sections.explanations import tables as explanations
from annotation_platform.analysis.sections.explanations.figures import (
    ExplanationsOfAspect,
    GroupWords,
    Quotation,
    Theme,
    WordApart,
)
from annotation_platform.analysis.sections.history import comparison as history
from annotation_platform.analysis.sections.history.stored_figures import StoredFigure
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
from annotation_platform.analysis.sections.judges import tables as judges
from annotation_platform.analysis.sections.judges.kinds import KINDS
from annotation_platform.analysis.sections.judges.table_rows import BiasRow, JudgeRow
from annotation_platform.analysis.sections.labels import tables as labels
from annotation_platform.analysis.sections.labels.figures import GroupLabels, LabelDistribution, LabelShare, PartLabels
from annotation_platform.analysis.sections.labels.table_rows import AllRow, GroupRow, ShareOfLabel
from annotation_platform.analysis.sections.mate import tables as mate
from annotation_platform.analysis.sections.mate.figures import Composite, Fit, FittedWeight, MeasureFigures
from annotation_platform.analysis.sections.mate.table_rows import BiasRow as BiasOfModel
from annotation_platform.analysis.sections.mate.table_rows import SystemRow as MeansOfSystem
from annotation_platform.analysis.sections.number_of_raters import tables as raters
from annotation_platform.analysis.sections.number_of_raters.table_rows import OneMoreRow, VoteRow
from annotation_platform.analysis.sections.pairs import tables as pairs
from annotation_platform.analysis.sections.pairs.figures import PairKappa, PairTau
from annotation_platform.analysis.sections.planning import tables as planning
from annotation_platform.analysis.sections.planning.figures import Variances
from annotation_platform.analysis.sections.planning.plan import Basis, Plan, Price
from annotation_platform.analysis.sections.powered import tables as powered
from annotation_platform.analysis.sections.powered.table_rows import DifferenceRow, MeanRow
from annotation_platform.analysis.sections.powered.words import JUDGE
from annotation_platform.analysis.sections.preferences import tables as preferences
from annotation_platform.analysis.sections.preferences.figures import (
    ComparedSystems,
    Effect,
    PreferredShare,
    Ranking,
    StrengthOfSystem,
)
from annotation_platform.analysis.sections.rev import tables as rev
from annotation_platform.analysis.sections.rev.figures import Step
from annotation_platform.analysis.sections.sentences import tables as cited
from annotation_platform.analysis.sections.sentences.figures import CitedSentences
from annotation_platform.analysis.sections.spans import tables as marked
from annotation_platform.analysis.sections.spans.figures import MarkedLabel, MarkedSpans
from annotation_platform.analysis.sections.systems import tables as systems
from annotation_platform.analysis.sections.systems import words as systems_words
from annotation_platform.analysis.sections.systems.figures import DifferenceOfSystems
from annotation_platform.analysis.sections.systems.table_rows import AspectsRow, MeanOnAspect, RankRow
from annotation_platform.analysis.sections.systems.table_rows import DifferenceRow as DifferenceOfTwo
from annotation_platform.analysis.sections.variants import classes as classes
from annotation_platform.analysis.sections.variants import tables as variants
from annotation_platform.analysis.sections.variants.table_rows import (
    ClassRow,
    ComparisonRow,
    MeanOfLabel,
    MixtureRow,
    OwnOrderRow,
    TauRow,
)
from annotation_platform.analysis.sections.work.figures import Work
from annotation_platform.analysis.snapshots.words import alpha_in_words, change_in_words, extremes_in_words
from annotation_platform.analysis.tables.base import Row
from annotation_platform.analysis.tables.registry import TABLES
from annotation_platform.analysis.tables.rows import NOTHING, Estimate, TableRow, with_interval
from annotation_platform.analysis.tables.words import number, sign
from annotation_platform.core.power import Components, Design
from annotation_platform.core.schemes import build_scheme
from annotation_platform.core.schemes.loading import preset
from annotation_platform.core.statistics import Ratings, krippendorff_alpha
from annotation_platform.studies.models import Study
from tests.analysis import made_figures as made
from tests.analysis.made_figures import NONE, Span, asked_for, compared, difference, figure, head, person

T = TypeVar("T", bound=TableRow)
SCHEME = build_scheme(dict(preset("ebr")))


def stored(value: float | None, interval: Span = None, **more: Any) -> Row:
    """A figure as plain data."""
    return made.figure(value, interval).model_dump() | more


def row(**spans: Any) -> Row:
    """A table's row: ``key=(value, low, high)`` or ``(value,)`` becomes a figure's cells, the rest stays as it is."""
    found: Row = {}
    for key, span in spans.items():
        if isinstance(span, tuple):
            found |= with_interval(key, span[0], list(span[1:]) or None)
        else:
            found[key] = span
    return found


def typed(kind: type[T], **given: Any) -> T:
    """A row of a type, as above; what is not given is not there."""
    nothing = {each.name: NOTHING if each.type is Estimate else None for each in fields(kind)}  # type: ignore[arg-type]
    spans = {key: Estimate(*value) if isinstance(value, tuple) else value for key, value in given.items()}
    return kind(**nothing | spans)


def says(text: str, said: str) -> None:
    """``said``: what stands in it, parts parted by ``…``, and after ``≠`` what does not."""
    wanted, *unwanted = said.split(" ≠ ")
    for part in wanted.split(" … "):
        assert part in text, text
    for part in unwanted:
        assert part not in text, text
    assert "None" not in text.replace("None of", ""), text
    for nonsense in ("nan", "−0.000", "−0.00 ", "−0.00]", "  ", "..", " .", ",.", "1 pairs "):
        assert nonsense not in text, text


# --- Numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (-0.0004, "value", "0.000"),
        (-0.04, "score", "0.0"),
        (-0.0004, "share", "0.0\u00a0%"),
        (-0.25, "share", "−25.0\u00a0%"),
        (-0.0, "value", "0.000"),
        (-0.0006, "value", "−0.001"),
        (None, "value", "–"),
    ],
)
def test_what_rounds_to_zero_has_no_sign(value: float | None, kind: str, text: str) -> None:
    assert number(value, kind) == text


def test_a_difference_of_nothing_goes_nowhere() -> None:
    assert (sign(-0.0001), sign(0.0), sign(0.01), sign(-0.01)) == ("0.000", "0.000", "+0.010", "−0.010")


@pytest.mark.parametrize(
    ("found", "certain"),
    [
        (difference(0.2, (0.1, 0.3), p_holm=0.01), True),
        (difference(0.2, (-0.1, 0.3), p_holm=0.01), False),  # the interval that is shown holds 0
        (difference(0.2, (0.1, 0.3), p_holm=0.2), False),
        (difference(0.2, None, p_holm=0.01), True),
        (figure(0.2, (0.1, 0.3)), True),
        (figure(0.2), False),
        (difference(None, p_holm=None), False),
        (figure(-0.2, (-0.3, -0.1)), True),
        (figure(0.0, (0.0, 0.0)), False),
    ],
)
def test_a_difference_is_certain_where_its_p_and_its_interval_say_so(found: Figure, certain: bool) -> None:
    assert is_certain(found) is certain


# --- Agreement --------------------------------------------------------------------------------------------


def aspects(*alphas: CountedFigure) -> list[MainFigures]:
    return [made.main_figures(title, alpha) for title, alpha in zip("ABCD", alphas, strict=False)]


@pytest.mark.parametrize(
    ("alphas", "said"),
    [
        # “least on B” would be more than is known: C may be lower
        (
            [figure(0.7, (0.6, 0.8)), figure(0.1, (-0.1, 0.3)), figure(0.2, (-0.2, 0.4))],
            "beyond chance on 1 of 3 aspects; Krippendorff α runs from 0.10 on “B” to 0.70 on “A”, and their intervals "
            "do not meet. ≠ most on ≠ least",
        ),
        (
            [figure(0.7, (0.6, 0.8)), figure(0.1, (0.05, 0.2)), figure(0.4, (0.3, 0.5))],
            "beyond chance on all 3 aspects, most on “A” (Krippendorff α 0.70) and least on “B” (α 0.10).",
        ),
        ([figure(0.4, (0.2, 0.6)), figure(0.4, (0.3, 0.5))], "; Krippendorff α is 0.40 on each. ≠ runs ≠ most"),
        (
            [figure(-0.1, (-0.2, -0.05)), figure(-0.5, (-0.6, -0.4))],
            "On none of 2 aspects is it certain … their intervals do not meet ≠ may be chance ≠ most",
        ),
        ([figure(0.4, (-0.001, 0.6)), figure(None)], "it is not certain that … 95\u00a0% interval 0.00 to 0.60"),
    ],
)
def test_most_and_least_of_several_aspects(alphas: list[CountedFigure], said: str) -> None:
    says(extremes_in_words(aspects(*alphas)), said)


def test_alpha_of_one_value_names_no_code() -> None:
    same = krippendorff_alpha(Ratings.from_arrays([0, 0, 1, 1], [0, 1, 0, 1], [0.0] * 4, repeated="cross"), "nominal")
    told = alpha_in_words(figure(None, because=same.undefined_because or ""))
    says(told, "agreement is not defined: All ratings of items with at least two have the same value. ≠ , 0")


@pytest.mark.parametrize(
    ("raw", "rescaled", "said"),
    [
        (figure(None), figure(0.4, (0.2, 0.6)), "annotators order answers alike: τ 0.40 … after rescaling; before, it"),
        (figure(None), figure(0.1, (-0.2, 0.4)), "it is not certain that … after rescaling; before, it is not defined"),
        (figure(None), figure(None), "agreement is not defined: All labels are equal. ≠ rescaling"),
    ],
)
def test_labels_without_a_tau_whose_scores_have_one(raw: CountedFigure, rescaled: CountedFigure, said: str) -> None:
    says(change_in_words(raw, rescaled, made.change(None)), said)


def test_an_aspect_without_order_says_how_it_agrees() -> None:
    alpha = RescaledAlpha(raw=Alpha(level="nominal", **dict(figure(0.0, (-0.004, 0.004)))), rescaled=None)
    (told,) = agreement.in_words(asked_for({"krippendorff_alpha": alpha}, level="nominal"))
    says(told, "It is not certain that annotators agree beyond chance … 0.00 to 0.00")


@pytest.mark.parametrize(
    ("raw", "rescaled", "said"),
    [
        ((0.4, 0.2, 0.6), (0.5, 0.4, 0.7), "S: 0.400 raw, 0.500 rescaled"),
        ((None,), (0.5,), "S is not defined: Because; rescaled, it is 0.500"),
        ((None,), (None,), "S is not defined: Because ≠ rescaled"),
        ((-0.0001, -0.1, 0.1), (None,), "S: 0.000 raw"),
    ],
)
def test_coefficients(raw: Any, rescaled: Any, said: str) -> None:
    told = typed(CoefficientRow, statistic="S", raw=raw, rescaled=rescaled, undefined_because="Because.")
    says(agreement._reading(told, is_rescaled=True), said)


@pytest.mark.parametrize(
    ("coefficient", "said"),
    [
        (figure(0.5, (0.3, 0.7)), "above chance by κ (0.500) ≠ not"),
        (figure(0.5, (-0.1, 0.7)), "not significantly above chance by κ"),
        (figure(0.5), "not significantly above chance by κ"),
        (figure(-0.5, (-0.7, -0.3)), "below chance by κ (−0.500)"),
        (figure(None), ""),
    ],
)
def test_beyond_chance_by_other_coefficients(coefficient: Figure, said: str) -> None:
    says(agreement._beyond_chance({"κ": coefficient}), said)


# --- Annotators, pairs, labels ----------------------------------------------------------------------------


def crowd(count: int) -> dict[str, Any]:
    known = dict.fromkeys(("leniency", "same_label"), compared(None)) | {"tau": compared(0.4)}
    people = tuple(
        AnnotatorFigures(name=f"P{n}", judgments=9, consistency=figure(None), far=(), **known) for n in range(count)
    )
    work = Work(annotators=(), drift_first_to_last={})
    return {"annotators": Annotators(far_beyond=3.5, unit="", annotators=people), "work": work}


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "There are too few annotators to say"),
        (4, "There are too few annotators to say ≠ does not stand"),
        (5, "Annotator P0 does not stand far apart"),
    ],
)
def test_one_annotator_stands_apart_only_from_enough_others(count: int, said: str) -> None:
    asked = asked_for(crowd(count), {"annotator": "P0"})
    says(annotators.annotator_table(asked).reading, said)


@pytest.mark.parametrize(
    ("value", "z", "said"),
    [
        (12.0, 4.0, "is far more lenient than the others: labels are on average 12.0 above those of others"),
        (-12.0, -4.0, "is far stricter than the others: labels are on average 12.0 below those of others"),
        (0.01, -4.0, "is far stricter than the others: labels are on average as high as those of others ≠ 0.0 above"),
    ],
)
def test_who_is_far_from_the_others(value: float, z: float, said: str) -> None:
    far = person("A", "leniency", leniency=compared(value, median=5.0, z=z))
    (told,) = annotators_words.far_in_words(far, head(better="high"))
    says(told, said)


@pytest.mark.parametrize(
    ("drifts", "said"),
    [
        ([], ""),
        ([figure(None)], "Drift is not defined: All labels are equal."),
        ([figure(9.0, (1.0, 12.0))], "A (+9.0) came to give higher numbers ≠ certain"),
        ([figure(9.0, (-1.0, 12.0))], "no change of leniency is significant for any annotator"),
        ([figure(-9.0, (-12.0, -1.0)), figure(3.0)], "A (−9.0) came to give lower … significant for 1 of 2 annotators"),
    ],
)
def test_who_changed_in_the_course_of_the_work(drifts: list[CountedFigure], said: str) -> None:
    people = [person(name, drift=drift) for name, drift in zip("AB", drifts, strict=False)]
    says(" ".join(annotators_words.drift_in_words(people, head())), said)


def pair(other: str, raw: float | None) -> PairTau:
    of = dict.fromkeys(PairTau.model_fields) | {"annotators": ("A", other), "n": 3, "items": 3, "units": 3, "raw": raw}
    return PairTau(**of)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("taus", "said"),
    [
        ([None], "With none of the others τ is defined."),
        ([0.4], "τ is defined with one of the others: 0.400 (B). ≠ runs"),
        ([0.4, None], "τ is defined with one of the others: 0.400 (B). ≠ runs"),
        ([-0.2, 0.4], "τ with the others runs from −0.200 (B) to 0.400 (C)."),
    ],
)
def test_one_annotator_with_each_of_the_others(taus: list[float | None], said: str) -> None:
    found = tuple(pair(other, tau) for other, tau in zip("BC", taus, strict=False))
    asked = asked_for({"pairs_all": found}, {"annotator": "A"})
    table = annotators.annotator_pairs_table(asked)
    assert table is not None
    says(table.reading, said)


@pytest.mark.parametrize(
    ("kappas", "said"),
    [
        ([None], "1 pair of annotators, 0 of them with a defined Cohen κ. ≠ It"),
        ([0.4], "It is 0.400. ≠ runs"),
        ([0.4, 0.4], "It is 0.400. ≠ runs"),
        ([-0.1, 0.4, 0.4], "It runs from −0.100 (A – B) to 0.400 (2 pairs)."),
    ],
)
def test_kappa_of_pairs(kappas: list[float | None], said: str) -> None:
    found = [
        PairKappa(
            value=kappa,
            interval=None,
            undefined_because=None,
            no_interval_because=None,
            annotators=("A", other),
            n=3,
            items=3,
            units=3,
        )
        for other, kappa in zip("BCD", kappas, strict=False)
    ]
    says(pairs._kappas(found).reading, said)


def of_label_a(name: str, share: float | None, kind: type[GroupRow] = GroupRow) -> GroupRow:
    """A group, and which share of its judgments has the label a."""
    return typed(kind, name=name, label={"a": ShareOfLabel(share, count=1)})


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([], "There are no judgments yet."),
        ([None], "There are no judgments yet."),
        ([0.5], "is 50.0\u00a0% for annotator A, the only one. ≠ runs"),
        ([0.5, 0.5], "is 50.0\u00a0% for every annotator. ≠ runs"),
        ([0.2, 0.5], "runs from 20.0\u00a0% (annotator A) to 50.0\u00a0% (annotator B)."),
    ],
)
def test_the_spread_of_a_label(shares: list[float | None], said: str) -> None:
    rows = [of_label_a(name, share) for name, share in zip("AB", shares, strict=False)]
    says(labels._spread_reading(rows, Label(key="a", label="yes", number=None), "annotator"), said)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([of_label_a("All", 0.4, AllRow)], "There are no judgments yet."),
        ([of_label_a("A", 0.2)], "share of 20.0\u00a0% in A. ≠ overall"),
        (
            [of_label_a("All", 0.4, AllRow), of_label_a("A", 0.2)],
            "share of 20.0\u00a0% in A, and of 40.0\u00a0% overall.",
        ),
    ],
)
def test_one_annotator_beside_all_only_where_all_are_there(rows: list[GroupRow], said: str) -> None:
    says(labels._one_reading(rows, Label(key="a", label="yes", number=None)), said)


def test_the_caption_of_a_part_promises_no_ticks() -> None:
    share_of_a = LabelShare(count=1, share=0.5, interval=None, units=3)
    group = GroupLabels(name="A", judgments=3, items=3, annotators=1, labels=dict.fromkeys("ab", share_of_a))
    whole = LabelDistribution(overall=(group,), by_system=(), by_family=(), by_annotator=(group,))
    figures = {
        "label_distribution": whole,
        "labels_by_part": (PartLabels(source="", system="alder", annotators=(group,)),),
    }
    captions = {}
    for part in ("", "alder"):
        asked = asked_for(figures, {"part": part})
        table = labels.labels_table(asked, "annotator")
        assert table is not None
        captions[part] = table.charts["labels-annotator"]
    says(captions[""], "grey ticks the share over all annotators")
    says(captions["alder"], "Share of each label among these items ≠ ticks")


# --- Systems, preferences ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [
                typed(RankRow, system="a", rank=1, shares={1: 0.97}),
                typed(RankRow, system="b", rank=2, shares={2: 0.97}),
            ],
            "a comes first, alone or with another, in 97.0\u00a0% of the resamples.",
        ),
        (
            [typed(RankRow, system="a", rank=1, shares={1: 0.6}), typed(RankRow, system="b", rank=1, shares={1: 0.5})],
            "2 systems have the same highest mean; of the resamples, a in 60.0\u00a0% and b in 50.0\u00a0% come first.",
        ),
    ],
)
def test_who_comes_first(rows: list[RankRow], said: str) -> None:
    says(systems._who_comes_first([each for each in rows if each.rank == 1]), said)


@pytest.mark.parametrize(
    ("sure", "p_values", "said"),
    [
        (0, [None], "it cannot be tested whether any two systems differ."),
        (0, [0.4], "it is not certain that the two systems differ."),
        (0, [0.4, None], "it is not certain that any two of the systems (2 pairs) differ."),
        (1, [0.01], "the two systems differ (p below 0.05"),
        (1, [0.01, 0.3], "1 of 2 pairs of systems differ significantly (p below 0.05"),
    ],
)
def test_how_many_systems_differ(sure: int, p_values: list[float | None], said: str) -> None:
    says(systems_words.how_many_differ("raw", sure, [typed(DifferenceOfTwo, p_holm=p) for p in p_values]), said)


def two_systems(items: int, units: int, *, is_paired: bool = True, systems: tuple[str, str] = ("a", "b")) -> Any:
    return DifferenceOfSystems(
        **{"value": 1.0, "interval": (0.5, 1.5), "undefined_because": None, "no_interval_because": None},
        **{"items": items, "p_value": 0.01, "no_p_value_because": None, "judgments": 2 * items, "answered": (9, 9)},
        **{"systems": systems, "is_paired": is_paired, "units": units},
    )


@pytest.mark.parametrize(
    ("found", "unit", "said"),
    [
        (
            [two_systems(9, 6)],
            "article",
            "They are compared on the questions that both answered (9). … by article (n = 6),",
        ),
        (
            [two_systems(9, 6), two_systems(1200, 7)],
            "article",
            "Every two are … (9 to 1,200). … by article (n = 6 to 7),",
        ),
        (
            [two_systems(9, 9), two_systems(8, 8, is_paired=False, systems=("b", "c"))],
            "question",
            "No question was answered by both of b → c: there … unpaired. Intervals and p are by question.",
        ),
        ([two_systems(8, 8, is_paired=False)] * 6, "item", "by both of 6 pairs: there … are by item."),
    ],
)
def test_on_what_systems_are_compared(found: list[Any], unit: str, said: str) -> None:
    says(" ".join(systems_words.compared_on(tuple(found), unit)), said)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([None], "“T”: no system has a mean."),
        ([2.0], "“T”: 2.0 for a."),
        ([2.0, 2.0], "“T”: 2.0 for all."),
        ([1.0, 2.0], "“T”: from 1.0 (a) to 2.0 (b)."),
    ],
)
def test_means_on_every_aspect(values: list[float | None], said: str) -> None:
    rows = [
        AspectsRow(system=name, means={"x": MeanOnAspect(value, aspect="T", judgments=None)})
        for name, value in zip("ab", values, strict=False)
    ]
    says(systems._most_and_least(head(title="T"), rows), said)


@pytest.mark.parametrize(
    ("low", "high", "is_beyond"),
    [(0.1, 0.9, False), (0.0, 1.0, False), (0.8, 1.04, True), (-0.1, 0.3, True), (None, None, False)],
)
def test_intervals_beyond_the_ends_of_a_scale(low: float | None, high: float | None, is_beyond: bool) -> None:
    labels = tuple(Label(key=key, label=key, number=number) for key, number in (("no", 0), ("yes", 1)))
    mean = Estimate(0.9, low, high)
    assert ["where no mean can lie" in said for said in systems._beyond([(head(labels=labels), mean)])] == [
        True
    ] * is_beyond
    assert systems._beyond([(head(labels=()), mean)]) == []


WINS = dict.fromkeys(
    ("wins", "ties", "losses", "questions", "questions_won", "questions_tied", "questions_lost"), 1
) | {"annotators": 3, "shown_first": 1, "shown_second": 1}


def share(value: float | None, interval: Span = None) -> dict[str, Any]:
    """A stored share of judgments, and what stands beside it."""
    found = stored(value, interval)
    kept = {key: found[key] for key in ("value", "interval", "undefined_because", "no_interval_because")}
    return kept | {"judgments": 30, "units": 10, "p_value": None}


def duel(value: float, interval: Span, p: float | None) -> ComparedSystems:
    return ComparedSystems(systems=("a", "b"), p_holm=p, **WINS, **share(value, interval))


@pytest.mark.parametrize(
    ("duels", "said"),
    [
        ([duel(0.8, (0.6, 0.9), 0.01)], "a is preferred to b in 80.0\u00a0% of judgments, a tie counted as half"),
        ([duel(0.8, (0.6, 0.9), 0.2)], "It is not certain that people prefer one of the two systems"),
        ([duel(0.8, (0.49, 0.9), 0.04)], "It is not certain that people prefer one of the two systems"),
        ([duel(0.5, None, None)], "It is not certain that people prefer"),
        ([duel(0.8, (0.4, 0.9), 0.2)] * 3, "Of none of the 3 pairs of systems is it certain which one people prefer."),
        ([duel(0.8, (0.6, 0.9), 0.01), duel(0.6, (0.4, 0.8), 0.3)], "(1 of 2 pairs, p below 0.05 after Holm)"),
    ],
)
def test_who_is_preferred(duels: list[ComparedSystems], said: str) -> None:
    says(preferences._who_wins(tuple(duels)), said)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (share(None), "In which order the answers were shown is not known."),
        (share(0.7), "the one shown first was preferred in 70.0\u00a0% of judgments. ≠ mattered"),
        (share(0.7, (0.6, 0.8)), "The order mattered … being shown first helped."),
        (share(0.3, (0.2, 0.4)), "The order mattered … being shown second helped."),
        (share(0.6, (0.4, 0.8)), "It is not certain that the order mattered ≠ helped"),
    ],
)
def test_whether_the_order_mattered(order: Row, said: str) -> None:
    says(preferences._order_in_words(PreferredShare(**order)), said)


def even(value: float | None, interval: Span = None) -> dict[str, Any]:
    why = "no reason"
    return {
        "value": value,
        "interval": interval,
        "units": 30,
        "undefined_because": None if value is not None else why,
        "no_interval_because": None if interval else why,
    }


def strong(system: str, rank: int | None, ranks: tuple[int, int] | None, then: int | None = None) -> StrengthOfSystem:
    value = Figure(**even(0.6 if rank else None, (0.5, 0.7) if ranks else None))
    controlled = None if then is None else value
    return StrengthOfSystem(
        system=system,
        strength=value,
        share=value,
        rank=rank,
        ranks=ranks,
        controlled=controlled,
        controlled_rank=then,
        comparisons=9,
    )


@pytest.mark.parametrize(
    ("systems", "parts", "said"),
    [
        (
            [strong("a", 1, (1, 1), 1), strong("b", 2, (2, 2), 2)],
            [("a", "b")],
            "from the highest: a (60.0\u00a0%) and b (60.0\u00a0%). a is significantly stronger than all others (all "
            "pairs at once, p below 0.05 after Holm). At equal length and formatting the estimated order is the same.",
        ),
        (
            [strong("a", 1, (1, 2), 2), strong("b", 2, (1, 2), 1)],
            [("a", "b")],
            "Any of them may be the strongest: no two differ significantly (all pairs at once, no p below 0.05 after "
            "Holm). At equal length and formatting the estimated order is another, from the highest: b and a.",
        ),
        (
            [strong("a", 1, (1, 2), 1), strong("b", 2, (1, 2), 2), strong("c", 3, (3, 3), 3)],
            [("a", "b", "c")],
            "Each of a and b may be the strongest, and each of the others is significantly weaker than another system "
            "(all pairs at once, p below 0.05 after Holm).",
        ),
        (
            [strong("a", 1, None), strong("b", 2, None)],
            [("a", "b")],
            "How sure this order is cannot be said. Length and formatting cannot be told from the systems, so they are "
            "not held equal.",
        ),
        (
            [strong(each, None, None) for each in "abcd"],
            [("a", "b"), ("c", "d")],
            "There is no common scale, since no comparison connects these: a and b; c and d.",
        ),
        ([strong("a", None, None), strong("b", None, None)], [("a", "b")], "no reason"),
    ],
)
def test_who_is_strongest(systems: list[StrengthOfSystem], parts: Any, said: str) -> None:
    found = Ranking(systems=tuple(systems), effects=(), share_of_ties=None, parts=tuple(parts))
    assert said in preferences._strongest(found)


@pytest.mark.parametrize(
    ("what", "share", "said"),
    [
        ("shown_first", even(0.6, (0.55, 0.65)), "the answer shown first is preferred in 60.0\u00a0% of judgments (95"),
        ("length", even(0.6, (0.45, 0.7)), "70.0\u00a0%), which may be chance."),
        ("formatting", even(0.4, (0.3, 0.45)), "an answer with twice as much formatting is preferred in 40.0"),
        (
            "formatting",
            even(0.4),
            "Whether an answer with twice as much formatting is preferred, all else",
        ),
    ],
)
def test_what_else_matters(what: str, share: dict[str, Any], said: str) -> None:
    found = preferences._effect_in_words(Effect(what=what, share=Figure(**share), p_value=None))
    assert said in found
    assert found.endswith(".")
    assert ("40.0" in found) == (
        what == "formatting" and share["interval"] is not None
    )  # no figure of which nothing is known
    is_sure = share["interval"] is not None and not share["interval"][0] <= 0.5 <= share["interval"][1]
    assert ("chance" in found) == (share["interval"] is not None and not is_sure)


@pytest.mark.parametrize(
    ("possible", "said"),
    [
        ({}, ""),
        ({"a": (1, 1), "b": (2, 2)}, "On the questions that both answered, a is significantly better than every"),
        ({"a": (1, 2), "b": (1, 2)}, "On the questions that both answered, each of a and b may be the best."),
    ],
)
def test_who_may_come_first_by_pairs(possible: dict[str, tuple[int, int]], said: str) -> None:
    assert " ".join(systems._open_first_place(possible)).startswith(said)


# --- Cited sentences, number of raters --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        ((None,), "“T”: not defined. Because."),
        ((0.4,), "“T”: α is 0.400 by MASI and 0.400 by ≠ ["),
        ((-0.0001, -0.2, -0.0002), "“T”: α is 0.000 [−0.200, 0.000] by MASI and"),
    ],
)
def test_agreement_on_sentences(alpha: Any, said: str) -> None:
    value, *interval = alpha
    found = figure(value, tuple(interval) or None, because="Because.")
    each = CitedSentences.model_construct(title="T", alpha=dict.fromkeys(cited.DISTANCES, found), sampled=None)
    says(cited._reading(each), said)


@pytest.mark.parametrize(
    ("value", "interval", "said"),
    [
        (
            None,
            None,
            "“T”: F1 of two people by overlap is not defined (Because), α over tokens is not defined (Because).",
        ),
        (0.4, None, "“T”: F1 of two people by overlap is 0.400, α over tokens is 0.400."),
        (0.4, (-0.0001, 0.5), "“T”: F1 of two people by overlap is 0.400 [0.000, 0.500], α over"),
    ],
)
def test_agreement_on_marked_words(value: float | None, interval: Any, said: str) -> None:
    found = figure(value, interval, because="Because.")
    label = MarkedLabel.model_construct(title="All labels", overlap=found, alpha=found)
    says(marked._reading(MarkedSpans.model_construct(title="T", labels=(label,), sampled=None)), said)


def point(raters_: int, alone: Any, change: Any) -> VoteRow:
    return typed(VoteRow, raters=raters_, alone=alone, change=change)


@pytest.mark.parametrize(
    ("points", "has_model", "said"),
    [
        ([point(1, (None,), (None,))], False, "The correlation with the vote of all 2 is not defined."),
        ([point(1, (0.8, 0.7, 0.9), (None,))], False, "the vote of 1 correlates with ρ 0.800. ≠ model"),
        ([point(1, (0.8,), (None,))], True, "What the model adds is not defined. ≠ certain"),
        ([point(1, (0.8,), (0.1,))], True, "makes no significant difference beside any number of them."),
        ([point(1, (0.8,), (0.1, -0.1, 0.2))], True, "makes no significant difference"),
        ([point(1, (0.8,), (0.1, 0.05, 0.2))], True, "The model helps beside 1. ≠ harms"),
        ([point(1, (0.8,), (-0.1, -0.2, -0.05))], True, "The model harms beside 1. ≠ helps"),
    ],
)
def test_votes_of_fewer_raters(points: list[VoteRow], has_model: bool, said: str) -> None:
    says(raters._curve_reading(points, 2, has_model), said)


PILOTED = Basis(Components(9, 16, 4, 64, 25), ((1.0,) * 5,) * 5, unit="article", units=12)
STATED = Basis(Components(9, 16, 4, 64, 25))


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (
            Plan(STATED, Design(20, 5, 3), Price()),
            "20 articles, 5 questions about each and 3 … It takes 120 tasks. ≠ interval",
        ),
        (Plan(PILOTED, Design(20, 5, 3), Price()), "(95\u00a0% interval, from the pilot's own size: "),
        (
            Plan(STATED, Design(1, 2, 1), Price()),
            "1 article, 2 questions about each and 1 annotator per … by question, n = 2",
        ),
        (Plan(STATED, Design(5, 1, 1), Price()), "1 question about each … by article, n = 5"),
        (
            Plan(STATED, Design(5, 1, 1, way="together"), Price(0.5, "€", 3)),
            "It takes 5 tasks, 2.50 € and 0.2 hours of work.",
        ),
        (Plan(STATED, Design(5, 1, 1), Price(0.0)), "It takes 10 tasks and 0.00."),
        (Plan(Basis(Components(0, 0, 0, 0)), Design(5, 1, 1), Price()), "a true difference of 0.000 between"),
    ],
)
def test_what_a_design_finds(plan: Plan, said: str) -> None:
    says(planning.plan_reading(plan.chosen, plan, "value"), said)


def test_what_more_articles_and_annotators_would_buy() -> None:
    alone = Plan(STATED, Design(20, 5, 1, people=1), Price())
    says(planning.curve_reading(alone.curve, alone, "value"), "With 1 per answer it falls from ≠ With 20")
    several = Plan(STATED, Design(20, 5, 3), Price())
    says(
        planning.curve_reading(several.curve, several, "value"), "With 3 per answer … With 20 articles it is … with 5."
    )
    one = Plan(STATED, Design(1, 2, 1), Price())
    says(planning.curve_reading(one.curve, one, "value"), "With 1 article it is")


@pytest.mark.parametrize(
    ("basis", "found", "said"),
    [
        (
            STATED,
            None,
            "Most of the variance: “Chance in one judgment of each” (standard deviation 8.000). ≠ Estimated",
        ),
        (Basis(Components(4, 4, 0, 0)), None, "“From article to article” and “From question to question”"),
        (Basis(Components(0, 0, 0, 0)), None, "Nothing varies"),
        (STATED, Variances(n_articles=5, n_questions=1, n_annotators=3, n_pairs=1), "from 1 question about 5 ≠ pairs"),
        (STATED, Variances(n_articles=5, n_questions=9, n_annotators=3, n_pairs=3, merged="So."), "over 3 pairs … So."),
    ],
)
def test_what_a_plan_rests_on(basis: Basis, found: Variances | None, said: str) -> None:
    says(planning.components_table(basis.components, "value", found).reading, said)


def test_of_few_raters_none_is_left_out_of_the_sentence() -> None:
    """The third of five had the highest correlation, and was the one that was not told."""
    points = [point(k, (rho,), (None,)) for k, rho in enumerate((0.68, 0.7, 0.88, 0.85, 1.0), start=1)]
    says(raters._curve_reading(points, 5, False), "that of 3 correlates with ρ 0.880, that of 4 correlates")


@pytest.mark.parametrize(
    ("now", "more", "said"),
    [
        ((0.8,), (0.02,), "of 2 raters has the reliability 0.800; one more would add 0.020."),
        ((None,), (None,), "It cannot be said: Now."),
        ((0.8,), (None,), "It cannot be said: More."),
    ],
)
def test_one_more_rater(now: Any, more: Any, said: str) -> None:
    why = "" if now[0] is not None else "Now."
    rows = [
        typed(OneMoreRow, raters=2, reliability=now, undefined_because=why),
        typed(OneMoreRow, raters=3, gain=more, undefined_because="More."),
    ]
    says(raters._one_more_reading(rows, 2, None), said)


# --- People and a model -----------------------------------------------------------------------------------


def changed(*spans: Any) -> list[ReplacementRow]:
    return [typed(ReplacementRow, aspect=title, change=span) for title, span in zip("ABC", spans, strict=False)]


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
        typed(AlignmentRow, aspect=title, rho=span, has_order=True, failures=0)
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


FIRST = [
    ([(None,)], "", ""),
    ([(3.0, 2.0, 4.0)], "a", "3.000"),
    ([(3.0, 2.5, 4.0), (1.0, 0.5, 2.0)], "a", "3.000"),
    ([(3.0, 2.0, 4.0), (2.9, 1.0, 3.9)], "a", "3.000, not significantly ahead"),
    ([(3.0,), (2.9,)], "a", "3.000, not significantly ahead"),
    ([(3.0, 2.0, 4.0), (3.0, 2.0, 4.0)], "a and b", "3.000, not significantly ahead"),
]


@pytest.mark.parametrize(("means", "names", "mean"), FIRST)
def test_the_highest_mean_of_systems(means: list[Any], names: str, mean: str) -> None:
    rows = [typed(MeansOfSystem, system=name, people=value) for name, value in zip("ab", means, strict=False)]
    told = (
        f"People's mean is highest for {names} ({mean})." if len(rows) > 1 else f"People's mean for {names} is {mean}."
    )
    says(mate._systems_reading(rows), told if names else "People have rated none of these systems' answers.")


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


# --- Judges -----------------------------------------------------------------------------------------------

LENIENCY, PLACE, LENGTH, FAMILY, LANGUAGE = KINDS


def biased(figure_: Figure, judge: str = "j", title: str = "A", measured: str = "worth") -> BiasRow:
    told = judges.bias_row(figure_, 100.0, judge=judge, aspect=title, title=title, measured=measured, own="")  # type: ignore[arg-type]
    return told


SURE, SURELY_LESS = difference(0.125, (0.05, 0.2), 0.01), difference(-0.125, (-0.2, -0.05), 0.01)
UNSURE, CORRECTED_AWAY = difference(0.125, (-0.05, 0.3), 0.4), difference(0.125, (0.01, 0.2), 0.06)


@pytest.mark.parametrize(
    ("kind", "rows", "said"),
    [
        (LENIENCY, [biased(difference(None))], f"Leniency is not defined: {NONE} ≠ is the judge's mean"),
        (LENIENCY, [biased(difference(None)), biased(difference(None))], f"is not defined: {NONE} ≠ {NONE} {NONE}"),
        (
            LENIENCY,
            [biased(difference(0.2))],
            "Nothing can be said for certain: It rests on a single item. The bias is the",
        ),
        (
            LENIENCY,
            [biased(UNSURE)],
            "The only figure is not significant. The bias is the judge's mean less … does not show ≠ kindly",
        ),
        (
            LENIENCY,
            [biased(CORRECTED_AWAY)],
            "The only figure is not significant. 1 interval leaves out 0, but ≠ kindly",
        ),
        (LENIENCY, [biased(UNSURE)], "The only figure is not significant. The bias is ≠ leaves out"),
        (
            LENIENCY,
            [biased(SURE), biased(CORRECTED_AWAY, title="B"), biased(CORRECTED_AWAY, title="C")],
            "on “A” (+12.5\u00a0%). 2 more intervals leave out 0, but their p, corrected for all that was tested of "
            "the judge, is not below 0.05. The bias is",
        ),
        (
            FAMILY,
            [
                replace(row, remark=why)
                for row, why in zip([biased(difference(None), title=t) for t in "ABC"], "uvv", strict=True)
            ],
            "Own family is not defined: On “A”: u On “B” and “C”: v",
        ),
        (
            LENIENCY,
            [biased(UNSURE), biased(CORRECTED_AWAY)],
            "No figure of 2 is significant. 1 interval … there is none. ≠ kindly",
        ),
        (
            LENIENCY,
            [biased(SURE)],
            "j rates more kindly than these people do on “A” (+12.5\u00a0%). The bias is the judge's ≠ does not show",
        ),
        (
            LENIENCY,
            [biased(SURE), biased(SURELY_LESS, title="B"), biased(UNSURE, title="C")],
            "j rates more kindly than these people do on “A” (+12.5\u00a0%); it rates more strictly than these people "
            "do on “B” (−12.5\u00a0%). … does not show that there is none. ≠ “C”",
        ),
        (
            LENIENCY,
            [biased(SURE), biased(SURE, judge="k")],
            "j rates more kindly … (+12.5\u00a0%). k rates more kindly",
        ),
        (LENIENCY, [biased(SURE), biased(SURE, title="B")], "on “A” (+12.5\u00a0%) and “B” (+12.5\u00a0%)."),
        (LENIENCY, [biased(SURE, measured="number")], "j gives higher numbers than these people do ≠ kindly"),
        (PLACE, [biased(SURE, measured="first")], "j chooses what it is shown first more often than these people do"),
        (PLACE, [biased(SURELY_LESS, measured="last")], "chooses what it is shown last less often than these people"),
        (LENGTH, [biased(SURE)], "j is kinder than these people to longer answers on “A”"),
        (LENGTH, [biased(SURELY_LESS, measured="choice")], "j chooses longer answers less often than these people do"),
        (FAMILY, [biased(SURE)], "j is kinder to its own family, beside the others, than these people are on"),
        (FAMILY, [biased(SURE, measured="choice")], "chooses answers of its own family, beside the others, more often"),
        (
            FAMILY,
            [biased(SURELY_LESS, measured="number")],
            "its own family, beside the others, lower numbers than these",
        ),
        (LANGUAGE, [biased(SURELY_LESS)], "j is stricter with Japanese, beside English, than these people are on"),
    ],
)
def test_only_a_certain_bias_is_claimed(kind: judges.Kind, rows: list[BiasRow], said: str) -> None:
    says(judges.bias_reading(kind, rows), said)


def side_by_side(name: str, same: Any, cost: float | None = None) -> JudgeRow:
    return typed(JudgeRow, judge=name, same=same, labels=40, cost=cost)


@pytest.mark.parametrize(
    ("rows", "alike", "said"),
    [
        ([side_by_side("j", (None,))], True, "No judge's labels can be compared with people's."),
        (
            [side_by_side("j", (0.5,))],
            True,
            "j gives the label of most people in 50.0\u00a0% of 40 labels; its cost is not",
        ),
        (
            [side_by_side("j", (0.5, 0.4, 0.6), 2.0)],
            True,
            "in 50.0\u00a0% [40.0\u00a0%, 60.0\u00a0%] of 40 labels; 1,000",
        ),
        (
            [side_by_side("j", (0.5, 0.4, 0.6), 2.5), side_by_side("k", (0.9, 0.8, 0.95), 0.25)],
            True,
            "Of the same 40 labels most are those of most people for k (90.0\u00a0%); 1,000 items cost $0.25 (k)",
        ),
        (
            [side_by_side("j", (0.5, 0.4, 0.6)), side_by_side("k", (0.55, 0.45, 0.65))],
            True,
            "for k (55.0\u00a0%, not significantly ahead); nobody knows what they cost.",
        ),
        (
            [side_by_side("j", (0.5, 0.4, 0.6)), side_by_side("k", (0.9, 0.8, 0.95))],
            False,
            "They were not asked for the same labels, so that their shares are not to be compared; nobody ≠ for k",
        ),
    ],
)
def test_judges_side_by_side(rows: list[JudgeRow], alike: bool, said: str) -> None:
    says(judges.judges_reading(rows, alike=alike), said)


# --- Rationales, equivalence ------------------------------------------------------------------------------


def step(value: float | None, interval: Span, p: float | None) -> Step:
    found = stored(value, interval)
    del found["annotators"], found["judgments"]
    return Step(kinds=("a", "b"), p_value=p, p_holm=p, no_p_value_because=None, **found)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([step(None, None, None)], "No step is sure."),
        ([step(0.2, (-0.1, 0.4), 0.3)], "No step is sure."),
        ([step(0.2, (0.1, 0.4), 0.2)], "No step is sure."),
        ([step(0.2, (0.1, 0.4), 0.01)], "Sure steps, above 0: a − b."),
        ([step(-0.2, (-0.4, -0.1), 0.01)], "Sure steps, below 0: a − b. ≠ No step"),
    ],
)
def test_steps_between_kinds_of_rationales(steps: list[Step], said: str) -> None:
    says(rev._steps_reading(tuple(steps)), said)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((0.2, 0.1, 0.3), "+0.200"),
        ((0.2, -0.1, 0.3), "+0.200 (its interval holds 0)"),
        ((0.2,), "+0.200 (without an interval)"),
        ((None,), "not defined"),
        ((-0.0001, -0.1, 0.1), "0.000 (its interval holds 0)"),
    ],
)
def test_information_of_a_kind(found: Any, said: str) -> None:
    assert rev._signed(Estimate(*found)) == said


@pytest.mark.parametrize(
    ("rho", "said"),
    [
        (stored(None), "No correlation: All labels are equal."),
        (stored(0.3), "is 0.300."),
        (stored(-0.0001, (-0.2, 0.2)), "is 0.000 [−0.200, 0.200]."),
    ],
)
def test_rationales_beside_people(rho: Row, said: str) -> None:
    says(rev._beside_people(CountedFigure(**rho)), said)


@pytest.mark.parametrize(
    ("effective", "drawn", "said"),
    [
        ([None, None], "", "Here the classifier adds nothing to what people said. What it says does not"),
        (
            [150.0, None],
            "",
            "For 1 of 2 systems, people's verdicts together with the classifier's tell as much as 1.5 times",
        ),
        (
            [150.0, 250.0],
            "",
            "For 2 of 2 systems, people's verdicts together with the classifier's tell as much as 1.5 to 2.5",
        ),
        ([150.0, 151.0], "", "as much as 1.5 times as many verdicts of people alone. This holds if"),
        (
            [150.0, 151.0],
            "random",
            "of people alone about answers drawn at random. The answers that people judged were drawn at random",
        ),
        ([150.0, 151.0], "uncertainty", "about answers drawn at random. The answers that people judged were drawn by"),
        ([None, None], "uncertainty", "with people's verdicts. The answers that people judged were drawn by a model's"),
    ],
)
def test_what_people_would_say_of_all_answers(effective: list[float | None], drawn: str, said: str) -> None:
    people = nothing("None of it.").model_copy(update={"judgments": 100})
    found = tuple(
        ShareOfAll(system="alder", answers=900, people=people, both=people, effective=each, no_model_because=None)
        for each in effective
    )
    says(equivalence_words.of_all_reading(found, drawn), said)


ALDER = typed(MeanRow, judge="tiny", system="alder", judged=300, effective=720, remark="")
BIRCH = replace(ALDER, system="birch", effective=450)
OFF = replace(BIRCH, effective=None, remark="The part is not random.")
USELESS = replace(ALDER, effective=None)


@pytest.mark.parametrize(
    ("rows", "why_nothing", "said"),
    [
        ([], ["All is judged."], "All is judged. ≠ only where"),
        ([], [], "Nothing is known on “X”."),
        (
            [ALDER],
            [],
            "What the judge says of all answers on “X” makes people's judgments worth 2.4 times as many: the 300",
        ),
        (
            [ALDER],
            [],
            "720 alone would. What is said of all answers holds only where the answers that people judged are a part "
            "drawn at random from all; people's judgments correct what the judge gets wrong.",
        ),
        ([ALDER, BIRCH], [], "worth 1.5 to 2.4 times as many: the 300 of alder say ≠ For the others"),
        (
            [ALDER, OFF],
            [],
            "many for 1 of 2 systems: the 300 of alder … For the others: The part is not random. What is",
        ),
        (
            [USELESS, OFF],
            [],
            "adds nothing to people's judgments on “X”. The part is not random. What is said of all answers holds only",
        ),
        ([USELESS], [], "nothing to people's judgments on “X”. What the judge says does not go with people's"),
        (
            [ALDER, replace(OFF, judge="large")],
            [],
            "for 1 of 2 pairs of judge and system: the 300 of alder (with tiny) say as much as 720 alone would.",
        ),
        ([ALDER], ["large: All is judged."], "large: All is judged. What the judge says"),
    ],
)
def test_how_much_people_s_judgments_are_worth_with_a_judge_s(
    rows: list[MeanRow], why_nothing: list[str], said: str
) -> None:
    says(powered.means_reading(rows, why_nothing, JUDGE, " on “X”"), said)


@pytest.mark.parametrize(
    ("unread", "said"),
    [
        (0, "as 720 alone would. What is said of all answers holds"),
        (1, "The judge gave no number for 1 answer; that moves nothing. What is said of all answers holds"),
        (1200, "gave no number for 1,200 answers;"),
    ],
)
def test_answers_without_a_number_are_counted(unread: int, said: str) -> None:
    says(powered.means_reading([ALDER], [], JUDGE, unread=unread), said)


def compared_pair(
    alone: bool | None, both: bool = False, effective: int | None = 720, remark: str = ""
) -> DifferenceRow:
    return typed(
        DifferenceRow,
        judge="tiny",
        people=(None if alone is None else 0.1,),
        judged=300,
        effective=effective,
        remark=remark,
        is_certain_alone=bool(alone),
        is_certain=both,
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [compared_pair(None, remark="There is no question.")],
            "No difference can be estimated. There is no question.",
        ),
        (
            [compared_pair(False, True)],
            "The two systems do not differ significantly by people alone, and differ significantly with the judge (p",
        ),
        (
            [compared_pair(True, True), compared_pair(False, True), compared_pair(False)],
            "1 of 3 pairs of systems differ significantly by people alone and 2 with the judge … Worth 2.4 times as",
        ),
        (
            [compared_pair(True, True, None, "Too few."), compared_pair(False, False, None, "Too few.")],
            "1 of 2 pairs of systems … an interval without 0). Too few. What is said of all answers holds only ≠ Worth",
        ),
        (
            [compared_pair(True, True, None)],
            "without 0). What is said of all answers holds only where the answers that people judged",
        ),
        (
            [compared_pair(None, remark="None."), compared_pair(True, True)],
            "1 of 2 pairs of systems differ",
        ),
    ],
)
def test_how_many_systems_differ_by_people_and_a_judge(rows: list[DifferenceRow], said: str) -> None:
    says(powered.differences_reading(rows, JUDGE), said)


@pytest.mark.parametrize(("shares", "names", "share"), FIRST)
def test_the_simple_ways_of_equivalence(shares: list[Any], names: str, share: str) -> None:
    ways = [
        typed(WayRow, way=way, accuracy=tuple(part and part / 10 for part in s))
        for way, s in zip("ab", shares, strict=False)
    ]
    told = equivalence_words.simple_ways(ways)
    if not names:
        assert told == ""
        return
    has = "have" if " and " in names else "has"
    assert told == f"of the simple ways {names} {has} the highest share, {share.replace('3.000', f'30.0{chr(160)}%')}"


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([(0.5, 0.5), (0.4, 0.4)], "People and the classifier take the same share of every system's answers as right."),
        ([(None, None), (None, None)], "People and the classifier take the same share"),
        ([(0.5, 0.9), (0.4, 0.4)], "furthest apart for a (people take 50.0\u00a0% … 90.0\u00a0%)."),
        ([(0.5, 0.9), (0.4, 0.8)], "furthest apart for a (people … and b (people take 40.0\u00a0%"),
    ],
)
def test_where_people_and_the_classifier_part(shares: list[Any], said: str) -> None:
    rows = [
        typed(SystemVerdictsRow, system=s, right=(right,), taken=(taken,))
        for s, (right, taken) in zip("ab", shares, strict=True)
    ]
    says(equivalence_words.widest_gap(rows), said)


@pytest.mark.parametrize(
    ("answers", "said"),
    [(0, "0 of 9 answers have a probability between 0.1 and 0.9. ≠ look"), (3, "3 of 9 answers … : look there first.")],
)
def test_where_to_look_first(answers: int, said: str) -> None:
    middle = {"low": 0.1, "high": 0.9, "answers": answers, "questions": answers, "probability": 0.5}
    ranges = [middle | {"right": 0.5, "right_interval": None, "units": answers}]
    figures = {"undefined_because": None, "answers": 9, "calibration": ranges}
    table = equivalence.calibration_table(asked_for({"equivalence": figures}))
    assert table is not None
    says(table.reading, said)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([3, 2], "Most often the rule is “one rule”: 3 answers, on 50.0\u00a0% of which ≠ two rule"),
        ([3, 3], "Most often the rule is “one rule”: 3 answers … ; “two rule”: 3 answers"),
    ],
)
def test_the_rules_that_decide(counts: list[int], said: str) -> None:
    rules = [
        {"rule": name, "answers": count, "agreed": 0.5, "rule_named": 0, "same_rule": None}
        for name, count in zip(("one_rule", "two_rule"), counts, strict=True)
    ]
    figures = {"undefined_because": None, "rules": rules}
    table = equivalence.rules_table(asked_for({"equivalence": figures}))
    assert table is not None
    says(table.reading, said)


# --- Variants, history ------------------------------------------------------------------------------------


def tau(name: str, value: float | None) -> TauRow:
    return typed(TauRow, name=name, all=(value,))


def mixture(of: float, value: float | None, *, is_good: bool = True) -> MixtureRow:
    return typed(MixtureRow, mixture=of, all=(value,), is_good=is_good)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([tau("as given", 0.4), tau("r", None)], "No τ is defined."),
        (
            [tau("as given", 0.4), tau("r", 0.5)],
            "Mean τ, over all items: r with 0.500 (labels as given 0.400). ≠ highest",
        ),
        (
            [tau("as given", None), tau("r", 0.5), tau("s", 0.3)],
            "The highest mean τ of the runs … r with 0.500 (labels",
        ),
        ([tau("as given", 0.4), tau("r", 0.5), tau("s", 0.5)], "over all items: r and s with 0.500"),
    ],
)
def test_runs_side_by_side(rows: list[TauRow], said: str) -> None:
    says(variants._variants_reading(rows), said)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([mixture(0.0, None)], "No τ is defined."),
        (
            [mixture(x, 0.5) for x in (0.0, 0.5)],
            "all items 0.500 at λ = 0 and 0.5. The guard has no objection to any of them.",
        ),
        ([mixture(0.5, 0.5, is_good=False)], "The guard objects to λ = 0.5."),
    ],
)
def test_mixtures(rows: list[MixtureRow], said: str) -> None:
    says(variants._mixtures_reading(rows), said)


@pytest.mark.parametrize(
    ("difference", "certain", "said"),
    [
        ((None,), False, "All items: not defined."),
        ((0.1,), False, "All items: no significant difference (0.100) ≠ more"),
        ((0.1,), True, "All items: by two, annotators order answers more alike (0.100)."),
        ((-0.1,), True, "All items: by two, annotators order answers less alike (−0.100)."),
    ],
)
def test_two_runs_compared(difference: Any, certain: bool, said: str) -> None:
    found = typed(ComparisonRow, setting="all items", difference=difference, is_certain=certain)
    says(variants._comparison_reading([found], "one", "two"), said)


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([None], "No annotator gave two different labels."),
        ([0.0, 0.0], "is turned round for none of them."),
        ([0.1, 0.0], "turned round most, in 10.0\u00a0%, for A (of 8 pairs of judgments)."),
        ([0.1, 0.1], "for A (of 8 pairs of judgments) and B (of 8"),
    ],
)
def test_annotators_against_themselves(shares: list[float | None], said: str) -> None:
    rows = [typed(OwnOrderRow, name=n, reversed=(s,), ordered_pairs=8) for n, s in zip("AB", shares, strict=False)]
    says(classes._own_order_reading(rows), said)


@pytest.mark.parametrize(
    ("of_all", "said"),
    [
        ([], "No explanation has been scored."),
        ([MeanOfLabel(None, count=0)], "No explanation has been scored."),
        ([MeanOfLabel(40.0, count=9)], "over all annotators: “A” 40.0."),
    ],
)
def test_mean_scores_behind_labels(of_all: list[MeanOfLabel], said: str) -> None:
    rows = [ClassRow(name="All", is_all=True, label={"a": mean}) for mean in of_all]
    says(classes._classes_reading(rows, [Label(key="a", label="A", number=None)]), said)


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        (StoredFigure(0.4, (0.3, 0.5)), StoredFigure(0.4, (0.3, 0.5)), "None of 1 figures has changed."),
        (
            StoredFigure(0.4),
            StoredFigure(0.9),
            "1 of 1 figures differ … none lies beyond its interval of then ≠ by much",
        ),
        (StoredFigure(0.4, (0.3, 0.5)), StoredFigure(0.45, (0.3, 0.5)), "none lies beyond its interval of then"),
        (StoredFigure(0.4, (0.3, 0.5)), StoredFigure(0.9), "1 of them lie beyond the interval of then"),
    ],
)
def test_then_and_now(then: StoredFigure, now: StoredFigure, said: str) -> None:
    rows = history._rows(["α"], then, now)
    says(history._table(rows, rows, "", history.ALL_FIGURES).reading, said)


# --- Consensus labels -------------------------------------------------------------------------------------


def competent(name: str, value: float | None, low: float | None = None, high: float | None = None) -> CompetenceRow:
    why = "" if value is not None else "Nobody else judged any of these items."
    return typed(CompetenceRow, name=name, mace=(value, low, high), undefined_because=why)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([competent("1", 0.2, 0.1, 0.3), competent("2", 0.8, 0.7, 0.9)], "and their intervals do not meet."),
        ([competent("1", 0.5, 0.1, 0.8), competent("2", 0.8, 0.7, 0.9)], "a difference that may be chance."),
        ([competent("1", 0.5), competent("2", 0.8, 0.7, 0.9)], "so that nobody can be said to be more reliable."),
        ([competent("1", 0.5, 0.1, 0.8), competent("2", None)], "Annotator 1 knows the label (MACE) in 50.0"),
        ([competent("1", None)], "is not defined: Nobody else judged"),
    ],
)
def test_who_is_more_competent_follows_from_the_intervals(rows: list[CompetenceRow], sentence: str) -> None:
    mace = {row.name: row.mace for row in rows}
    assert sentence in consensus_words.between_whom(mace, consensus_words.MACE, rows[0].undefined_because)


def test_only_who_surely_guesses_is_said_to() -> None:
    sure, unsure = competent("1", 0.2, 0.1, 0.45), competent("2", 0.3, 0.1, 0.55)
    assert consensus_words.guessing([unsure, competent("3", 0.2)]) == []
    assert consensus_words.guessing([sure, unsure])[0].startswith("Annotator 1 guesses more often")
    assert consensus_words.guessing([sure, unsure, replace(sure, name="4")])[0].startswith("Annotators 1 and 4 guess")


def test_ways_are_compared_with_their_intervals() -> None:
    row = typed(TwoWaysRow, name="A and B", same=(0.9, 0.85, 0.93))
    alone, undefined = typed(TwoWaysRow, name="A and C", same=(0.8,)), typed(TwoWaysRow, name="A and C")
    found = consensus._compared_reading([row, alone, undefined])
    assert "A and B give the same label to 90.0\u00a0% [85.0\u00a0%, 93.0\u00a0%] and A and C to 80.0\u00a0%." in found
    assert consensus._compared_reading([undefined]) == "No item has a label in two ways."


def apart(*terms: str, more: int = 0, of_one: int = 0, documents: int = 9, why: str | None = None) -> GroupWords:
    quoted = Quotation(item=1, annotator="1", system="", label="a", text="…")
    known = {"log_odds": 1.0, "z": 5.0, "p_holm": 0.01, "documents": 6, "others": 1, "wordings": 6}
    return GroupWords(
        name="a",
        documents=documents,
        others=20,
        words=tuple(WordApart(term=term, z_without_one=None, example=quoted, **known) for term in terms),
        more=more,
        of_one_annotator=of_one,
        undefined_because=why,
    )


@pytest.mark.parametrize(
    ("group", "said"),
    [
        (apart(), "“A”, 9 explanations: no word is significantly more usual than in what the same annotators wrote"),
        (apart("x"), "9 explanations: “x” is more usual than in what the same annotators wrote with other labels."),
        (apart("x", "y"), "“x” and “y” are more usual than"),
        (apart("x", "y", "z", "w"), "“x”, “y”, “z” and 1 more are more usual than"),
        (apart("x", more=1_200), "“x” and 1,200 more are"),
        (apart(documents=1, why="Nothing was written."), "“A”, 1 explanation: Nothing was written."),
    ],
)
def test_words_are_no_more_than_more_usual(group: GroupWords, said: str) -> None:
    says(explanations.group_reading(group, "A", "labels"), said)


@pytest.mark.parametrize(
    ("of_one", "said"),
    [(0, ""), (1, "1 more rests on one annotator and is left out."), (2, "2 more rest on one annotator and are")],
)
def test_words_of_one_annotator_are_counted(of_one: int, said: str) -> None:
    assert explanations.left_out_reading(apart(of_one=of_one)).startswith(said)


def explained(*sizes: int, n: int = 100, annotators: int = 3, left_out: int = 0) -> ExplanationsOfAspect:
    about = [Theme(words=("x", "y"), documents=size, by_label={}, quotations=(), items=()) for size in sizes]
    stability = {2: 0.5, 3: 0.6}
    return ExplanationsOfAspect(
        text="Why?",
        explanations=n,
        of=n,
        different=n - 10,
        annotators=annotators,
        unit="article",
        units=9,
        terms=50,
        groups={},
        left_out={"systems": left_out},
        themes=tuple(about),
        themes_undefined_because=None if sizes else "There are too few.",
        stability=stability,
        of_shuffled={2: 0.2, 3: 0.1},
    )


def test_themes_say_how_many_they_leave_out_and_how_stable_they_are() -> None:
    says(
        explanations.themes_reading(explained(60, 39)),
        "2 themes: … in 100 explanations (90 different ones) … 1 has none",
    )
    says(explanations.themes_reading(explained(60, 30)), "10 have none of the words")
    says(explanations.themes_reading(explained(60, 40)), "most of it belongs to. ≠ none of the words")
    says(explanations.stability_reading(explained(60, 40)), "Of 2 to 3 themes, 2 … alike by 0.500 … 0.200 where words")
    assert explanations.stability_reading(explained()) == ""


def test_groups_that_are_not_shown_and_a_lone_annotator_are_said() -> None:
    assert explanations.left_out_groups(explained(left_out=1), "systems").startswith("1 system with fewer")
    assert "2 systems with fewer explanations are not shown." in explanations.left_out_groups(
        explained(left_out=2), "systems"
    )
    assert explanations.left_out_groups(explained(), "systems") == ""
    assert explanations.cautions(explained(annotators=1), "labels")[0].startswith("One annotator wrote all")
    assert explanations.cautions(explained(annotators=2), "labels") == ()
    assert explanations.cautions(explained(annotators=1), "annotators") == ()


# --- All of them ------------------------------------------------------------------------------------------

# Which functions above make a table's sentence. What only counts (pairs that rise, citations in the first half, labels
# of two people) is checked against its counts where the table is tested.
SENTENCES: dict[str, Callable[..., Any] | str] = {
    "aspects": extremes_in_words,
    "agreement": agreement._reading,
    "coefficients": agreement._beyond_chance,
    "pairs": pairs._kappas,
    "pair": "counts",
    "changes": "counts",
    "annotators": annotators_words.far_in_words,
    "annotator": annotators.annotator_table,
    "annotator-pairs": annotators.annotator_pairs_table,
    "labels-annotator": labels._spread_reading,
    "labels-system": labels._spread_reading,
    "words-labels": explanations.group_reading,  # and `left_out_reading`
    "words-systems": explanations.group_reading,
    "words-annotators": explanations.group_reading,
    "themes": explanations.themes_reading,
    "consensus": consensus._ways_reading,
    "consensus-ways": consensus._compared_reading,
    "competence": consensus_words.competence_reading,
    "uncertain": "counts",
    "means-label": "lists the means",
    "means-system": "lists the means",
    "ranks": systems._who_comes_first,
    "differences": systems_words.how_many_differ,  # and `_compared_on`
    "means-aspects": systems._most_and_least,
    "wins": preferences._who_wins,
    "strengths": preferences._strongest,
    "preference-effects": preferences._effect_in_words,
    "cited-agreement": cited._reading,
    "cited-sizes": "counts",
    "cited-coverage": "counts",
    "cited-places": "counts",
    "marked-agreement": marked._reading,
    "marked-labels": "counts",
    "variants": variants._variants_reading,
    "mixtures": variants._mixtures_reading,
    "classes": classes._classes_reading,
    "own-order": classes._own_order_reading,
    "comparison": variants._comparison_reading,
    "plan": planning.plan_reading,
    "plan-curve": planning.curve_reading,
    "plan-variances": planning.variances_reading,
    "raters": raters._curve_reading,
    "one-more": raters._one_more_reading,
    "llm-replacement": replacement_reading,
    "llm-alternative": alternative.reading,
    "llm-alternative-people": alternative.people_reading,
    "llm-alignment": alignment_reading,
    "llm-additional": human_llm._additional_reading,
    "llm-confusion": human_llm._confusion_reading,
    "judges": judges.judges_reading,
    **{kind.name: judges.bias_reading for kind in KINDS},
    "mate-correlations": mate._correlations_reading,
    "mate-systems": mate._systems_reading,
    "mate-weights": mate._fit_reading,
    "mate-bias": mate._bias_reading,
    "preference": human_llm._preference_reading,
    "equivalence": equivalence_words.simple_ways,
    "equivalence-systems": equivalence_words.widest_gap,
    "equivalence-all": equivalence_words.of_all_reading,
    "equivalence-differences": powered.differences_reading,
    "powered": powered.means_reading,
    "powered-differences": powered.differences_reading,
    "powered-scores": powered.means_reading,
    "powered-scores-differences": powered.differences_reading,
    "equivalence-calibration": equivalence.calibration_table,
    "equivalence-rules": equivalence.rules_table,
    "rev": rev._signed,
    "rev-steps": rev._steps_reading,
    "rev-people": rev._beside_people,
}


def test_every_table_that_a_page_shows_is_among_these() -> None:
    assert set(SENTENCES) == set(TABLES)


@pytest.mark.parametrize(
    ("counts", "batches", "sentence"),
    [
        ({}, [], "Data: Tides (scheme ebr v1, no batch), 0 judgments of 0 items by 0 annotators; 95\u00a0% intervals"),
        (
            {"judgments": 1, "items": 1, "annotators": 1},
            [2],
            "1 judgment of 1 item by 1 annotator; 95\u00a0%",
        ),
        ({"judgments": 1200, "items": 2, "annotators": 3}, [1, 2, 3], "batches 1-3), 1,200 judgments of 2 items by 3"),
    ],
)
def test_captions_name_their_data(counts: dict[str, int], batches: list[int], sentence: str) -> None:
    intervals = HowIntervals(level=0.95, resamples=1000, seed=0, resampled="items", units=0)
    head = SnapshotHead.model_construct(
        scheme="ebr v1", batches=tuple(batches), counts=Counts(**counts), intervals=intervals
    )
    snapshot = AgreementSnapshot(head=head, signature="a" * 64)
    told = caption_source(Study(name="Tides"), snapshot)
    assert sentence in told
    assert told.endswith(
        f"intervals from 1,000 resamples of items, seed 0; those of shares are Wilson's. Signature {'a' * 16}."
    )


@pytest.mark.parametrize(
    ("is_ordered", "sentence"),
    [
        (True, "The labels have no numbers, so none is higher"),
        (False, "The labels have no order (a nominal scale), so"),
    ],
)
def test_why_there_is_no_leniency(is_ordered: bool, sentence: str) -> None:
    """A nominal scale's labels may well have numbers: they are not why."""
    assert why_no_leniency(is_ordered=is_ordered).startswith(sentence)
