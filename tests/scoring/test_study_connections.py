"""A study's own model connections: its researchers make and use them, and nobody else has anything of them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import services
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.keys import key_of
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.services import RUNS
from annotation_platform.studies.models import Role, Study
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.markup import markup
from tests.scoring.trying import tried
from tests.servers.model_server import Answer, ModelServer, says

pytestmark = pytest.mark.django_db
SECRET = "sk-connection-secret"


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
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
    return save_connection(connection=ModelConnection(study=study, **given), key=SECRET, actor=OPERATOR)


def test_a_researcher_makes_tries_and_uses_one_without_the_platforms_staff(study: Study, server: ModelServer) -> None:
    researcher = signed_in(study, Role.RESEARCHER)
    form = reverse("new_run", args=["mine", "ebr"])
    assert reverse("study_connections", args=["mine"]) in markup(researcher.get(form))
    page = markup(add(researcher, server))
    assert "Saved “Ours”" in page
    assert "stored, encrypted" in page
    assert SECRET not in page
    found = ModelConnection.objects.get()
    assert (found.study, key_of(found)) == (study, SECRET)
    server.queue.append(says("ready"))
    works = tried(researcher, found)
    assert "“Ours” works" in works
    assert '<option value="Ours"' in markup(researcher.get(form))
    run = services.start_run(
        study=study, scorer="openai", parameters={"connection": "Ours", "retries": 0}, actor=OPERATOR
    )
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    run = execute(RUNS, claimed)
    assert run.status == JobStatus.DONE, run.error
    assert {asked.key for asked in server.asked} == {SECRET}


def test_another_study_has_nothing_of_it(study: Study, other: Study, server: ModelServer) -> None:
    found = connect(study, server)
    stranger = signed_in(other, Role.ADMIN)
    for name in ("study_connection", "try_study_connection"):
        for slug, status in (("mine", 404), ("others", 404)):
            assert stranger.post(reverse(name, args=[slug, found.pk])).status_code == status
    assert stranger.get(reverse("study_connections", args=["mine"])).status_code == 404
    for page in (reverse("study_connections", args=["others"]), reverse("new_run", args=["others", "ebr"])):
        assert "Ours" not in markup(stranger.get(page))
    with pytest.raises(InvalidInputError, match="There is no connection “Ours”"):
        services.start_run(study=other, scorer="openai", parameters={"connection": "Ours"}, actor=OPERATOR)
    with pytest.raises(InvalidInputError):
        services.set_scoring(study=other, scorer="distilled", connection="Ours", actor=OPERATOR)
    assert not server.asked


def test_a_run_that_was_there_before_cannot_use_a_connection_of_another_study(
    study: Study, other: Study, server: ModelServer
) -> None:
    found = connect(None, server)
    run = services.start_run(study=other, scorer="openai", parameters={"connection": "Ours"}, actor=OPERATOR)
    ModelConnection.objects.filter(pk=found.pk).update(study=study)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    run = execute(RUNS, claimed)
    assert (run.status, "belongs to another study" in run.error) == (JobStatus.FAILED, True)
    assert not server.asked


def test_annotators_see_none(study: Study, server: ModelServer) -> None:
    connect(study, server)
    assert signed_in(study, Role.ANNOTATOR).get(reverse("study_connections", args=["mine"])).status_code == 404


def test_who_made_it_and_the_admins_change_it_and_others_only_use_it(study: Study, server: ModelServer) -> None:
    maker = signed_in(study, Role.RESEARCHER)
    add(maker, server)
    change = reverse("study_connection", args=["mine", ModelConnection.objects.get().pk])
    colleague, admin = signed_in(study, Role.RESEARCHER), signed_in(study, Role.ADMIN)
    assert f'href="{change}"' not in markup(colleague.get(reverse("study_connections", args=["mine"])))
    assert colleague.post(change, typed(server, model="dearer")).status_code == 404
    for client in (maker, admin):
        page = markup(client.get(change))
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
    page = markup(add(signed_in(study, Role.RESEARCHER), server, base_url=f"http://{host}:8080/v1"))
    assert "inside the platform&#x27;s own network" in page
    assert not ModelConnection.objects.exists()


def test_saving_asks_no_name_server_and_trying_says_what_it_answers(
    study: Study, server: ModelServer, settings: Any
) -> None:
    settings.PRIVATE_MODEL_ADDRESSES = False
    client = signed_in(study, Role.RESEARCHER)
    page = markup(add(client, server, base_url="https://models.no-such-host.invalid/v1"))
    assert "Saved “Ours”" in page
    page = tried(client, ModelConnection.objects.get())
    assert "cannot be asked" in page
    assert "Nobody knows this host" in page


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
    page = markup(researcher.get(reverse("study_connections", args=["mine"])))
    assert "Everybody&#x27;s: tiny" in page
    assert researcher.get(reverse("connections")).status_code == 404
    staff = MemberFactory(study=study).user
    staff.is_staff = True  # type: ignore[union-attr]
    staff.save()  # type: ignore[union-attr]
    client = Client()
    client.force_login(staff)
    page = markup(client.get(reverse("connections")))
    assert "Everybody&#x27;s" in page
    assert "Ours" not in page
