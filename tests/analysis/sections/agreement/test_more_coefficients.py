"""Percent agreement, Gwet AC, Cohen κ and ICC of an aspect, pairs of labels without order, and drift."""

from html import unescape
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.agreement.figures import (
    CohenKappa,
    GwetAc,
    IntraclassCorrelation,
    Reliability,
    WeightedFigure,
)
from annotation_platform.analysis.sections.agreement.tables import coefficients_table
from annotation_platform.analysis.sections.annotators.words import drift_in_words
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.few_units import too_few_units
from annotation_platform.core.reasons import from_data
from annotation_platform.core.statistics import resampling
from annotation_platform.scoring.models import Score
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.made_figures import asked_for, difference, figure, head, person
from tests.analysis.study_rows import NUMBERS, client_of, score, scored_study
from tests.factories import LABELS, study_with_judgments

pytestmark = pytest.mark.django_db


def measured(study: Study) -> AgreementSnapshot:
    return take_snapshot(study=study, resamples=40)


def figures_of(study: Study, aspect: str = "completeness") -> dict[str, Any]:
    return next(each for each in measured(study).figures["aspects"] if each["aspect"] == aspect)


def table_of(study: Study, name: str, aspect: str = "completeness", **asked: str) -> tables.FigureTable:
    return tables.tables_of(tables.ask(measured(study), aspect, [name], asked), [name])[name]


def page_of(study: Study, name: str, client: Client | None = None, **asked: str) -> str:
    response = (client or client_of(study)).get(reverse(name, args=[study.slug]), asked)
    assert response.status_code == 200
    return response.content.decode()


def matrix(read: dict[int, float]) -> np.ndarray:
    """Items by annotators, from what was read of every judgment."""
    rows = Annotation.objects.closed().order_by("item_id", "annotator__pseudonym").values_list("pk", "item_id")
    found: dict[int, list[float]] = {}
    for pk, item in rows:
        found.setdefault(item, []).append(read[pk])
    return np.array(list(found.values()))


def icc_by_hand(values: np.ndarray) -> tuple[float, float]:
    n, k = values.shape
    residue = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    between, raters = k * values.mean(axis=1).var(ddof=1), n * values.mean(axis=0).var(ddof=1)
    rest = (residue**2).sum() / ((n - 1) * (k - 1))
    return (
        (between - rest) / (between + (k - 1) * rest + k * (raters - rest) / n),
        (between - rest) / (between + (raters - rest) / n),
    )


def test_they_are_those_of_the_rows() -> None:
    study = scored_study()
    found = figures_of(study)
    labels = dict(Annotation.objects.closed().values_list("pk", "values__completeness"))
    raw = matrix({pk: NUMBERS[label] for pk, label in labels.items()})
    scores = matrix(dict(Score.objects.values_list("annotation_id", "value")))
    pairs = list(combinations(range(raw.shape[1]), 2))
    alike = np.mean([raw[:, a] == raw[:, b] for a, b in pairs])
    assert found["percent_agreement"]["value"] == pytest.approx(alike)
    shares = [float((raw == number).mean()) for number in NUMBERS.values()]
    chance = sum(share * (1 - share) for share in shares) / (len(shares) - 1)
    assert found["gwet_ac"]["ac1"]["value"] == pytest.approx((alike - chance) / (1 - chance))
    assert found["gwet_ac"]["ac2"]["value"] > found["gwet_ac"]["ac1"]["value"]
    by_pair = [
        1 - ((raw[:, a] - raw[:, b]) ** 2).mean() / ((raw[:, a, None] - raw[None, :, b]) ** 2).mean() for a, b in pairs
    ]
    assert [each["value"] for each in found["pairs_cohen_kappa"]] == pytest.approx(by_pair)
    assert found["cohen_kappa"]["value"] == pytest.approx(np.mean(by_pair))
    assert (found["cohen_kappa"]["weights"], found["cohen_kappa"]["pairs_defined"]) == ("quadratic", len(pairs))
    for key, place in (("icc_2_1", 0), ("icc_2_k", 1)):
        before, after = icc_by_hand(raw)[place], icc_by_hand(scores)[place]
        sides = found["intraclass_correlation"][key]
        assert sides["raw"]["value"] == pytest.approx(before)
        assert sides["rescaled"]["value"] == pytest.approx(after)
        assert sides["change"]["value"] == pytest.approx(after - before)
        assert sides["change"]["interval"][0] < after - before < sides["change"]["interval"][1]
    for each in (found["percent_agreement"], found["gwet_ac"]["ac2"], found["cohen_kappa"]):
        if each is found["cohen_kappa"]:  # κ of so few questions would have an interval that is too narrow
            assert each["interval"] is None
            assert str(from_data(each["no_interval_because"])) == too_few_units(each["units"], "kappa", "question")
        else:
            assert each["interval"][0] < each["value"] < each["interval"][1]
        assert (each["items"], each["judgments"]) == (len(raw), raw.size)


