"""Replies that are no answer, whatever they say: cut at their longest length, filtered, or declined by the model."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.jobs.contract import claim, execute, run_job
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.failures import failures
from annotation_platform.scoring.gateway import interrupts
from annotation_platform.scoring.models import Completion, ItemLabel, Method, ScoringRun
from annotation_platform.scoring.selectors import run_of
from annotation_platform.scoring.services import RUNS, pause_run, resume_run, start_run
from annotation_platform.studies.models import Study
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments
from tests.markup import markup
from tests.scoring.judged_studies import answer_study, is_second_reading, people
from tests.servers.model_server import Answer, ModelRequest, ModelServer, fails, says

pytestmark = pytest.mark.django_db

LONGEST = 20


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=2, corpus=make_corpus(questions=2, systems=("alder", "birch")))


def score(study: Study, server: ModelServer, *, method: str = Method.EBR, **parameters: Any) -> ScoringRun:
    given = {"model": "tiny", "base_url": server.url, "max_tokens": LONGEST, "retries": 0, **parameters}
    run = start_run(study=study, method=method, scorer="openai", parameters=given, actor=OPERATOR)
    done = run_job(RUNS, run.pk)
    assert done is not None
    return done


def cut_below(tokens: int, whole: str, part: str) -> Callable[[ModelRequest], Answer]:
    """A model whose reply is that long."""

    def behaviour(asked: ModelRequest) -> Answer:
        is_cut = asked.body.get("max_tokens", tokens) < tokens
        return says(part, finish_reason="length") if is_cut else says(whole)

    return behaviour


def test_a_cut_score_is_asked_for_once_more_with_more_room(study: Study, server: ModelServer) -> None:
    server.behaviour = cut_below(60, "Score: 100", "Score: 1")
    run = score(study, server)
    assert (run.status, run.counts["completeness"]["unread"]) == (JobStatus.DONE, {})
    assert set(run.scores.values_list("explanation_score", flat=True)) == {100.0}
    lengths = [asked.body["max_tokens"] for asked in server.asked]
    assert lengths == [LONGEST] * (len(lengths) // 2) + [4 * LONGEST] * (len(lengths) // 2)
    cut = Completion.objects.filter(finish_reason="length")
    assert set(cut.values_list("reply", flat=True)) == {"Score: 1"}  # its words are kept
    assert run_of(study, run.pk).cut_replies == cut.count() == len(lengths) // 2  # type: ignore[attr-defined]


def test_a_reply_that_stays_cut_is_a_failure_with_its_name_and_its_words(study: Study, server: ModelServer) -> None:
    server.behaviour = cut_below(10_000, "Score: 100", "Score: 1")
    run = score(study, server)
    assert run.status == JobStatus.FAILED
    assert "the reply was cut at its longest length: 8" in run.error
    assert set(Completion.objects.values_list("reply", flat=True)) == {"Score: 1"}


def test_one_cut_reply_among_others_takes_the_annotators_mean(study: Study, server: ModelServer) -> None:
    first: list[str] = []

    def behaviour(asked: ModelRequest) -> Answer:
        first.append(asked.prompt)
        return says("Score: 1", finish_reason="length") if asked.prompt == first[0] else says("Score: 60")

    server.behaviour = behaviour
    run = score(study, server, concurrency=1)
    assert run.status == JobStatus.DONE
    n_cut = run.scores.exclude(failure="").count()
    assert run.counts["completeness"]["unread"] == {"cut": n_cut}
    assert {each.words for each in failures(run)[1]} == {"the reply was cut at its longest length"}
    assert not run.scores.filter(explanation_score=1.0).exists()


def test_a_server_that_allows_no_more_room_leaves_the_cut_reply(study: Study, server: ModelServer) -> None:
    def behaviour(asked: ModelRequest) -> Answer:
        if asked.body["max_tokens"] > LONGEST:
            return fails(400, "max_tokens must be at most 20")
        return says("Score: 60")

    server.behaviour = behaviour
    server.queue.append(says("Score: 1", finish_reason="length"))
    run = score(study, server, concurrency=1)
    assert run.status == JobStatus.DONE
    assert set(run.counts["completeness"]["unread"]) == {"cut"}


def test_a_pause_is_noticed_while_all_that_comes_is_cut(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "EVERY", 0.1)
    study = study_with_judgments(annotators=2, corpus=make_corpus(questions=30, systems=("alder", "birch")))
    server.behaviour = lambda asked: says("I think", finish_reason="length", after=0.02)
    given = {"model": "tiny", "base_url": server.url, "concurrency": 4}
    run = start_run(study=study, scorer="openai", parameters=given, actor=OPERATOR)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    pause_run(run=claimed, actor=OPERATOR)
    assert execute(RUNS, claimed).status == JobStatus.PAUSED
    assert len(server.asked) == Completion.objects.count() < run.total / 2


def test_what_is_cut_at_the_model_s_own_length_is_not_asked_for_again(study: Study, server: ModelServer) -> None:
    """Mistral's servers say so; more room of ours would be no more room."""
    first: list[str] = []

    def behaviour(asked: ModelRequest) -> Answer:
        first.append(asked.prompt)
        return says("Score: 1", finish_reason="model_length") if asked.prompt == first[0] else says("Score: 60")

    server.behaviour = behaviour
    run = score(study, server, concurrency=1)
    assert run.status == JobStatus.DONE
    assert set(run.counts["completeness"]["unread"]) == {"cut"}
    assert first.count(first[0]) == 1
    assert {each.reply for each in failures(run)[1]} == {"Score: 1"}
    assert run_of(study, run.pk).cut_replies == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("longest", [LONGEST, None])
