"""What an export reads in SQL is what plain objects say, in a study where much has happened."""

from pathlib import Path
from typing import Any

import pytest

from annotation_platform.annotations.models import Annotation
from annotation_platform.scoring.models import Scorer
from annotation_platform.studies.models import AssignmentState
from annotation_platform.studies.services import claim_assignment, return_assignment
from tests.factories import OPERATOR, MemberFactory, close_all, make_corpus, open_study, submit
from tests.releases import rows

pytestmark = pytest.mark.django_db

SAYS = (
    "橋の閉鎖に触れていない。🙂 It says so.",
    "It says\nwhat sentence 1 says.",
    'It says "no", then yes, at length.',
)


def a_study_with_a_past() -> Any:
    """Judgments revised, given back and taken over by others, begun and left; equal scores, and times that lack."""
    study = open_study(corpus=make_corpus(articles=2, questions=2), overlap=2, name="橋 🙂")
    gone, anna, ben = (MemberFactory(study=study) for _ in range(3))
    left = claim_assignment(annotator=gone, actor=OPERATOR)
    for item in left.hit.items.all():
        submit(left, item, reasons="Somebody else goes on from here.")
        break
    return_assignment(assignment=left, annotator=gone, actor=OPERATOR)
    for annotator in (anna, ben):
        place = claim_assignment(annotator=annotator, actor=OPERATOR)
        for number, item in enumerate(place.hit.items.order_by("position")):
            submit(place, item, reasons=SAYS[number % 3])
            if number % 2:
                submit(place, item, completeness="missing_all", sentences=[1], reasons=SAYS[(number + 1) % 3])
    begun = claim_assignment(annotator=ben, actor=OPERATOR)
    submit(begun, begun.hit.items.order_by("position")[0], reasons=SAYS[0])
    Annotation.objects.filter(annotator=anna).update(seconds=None)
    return study


def test_an_export_of_a_study_with_a_past_is_what_plain_objects_say(tmp_path: Path) -> None:
    study = a_study_with_a_past()
    close_all(study)
    run = rows.score(study)
    run.scores.update(value=50.0)
    judgments = Annotation.objects.filter(item__study=study)
    assert judgments.filter(is_current=False, revision=1).exists()
    assert study.batches.filter(hits__assignments__state=AssignmentState.SUBMITTED).exists()
    assert judgments.filter(is_current=True, seconds=None).exists()
    expected = rows.expected_rows(study, {Scorer.DISTILLED: run})
    assert len(expected) == judgments.filter(is_current=True).count() > 3
    assert rows.exported(study, tmp_path) == expected


def test_a_study_that_nobody_judged_has_no_rows(tmp_path: Path) -> None:
    study = open_study(corpus=make_corpus(articles=1, questions=1))
    close_all(study)
    assert rows.exported(study, tmp_path) == rows.expected_rows(study, {}) == []
