"""What people would say of all answers, and how far a judge is biased, for other annotators, too: rows to pages."""

import csv
import io
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import translation

from annotation_platform.analysis.paper.choices import choices_of
from annotation_platform.analysis.snapshots.stored import sections_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.statistics.judge_bias import judge_leniency
from annotation_platform.core.statistics.judge_bias_for_others import leniency_for_other_raters
from annotation_platform.core.statistics.linear_for_others import Said
from annotation_platform.core.statistics.powered_for_others import powered_mean_for_other_raters
from annotation_platform.core.statistics.prediction_powered import prediction_powered_mean
from annotation_platform.corpus.models import Answer, Question
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.sections.powered.test_powered import STARS, SYSTEMS, declare, judge, said_by_judge
from tests.analysis.study_rows import client_of
from tests.factories import make_corpus
from tests.scoring.judged_studies import GOOD, explanation_study

pytestmark = pytest.mark.django_db
QUESTIONS, JUDGED = 60, 30


def star(member: str, system: str, question: int) -> int:
    """A is stricter by one than B and C; only C likes birch, whose answers to every fourth question are better."""
    likes = (member == "C") + (question % 4 == 0) if system == "birch" else 0
    return 2 + question % 2 - (member == "A") + likes


def opinion(member: Member, item: Item) -> dict[str, Any]:
    said = star(member.pseudonym, item.answer.system.name, item.question.position)
    return GOOD | {STARS: str(max(said, 1))}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    corpus = make_corpus(questions=QUESTIONS, systems=SYSTEMS, sentences=0)
    Question.objects.filter(article__corpus=corpus).update(choices=["north", "south", "nowhere"])
    Answer.objects.filter(question__article__corpus=corpus).update(rationale="Because.")
    study = explanation_study(corpus=corpus, annotators=3, values=opinion)
    Annotation.objects.filter(item__study=study, item__question__position__gt=JUDGED).delete()
    declare(study)
    judge(study)
    take_snapshot(study=study, resamples=20)
    return study


def given(system: str) -> tuple[Said, np.ndarray, np.ndarray]:
    """What people said of a system's answers, their means and the judge's numbers, by hand."""
    rows = [(n - 1, "ABC".index(who), max(star(who, system, n), 1)) for n in range(1, JUDGED + 1) for who in "ABC"]
    row, rater, value = (np.array(column) for column in zip(*rows, strict=True))
    people = np.full(QUESTIONS, np.nan)
    people[:JUDGED] = np.bincount(row, value) / 3
    labels = [said_by_judge(system, n) for n in range(1, QUESTIONS + 1)]
    return Said.of(row, rater, value), people, np.array([float(each) if each else np.nan for each in labels])


def rows_of(study: Study, name: str, **query: str) -> list[dict[str, str]]:
    address = reverse("chart", args=[study.slug, STARS, name, "csv"])
    return list(csv.DictReader(io.StringIO(client_of(study).get(address, query).content.decode())))


def test_means_are_the_estimator_s(study: Study) -> None:
    (run,) = sections_of(study.snapshots.latest(), {"powered"})["powered"]["judges"][STARS]
    for system, found in zip(SYSTEMS, run["means"], strict=True):
        said, people, model = given(system)
        model = np.where(np.isnan(model), np.nanmean(people), model)
        groups = np.arange(QUESTIONS)
        known = prediction_powered_mean(people, model, groups, ends=(1.0, 5.0))
        wanted = powered_mean_for_other_raters(said, people, model, groups, known, ends=(1.0, 5.0))
        for side, other in (("people", wanted.people), ("both", wanted.both)):
            assert other.interval is not None
            assert found[side]["for_others"]["interval"] == pytest.approx([other.interval.low, other.interval.high])
            assert (found[side]["for_others"]["annotators"], found[side]["for_others"]["units"]) == (3, JUDGED)


