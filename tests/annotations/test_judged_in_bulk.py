"""What the tests' own bulk builder leaves is what taking and submitting leave, row for row."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation_platform.annotations.models import Annotation, Rating, SentenceReference
from annotation_platform.core.schemes import InvalidJudgmentError, preset
from annotation_platform.studies.models import Assignment, Item, Member, Study
from tests.factories import MemberFactory, as_sent, judge_everything, make_corpus, open_study
from tests.judged_in_bulk import judge_in_bulk
from tests.scoring.judged_studies import people

pytestmark = pytest.mark.django_db


def opinion(member: Member, item: Item) -> dict[str, Any]:
    place = item.question.position + ord(member.pseudonym)
    return {"completeness": ("complete", "missing_minor")[place % 2], "sentences": [1, 3][: place % 3]}


KINDS = {
    "answers one by one": ({"overlap": 3, "questions_per_hit": 2}, opinion),
    "more people than places": ({"overlap": 2, "questions_per_hit": 2}, opinion),
    "groups": ({"overlap": 3, "definition": preset("lfqa")}, people),
}


def left_by(study: Study) -> dict[str, list[Any]]:
    """The rows but for their keys and times, in the order that they were written in."""
    place = ("hit__batch__number", "hit__position", "place")
    annotations = Annotation.objects.filter(item__study=study).order_by("pk")
    judged = [f"annotation__item__{way}" for way in ("hit__position", "position")] + [
        "annotation__annotator__pseudonym"
    ]
    own = {"annotation__item__study": study}
    times = [
        (row.claimed_at, row.lease_expires_at, row.submitted_at)
        for row in Assignment.objects.filter(hit__batch__study=study, annotator__isnull=False)
    ]
    assert all(claimed < ends and claimed <= submitted for claimed, ends, submitted in times)
    assert list(annotations) == sorted(annotations, key=lambda row: (row.created_at, row.pk))
    return {
        "places": list(
            Assignment.objects.filter(hit__batch__study=study)
            .order_by(*place)
            .values_list(*place, "annotator__pseudonym", "replicate", "state")
        ),
        "leases": [(ends - claimed).total_seconds() for claimed, ends, _ in times],
        "annotations": [
            (
                *(row.item.hit.position, row.item.position, row.assignment.place, row.annotator.pseudonym),
                *(row.revision, row.is_current, row.scheme_version.key, row.values, row.seconds, row.carried_from),
                row.under_earlier_rule,
                row.presented and sorted(row.presented),  # the order is each person's own: drawn from keys
            )
            for row in annotations
        ],
        "ratings": list(
            Rating.objects.filter(**own).order_by("pk").values_list(*judged, "aspect", "candidate", "choice", "number")
        ),
        "citations": list(
            SentenceReference.objects.filter(**own)
            .order_by("pk")
            .values_list(*judged, "aspect", "candidate", "document", "number")
        ),
    }


def judged_study(kind: str, *, in_bulk: bool) -> tuple[Study, int]:
    settings, values = KINDS[kind]
    study = open_study(corpus=make_corpus(articles=2), **settings)
    members = [MemberFactory(study=study, pseudonym=name) for name in "ABC"]
    with CaptureQueriesContext(connection) as asked:
        if in_bulk:
            judge_in_bulk(study, members, lambda member, item: as_sent(study, values(member, item)))
        else:
            for member in members:
                judge_everything(member, lambda item, m=member: values(m, item))
    return study, len(asked)


@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_are_those_of_taking_and_submitting(kind: str) -> None:
    one_by_one, many = judged_study(kind, in_bulk=False)
    in_bulk, few = judged_study(kind, in_bulk=True)
    expected = left_by(one_by_one)
    assert left_by(in_bulk) == expected
    assert expected["annotations"]
    assert few <= 25 < many / 5


def test_what_the_scheme_refuses_is_refused() -> None:
    study = open_study()
    member = MemberFactory(study=study)
    with pytest.raises(InvalidJudgmentError):
        judge_in_bulk(study, [member], lambda member, item: as_sent(study, {"completeness": "nearly"}))
    assert not Annotation.objects.exists()
