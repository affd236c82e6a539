"""A plan's overlap, minutes and pay become the study's, all or nothing, and nothing that was promised gets less."""

from html import unescape
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotation_platform.accounts.models import Event
from annotation_platform.core.schemes.loading import preset_text
from annotation_platform.crowd.pay.models import Approval, PayTerms
from annotation_platform.crowd.pay.terms import terms_of, versions_of
from annotation_platform.studies.models import Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.analysis.study_rows import client_of
from tests.crowd.pay.paying import agree, paying_study
from tests.factories import OPERATOR, MemberFactory, UserFactory, make_corpus

pytestmark = pytest.mark.django_db


def use(study: Study, role: Role = Role.ADMIN, status: int = 302, **sent: str) -> str:
    """What is told on the page that it leads to."""
    client = client_of(study, role)
    answer = client.post(reverse("use_plan", args=[study.slug]), {"overlap": str(study.overlap)} | sent)
    assert answer.status_code == status
    study.refresh_from_db()
    return told(client, answer) if status == 302 else ""


def told(client: Client, answer: HttpResponse) -> str:
    return unescape(client.get(answer["Location"]).content.decode())


def newest(study: Study) -> PayTerms:
    terms = terms_of(study)
    assert terms is not None
    return terms


def verbs(study: Study) -> list[str]:
    """Of what was done, but for who came."""
    done = Event.objects.filter(study=study.pk).exclude(verb="member.added")
    return list(done.order_by("pk").values_list("verb", flat=True))


def test_all_of_it_becomes_the_studys_with_an_event_of_each() -> None:
    study = paying_study(budget=100_00, returned_percent=50, approval=Approval.AT_ONCE)
    before = len(verbs(study))
    said = use(study, overlap="3", minutes="9.2", pay="2,50", paid_by="task", currency="$", bonus="10", takes_pay="on")
    assert (study.overlap, study.task_minutes) == (3, 10)
    terms = newest(study)
    assert (terms.number, terms.currency, terms.reward, terms.bonus_percent) == (2, "USD", 250, 10)
    assert (terms.budget, terms.returned_percent, terms.approval) == (100_00, 50, Approval.AT_ONCE)
    assert sorted(verbs(study)[before:]) == ["pay.terms_set", "study.changed", "study.changed"]
    assert "3 judgments of each answer. What a task pays now holds for tasks that are taken from now on" in said


def test_what_was_promised_for_a_task_that_is_taken_stays() -> None:
    study = paying_study()
    place = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    use(study, pay="3", paid_by="task", currency="USD", takes_pay="on")
    versions = versions_of(study.pk)
    assert versions is not None
    assert (versions.newest.reward, versions.of(place).reward) == (300, 200)


@pytest.mark.parametrize(
    "less", [{"pay": "1.99"}, {"pay": "2", "bonus": "5"}, {"pay": "300", "currency": "JPY"}, {"pay": "2", "bonus": ""}]
)
def test_of_what_annotators_were_told_nothing_is_taken_back_and_then_nothing_changes(less: dict[str, str]) -> None:
    study = paying_study(bonus_percent=10)
    MemberFactory(study=study)
    sent = {"currency": "USD", "bonus": "10", "paid_by": "task"} | less
    said = use(study, overlap="3", minutes="9", takes_pay="on", **sent)
    assert "a plan takes nothing of that back, so nothing was changed" in said
    assert (study.overlap, study.task_minutes, newest(study).number) == (2, None, 1)


def test_before_there_are_annotators_a_plan_may_pay_less() -> None:
    study = paying_study()
    use(study, pay="1", paid_by="task", currency="USD", takes_pay="on")
    assert newest(study).reward == 100


@pytest.mark.parametrize("kept", ["budget", "hourly_floor", "second_above"])
def test_an_amount_that_stays_is_never_taken_for_one_of_another_currency(kept: str) -> None:
    study = paying_study(**{"currency": "JPY", kept: 100_000})
    said = use(study, overlap="3", pay="3", paid_by="task", currency="USD", takes_pay="on")
    assert "is agreed in JPY, and would be as many units of another currency" in said
    assert (study.overlap, newest(study).number) == (2, 1)
    use(study, pay="300", paid_by="task", currency="JPY", takes_pay="on")
    assert newest(study).number == 2


def test_before_there_are_annotators_a_plan_may_change_the_currency() -> None:
    study = paying_study()
    use(study, pay="300", paid_by="task", currency="JPY", takes_pay="on")
    assert (newest(study).currency, newest(study).reward) == ("JPY", 300)


def test_where_the_page_named_no_overlap_the_one_of_today_stays() -> None:
    study = paying_study()
    study.overlap = 3  # by somebody else, after the page was opened
    study.save()
    use(study, overlap="", pay="3", paid_by="task", currency="USD", takes_pay="on")
    assert (study.overlap, newest(study).reward) == (3, 300)


