"""Study home and batch page: what state everything is in, and the steps a researcher takes by hand."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import Annotation
from annotation_platform.annotations.services import send_message
from annotation_platform.jobs.models import WorkerPulse
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import Method, Scorer, ScoringRun
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Member, Role, Study
from annotation_platform.studies.services import claim_assignment, close_batch, plan_batches
from tests.analysis.study_rows import client_of, scored_study
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, open_study, study_with_judgments, submit
from tests.markup import markup
from workers import tasks
from workers.publisher import publisher

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The messages that went to the broker."""
    found: list[tuple[Any, ...]] = []
    monkeypatch.setattr(publisher, "publish", lambda name, send: send())  # now, not by its own thread
    for task in (tasks.sweep, tasks.work):
        monkeypatch.setattr(
            task, "apply_async", lambda args=(), kwargs=None, name=task.name, **_: found.append((name, *args))
        )
    return found


def home(study: Study, client: Client | None = None, **headers: Any) -> str:
    response = (client or client_of(study)).get(reverse("study", kwargs={"slug": study.slug}), **headers)
    assert response.status_code == 200
    return markup(response)


def batch_page(study: Study, number: int = 1, client: Client | None = None) -> str:
    address = reverse("batch", kwargs={"slug": study.slug, "number": number})
    return markup((client or client_of(study)).get(address))


def run_of(study: Study, **fields: Any) -> ScoringRun:
    run = ScoringRun.objects.create(study=study, method=Method.EBR, scorer=Scorer.DISTILLED, **fields)
    run.batches.set(study.batches.filter(state=BatchState.CLOSED))
    return run


def worker_is_there() -> None:
    WorkerPulse.objects.create(name="worker", seen_at=timezone.now())


def test_progress_counts_places_and_people_by_pseudonym() -> None:
    study = open_study(corpus=make_corpus(articles=1), questions_per_hit=4)
    member = MemberFactory(study=study, pseudonym="Alder")
    claim_assignment(annotator=member, actor=OPERATOR)
    page = home(study)
    assert f"0 of {Assignment.objects.count()} assignments submitted, 1 being worked on" in page
    assert "Alder" in page
    assert member.user.email not in page


def test_people_are_counted_by_what_was_measured_and_by_what_open_batches_hold() -> None:
    study = scored_study(annotators=2)
    judged = Annotation.objects.filter(annotator__pseudonym="A").count()

    def row() -> list[str]:
        (found,) = re.findall(r'<th scope="row">A</th>(.*?)</tr>', home(study), re.DOTALL)
        return re.findall(r"<td[^>]*>([^<]*)</td>", found)

    assert row()[1:3] == ["–", "0"]
    take_snapshot(study=study, resamples=2)
    assert row()[1:3] == [str(judged), "0"]
    study.batches.update(state=BatchState.OPEN)
    submitted = Assignment.objects.filter(annotator__pseudonym="A", state=AssignmentState.SUBMITTED).count()
    assert row()[1:3] == [str(judged), str(submitted)]
    assert submitted > 0


def test_only_work_that_came_without_a_time_is_called_imported() -> None:
    study = open_study(corpus=make_corpus(questions=2))
    slow = MemberFactory(study=study, pseudonym="Slow")
    place = claim_assignment(annotator=slow, actor=OPERATOR)
    submit(place, place.hit.items.all()[0])  # of two, so that the place is not submitted
    close_batch(batch=study.batches.get(), because="by hand", actor=OPERATOR)
    take_snapshot(study=study, resamples=20)
    assert "imported" not in home(study)
    Assignment.objects.filter(annotator=slow).update(state=AssignmentState.SUBMITTED, claimed_at=None)
    assert "imported" in home(study)
    given = {"state": AssignmentState.SUBMITTED, "annotator": slow, "submitted_at": timezone.now()}
    Assignment.objects.create(hit=place.hit, place=9, replicate=1, **given)
    assert "imported" not in home(study)


def test_the_home_page_tells_the_latest_figures_in_words_and_that_they_are_stale() -> None:
    study = scored_study()
    assert "There are no figures yet" in home(study)
    take_snapshot(study=study, resamples=20)
    client = client_of(study)
    page = home(study, client)
    assert "after rescaling" in page
    assert "interval of the change" in page
    assert "Rough intervals, from fewer than 20 questions" in page
    study.snapshots.update(run=None)
    assert "These figures are out of date" in home(study, client)


