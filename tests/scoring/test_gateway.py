"""The gateway against a model server on a real socket, in good and bad moods."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError

from annotation_platform.core.methods.messages import Message
from annotation_platform.scoring.gateway import Gateway, ModelRequestError, ModelServerError, Request, direct, endpoint
from annotation_platform.scoring.methods.ebr.parameters import ModelParameters
from annotation_platform.scoring.models import Claim, Completion
from tests.servers.model_server import KEY, Answer, ModelRequest, ModelServer, fails, says

pytestmark = pytest.mark.django_db

Parameters = Callable[..., ModelParameters]


def ask(parameters: ModelParameters, *prompts: str) -> dict[int, Completion]:
    return dict(Gateway(parameters).complete(Request(n, user(prompt)) for n, prompt in enumerate(prompts)))


def user(prompt: str) -> list[Message]:
    return [{"role": "user", "content": prompt}]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.02)


def test_a_reply_is_stored_with_what_was_asked_and_what_it_used(server: ModelServer, parameters: Parameters) -> None:
    server.queue.append(says("Score: 20", usage={"prompt_tokens": 400, "completion_tokens": 30, "total_tokens": 430}))
    completion = ask(parameters(price_in=2.5, price_out=10), "How many?")[0]
    assert completion.reply == "Score: 20"
    assert (completion.model, completion.prompt_tokens, completion.completion_tokens) == ("tiny-2026", 400, 30)
    assert completion.cost == Decimal("0.0013")  # 400 × 2.5/10⁶ + 30 × 10/10⁶
    assert completion.request["messages"] == [{"role": "user", "content": "How many?"}]
    (asked,) = server.asked
    assert (asked.path, asked.key) == ("/v1/chat/completions", KEY)
    assert (asked.body["model"], asked.body["temperature"], asked.body["max_tokens"]) == ("tiny", 0.0, 512)
    assert KEY not in str(Completion.objects.values().get())


def test_cost_is_unknown_without_prices_or_usage(server: ModelServer, parameters: Parameters) -> None:
    assert ask(parameters(), "One")[0].cost is None
    server.queue.append(Answer(body=b'{"model": "tiny", "choices": [{"message": {"content": "5"}}]}'))
    assert ask(parameters(price_in=1, price_out=1), "Two")[0].cost is None


@pytest.mark.parametrize(
    "usage",
    [
        ["none"],
        {"prompt_tokens": -5, "completion_tokens": 10},
        {"prompt_tokens": 200, "completion_tokens": 1.5},
        {"prompt_tokens": 2**31 - 1, "completion_tokens": 2**31 - 1},
    ],
)
def test_a_count_of_tokens_that_cannot_be_one_is_none(server: ModelServer, parameters: Parameters, usage: Any) -> None:
    server.behaviour = lambda asked: says("Score: 60", usage=usage)
    reply = ask(parameters(price_in=1, price_out=1), "One")[0]
    assert (reply.reply, reply.cost, len(server.asked)) == ("Score: 60", None, 1)


def test_parameters_can_be_left_to_the_server(server: ModelServer, parameters: Parameters) -> None:
    ask(parameters(temperature=None, max_tokens=None), "One")
    assert set(server.asked[0].body) == {"model", "messages"}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_the_same_request_is_asked_once_ever(server: ModelServer, parameters: Parameters, concurrency: int) -> None:
    server.behaviour = lambda asked: says(asked.prompt, after=0.05)
    replies = ask(parameters(concurrency=concurrency), "One", "Two", "One", "One")
    assert [replies[n].reply for n in range(4)] == ["One", "Two", "One", "One"]
    assert sorted(server.prompts) == ["One", "Two"]
    again = ask(parameters(), "Two", "One")
    assert (again[0], again[1]) == (replies[1], replies[0])
    assert len(server.asked) == 2


@pytest.mark.parametrize("change", [{"model": "large"}, {"temperature": 0.7}, {"max_tokens": 10}])
def test_other_parameters_are_another_request(
    server: ModelServer, parameters: Parameters, change: dict[str, Any]
) -> None:
    ask(parameters(), "One")
    ask(parameters(**change), "One")
    assert len(server.asked) == 2
    assert Completion.objects.count() == 2


def test_repetitions_of_a_request_each_have_a_reply_of_their_own(server: ModelServer, parameters: Parameters) -> None:
    repeated = [Request(n, user("One"), repetition=n) for n in range(3)]
    replies = dict(Gateway(parameters()).complete(repeated))
    assert len({completion.pk for completion in replies.values()}) == len(server.asked) == 3
    assert ask(parameters(), "One")[0] == replies[0]
    assert len(server.asked) == 3


def test_a_schema_goes_along_with_the_request(server: ModelServer, parameters: Parameters) -> None:
    schema = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
    list(Gateway(parameters()).complete([Request(0, user("One"), schema), Request(1, user("One"))]))
    with_schema, without = sorted(server.asked, key=lambda asked: "response_format" not in asked.body)
    assert with_schema.body["response_format"]["type"] == "json_schema"
    assert with_schema.body["response_format"]["json_schema"]["schema"] == schema
    assert "response_format" not in without.body


def test_pace_and_price_do_not_make_another_request(server: ModelServer, parameters: Parameters) -> None:
    ask(parameters(), "One")
    ask(parameters(concurrency=1, timeout=9, retries=0, price_in=1, price_out=2), "One")
    assert len(server.asked) == 1


def test_many_requests_are_under_way_at_a_time_but_no_more_than_allowed(
    server: ModelServer, parameters: Parameters
) -> None:
    server.behaviour = lambda asked: says("1", after=0.2)
    ask(parameters(concurrency=3), *map(str, range(12)))
    assert server.most_under_way == 3


def test_a_late_answer_is_asked_for_again(server: ModelServer, parameters: Parameters) -> None:
    server.queue.append(says("Score: 1", after=30))
    assert ask(parameters(timeout=1), "One")[0].reply == "Score: 60"
    assert len(server.asked) == 2


def test_a_server_that_never_answers_in_time_is_given_up(server: ModelServer, parameters: Parameters) -> None:
    server.behaviour = lambda asked: says("Score: 1", after=30)
    with pytest.raises(ModelServerError, match=r"did not answer within 0\.1 seconds \(asked twice|2 times\)"):
        ask(parameters(timeout=0.1, retries=1), "One")


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(server: ModelServer, parameters: Parameters) -> None:
    server.queue.append(fails(429, "slow down", Retry_After="1"))
    started = time.monotonic()
    assert ask(parameters(), "One")[0].reply == "Score: 60"
    assert time.monotonic() - started >= 1


def test_one_that_wants_to_rest_for_an_hour_is_asked_no_more_and_says_until_when(
    server: ModelServer, parameters: Parameters
) -> None:
    server.behaviour = lambda asked: fails(429, "slow down", Retry_After="3600")
    hour = timedelta(hours=1)
    possible = {f"{datetime.now(UTC) + hour + timedelta(minutes=late):%Y-%m-%d %H:%M}" for late in (0, 1)}
    with pytest.raises(ModelServerError, match=r"asks to be left alone until .* \(UTC\)\. Go on then") as told:
        ask(parameters(concurrency=2), *map(str, range(20)))
    assert any(moment in str(told.value) for moment in possible)
    assert len(server.asked) <= 2


@pytest.mark.parametrize("said", ["inf", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_no_rest_is_too_long_to_be_told(server: ModelServer, parameters: Parameters, said: str) -> None:
    server.queue.append(fails(503, "gone", Retry_After=said))
    with pytest.raises(ModelServerError, match="asks to be left alone until"):
        ask(parameters(), "One")


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    left = endpoint.seconds(date)
    assert left is not None
    assert 20 < left <= 30  # a date has whole seconds, and some of them have passed
    assert endpoint.seconds("soon") is None


def test_server_errors_are_tried_again_with_growing_pauses(
    server: ModelServer, parameters: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.2)
    server.queue.extend([fails(500), fails(503)])
    started = time.monotonic()
    assert ask(parameters(), "One")[0].reply == "Score: 60"
    assert time.monotonic() - started >= 0.1 + 0.2
    assert len(server.asked) == 3


def test_pauses_grow_up_to_a_longest_and_are_never_shorter_than_a_server_asks() -> None:
    for attempt in range(1, 6):
        whole = endpoint.FIRST_PAUSE * 2 ** (attempt - 1)
        assert whole / 2 <= endpoint.pause_before(attempt, None) <= whole
    assert endpoint.pause_before(60, None) <= endpoint.LONGEST_PAUSE
    assert endpoint.pause_before(1, 7.0) == 7.0


def test_a_server_that_stays_broken_is_given_up_and_named(server: ModelServer, parameters: Parameters) -> None:
    server.behaviour = lambda asked: fails(500, "out of memory")
    with pytest.raises(
        ModelServerError, match=rf"{server.url} answered with status 500: out of memory \(asked 3 times"
    ):
        ask(parameters(), "One")


def test_a_server_that_is_not_there_is_named(parameters: Parameters) -> None:
    with pytest.raises(ModelServerError, match=r"http://127\.0\.0\.1:9/v1 cannot be reached"):
        ask(parameters(base_url="http://127.0.0.1:9/v1", retries=0), "One")


@pytest.mark.parametrize(
    "garbage",
    [
        b"<html>Bad gateway</html>",
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b"[1]",
        b"",
        b"\xff\xfe",
        pytest.param(b"[" * 100_000, id="deep"),
    ],
)
def test_garbage_is_asked_for_again(server: ModelServer, parameters: Parameters, garbage: bytes) -> None:
    server.queue.append(Answer(body=garbage))
    assert ask(parameters(), "One")[0].reply == "Score: 60"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>Sign in</html>", "answered with a web page instead of a chat completion (is its address the whole"),
        (
            f'{{"error": {{"message": "No credit for {KEY}"}}}}'.encode(),
            "with an error instead of a chat completion: No",
        ),
        (b'{"error": "no credit", "choices": []}', "with an error instead of a chat completion: no credit (asked 3"),
    ],
)
def test_what_comes_with_status_200_in_the_place_of_a_reply_is_told(
    server: ModelServer, parameters: Parameters, body: bytes, words: str
) -> None:
    server.behaviour = lambda asked: Answer(body=body)
    with pytest.raises(ModelServerError) as caught:
        ask(parameters(), "One")
    assert words in str(caught.value)
    assert KEY not in str(caught.value)


def test_garbage_for_ever_is_given_up(server: ModelServer, parameters: Parameters) -> None:
    server.behaviour = lambda asked: Answer(body=b"Hello")
    with pytest.raises(ModelServerError, match="no chat completion"):
        ask(parameters(retries=1), "One")


@pytest.mark.parametrize("nothing", ["", None])
def test_nothing_is_a_reply_too(server: ModelServer, parameters: Parameters, nothing: str | None) -> None:
    server.behaviour = lambda asked: says(nothing)
    assert ask(parameters(), "One")[0].reply == ""
    assert len(server.asked) == 1


def test_of_a_reply_in_parts_the_text_is_read(server: ModelServer, parameters: Parameters) -> None:
    """As a server sends them whose model thinks aloud."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Score: 20?"}]}
    server.behaviour = lambda asked: says([thought, {"type": "text", "text": "Score: 60"}])
    assert ask(parameters(), "One")[0].reply == "Score: 60"
    assert len(server.asked) == 1


