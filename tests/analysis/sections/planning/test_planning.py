"""The page Plan: the pilot's variances come from the judgments, figures add up, mistakes stay beside their fields."""

import csv
import io
import json
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation_platform.analysis.paper.archive import entries
from annotation_platform.analysis.sections.planning.forms import AmountField
from annotation_platform.analysis.sections.planning.pay import PaidBy, StudyPay, told_pay
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.power import Components, Design, smallest_difference, standard_error
from annotation_platform.core.statistics.planning import pilot_components
from annotation_platform.corpus.models import NO_DOCUMENT, Article
from annotation_platform.studies.models import Item, Member, Role, Study
from annotation_platform.studies.selectors import task_time
from tests.analysis.study_rows import client_of, rows_drawn, score
from tests.crowd.pay.paying import agree
from tests.factories import LABELS, judgment, make_corpus, make_study, study_with_judgments

pytestmark = pytest.mark.django_db


def opinion(member: Member, item: Item) -> dict[str, Any]:
    """Systems differ, by article and question, and people disagree."""
    seed = [item.question.article.position, item.question.position, len(item.answer.system.name), ord(member.pseudonym)]
    level = 1.5 + np.random.default_rng(seed[:1]).normal(0, 0.5) + np.random.default_rng(seed).normal(0, 0.8)
    return judgment(completeness=LABELS[int(np.clip(round(level), 0, 3))])


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    corpus = make_corpus(articles=8, questions=3, systems=("oak", "larch"))
    return study_with_judgments(annotators=3, corpus=corpus, values=opinion, pay="€2.50 a task")


def page(study: Study, role: Role = Role.RESEARCHER, status: int = 200, **asked: Any) -> Any:
    response = client_of(study, role).get(reverse("agreement_planning", args=[study.slug]), asked)
    assert response.status_code == status
    return response


def rows_of(study: Study, name: str, **asked: Any) -> list[dict[str, str]]:
    address = reverse("chart", args=[study.slug, "completeness", name, "csv"])
    response = client_of(study).get(address, asked)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def components_by_hand(study: Study) -> Components:
    rows = Rating.objects.filter(aspect="completeness", annotation__item__study=study).values_list(
        "number",
        "annotation__item__candidates__answer__system_id",
        "annotation__item__question_id",
        "annotation__item__question__article_id",
        "annotation__annotator_id",
    )
    values, *codes = zip(*rows, strict=True)
    found = pilot_components([float(value) for value in values], *codes).components
    assert found is not None
    return found


