"""Intervals speak for other articles, or for other annotators, too: both are offered, and each is named."""

import csv
import io
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import translation

from annotation_platform.accounts.language import in_language
from annotation_platform.analysis.paper.choices import choices_of
from annotation_platform.analysis.sections.agreement.figures import COHEN_KAPPA
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.few_units import too_few_units
from annotation_platform.studies.models import Study
from tests.analysis.study_rows import client_of, score
from tests.factories import make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    """Eight articles; annotators A, B and C differ in leniency, and do not agree on how much better birch is."""
    study = study_with_judgments(corpus=make_corpus(articles=8, questions=1))

    def value(annotation: Annotation) -> float:
        who = "ABC".index(annotation.annotator.pseudonym)
        is_birch = annotation.item.answer.system.name == "birch"
        place = annotation.item.question.article.position
        return 20.0 + 15 * who + place + (10 + 12 * who + place % 3 if is_birch else 0)

    score(study, value=value)
    take_snapshot(study=study, resamples=60)
    return study


def rows_of(study: Study, name: str, **query: str) -> list[dict[str, str]]:
    address = reverse("chart", args=[study.slug, "completeness", name, "csv"])
    return list(csv.DictReader(io.StringIO(client_of(study).get(address, query).content.decode())))


def width(row: dict[str, str], key: str) -> float:
    return float(row[f"{key}_high"]) - float(row[f"{key}_low"])


@pytest.mark.parametrize(
    ("page", "table", "key"),
    [("agreement_systems", "means-system", "rescaled"), ("agreement_ranking", "differences", "difference")],
)
def test_both_are_offered_and_the_wider_one_is_wider(study: Study, page: str, table: str, key: str) -> None:
    client = client_of(study)
    address = reverse(page, args=[study.slug])
    shown, other = (client.get(address, query).content.decode() for query in ({}, {"others": "annotators"}))
    assert "others=annotators" in shown
    assert "judged by the same annotators" in shown
    assert "and other annotators (pigeonhole bootstrap; rather too wide" in other
    assert f"{table}.csv?others=annotators" in other
    here, everywhere = rows_of(study, table)[0], rows_of(study, table, others="annotators")[0]
    assert here[key] == everywhere[key]
    assert width(everywhere, key) > 1.5 * width(here, key)


def test_what_holds_for_these_annotators_need_not_for_others(study: Study) -> None:
    here, everywhere = (rows_of(study, "differences", **query)[0] for query in ({}, {"others": "annotators"}))
    assert float(here["p_holm"]) < 0.001
    assert float(everywhere["p_holm"]) > 0.05
    page = client_of(study).get(reverse("agreement_ranking", args=[study.slug]), {"others": "annotators"})
    assert "and by annotator (n = 3)" in page.content.decode()
    assert "intervals by article and annotator; a line across zero may be chance" in page.content.decode()
    assert "it is not certain that any two of the systems" in page.content.decode()


def test_shares_of_labels_too_but_not_of_one_annotator(study: Study) -> None:
    here, everywhere = (rows_of(study, "labels-system", **query) for query in ({}, {"others": "annotators"}))
    keys = [key.removesuffix("_low") for key in here[0] if key.endswith("_low")]
    for one, other in zip(here, everywhere, strict=True):
        assert all(width(other, key) >= width(one, key) for key in keys)
    assert any(width(other, key) > width(one, key) for one, other in zip(here, everywhere, strict=True) for key in keys)
    assert rows_of(study, "labels-annotator", others="annotators")[1:] == rows_of(study, "labels-annotator")[1:]


def test_a_choice_that_there_is_not_is_not_there(study: Study) -> None:
    address = reverse("agreement_systems", args=[study.slug])
    assert client_of(study).get(address, {"others": "martians"}).status_code == 404


def test_a_study_of_two_annotators_says_nothing_about_others() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=8, questions=1))
    Annotation.objects.filter(annotator__pseudonym="C").delete()
    take_snapshot(study=study, resamples=60)
    page = client_of(study).get(reverse("agreement_systems", args=[study.slug]), {"others": "annotators"})
    assert "Too few annotators to say anything about others: 2; it takes 3 or more." in page.content.decode()


def test_report_and_bundle_have_both(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("report_study", study.name)
    text = capsys.readouterr().out
    assert "Mean by system, for other annotators, too" in text
    assert "Differences of systems, for other annotators, too" in text
    snapshot = study.snapshots.latest()
    suffixes = [suffix for suffix, _ in choices_of(snapshot, "completeness", "differences")]
    assert suffixes == ["", "-other-annotators"]


def test_whom_intervals_speak_for_is_told_in_the_readers_language(study: Study) -> None:
    snapshot = study.snapshots.latest()
    with translation.override("ja"):
        asked = tables.ask(snapshot, "completeness", ["means-system"], {"others": "annotators"})
        (table,) = tables.tables_of(asked, ["means-system"]).values()
        assert table.speaks_for.startswith("区間は、ほかの記事とほかのアノテーターについてのものです")
        (narrow,) = tables.tables_of(replace(asked, parameters={}), ["means-system"]).values()
        assert narrow.rough_intervals[0].startswith("記事が20未満のため大まかな区間です")
        assert table.rough_intervals == []  # they hold more often than they say
    assert in_language(too_few_units(3, "plain", "article")) == (
        "It rests on too few articles for an interval: 3; from 5 on there is one."
    )
    # Where articles have just become the unit, a figure may lose its interval: the sentence says why.
    assert in_language(too_few_units(5, "coefficient", "article")) == (
        "It rests on too few articles for an interval: 5; from 8 on there is one. With 5 articles or more in a study "
        "its intervals speak for other articles, with fewer for other questions about the same articles."
    )
    assert "With 5" not in in_language(too_few_units(5, "coefficient", "question"))
    with translation.override("ja"):
        assert in_language(too_few_units(3, "plain", "article")).startswith("区間を出すには記事が少なすぎます")
        assert in_language(too_few_units(5, "coefficient", "article")).endswith("ほかの質問についてのものです。")


def test_a_reason_is_stored_as_its_code_and_read_as_its_sentence(study: Study) -> None:
    stored = study.snapshots.latest().figures["aspects"][0]["cohen_kappa"]
    assert stored["no_interval_because"]["code"] == "statistics.too_few_articles"
    read = COHEN_KAPPA.from_stored(stored)
    assert read.no_interval_because == too_few_units(read.units, "kappa", "article")
    assert COHEN_KAPPA.to_stored(read) == stored