def test_a_missing_worker_is_an_alarm_only_while_work_waits_for_it() -> None:
    study = study_with_judgments()
    client = client_of(study)
    assert "The background worker is not running; scoring waits" in home(study, client)
    worker_is_there()
    assert "not running" not in home(study, client)
    assert 'Background worker: <span class="badge good">running' in home(study, client)
    WorkerPulse.objects.all().delete()
    study.batches.update(state=BatchState.SCORED)
    assert "scoring waits" not in home(study, client)
    assert "Nothing waits for it" in home(study, client)


def test_a_run_under_way_shows_how_far_it_is() -> None:
    study = study_with_judgments()
    worker_is_there()
    run_of(study, status=JobStatus.RUNNING, total=200, done=50)
    for page in (home(study), batch_page(study)):
        assert "50 of 200" in page
        assert 'value="25"' in page


def test_a_deadline_that_passed_without_a_worker_is_told() -> None:
    study = open_study()
    client = client_of(study)
    assert "stays open" not in home(study, client)
    study.batches.update(deadline_at=timezone.now() - timedelta(minutes=1))
    assert "not running; a batch past its deadline stays open" in home(study, client)


def test_a_failed_run_gives_its_reason_and_can_be_tried_again(
    sent: list[tuple[Any, ...]], django_capture_on_commit_callbacks: Any
) -> None:
    study = study_with_judgments()
    run_of(study, status=JobStatus.FAILED, error="The model answered 401: wrong key.")
    client = client_of(study)
    assert "The model answered 401: wrong key." in home(study, client)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("score_again", kwargs={"slug": study.slug}))
    again = study.scoring_runs.get(status=JobStatus.PENDING)
    assert sent == [("workers.tasks.work", "run", again.pk)]


def test_trying_again_while_a_run_is_under_way_says_so_and_starts_none(sent: list[tuple[Any, ...]]) -> None:
    study = study_with_judgments()
    run_of(study, status=JobStatus.RUNNING)
    page = markup(client_of(study).post(reverse("score_again", kwargs={"slug": study.slug}), follow=True))
    assert "is being scored already" in page
    assert sent == []
    assert study.scoring_runs.count() == 1


def test_the_page_asks_for_its_live_part_only_while_something_changes() -> None:
    study = open_study()
    client = client_of(study)
    assert 'hx-trigger="every 4s"' in home(study, client)
    part = home(study, client, HTTP_HX_REQUEST="true")
    assert part.strip().startswith('<div id="live"')
    assert "<dialog" not in part
    study.batches.update(state=BatchState.SCORED)
    assert "hx-trigger" not in home(study, client)


def test_closing_by_hand_closes_once_and_has_it_scored(
    sent: list[tuple[Any, ...]], django_capture_on_commit_callbacks: Any
) -> None:
    study = open_study()
    client, batch = client_of(study), study.batches.get(number=1)
    address = reverse("close_batch", kwargs={"slug": study.slug, "number": 1})
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            assert client.post(address).status_code == 302
    batch.refresh_from_db()
    assert (batch.state, batch.closed_because) == (BatchState.CLOSED, "by Our researcher")
    assert sent == [("workers.tasks.sweep",)]


def test_a_draft_is_opened_with_a_deadline_which_must_lie_ahead() -> None:
    study = make_study()
    plan_batches(study=study)
    client, batch = client_of(study), study.batches.get(number=1)
    address = reverse("open_batch", kwargs={"slug": study.slug, "number": 1})
    assert client.post(address, {"deadline_at": "2001-01-01T10:00"}).status_code == 422
    assert client.post(address, {"deadline_at": "tomorrow"}).status_code == 422
    batch.refresh_from_db()
    assert batch.state == BatchState.DRAFT
    tomorrow = (timezone.now() + timedelta(days=1)).replace(second=0, microsecond=0)
    assert client.post(address, {"deadline_at": tomorrow.strftime("%Y-%m-%dT%H:%M")}).status_code == 302
    batch.refresh_from_db()
    assert (batch.state, batch.deadline_at) == (BatchState.OPEN, tomorrow)
    assert client.post(address).status_code == 409


def test_what_is_refused_leads_back_to_the_page_that_it_was_sent_from() -> None:
    study = open_study()
    client, page = client_of(study), reverse("study", kwargs={"slug": study.slug})
    address = reverse("open_batch", kwargs={"slug": study.slug, "number": 1})

    def refused(came_from: str) -> str:
        answer = client.post(address, headers={"Referer": came_from})
        assert answer.status_code == 409
        return markup(answer)

    assert f'href="http://testserver{page}">Back to the page' in refused(f"http://testserver{page}")
    assert "Back to the page" not in refused("https://elsewhere.example/")
    assert "Back to the page" not in refused("")


