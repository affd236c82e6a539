"""Consensus labels: figures from rows, the page with its items, where nothing can be said, people as pseudonyms."""

from html import unescape

import numpy as np
import pytest
from django.urls import reverse

from annotation_platform.analysis.measuring.judgments import measures, read_judgments
from annotation_platform.analysis.measuring.units import read_units
from annotation_platform.analysis.sections.consensus.figures import CONSENSUS, ConsensusOfAspect
from annotation_platform.analysis.sections.consensus.tables import _ways_reading
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Rating
from annotation_platform.core.statistics import dawid_skene, mace
from annotation_platform.corpus.models import Question
from annotation_platform.studies.models import Item, Study
from tests.analysis.study_rows import client_of
from tests.factories import LABELS, make_corpus, study_with_judgments
from tests.some import some

pytestmark = pytest.mark.django_db


def opinion(member: object, item: Item) -> dict[str, str]:
    """Mostly what the item deserves, now and then one label off."""
    off = (member.pk * 7 + item.pk * 3) % 5 == 0  # type: ignore[attr-defined]
    return {"completeness": LABELS[(item.pk + off) % 4]}


def split_opinion(member: object, item: Item) -> dict[str, str]:
    """Of every third item half of the people think otherwise."""
    off = item.pk % 3 == 0 and member.pk % 2 == 0  # type: ignore[attr-defined]
    return {"completeness": LABELS[(item.pk + off) % 4]}


def several(annotators: int = 4) -> Study:
    return study_with_judgments(annotators=annotators, corpus=make_corpus(articles=3), values=opinion)


def figures_of(study: Study) -> ConsensusOfAspect:
    snapshot = take_snapshot(study=study, resamples=30)
    return CONSENSUS.from_stored(snapshot.figures["consensus"]).aspects["completeness"]


def test_figures_are_those_of_the_models() -> None:
    study = several()
    found = figures_of(study)
    aspect, spec = next(each for each in measures(study) if each[1].key == "completeness")
    table, _ = read_judgments(study, aspect, spec, read_units(study, per=spec.per)).with_scores(None)
    ratings = table.ratings(table.choices.astype(float), None)
    known, skilled = mace(ratings), dawid_skene(ratings)
    assert [each.name for each in found.annotators] == [*table.annotators]
    assert [each.mace.value for each in found.annotators] == pytest.approx(known.competence)
    assert [each.dawid_skene.value for each in found.annotators] == pytest.approx(skilled.competence)
    majority, model, other = found.ways
    assert majority.items + majority.undecided == model.items == other.items == ratings.n_items
    assert model.posterior is not None
    assert model.posterior.value == pytest.approx(skilled.probabilities.max(axis=1).mean())
    assert sum(label.count for label in other.labels.values()) == ratings.n_items
    together = found.compared[2]
    assert together.same.value == pytest.approx(np.mean(skilled.labels == known.labels))
    assert together.different == (skilled.labels != known.labels).sum()
    least = np.minimum(skilled.probabilities.max(axis=1), known.probabilities.max(axis=1))
    said = [min(each.dawid_skene_posterior, each.mace_posterior) for each in found.uncertain]
    assert said == pytest.approx(np.sort(least)[: len(said)])


def test_of_few_judgments_dawid_and_skenes_competence_has_no_interval_and_the_page_says_why() -> None:
    study = several()
    found = figures_of(study)
    said = {each.dawid_skene.no_interval_because for each in found.annotators}
    assert {getattr(why, "code", why) for why in said} == {"statistics.competence_of_few"}
    assert {each.dawid_skene.interval for each in found.annotators} == {None}
    page = unescape(client_of(study).get(reverse("agreement_consensus", args=[study.slug])).content.decode())
    assert all(str(why) in page for why in said)


def test_uncertain_items_are_those_whose_judgments_they_are() -> None:
    study = several()
    found = figures_of(study)
    assert len({each.item for each in found.uncertain}) == len(found.uncertain) > 0
    for each in found.uncertain:
        item = Item.objects.get(pk=each.item)
        assert (each.article, each.question) == (item.question.article.external_id, item.question.external_id)
        assert each.text == item.question.text
        given = list(
            Rating.objects.filter(annotation__item=item, aspect="completeness").values_list("choice", flat=True)
        )
        most = max(map(given.count, given))
        winners = {label for label in given if given.count(label) == most}
        assert each.majority == (winners.pop() if len(winners) == 1 else None)


