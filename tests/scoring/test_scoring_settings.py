"""The page on which researchers choose the scorer and the study's own prompt."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.scoring.models import RunStatus, ScoringRun
from annotation_platform.studies.models import Role, Study
from tests.factories import MemberFactory, UserFactory, study_with_judgments

pytestmark = pytest.mark.django_db

OWN = "Rate from 0 to 100 what these words say: {{ explanation }}"


@pytest.fixture
def study() -> Study:
    study = study_with_judgments()
    MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Res")
    return study


@pytest.fixture
def researcher(client: Client, study: Study) -> Client:
    client.force_login(study.members.get(role=Role.RESEARCHER).user)
    return client


def address(study: Study) -> str:
    return reverse("scoring_settings", args=[study.slug])


def test_a_study_gets_its_own_prompt(researcher: Client, study: Study) -> None:
    form = {"scorer": "distilled", "prompt_template": OWN}
    assert researcher.post(address(study), form).status_code == 302
    study.refresh_from_db()
    assert (study.scorer, study.prompt_template) == ("distilled", OWN)
    assert OWN.encode() in researcher.get(address(study)).content


def test_an_unknown_placeholder_is_named_and_what_was_typed_stays(researcher: Client, study: Study) -> None:
    typed = OWN + " by {{ worker_name }}"
    page = researcher.post(address(study), {"scorer": "distilled", "prompt_template": typed})
    assert page.status_code == 422
    assert page.context["error"].count("worker_name") == 1
    assert typed.encode() in page.content
    study.refresh_from_db()
    assert study.prompt_template == ""


def test_a_language_model_that_is_not_configured_is_refused(researcher: Client, study: Study) -> None:
    page = researcher.post(address(study), {"scorer": "openai", "prompt_template": ""})
    assert page.status_code == 422
    assert "OPENAI_MODEL" in page.context["error"]
    study.refresh_from_db()
    assert study.scorer == "distilled"


@pytest.mark.parametrize("scorer", ["", "oracle"])
def test_an_unknown_scorer_is_refused(researcher: Client, study: Study, scorer: str) -> None:
    assert researcher.post(address(study), {"scorer": scorer, "prompt_template": ""}).status_code == 422


def test_saving_can_start_the_scoring(researcher: Client, study: Study) -> None:
    form = {"scorer": "distilled", "prompt_template": "", "score": "1"}
    answer = researcher.post(address(study), form)
    assert answer.url == reverse("study", args=[study.slug])
    assert ScoringRun.objects.get(study=study).status == RunStatus.PENDING


@pytest.mark.parametrize("role", [Role.ANNOTATOR, None])
def test_annotators_and_strangers_must_not_enter(client: Client, study: Study, role: Role | None) -> None:
    user = UserFactory()
    if role:
        MemberFactory(study=study, user=user, role=role, pseudonym="Somebody")
    client.force_login(user)
    assert client.get(address(study)).status_code == 404
    assert client.post(address(study), {"scorer": "recorded"}).status_code == 404
    study.refresh_from_db()
    assert study.scorer == "distilled"