def test_a_reply_that_no_database_can_hold_is_stored_without_those_characters(
    server: ModelServer, parameters: Parameters
) -> None:
    server.behaviour = lambda asked: says("a\x00b \ud800")
    assert Completion.objects.get(pk=ask(parameters(), "One")[0].pk).reply == "ab ?"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (fails(401, f"Incorrect API key provided: {KEY}."), "does not accept the key in OPENAI_API_KEY"),
        (fails(403, "No access."), "does not let this key use the model"),
        (fails(404, "The model 'tiny' does not exist"), "does not know the model"),
        (fails(402, "no credit left"), "no credit left"),
    ],
)
def test_what_would_be_refused_again_is_not_tried_again(
    server: ModelServer, parameters: Parameters, answer: Answer, words: str
) -> None:
    server.behaviour = lambda asked: answer
    with pytest.raises(ModelRequestError, match=words) as caught:
        ask(parameters(concurrency=1), *map(str, range(20)))
    assert len(server.asked) == 1
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("status", [400, 413, 422])
def test_one_refused_request_has_its_reason_and_the_others_their_replies(
    server: ModelServer, parameters: Parameters, status: int, concurrency: int
) -> None:
    server.behaviour = lambda asked: fails(status, f"too long for {KEY}") if asked.prompt in "058" else says("7")
    answers = ask(parameters(concurrency=concurrency), *map(str, range(10)))
    refused = {key: answer for key, answer in answers.items() if isinstance(answer, ModelRequestError)}
    assert set(refused) == {0, 5, 8}
    assert f"refuses the request (model “tiny”, status {status}: too long for (key))" in str(refused[0])
    assert {answers[key].reply for key in set(answers) - set(refused)} == {"7"}
    assert not Claim.objects.exists()
    server.behaviour = lambda asked: says("8")
    assert {key: ask(parameters(), str(key))[0].reply for key in (0, 1)} == {0: "8", 1: "7"}


