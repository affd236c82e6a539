"""Cutting what is not released: the page does what the API does, and says what it made."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.studies.models import Study
from annotation_platform.studies.services import open_batch
from tests.analysis.study_rows import client_of
from tests.drawn_studies import equivalence_study
from tests.factories import OPERATOR, MemberFactory
from tests.markup import markup

pytestmark = pytest.mark.django_db


def address(study: Study) -> str:
    return reverse("cut_batches", args=[study.slug])


def test_drafts_are_cut_and_it_is_said_how_many_there_are() -> None:
    study = equivalence_study(questions=30, with_run=False, hits_per_batch=10)
    client = client_of(study)
    assert f'href="{address(study)}"' in markup(client.get(reverse("study", args=[study.slug])))
    assert "30 tasks are not released yet." in markup(client.get(address(study)))
    page = markup(client.post(address(study), {"items": "7"}, follow=True))
    assert "There are 5 drafts now." in page
    assert [batch.hits.count() for batch in study.batches.order_by("number")] == [7, 7, 7, 7, 2]
    assert "There are 5 drafts now." in markup(client.post(address(study), {"items": "7"}, follow=True))


@pytest.mark.parametrize("items", ["0", "-3", "many", "", "9" * 30])
def test_what_is_no_size_is_refused_and_stays_in_its_field(items: str) -> None:
    study = equivalence_study(questions=4, with_run=False)
    before = list(study.batches.values_list("pk", flat=True))
    response = client_of(study).post(address(study), {"items": items})
    assert response.status_code == 422
    assert "How many items is a batch to have?" in markup(response)
    assert f'value="{items}"' in markup(response)
    assert list(study.batches.values_list("pk", flat=True)) == before


def test_when_all_is_released_nothing_is_offered() -> None:
    study = equivalence_study(questions=2, with_run=False)
    for batch in study.batches.all():
        open_batch(batch=batch, actor=OPERATOR)
    client = client_of(study)
    assert "none is left." in markup(client.get(address(study)))
    assert f'href="{address(study)}"' not in markup(client.get(reverse("study", args=[study.slug])))
    assert client.post(address(study), {"items": "2"}).status_code == 422


def test_it_is_for_those_who_run_the_study() -> None:
    study = equivalence_study(questions=2, with_run=False)
    annotator = Client()
    annotator.force_login(MemberFactory(study=study).user)
    assert annotator.get(address(study)).status_code == annotator.post(address(study)).status_code == 404
    assert Client().post(address(study)).status_code == 302
