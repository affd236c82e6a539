"""Budgets of runs and studies, the dry run, and pauses: with real runs over a real socket."""

import json
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring import estimates, services
from annotation_platform.scoring.bills import paid_in_words
from annotation_platform.scoring.gateway import Gateway, Request, batches, direct, dispatcher, endpoint, interrupts
from annotation_platform.scoring.gateway.budget import Budget
from annotation_platform.scoring.gateway.limits import Limits
from annotation_platform.scoring.gateway.replies import Claims
from annotation_platform.scoring.gateway.requests import Excess, Question, make_question
from annotation_platform.scoring.methods import run_method
from annotation_platform.scoring.models import Claim, Completion, ScoringRun, ScoringSettings
from annotation_platform.scoring.parameters import ModelCall
from annotation_platform.scoring.selectors import run_costs, run_of
from annotation_platform.scoring.services import RUNS
from annotation_platform.studies.models import Role, Study
from tests.factories import OPERATOR, MemberFactory
from tests.markup import markup
from tests.scoring import small_runs
from tests.servers.cutting import CuttingLine
from tests.servers.model_server import Answer, ModelRequest, ModelServer, fails, says

pytestmark = [pytest.mark.django_db, pytest.mark.storage]
Asks = Callable[..., dict[str, Any]]
PRICES = {"price_in": 10.0, "price_out": 100.0, "max_tokens": 10}
REPLY = Decimal("0.003")  # 200 × 10/10⁶ + 10 × 100/10⁶, as the server's usage says


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(direct, "WAIT", 0.05)
    monkeypatch.setattr(batches, "FIRST_LOOK", 0.05)


def small_study(questions: int = 2, **settings: Any) -> Study:
    """All explained in different words."""
    settings.setdefault("values", lambda member, item: {"reasons": f"{member} says this of {item.pk}."})
    return small_runs.small_study(questions, **settings)


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return small_study()


def begin(study: Study, budget: str | None = None, *, dry_run: bool = False, **parameters: Any) -> ScoringRun:
    amount = Decimal(budget) if budget else None
    run = services.start_run(
        study=study, scorer="openai", parameters=parameters, budget=amount, dry_run=dry_run, actor=OPERATOR
    )
    return finish(run)


def finish(run: ScoringRun) -> ScoringRun:
    claimed = claim(RUNS, run.pk)
    assert claimed is not None
    return execute(RUNS, claimed)


def most(study: Study, asks: Asks) -> Decimal:
    """What one of the study's requests may cost at most, by the length of its longest prompt."""
    parameters = run_method("ebr").resolve(study=study, scorer="openai", given=asks(**PRICES))
    asked = run_method("ebr").asked(study=study, parameters=parameters, limit=100)
    longest = max(Question("", {"messages": one.messages}).most_tokens_in for one in asked)
    return Decimal(longest * 10 + 10 * 100) / 1_000_000