def test_a_server_that_refuses_everything_is_not_asked_for_ever(server: ModelServer, parameters: Parameters) -> None:
    server.behaviour = lambda asked: fails(400, "temperature is not supported")
    with pytest.raises(ModelRequestError, match="temperature is not supported"):
        ask(parameters(), *map(str, range(400)))
    assert 100 <= len(server.asked) < 200
    assert not Claim.objects.exists()


def test_where_a_reply_is_stored_a_request_that_is_refused_is_one_of_many(
    server: ModelServer, parameters: Parameters
) -> None:
    ask(parameters(), "One")
    server.behaviour = lambda asked: fails(400, "too long")
    answers = ask(parameters(), "Two", "One")
    assert answers[1].reply == "Score: 60"
    assert "too long" in str(answers[0])


def test_replies_under_way_when_another_request_fails_are_kept(server: ModelServer, parameters: Parameters) -> None:
    def behaviour(asked: ModelRequest) -> Answer:
        return fails(402, "no") if asked.prompt == "bad" else says("7", after=0.3)

    server.behaviour = behaviour
    with pytest.raises(ModelRequestError):
        ask(parameters(concurrency=4), "one", "two", "bad", "three", "four", "five", "six")
    assert set(server.answered) == {"one", "two", "three"}
    assert Completion.objects.filter(reply="7").count() == 3


