"""The released EBR annotations go through the same rows and services as everything else, and nothing is lost."""

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Count, F

from annotation_platform.annotations.models import Annotation, Rating, SentenceReference
from annotation_platform.corpus.models import Article
from annotation_platform.scoring.models import RecordedReply
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Item, Study

pytestmark = [pytest.mark.django_db, pytest.mark.release, pytest.mark.xdist_group("released study")]
NAME = "EBR release"


@pytest.fixture(scope="module")
def study(release_data: list[Path], module_db: None) -> Study:
    """The release, imported once for all tests here and taken back after the last."""
    call_command("import_study", "ebr", *release_data, name=NAME, stdout=StringIO(), stderr=StringIO())
    return Study.objects.get(name=NAME)


def rows_of_the_files(files: list[Path]) -> Counter[tuple[Any, ...]]:
    """Every judgment as the files have it, read here without the importer."""
    return Counter(
        (article["dataset"], key, question_key, system, row["workerid"], row["complete_label"], row["ebr_raw"])
        for file in files
        for key, article in json.loads(file.read_text(encoding="utf-8")).items()
        for question_key, question in article["question_details"].items()
        for system, answer in question["system"].items()
        for row in answer["annotation_details"].values()
    )


def test_the_release_is_stored_whole(study: Study, release_data: list[Path]) -> None:
    assert Annotation.objects.closed().filter(item__study=study).count() == 12_650
    assert Item.objects.filter(study=study).count() == 2532
    per_item = Item.objects.annotate(judgments=Count("annotations")).values_list("judgments", flat=True)
    assert Counter(per_item)[5] == 2484
    stored = RecordedReply.objects.filter(annotation__ratings__aspect="completeness").values_list(
        "annotation__item__question__article__source",
        "annotation__item__question__article__external_id",
        "annotation__item__question__external_id",
        "annotation__item__candidates__answer__system__name",
        "annotation__annotator__pseudonym",
        "annotation__ratings__choice",
        "reply",
    )
    assert Counter((row[0], row[1].removeprefix(f"{row[0]}-"), *row[2:]) for row in stored) == rows_of_the_files(
        release_data
    )


def test_labels_have_the_published_shares_and_their_numbers(study: Study) -> None:
    rows = Rating.objects.filter(aspect="completeness").values_list("choice", "number").annotate(n=Count("pk"))
    shares = {choice: (number, round(n / 12_650, 4)) for choice, number, n in rows}
    assert shares == {
        "complete": (100, 0.6701),
        "missing_minor": (70, 0.1029),
        "missing_major": (30, 0.0441),
        "missing_all": (0, 0.1828),
    }


def test_both_parts_are_closed_batches_with_every_place_submitted(study: Study) -> None:
    parts = study.batches.annotate(n=Count("hits")).order_by("number").values_list("state", "closed_because", "n")
    assert list(parts) == [(BatchState.CLOSED, "imported", 1412), (BatchState.CLOSED, "imported", 1120)]
    assert Assignment.objects.filter(state=AssignmentState.SUBMITTED).count() == 12_650
    assert not Assignment.objects.exclude(state=AssignmentState.SUBMITTED).exists()
    assert Counter(Article.objects.values_list("source", flat=True)) == {"inq": 59, "inq-ext": 20}
    assert set(Article.objects.values_list("sentence_count", flat=True)) == {0}


def test_workers_are_members_by_pseudonym_and_their_repeated_judgments_are_replicates(study: Study) -> None:
    assert sorted(study.members.values_list("pseudonym", flat=True)) == list("01234567")
    assert not study.members.exclude(user=None).exists()
    repeated = Assignment.objects.filter(replicate__gt=0)
    assert repeated.exists()
    for place in repeated.select_related("annotator")[:20]:
        earlier = Assignment.objects.get(hit=place.hit_id, annotator=place.annotator, replicate=place.replicate - 1)
        assert earlier.place < place.place


def test_what_was_never_asked_is_not_made_up(study: Study) -> None:
    assert not SentenceReference.objects.exists()
    assert not Annotation.objects.filter(values__has_key="sentences").exists()
    assert not Annotation.objects.exclude(annotator=F("assignment__annotator")).exists()


def test_the_same_name_cannot_be_imported_twice(study: Study, release_data: list[Path]) -> None:
    with pytest.raises(CommandError, match="already"):
        call_command("import_study", "ebr", *release_data, name=NAME, stdout=StringIO(), stderr=StringIO())
    assert Annotation.objects.count() == 12_650
