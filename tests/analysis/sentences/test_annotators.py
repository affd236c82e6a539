"""Annotators, pairs of them, and labels: no sentence says more than its figures do."""

from typing import Any

import pytest

from annotation_platform.analysis.measuring.figures import (
    CountedFigure,
    Label,
)
from annotation_platform.analysis.sections.annotators import tables as annotators
from annotation_platform.analysis.sections.annotators import words as annotators_words
from annotation_platform.analysis.sections.annotators.figures import AnnotatorFigures, Annotators
from annotation_platform.analysis.sections.labels import tables as labels
from annotation_platform.analysis.sections.labels.figures import GroupLabels, LabelDistribution, LabelShare, PartLabels
from annotation_platform.analysis.sections.labels.table_rows import AllRow, GroupRow, ShareOfLabel
from annotation_platform.analysis.sections.pairs import tables as pairs
from annotation_platform.analysis.sections.pairs.figures import PairKappa, PairTau
from annotation_platform.analysis.sections.work.figures import Work
from tests.analysis.made_figures import asked_for, compared, figure, head, person
from tests.analysis.sentences.rows import says, typed


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
    of["no_intervals_because"] = {}
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