def test_biases_are_the_estimator_s(study: Study) -> None:
    (one,) = sections_of(study.snapshots.latest(), {"judges"})["judges"]["judges"]
    found = one["aspects"][STARS]["leniency"]
    rows, raters, values, people, model, groups = [], [], [], [], [], []
    for place, system in enumerate(SYSTEMS):
        said, means, judged = given(system)
        rows.append(said.rows + JUDGED * place)
        raters.append(said.raters)
        values.append(said.values / 4)
        people.append(means[:JUDGED] / 4)
        model.append(judged[:JUDGED] / 4)
        groups.append(np.arange(JUDGED))
    said = Said.of(*(np.concatenate(each) for each in (rows, raters, values)))
    judged, group = np.concatenate(model), np.concatenate(groups)
    known = judge_leniency(np.concatenate(people), judged, group, ends=(0.0, 1.0))
    wanted = leniency_for_other_raters(said, judged, group, known, ends=(0.0, 1.0))
    assert wanted.interval is not None
    assert found["value"] == pytest.approx(known.value)
    assert found["for_others"]["interval"] == pytest.approx([wanted.interval.low, wanted.interval.high])
    assert found["for_others"]["p_value"] == pytest.approx(wanted.p_value)
    assert found["for_others"]["p_holm"] >= found["for_others"]["p_value"]


@pytest.mark.parametrize(
    ("page", "table", "key"),
    [
        ("agreement_human_llm", "powered", "both"),
        ("agreement_human_llm", "powered-differences", "people"),
        ("agreement_judges", "judge-leniency", "bias"),
    ],
)
def test_both_are_offered_and_named_on_page_and_in_files(study: Study, page: str, table: str, key: str) -> None:
    client, address = client_of(study), reverse(page, args=[study.slug])
    shown, other = (
        unescape(client.get(address, {"aspect": STARS, **query}).content.decode())
        for query in ({}, {"others": "annotators"})
    )
    assert "others=annotators" in shown
    assert "Intervals speak for other questions, judged by the same annotators." in shown
    assert "Intervals speak for other questions and other annotators." in other
    assert f"{table}.csv?others=annotators" in other
    here, everywhere = rows_of(study, table)[0], rows_of(study, table, others="annotators")[0]
    assert here[key] == everywhere[key]
    wide, narrow = (float(row[f"{key}_high"]) - float(row[f"{key}_low"]) for row in (everywhere, here))
    assert wide > 1.3 * narrow
    suffixes = [suffix for suffix, _ in choices_of(study.snapshots.latest(), STARS, table)]
    assert suffixes == ["", "-other-annotators"]


def test_the_report_has_both_and_japanese_readers_too(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("report_study", study.name)
    text = capsys.readouterr().out
    assert "What people would say of all answers, for other annotators, too" in text
    assert "Leniency, for other annotators, too" in text
    with translation.override("ja"):
        page = client_of(study).get(
            reverse("agreement_judges", args=[study.slug]), {"others": "annotators"}, HTTP_ACCEPT_LANGUAGE="ja"
        )
    assert "ほかの質問とほかのアノテーターについてのものです" in page.content.decode()


def test_of_two_annotators_nothing_is_said_of_others(study: Study) -> None:
    Annotation.objects.filter(item__study=study, annotator__pseudonym="C").delete()
    snapshot = take_snapshot(study=study, resamples=20)
    (run,) = sections_of(snapshot, {"powered"})["powered"]["judges"][STARS]
    told = [each["for_others"] for mean in run["means"] for each in (mean["people"], mean["both"])]
    assert {str(each["no_interval_because"]["code"]) for each in told} == {"statistics.too_few_raters"}
    page = client_of(study).get(
        reverse("agreement_human_llm", args=[study.slug]), {"aspect": STARS, "others": "annotators"}
    )
    assert "Too few annotators to say anything about others: 2; it takes 3 or more." in page.content.decode()