class TestRunBudget:
    def test_a_run_pauses_before_its_budget_is_passed_and_goes_on_when_it_is_raised(
        self, study: Study, server: ModelServer, asks: Asks
    ) -> None:
        budget = 3 * REPLY + most(study, asks)
        run = begin(study, f"{budget:.4f}", **asks(**PRICES, concurrency=2))
        assert run.status == JobStatus.PAUSED
        assert "Budget reached: the run's budget of $" in run.error
        assert 3 <= len(server.asked) < 8
        assert run.spent == len(server.asked) * REPLY <= budget
        assert Completion.objects.count() == len(server.asked)
        services.resume_run(run=run, budget=Decimal(1), actor=OPERATOR)
        run = finish(run)
        assert run.status == JobStatus.DONE
        assert len(server.asked) == 8
        assert set(server.answered.values()) == {1}
        assert run.spent == 8 * REPLY

    def test_the_budget_holds_with_the_dearest_replies_there_can_be(self, server: ModelServer, asks: Asks) -> None:
        usage = {"prompt_tokens": 1_000, "completion_tokens": 10, "total_tokens": 1_010}
        server.behaviour = lambda asked: says("Score: 3", usage=usage)
        study = small_study(questions=4)
        run = begin(study, "0.0500", **asks(**PRICES, concurrency=8))
        assert run.status == JobStatus.PAUSED
        assert Decimal("0.02") < run.spent <= Decimal("0.05")

    def test_what_a_server_does_not_count_is_counted_as_the_most_it_can_be(
        self, study: Study, server: ModelServer, asks: Asks
    ) -> None:
        server.behaviour = lambda asked: Answer(body=b'{"model": "m", "choices": [{"message": {"content": "5"}}]}')
        run = begin(study, "0.0500", **asks(**PRICES))
        assert 0 < run.spent <= Decimal("0.05")

    @pytest.mark.parametrize(
        ("parameters", "words"),
        [({}, "needs the model's prices"), ({**PRICES, "max_tokens": None}, "needs a limit on the tokens")],
    )
    def test_a_budget_that_cannot_be_kept_is_refused_at_once(
        self, study: Study, asks: Asks, parameters: dict[str, Any], words: str
    ) -> None:
        with pytest.raises(InvalidInputError, match=words):
            begin(study, "5", **asks(**parameters))
        assert not study.scoring_runs.exists()
        run = services.start_run(study=study, scorer="openai", parameters=asks(**parameters), actor=OPERATOR)
        services.pause_run(run=run, actor=OPERATOR)
        with pytest.raises(InvalidInputError, match=words):
            services.resume_run(run=run, budget=Decimal(5), actor=OPERATOR)
        run.refresh_from_db()
        assert (run.status, run.budget) == (JobStatus.PAUSED, None)

    def test_a_run_has_no_more_tokens_than_allowed(self, study: Study, server: ModelServer, asks: Asks) -> None:
        run = begin(study, **asks(max_run_tokens=3_000, max_tokens=10, concurrency=1))
        assert run.status == JobStatus.PAUSED
        assert "limit of 3,000 tokens" in run.error
        assert 0 < run.spent_tokens <= 3_000


TOO_LONG = {"prompt_tokens": 200, "completion_tokens": 1_000, "total_tokens": 1_200}  # of 10 that were asked for
BILL = Decimal("0.102")


