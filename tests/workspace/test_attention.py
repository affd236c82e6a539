"""The list of studies and a study's home say how far it is, what needs somebody now, and what it has cost."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.analysis.frame.standing import scoring_of
from annotation_platform.analysis.snapshots.stored import latest_snapshot
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import SchemeMigration
from annotation_platform.annotations.services import send_message, send_message_about_study, settle_thread
from annotation_platform.jobs.models import WorkerPulse
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import ItemLabel, ScoringRun, ScoringSettings
from annotation_platform.scoring.services import stop_run
from annotation_platform.studies.models import Batch, BatchState, Role, Study
from annotation_platform.studies.services import (
    claim_assignment,
    close_batch,
    even_out_left_behind,
    exclude_member,
    lease_assignment,
    reopen_batch,
)
from annotation_platform.workspace.attention import attention_of, spent_in_words
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study, study_with_judgments, submit
from tests.markup import markup

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def worker(db: None) -> None:
    WorkerPulse.objects.create(name="one", seen_at=timezone.now())


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return open_study(name="Mine")


def needs(study: Study, *, is_admin: bool = True) -> list[tuple[str, str]]:
    found = attention_of(study, scoring_of(study), latest_snapshot(study), is_admin=is_admin)
    return [(each.words, each.address) for each in found]


def reader(study: Study, role: Role = Role.RESEARCHER) -> Client:
    client = Client()
    client.force_login(MemberFactory(study=study, role=role).user)
    return client


def test_nothing_needs_attention_at_first(study: Study) -> None:
    assert needs(study) == []
    assert "Nothing needs attention" in reader(study).get(reverse("study", args=["mine"])).content.decode()


def test_work_set_aside_in_a_closed_batch_waits_for_somebody_to_open_it(study: Study) -> None:
    member = MemberFactory(study=study)
    place = claim_assignment(annotator=member, actor=OPERATOR)
    for item in place.hit.items.all():
        submit(place, item)
    batch = place.hit.batch
    close_batch(batch=batch, because="enough", actor=OPERATOR)
    assert needs(study) == []
    exclude_member(member=member, because="Not read.", actor=OPERATOR)
    said = f"Tasks set aside in closed batches: 1. Open batch {batch.number} again to have them judged."
    assert needs(study) == [(said, reverse("batch", args=["mine", batch.number]))]
    batch.refresh_from_db()
    reopen_batch(batch=batch, actor=OPERATOR)
    assert needs(study) == []
    close_batch(batch=batch, because="enough", actor=OPERATOR)
    assert needs(study) == [], "who closed it knew"


def test_a_study_without_an_open_batch_says_that_nobody_gets_a_task(study: Study) -> None:
    Batch.objects.filter(study=study).update(state=BatchState.DRAFT, opened_at=None)
    page = reader(study).get(reverse("study", args=["mine"])).content.decode()
    assert "No batch is open, so nobody gets a task." in page
    assert "Nothing needs attention" not in page


def test_a_worker_that_is_gone_while_work_waits(study: Study) -> None:
    ScoringRun.objects.create(study=study, method="judge", scorer="openai", status=JobStatus.PENDING)
    assert needs(study) == []
    WorkerPulse.objects.all().delete()
    assert needs(study) == [("The background worker is not running, and work waits for it.", "/studies/mine/")]


def test_the_newest_run_of_a_method_when_it_failed_or_paused(study: Study) -> None:
    for status in (JobStatus.FAILED, JobStatus.DONE):  # mended since
        ScoringRun.objects.create(study=study, method="ebr", scorer="distilled", status=status)
    failed = ScoringRun.objects.create(study=study, method="judge", scorer="openai", status=JobStatus.FAILED)
    paused = ScoringRun.objects.create(study=study, method="mate", scorer="openai", status=JobStatus.PAUSED)
    assert sorted(needs(study)) == [
        ("A scoring run has failed.", f"/studies/mine/scoring/runs/{failed.pk}/"),
        ("A scoring run has paused and waits for a word.", f"/studies/mine/scoring/runs/{paused.pk}/"),
    ]
    stop_run(run=paused, actor=OPERATOR)  # whoever stopped it knows
    assert needs(study) == [("A scoring run has failed.", f"/studies/mine/scoring/runs/{failed.pk}/")]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("migrate", "The migration to another version of the scheme has failed."),
        ("count", "Counting for another version of the scheme has failed."),
    ],
)
def test_a_failed_migration_of_the_scheme_until_another_one_comes(study: Study, wanted: str, words: str) -> None:
    def one(status: JobStatus) -> None:
        before = study.scheme_version
        SchemeMigration.objects.create(study=study, wanted=wanted, text="", before=before, status=status)

    one(JobStatus.FAILED)
    assert needs(study) == [(words, "/studies/mine/scheme/")]
    assert needs(study, is_admin=False) == []  # its page is for admins
    assert words in reader(study, Role.ADMIN).get(reverse("home")).content.decode()
    one(JobStatus.DONE)
    assert needs(study) == []


def test_a_change_of_overlap_that_was_broken_off(study: Study) -> None:
    Study.objects.update(evening_at=timezone.now())
    study.refresh_from_db()
    assert needs(study) == []  # it may be under way
    Study.objects.update(evening_at=timezone.now() - timedelta(hours=1))
    study.refresh_from_db()
    words = "A change of the overlap was broken off; the background worker will finish it."
    assert needs(study) == [(words, "/studies/mine/settings/")]
    page = reader(study).get(reverse("home"), headers={"Accept-Language": "ja"}).content.decode()
    assert "重複数の変更が途中で止まりました。" in page
    even_out_left_behind()
    study.refresh_from_db()
    assert needs(study) == []


def test_messages_until_they_are_answered(study: Study) -> None:
    annotator = MemberFactory(study=study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    send_message(assignment=place, author=annotator, text="Which year is meant?", actor=OPERATOR)
    assert needs(study) == [("One message of an annotator to answer", "/studies/mine/batches/1/#messages")]
    send_message(
        assignment=place, author=MemberFactory(study=study, role=Role.RESEARCHER), text="The last one.", actor=OPERATOR
    )
    assert needs(study) == []


def test_messages_of_two_people_about_one_assignment_are_two(study: Study) -> None:
    first, heir = MemberFactory(study=study), MemberFactory(study=study)
    place = claim_assignment(annotator=first, actor=OPERATOR)
    for text in ("Which year is meant?", "Or which month?"):
        send_message(assignment=place, author=first, text=text, actor=OPERATOR)
    type(place).objects.filter(pk=place.pk).update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    place.refresh_from_db()
    assert lease_assignment(place=place, annotator=heir)
    send_message(assignment=place, author=heir, text="Is a fragment an answer?", actor=OPERATOR)
    assert needs(study) == [("2 messages of annotators to answer", "/studies/mine/batches/1/#messages")]
    assert "2 messages to answer" in markup(reader(study).get(reverse("study", args=[study.slug])))
    page = markup(reader(study).get(reverse("batch", args=[study.slug, 1])))
    assert page.count("to answer</span>") == 2


def test_messages_about_the_study_until_they_are_answered(study: Study) -> None:
    annotator = MemberFactory(study=study)
    send_message_about_study(annotator=annotator, author=annotator, text="When is the pay?", actor=OPERATOR)
    words = "One message about the study or a round to answer"
    assert needs(study) == [(words, "/studies/mine/crowd/messages/")]
    settle_thread(annotator=annotator, assignment=None, actor=OPERATOR)
    assert needs(study) == []


def test_replies_that_only_a_person_can_read(study: Study) -> None:
    run = ScoringRun.objects.create(study=study, method="judge", scorer="openai", status=JobStatus.DONE)
    for item in study.items.all()[:2]:
        ItemLabel.objects.create(run=run, item=item, aspect="correct", source=ItemLabel.Source.UNREAD)
    assert needs(study) == [
        ("2 replies of a language model that only a person can read", "/studies/mine/scoring/unread/")
    ]


def test_somebody_far_from_the_others() -> None:
    levels = ("complete", "missing_minor", "missing_major", "missing_all")

    def opinion(member: Any, item: Any) -> dict[str, Any]:
        level = item.pk % 4
        return {"completeness": levels[3 - level if member.pseudonym == "H" else level], "reasons": "It is so."}

    corpus = make_corpus(articles=3, questions=4)
    study = study_with_judgments(annotators=8, corpus=corpus, values=opinion, name="Far")
    take_snapshot(study=study, resamples=200)
    title = "How complete is it?"
    words = f"H stands far apart from the others on “{title}”"
    address = "/studies/far/agreement/annotators/?aspect=completeness"
    assert (words, address) in needs(study)
    assert "Annotator H is far" in reader(study).get(address).content.decode()


def test_the_line_of_somebody_far_leads_to_the_aspect_that_says_so() -> None:
    """Not to the first aspect, on which nobody stands apart."""
    levels = ("complete", "missing_minor", "missing_major", "missing_all")

    def opinion(member: Any, item: Any) -> dict[str, Any]:
        right = (item.pk % 2 == 0) != (member.pseudonym == "H")
        return {
            "completeness": levels[item.pk % 4],
            "correct": "yes" if right else "no",
            "reasons": f"It is so {item.pk}.",
        }

    corpus = make_corpus(articles=3, questions=8)
    study = study_with_judgments(annotators=8, corpus=corpus, values=opinion, name="Far")
    take_snapshot(study=study, resamples=200)
    ((words, address),) = [each for each in needs(study) if "far apart" in each[0]]
    assert words == "H stands far apart from the others on “Is the answer correct?”"
    assert address == "/studies/far/agreement/annotators/?aspect=correct"
    assert "Annotator H is far less in line" in reader(study).get(address).content.decode()
    assert "Annotator H is far" not in reader(study).get(address.split("?")[0]).content.decode()
    assert "H stands far apart" in reader(study).get(reverse("home")).content.decode()


def test_somebody_whose_explanations_are_far_vaguer() -> None:
    """The work is of no aspect; it needs a word of its own."""

    def opinion(member: Any, item: Any) -> dict[str, Any]:
        level = ("complete", "missing_minor", "missing_major", "missing_all")[item.pk % 4]
        said = "It is complete." if member.pseudonym == "H" else f"Sentence {item.pk} on tides is out."
        return {"completeness": level, "reasons": said}

    corpus = make_corpus(articles=3, questions=8)
    study = study_with_judgments(annotators=8, corpus=corpus, values=opinion, name="Far")
    take_snapshot(study=study, resamples=200)
    words = "H stands far apart from the others in time or explanations"
    assert (words, "/studies/far/agreement/annotators/") in needs(study)


@pytest.mark.parametrize(
    ("runs", "budget", "words"),
    [
        ([], None, ""),
        ([("0.25", 1000, True), ("0.10", 500, True)], None, "$0.35"),
        ([("0.25", 1000, True)], "5", "$0.25 of $5"),
        ([("0", 1200, False)], None, "1,200 tokens, price not known"),
        ([("0.25", 1000, True), ("0", 1200, False)], None, "$0.25, and 1,200 tokens whose price is not known"),
        ([("0", 1000, True)], None, "$0"),
    ],
)
def test_what_was_spent(study: Study, runs: list[Any], budget: str | None, words: str) -> None:
    for spent, tokens, is_priced in runs:
        prices = {"price_in": 1, "price_out": 2} if is_priced else {}
        ScoringRun.objects.create(
            study=study,
            method="judge",
            scorer="openai",
            status=JobStatus.DONE,
            spent=Decimal(spent),
            spent_tokens=tokens,
            parameters={"model": "tiny", **prices},
        )
    ScoringSettings.of(study).budget = Decimal(budget) if budget else None
    assert spent_in_words(study) == words


def test_the_list_of_studies_says_it_all_of_each(study: Study) -> None:
    annotator = MemberFactory(study=study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    send_message(assignment=place, author=annotator, text="Which year is meant?", actor=OPERATOR)
    page = reader(study).get(reverse("home")).content.decode()
    assert "One batch is open:" in page
    assert "0 of 6 assignments submitted" in page
    assert "One message of an annotator to answer" in page
    assert "message of an annotator" not in Client().get(reverse("home")).content.decode()
    theirs = Client()
    theirs.force_login(annotator.user)  # type: ignore[arg-type]
    assert "places submitted" not in theirs.get(reverse("home")).content.decode()


def test_the_demos_buttons_are_for_the_demos_people_only(study: Study, settings: Any) -> None:
    settings.DEMO = True
    assert "demo/annotator" in Client().get(reverse("home")).content.decode()
    assert "demo/annotator" not in reader(study).get(reverse("home")).content.decode()
