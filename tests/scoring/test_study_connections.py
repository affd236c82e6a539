"""A study's own model connections: its researchers make and use them, and nobody else has anything of them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring import services
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.keys import key_of
from annotation_platform.scoring.models import ModelConnection, RunStatus
from annotation_platform.studies.models import Role, Study
from tests.factories import MemberFactory, make_corpus, study_with_judgments
from tests.scoring.trying import tried
from tests.servers.model_server import Answer, ModelServer, says

pytestmark = pytest.mark.django_db
SECRET = "sk-connection-secret"


@pytest.fixture
def study() -> Study:
    return study_with_judgments(annotators=2, corpus=make_corpus(questions=1, systems=("alder",)), name="Mine")


@pytest.fixture
def other() -> Study:
    return study_with_judgments(annotators=2, corpus=make_corpus(questions=1, systems=("alder",)), name="Others")


def signed_in(study: Study, role: Role) -> Client:
    client = Client()
    client.force_login(MemberFactory(study=study, role=role).user)
    return client


def typed(server: ModelServer, **changes: Any) -> dict[str, Any]:
    fields = {"name": "Ours", "base_url": server.url, "model": "tiny", "concurrency": 4, "timeout": 5}
    return fields | {"structured": "auto", "is_active": "on", "key": SECRET} | changes


def add(client: Client, server: ModelServer, **changes: Any) -> Any:
    return client.post(reverse("new_study_connection", args=["mine"]), typed(server, **changes), follow=True)


def connect(study: Study | None, server: ModelServer, **fields: Any) -> ModelConnection:
    given = {"name": "Ours", "base_url": server.url, "model": "tiny", "concurrency": 4, "timeout": 5} | fields
    return save_connection(connection=ModelConnection(study=study, **given), key=SECRET)


def test_a_researcher_makes_tries_and_uses_one_without_the_platforms_staff(study: Study, server: ModelServer) -> None:
    researcher = signed_in(study, Role.RESEARCHER)
    form = reverse("new_run", args=["mine", "ebr"])
    assert reverse("study_connections", args=["mine"]) in researcher.get(form).content.decode()
    page = add(researcher, server).content.decode()
    assert "Saved “Ours”" in page
    assert "stored, encrypted" in page
    assert SECRET not in page
    found = ModelConnection.objects.get()
    assert (found.study, key_of(found)) == (study, SECRET)
    server.queue.append(says("ready"))
    works = tried(researcher, found)
    assert "“Ours” works" in works
    assert '<option value="Ours"' in researcher.get(form).content.decode()
    run = services.start_run(study=study, scorer="openai", parameters={"connection": "Ours", "retries": 0})
    claimed = services.claim_run(run_id=run.pk)
    assert claimed is not None
    run = services.execute_run(run=claimed)
    assert run.status == RunStatus.DONE, run.error
    assert {asked.key for asked in server.asked} == {SECRET}


def test_another_study_has_nothing_of_it(study: Study, other: Study, server: ModelServer) -> None:
    found = connect(study, server)
    stranger = signed_in(other, Role.ADMIN)
    for name in ("study_connection", "try_study_connection"):
        for slug, status in (("mine", 404), ("others", 404)):
            assert stranger.post(reverse(name, args=[slug, found.pk])).status_code == status
    assert stranger.get(reverse("study_connections", args=["mine"])).status_code == 404
    for page in (reverse("study_connections", args=["others"]), reverse("new_run", args=["others", "ebr"])):
        assert "Ours" not in stranger.get(page).content.decode()
    with pytest.raises(InvalidInputError, match="There is no connection “Ours”"):
        services.start_run(study=other, scorer="openai", parameters={"connection": "Ours"})
    with pytest.raises(InvalidInputError):
        services.set_scoring(study=other, scorer="distilled", connection="Ours")
    assert not server.asked


def test_a_run_that_was_there_before_cannot_use_a_connection_of_another_study(
    study: Study, other: Study, server: ModelServer
) -> None:
    found = connect(None, server)
    run = services.start_run(study=other, scorer="openai", parameters={"connection": "Ours"})
    ModelConnection.objects.filter(pk=found.pk).update(study=study)
    claimed = services.claim_run(run_id=run.pk)
    assert claimed is not None
    run = services.execute_run(run=claimed)
    assert (run.status, "belongs to another study" in run.error) == (RunStatus.FAILED, True)
    assert not server.asked


def test_annotators_see_none(study: Study, server: ModelServer) -> None:
    connect(study, server)
    assert signed_in(study, Role.ANNOTATOR).get(reverse("study_connections", args=["mine"])).status_code == 404


def test_who_made_it_and_the_admins_change_it_and_others_only_use_it(study: Study, server: ModelServer) -> None:
    maker = signed_in(study, Role.RESEARCHER)
    add(maker, server)
    change = reverse("study_connection", args=["mine", ModelConnection.objects.get().pk])
    colleague, admin = signed_in(study, Role.RESEARCHER), signed_in(study, Role.ADMIN)
    assert f'href="{change}"' not in colleague.get(reverse("study_connections", args=["mine"])).content.decode()
    assert colleague.post(change, typed(server, model="dearer")).status_code == 404
    for client in (maker, admin):
        page = client.get(change).content.decode()
        assert SECRET not in page
        assert client.post(change, typed(server, key="")).status_code == 302
    assert key_of(ModelConnection.objects.get()) == SECRET


def test_a_key_does_not_follow_an_admin_to_another_address(study: Study, server: ModelServer) -> None:
    found = connect(study, server)
    admin = signed_in(study, Role.ADMIN)
    address = "https://elsewhere.example.org/v1"
    admin.post(reverse("study_connection", args=["mine", found.pk]), typed(server, key="", base_url=address))
    found.refresh_from_db()
    assert (found.base_url, key_of(found)) == (address, "")


def test_a_researcher_cannot_name_a_variable_of_the_servers_environment(
    study: Study, server: ModelServer, settings: Any
) -> None:
    settings.MODEL_KEYS = {"OPENAI_API_KEY": "the platform's"}
    add(signed_in(study, Role.RESEARCHER), server, key="", key_variable="OPENAI_API_KEY")
    assert key_of(ModelConnection.objects.get()) == ""


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "[::1]", "10.0.0.5", "localhost"])
def test_a_studys_connection_does_not_lead_into_the_platforms_network_where_the_settings_forbid_it(
    study: Study, server: ModelServer, settings: Any, host: str
) -> None:
    settings.PRIVATE_MODEL_ADDRESSES = False
    page = add(signed_in(study, Role.RESEARCHER), server, base_url=f"http://{host}:8080/v1").content.decode()
    assert "inside the platform&#x27;s own network" in page
    assert not ModelConnection.objects.exists()


def test_one_that_leads_there_by_now_is_not_asked(study: Study, server: ModelServer, settings: Any) -> None:
    found = connect(study, server)
    settings.PRIVATE_MODEL_ADDRESSES = False
    client = signed_in(study, Role.RESEARCHER)
    page = tried(client, found)
    assert "cannot be asked" in page
    assert not server.asked


def test_a_server_cannot_send_requests_on_to_another_address(study: Study, server: ModelServer) -> None:
    """Only the address of the connection has been checked."""
    with ModelServer() as inner:
        server.behaviour = lambda asked: Answer(status=307, headers={"Location": f"{inner.url}/chat/completions"})
        found = connect(study, server)
        client = signed_in(study, Role.RESEARCHER)
        page = tried(client, found)
        assert not inner.asked
    assert "sends requests on to another address" in page
    assert len(server.asked) == 1


def test_staff_keep_the_platforms_own_apart(study: Study, server: ModelServer) -> None:
    connect(study, server)
    connect(None, server, name="Everybody's")
    researcher = signed_in(study, Role.RESEARCHER)
    page = researcher.get(reverse("study_connections", args=["mine"])).content.decode()
    assert "Everybody&#x27;s: tiny" in page
    assert researcher.get(reverse("connections")).status_code == 404
    staff = MemberFactory(study=study).user
    staff.is_staff = True  # type: ignore[union-attr]
    staff.save()  # type: ignore[union-attr]
    client = Client()
    client.force_login(staff)
    page = client.get(reverse("connections")).content.decode()
    assert "Everybody&#x27;s" in page
    assert "Ours" not in page
