"""Figures of runs and mixtures: equal to those of the formulas on the arrays, and honest where runs do not match."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotation_platform.analysis.measuring.judgment_table import AspectSpec, JudgmentTable, MeasuredLabel
from annotation_platform.analysis.sections.variants.measure import OTHER_JUDGMENTS, RAW, ScoredVariant, variants_figures
from annotation_platform.core.arrays import Floats
from annotation_platform.core.methods.ebr.rescaling import rescale
from annotation_platform.core.reasons import from_data
from annotation_platform.core.schemes import Level
from annotation_platform.core.statistics import Bootstrap, Setting, holm, pairwise_tau, tau_change
from annotation_platform.core.statistics.units import Unit

NUMBERS = (0.0, 30.0, 70.0, 100.0)
MEASURE = AspectSpec(
    "depth",
    "How deep?",
    Level.ORDINAL,
    tuple(MeasuredLabel(f"l{i}", f"Level {i}", number) for i, number in enumerate(NUMBERS)),
    best=3,
    better="high",
    is_rescaled=True,
)
BOOTSTRAP = Bootstrap(resamples=60)


def table(seed: int = 0, *, sources: int = 1) -> JudgmentTable:
    """Three annotators of forty items; the scores know the items' quality better than the labels do."""
    rng = np.random.default_rng(seed)
    quality = np.random.default_rng(1).uniform(0, 100, 40)
    items, raters = np.repeat(np.arange(40), 3), np.tile([0, 1, 2], 40)
    severity = np.array([0.0, 20.0, -15.0])[raters]
    choices = np.digitize(quality[items] - severity + np.random.default_rng(2).normal(0, 15, 120), [20, 45, 80])
    f = np.clip(np.round(quality[items] + rng.normal(0, 8, 120)), 0, 100)
    f[5] = np.nan
    explained = np.ones(120, dtype=bool)
    explained[5] = False
    return JudgmentTable(
        items=items,
        raters=raters,
        choices=choices,
        explained=explained,
        scores=rescaled(raters, choices, explained, f, 0.0),
        explanation_scores=f,
        annotators=("A", "B", "C"),
        systems=("",),
        system_of_item=np.zeros(40, dtype=np.int64),
        sources=tuple(f"source {n}" for n in range(sources)),
        source_of_item=np.arange(40) % sources,
        question_of_item=np.arange(40),
        unit=Unit("item", np.arange(40)),
        units=np.arange(40),
    )


def rescaled(raters: Floats, choices: Floats, explained: Floats, f: Floats, mixture: float) -> Floats:
    return rescale(raters, choices, explained, f, NUMBERS, mixture=mixture).values


def stored(variants: list[ScoredVariant], measure: AspectSpec, bootstrap: Bootstrap) -> dict[str, Any]:
    """The figures as they are stored."""
    return variants_figures(variants, measure, bootstrap).model_dump(mode="json", by_alias=True)


def mean_tau(of: JudgmentTable, values: Floats, setting: Setting) -> float | None:
    return pairwise_tau(of.ratings(values, of.choices == 3), setting, noise=None).mean.value


def test_on_a_scale_of_two_steps_nothing_is_said_of_the_incomplete_setting() -> None:
    yes_or_no = replace(MEASURE, labels=(MeasuredLabel("no", "No", 0.0), MeasuredLabel("yes", "Yes", 1.0)), best=1)
    one, other = (replace(table(seed), choices=(table().choices >= 2).astype(np.int64)) for seed in (0, 1))
    found = stored([ScoredVariant("7", 0.0, one), ScoredVariant("8", 0.0, other)], yes_or_no, BOOTSTRAP)
    for variant in found["variants"]:
        part = variant["parts"][0]
        for figure in (part["raw"], *(each for row in part["mixtures"] for each in (row["tau"], row["change"]))):
            assert "The scale has two steps" in figure["incomplete"]["undefined_because"]
            assert figure["all"]["value"] is not None
    assert {row["setting"] for row in found["comparisons"] if row["value"] is None} == {"incomplete"}
    assert {row["p_holm"] for row in found["comparisons"] if row["setting"] == "incomplete"} == {None}


def test_every_mixture_has_its_tau_in_every_setting_with_interval_and_paired_change() -> None:
    one = table()
    (variant,) = stored([ScoredVariant("7", 0.0, one)], MEASURE, BOOTSTRAP)["variants"]
    (part,) = variant["parts"]
    assert (variant["key"], part["source"], part["counts"]["judgments"]) == ("7", None, 120)
    assert [row["lambda"] for row in part["mixtures"]] == pytest.approx([step / 10 for step in range(11)])
    labels = np.array(NUMBERS)[one.choices]
    for row in part["mixtures"]:
        mixed = rescaled(one.raters, one.choices, one.explained, one.explanation_scores, row["lambda"])
        for setting in Setting:
            before, after = mean_tau(one, labels, setting), mean_tau(one, mixed, setting)
            assert part["raw"][setting]["value"] == pytest.approx(before)
            assert row["tau"][setting]["value"] == pytest.approx(after)
            assert row["change"][setting]["value"] == pytest.approx(after - before)
            low, high = row["tau"][setting]["interval"]
            assert low < after < high
    assert part["mixtures"][0]["tau"]["all"]["value"] > part["raw"]["all"]["value"]


