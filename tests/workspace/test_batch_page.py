"""The batch page: closing now or when those at work have finished, opening again, and what the annotators are told."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.analysis.snapshots.awaiting import studies_awaiting_snapshot
from annotation_platform.analysis.snapshots.stored import headline_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation, Message
from annotation_platform.annotations.services import send_message
from annotation_platform.jobs.contract import claim, execute
from annotation_platform.scoring.models import Score
from annotation_platform.scoring.services import RUNS, start_run, start_runs_for_closed_batches
from annotation_platform.studies.models import Assignment, Batch, BatchState, Study
from annotation_platform.studies.services import claim_assignment, close_batch, lease_assignment, reopen_batch
from tests.analysis.study_rows import client_of, scored_study
from tests.factories import OPERATOR, MemberFactory, open_study, study_with_judgments, submit
from tests.markup import markup
from workers import tasks
from workers.publisher import publisher

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that went to the worker."""
    found: list[str] = []
    monkeypatch.setattr(publisher, "publish", lambda name, send: send())  # now, not by its own thread
    monkeypatch.setattr(tasks.sweep, "apply_async", lambda *args, **_: found.append("sweep"))
    return found


def address(batch: Batch, step: str = "batch") -> str:
    return reverse(step, kwargs={"slug": batch.study.slug, "number": batch.number})


def page_of(batch: Batch) -> str:
    return markup(client_of(batch.study).get(address(batch)))


def post(batch: Batch, step: str, **fields: str) -> str:
    response = client_of(batch.study).post(address(batch, step), fields, follow=True)
    batch.refresh_from_db()
    return markup(response)


def signed_in(place: Assignment) -> Client:
    assert place.annotator is not None
    assert place.annotator.user is not None
    client = Client()
    client.force_login(place.annotator.user)
    return client


