"""The page on which researchers choose the scorer and the study's own prompt."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ModelConnection, ScoringRun, ScoringSettings
from annotation_platform.scoring.services import set_scoring, start_run, start_runs_for_closed_batches
from annotation_platform.studies.models import Role, Study
from tests.factories import OPERATOR, MemberFactory, UserFactory, study_with_judgments

pytestmark = pytest.mark.django_db

OWN = "Rate from 0 to 100 what these words say: {{ explanation }}"


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
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
    chosen = ScoringSettings.objects.get(study=study)
    assert (chosen.scorer, chosen.prompt_template) == ("distilled", OWN)
    assert OWN.encode() in researcher.get(address(study)).content


def test_an_unknown_placeholder_is_named_and_what_was_typed_stays(researcher: Client, study: Study) -> None:
    typed = OWN + " by {{ worker_name }}"
    page = researcher.post(address(study), {"scorer": "distilled", "prompt_template": typed})
    assert page.status_code == 422
    assert page.context["error"].count("worker_name") == 1
    assert typed.encode() in page.content
    assert not ScoringSettings.objects.exists()


def test_a_language_model_that_is_not_configured_is_refused(researcher: Client, study: Study) -> None:
    page = researcher.post(address(study), {"scorer": "openai", "prompt_template": ""})
    assert page.status_code == 422
    assert "OPENAI_MODEL" in page.context["error"]
    assert not ScoringSettings.objects.exists()


@pytest.fixture
def connection() -> ModelConnection:
    return ModelConnection.objects.create(name="Local", base_url="http://127.0.0.1:9/v1", model="small")


def test_what_closes_is_scored_by_the_chosen_connection(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    form = {"scorer": "openai", "connection": "Local", "prompt_template": ""}
    assert researcher.post(address(study), form).status_code == 302
    assert b'<option value="Local" selected>' in researcher.get(address(study)).content
    (run,) = start_runs_for_closed_batches(studies=Study.objects.filter(pk=study.pk), actor=OPERATOR)
    assert (run.status, run.scorer, run.connection) == (JobStatus.PENDING, "openai", connection)


def test_the_studys_connection_is_not_that_of_another_scorer_or_model(
    study: Study, connection: ModelConnection
) -> None:
    set_scoring(study=study, scorer="openai", connection="Local", actor=OPERATOR)
    start_run(study=study, parameters={"model": "m", "base_url": "http://h/v1"}, actor=OPERATOR).delete()
    assert start_run(study=study, scorer="recorded", actor=OPERATOR).parameters == {"lambda": 0}


def test_a_connection_that_there_is_not_is_refused(researcher: Client, study: Study) -> None:
    page = researcher.post(address(study), {"scorer": "distilled", "connection": "nowhere"})
    assert page.status_code == 422
    assert "nowhere" in page.context["error"]
    assert not ScoringSettings.objects.exists()


def test_the_budget_of_all_runs_is_set_and_taken_away(
    researcher: Client, study: Study, connection: ModelConnection
) -> None:
    form = {"scorer": "openai", "connection": "Local"}
    refused = researcher.post(address(study), form | {"budget": "5"})
    assert (refused.status_code, "needs the model's prices" in refused.context["error"]) == (422, True)
    assert "not an amount" in researcher.post(address(study), form | {"budget": "nan"}).context["error"]
    ModelConnection.objects.update(price_in=1, price_out=2)
    assert researcher.post(address(study), form | {"budget": "$500"}).status_code == 302
    assert ScoringSettings.objects.get(study=study).budget == 500
    assert b'name="budget" value="500"' in researcher.get(address(study)).content
    ModelConnection.objects.update(price_in=None)
    assert researcher.post(address(study), form | {"budget": ""}).status_code == 302
    assert ScoringSettings.objects.get(study=study).budget is None


@pytest.mark.parametrize("scorer", ["", "oracle"])
def test_an_unknown_scorer_is_refused(researcher: Client, study: Study, scorer: str) -> None:
    assert researcher.post(address(study), {"scorer": scorer, "prompt_template": ""}).status_code == 422


def test_saving_can_start_the_scoring(researcher: Client, study: Study) -> None:
    form = {"scorer": "distilled", "prompt_template": "", "score": "1"}
    answer = researcher.post(address(study), form)
    assert answer.url == reverse("study", args=[study.slug])
    assert ScoringRun.objects.get(study=study).status == JobStatus.PENDING


@pytest.mark.parametrize("role", [Role.ANNOTATOR, None])
def test_annotators_and_strangers_must_not_enter(client: Client, study: Study, role: Role | None) -> None:
    user = UserFactory()
    if role:
        MemberFactory(study=study, user=user, role=role, pseudonym="Somebody")
    client.force_login(user)
    assert client.get(address(study)).status_code == 404
    assert client.post(address(study), {"scorer": "recorded"}).status_code == 404
    assert not ScoringSettings.objects.exists()