def test_a_runs_own_mixture_is_on_the_curve_also_where_the_grid_has_it_not() -> None:
    (variant,) = stored([ScoredVariant("7", 0.25, table())], MEASURE, BOOTSTRAP)["variants"]
    assert 0.25 in [row["lambda"] for row in variant["parts"][0]["mixtures"]]
    assert variant["lambda"] == 0.25


def test_class_means_are_g_with_how_many_judgments_they_rest_on() -> None:
    one = table()
    (variant,) = stored([ScoredVariant("7", 0.0, one)], MEASURE, BOOTSTRAP)["variants"]
    everybody, *each = variant["classes"]
    assert everybody["annotator"] is None
    assert [row["annotator"] for row in each] == ["A", "B", "C"]
    counted = ~np.isnan(one.explanation_scores)
    for code, row in enumerate(each):
        for choice, label in enumerate(MEASURE.labels):
            mine = counted & (one.raters == code) & (one.choices == choice)
            assert row["labels"][label.key]["judgments"] == mine.sum()
            assert row["labels"][label.key]["value"] == (
                pytest.approx(one.explanation_scores[mine].mean()) if mine.any() else None
            )
    assert sum(label["judgments"] for label in everybody["labels"].values()) == counted.sum() == 119


def test_two_runs_are_compared_pair_by_pair_of_resamples_and_corrected_as_one_family() -> None:
    first, second = table(0), table(9)
    figures = stored([ScoredVariant("1", 0.0, first), ScoredVariant("2", 0.0, second)], MEASURE, BOOTSTRAP)
    rows = [row for row in figures["comparisons"] if row["setting"] == "all"]
    assert [(row["first"], row["second"]) for row in rows] == [(RAW, "1"), (RAW, "2"), ("1", "2")]
    taus = [pairwise_tau(t.ratings(t.scores, t.choices == 3), noise=None, bootstrap=BOOTSTRAP) for t in (first, second)]
    expected = tau_change(*taus)
    assert rows[2]["value"] == pytest.approx(expected.mean.value)
    assert expected.mean.interval
    assert rows[2]["interval"] == pytest.approx([expected.mean.interval.low, expected.mean.interval.high])
    assert rows[2]["p_value"] == pytest.approx(expected.p_value)
    assert [row["p_holm"] for row in rows] == list(holm([row["p_value"] for row in rows]))


def test_runs_over_other_judgments_are_not_compared_and_it_says_why() -> None:
    whole = table()
    rows = np.ones(120, dtype=bool)
    rows[:3] = False
    part = replace(whole.part(rows), scores=whole.scores[rows], explanation_scores=whole.explanation_scores[rows])
    figures = stored([ScoredVariant("1", 0.0, whole), ScoredVariant("2", 0.0, part)], MEASURE, BOOTSTRAP)
    last = figures["comparisons"][2]
    assert (last["value"], last["p_value"], last["p_holm"]) == (None, None, None)
    assert last["undefined_because"] == OTHER_JUDGMENTS
    assert figures["comparisons"][1]["value"] is not None


def test_parts_of_the_corpus_have_mixtures_of_their_own() -> None:
    (variant,) = stored([ScoredVariant("1", 0.0, table(sources=2))], MEASURE, BOOTSTRAP)["variants"]
    whole, north, south = variant["parts"]
    assert (north["source"], south["source"]) == ("source 0", "source 1")
    assert north["counts"]["judgments"] + south["counts"]["judgments"] == whole["counts"]["judgments"]


def test_the_guard_speaks_of_every_mixture_and_of_every_annotator() -> None:
    one = table()
    shuffled = replace(
        one, explanation_scores=np.random.default_rng(0).permutation(np.nan_to_num(one.explanation_scores, nan=50.0))
    )
    figures = stored([ScoredVariant("1", 0.0, one), ScoredVariant("2", 0.0, shuffled)], MEASURE, BOOTSTRAP)
    sound, random = (variant["parts"][0]["mixtures"][0]["guard"] for variant in figures["variants"])
    assert from_data(sound["sentence"]).startswith("No objection")
    assert random["reverses_too_often"]
    assert random["reversed"]["value"] > 0.3
    assert [row["annotator"] for row in figures["variants"][1]["own_order"]] == ["A", "B", "C"]
    assert figures["variants"][1]["own_order"][0]["reversed"]["interval"]


def test_all_of_it_is_plain_json_without_nan() -> None:
    one = replace(table(), explanation_scores=np.full(120, 50.0))
    figures = stored([ScoredVariant("1", 0.0, one)], MEASURE, BOOTSTRAP)
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_runs_that_read_the_same_scores_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from annotation_platform.analysis.sections.variants import measure as variants

    measured: list[object] = []
    once = variants._Scores.__init__
    monkeypatch.setattr(variants._Scores, "__init__", lambda self, *args: (measured.append(self), once(self, *args))[1])
    first, second = (ScoredVariant(key, mixture, table()) for key, mixture in (("1", 0.0), ("2", 0.25)))
    both = stored([first, second], MEASURE, BOOTSTRAP)
    assert len(measured) == 1
    alone = [stored([each], MEASURE, BOOTSTRAP)["variants"][0] for each in (first, second)]
    assert both["variants"] == alone