def test_the_batch_page_shows_who_has_which_place() -> None:
    study = open_study(corpus=make_corpus(articles=1), questions_per_hit=4)
    place = claim_assignment(annotator=MemberFactory(study=study, pseudonym="Alder"), actor=OPERATOR)
    page = batch_page(study)
    assert "<strong>Alder</strong></a> working, 0 of 4, until" in page
    assert page.count("free") == Assignment.objects.filter(hit__batch__number=1).count() - 1
    Assignment.objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    assert "ran out of time" in batch_page(study, client=client_of(study, Role.ADMIN))


def test_words_of_annotators_wait_on_top_until_they_are_answered() -> None:
    study = open_study()
    annotator = MemberFactory(study=study, pseudonym="Alder")
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    send_message(assignment=place, author=annotator, text="Sentence 4 is cut off.", actor=OPERATOR)
    client = client_of(study)
    assert "1 message to answer" in home(study, client)
    page = batch_page(study, client=client)
    assert "Sentence 4 is cut off." in page
    assert "to answer" in page
    client.post(reverse("messages", kwargs={"pk": place.pk}), {"text": "Judge it as it stands."})
    assert "to answer" not in home(study, client)
    assert "Judge it as it stands." in batch_page(study, client=client)


def test_many_batches_come_in_pages_the_open_ones_first_and_then_the_newest() -> None:
    study = make_study(corpus=make_corpus(articles=10, questions=1), hits_per_batch=1)
    plan_batches(study=study)
    study.batches.update(state=BatchState.SCORED, closed_at=timezone.now())
    study.batches.filter(number__in=[2, 5]).update(state=BatchState.OPEN)
    client = client_of(study)
    address = reverse("study", kwargs={"slug": study.slug})

    def numbers(page: int) -> list[int]:
        text = markup(client.get(address, {"page": page}))
        return [int(number) for number in re.findall(r'<h3><a href="[^"]+">Batch (\d+)</a>', text)]

    assert numbers(1) == [5, 2, *range(30, 20, -1)]
    assert numbers(3) == [8, 7, 6, 4, 3, 1]
    live = markup(client.get(address, {"page": 1}, headers={"HX-Request": "true"}))
    assert f'hx-get="{address}?page=1"' in live
    assert "Page 1 of 3" in live
    study.batches.filter(number__in=[7, 9, 30]).update(state=BatchState.DRAFT)  # the next one to open comes first
    assert numbers(1)[:6] == [5, 2, 7, 9, 30, 29]


def test_a_batch_that_is_not_there_is_not_found() -> None:
    study = make_study()
    assert client_of(study).get(reverse("batch", kwargs={"slug": study.slug, "number": 7})).status_code == 404


@pytest.mark.parametrize("page", ["study", "batch", "agreement", "items"])
def test_only_researchers_and_admins_of_the_study_enter(page: str) -> None:
    study = open_study()
    address = reverse(page, kwargs={"slug": study.slug} | ({"number": 1} if page == "batch" else {}))
    elsewhere = MemberFactory(study=make_study(name="Elsewhere"), role=Role.ADMIN)
    assert Client().get(address).status_code == 302
    for role, expected in ((Role.ANNOTATOR, 404), (Role.RESEARCHER, 200), (Role.ADMIN, 200)):
        assert client_of(study, role).get(address).status_code == expected
    stranger = Client()
    stranger.force_login(elsewhere.user)
    assert stranger.get(address).status_code == 404


@pytest.mark.parametrize("page", ["close_batch", "open_batch", "score_again", "refresh_agreement"])
def test_only_researchers_and_admins_of_the_study_act(page: str, sent: list[tuple[Any, ...]]) -> None:
    study = open_study()
    kwargs = {"slug": study.slug} | ({"number": 1} if page.endswith("batch") else {})
    assert client_of(study, Role.ANNOTATOR).post(reverse(page, kwargs=kwargs)).status_code == 404
    assert study.batches.get(number=1).state == BatchState.OPEN
    assert sent == []


def test_the_number_of_queries_does_not_grow_with_batches_people_and_places(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    small = open_study(name="Small")
    large = open_study(name="Large", corpus=make_corpus(articles=6), overlap=5, hits_per_batch=2, questions_per_hit=2)
    for pseudonym in "ABCDEF":
        member: Member = MemberFactory(study=large, pseudonym=pseudonym)
        place = claim_assignment(annotator=member, actor=OPERATOR)
        send_message(assignment=place, author=member, text="A word.", actor=OPERATOR)
    for study in (small, large):
        client = client_of(study)
        home(study, client)
        with django_assert_max_num_queries(26):
            home(study, client)
        with django_assert_max_num_queries(14):
            batch_page(study, client=client)