def test_the_page_leads_to_the_items_and_shows_pseudonyms() -> None:
    study = study_with_judgments(annotators=4, corpus=make_corpus(articles=3), values=split_opinion)
    found = figures_of(study)
    page = client_of(study).get(reverse("agreement_consensus", args=[study.slug]), {"aspect": "completeness"})
    text = page.content.decode()
    for each in some(found.uncertain):
        is_listed = min(each.dawid_skene_posterior, each.mace_posterior) < 0.95
        assert (reverse("item", args=[study.slug, each.item]) in text) == is_listed
    assert "at least one of the two models is less than 95.0\u00a0% sure" in text
    for each in some(found.annotators):
        assert f"<td>{each.name}</td>" in "".join(text.split("\n")).replace("          ", "")
    for member in some(study.members.all()):
        assert member.user.email not in text or not member.annotations.exists()
    assert "competence-mace" in text
    assert "runs from" in text


def test_of_more_uncertain_items_than_are_listed_it_says_how_many_there_are() -> None:
    study = study_with_judgments(annotators=4, corpus=make_corpus(articles=12), values=split_opinion)
    found = figures_of(study)
    assert found.unsure is not None
    assert found.unsure > len(found.uncertain) == 20
    page = client_of(study).get(reverse("agreement_consensus", args=[study.slug]), {"aspect": "completeness"})
    text = page.content.decode()
    assert f"Of {found.unsure} items at least one of the two models is less than 95.0\u00a0% sure; the 20 least" in text


def test_where_another_solution_is_as_likely_nobody_is_said_to_be_more_reliable() -> None:
    study = study_with_judgments(annotators=4, corpus=make_corpus(articles=12), values=split_opinion)
    found = figures_of(study)
    assert found.is_ambiguous
    assert {each.mace.interval for each in found.annotators} == {None}
    assert found.ambiguous == tuple(each.name for each in found.annotators)
    page = client_of(study).get(reverse("agreement_consensus", args=[study.slug]), {"aspect": "completeness"})
    text = page.content.decode()
    assert "MACE has another solution here that explains the judgments about as well" in text
    assert "without intervals, so that nobody can be said to be more reliable" in text
    assert "their intervals do not meet" not in text
    assert not figures_of(several()).is_ambiguous


def test_where_it_is_so_for_some_annotators_alone_they_are_named() -> None:
    found = figures_of(several())
    first, second, *_ = found.annotators
    said = _ways_reading(found.model_copy(update={"ambiguous": (first.name, second.name), "is_ambiguous": True}))
    assert f"in which others among {first.name} and {second.name} know more" in said


def test_items_of_which_both_models_are_sure_are_not_called_uncertain() -> None:
    study = study_with_judgments(
        annotators=4,
        corpus=make_corpus(articles=6),
        values=lambda member, item: {"completeness": LABELS[item.pk % 4]},
    )
    assert figures_of(study).uncertain
    page = client_of(study).get(reverse("agreement_consensus", args=[study.slug]), {"aspect": "completeness"})
    text = page.content.decode()
    assert "Both are at least 95.0\u00a0% sure of every item, so none is listed as uncertain." in text
    assert "The least certain items" not in text


@pytest.mark.parametrize(("annotators", "why"), [(1, "by one annotator"), (2, "by two annotators")])
def test_too_few_people_leave_the_majority_and_the_reason(annotators: int, why: str) -> None:
    study = several(annotators)
    found = figures_of(study)
    assert why in (found.undefined_because or "")
    assert [way.way for way in found.ways] == ["majority"]
    assert (found.compared, found.annotators, found.uncertain) == ((), (), ())
    page = client_of(study).get(reverse("agreement_consensus", args=[study.slug]), {"aspect": "completeness"})
    assert why in page.content.decode()
    assert "Competence of the annotators" not in page.content.decode()


def test_a_long_question_without_spaces_is_cut() -> None:
    study = several()
    Question.objects.update(text="潮" * 200)
    assert {each.text for each in figures_of(study).uncertain} == {"潮" * 119 + "…"}


def test_a_snapshot_without_the_section_asks_for_a_new_one() -> None:
    study = several()
    snapshot = take_snapshot(study=study, resamples=30)
    snapshot.sections.filter(key="consensus").delete()
    page = client_of(study).get(reverse("agreement_consensus", args=[study.slug]))
    assert "older than this page" in page.content.decode()
