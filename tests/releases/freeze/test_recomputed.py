"""The figures of a release, computed again from its own files by ``core`` alone, are those in it."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from annotation_platform.core.methods.equivalence.agreement import verdict_agreement
from annotation_platform.core.methods.rev.scores import las, report, rq
from annotation_platform.core.statistics import (
    Measure,
    Ratings,
    Setting,
    alternative_annotator,
    fleiss_kappa,
    gwet_ac,
    icc2,
    krippendorff_alpha,
    majority_vote,
    pairwise_agreement,
    pairwise_tau,
    percent_agreement,
    replacement,
    spearman,
    tau_change,
    vote_curve,
)
from annotation_platform.core.statistics.clustered import clustered_pearson
from annotation_platform.core.statistics.codes import compact
from annotation_platform.core.statistics.davidson import davidson
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.prediction_powered import prediction_powered_mean
from annotation_platform.core.statistics.shares import grouped_share
from annotation_platform.core.statistics.stepped_up import spearman_brown
from annotation_platform.studies.models import Study
from tests.analysis.sections.equivalence import test_equivalence_figures as equivalent
from tests.analysis.sections.human_llm import test_composites as composites
from tests.analysis.sections.human_llm import test_human_llm as judges
from tests.analysis.sections.powered import test_powered as powered
from tests.analysis.sections.preferences import test_preferences as preferring
from tests.analysis.sections.rev import test_rev_figures as rationales
from tests.analysis.study_rows import score
from tests.factories import make_corpus, study_with_judgments
from tests.releases.freeze.from_files import OneAspect, Released, codes_of, unit_among
from tests.releases.freeze.frozen import frozen
from tests.scoring.judged_studies import explanation_study

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
KEY = "completeness"
REV, LAS, RQ = "rev.rev", "rev.las", "rev.rq"
OF_LEAD = ("value", "standard_error", "degrees_of_freedom", "units")


def released(study: Study) -> Released:
    return Released(frozen(study).folder)


def same(told: dict[str, Any], found: Any) -> None:
    """A figure with its interval, beside a statistic."""
    assert found.value == pytest.approx(told["value"], rel=1e-9, abs=1e-12), told
    interval = told.get("interval")
    assert (found.interval is None) == (interval is None), (told, found)
    if interval is not None:
        ends = found.interval if isinstance(found.interval, tuple) else (found.interval.low, found.interval.high)
        assert ends == pytest.approx(interval, rel=1e-6, abs=1e-9), told


@pytest.fixture(scope="module")
def ebr(module_db: None, tmp_path_factory: pytest.TempPathFactory) -> Any:
    study = study_with_judgments(annotators=5, corpus=make_corpus(articles=8, questions=2))
    score(study)
    return study


@pytest.fixture
def files(ebr: Study) -> Released:
    return released(ebr)


def test_agreement_of_labels_and_of_scores(files: Released) -> None:
    told, one = files.of_aspect(KEY), files.aspect(KEY, best="complete")
    how = files.bootstrap(one.unit.name)
    raw = one.ratings(one.rows[f"{KEY}_number"])
    rescaled = one.ratings(one.rows[f"{KEY}_distilled_score"])
    same(told["krippendorff_alpha"]["raw"], krippendorff_alpha(raw, told["level"], bootstrap=how))
    same(told["krippendorff_alpha"]["rescaled"], krippendorff_alpha(rescaled, "interval", bootstrap=how))
    same(told["percent_agreement"], percent_agreement(raw))
    numbers = [label["number"] for label in told["labels"]]
    same(told["gwet_ac"]["ac1"], gwet_ac(raw, scale=numbers, bootstrap=how))
    same(told["gwet_ac"]["ac2"], gwet_ac(raw, scale=numbers, weights="quadratic", bootstrap=how))
    same(told["cohen_kappa"], pairwise_agreement(raw, Measure.COHEN_QUADRATIC, bootstrap=how).mean)
    assert one.best is not None
    usual = told["fleiss_kappa"]["judgments_per_item"]
    same(told["fleiss_kappa"], fleiss_kappa(one.ratings(one.best), usual, bootstrap=how))
    for side, column in (("raw", f"{KEY}_number"), ("rescaled", f"{KEY}_distilled_score")):
        found = icc2(one.ratings(one.rows[column], repeated="mean"), bootstrap=how)
        same(told["intraclass_correlation"]["icc_2_1"][side], found.single)
        same(told["intraclass_correlation"]["icc_2_k"][side], found.average)


def test_ranking_by_pairs_before_and_after(files: Released) -> None:
    told, one = files.of_aspect(KEY)["pairwise_tau"], files.aspect(KEY, best="complete")
    how = files.bootstrap(one.unit.name)
    for setting in Setting:
        before, after = (
            pairwise_tau(one.ratings(one.rows[column]), setting, bootstrap=how)
            for column in (f"{KEY}_number", f"{KEY}_distilled_score")
        )
        if setting is Setting.NO_TIES:  # ties of labels are broken by chance, in the order of annotators' names
            for side, found in (("raw", before), ("rescaled", after)):
                assert found.mean.value == pytest.approx(told[setting][side]["mean"]["value"], abs=0.03)
            continue
        same(told[setting]["raw"]["mean"], before.mean)
        same(told[setting]["rescaled"]["mean"], after.mean)
        same(told[setting]["change"]["mean"], tau_change(before, after).mean)


def test_means_by_label_and_by_system(files: Released) -> None:
    told, one = files.of_aspect(KEY), files.aspect(KEY, best="complete")
    how = files.bootstrap(one.unit.name)
    systems, system = np.unique(one.rows["system"], return_inverse=True)
    for side, column in (("raw", f"{KEY}_number"), ("rescaled", f"{KEY}_distilled_score")):
        means = scale_means(one.ratings(one.rows[column], ends=(0, 100)), system, len(systems), bootstrap=how)
        for row, mean in zip(told["mean_by_system"], means, strict=True):
            same(row[side], mean)
    labels = [label["key"] for label in told["labels"]]
    label = one.rows[KEY].map({key: place for place, key in enumerate(labels)}).to_numpy()
    scored = one.ratings(one.rows[f"{KEY}_distilled_explanation_score"], ends=(0, 100))
    means = scale_means(scored, label, len(labels), bootstrap=how)
    for row, mean in zip(told["mean_by_label"], means, strict=True):
        same(row, mean)


def votes_of(one: OneAspect, column: str) -> np.ndarray:
    found = majority_vote(one.ratings(one.rows[column]), better="high")
    votes = np.full(len(one.items), np.nan)
    votes[found.items] = found.values
    return votes


@pytest.mark.parametrize("questions", [12, 31])
def test_a_judge_beside_people(module_db: None, questions: int) -> None:
    study = explanation_study(questions=questions, annotators=5, values=judges.opinion)
    judges.judged(study, {1: "5", 2: "5", 3: "", 6: "1"})
    files = released(study)
    told, one = files.figures["human_llm"]["aspects"][judges.STARS], files.aspect(judges.STARS)
    how = files.bootstrap(one.unit.name)
    said = files.given(judges.STARS, one.items, "label")
    given = np.array([np.nan if each is None or each != each else float(each) for each in said])
    votes = votes_of(one, f"{judges.STARS}_number")
    failed = np.isnan(given)
    farthest = np.where(5 - votes >= votes - 1, 5, 1)
    against = np.where(failed, farthest, given)
    units = compact(one.unit.of_item)
    same(told["spearman"], spearman(votes, against, units=units, bootstrap=how))
    assert told["accuracy"]["value"] == pytest.approx((votes == given).mean())
    raters = one.ratings(one.rows[f"{judges.STARS}_number"])
    read = np.flatnonzero(~failed)
    model = Ratings.from_arrays(
        read, np.zeros(len(read), dtype=np.int64), given[read], n_items=raters.n_items, repeated="error"
    )
    level = told["level"]
    found = replacement(raters, model, level, draws=20, bootstrap=how)
    same(told["replacement"]["raters"], found.raters)
    same(told["replacement"]["expected"], found.expected)
    instead = alternative_annotator(
        one.ratings(one.rows[f"{judges.STARS}_number"], repeated="last"),
        given,
        level,
        asked=np.ones(len(given), dtype=np.bool_),
        bootstrap=how,
    )
    assert told["alternative"]["advantage"]["value"] == instead.advantage.value
    people = told["alternative"]["people"]
    by_name = sorted(people, key=lambda person: person["annotator"])  # as raters are numbered
    for person, rater in zip(by_name, instead.raters, strict=True):
        lead = rater.lead
        assert [person["lead"][name] for name in OF_LEAD] == pytest.approx(
            [lead.value, lead.standard_error, lead.degrees_of_freedom, lead.n_units]
        )
        assert person["lead"]["no_test_because"] == rater.no_test_because
    assert {rater.test is None for rater in instead.raters} == {questions < 30}
    votes_of_some = files.figures["number_of_raters"]["aspects"][judges.STARS]
    alone, joined = (vote_curve(raters, labels, better="high", bootstrap=how) for labels in (None, model))
    for point, by_people, with_model in zip(votes_of_some["points"][:-1], alone.points, joined.points, strict=False):
        same(point["alone"], by_people.alone)
        same(point["with_model"], with_model.with_candidate)
    alpha = krippendorff_alpha(raters, "interval", bootstrap=how)
    for row in votes_of_some["reliability"]:
        same(row["value"], spearman_brown(alpha, row["raters"]))
    (judge,) = files.figures["judges"]["judges"]
    assert judge["aspects"][judges.STARS]["same_label"]["value"] == pytest.approx((votes == given).mean())
    beside = judge["aspects"][judges.STARS]["alternative"]
    assert beside == {name: told["alternative"][name] for name in ("advantage", "winning_rates")} | {
        "leads": [[each["lead"][name] for name in OF_LEAD] for each in people if questions >= 30]
    }


def test_rationales(module_db: None) -> None:
    files = released(rationales.planted())
    told = files.figures["rev"]
    items = files.items.sort_values(["article_id", "question_id", "system"]).reset_index(drop=True)
    values, unit = files.given(REV, items), unit_among(items)
    means = pd.Series(values).groupby(items["system"]).mean()
    order = np.argsort([-means[system] for system in items["system"]], kind="stable")
    questions, names = items["question_id"].to_numpy()[order].tolist(), items["system"].to_numpy()[order].tolist()
    how = files.bootstrap(unit.name)
    found = report(values[order], questions, names, units=unit.of_item[order], bootstrap=how)
    same(told["overall"], found.overall)
    assert [each["kind"] for each in told["kinds"]] == [each.kind for each in found.kinds]
    for row, each in zip(told["kinds"], found.kinds, strict=True):
        same(row["rev"], each.mean)
        rows = (items["system"] == each.kind).to_numpy()
        helped = {
            measure: pd.DataFrame(map(pd.io.json.ujson_loads, files.given(measure, items[rows], "details")))
            for measure in (LAS, RQ)
        }
        units = compact(unit.of_item[rows])
        gold, mine = helped[RQ], helped[LAS]
        same(row["rq"], rq(gold["with_rationale"], gold["without"], units=units, bootstrap=how))
        told_las = las(mine["with_rationale"], mine["without"], mine["leaks"], units=units, bootstrap=how)
        assert row["las"]["value"] == told_las.value or row["las"]["value"] == pytest.approx(told_las.value)


def test_answer_equivalence(module_db: None) -> None:
    files = released(equivalent.planted())
    told, one = files.figures["equivalence"], files.aspect("equivalent")
    right = one.rows.groupby("item_id")["equivalent"].agg(lambda said: said.mode().max() == "yes")
    right = right.reindex(one.items["item_id"]).to_numpy()
    questions = pd.factorize(one.items["question_id"])[0]
    how = files.bootstrap(one.unit.name)
    ways = {
        "classifier": files.given("equivalence.verdict", one.items) == 1,
        "exact match": files.given("equivalence.exact_match", one.items) == 1,
        "containment": files.given("equivalence.containment", one.items) == 1,
    }
    for row in told["ways"]:
        if row["way"] in ways:
            found = verdict_agreement(right, ways[row["way"]], questions, units=one.unit.of_item, bootstrap=how)
            same(row["accuracy"], found.accuracy)
            assert row["f1"]["value"] == found.f1.value
    for row in told["systems"]:
        assert row["right"]["value"] == right[(one.items["system"] == row["system"]).to_numpy()].mean()


def test_which_system_is_preferred(module_db: None) -> None:
    systems = ("alder", "birch", "cedar")
    files = released(
        preferring.make(preferring.prefers("alder", "birch", "alder", "cedar"), systems=systems, annotators=4)
    )
    told, duels = files.figures["preferences"]["better"], []
    for _, rows in files.judgments.groupby("annotation_id"):
        for (_, one), (_, other) in combinations(rows.sort_values("system").iterrows(), 2):
            if one["better"] == other["better"]:
                continue  # neither of the two was chosen: between these nothing was said
            order = list(one["presented"])
            shown = order.index(one["candidate"]) < order.index(other["candidate"])
            duels.append((one["system"], other["system"], float(one["better"]), shown, one["article_id"]))
    names = sorted(systems)
    first, second = (np.array([names.index(each[place]) for each in duels]) for place in (0, 1))
    outcomes, groups = np.array([each[2] for each in duels]), codes_of(pd.Series([each[4] for each in duels]))
    for pair in told["pairs"]:
        one, other = sorted(names.index(each) for each in pair["systems"])
        rows = (first == one) & (second == other)
        turned = pair["systems"][0] != names[one]
        found = grouped_share(1 - outcomes[rows] if turned else outcomes[rows], groups[rows])
        same(pair, found)
        assert pair["p_value"] == pytest.approx(found.p_value)
    shown_first = np.array([2.0 * each[3] - 1 for each in duels])[:, None]
    strengths = davidson(first, second, outcomes, groups, covariates=shown_first).strengths
    by_name = {row["system"]: row["strength"] for row in told["ranking"]["systems"]}
    for name, found in zip(names, strengths, strict=True):
        assert by_name[name]["value"] == pytest.approx(found.value, abs=1e-6)


def test_a_model_s_composite_beside_people(answers: Study) -> None:
    files = released(answers)
    told = next(iter(files.figures["human_llm"]["composites"].values()))
    rows = files.items.sort_values(["item_id", "candidate"]).reset_index(drop=True)
    key = ["item_id", "candidate"]
    places = pd.MultiIndex.from_frame(rows[key])
    human = files.judgments.groupby(key)[f"{told['overall']}_number"].mean().reindex(places)
    questions = codes_of(rows["article_id"], rows["question_id"])
    unit = unit_among(rows.drop_duplicates(["article_id", "question_id"]))
    how = files.bootstrap("article" if unit.name == "article" else "question")
    for row in told["measures"]:
        of = files.scores[files.scores["aspect"] == row["measure"]].set_index(key)["value"]
        values = of.reindex(places).to_numpy()
        kept = ~np.isnan(values) & human.notna().to_numpy()
        found = clustered_pearson(
            human.to_numpy()[kept],
            values[kept],
            questions[kept],
            n_groups=questions.max() + 1,
            units=unit.of_item,
            bootstrap=how,
        )
        if row["r"]["value"] is None:
            assert found.value is None
        else:
            same(row["r"], found)


answers = composites.answers


def test_people_and_a_model_at_once(module_db: None) -> None:
    study = powered.partly_judged()
    powered.judge(study)
    files = released(study)
    (run,) = files.figures["powered"]["judges"][powered.STARS]
    people = files.judgments.groupby("item_id")[f"{powered.STARS}_number"].mean()
    for row in run["means"]:
        items = files.items[files.items["system"] == row["system"]].sort_values("question_id")
        said = people.reindex(items["item_id"]).to_numpy()
        labels = files.given(powered.STARS, items, "label")
        model = np.array([np.nan if each is None or each != each else float(each) for each in labels])
        model = np.where(np.isnan(model), np.nanmean(said), model)
        found = prediction_powered_mean(said, model, pd.factorize(items["question_id"])[0], ends=(1, 5))
        same(row["people"], found.people)
        same(row["both"], found)
