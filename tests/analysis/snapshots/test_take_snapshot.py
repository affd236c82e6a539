"""A snapshot holds every figure of the closed judgments, once for the same inputs, and never a NaN."""

import json
from itertools import combinations
from typing import Any
from zlib import crc32

import pytest
from scipy.stats import kendalltau

from annotation_platform.analysis.measuring.figures import SnapshotHead
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.agreement.tables import in_words
from annotation_platform.analysis.snapshots import sections as computing
from annotation_platform.analysis.snapshots.stored import headline_of, latest_snapshot
from annotation_platform.analysis.snapshots.taking import read_closed, take_snapshot
from annotation_platform.analysis.snapshots.words import change_in_words
from annotation_platform.analysis.tables.request import TableRequest
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.reasons import from_data
from annotation_platform.core.schemes import preset
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.scoring.models import Score
from annotation_platform.studies.models import Item, Member, Study
from tests.analysis.made_figures import change, figure
from tests.analysis.study_rows import score, scored_study
from tests.factories import (
    LABELS,
    AnswerFactory,
    ArticleFactory,
    CorpusFactory,
    QuestionFactory,
    SystemFactory,
    make_corpus,
    make_study,
    plan_batches,
    study_with_judgments,
)
from tests.some import some

pytestmark = [pytest.mark.django_db, pytest.mark.storage]
RESAMPLES = 40


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return scored_study()


def snapshot_of(study: Study, **how: Any) -> AgreementSnapshot:
    return take_snapshot(study=study, **{"resamples": RESAMPLES, **how})


def rescaled_aspect(snapshot: AgreementSnapshot) -> Any:
    """The figures of the aspect that is rescaled, which come first."""
    return snapshot.figures["aspects"][0]


def asked_of(snapshot: AgreementSnapshot) -> TableRequest:
    return TableRequest(snapshot, snapshot.head.aspects[0], rescaled_aspect(snapshot))


def by_hand(study: Study, values: dict[int, float]) -> list[float]:
    """τ-b of each pair of annotators, joined and computed with scipy."""
    rows: dict[str, dict[int, float]] = {}
    for pk, item, name in Annotation.objects.closed().values_list("pk", "item_id", "annotator__pseudonym"):
        rows.setdefault(name, {})[item] = values[pk]
    pairs = []
    for a, b in combinations(sorted(rows), 2):
        shared = sorted(rows[a].keys() & rows[b].keys())
        pairs.append(float(kendalltau([rows[a][i] for i in shared], [rows[b][i] for i in shared]).statistic))
    return pairs


def test_raw_and_rescaled_taus_are_those_of_scipy_on_the_rows(study: Study) -> None:
    aspect = rescaled_aspect(snapshot_of(study))
    tau, pairs = aspect["pairwise_tau"]["all"], aspect["pairs_all"]
    raw = by_hand(study, dict(Rating.objects.filter(aspect="completeness").values_list("annotation_id", "number")))
    rescaled = by_hand(study, dict(Score.objects.values_list("annotation_id", "value")))
    assert [pair["raw"] for pair in pairs] == pytest.approx(raw)
    assert [pair["rescaled"] for pair in pairs] == pytest.approx(rescaled)
    assert tau["change"]["mean"]["value"] == pytest.approx((sum(rescaled) - sum(raw)) / 3)
    assert [pair["annotators"] for pair in pairs] == [["A", "B"], ["A", "C"], ["B", "C"]]


def test_the_overview_and_the_comparison_of_runs_say_the_same_of_the_run_in_use() -> None:
    """Also where some pairs of annotators have no τ in some resamples, as few items make likely."""
    study = study_with_judgments(annotators=4, corpus=make_corpus(articles=1, questions=5))
    score(study)
    snapshot = snapshot_of(study)
    overview = rescaled_aspect(snapshot)["pairwise_tau"]
    of_runs = snapshot.figures["variants"]["aspects"]["completeness"]["comparisons"]
    for compared in of_runs:
        change = overview[compared["setting"]]["change"]["mean"]
        assert change["value"] == pytest.approx(compared["value"])
        assert change["interval"] == (compared["interval"] and pytest.approx(compared["interval"]))
        assert change["p_value"] == (compared["p_value"] and pytest.approx(compared["p_value"]))
    assert any(compared["interval"] for compared in of_runs)


def test_before_any_run_there_are_raw_figures_and_a_reason() -> None:
    snapshot = snapshot_of(study_with_judgments())
    aspect = rescaled_aspect(snapshot)
    assert aspect["pairwise_tau"]["all"]["raw"]["mean"]["value"] is not None
    assert aspect["pairwise_tau"]["all"]["rescaled"] is None
    assert aspect["mean_by_label"] is None
    assert "No scoring run" in aspect["rescaled_undefined_because"]
    assert "not rescaled yet" in " ".join(in_words(asked_of(snapshot)))


