"""One place as a researcher sees it: what was judged, more time, release, and the first word."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Message
from annotation_platform.studies.models import Assignment, AssignmentState
from annotation_platform.studies.services import claim_assignment
from tests.analysis.study_rows import client_of
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study, study_with_judgments, submit
from tests.markup import markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def place() -> Assignment:
    """A place in which one of two items has been judged."""
    study = open_study(corpus=make_corpus(questions=2, systems=("alder",)), questions_per_hit=2)
    place = claim_assignment(annotator=MemberFactory(study=study, pseudonym="Wren"), actor=OPERATOR)
    submit(place, place.hit.items.get(position=1), reasons="It leaves out the year.")
    return place


def address(place: Assignment, step: str = "assignment") -> str:
    batch = place.hit.batch
    return reverse(step, kwargs={"slug": batch.study.slug, "number": batch.number, "pk": place.pk})


def page_of(place: Assignment) -> str:
    response = client_of(place.hit.batch.study).get(address(place))
    assert response.status_code == 200
    return markup(response)


def post(place: Assignment, step: str, **fields: str) -> str:
    return markup(client_of(place.hit.batch.study).post(address(place, step), fields, follow=True))


def test_the_batch_page_tells_who_works_on_what_and_for_how_long(place: Assignment) -> None:
    batch = place.hit.batch
    page = markup(client_of(batch.study).get(reverse("batch", args=[batch.study.slug, batch.number])))
    assert f'<a href="{address(place)}"><strong>Wren</strong></a> working, 1 of 2, until' in page
    assert "· 30 s" in page
    assert "Half of the tasks took 30 s or less." in page
    assert "Nothing stands out by these rules." in page


def test_the_place_page_opens_what_was_judged(place: Assignment) -> None:
    page = page_of(place)
    assert "1 of 2 items judged, time on task 30 s." in page
    assert "It leaves out the year." in page
    assert "Not judged yet." in page
    item = place.hit.items.get(position=1)
    assert reverse("item", args=[item.study.slug, item.pk]) in page


def test_a_lease_is_extended(place: Assignment) -> None:
    before = place.lease_expires_at
    assert before is not None
    assert "Wren has more time now." in post(place, "extend_lease", minutes="45")
    place.refresh_from_db()
    assert place.lease_expires_at == before + timedelta(minutes=45)
    assert "as a number of minutes" in post(place, "extend_lease", minutes="soon")


def test_an_idle_place_is_released_and_its_judgments_stay_in_the_record(place: Assignment) -> None:
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(hours=1))
    assert "Ran out of time" in page_of(place)
    assert "The assignment is free again. Wren keeps" in post(place, "release_assignment")
    place.refresh_from_db()
    assert (place.state, place.annotator) == (AssignmentState.OPEN, None)
    assert Annotation.objects.count() == 1
    assert "was released or given back" in post(place, "release_assignment")


def test_a_submitted_place_is_not_released() -> None:
    place = Assignment.objects.filter(hit__batch__study=study_with_judgments(annotators=1)).first()
    assert place is not None
    assert "Nothing was released" in post(place, "release_assignment")
    place.refresh_from_db()
    assert place.state == AssignmentState.SUBMITTED


def test_the_researcher_writes_first_and_the_annotator_reads_it(place: Assignment) -> None:
    assert "Write to the annotator" in page_of(place)
    client_of(place.hit.batch.study).post(reverse("messages", args=[place.pk]), {"text": "Are you still there?"})
    assert Message.objects.get().author.role == "researcher"
    annotator = Client()
    annotator.force_login(place.annotator.user)
    assert "Are you still there?" in markup(annotator.get(reverse("judge", args=[place.pk, 2])))
    assert "Answer the annotator" in page_of(place)


def test_a_place_is_open_to_its_studys_researchers_only(place: Assignment) -> None:
    stranger = client_of(open_study())
    assert stranger.get(address(place)).status_code == 404
    annotator = Client()
    annotator.force_login(place.annotator.user)
    for step in ("extend_lease", "release_assignment"):
        assert annotator.post(address(place, step), {"minutes": "5"}).status_code == 404