def test_a_consumer_that_leaves_ends_the_asking_and_loses_no_paid_reply(
    server: ModelServer, parameters: Parameters
) -> None:
    server.behaviour = lambda asked: says("7", after=0.1)
    replies = Gateway(parameters(concurrency=2)).complete(Request(n, user(str(n))) for n in range(50))
    next(replies)
    replies.close()  # type: ignore[attr-defined]
    assert len(server.asked) <= 4
    assert Completion.objects.count() == len(server.asked)


class Database:
    """Storing, by a database that goes away at some of the tries."""

    def __init__(self, away_at: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
        self._away_at, self._save, self.tries = away_at, direct.save, 0
        monkeypatch.setattr(direct, "save", self.save)
        monkeypatch.setattr(direct, "AWAY", (0.01, 0.01))

    def save(self, *args: Any, **kwargs: Any) -> Any:
        self.tries += 1
        if self.tries in self._away_at:
            raise OperationalError("the database went away")
        return self._save(*args, **kwargs)


def test_while_the_database_is_away_for_a_moment_replies_wait_for_it(
    server: ModelServer, parameters: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database({1, 2}, monkeypatch)
    assert len(ask(parameters(), "One", "Two", "Three")) == 3
    assert database.tries > 2
    assert sorted(server.prompts) == ["One", "Three", "Two"]


def test_replies_that_could_not_be_stored_are_tried_once_more_at_the_end(
    server: ModelServer, parameters: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    Database({1, 2, 3}, monkeypatch)
    with pytest.raises(OperationalError, match="went away"):
        ask(parameters(concurrency=3), "One", "Two", "Three")
    assert Completion.objects.count() == len(server.asked) >= 1
    assert not Claim.objects.exists()
    assert len(ask(parameters(), "One", "Two", "Three")) == 3
    assert sorted(server.prompts) == ["One", "Three", "Two"]


def test_an_interrupt_while_replies_are_gathered_loses_none(
    server: ModelServer, parameters: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    server.behaviour = lambda asked: says("1", after=0.0 if len(server.asked) == 1 else 0.5)
    monkeypatch.setattr(direct, "time", SimpleNamespace(monotonic=time.monotonic, sleep=interrupted))
    with pytest.raises(KeyboardInterrupt):
        ask(parameters(concurrency=12), *map(str, range(12)))
    assert Completion.objects.count() == len(server.asked) == 12
