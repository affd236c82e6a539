"""Structured output: found out by a trial, the default of runs from then on, and said of every run and reply."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import User
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.jobs.contract import run_job
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.gateway import dialects
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Completion, ItemLabel, Method, ModelConnection, ScoringRun
from annotation_platform.scoring.selectors import run_of
from annotation_platform.scoring.services import RUNS, resume_run, start_run
from annotation_platform.studies.models import Role, Study
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.markup import markup
from tests.scoring.trying import tried
from tests.servers.model_server import Answer, ModelRequest, ModelServer, fails, says

pytestmark = pytest.mark.django_db


def follows_schemas(asked: ModelRequest) -> Answer:
    """A server that holds its model to the schema, and a model that otherwise says one word."""
    if "response_format" not in asked.body:
        return says("60")
    schema = asked.body["response_format"]["json_schema"]["schema"]
    said = {name: one["enum"][0] if "enum" in one else 60 for name, one in schema["properties"].items()}
    return says(json.dumps(said))


def ignores_schemas(asked: ModelRequest) -> Answer:
    return says("60")


def refuses_schemas(asked: ModelRequest) -> Answer:
    return fails(400, "response_format is not known") if "response_format" in asked.body else says("60")


@pytest.fixture(autouse=True)
def forget_dialects() -> None:
    dialects.forget()


@pytest.fixture
def connection(server: ModelServer) -> ModelConnection:
    server.behaviour = follows_schemas
    given = {"name": "Local", "base_url": server.url, "model": "tiny", "concurrency": 4, "timeout": 5}
    return save_connection(connection=ModelConnection(**given), actor=OPERATOR)


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_user("staff@example.org", is_staff=True))
    return client


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(
        annotators=2,
        corpus=make_corpus(questions=2, systems=("alder", "birch")),
        values=lambda member, item: {"reasons": f"{member} says this of {item.pk}."},
    )


def score(study: Study, *, method: str = Method.EBR, dry_run: bool = False, **parameters: Any) -> ScoringRun:
    given = {"connection": "Local", "retries": 0, **parameters}
    run = start_run(study=study, method=method, scorer="openai", parameters=given, dry_run=dry_run, actor=OPERATOR)
    return worked(run)


def worked(run: ScoringRun) -> ScoringRun:
    done = run_job(RUNS, run.pk)
    assert done is not None
    return done


def is_held(asked: ModelRequest) -> bool:
    return "response_format" in asked.body


class TestTrial:
    @pytest.mark.parametrize(
        ("behaviour", "takes_schema", "words"),
        [
            (follows_schemas, True, "the server holds replies to a JSON schema, so runs ask for it"),
            (ignores_schemas, False, "the server does not hold replies to a JSON schema, so runs ask for free text"),
            (refuses_schemas, False, "the server does not hold replies to a JSON schema, so runs ask for free text"),
        ],
    )
    def test_it_finds_out_whether_replies_follow_a_schema(
        self,
        staff: Client,
        connection: ModelConnection,
        server: ModelServer,
        behaviour: Callable[[ModelRequest], Answer],
        takes_schema: bool,
        words: str,
    ) -> None:
        assert "not known yet: try it" in markup(staff.get(reverse("connections")))
        server.behaviour = behaviour
        page = tried(staff, connection)
        assert "“Local” works: tiny-2026 answered “60”" in page
        assert words in page
        connection.refresh_from_db()
        assert connection.takes_schema is takes_schema

    @pytest.mark.parametrize(
        ("reason", "declined"), [("length", ""), ("content_filter", ""), ("error", ""), ("stop", "I will not say.")]
    )
    def test_a_reply_that_is_no_answer_tells_nothing(
        self, staff: Client, connection: ModelConnection, server: ModelServer, reason: str, declined: str
    ) -> None:
        cut = says("", finish_reason=reason, declined=declined)
        server.behaviour = lambda asked: cut if is_held(asked) else says("60")
        page = tried(staff, connection)
        assert "“Local” works: tiny-2026 answered “60”" in page
        assert "not known yet: try it" in page

    def test_one_that_is_set_never_to_is_not_asked(
        self, staff: Client, connection: ModelConnection, server: ModelServer
    ) -> None:
        connection.structured = "never"
        save_connection(connection=connection, actor=OPERATOR)
        assert "never: runs ask for free text" in tried(staff, connection)
        assert not any(is_held(asked) for asked in server.asked)

    def test_another_address_or_model_has_to_be_tried_anew_another_price_not(
        self, staff: Client, connection: ModelConnection
    ) -> None:
        tried(staff, connection)
        connection.refresh_from_db()
        connection.price_in = 1.0
        assert save_connection(connection=connection, actor=OPERATOR).takes_schema is True
        connection.model = "another"
        assert save_connection(connection=connection, actor=OPERATOR).takes_schema is None


class TestRun:
    @pytest.fixture(autouse=True)
    def is_tried(self, connection: ModelConnection) -> None:
        ModelConnection.objects.update(takes_schema=True)

    def test_scores_come_by_schema_with_the_words_of_the_prompt_unchanged(
        self, study: Study, server: ModelServer
    ) -> None:
        run = score(study)
        assert (run.status, run.parameters["response_format"]) == (JobStatus.DONE, "json_schema")
        assert all(is_held(asked) for asked in server.asked)
        assert set(run.scores.values_list("explanation_score", flat=True)) == {60.0}
        by_schema, asked = server.prompts, len(server.asked)
        free = score(study, response_format="text")
        assert (free.status, free.parameters["response_format"]) == (JobStatus.DONE, "text")
        assert not any(is_held(asked) for asked in server.asked[asked:])
        assert sorted(server.prompts[asked:]) == sorted(by_schema)
        assert run.signature != free.signature

    def test_what_was_asked_by_schema_is_not_asked_again_by_schema(self, study: Study, server: ModelServer) -> None:
        run = score(study)
        asked = len(server.asked)
        typed = run_method(Method.EBR).typed(run)
        assert typed["response_format"] == "json_schema"
        assert score(study, temperature=0.0).status == JobStatus.DONE
        assert len(server.asked) == asked

    def test_the_dry_run_asks_what_the_run_asks(self, study: Study, server: ModelServer) -> None:
        run = score(study, dry_run=True)
        assert run.status == JobStatus.PAUSED
        resume_run(run=run, actor=OPERATOR)
        assert worked(run).status == JobStatus.DONE
        assert set(server.answered.values()) == {1}

    def test_labels_come_by_schema_with_the_words_of_the_prompt_unchanged(
        self, study: Study, server: ModelServer
    ) -> None:
        run = score(study, method=Method.JUDGE)
        assert run.status == JobStatus.DONE, run.error
        assert all(is_held(asked) for asked in server.asked)
        labels = ItemLabel.objects.filter(run=run)
        assert set(labels.values_list("source", flat=True)) == {ItemLabel.Source.RULES}
        by_schema, asked = server.prompts, len(server.asked)
        score(study, method=Method.JUDGE, response_format="text", second_reading=False)
        assert sorted(server.prompts[asked:]) == sorted(by_schema)
        assert not any(is_held(asked) for asked in server.asked[asked:])

    def test_a_server_that_takes_none_any_more_is_asked_in_words_and_the_page_says_so(
        self, study: Study, server: ModelServer, client: Client
    ) -> None:
        server.behaviour = refuses_schemas
        run = score(study)
        assert run.status == JobStatus.DONE
        assert set(Completion.objects.values_list("by_schema", flat=True)) == {False}
        client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
        page = markup(client.get(reverse("run", args=[study.slug, run.pk])))
        assert "0 of 8 replies were asked for by JSON schema; the others are free text" in page

    def test_the_page_says_which_form_was_used(self, study: Study, client: Client) -> None:
        run = score(study)
        client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
        page = markup(client.get(reverse("run", args=[study.slug, run.pk])))
        assert "8 of 8 replies were asked for by JSON schema</dd>" in page
        assert "Structured output</th><td>json_schema" in page
        assert run_of(study, run.pk).schema_replies == 8  # type: ignore[attr-defined]

    def test_a_connection_that_never_asks_for_it_asks_for_text(self, study: Study, server: ModelServer) -> None:
        ModelConnection.objects.update(structured="never")
        assert score(study).parameters["response_format"] == "text"
        assert not any(is_held(asked) for asked in server.asked)
        with pytest.raises(InvalidInputError, match="never to ask for structured output"):
            score(study, response_format="json_schema")

    @pytest.mark.parametrize("found", [None, False])
    def test_one_that_was_not_tried_or_takes_none_asks_for_text(
        self, study: Study, server: ModelServer, found: bool | None
    ) -> None:
        ModelConnection.objects.update(takes_schema=found)
        assert score(study).parameters["response_format"] == "text"
        assert not any(is_held(asked) for asked in server.asked)


def test_a_run_from_before_asks_what_it_asked_then(
    study: Study, server: ModelServer, connection: ModelConnection
) -> None:
    ModelConnection.objects.update(takes_schema=True)
    run = start_run(study=study, scorer="openai", parameters={"connection": "Local"}, actor=OPERATOR)
    ScoringRun.objects.update(parameters={k: v for k, v in run.parameters.items() if k != "response_format"})
    assert worked(run).status == JobStatus.DONE
    assert not any(is_held(asked) for asked in server.asked)
