"""A plan without a pilot: stated variances or usual ones, files, and the builder that takes the design."""

import csv
import io
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.core.power import Components, Design, smallest_difference, standard_error
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(UserFactory(is_staff=True))
    return client


def found(client: Client, **asked: Any) -> float:
    answer = client.get(reverse("plan_file", args=["plan", "csv"]), asked)
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    (own,) = [row for row in rows if (row["articles"], row["annotators"]) == ("20", "3")]
    return float(own["smallest"])


def test_what_is_not_stated_is_as_usual(client: Client) -> None:
    design = Design(20, 5, 3, per_task=5)
    usual = Components(9**2, 22**2, 6**2, 35**2, 24**2)
    assert found(client) == pytest.approx(smallest_difference(standard_error(usual, design), 20))
    stated = {
        "sd_articles": "9",
        "sd_questions": "22",
        "sd_annotators": "6",
        "sd_residual": "35",
        "sd_strictness": "24",
    }
    assert found(client, **stated) == pytest.approx(found(client))
    assert found(client, length="4") == pytest.approx(found(client) / 25)
    assert found(client, sd_residual="0") < found(client)


def test_questions_can_be_about_no_document(client: Client) -> None:
    design = Design(20, 1, 3, per_task=5, about_none=True)
    usual = Components(9**2 + 22**2, 0, 6**2, 35**2, 24**2)
    assert found(client, about="none") == pytest.approx(smallest_difference(standard_error(usual, design), 20))
    stated = {"sd_articles": "23.77", "sd_questions": "50", "sd_residual": "35"}
    assert found(client, about="none", **stated) == pytest.approx(found(client, about="none"), rel=1e-3)
    text = unescape(client.get(reverse("plan")).content.decode())
    assert "Questions are about" in text
    assert "From article to article" in text
    text = unescape(client.get(reverse("plan"), {"about": "none"}).content.decode())
    assert '<option value="none" selected>' in text
    assert "With 20 questions and 3 annotators per answer" in text
    assert "From article to article" not in text
    assert "Questions about each" not in text


def test_what_a_plan_about_no_document_leaves_out_is_neither_read_nor_sent_on(client: Client) -> None:
    left = {"about": "none", "questions": "0", "sd_questions": "much"}
    assert found(client, **left) == pytest.approx(found(client, about="none"))
    page = client.get(reverse("plan"), left).content.decode()
    for name in ("questions", "sd_questions"):
        assert "disabled" in re.findall(rf'<input[^>]*name="{name}"[^>]*>', page)[0], "5 are meant again about articles"


def test_the_page_says_what_it_finds_and_leads_to_the_builder(client: Client) -> None:
    text = unescape(client.get(reverse("plan"), {"pay": "2,5", "minutes": "6", "annotators": "4"}).content.decode())
    assert "It takes 160 tasks, 400.00 and 16.0 hours of work." in text
    assert f"{reverse('build_study')}?overlap=4&questions_per_hit=5" in text


def test_the_builder_takes_the_design(client: Client) -> None:
    text = client.get(reverse("build_study"), {"overlap": "4", "questions_per_hit": "7"}).content.decode()
    assert 'name="overlap" value="4"' in text
    assert 'name="questions_per_hit" value="7"' in text
    assert 'name="overlap" value' not in client.get(reverse("build_study")).content.decode()


def test_mistakes_stand_beside_their_fields_and_nothing_typed_is_lost(client: Client) -> None:
    response = client.get(reverse("plan"), {"systems": "1", "sd_residual": "much", "articles": "1", "questions": "1"})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"systems", "sd_residual", "questions"}
    assert 'value="much"' in response.content.decode()
    assert client.get(reverse("plan_file", args=["plan", "csv"]), {"systems": "1"}).status_code == 404


@pytest.mark.parametrize("kind", ["svg", "png", "json"])
def test_the_chart_is_a_file(client: Client, kind: str) -> None:
    assert client.get(reverse("plan_file", args=["plan-curve", kind]), {"articles": "30"}).status_code == 200
    assert client.get(reverse("plan_file", args=["plan", kind])).status_code == 404


def test_nothing_that_varies_is_no_mistake(client: Client) -> None:
    stated = dict.fromkeys(("sd_articles", "sd_questions", "sd_annotators", "sd_residual", "sd_strictness"), "0")
    assert "Nothing varies" in client.get(reverse("plan"), stated).content.decode()


def test_only_who_is_signed_in_plans() -> None:
    assert Client().get(reverse("plan")).status_code == 302