def test_what_the_server_broke_off_is_an_outage_of_which_nothing_is_kept(
    study: Study, server: ModelServer, longest: int | None
) -> None:
    """Mistral's servers and OpenRouter call it an error."""
    broken = says("Score: 1", finish_reason="error")
    server.queue.append(broken)
    run = score(study, server, concurrency=1, max_tokens=longest, retries=1)
    assert (run.status, run.counts["completeness"]["unread"]) == (JobStatus.DONE, {})
    assert server.prompts.count(server.prompts[0]) == 2
    assert {asked.body.get("max_tokens") for asked in server.asked} == {longest}
    assert set(Completion.objects.values_list("reply", flat=True)) == {"Score: 60"}


def test_a_run_that_always_breaks_off_pauses_and_asks_again_when_it_goes_on(study: Study, server: ModelServer) -> None:
    first: list[str] = []

    def behaviour(asked: ModelRequest) -> Answer:
        first.append(asked.prompt)
        return says("Score: 1", finish_reason="error") if asked.prompt == first[0] else says("Score: 60")

    server.behaviour = behaviour
    run = score(study, server, concurrency=1)
    assert run.status == JobStatus.PAUSED
    assert "met an error in the middle of its reply (asked once)" in run.error
    assert not Completion.objects.filter(reply="Score: 1").exists()
    server.behaviour = lambda asked: says("Score: 60")
    resume_run(run=run, actor=OPERATOR)
    done = run_job(RUNS, run.pk)
    assert done is not None
    assert (done.status, done.counts["completeness"]["unread"]) == (JobStatus.DONE, {})


def test_without_a_longest_length_of_ours_nothing_is_asked_again(study: Study, server: ModelServer) -> None:
    server.behaviour = lambda asked: says("Score: 1", finish_reason="length")
    score(study, server, max_tokens=None)
    assert len(server.prompts) == len(set(server.prompts))


@pytest.mark.parametrize(
    ("reason", "declined", "code"),
    [("content_filter", None, "filtered"), ("stop", "I will not rate this.", "declined")],
)
def test_what_is_filtered_or_declined_is_no_score(
    study: Study, server: ModelServer, reason: str, declined: str | None, code: str
) -> None:
    prompts: list[str] = []

    def behaviour(asked: ModelRequest) -> Answer:
        prompts.append(asked.prompt)
        if asked.prompt == prompts[0]:
            return says("Score: 70", finish_reason=reason, declined=declined)
        return says("Score: 60")

    server.behaviour = behaviour
    run = score(study, server, concurrency=1)
    assert run.status == JobStatus.DONE
    assert set(run.counts["completeness"]["unread"]) == {code}
    assert len(prompts) == len(set(prompts))  # asked once
    assert {each.reply for each in failures(run)[1]} == {declined or "Score: 70"}