def test_labels_without_order_have_those_that_fit_and_pairs_by_kappa() -> None:
    study = study_with_judgments()
    found = figures_of(study, "correct")
    assert found["cohen_kappa"]["weights"] == "identity"
    assert "no order" in found["gwet_ac"]["ac2"]["undefined_because"]
    assert "no order" in found["intraclass_correlation"]["icc_2_1"]["raw"]["undefined_because"]
    names = [row["statistic"] for row in table_of(study, "coefficients", "correct").cells]
    assert names == ["Percent agreement", "Gwet AC1", "Cohen κ, pairs"]
    labels = dict(Annotation.objects.closed().values_list("pk", "values__correct"))
    rows = matrix({pk: float(label == "yes") for pk, label in labels.items()})
    from sklearn.metrics import cohen_kappa_score  # a second of a processor, for each process that reads this

    by_pair = [cohen_kappa_score(rows[:, a], rows[:, b]) for a, b in combinations(range(rows.shape[1]), 2)]
    shown = table_of(study, "pairs", "correct", setting="incomplete")
    assert [row["raw"] for row in shown.cells] == pytest.approx(by_pair)
    units = shown.cells[0]["raw_units"]
    assert shown.cells[0]["undefined_because"] == too_few_units(units, "kappa", "question")
    assert list(shown.charts) == ["pairs-raw"]


def test_an_item_that_not_all_have_judged_is_not_enough_for_an_icc() -> None:
    study = study_with_judgments()
    for annotation in Annotation.objects.order_by("item_id", "pk"):
        if annotation.annotator.pseudonym == "ABC"[annotation.item_id % 3]:
            annotation.delete()
    found = figures_of(study)
    for each in found["intraclass_correlation"].values():
        assert each["raw"]["value"] is None
        assert from_data(each["raw"]["undefined_because"]) == "No item was judged by all 3 raters."
    assert found["percent_agreement"]["value"] is not None


def test_the_pages_show_them_and_two_annotators_side_by_side() -> None:
    study = study_with_judgments()
    measured(study)
    client = client_of(study)
    assert "More coefficients" in page_of(study, "agreement", client)
    page = page_of(study, "agreement_pairs", client, aspect="correct")
    assert "Pairs of annotators, Cohen κ" in page
    assert "Annotators A and B judged the same answer" in page
    for name in ("pairs-raw", "pair-raw"):
        address = reverse("chart", args=[study.slug, "correct", name, "json"])
        assert address in page
        assert client.get(address).status_code == 200


def test_a_pair_is_the_same_from_either_side() -> None:
    study = study_with_judgments()
    measured(study)
    assert "Annotators A and B judged" in page_of(study, "agreement_pairs", pair="B~A")


def test_nothing_is_said_of_rescaling_where_nothing_is_rescaled() -> None:
    study = study_with_judgments()
    shown = table_of(study, "pairs")
    assert shown.reading.endswith("with a defined τ.")
    assert "Raw" not in "".join([*shown.charts.values(), *(column.heading for column in shown.columns)])
    assert " raw" not in table_of(study, "agreement").reading
    score(study)
    assert "with a defined τ before rescaling." in table_of(study, "pairs").reading


def sure(value: float | None, interval: list[float] | None = None, because: str = "") -> CountedFigure:
    low, high = interval or (0.0, 0.0)
    return figure(value, (low, high) if interval else None, because=because)


NONE = sure(None, None, "No item has two judgments.")


def weighted(found: CountedFigure) -> WeightedFigure:
    return WeightedFigure(**dict(found), weights="identity")


def coefficients(
    level: str,
    share: CountedFigure,
    ac1: CountedFigure,
    ac2: CountedFigure,
    kappa: CountedFigure,
    *icc: Reliability,
) -> str:
    single, average = icc or (Reliability(raw=NONE, rescaled=None, change=None),) * 2
    sections = {
        "percent_agreement": share,
        "gwet_ac": GwetAc(ac1=weighted(ac1), ac2=weighted(ac2)),
        "cohen_kappa": CohenKappa(**dict(weighted(kappa)), pairs_defined=1),
        "intraclass_correlation": IntraclassCorrelation(icc_2_1=single, icc_2_k=average),
    }
    return coefficients_table(asked_for(sections, level=level)).reading


def test_in_words_coefficients_are_above_chance_only_where_their_interval_is() -> None:
    yes, no, below = sure(0.5, [0.2, 0.7]), sure(0.1, [-0.1, 0.3]), sure(-0.4, [-0.6, -0.1])
    assert coefficients("nominal", sure(0.75), yes, NONE, yes) == (
        "Two judgments of the same item have the same label in 75.0\u00a0% of cases: "
        "above chance by Gwet AC1 (0.500) and Cohen κ (0.500)."
    )
    assert "of cases: not significantly above chance by Gwet AC1 (0.100), below chance by Cohen κ (−0.400)." in (
        coefficients("nominal", sure(0.75), no, NONE, below)
    )
    assert "not known to be above chance, for want of an interval, by Gwet AC1 (0.500)." in coefficients(
        "nominal", sure(0.75), sure(0.5), NONE, NONE
    )
    ordered = coefficients("ordinal", sure(0.75), no, yes, yes)
    assert "of cases: not significantly above chance by Gwet AC1 (0.100). Where near labels count in part, " in ordered
    assert "agreement is above chance by Gwet AC2 (0.500) and Cohen κ (0.500)." in ordered
    assert ordered.endswith("Not defined: ICC(2,1), one rater; ICC(2,k), mean of all. No item has two judgments.")


