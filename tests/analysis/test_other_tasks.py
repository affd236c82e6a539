"""Figures and pages of studies whose labels have no order, depend on the item, or are about candidates of a group."""

import json
import re
from typing import Any

import krippendorff
import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.sections.agreement.tables import in_words
from annotation_platform.analysis.snapshots.stored import headline_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables import registry as tables
from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Answer, Question, System
from annotation_platform.studies.models import Candidate, Item, Role, Study
from tests.factories import MemberFactory, make_corpus, study_with_judgments

pytestmark = pytest.mark.django_db

GROUPS: dict[str, Any] = {
    "key": "groups",
    "title": "Groups",
    "shown": ["question", "choices", "candidates"],
    "aspects": [
        {"key": "supported", "kind": "item_choice", "title": "Which choice is right?", "none_label": "None"},
        {
            "key": "truth",
            "kind": "range",
            "title": "How true?",
            "low": 0,
            "high": 3,
            "better": "high",
            "per": "candidate",
        },
        {
            "key": "length",
            "kind": "range",
            "title": "How long?",
            "low": -1,
            "high": 1,
            "best": 0,
            "per": "candidate",
        },
        {"key": "winner", "kind": "best_of", "title": "Which is best?", "forced_label": "if I must"},
        {
            "key": "faults",
            "kind": "several",
            "title": "Faults",
            "none_label": "None",
            "choices": [{"key": "style", "label": "Style"}, {"key": "facts", "label": "Facts"}],
        },
    ],
}


def opinion(member: Any, item: Item) -> dict[str, Any]:
    """Annotators who agree about truth more than about length, and mostly on the winner."""
    strictness = ord(member.pseudonym) - ord("A")
    values: dict[str, Any] = {
        "supported": "abc"[(item.pk + (strictness == 2)) % 3],
        "faults": ["style", "facts"][: (item.pk + strictness) % 3],
    }
    for candidate in item.candidates.all():
        quality = candidate.answer.pk % 4
        values[f"truth.{candidate.number}"] = str(max(quality - (strictness == 1 and item.pk % 2), 0))
        values[f"length.{candidate.number}"] = str((candidate.answer.pk * (strictness + 1)) % 3 - 1)
    values["winner"] = str(1 + (item.pk + (strictness == 0 and item.pk % 3 == 0)) % 3)
    if strictness == 2:
        values["winner.forced"] = True
    return values


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    corpus = make_corpus(articles=2, sentences=0)
    Question.objects.filter(article__corpus=corpus).update(choices=["red", "green", "blue"])
    return study_with_judgments(corpus=corpus, definition=GROUPS, values=opinion)


def figures_of(study: Study) -> dict[str, Any]:
    snapshot = take_snapshot(study=study, resamples=30)
    json.dumps(snapshot.figures, allow_nan=False)
    return {aspect["aspect"]: aspect for aspect in snapshot.figures["aspects"]}


def alpha_by_another_program(study: Study, read: Any, level: str) -> float:
    """Krippendorff's α by the package of that name, from the record of every judgment."""
    members = sorted({a.annotator_id for a in Annotation.objects.closed()})
    units: dict[Any, dict[int, float]] = {}
    for annotation in Annotation.objects.closed().filter(item__study=study):
        for unit, value in read(annotation):
            units.setdefault(unit, {})[annotation.annotator_id] = value
    table = [[units[unit].get(member, np.nan) for unit in sorted(units)] for member in members]
    return float(krippendorff.alpha(reliability_data=np.array(table), level_of_measurement=level))


def test_aspects_of_candidates_are_measured_candidate_by_candidate(study: Study) -> None:
    figures = figures_of(study)

    def per_candidate(key: str) -> Any:
        return lambda annotation: [
            ((annotation.item_id, name), float(value))
            for name, value in annotation.values.items()
            if name.startswith(f"{key}.")
        ]

    for key in ("truth", "length"):
        alpha = figures[key]["krippendorff_alpha"]["raw"]
        assert alpha["value"] == pytest.approx(alpha_by_another_program(study, per_candidate(key), "interval"))
        assert alpha["items"] == Candidate.objects.filter(study=study).count()
    assert {mean["system"] for mean in figures["truth"]["mean_by_system"]} == {"alder", "birch", "cedar"}
    assert figures["length"]["best_label"] == "0"