def test_the_figures_are_those_of_the_judgments(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    (chosen,) = [row for row in rows_of(study, "plan", articles="30", annotators="4") if row["articles"] == "30"
                 and row["annotators"] == "4"]  # fmt: skip
    design = Design(30, 3, 4, per_task=5)
    expected = smallest_difference(standard_error(components_by_hand(study), design), design.units)
    assert float(chosen["smallest"]) == pytest.approx(expected)
    assert float(chosen["smallest_low"]) < expected < float(chosen["smallest_high"])


def test_money_and_hours_follow_from_what_people_are_told(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    text = unescape(page(study).content.decode())
    # 8 articles, one task of 3 questions for each of 2 systems, 3 judgments; 2.50 and 12 minutes each
    assert "It takes 48 tasks, 120.00 € and" in text
    assert task_time(study).is_measured
    assert f'name="minutes" value="{task_time(study).minutes}"' in text
    assert "120.00 € and 9.6 hours of work." in unescape(page(study, minutes="12").content.decode())
    assert "It takes 48 tasks." in unescape(page(study, pay="", minutes="").content.decode())
    assert "48 tasks and 120.96 USD" in page(study, pay="2,52", currency="USD", minutes="").content.decode()


@pytest.mark.parametrize(
    ("typed", "read"),
    [("2,52", 2.52), ("1,500", 1500), ("1,500.5", 1500.5), ("0,125", 0.125), ("12,5", 12.5), (" 1,234,567 ", 1234567)],
)
def test_a_comma_before_three_digits_is_one_of_thousands(typed: str, read: float) -> None:
    assert AmountField("Pay", 1e9).clean(typed) == read


def test_rescaled_judgments_are_planned_with_where_there_are_any(study: Study) -> None:
    score(study)
    snapshot = take_snapshot(study=study, resamples=5)
    pilot = snapshot.figures["pilot"]["completeness"]
    assert pilot["raw"]["residual"] != pilot["rescaled"]["residual"]
    assert "In the numbers of the rescaled judgments." in page(study).content.decode()


def test_mistakes_stand_beside_their_fields_and_nothing_typed_is_lost(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    response = page(
        study, status=422, articles="none", people="2", annotators="3", pay="a lot", currency="€ or so, more"
    )
    form, text = response.context["form"], unescape(response.content.decode())
    assert set(form.errors) == {"articles", "people", "pay", "currency"}
    assert "Write a whole number from 1 to 100,000." in text
    assert 'value="a lot"' in text
    assert 'value="none"' in text
    assert "It takes" not in text
    address = reverse("chart", args=[study.slug, "completeness", "plan-curve", "json"])
    assert client_of(study).get(address, {"articles": "none"}).status_code == 404


def test_the_chart_has_a_line_for_each_number_of_annotators_and_the_design_as_a_dot(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    address = reverse("chart", args=[study.slug, "completeness", "plan-curve", "json"])
    spec = client_of(study).get(address, {"articles": "12", "annotators": "4", "people": "4"}).json()
    assert spec["layer"][0]["encoding"]["y"]["title"] == "Smallest difference found (80\u00a0% power)"
    rows = next(rows_drawn(spec))
    assert {row["who"] for row in rows} == {f"{k} per answer" for k in (1, 2, 3, 4)}
    assert [(row["articles"], row["annotators"]) for row in rows if row["is_chosen"]] == [(12, 4)]


def test_the_design_becomes_the_studys(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    text = unescape(page(study, annotators="4", per_task="3").content.decode())
    assert f"get 4 instead of {study.overlap} judgments per answer" in text
    assert f"{reverse('build_study')}?overlap=4&questions_per_hit=3&minutes=" in text
    assert 'name="takes_pay"' not in text
    assert "an admin of the study can make it that of the plan" in text
    assert 'name="takes_pay" checked' in page(study, Role.ADMIN, annotators="4").content.decode()
    client_of(study).post(reverse("use_plan", args=[study.slug]), {"overlap": "4", "minutes": "11.5"})
    study.refresh_from_db()
    assert (study.overlap, study.task_minutes) == (4, 12)
    same = page(study, annotators="4", minutes="12", pay="").content.decode()
    assert "This study has this design already." in same


def test_pay_by_the_hour_is_said_to_be_rounded_up_and_to_become_the_least_pay_for_an_hour(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    told = "This is rounded up to the currency's smallest unit, and 14.00 USD becomes the least pay for an hour"
    asked = {"pay": "14", "minutes": "10", "currency": "USD"}
    texts = {by: unescape(page(study, Role.ADMIN, paid_by=by, **asked).content.decode()) for by in ("hour", "task")}
    assert {by: told in " ".join(text.split()) for by, text in texts.items()} == {"hour": True, "task": False}


def test_it_says_what_of_the_design_the_study_is_not_made_with(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    text = unescape(page(study, articles="12", questions="4", people="9").content.decode())
    assert "the plan is of 12 articles, 4 questions about each, and answers of 2 systems. Invite 9 annotators." in text
    assert "Invite so many annotators that hardly anybody judges twice." in page(study, people="").content.decode()


def test_a_study_that_is_no_pilot_says_why() -> None:
    study = study_with_judgments(annotators=1, corpus=make_corpus(articles=3))
    take_snapshot(study=study, resamples=5)
    text = unescape(page(study).content.decode())
    assert "No answer was judged by two annotators" in text
    assert reverse("plan") in text


def test_a_study_whose_judgments_are_all_alike_promises_nothing() -> None:
    corpus = make_corpus(articles=3, systems=("oak", "larch"))
    study = study_with_judgments(corpus=corpus, values=lambda member, item: judgment())
    take_snapshot(study=study, resamples=5)
    text = unescape(page(study).content.decode())
    assert "nothing says what another study would find" in text
    assert "of such studies" not in text


def test_a_study_without_figures_leads_to_the_plan_without_a_pilot() -> None:
    assert f'href="{reverse("plan")}"' in page(make_study()).content.decode()


def test_the_plan_starts_with_what_was_agreed_and_says_so(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    assert "Pay starts with what the study tells annotators on its page People." in page(study).content.decode()
    agree(study, currency="JPY", reward=300, bonus_percent=10)
    text = unescape(page(study, minutes="12").content.decode())
    assert "Pay starts with what was agreed on the study's page Pay (version 1)." in text
    # 48 tasks of 300 yen, with a tenth on top
    assert "It takes 48 tasks, 15,840.00 JPY and 9.6 hours of work." in text
    assert "With a bonus of 10\u00a0% and a provider's fee of 0\u00a0% a task costs 330.00 JPY." in text


def test_pay_in_a_currency_of_large_numbers_can_be_planned_with(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    agree(study, currency="VND", reward=150_000)
    assert "It takes 48 tasks, 7,200,000.00 VND and" in unescape(page(study).content.decode())


def test_pay_for_an_hour_costs_what_its_minutes_do_with_bonus_and_fee(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    asked = {"pay": "15", "paid_by": "hour", "currency": "USD", "minutes": "12", "bonus": "10", "fee": "50"}
    text = unescape(page(study, **asked).content.decode())
    assert "It takes 48 tasks, 237.60 USD and 9.6 hours of work." in text  # 48 × 3 × 1.1 × 1.5
    assert "Pay is 15.00 USD an hour, which is 3.00 USD for a task of 12 minutes." in text
    assert "a task costs 4.95 USD" in text
    uneven = unescape(page(study, **asked | {"minutes": "11.2"}).content.decode())
    assert "237.60 USD and 9.0 hours of work." in uneven  # people are told of 12 minutes, and paid for as many
    assert "3.00 USD for a task of 12 minutes." in uneven
    wrong = page(study, status=422, **asked | {"minutes": ""})
    assert set(wrong.context["form"].errors) == {"minutes"}


def test_pay_for_an_hour_is_no_mistake_where_nobody_has_said_how_long_a_task_takes(study: Study) -> None:
    study.pay = "$12 an hour"
    study.save(update_fields=["pay"])
    Annotation.objects.filter(item__study=study).update(seconds=0)
    snapshot = take_snapshot(study=study, resamples=5)
    text = unescape(page(study).content.decode())
    assert "It takes 48 tasks." in text
    assert "write pay and minutes to see what it costs" in text
    assert '<option value="hour" selected>' in text
    assert report(study, "--section", "plan")["plan"]["completeness"]["designs"]
    assert [entry.stem for entry in entries(snapshot) if entry.stem == "completeness/plan"]
    assert "It takes 48 tasks, 115.20 $ and" in page(study, pay="12", minutes="12").content.decode()


def test_words_about_pay_without_an_amount_that_can_be_read_are_not_called_nothing(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    nothing, unread = "says nothing of an amount that it pays", "has no amount that can be read"
    for words, told in (("$30 for two hours", unread), ("", nothing)):
        study.pay = words
        study.save(update_fields=["pay"])
        text = page(study).content.decode()
        assert {each for each in (nothing, unread) if each in text} == {told}


def report(study: Study, *more: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("report_study", study.name, "--json", *more, stdout=out, stderr=io.StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_report_and_bundle_have_the_studys_own_plan_with_its_costs_and_hours(study: Study) -> None:
    snapshot = take_snapshot(study=study, resamples=5)
    agree(study, currency="USD", reward=200)
    told = report(study, "--section", "plan")
    assert "pilot" not in told
    plan = told["plan"]["completeness"]
    (chosen,) = [row for row in plan["designs"] if row["is_chosen"]]
    hours = 48 * task_time(study).minutes / 60  # type: ignore[operator]
    assert (chosen["tasks"], chosen["cost"], chosen["hours"]) == (48, 96.0, pytest.approx(hours))
    assert chosen["smallest_interval"][0] < chosen["smallest"] < chosen["smallest_interval"][1]
    assert plan["pay_agreed_in_version"] == 1
    assert {name: plan["design"][name] for name in ("pay", "paid_by", "currency")} == {
        "pay": 2.0,
        "paid_by": "task",
        "currency": "USD",
    }
    assert report(study)["plan"] == told["plan"]
    assert "plan" not in report(study, "--section", "pilot")
    (bundled,) = [entry.table for entry in entries(snapshot) if entry.stem == "completeness/plan"]
    assert "It takes 48 tasks, 96.00 USD and" in bundled.reading
    lines = io.StringIO()
    call_command("report_study", study.name, stdout=lines, stderr=io.StringIO())
    assert "It takes 48 tasks, 96.00 USD and" in lines.getvalue()


def test_questions_about_no_document_are_the_units_of_the_plan() -> None:
    corpus = make_corpus(articles=1, questions=24, systems=("oak", "larch"))
    study = study_with_judgments(annotators=3, corpus=corpus, values=opinion, pay="€2.50 a task", questions_per_hit=5)
    Article.objects.filter(corpus=corpus).update(external_id=NO_DOCUMENT, title="", sentence_count=0)
    take_snapshot(study=study, resamples=20)
    tasks = sum(batch.hits.count() for batch in study.batches.all()) * study.overlap
    text = unescape(page(study).content.decode())
    assert "With 24 questions and 3 annotators per answer, a true difference" in text
    assert "by question, n = 24" in text
    assert f"It takes {tasks} tasks, {tasks * 2.5:.2f} € and" in text
    assert "Estimated from 24 questions, judged by 3 annotators." in text
    for wrong in ("From article to article", "Questions about each", "24 articles", "No article has two"):
        assert wrong not in text
    rows = rows_of(study, "plan", about="none")
    assert {row["articles"] for row in rows} == {"12", "24", "48"}


def test_of_what_is_no_pilot_the_report_has_no_plan() -> None:
    study = study_with_judgments(annotators=1, corpus=make_corpus(articles=3))
    assert report(study, "--section", "plan")["plan"]["completeness"] is None


def test_annotators_do_not_enter(study: Study) -> None:
    page(study, Role.ANNOTATOR, status=404)


def test_the_report_has_the_variances(study: Study) -> None:
    take_snapshot(study=study, resamples=5)
    out = io.StringIO()
    call_command("report_study", study.name, "--json", "--aspect", "completeness", "--section", "pilot", stdout=out)
    assert '"residual"' in json.dumps(json.loads(out.getvalue()))


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("€2.50 a task, by bank transfer", (2.5, "€", "task")),
        ("2,50 EUR per task", (2.5, "EUR", "task")),
        ("1タスク300円", (300.0, "円", "task")),
        ("1 task pays $4", (4.0, "$", "task")),
        ("タスクごとに1,200円", (1200.0, "円", "task")),
        ("USD 1,250.50", (1250.5, "USD", "task")),
        ("1.500 EUR pro Aufgabe", (1500.0, "EUR", "task")),
        ("1.234.567,89 €", (1234567.89, "€", "task")),
        ("1\u202f200 €", (1200.0, "€", "task")),
        ("0.125 USD a task", (0.125, "USD", "task")),
        ("Version 1.2.3 pays 2 EUR", (2.0, "EUR", "task")),
        ("3.14.15", None),
        ("2 a task", (2.0, "", "task")),
        ("$12 an hour", (12.0, "$", "hour")),
        ("時給1,200円", (1200.0, "円", "hour")),
        ("1時間1,200円", (1200.0, "円", "hour")),
        ("€12 per hr", (12.0, "€", "hour")),
        ("15 USD/h", (15.0, "USD", "hour")),
        ("12,50 € pro Stunde", (12.5, "€", "hour")),
        ("１時間あたり1200円", (1200.0, "円", "hour")),
        ("2 hours for $30, $15 an hour", None),
        ("$30 for two hours", None),
        ("2 USD a task, paid within 24 hours", None),
        ("24時間以内に300円", None),
        ("21時間以内に300円", None),
        ("1 HIT = 0.50 USD", (0.5, "USD", "task")),
        ("$2 a task, which takes 10 minutes", None),
        ("$10 for 5 tasks", None),
        ("$10 for five HITs", None),
        ("5タスクごとに1,000円", None),
        ("10 Aufgaben: 20 EUR", None),
        ("$10 for 5 tasks, $2 a task", None),
        ("$2 a task, 20 tasks in all", (2.0, "$", "task")),
        ("1タスク300円、全20タスク", (300.0, "円", "task")),
        ("$12 an hour, about 6 tasks", (12.0, "$", "hour")),
        ("30円/分", None),
        ("$30 in total", None),
        ("A total of $30", None),
        ("$30 altogether, $2 a task", None),
        ("$30 per batch", None),
        ("$30/batch", None),
        ("£5 for the whole study", None),
        ("£5 for this study", None),
        ("$20 a day", None),
        ("$0.10 per question", None),
        ("Earn up to $30", None),
        ("$50 for everything", None),
        ("30 in total", None),
        ("30 € insgesamt", None),
        ("20 € pro Woche", None),
        ("合計3,000円", None),
        ("計3,000円", None),
        ("全部で3,000円", None),
        ("1バッチ500円", None),
        ("バッチごとに500円", None),
        ("調査全体で2,000円", None),
        ("全タスクで3,000円", None),
        ("1問10円", None),
        ("日給8,000円", None),
        ("最大3,000円", None),
        ("お一人につき500円、一括払い", None),
        ("合計3,000円、1タスク300円", None),
        ("1タスク300円、合計10タスク", (300.0, "円", "task")),
        ("1タスク300円、毎月お支払い", (300.0, "円", "task")),
        ("$2 a task, paid every week", (2.0, "$", "task")),
        ("$2 a task, in all about 20 of them", (2.0, "$", "task")),
        ("$12 an hour, two days in total", (12.0, "$", "hour")),
        ("時給1,200円、最大3日", (1200.0, "円", "hour")),
        ("$30 in total for this task", (30.0, "$", "task")),
        ("$2 per completed task, up to 20 tasks", (2.0, "$", "task")),
        ("2 € pro Aufgabe, per Überweisung", (2.0, "€", "task")),
        ("13 € Stundenlohn", (13.0, "€", "hour")),
        ("12,50 € pro Std.", (12.5, "€", "hour")),
        ("1,200円/時", (1200.0, "円", "hour")),
        ("1タスク300円（ギフト券）", (300.0, "円", "task")),
        ("$0.05 per sentence", None),
        ("5 € pro Text", None),
        ("8 Euro pro Durchgang", None),
        ("20 € für die Teilnahme", None),
        ("pauschal 50 €", None),
        ("Maximal 30 €", None),
        ("bis zu 30 €", None),
        ("450 € im Monat", None),
        ("A $20 gift card for completing the study", None),
        ("$20 upon completion", None),
        ("At most $20", None),
        ("$100 weekly", None),
        ("1文10円", None),
        ("1セット500円", None),
        ("報酬は1万円", None),
        ("$2-3 per task", None),
        ("300〜500円", None),
        ("$1k", None),
        ("A thank-you", None),
        ("", None),
    ],
)
def test_pay_is_read_from_what_annotators_are_told(told: str, found: tuple[float, str, PaidBy] | None) -> None:
    expected = found and StudyPay(found[0], found[2], found[1])
    assert told_pay(told) == expected