class TestServerThatIgnoresTheLongestReply:
    def test_one_reply_at_most_passes_a_budget(self, server: ModelServer, asks: Asks) -> None:
        server.behaviour = lambda asked: says("Score: 60", usage=TOO_LONG)
        run = begin(small_study(questions=4), "0.0500", **asks(**PRICES, concurrency=8))
        assert run.status == JobStatus.PAUSED
        assert "Budget reached" in run.error
        assert len(server.asked) == 1
        assert (run.spent, run.excess_out) == (BILL, 990)

    def test_after_the_first_bill_so_much_more_is_set_aside(self, server: ModelServer, asks: Asks) -> None:
        server.behaviour = lambda asked: says("Score: 60", usage=TOO_LONG)
        run = begin(small_study(questions=4), "0.5000", **asks(**PRICES, concurrency=8))
        assert run.status == JobStatus.PAUSED
        assert run.spent == len(server.asked) * BILL
        assert 0 < run.spent <= Decimal("0.5")

    def test_where_it_begins_later_only_what_is_at_the_server_passes_it(self, server: ModelServer, asks: Asks) -> None:
        def behaviour(asked: ModelRequest) -> Answer:
            return says("Score: 60", usage=None if len(server.asked) <= 5 else TOO_LONG)

        server.behaviour = behaviour
        run = begin(small_study(questions=8), "0.2400", **asks(**PRICES, concurrency=3))
        assert run.status == JobStatus.PAUSED
        too_long = Completion.objects.filter(completion_tokens=1_000).count()
        assert 1 <= too_long <= 3
        assert not run.claims.exists()

    def test_what_was_not_sent_for_it_is_booked_once_in_the_tokens_of_a_minute(
        self, server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        booked, uncovered = [], []
        reserve, give_back, covers = Limits.reserve, Limits.give_back, Budget.covers

        def noted_reserve(limits: Limits, tokens: Sequence[int]) -> list[float]:
            delays = reserve(limits, tokens)
            booked.extend(tokens[: len(delays)])
            return delays

        def noted_give_back(limits: Limits, tokens: int) -> None:
            booked.append(-tokens)
            give_back(limits, tokens)

        def noted_covers(budget: Budget, question: Question[Any]) -> bool:
            uncovered.append(not (is_covered := covers(budget, question)))
            return is_covered

        monkeypatch.setattr(Limits, "reserve", noted_reserve)
        monkeypatch.setattr(Limits, "give_back", noted_give_back)
        monkeypatch.setattr(Budget, "covers", noted_covers)
        server.behaviour = lambda asked: says("Score: 60", usage=None if len(server.asked) <= 5 else TOO_LONG)
        limits = {"tokens_per_minute": 10_000_000, "requests_per_minute": 100_000}
        run = begin(small_study(questions=8), "50", **asks(**PRICES, **limits, concurrency=3))
        assert run.status == JobStatus.DONE, run.error
        assert any(uncovered)
        assert sum(booked) == run.spent_tokens

    def test_a_larger_excess_is_set_aside_for_what_is_under_way_too(
        self, study: Study, server: ModelServer, asks: Asks
    ) -> None:
        run = services.start_run(
            study=study, scorer="openai", parameters=asks(**PRICES), budget=Decimal(1), actor=OPERATOR
        )
        parameters = run_method("ebr").parse(scorer="openai", stored=run.parameters)
        assert isinstance(parameters, ModelCall)
        budget = Budget(run, parameters)
        question = make_question(Request(0, [{"role": "user", "content": "One"}]), parameters)
        assert Claims(run, budget).take([question]).ours == {question.mark}
        before = run.claims.get()
        assert Claims(run, budget).take([question]).is_early  # the first goes alone
        budget.learn(Excess(5, 990))
        after = run.claims.get()
        assert after.most_tokens == before.most_tokens + 995
        assert after.most_cost == before.most_cost + Decimal(5 * 10 + 990 * 100) / 1_000_000
        assert not budget.covers(question)
        again = Budget(run, parameters)
        assert again.affordable([question]) == ([], True)
        run.claims.all().delete()
        assert again.affordable([question]) == ([question], False)
        assert again.covers(question)
        assert again.most(question)["most_tokens"] == after.most_tokens

    def test_the_next_run_of_the_study_knows_it(self, study: Study, server: ModelServer, asks: Asks) -> None:
        server.behaviour = lambda asked: says("Score: 60", usage=TOO_LONG)
        assert begin(study, **asks(**PRICES)).status == JobStatus.DONE
        asked = len(server.asked)
        run = begin(study, "0.0900", **asks(**PRICES, temperature=1.0))
        assert (run.status, run.spent, len(server.asked)) == (JobStatus.PAUSED, 0, asked)
        other = begin(study, "0.0900", **asks(**PRICES, temperature=0.5, model="another"))
        assert (other.status, other.spent) == (JobStatus.PAUSED, BILL)  # nothing is known of that one

    def test_so_does_a_limit_on_tokens(self, server: ModelServer, asks: Asks) -> None:
        server.behaviour = lambda asked: says("Score: 60", usage=TOO_LONG)
        run = begin(small_study(questions=4), **asks(max_run_tokens=6_000, max_tokens=10, concurrency=8))
        assert run.status == JobStatus.PAUSED
        assert 0 < run.spent_tokens <= 6_000

    def test_the_page_says_by_how_much(self, study: Study, server: ModelServer, asks: Asks, client: Client) -> None:
        server.behaviour = lambda asked: says("Score: 60", usage=TOO_LONG)
        run = begin(study, "0.0500", **asks(**PRICES))
        client.force_login(MemberFactory(study=run.study, role=Role.RESEARCHER).user)
        page = markup(client.get(reverse("run", args=[run.study.slug, run.pk])))
        assert "up to 990 tokens more than the longest reply, in one request" in page


def broken_off(usage: dict[str, Any] | None = None) -> Answer:
    return says("Score: 6", finish_reason="error", usage=usage)


def without_usage(answer: Answer) -> Answer:
    data = json.loads(answer.body)
    del data["usage"]
    return Answer(body=json.dumps(data).encode())


NO_COMPLETION = Answer(body=b'{"choices": [], "usage": {"prompt_tokens": 200, "completion_tokens": 10}}')


class TestServerThatBillsWhatIsNoReply:
    @pytest.mark.parametrize("answer", [broken_off(), NO_COMPLETION])
    def test_its_bill_counts_beside_what_was_paid(
        self, study: Study, server: ModelServer, asks: Asks, answer: Answer
    ) -> None:
        server.queue.extend([answer, answer])
        run = begin(study, "1.0000", **asks(**PRICES))
        assert (run.status, len(server.asked)) == (JobStatus.DONE, 10)
        assert (run.spent, run.late_cost, run.late_tokens) == (8 * REPLY, 2 * REPLY, 2 * 210)
        assert (run.late_attempts, run.late_at) == (0, None)  # none of them timed out
        words = paid_in_words(run_of(study, run.pk))
        assert words.endswith("and at most $0.006 and 420 tokens for attempts that timed out or were broken off")

    def test_a_budget_counts_it(self, server: ModelServer, asks: Asks) -> None:
        server.behaviour = lambda asked: broken_off() if len(server.asked) % 3 else says("Score: 60")
        run = begin(small_study(questions=4), "0.0600", **asks(**PRICES))
        assert run.status == JobStatus.PAUSED
        assert "Budget reached" in run.error
        assert run.spent + run.late_cost == len(server.asked) * REPLY <= Decimal("0.06")

    def test_where_it_counts_no_tokens_it_may_bill_the_most(
        self, study: Study, server: ModelServer, asks: Asks
    ) -> None:
        server.queue.append(without_usage(broken_off()))
        run = begin(study, **asks(**PRICES))
        assert run.status == JobStatus.DONE
        assert REPLY < run.late_cost <= most(study, asks)

    def test_an_answer_that_ends_in_the_middle_may_be_billed_the_most(
        self, study: Study, server: ModelServer, asks: Asks
    ) -> None:
        with CuttingLine(urlsplit(server.url).port or 0) as line:
            line.down.append(250)  # the head and some of the first answer
            run = begin(study, **asks(**PRICES, base_url=f"{line.url}/v1", concurrency=1))
        assert (run.status, len(server.asked)) == (JobStatus.DONE, 9)
        assert REPLY < run.late_cost <= most(study, asks)

    def test_so_may_one_that_ends_before_its_head(self, study: Study, server: ModelServer, asks: Asks) -> None:
        with CuttingLine(urlsplit(server.url).port or 0) as line:
            line.down.append(0)  # nothing of the first answer
            run = begin(study, "5", **asks(**PRICES, base_url=f"{line.url}/v1", concurrency=1))
        assert (run.status, len(server.asked)) == (JobStatus.DONE, 9)
        assert REPLY < run.late_cost <= most(study, asks)

    def test_a_server_that_is_not_there_bills_nothing(self, study: Study, asks: Asks) -> None:
        run = begin(study, "5", **asks(**PRICES, base_url="http://127.0.0.1:9/v1", retries=1))
        assert (run.status, run.late_cost, run.late_tokens) == (JobStatus.PAUSED, 0, 0)

    def test_what_a_killed_process_had_claimed_may_be_billed_too(
        self, study: Study, server: ModelServer, asks: Asks
    ) -> None:
        parameters = run_method("ebr").resolve(study=study, scorer="openai", given=asks(**PRICES))
        assert isinstance(parameters, ModelCall)
        run = services.start_run(
            study=study, scorer="openai", parameters=asks(**PRICES), budget=Decimal("5"), actor=OPERATOR
        )
        first = next(iter(run_method("ebr").asked(study=study, parameters=parameters, limit=1)))
        Claims(run, Budget(run, parameters)).take([make_question(Request(0, first.messages), parameters)])
        left = Claim.objects.get()
        Claim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        run = finish(run)
        assert (run.status, run.spent) == (JobStatus.DONE, 8 * REPLY)
        assert (run.late_cost, run.late_tokens) == (left.most_cost, left.most_tokens)

    def test_it_counts_before_anybody_asks_the_same_again(self, study: Study, asks: Asks) -> None:
        parameters = run_method("ebr").resolve(study=study, scorer="openai", given=asks(**PRICES))
        assert isinstance(parameters, ModelCall)
        run = services.start_run(
            study=study, scorer="openai", parameters=asks(**PRICES), budget=Decimal("5"), actor=OPERATOR
        )
        asked = run_method("ebr").asked(study=study, parameters=parameters, limit=2)
        first, other = (make_question(Request(0, each.messages), parameters) for each in islice(asked, 2))
        Claims(run, Budget(run, parameters)).take([first])
        ScoringRun.objects.update(budget=Claim.objects.get().most_cost)
        Claim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert not Claims(run, Budget(run, parameters)).take([other]).tried

    def test_it_is_told_with_its_run_although_nobody_asks_the_same_again(self, study: Study, asks: Asks) -> None:
        parameters = run_method("ebr").resolve(study=study, scorer="openai", given=asks(**PRICES))
        assert isinstance(parameters, ModelCall)
        killed, other = (
            ScoringRun.objects.create(study=study, method=method, scorer="openai", budget=Decimal("5"), parameters={})
            for method in ("ebr", "judge")
        )
        (first,) = run_method("ebr").asked(study=study, parameters=parameters, limit=1)
        Claims(killed, Budget(killed, parameters)).take([make_question(Request(0, first.messages), parameters)])
        left = Claim.objects.get()
        Claims(other, Budget(other, parameters))
        assert Claim.objects.exists()
        Claim.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        for status, is_left in ((JobStatus.RUNNING, True), (JobStatus.FAILED, False)):
            ScoringRun.objects.filter(pk=killed.pk).update(status=status)
            Claims(other, Budget(other, parameters))
            assert Claim.objects.exists() == is_left
        killed.refresh_from_db()
        assert (Claim.objects.count(), killed.late_cost, killed.late_tokens) == (0, left.most_cost, left.most_tokens)

    def test_what_a_stopped_run_still_waits_for_is_not_lost(
        self, study: Study, server: ModelServer, asks: Asks, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It came while another run had begun, and was counted as lost and as paid."""
        settings.RUN_STALE_AFTER_SECONDS = 0.6
        monkeypatch.setattr(dispatcher, "WAIT", 0.05)
        monkeypatch.setattr(interrupts, "EVERY", 0.0)
        server.hold_after(0)
        check, keep = interrupts.Interrupts.check, direct.DirectTransport._keep

        def stop_amid(self: interrupts.Interrupts) -> bool:
            if server.under_way and ScoringRun.objects.filter(status=JobStatus.RUNNING).exists():
                services.stop_run(run=ScoringRun.objects.get(), actor=OPERATOR)
                threading.Timer(1.2, server.release).start()
            return check(self)

        def keep_beside_another(self: direct.DirectTransport[Any]) -> dict[str, Completion]:
            if self._replies:
                other = ScoringRun(study=study, scorer="openai", budget=Decimal("5"))
                Claims(other, Budget(other, self._parameters))
            return keep(self)

        monkeypatch.setattr(interrupts.Interrupts, "check", stop_amid)
        monkeypatch.setattr(direct.DirectTransport, "_keep", keep_beside_another)
        run = begin(study, "5", **asks(**PRICES, concurrency=1))
        assert (run.status, run.spent, run.late_cost) == (JobStatus.FAILED, len(server.asked) * REPLY, 0)

    def test_an_excess_is_learnt_from_it(self, server: ModelServer, asks: Asks) -> None:
        server.queue.append(broken_off(TOO_LONG))
        run = begin(small_study(questions=4), "0.1500", **asks(**PRICES, concurrency=8))
        assert run.status == JobStatus.PAUSED
        assert (run.spent, run.late_cost, run.excess_out, len(server.asked)) == (0, BILL, 990, 1)

    def test_so_does_a_batch(self, study: Study, server: ModelServer, asks: Asks) -> None:
        server.queue.extend([broken_off(), broken_off(TOO_LONG)])
        run = begin(study, "5.0000", **asks(**PRICES, mode="batch"))
        assert (run.status, len(server.asked)) == (JobStatus.DONE, 10)
        assert (run.spent, run.late_cost, run.excess_out) == (8 * REPLY, REPLY + BILL, 990)


def limited_at_work(monkeypatch: pytest.MonkeyPatch, parameters: dict[str, Any], budget: Decimal) -> ScoringRun:
    """A run whose study gets a budget once three of its twelve judgments are scored, as it ended."""
    monkeypatch.setattr(interrupts, "EVERY", 0.05)
    study = small_study(questions=12)
    run = services.start_run(study=study, scorer="openai", parameters=parameters, actor=OPERATOR)
    claimed = claim(RUNS, run.pk)
    assert claimed is not None

    def limit(done: int, total: int) -> None:
        if done == 3:
            services.set_budget(study=study, budget=budget, actor=OPERATOR)

    return execute(RUNS, claimed, on_progress=limit)


class TestStudyBudget:
    def test_all_runs_together_keep_to_the_studys_budget(self, study: Study, server: ModelServer, asks: Asks) -> None:
        ScoringSettings.objects.create(study=study, budget=f"{8 * REPLY + most(study, asks):.4f}")
        assert begin(study, **asks(**PRICES, concurrency=2)).status == JobStatus.DONE
        second = begin(study, **asks(**PRICES, concurrency=2, model="other"))
        assert second.status == JobStatus.PAUSED
        assert "the study's budget of $" in second.error
        spent = sum(ScoringRun.objects.values_list("spent", flat=True))
        assert spent <= ScoringSettings.objects.get().budget

    def test_a_budget_that_is_set_while_a_run_is_at_work_counts_from_then_on(
        self, server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.behaviour = lambda asked: says("Score: 4", after=0.02)
        run = limited_at_work(monkeypatch, asks(**PRICES), Decimal("0.0500"))
        assert run.status == JobStatus.PAUSED
        assert "Budget reached: the study's budget of $0.0500" in run.error
        assert run.spent == len(server.asked) * REPLY <= Decimal("0.05")

    def test_a_run_that_cannot_keep_one_that_is_set_meanwhile_says_so_and_goes_on_without(
        self, server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server.behaviour = lambda asked: says("Score: 4", after=0.02)
        run = limited_at_work(monkeypatch, asks(max_tokens=10), Decimal("5"))
        assert run.status == JobStatus.FAILED
        assert "The study has a budget, which this run cannot keep without the model's prices" in run.error
        with pytest.raises(InvalidInputError, match="The study has a budget, which this run cannot keep"):
            services.start_run(study=run.study, scorer="openai", parameters=asks(model="other"), actor=OPERATOR)
        services.set_budget(study=run.study, budget=None, actor=OPERATOR)
        services.resume_run(run=run, actor=OPERATOR)
        assert finish(run).status == JobStatus.DONE
        assert set(server.answered.values()) == {1}

    @pytest.mark.parametrize(("budget", "is_told"), [("5", True), ("", False)])
    def test_who_sets_it_is_told_which_runs_at_work_cannot_keep_it(
        self, study: Study, client: Client, asks: Asks, admin_client: Client, budget: str, is_told: bool
    ) -> None:
        run = services.start_run(study=study, scorer="openai", parameters=asks(), actor=OPERATOR)
        said = f"Run {run.pk} is at work without the model"
        client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
        form = {"scorer": "distilled", "budget": budget, "prompt_template": ""}
        page = client.post(reverse("scoring_settings", args=[study.slug]), form, follow=True)
        assert (said in markup(page)) is is_told
        address = reverse("admin:studies_study_change", args=[study.pk])
        assert (said in markup(admin_client.post(address, {"budget": budget}, follow=True))) is is_told

    def test_the_sweep_does_not_start_what_has_paused(self, server: ModelServer, asks: Asks) -> None:
        study = small_study(scorer="openai")
        assert begin(study, "0.0010", **asks(**PRICES)).status == JobStatus.PAUSED
        started = services.start_runs_for_closed_batches(actor=OPERATOR)
        assert study not in [run.study for run in started]


class TestDryRun:
    def test_the_bill_is_told_before_and_the_replies_tried_are_paid_once(
        self, server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(estimates, "ITEMS", 3)
        run = begin(small_study(questions=4), dry_run=True, **asks(**PRICES))  # 8 items, 2 judgments each
        assert run.status == JobStatus.PAUSED
        assert len(server.asked) == 6
        assert run.estimate["items tried"] == 3
        assert run.estimate["requests"] == 16
        assert run.estimate["dollars expected"] == pytest.approx(16 * float(REPLY), abs=1e-4)
        assert run.estimate["dollars low"] == run.estimate["dollars high"]  # all cost the same here
        assert "3 of 8 items" in run.error
        services.resume_run(run=run, actor=OPERATOR)
        run = finish(run)
        assert (run.status, run.spent) == (JobStatus.DONE, 16 * REPLY)
        assert len(server.asked) == 16

    def test_it_tries_the_very_prompts_of_the_run_where_sentences_of_conversations_are_cited(
        self, server: ModelServer, asks: Asks
    ) -> None:
        where = {"key": "where", "kind": "sentences", "cites": ["conversation"], "title": "Where?", "required": False}
        definition = preset("ebr") | {"examples": []}
        study = small_study(definition=definition | {"aspects": [*definition["aspects"], where]})
        run = begin(study, dry_run=True, **asks(**PRICES, variant="question_answer"))
        tried = set(server.prompts)
        assert all("[T1]" in prompt for prompt in tried)
        services.resume_run(run=run, actor=OPERATOR)
        assert finish(run).status == JobStatus.DONE
        assert (set(server.prompts), len(server.asked)) == (tried, len(tried))  # ten items are all of it

    def test_a_reply_that_was_cut_is_in_the_bill_beside_the_one_with_more_room(
        self, server: ModelServer, asks: Asks
    ) -> None:
        def behaviour(asked: ModelRequest) -> Answer:
            return says("Score: 1", finish_reason="length") if asked.body["max_tokens"] == 10 else says("Score: 100")

        server.behaviour = behaviour
        run = begin(small_study(), dry_run=True, **asks(**PRICES))  # 4 items, 2 judgments each
        assert (run.estimate["requests"], len(server.asked)) == (16, 16)
        assert run.estimate["dollars expected"] == pytest.approx(float(run.spent))
        services.resume_run(run=run, actor=OPERATOR)
        assert finish(run).spent == 16 * REPLY

    def test_what_is_asked_alike_about_an_item_is_in_the_bill_once(self, server: ModelServer, asks: Asks) -> None:
        def alike(member: Any, item: Any) -> dict[str, Any]:
            return {"completeness": "complete", "reasons": f"All of {item.pk} is there."}

        run = begin(small_study(values=alike), dry_run=True, **asks(**PRICES))  # 4 items, 2 judgments each
        assert (run.estimate["requests"], len(server.asked)) == (4, 4)
        assert run.estimate["dollars expected"] == pytest.approx(float(run.spent))
        services.resume_run(run=run, actor=OPERATOR)
        assert finish(run).spent == 4 * REPLY

    def test_by_the_batch_api_it_is_one_batch(
        self, server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(estimates, "ITEMS", 3)
        shown: list[int] = []
        run = services.start_run(
            study=small_study(questions=4),
            scorer="openai",
            parameters=asks(**PRICES, mode="batch"),
            dry_run=True,
            actor=OPERATOR,
        )
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        run = execute(RUNS, claimed, on_progress=lambda done, total: shown.append(done))
        assert (run.status, len(server.batch_api.batches), len(server.asked)) == (JobStatus.PAUSED, 1, 6)
        assert (run.estimate["items tried"], run.estimate["requests"]) == (3, 16)
        assert shown == sorted(shown)
        assert shown[-1] == 3

    def test_the_range_is_students(self) -> None:
        # 1, 2, 3, 4 of 100: mean 2.5, s² 5/3, t(3; .975) 3.182446, √(5/3/4 · 0.96) 0.632456
        found = estimates._range([1, 2, 3, 4], 100)
        assert found["expected"] == 250
        assert found["high"] == pytest.approx(250 + 100 * 3.182446 * 0.632456, abs=0.01)
        assert found["low"] == pytest.approx(250 - 100 * 3.182446 * 0.632456, abs=0.01)
        assert estimates._range([2, 4], 2) == {"expected": 6, "low": 6, "high": 6}

    def test_without_a_model_there_is_nothing_to_try(self, study: Study) -> None:
        run = services.start_run(study=study, scorer="distilled", dry_run=True, actor=OPERATOR)
        run = finish(run)
        assert run.status == JobStatus.FAILED
        assert "nothing to pay" in run.error


class TestPauses:
    def test_a_server_that_does_not_answer_any_more_pauses_the_run(
        self, study: Study, server: ModelServer, asks: Asks
    ) -> None:
        def behaviour(asked: ModelRequest) -> Answer:
            return says("Score: 4") if sum(server.answered.values()) < 3 else fails(503, "overloaded")

        server.behaviour = behaviour
        run = begin(study, **asks(concurrency=1))
        assert run.status == JobStatus.PAUSED
        assert "answered with status 503: overloaded (asked 3 times)" in run.error
        assert Completion.objects.count() == 3
        server.behaviour = lambda asked: says("Score: 4")
        services.resume_run(run=run, actor=OPERATOR)
        assert finish(run).status == JobStatus.DONE
        assert set(server.answered.values()) == {1}

    @pytest.mark.parametrize("status", [400, 500])
    def test_words_of_a_server_that_no_database_can_hold_are_told_without_those_characters(
        self, study: Study, server: ModelServer, asks: Asks, status: int
    ) -> None:
        server.behaviour = lambda asked: fails(status, "over\x00loaded \ud800")
        assert "overloaded ?" in begin(study, **asks(concurrency=1)).error

    def test_a_pause_that_is_asked_for_does_not_wait_for_a_slow_server_to_finish_everything(
        self, study: Study, server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from annotation_platform.scoring.gateway import interrupts

        monkeypatch.setattr(interrupts, "EVERY", 0.1)

        server.behaviour = lambda asked: says("Score: 4", after=0.6)
        run = services.start_run(study=study, scorer="openai", parameters=asks(concurrency=1), actor=OPERATOR)
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        services.pause_run(run=claimed, actor=OPERATOR)
        run = execute(RUNS, claimed)
        assert (run.status, run.error, run.pause_asked) == (JobStatus.PAUSED, "Paused by hand.", False)
        assert len(server.asked) <= 2
        assert Completion.objects.count() == len(server.asked)  # what was under way is kept

    def test_a_run_that_is_stopped_ends_at_once_and_keeps_what_came(
        self, study: Study, server: ModelServer, asks: Asks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from annotation_platform.scoring.gateway import interrupts

        monkeypatch.setattr(interrupts, "EVERY", 0.1)
        server.behaviour = lambda asked: says("Score: 4", after=0.6)
        run = services.start_run(study=study, scorer="openai", parameters=asks(concurrency=1), actor=OPERATOR)
        claimed = claim(RUNS, run.pk)
        assert claimed is not None
        services.stop_run(run=claimed, actor=OPERATOR)
        run = execute(RUNS, claimed)
        assert (run.status, run.error) == (
            JobStatus.FAILED,
            "Stopped by hand. What came is kept; start it again to go on.",
        )
        assert len(server.asked) <= 2
        with pytest.raises(InvalidInputError, match="ended, so there is nothing to stop"):
            services.stop_run(run=run, actor=OPERATOR)
        server.behaviour = lambda asked: says("Score: 4")
        services.resume_run(run=run, actor=OPERATOR)
        assert finish(run).status == JobStatus.DONE
        assert set(server.answered.values()) == {1}

    def test_a_paused_run_can_be_stopped(self, study: Study, asks: Asks) -> None:
        run = services.start_run(study=study, scorer="openai", parameters=asks(), actor=OPERATOR)
        services.pause_run(run=run, actor=OPERATOR)
        services.stop_run(run=run, actor=OPERATOR)
        assert run_of(run.study, run.pk).status == JobStatus.FAILED


class TestCosts:
    def test_what_a_run_costs_by_item_and_by_annotation(self, study: Study, server: ModelServer, asks: Asks) -> None:
        run = begin(study, **asks(**PRICES))
        costs = run_costs(run)
        assert (run_of(run.study, run.pk).paid, costs.used) == (8 * REPLY, 8 * REPLY)
        assert costs.per_item == 2 * REPLY
        assert costs.per_annotation == REPLY
        again = begin(run.study, **asks(**PRICES, concurrency=1))
        assert (run_of(run.study, again.pk).paid, run_costs(again).used) == (0, 8 * REPLY)

    def test_a_run_that_cost_more_than_can_be_stored_can_be_looked_at(
        self, study: Study, server: ModelServer, asks: Asks, client: Client
    ) -> None:
        usage = {"prompt_tokens": 900_000, "completion_tokens": 900_000}
        server.behaviour = lambda asked: says("Score: 4", usage=usage)
        run = begin(study, **asks(price_in=1_000_000, price_out=1_000_000))
        assert run.status == JobStatus.DONE, run.error
        client.force_login(MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Res").user)
        assert run.spent == Decimal("999999.999999")
        assert client.get(reverse("run", args=[study.slug, run.pk])).status_code == 200

    def test_without_prices_the_cost_is_not_known(self, study: Study, server: ModelServer, asks: Asks) -> None:
        run = begin(study, **asks())
        costs = run_costs(run)
        assert run_of(run.study, run.pk).paid is None
        assert (costs.used, costs.per_item, costs.unknown) == (None, None, 8)


def test_a_gateway_without_a_run_has_no_budget_to_keep(server: ModelServer, asks: Asks) -> None:
    study = small_study(budget=Decimal("0.0001"))
    parameters = run_method("ebr").resolve(study=study, scorer="openai", given=asks(**PRICES))
    found = list(Gateway(parameters).complete([Request(0, [{"role": "user", "content": "One"}])]))  # type: ignore[arg-type]
    assert len(found) == 1
    with pytest.raises(InvalidInputError, match="no connection “nowhere”"):
        run_method("ebr").resolve(study=study, scorer="openai", given={"connection": "nowhere"})