def test_the_same_inputs_give_the_snapshot_already_there_without_computing(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = snapshot_of(study)

    computed = computed_sections(monkeypatch)
    assert snapshot_of(study) == first
    assert not computed
    snapshot_of(study, seed=1)
    assert computed == ALL_SECTIONS


def test_another_run_computes_again_only_what_rests_on_scores(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot_of(study)
    score(study, lambda annotation: float(mark_of(annotation.annotator, annotation.item) % 90))
    computed = computed_sections(monkeypatch)
    second = snapshot_of(study)
    assert computed == (set(computing.ASPECT_SECTIONS) - computing.OF_LABELS) | {"variants", "pilot", "powered"}
    assert second.figures == from_the_beginning(second)


def test_a_run_that_covers_fewer_judgments_computes_the_figures_of_labels_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot_of(study)
    run = score(study, lambda annotation: float(mark_of(annotation.annotator, annotation.item) % 90))
    Score.objects.filter(run=run, annotation__annotator=study.members.order_by("pk").first()).delete()
    computed = computed_sections(monkeypatch)
    second = snapshot_of(study)
    assert computed >= set(computing.ASPECT_SECTIONS)
    assert second.figures == from_the_beginning(second)


def from_the_beginning(snapshot: AgreementSnapshot) -> dict[str, Any]:
    """The figures of the same data, computed without any earlier ones."""
    AgreementSnapshot.objects.filter(study=snapshot.study).delete()
    again = snapshot_of(snapshot.study)
    assert again.signature == snapshot.signature
    return again.figures


ALL_SECTIONS = {*computing.ASPECT_SECTIONS, *computing.STUDY_SECTIONS}


def computed_sections(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The keys of the sections that are computed from now on."""
    computed: set[str] = set()

    def noted(key: str, measure: Any) -> Any:
        def measured(*read: Any) -> Any:
            computed.add(key)
            return measure(*read)

        return measured

    for key, measure in computing.ASPECT_SECTIONS.items():
        monkeypatch.setitem(computing.ASPECT_SECTIONS, key, noted(key, measure))
    for key, section in computing.STUDY_SECTIONS.items():
        monkeypatch.setitem(computing.STUDY_SECTIONS, key, section._replace(measure=noted(key, section.measure)))
    return computed


def test_the_figures_do_not_depend_on_the_order_and_keys_of_the_rows() -> None:
    first = snapshot_of(study_of_articles("north", "south", "west")).figures
    second = snapshot_of(study_of_articles("west", "north", "south")).figures
    assert first["data"]["judgments_sha256"] == second["data"]["judgments_sha256"]
    assert first["aspects"] == second["aspects"]


def study_of_articles(*names: str) -> Study:
    """A scored study whose articles were stored in this order; what is judged depends on names alone."""
    corpus = CorpusFactory()
    systems = [SystemFactory(corpus=corpus, name=name) for name in ("alder", "birch")]
    for position, name in enumerate(names, start=1):
        article = ArticleFactory(corpus=corpus, external_id=name, position=position)
        for number in (1, 2):
            question = QuestionFactory(article=article, external_id=f"q{number}", position=number)
            for system in systems:
                AnswerFactory(question=question, system=system)
    study = study_with_judgments(corpus=corpus, values=opinion_by_name)
    score(study, lambda annotation: float(mark_of(annotation.annotator, annotation.item) % 100))
    return study


def mark_of(member: Member, item: Item) -> int:
    question = item.question
    names = (question.article.external_id, question.external_id, item.answer.system.name, member.pseudonym)
    return crc32(" ".join(names).encode())


def opinion_by_name(member: Member, item: Item) -> dict[str, Any]:
    return {"completeness": LABELS[mark_of(member, item) % 4]}


def test_shares_and_means_are_those_of_the_rows(study: Study) -> None:
    aspect = rescaled_aspect(snapshot_of(study))
    scored = dict(Score.objects.values_list("annotation_id", "value"))
    labels = Rating.objects.filter(aspect="completeness").values_list(
        "choice", "number", "annotation_id", "annotation__item__candidates__answer__system__name"
    )
    rows = [(choice, number, scored[annotation], system) for choice, number, annotation, system in labels]
    (overall,) = aspect["label_distribution"]["overall"]
    for mean in some(aspect["mean_by_label"]):
        values = [value for choice, _, value, _ in rows if choice == mean["key"]]
        assert overall["labels"][mean["key"]]["count"] == mean["judgments"] == len(values)
        assert overall["labels"][mean["key"]]["share"] == pytest.approx(len(values) / len(rows))
        assert mean["value"] == pytest.approx(sum(values) / len(values))
    for mean in some(aspect["mean_by_system"]):
        numbers = [number for _, number, _, system in rows if system == mean["system"]]
        assert mean["raw"]["value"] == pytest.approx(sum(numbers) / len(numbers))


def test_a_judgment_changed_before_the_close_changes_the_signature() -> None:
    opinions: list[dict[str, Any]] = [{"completeness": "complete"}, {"completeness": "missing_all"}]
    marks = set()
    for opinion in opinions:
        study = study_with_judgments(
            name=str(opinion), values=lambda member, item, o=opinion: o if item.position == 1 else {}
        )
        marks.add(snapshot_of(study).data_signature)
    assert len(marks) == 2


def test_figures_are_plain_json_without_nan_also_where_little_is_defined() -> None:
    study = study_with_judgments(values=lambda member, item: {"completeness": "complete"})
    score(study, lambda annotation: 90.0)
    snapshot = snapshot_of(study)
    json.dumps(snapshot.figures, allow_nan=False)
    aspect = rescaled_aspect(snapshot)
    tau = aspect["pairwise_tau"]
    assert tau["all"]["raw"]["mean"]["value"] is None
    assert "No pair" in from_data(tau["all"]["raw"]["mean"]["undefined_because"])
    assert "one and the same value" in from_data(aspect["pairs_all"][0]["undefined_because"])
    assert "share no item" in from_data(aspect["pairs_incomplete"][0]["undefined_because"])
    headline = headline_of(study)
    assert headline is not None
    assert "not defined: No pair" in headline.words[0]


def test_a_study_without_closed_judgments_has_a_snapshot_that_says_so() -> None:
    study = make_study()
    snapshot = snapshot_of(study)
    json.dumps(snapshot.figures, allow_nan=False)
    assert snapshot.figures["counts"]["judgments"] == 0
    assert rescaled_aspect(snapshot)["pairwise_tau"]["all"]["raw"]["mean"]["undefined_because"]
    assert rescaled_aspect(snapshot)["fleiss_kappa"]["value"] is None


def test_open_batches_and_old_revisions_do_not_count(study: Study) -> None:
    before = snapshot_of(study).figures["counts"]
    annotation = Annotation.objects.closed().first()
    assert annotation is not None
    Annotation.objects.create(
        scheme_version=annotation.scheme_version,
        assignment=annotation.assignment,
        item=annotation.item,
        annotator=annotation.annotator,
        revision=9,
        is_current=False,
        values=annotation.values,
        created_at=annotation.created_at,
    )
    study.batches.filter(number=1).update(state="open")
    assert snapshot_of(study).figures["counts"]["judgments"] < before["judgments"]
    study.batches.filter(number=1).update(state="scored")
    assert snapshot_of(study).figures["counts"] == before


def test_judgments_that_the_run_does_not_cover_are_counted_and_left_out(study: Study) -> None:
    missing = list(Score.objects.values_list("pk", flat=True)[:5])
    Score.objects.filter(pk__in=missing).delete()
    counts = snapshot_of(study).figures["counts"]
    assert counts["judgments_not_scored_yet"] == 5
    assert counts["judgments"] == Score.objects.count()


def test_a_scheme_that_rescales_nothing_has_raw_figures_of_all_its_labelled_aspects() -> None:
    definition = {**preset("ebr"), "rescale": []}
    study = study_with_judgments(definition=definition)
    run = score(study)  # a run over it is there, and has nothing to score
    Score.objects.filter(run=run).delete()
    correct, aspect = snapshot_of(study).figures["aspects"]
    assert (correct["aspect"], aspect["aspect"]) == ("correct", "completeness")
    assert aspect["counts"]["judgments_not_scored_yet"] == 0
    assert aspect["rescaled_undefined_because"] == "The scheme does not rescale this aspect."
    assert aspect["krippendorff_alpha"]["raw"]["value"] is not None


def parts_of(snapshot: AgreementSnapshot) -> list[dict[str, Any]]:
    (variant,) = snapshot.figures["variants"]["aspects"]["completeness"]["variants"]
    parts: list[dict[str, Any]] = variant["parts"]
    return parts


def test_parts_of_the_corpus_are_measured_apart_where_articles_have_sources(study: Study) -> None:
    assert [part["source"] for part in parts_of(snapshot_of(study))] == [None]
    for article, source in zip(study.corpus.articles.all(), ("north", "south"), strict=True):
        article.source = source
        article.save()
    whole, north, south = parts_of(snapshot_of(study))
    assert [part["source"] for part in (whole, north, south)] == [None, "north", "south"]
    assert north["counts"]["judgments"] + south["counts"]["judgments"] == Score.objects.count()
    assert [row["lambda"] for row in north["mixtures"]] == pytest.approx([step / 10 for step in range(11)])


def test_many_batches_are_named_in_short() -> None:
    assert AgreementSnapshot(head=SnapshotHead.model_construct(batches=(1, 2, 3, 7))).batches == "1-3, 7"
    assert AgreementSnapshot(head=SnapshotHead.model_construct(batches=())).batches == ""


@pytest.mark.parametrize(
    ("interval", "expected"),
    [([0.1, 0.3], "more alike"), ([-0.3, -0.1], "less alike"), ([-0.1, 0.2], "not certain whether")],
)
def test_words_claim_a_change_only_when_its_interval_leaves_out_zero(interval: list[float], expected: str) -> None:
    low, high = interval
    mean = figure(sum(interval) / 2, (low, high))
    words = change_in_words(mean, mean, change((low + high) / 2, (low, high)))
    assert expected in words
    assert "corrected p" not in words


@pytest.mark.parametrize(
    ("value", "p", "expected"),
    [
        (0.2, 0.06, "not certain whether"),
        (0.2, 0.0499, "more alike"),
        (-0.2, 0.0001, "less alike"),
    ],
)
def test_a_corrected_p_decides_before_the_interval_does_and_is_printed(value: float, p: float, expected: str) -> None:
    low, high = sorted([value / 2, value * 2])
    words = change_in_words(figure(0.3), figure(0.3), change(value, (low, high), p))
    assert expected in words
    assert words.endswith(f", corrected p {'< 0.001' if p < 0.001 else f'{p:.3f}'}).")


def test_the_overview_is_worded_by_the_stored_corrected_p() -> None:
    study = study_with_judgments()
    score(study, lambda annotation: 50.0 + annotation.item_id % 7)  # on which all are agreed
    snapshot = snapshot_of(study)
    mean = rescaled_aspect(snapshot)["pairwise_tau"]["all"]["change"]["mean"]
    assert mean["interval"][0] > 0
    assert mean["p_value_holm"] < 0.05
    headline = headline_of(study)
    assert headline
    asked = asked_of(snapshot)
    assert all("more alike" in words for words in (in_words(asked)[0], headline.words[0]))


def test_an_older_runs_snapshot_that_is_stored_late_does_not_hide_the_newer_one(study: Study) -> None:
    newest = snapshot_of(study)
    late = AgreementSnapshot.objects.create(
        study=study, run=None, data_signature="x", signature="x", head=newest.head, code_version="x"
    )
    assert late.pk > newest.pk
    assert latest_snapshot(study) == newest
    headline = headline_of(study)
    assert headline
    assert headline.snapshot == newest


def test_items_that_nobody_has_judged_are_not_drawn_by_the_bootstrap(study: Study) -> None:
    before = rescaled_aspect(snapshot_of(study))
    article = ArticleFactory(corpus=study.corpus, external_id="zzz")
    system = study.corpus.systems.first()
    for _ in range(5):
        AnswerFactory(question=QuestionFactory(article=article), system=system)
    plan_batches(study=study)
    after = rescaled_aspect(snapshot_of(study))
    assert AgreementSnapshot.objects.count() == 2
    assert after["mean_by_system"] == before["mean_by_system"]
    assert after["pairwise_tau"] == before["pairwise_tau"]


def test_aspects_that_are_judged_together_share_their_columns() -> None:
    read, _ = read_closed(study_with_judgments(), None, Bootstrap(resamples=2))
    completeness, correct = (read.judgments[aspect] for aspect in ("completeness", "correct"))
    assert correct.items is completeness.items
    assert correct.raters is completeness.raters
    assert correct.annotations is completeness.annotations
    assert correct.choices is not completeness.choices


def test_aspects_that_are_judged_apart_share_nothing_that_differs() -> None:
    study = study_with_judgments()
    left_out = Rating.objects.filter(aspect="correct", annotation__item__study=study).earliest("pk")
    annotation = left_out.annotation_id
    left_out.delete()
    read, _ = read_closed(study, None, Bootstrap(resamples=2))
    completeness, correct = (read.judgments[aspect] for aspect in ("completeness", "correct"))
    assert annotation in completeness.annotations.tolist()
    assert correct.annotations.tolist() == [each for each in completeness.annotations if each != annotation]
    assert len(correct.items) == len(correct.raters) == len(completeness.items) - 1