def test_where_the_budget_refuses_the_places_by_the_new_pay_nothing_is_changed() -> None:
    study = paying_study(budget=10_00)  # 2 tasks, 2 places each, $2: $8
    said = use(study, overlap="2", pay="2", paid_by="task", currency="USD", minutes="5", takes_pay="on")
    assert "Open batches" not in said
    assert study.task_minutes == 5
    use(study, overlap="3", pay="2.50", paid_by="task", currency="USD", minutes="7", takes_pay="on")
    assert (study.overlap, study.task_minutes, newest(study).reward) == (2, 5, 200)


def test_pay_by_the_hour_is_a_reward_for_the_minutes_rounded_up_and_the_least_pay_for_an_hour() -> None:
    study = paying_study(hourly_floor=12_00)
    use(study, pay="15.50", paid_by="hour", currency="USD", minutes="10", takes_pay="on")
    assert (newest(study).reward, newest(study).hourly_floor) == (259, 15_50)
    use(study, pay="13", paid_by="hour", currency="USD", minutes="12", takes_pay="on")
    assert (newest(study).reward, newest(study).hourly_floor) == (260, 15_50)


def test_pay_by_the_hour_is_for_the_whole_minutes_that_people_are_told() -> None:
    study = paying_study()
    use(study, minutes="2.4", pay="9", paid_by="hour", currency="USD", takes_pay="on")
    assert (study.task_minutes, newest(study).reward, newest(study).hourly_floor) == (3, 45, 9_00)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"pay": "2.505", "currency": "USD"}, "more digits after the point than USD has"),
        ({"pay": "2", "currency": "shells"}, "is no currency"),
        ({"pay": "2", "currency": "USD", "bonus": "2.5"}, "whole number of percent"),
        ({"pay": "2", "currency": "USD", "paid_by": "hour"}, "needs the minutes that a task takes"),
        ({"overlap": "none"}, "The design could not be read"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_changed(sent: dict[str, str], said: str) -> None:
    study = paying_study()
    assert said in use(study, **{"overlap": "3", "takes_pay": "on", **sent})
    assert (study.overlap, newest(study).number) == (2, 1)


def test_without_the_tick_pay_stays_and_researchers_cannot_set_it() -> None:
    study = paying_study()
    use(study, Role.RESEARCHER, overlap="3", pay="9", currency="USD", paid_by="task")
    assert (study.overlap, newest(study).number) == (3, 1)
    use(study, Role.RESEARCHER, status=404, overlap="4", pay="9", currency="USD", paid_by="task", takes_pay="on")
    use(study, Role.ANNOTATOR, status=404, overlap="4")
    assert (study.overlap, newest(study).number) == (3, 1)


def created(client: Client, **sent: Any) -> HttpResponse:
    form = {"preset": "ebr", "text": preset_text("ebr"), "do": "create", "overlap": "2", "questions_per_hit": "5"}
    limits = {"hits_per_batch": "15", "time_limit_minutes": "60"}
    return client.post(reverse("build_study"), form | limits | sent)


def test_a_study_is_made_with_the_minutes_and_the_pay_of_its_plan() -> None:
    client, corpus = Client(), make_corpus()
    client.force_login(UserFactory(is_staff=True))
    plan = {"minutes": "6", "pay": "2.5", "currency": "€", "paid_by": "task", "bonus": "10"}
    text = unescape(client.get(reverse("plan"), plan).content.decode())
    assert "questions_per_hit=5&minutes=6&pay=2.5&currency=%E2%82%AC&bonus=10&paid_by=task" in text
    text = client.get(reverse("build_study"), plan).content.decode()
    assert 'name="pay" value="2.5"' in text
    assert created(client, name="Planned", corpus=corpus.pk, **plan).status_code == 302
    study = Study.objects.get(name="Planned")
    terms = newest(study)
    assert (study.task_minutes, terms.currency, terms.reward, terms.bonus_percent) == (6, "EUR", 250, 10)
    assert "pay.terms_set" in verbs(study)
    wrong = created(client, name="Wrong", corpus=corpus.pk, **plan | {"currency": "shells"})
    assert wrong.status_code == 422
    assert "is no currency" in unescape(wrong.content.decode())
    assert not Study.every.filter(name="Wrong").exists()
    assert created(client, name="Unplanned", corpus=corpus.pk).status_code == 302
    assert terms_of(Study.objects.get(name="Unplanned")) is None


def test_terms_that_say_the_same_are_no_new_version() -> None:
    study = paying_study()
    agree(study)
    use(study, pay="2", paid_by="task", currency="USD", takes_pay="on")
    assert newest(study).number == 1