def test_a_run_that_paused_among_second_requests_goes_on_with_what_was_paid(study: Study, server: ModelServer) -> None:
    down = {"at": True}

    def behaviour(asked: ModelRequest) -> Answer:
        if asked.body["max_tokens"] == LONGEST:
            return says("Score: 1", finish_reason="length")
        return fails(503, "busy") if down["at"] else says("Score: 100")

    server.behaviour = behaviour
    run = score(study, server)
    assert run.status == JobStatus.PAUSED
    paid, down["at"] = server.paid.total(), False
    resume_run(run=run, actor=OPERATOR)
    done = run_job(RUNS, run.pk)
    assert done is not None
    assert done.status == JobStatus.DONE
    assert set(done.scores.values_list("explanation_score", flat=True)) == {100.0}
    assert server.paid.total() == 2 * paid


@pytest.mark.parametrize("method", [Method.JUDGE, Method.MATE])
@pytest.mark.parametrize(
    ("reason", "declined", "code", "words"),
    [
        ("length", None, "cut", "It was cut at its longest length, so no rule reads it"),
        ("content_filter", None, "filtered", "The server&#x27;s filter took something out of it"),
        ("stop", "I will not rate this.", "declined", "The model declined to answer."),
    ],
)
def test_of_a_method_with_labels_it_waits_for_a_person_under_its_name_with_its_words(
    server: ModelServer, client: Client, method: str, reason: str, declined: str | None, code: str, words: str
) -> None:
    study = answer_study(questions=2, values=people)
    server.behaviour = lambda asked: says("factuality: 2", finish_reason=reason, declined=declined)
    run = score(study, server, method=method, second_reading=True)
    assert run.status == JobStatus.DONE, run.error
    labels = ItemLabel.objects.filter(run=run)
    assert set(labels.values_list("source", "reason", "label")) == {(ItemLabel.Source.UNREAD, code, "")}
    assert set(run.item_scores.filter(aspect="factuality").values_list("value", "reason")) == {(None, code)}
    assert run.counts["factuality"]["unread"] == {code: labels.filter(aspect="factuality").count()}
    lengths = [asked.body["max_tokens"] for asked in server.asked]
    assert lengths == [LONGEST] * lengths.count(LONGEST) + [4 * LONGEST] * lengths.count(4 * LONGEST)
    assert lengths.count(4 * LONGEST) == (lengths.count(LONGEST) if code == "cut" else 0)
    assert not any("factuality: 2" in asked.prompt for asked in server.asked)  # no second reading of it
    client.force_login(MemberFactory(study=study, role="researcher").user)
    page = markup(client.get(reverse("unread", args=[study.slug])))
    assert words in page
    assert (declined or "factuality: 2") in page


def test_a_second_reading_that_is_cut_says_nothing(study: Study, server: ModelServer) -> None:
    def behaviour(asked: ModelRequest) -> Answer:
        if is_second_reading(asked):
            return says("completeness: complete\ncorrect: yes", finish_reason="length")
        return says("Nothing that can be read.")

    server.behaviour = behaviour
    run = score(study, server, method=Method.JUDGE, second_reading=True)
    assert run.status == JobStatus.DONE, run.error
    assert set(run.item_labels.values_list("source", flat=True)) == {ItemLabel.Source.UNREAD}
    assert {asked.body["max_tokens"] for asked in server.asked if is_second_reading(asked)} == {LONGEST, 4 * LONGEST}


def test_the_runs_page_says_how_many_replies_were_cut(study: Study, server: ModelServer, client: Client) -> None:
    server.behaviour = cut_below(60, "Score: 100", "Score: 1")
    run = score(study, server)
    client.force_login(MemberFactory(study=study, role="researcher").user)
    page = " ".join(client.get(reverse("run", args=[study.slug, run.pk])).content.decode().split())
    assert "replies were cut at their longest length; where the run sets it, each is asked for once more" in page