def test_the_best_of_a_group_is_measured_by_whose_answer_it_is(study: Study) -> None:
    figures = figures_of(study)["winner"]
    system = {
        (item, str(number)): pk
        for item, number, pk in Candidate.objects.values_list("item_id", "number", "answer__system_id")
    }
    alpha = alpha_by_another_program(study, lambda a: [(a.item_id, system[a.item_id, a.values["winner"]])], "nominal")
    assert figures["krippendorff_alpha"]["raw"]["value"] == pytest.approx(alpha)
    assert [label["key"] for label in figures["labels"]] == ["alder", "birch", "cedar"]
    assert figures["label_distribution"]["by_system"] == []
    assert figures["mean_by_system"] == []
    assert "no order" in figures["pairwise_tau"]["all"]["raw"]["mean"]["undefined_because"]


def test_choices_of_the_item_are_nominal_labels(study: Study) -> None:
    figures = figures_of(study)["supported"]
    alpha = alpha_by_another_program(study, lambda a: [(a.item_id, "abc".index(a.values["supported"]))], "nominal")
    assert figures["krippendorff_alpha"]["raw"]["value"] == pytest.approx(alpha)
    assert [label["key"] for label in figures["labels"]] == ["a", "b", "c", "none"]
    assert figures["fleiss_kappa"]["value"] is not None


def test_judgments_are_counted_once_for_a_group(study: Study) -> None:
    snapshot = take_snapshot(study=study, resamples=10)
    assert snapshot.figures["counts"]["judgments"] == Annotation.objects.closed().count()
    assert snapshot.figures["counts"]["items"] == Item.objects.filter(study=study).count()


def test_words_and_tables_say_where_people_agree(study: Study) -> None:
    snapshot = take_snapshot(study=study, resamples=30)
    headline = headline_of(study)
    assert headline is not None
    (sentence,) = headline.words
    assert sentence.startswith("Annotators agree beyond chance on")
    assert "on “How true?”" in sentence  # the highest, whether or not its interval meets those of the others
    asked = tables.ask(snapshot, "winner", ["agreement", "aspects"])
    found = tables.tables_of(asked, ["agreement", "aspects"])
    assert "beyond chance" in in_words(asked)[0]
    assert [row["statistic"] for row in found["agreement"].cells] == ["Krippendorff α", "Fleiss κ"]
    assert found["aspects"].reading == sentence
    assert len(found["aspects"].cells) == 4


def test_the_best_of_a_group_is_named_by_its_system_beside_another_annotators(study: Study) -> None:
    asked = tables.ask(take_snapshot(study=study, resamples=10), "winner", ["pair"])
    pair = tables.tables_of(asked, ["pair"])["pair"]
    assert "system" not in [column.key for column in pair.columns]  # it is about all of them
    assert {row[key] for row in pair.cells for key in ("label_a", "label_b")} <= set(
        System.objects.values_list("name", flat=True)
    )


def test_of_a_group_each_row_of_two_annotators_names_the_answer_that_it_is_about(study: Study) -> None:
    asked = tables.ask(take_snapshot(study=study, resamples=10), "truth", ["pair"])
    pair = tables.tables_of(asked, ["pair"])["pair"]
    assert [column.heading for column in pair.columns][:3] == ["Item", "Question", "System"]
    for row in pair.cells:
        item = Item.objects.get(pk=row["item"])
        assert row["question"] == item.question.text
        assert row["system"] == item.candidates.get(number=row["candidate"]).answer.system.name


def test_every_page_of_a_group_study_opens(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    take_snapshot(study=study, resamples=10)
    reader = MemberFactory(study=study, role=Role.RESEARCHER)
    client = Client()
    client.force_login(reader.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    for aspect in ("supported", "truth", "length", "winner"):
        for name in ("agreement", "agreement_annotators", "agreement_pairs", "agreement_systems"):
            page = client.get(reverse(name, args=[study.slug]), {"aspect": aspect})
            assert page.status_code == 200
            for address in set(re.findall(r'data-spec="([^"]+)"', page.content.decode())):
                assert client.get(address.replace("&amp;", "&")).status_code == 200, address
    listed = client.get(reverse("items", args=[study.slug]))
    assert "alder" in listed.content.decode()
    item = Item.objects.filter(study=study).first()
    assert item is not None
    page = client.get(reverse("item", args=[study.slug, item.pk])).content.decode()
    for text in [*Answer.objects.filter(candidacies__item=item).values_list("text", flat=True), "if I must", "red"]:
        assert text in page
    call_command("report_study", study.name)
    assert "How true?" in capsys.readouterr().out
    assert AgreementSnapshot.objects.filter(study=study).exists()