def test_closing_lets_those_at_work_finish_and_tells_them(
    sent: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    study = open_study()
    batch, place = study.batches.get(), claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    annotator = signed_in(place)
    judge = reverse("judge", args=[place.pk, 1])
    assert "This batch is closing" not in markup(annotator.get(judge))
    assert "1 person is at work in it." in page_of(batch)
    page = post(batch, "close_batch", when="finished")
    assert "takes nobody new, and closes when those at work have finished" in page
    assert "Keep it open after all" in page
    told = "You can still finish this task until <time"
    for shown in (judge, reverse("standing", args=[place.pk])):
        assert told in markup(annotator.get(shown))
    assert "This batch is closing" in markup(annotator.get(reverse("work")))
    assert sent == []
    assert "stays open" in post(batch, "keep_batch_open")
    assert "was not about to close" in post(batch, "keep_batch_open")
    with django_capture_on_commit_callbacks(execute=True):
        assert "Its judgments are scored next" in post(batch, "close_batch", when="now")

    assert sent == ["sweep"]
    assert "This batch has closed" in markup(annotator.get(reverse("standing", args=[place.pk])))


def test_letting_nobody_finish_closes_at_once(sent: list[str], django_capture_on_commit_callbacks: Any) -> None:
    batch = open_study().batches.get()
    with django_capture_on_commit_callbacks(execute=True):
        assert "Batch 1 is closed" in post(batch, "close_batch", when="finished")

    assert sent == ["sweep"]


def test_the_question_before_closing_says_what_will_not_be_judged() -> None:
    batch = open_study().batches.get()
    assignments = Assignment.objects.filter(hit__batch=batch)
    said = re.sub(r"\s+", " ", page_of(batch))
    assert f"0 of {assignments.count()} assignments are submitted</strong>; the rest is not judged any more." in said


def test_words_of_two_people_about_one_assignment_stand_apart_and_each_is_answered() -> None:
    study = open_study(overlap=1)
    first, heir = MemberFactory(study=study, pseudonym="Wren"), MemberFactory(study=study, pseudonym="Robin")
    place = claim_assignment(annotator=first, actor=OPERATOR)
    send_message(assignment=place, author=first, text="Which year?", actor=OPERATOR)
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    place.refresh_from_db()
    assert lease_assignment(place=place, annotator=heir)
    send_message(assignment=place, author=heir, text="Is a fragment an answer?", actor=OPERATOR)
    batch = study.batches.get()
    page = page_of(batch)
    assert page.count("to answer</span>") == 2
    robin, wren = page[page.index("<h3>Robin") :].split("<h3>Wren")
    assert "Is a fragment an answer?" in robin
    assert "Which year?" not in robin
    assert f'href="#words-{place.pk}"' in page
    assert f'id="words-{place.pk}"' in page
    (address,) = re.findall(r'action="([^"]+/messages/[^"]+)"', wren)
    client_of(study).post(address, {"text": "1897."})
    assert Message.objects.get(text="1897.").annotator == first
    assert page_of(batch).count("to answer</span>") == 1
    own = markup(client_of(study).get(reverse("assignment", args=[study.slug, batch.number, place.pk])))
    assert "Is a fragment an answer?" in own
    assert "Which year?" not in own


def test_what_a_dialog_says_in_numbers_comes_with_each_look_at_the_batch() -> None:
    study = open_study(overlap=1)
    batch, client = study.batches.get(), client_of(study)
    assert "Nobody is at work in it." in page_of(batch)
    claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    for url in (address(batch), reverse("study", args=[study.slug])):
        looked = markup(client.get(url, headers={"HX-Request": "true"}))
        words = looked[looked.index(f'<p id="close-words-{batch.number}" hx-swap-oob="true">') :]
        assert "1 person is at work in it." in words
        assert f'id="finish-help-{batch.number}" hx-swap-oob="true"' in words
        assert "hx-swap-oob" not in markup(client.get(url))


def test_annotators_see_the_deadline_of_their_task() -> None:
    study = open_study()
    batch, place = study.batches.get(), claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    when = timezone.now() + timedelta(days=1)
    post(batch, "set_deadline", deadline_at=when.strftime("%Y-%m-%dT%H:%M"))
    shown = markup(signed_in(place).get(reverse("judge", args=[place.pk, 1])))
    assert f"{when:%H:%M} UTC</time>. Submit before then." in shown
    post(batch, "set_deadline", deadline_at=when.strftime("%Y-%m-%dT%H:%M"), finishes_late="on")
    assert batch.finishes_late
    assert "Takes nobody new after" in page_of(batch)
    assert "has no deadline any more" in post(batch, "set_deadline")


def test_a_scored_batch_is_opened_again_and_what_rests_on_it_says_so_until_it_is_measured_anew() -> None:
    study = scored_study()
    take_snapshot(study=study, resamples=2)
    batch = study.batches.get()
    Batch.objects.update(state=BatchState.SCORED)
    assert "Reopen it" in page_of(batch)
    assert "Batch 1 is open again" in post(batch, "reopen_batch")
    assert batch.state == BatchState.OPEN
    assert why(study) == "Batch 1 was opened again, and may change until closed."
    assert studies_awaiting_snapshot() == []
    close_batch(batch=batch, because="by R", actor=OPERATOR)
    assert why(study) == "Batch 1 was opened again and closed since."
    assert studies_awaiting_snapshot() == [study.pk]
    take_snapshot(study=study, resamples=2)
    assert why(study) == ""
    assert studies_awaiting_snapshot() == []


def why(study: Study) -> str:
    headline = headline_of(study)
    assert headline is not None
    return headline.stale_because


def test_what_changed_in_a_batch_that_was_opened_again_is_scored_when_it_closes() -> None:
    study = study_with_judgments(annotators=2, corpus=None)
    (first,) = start_runs_for_closed_batches(actor=OPERATOR)
    claimed = claim(RUNS, first.pk)
    assert claimed is not None
    batch = study.batches.get()
    reopen_batch(batch=batch, actor=OPERATOR)  # while it is being scored
    place = Assignment.objects.order_by("pk")[0]
    submit(place, place.hit.items.first(), completeness="missing_all", reasons="It leaves out all of sentence 3.")
    close_batch(batch=batch, because="by R", actor=OPERATOR)
    execute(RUNS, claimed)
    batch.refresh_from_db()
    assert batch.state == BatchState.CLOSED  # its new judgment has no score yet
    (second,) = start_runs_for_closed_batches(actor=OPERATOR)
    claimed = claim(RUNS, second.pk)
    assert claimed is not None
    execute(RUNS, claimed)
    batch.refresh_from_db()
    assert batch.state == BatchState.SCORED
    changed = Annotation.objects.current().get(revision=2)
    assert Score.objects.filter(run=second, annotation=changed).exists()


def test_a_failed_run_does_not_keep_a_batch_that_was_opened_again_from_being_scored() -> None:
    study = study_with_judgments(annotators=2)
    run = start_run(study=study, actor=OPERATOR)
    study.scoring_runs.update(status="failed", error="no")
    assert start_runs_for_closed_batches(actor=OPERATOR) == []
    batch = study.batches.get()
    reopen_batch(batch=batch, actor=OPERATOR)
    close_batch(batch=batch, because="by R", actor=OPERATOR)
    assert [each.pk > run.pk for each in start_runs_for_closed_batches(actor=OPERATOR)] == [True]


@pytest.mark.parametrize("step", ["keep_batch_open", "reopen_batch", "set_deadline"])
def test_only_the_studys_researchers_change_a_batch(step: str) -> None:
    study = open_study()
    batch = study.batches.get()
    client = signed_in(claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR))
    assert client.post(address(batch, step)).status_code == 404