def test_in_words_a_reliability_rises_only_where_the_change_is_certain() -> None:
    before, after, yes = sure(0.5, [0.2, 0.7]), sure(0.6, [0.4, 0.8]), sure(0.9, [0.8, 1.0])
    single = Reliability(raw=before, rescaled=after, change=difference(0.1, (-0.1, 0.2)))
    average = Reliability(raw=before, rescaled=after, change=difference(0.1, (0.05, 0.2)))
    said = coefficients("ordinal", yes, yes, yes, yes, single, average)
    assert said.endswith(
        "The labels' numbers have a reliability (ICC) of 0.500, rescaled 0.600 (no significant change), for one "
        "annotator and 0.500, rescaled 0.600 (a significant rise), for the mean of all."
    )
    single, average = (Reliability(raw=each, rescaled=None, change=None) for each in (before, after))
    assert coefficients("ordinal", yes, yes, yes, yes, single, average).endswith(
        "The labels' numbers have a reliability (ICC) of 0.500 for one annotator and 0.600 for the mean of all."
    )


def test_one_annotator_alone_leaves_coefficients_and_drift_undefined_in_words() -> None:
    study = study_with_judgments(annotators=1)
    Annotation.objects.update(seconds=30)
    said = table_of(study, "coefficients").reading
    assert said.startswith("Not defined: Percent agreement; ")
    assert "chance" not in said
    assert said in unescape(page_of(study, "agreement"))
    assert "Drift is not defined: Fewer than two ratings of items that others rated too" in (
        table_of(study, "annotators").reading
    )


def drift_of(better: str | None, **drifts: tuple[float | None, list[float] | None]) -> str:
    people = [person(name, drift=sure(*drift, because="No time.")) for name, drift in drifts.items()]
    return " ".join(drift_in_words(people, head(better=better)))


def test_in_words_only_a_drift_whose_interval_leaves_out_zero_is_one() -> None:
    a, b, c = (12.34, [1.0, 20.0]), (-8.0, [-9.0, -2.0]), (30.0, [-5.0, 60.0])
    assert drift_of("high", A=a, B=b, C=c) == (
        "From first judgment to last, A (+12.3) grew more lenient; B (−8.0) grew stricter;"
        " no change of leniency is significant for 1 of 3 annotators."
    )
    assert "A (+12.3) grew stricter; B (−8.0) grew more lenient." in drift_of("low", A=a, B=b)
    assert "A (+12.3) came to give higher numbers" in drift_of(None, A=a)
    assert drift_of("high", C=c, D=(3.0, None)) == (
        "From first judgment to last, no change of leniency is significant for any annotator."
    )
    assert drift_of("high", A=a, D=(None, None)).endswith("; drift is not defined for 1 of 2 annotators.")
    assert drift_of("high", D=(None, None)) == "Drift is not defined: No time."
    assert drift_of("high") == ""


def test_drift_is_from_the_first_judgment_to_the_last() -> None:
    def milder(member: Member, item: Item) -> dict[str, Any]:
        """A finds every answer a little better than the one before."""
        place = 3 - min(item.position // 2, 3) if member.pseudonym == "A" else 1
        return {"completeness": LABELS[place], "reasons": "It leaves out the harbour."}

    study = study_with_judgments(values=milder)
    (drift, *_) = measured(study).figures["work"]["drift_first_to_last"]["completeness"]
    own = Annotation.objects.closed().filter(annotator__pseudonym="A").order_by("created_at")
    own.update(seconds=30)
    values = [NUMBERS[label] - NUMBERS[LABELS[1]] for label in own.values_list("values__completeness", flat=True)]
    slope = np.polyfit(range(len(values)), values, 1)[0]
    assert slope > 0
    assert drift["value"] == pytest.approx(slope * (len(values) - 1))
    table = table_of(study, "annotators")
    assert table.charts.keys() >= {"annotators-drift"}
    said = "From first judgment to last, no change of leniency is significant for any annotator."
    assert said in table.reading
    assert said in unescape(page_of(study, "agreement_annotators"))


@pytest.mark.parametrize("aspect", ["completeness", "correct"])
def test_fewer_resamples_of_very_many_pairs_are_told(monkeypatch: pytest.MonkeyPatch, aspect: str) -> None:
    study = study_with_judgments(annotators=3)
    told = "intervals rest on 12 resamples, not 40."
    assert told not in table_of(study, "pairs", aspect).reading
    AgreementSnapshot.objects.all().delete()
    monkeypatch.setattr(resampling, "_MOST_OF_PAIRS", 36)
    monkeypatch.setattr(resampling, "_FEWEST", 1)
    shown = table_of(study, "pairs", aspect)
    assert len(shown.cells) == 3
    assert shown.reading.endswith(told)
