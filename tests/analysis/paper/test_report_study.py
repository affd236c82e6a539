"""``report_study`` prints what a snapshot holds: readable, or as JSON that explains itself."""

import json
import re
from io import StringIO
from random import Random

import pytest
from django.core.management import CommandError, call_command

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables.registry import TABLES, ask, tables_of
from annotation_platform.core.few_units import too_few_units
from tests.analysis.study_rows import scored_study
from tests.analysis.test_any_study import judge_some
from tests.factories import make_corpus, make_study, study_with_judgments

pytestmark = pytest.mark.django_db


def report(name: str, *options: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("report_study", name, *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_text_has_every_table_and_says_what_the_figures_rest_on() -> None:
    study = scored_study()
    text, progress = report(study.name)
    for part in (
        "Agreement, raw and rescaled",
        "Krippendorff α",
        "Fleiss κ",
        "Labels by annotator",
        "Labels by system",
        "Mean score by label",
        "Mean by system",
        "Pairs of annotators, all items",
        "Pairs of annotators, incomplete setting",
        "Pairs of annotators, without ties",
        "A – B",
        "resamples of 8 questions, seed 0",
        study.snapshots.get().signature,
    ):
        assert part in text
    assert "nan" not in text.lower()
    assert "λ" not in text
    assert "Reading the judgments" in progress


def test_mixtures_come_on_request() -> None:
    text, _ = report(scored_study().name, "--mixtures")
    (table,) = re.findall(r"Mixtures of score and class mean: all\n.*\n((?: .*\n)+)", text)
    assert [float(line.split()[0]) for line in table.splitlines()] == pytest.approx([step / 10 for step in range(11)])


def test_json_is_the_snapshot_and_nothing_else_is_on_standard_output() -> None:
    study = scored_study()
    text, _ = report(study.name, "--json")
    data = json.loads(text)
    snapshot = study.snapshots.get()
    rough = data["aspects"][0]["percent_agreement"]
    assert (rough["items"], rough["units"]) == (24, 8)  # answers to one question are alike
    assert rough.pop("caution").startswith("Rough intervals")
    assert rough == snapshot.figures["aspects"][0]["percent_agreement"]
    assert data["signature"] == snapshot.signature
    assert data["study"] == study.name


def test_what_rests_on_few_items_says_so_in_text_and_json() -> None:
    study = study_with_judgments(corpus=make_corpus(questions=2))
    text, _ = report(study.name)
    assert "Caution: Rough intervals, from fewer than 20 questions" in text
    data = json.loads(report(study.name, "--json")[0])
    aspect = data["aspects"][0]
    assert aspect["percent_agreement"]["caution"].startswith("Rough intervals")
    alpha = aspect["krippendorff_alpha"]["raw"]
    assert (alpha["interval"], alpha["no_interval_because"]) == (None, too_few_units(2, "coefficient", "question"))
    assert too_few_units(2, "coefficient", "question") in text


def test_a_current_snapshot_is_read_and_not_taken_again() -> None:
    study = scored_study()
    assert report(study.name) == report(study.name)
    assert study.snapshots.count() == 1


def test_before_any_run_the_report_has_raw_figures_and_the_reason() -> None:
    text, _ = report(study_with_judgments().name, "--mixtures")
    assert "No rescaled figures: No scoring run has finished yet." in text
    assert "Mixtures" not in text


def test_a_study_without_judgments_is_reported_with_reasons() -> None:
    text, _ = report(make_study().name)
    assert "0 judgments" in text
    assert "is not defined" in text


def test_an_unknown_study_names_those_that_there_are() -> None:
    make_study(name="Harbour")
    with pytest.raises(CommandError, match=r"no study named “Harbor”\. Studies: “Harbour”"):
        report("Harbor")


def test_what_is_about_the_study_as_a_whole_is_the_same_whichever_aspect_is_shown() -> None:
    study = scored_study()
    judge_some(study, Random(1))
    snapshot = take_snapshot(study=study, resamples=5)
    names = [name for name, table in TABLES.items() if table.of_study]
    first, second = (tables_of(ask(snapshot, each.aspect, names), names) for each in snapshot.head.aspects)
    assert {"aspects", "means-aspects", "judges", "llm-alternative", "cited-agreement"} <= first.keys()
    assert {name: table.csv() for name, table in first.items()} == {name: table.csv() for name, table in second.items()}


def test_brackets_that_are_no_intervals_say_what_they_are() -> None:
    text, _ = report(scored_study().name)
    headings = [line for line in text.splitlines() if "Median time" in line]
    assert headings
    assert all("Median time [quartiles]" in heading for heading in headings)
    assert re.search(r"\d s \[\d+ s, \d+ s\]".replace(" s", "\u00a0s"), text)
