"""Several who ask at once, limits a minute, schemas, circuit breaker, pauses: the gateway on a real socket."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation_platform.core.methods.messages import Message
from annotation_platform.scoring.gateway import (
    Gateway,
    ModelRequestError,
    ModelServerError,
    Request,
    concurrency,
    dialects,
    direct,
    endpoint,
)
from annotation_platform.scoring.gateway.concurrency import ConcurrencyShare
from annotation_platform.scoring.gateway.limits import Limits
from annotation_platform.scoring.methods.ebr.parameters import ModelParameters
from annotation_platform.scoring.models import Claim, Completion
from tests.servers.model_server import Answer, ModelRequest, ModelServer, fails, says

pytestmark = pytest.mark.storage
Parameters = Callable[..., ModelParameters]
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}


def user(prompt: str) -> list[Message]:
    return [{"role": "user", "content": prompt}]


def ask(parameters: ModelParameters, *prompts: str, schema: Any = None) -> dict[int, Completion]:
    asked = (Request(n, user(prompt), schema) for n, prompt in enumerate(prompts))
    return dict(Gateway(parameters).complete(asked))


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(direct, "WAIT", 0.05)
    yield
    dialects.forget()


class TestClaims:
    @pytest.mark.django_db(transaction=True)
    def test_of_two_at_once_each_request_is_asked_by_one(self, server: ModelServer, parameters: Parameters) -> None:
        server.behaviour = lambda asked: says(asked.prompt, after=0.05)
        prompts = [f"Question {n}" for n in range(60)]
        found: list[dict[int, Completion]] = []

        def work() -> None:
            try:
                found.append(ask(parameters(concurrency=4), *prompts))
            finally:
                connection.close()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(server.prompts) == sorted(prompts)
        assert [len(one) for one in found] == [60, 60]
        assert [one[7].reply for one in found] == ["Question 7", "Question 7"]
        assert not Claim.objects.exists()

    @pytest.mark.django_db
    def test_what_a_dead_process_had_claimed_is_asked_when_its_claim_has_expired(
        self, server: ModelServer, parameters: Parameters, settings: Any
    ) -> None:
        mark = direct.make_question(Request(0, user("One")), parameters()).mark
        asked_at: dict[str, datetime] = {}

        def behaviour(asked: ModelRequest) -> Answer:
            asked_at[asked.prompt] = timezone.now()
            return says("Score: 60")

        server.behaviour = behaviour
        expired = timezone.now() + timedelta(seconds=0.6)
        Claim.objects.create(signature=mark, owner="dead", expires_at=expired)
        assert set(ask(parameters(), "One", "Two")) == {0, 1}
        assert asked_at["One"] >= expired
        assert sorted(server.prompts) == ["One", "Two"]

    @pytest.mark.django_db
    def test_a_reply_that_another_process_stores_meanwhile_is_used(
        self, server: ModelServer, parameters: Parameters
    ) -> None:
        mark = direct.make_question(Request(0, user("One")), parameters()).mark
        Claim.objects.create(signature=mark, owner="alive", expires_at=timezone.now() + timedelta(minutes=1))

        def behaviour(asked: ModelRequest) -> Answer:
            return says("Score: 2", after=0.3)

        server.behaviour = behaviour
        replies = Gateway(parameters()).complete(Request(n, user(p)) for n, p in enumerate(["One", "Two"]))
        assert next(replies)[0] == 1
        Completion.objects.create(signature=mark, request={}, reply="theirs", model="m")
        assert next(replies)[1].reply == "theirs"
        assert server.prompts == ["Two"]

    @pytest.mark.django_db
    def test_claims_are_released_however_it_ends(self, server: ModelServer, parameters: Parameters) -> None:
        server.behaviour = lambda asked: fails(401)
        with pytest.raises(ModelRequestError):
            ask(parameters(), *map(str, range(20)))
        assert not Claim.objects.exists()


@pytest.mark.django_db
class TestDialects:
    def test_a_server_that_refuses_schemas_is_asked_without_and_that_is_remembered(
        self, server: ModelServer, parameters: Parameters
    ) -> None:
        def behaviour(asked: ModelRequest) -> Answer:
            return fails(400, "unknown field response_format") if "response_format" in asked.body else says("5")

        server.behaviour = behaviour
        assert ask(parameters(concurrency=1), "One", "Two", schema=SCHEMA)[1].reply == "5"
        refused = len([asked for asked in server.asked if "response_format" in asked.body])
        assert refused <= 2
        ask(parameters(), "Three", schema=SCHEMA)
        assert "response_format" not in server.asked[-1].body
        assert len([asked for asked in server.asked if "response_format" in asked.body]) == refused

    def test_another_mistake_is_not_blamed_on_the_schema(self, server: ModelServer, parameters: Parameters) -> None:
        server.behaviour = lambda asked: fails(400, "temperature is not supported")
        with pytest.raises(ModelRequestError, match="temperature is not supported"):
            ask(parameters(concurrency=1), "One", schema=SCHEMA)
        assert not dialects._not_taken[server.url, "tiny"]

    def test_the_longest_reply_is_named_as_a_newer_server_wants_it_and_that_is_remembered(
        self, server: ModelServer, parameters: Parameters
    ) -> None:
        words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        server.behaviour = lambda asked: fails(400, words) if "max_tokens" in asked.body else says("5")
        known = ask(parameters(concurrency=1, max_tokens=7), "One", "Two")
        assert known[1].reply == "5"
        assert known[0].request["max_completion_tokens"] == 7
        refused = [asked for asked in server.asked if "max_tokens" in asked.body]
        assert len(refused) <= 2
        ask(parameters(max_tokens=7), "Three", "One")
        assert (len(server.asked), server.prompts[-1]) == (3 + len(refused), "Three")

    def test_what_is_refused_under_either_name_is_not_blamed_on_the_name(
        self, server: ModelServer, parameters: Parameters
    ) -> None:
        server.behaviour = lambda asked: fails(400, "'max_tokens' or 'max_completion_tokens' is too large: 5000")
        with pytest.raises(ModelRequestError, match="too large"):
            ask(parameters(), "One")
        assert [set(asked.body) & {"max_tokens", "max_completion_tokens"} for asked in server.asked] == [
            {"max_tokens"},
            {"max_completion_tokens"},
        ]
        server.behaviour = lambda asked: says("5")
        ask(parameters(), "Two")
        assert "max_tokens" in server.asked[-1].body

    def test_a_connection_may_never_send_schemas(self, server: ModelServer, parameters: Parameters) -> None:
        ask(parameters(structured="never"), "One", schema=SCHEMA)
        assert "response_format" not in server.asked[0].body

    def test_a_seed_counts_up_with_the_repetitions(self, server: ModelServer, parameters: Parameters) -> None:
        list(Gateway(parameters(seed=7)).complete([Request(n, user("One"), repetition=n) for n in range(3)]))
        assert sorted(asked.body["seed"] for asked in server.asked) == [7, 8, 9]


@pytest.mark.django_db
class TestFailures:
    def test_one_request_that_always_fails_does_not_keep_the_others_from_their_replies(
        self, server: ModelServer, parameters: Parameters
    ) -> None:
        def behaviour(asked: ModelRequest) -> Answer:
            return fails(500, "cannot read that") if asked.prompt == "bad" else says("7", after=0.05)

        server.behaviour = behaviour
        with pytest.raises(ModelServerError, match="cannot read that"):
            ask(parameters(concurrency=2, retries=1), "bad", *map(str, range(20)))
        assert Completion.objects.count() == 20

    def test_a_server_that_is_down_is_not_asked_for_everything(
        self, server: ModelServer, parameters: Parameters
    ) -> None:
        server.behaviour = lambda asked: fails(503, "restarting")
        with pytest.raises(ModelServerError, match="restarting"):
            ask(parameters(concurrency=2, retries=3), *map(str, range(100)))
        assert len(set(server.prompts)) <= 4  # in hand, not the hundred


class TestLimits:
    @pytest.mark.django_db
    @pytest.mark.parametrize("store", ["row", pytest.param("redis", marks=pytest.mark.redis)])
    def test_requests_are_spaced(
        self, server: ModelServer, parameters: Parameters, settings: Any, store: str, redis_url: str
    ) -> None:
        settings.REDIS_URL = redis_url if store == "redis" else ""
        moments: list[float] = []

        def behaviour(asked: ModelRequest) -> Answer:
            moments.append(time.monotonic())
            return says("1")

        server.behaviour = behaviour
        began = time.monotonic()
        ask(parameters(requests_per_minute=600), *(f"{store} {n}" for n in range(8)))
        assert len(moments) == 8
        # A busy machine makes requests late, never early; 0.05 s for two clocks and the scheduler's grain.
        assert all(moment - began >= 0.1 * n - 0.05 for n, moment in enumerate(sorted(moments)))

    @pytest.mark.django_db
    def test_without_the_redis_that_is_to_be_there_nothing_is_sent(self, parameters: Parameters, settings: Any) -> None:
        settings.REDIS_URL = "redis://127.0.0.1:9/0"
        assert Limits(parameters(requests_per_minute=60)).reserve([0]) == []
        assert ConcurrencyShare(parameters()).take(under_way=0) == 0

    @pytest.mark.django_db
    @pytest.mark.parametrize("store", ["row", pytest.param("redis", marks=pytest.mark.redis)])
    def test_places_are_shared_equally_and_only_free_ones_are_given(
        self, parameters: Parameters, settings: Any, monkeypatch: pytest.MonkeyPatch, store: str, redis_url: str
    ) -> None:
        settings.REDIS_URL = redis_url if store == "redis" else ""
        monkeypatch.setattr(concurrency, "LOOK_EVERY", 0)
        model = parameters(concurrency=8, model=token_hex(4))
        first, second, third = ConcurrencyShare(model), ConcurrencyShare(model), ConcurrencyShare(model)
        assert first.take(under_way=0) == 8
        assert second.take(under_way=0) == 0  # all are taken
        assert first.take(under_way=8) == 4
        assert second.take(under_way=0) == 0  # four have still to be answered
        assert first.take(under_way=3) == 4
        assert second.take(under_way=0) == 4
        assert third.take(under_way=0) == 0
        first.leave()
        assert third.take(under_way=0) == 4
        settings.RUN_STALE_AFTER_SECONDS = -1
        third.take(under_way=4)  # and is not heard of any more
        assert second.take(under_way=4) == 8

    @pytest.mark.django_db
    def test_tokens_count_as_used_not_as_feared(self, parameters: Parameters, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
        limits = Limits(parameters(tokens_per_minute=6_000, requests_per_minute=None))
        assert limits.reserve([100]) == [0]
        assert limits.reserve([10]) == [pytest.approx(1)]  # 100 tokens are a second
        limits.give_back(60)
        assert limits.reserve([10]) == [pytest.approx(0.5)]

    @pytest.mark.django_db
    def test_nothing_is_reserved_far_ahead(self, server: ModelServer, parameters: Parameters) -> None:
        limits = Limits(parameters(requests_per_minute=60))
        assert len(limits.reserve([0] * 50)) == 3  # at 0, 1 and 2 s
