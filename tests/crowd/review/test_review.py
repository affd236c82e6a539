"""Approving, rejecting, appealing, and who may."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.stored import finished_batches, latest_snapshot, why_stale
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.corpus.models import Article
from annotation_platform.crowd.pay.selectors import to_approve
from annotation_platform.crowd.review import approval, services
from annotation_platform.crowd.review.models import Review, ReviewState
from annotation_platform.crowd.review.selectors import counts_of, home_card, left_aside, own_submissions
from annotation_platform.studies.models import Assignment, AssignmentState, BatchState, Member, Role, SetAside, Study
from annotation_platform.studies.services import close_batch, exclude_member, leave_study, readmit_member
from annotation_platform.studies.services.claiming import lease_assignment
from tests.crowd.checks.pieces import slip_checks_in
from tests.crowd.pieces import RECODED, recoded, signed_in, submitted_places, words
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments, submit
from workers.tasks import take_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(corpus=make_corpus(articles=2, questions=2), close=False)


@pytest.fixture
def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER)


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Have something called after each approval, for this test alone."""
    monkeypatch.setattr(approval, "_followers", dict(approval._followers))
    return partial(approval.add_approval_follower, "tests")


def worker(study: Study) -> Member:
    return study.members.get(pseudonym="A")


def rejected(study: Study, because: str = "It copies the answer.") -> Review:
    place = submitted_places(study, "A")[0]
    return services.reject(assignment=place, because=because, by=None, actor=OPERATOR)


def test_approved_work_counts_on_and_is_told_once_to_whoever_pays(study: Study, follow: Callable[[Any], None]) -> None:
    told: list[Any] = []
    follow(lambda **told_of: told.append(told_of["assignment"].pk))
    place = submitted_places(study, "A")[0]
    for _ in range(2):
        services.approve(assignment=place, by=None, actor=OPERATOR)
    assert told == [place.pk]
    assert counts_of(study)[ReviewState.APPROVED] == 1
    assert Annotation.objects.current().filter(assignment=place).exists()
    assert Event.objects.filter(verb="review.approved", study=study.pk).count() == 1


def test_what_its_annotator_changes_after_approval_says_so_until_it_is_approved_again(
    study: Study, researcher: Member, follow: Callable[[Any], None]
) -> None:
    reader, place, paid = signed_in(researcher), submitted_places(study, "A")[0], []
    address = {"slug": study.slug, "pk": place.pk, "member": worker(study).pk}
    approved = f"{reverse('reviews', args=[study.slug])}?state=approved"
    for each in submitted_places(study, "A"):
        services.approve(assignment=each, by=None, actor=OPERATOR)
    assert "changed since" not in words(reader, approved)
    submit(place, place.hit.items.get(position=1), correct="no")
    assert words(reader, approved).count("changed since") == 1
    assert reader.get(approved).context["rows"][0].assignment == place
    assert "Changed since it was approved" in words(reader, reverse("review", kwargs=address))
    follow(lambda **told_of: paid.append(told_of))
    reader.post(reverse("decide_review", kwargs=address), {"decision": "approve"})
    assert not paid, "it is paid once"
    assert "changed since" not in words(reader, approved)
    assert Review.objects.get(assignment=place).decided_by == researcher
    assert "Approve it as it is now" not in words(reader, reverse("review", kwargs=address))


def test_nobody_decides_about_work_that_was_changed_after_they_looked_at_it(study: Study, researcher: Member) -> None:
    reader, place = signed_in(researcher), submitted_places(study, "A")[0]
    address = {"slug": study.slug, "pk": place.pk, "member": worker(study).pk}
    seen = reader.get(reverse("review", kwargs=address)).context["seen"].isoformat()
    assert f'name="seen" value="{seen}"' in words(reader, reverse("review", kwargs=address))
    submit(place, place.hit.items.get(position=1), correct="no")
    decide = reverse("decide_review", kwargs=address)
    for decision in ("approve", "reject"):
        answer = reader.post(decide, {"decision": decision, "because": "Not read", "seen": seen})
        assert answer.status_code == 422
        assert "The annotator changed this work since you looked at it." in answer.content.decode()
    assert not Review.objects.exists()
    assert reader.post(decide, {"decision": "approve", "seen": answer.context["seen"].isoformat()}).status_code == 302
    assert "Changed since" not in words(reader, reverse("review", kwargs=address))


def test_rejected_work_is_kept_with_its_reason_and_its_place_opens(study: Study) -> None:
    review = rejected(study)
    place = review.assignment
    place.refresh_from_db()
    assert (place.state, place.annotator) == (AssignmentState.OPEN, None)
    assert review.state == ReviewState.REJECTED
    assert not Annotation.objects.current().filter(assignment=place).exists()
    card = home_card(worker(study).user)
    assert card is not None
    assert card["card"].rejected == [review]


def test_what_is_decided_is_not_decided_again(study: Study) -> None:
    place = submitted_places(study, "A")[0]
    services.approve(assignment=place, by=None, actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="approved already"):
        services.reject(assignment=place, because="No", by=None, actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="Write why"):
        services.reject(assignment=submitted_places(study, "A")[1], because=" ", by=None, actor=OPERATOR)


@pytest.mark.storage
def test_the_database_keeps_no_rejection_without_a_reason(study: Study) -> None:
    review = rejected(study)
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.filter(pk=review.pk).update(because="")


def test_an_appeal_that_is_accepted_makes_the_work_count_again(study: Study) -> None:
    review = rejected(study)
    services.appeal(review=review, words="Sentence 2 says it.", actor=OPERATOR)
    with pytest.raises(ConflictError):
        services.appeal(review=review, words="Once more", actor=OPERATOR)
    assert services.decide_appeal(review=review, accept=True, note="You are right.", by=None, actor=OPERATOR)
    review.refresh_from_db()
    assert review.state == ReviewState.APPROVED
    assert (review.because, review.appeal_note) == ("It copies the answer.", "You are right.")
    assert Annotation.objects.current().filter(assignment=review.assignment, annotator=review.annotator).exists()
    with pytest.raises(ConflictError):
        services.decide_appeal(review=review, accept=False, note="No", by=None, actor=OPERATOR)


def test_accepted_too_late_it_is_approved_and_stays_aside(study: Study, follow: Callable[[Any], None]) -> None:
    review = rejected(study)
    services.appeal(review=review, words="Please look.", actor=OPERATOR)
    other = MemberFactory(study=study)
    type(review.assignment).objects.filter(pk=review.assignment_id).update(
        annotator=other, state=AssignmentState.CLAIMED, lease_expires_at=timezone.now()
    )
    told: list[Any] = []
    follow(lambda **told_of: told.append(told_of["annotator"]))
    assert not services.decide_appeal(review=review, accept=True, note="Yes.", by=None, actor=OPERATOR)
    review.refresh_from_db()
    assert review.state == ReviewState.APPROVED
    assert told == [review.annotator]
    assert review.set_aside is not None
    assert review.set_aside.restored_at is None
    assert [each.counts for each in own_submissions(review.annotator.user, most=9)].count(False) == 1


def test_no_verdict_falls_on_who_did_the_task_after_the_one_that_it_is_about(study: Study, researcher: Member) -> None:
    place = submitted_places(study, "A")[0]
    seen = Assignment.objects.get(pk=place.pk)
    exclude_member(member=worker(study), because="Not a person", actor=OPERATOR)
    other: Member = MemberFactory(study=study)
    place.refresh_from_db()
    assert lease_assignment(place=place, annotator=other)
    for item in place.hit.items.all():
        submit(place, item)
    address = reverse("decide_review", args=[study.slug, place.pk, worker(study).pk])
    for decision in ("reject", "approve"):
        answer = signed_in(researcher).post(address, {"decision": decision, "because": "Not a person"})
        assert answer.status_code == 422
    with pytest.raises(InvalidInputError):
        services.reject(assignment=seen, because="Not a person", by=None, actor=OPERATOR)
    with pytest.raises(InvalidInputError):
        services.approve(assignment=seen, by=None, actor=OPERATOR)
    place.refresh_from_db()
    assert (place.annotator, place.state) == (other, AssignmentState.SUBMITTED)
    assert not Review.objects.exists()


def test_what_was_done_anew_is_not_approved_by_what_is_aside_of_it(study: Study) -> None:
    place, other = submitted_places(study, "A")[0], MemberFactory(study=study)
    exclude_member(member=worker(study), because="Not read.", actor=OPERATOR)
    place.refresh_from_db()
    assert lease_assignment(place=place, annotator=other)
    readmit_member(member=worker(study), actor=OPERATOR)
    (aside,) = left_aside(study)
    again = {"annotator": worker(study), "state": AssignmentState.SUBMITTED, "submitted_at": timezone.now()}
    Assignment.objects.filter(pk=place.pk).update(**again)  # as it was given back to them
    assert not left_aside(study).exists()
    with pytest.raises(ConflictError, match="changed this work since you looked at it"):
        services.approve_aside(aside=aside, by=None, actor=OPERATOR)
    assert not Review.objects.exists()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
def test_the_place_is_locked_before_what_is_aside_of_it(study: Study) -> None:
    place = submitted_places(study, "A")[0]
    exclude_member(member=worker(study), because="Not read.", actor=OPERATOR)
    place.refresh_from_db()
    lease_assignment(place=place, annotator=MemberFactory(study=study))
    readmit_member(member=worker(study), actor=OPERATOR)
    with CaptureQueriesContext(connection) as asked:
        services.approve_aside(aside=SetAside.objects.get(assignment=place), by=None, actor=OPERATOR)
    locked = [query["sql"] for query in asked if "FOR " in query["sql"]]
    assert '"studies_assignment"."id" =' in locked[0]
    assert 'FROM "studies_setaside"' in locked[1]


def test_an_appeal_that_is_turned_down_is_final(study: Study) -> None:
    review = rejected(study)
    services.appeal(review=review, words="Please look.", actor=OPERATOR)
    services.decide_appeal(review=review, accept=False, note="The words are the answer's.", by=None, actor=OPERATOR)
    review.refresh_from_db()
    assert review.state == ReviewState.SETTLED
    with pytest.raises(ConflictError):
        services.appeal(review=review, words="Again", actor=OPERATOR)


def test_excluding_somebody_after_closing_puts_the_figures_out_of_date() -> None:
    study = study_with_judgments(corpus=make_corpus(articles=2, questions=2))
    take_snapshot(study, actor=OPERATOR)
    first = latest_snapshot(study)
    assert first is not None
    assert why_stale(study, first, finished_batches(study)) == ""
    exclude_member(member=worker(study), because="Not a person", actor=OPERATOR)
    assert "was set aside since" in why_stale(study, first, finished_batches(study))
    take_snapshot(study, actor=OPERATOR)
    second = latest_snapshot(study)
    assert second is not None
    assert second.pk != first.pk
    assert second.head.counts.judgments < first.head.counts.judgments
    assert why_stale(study, second, finished_batches(study)) == ""
    readmit_member(member=worker(study), actor=OPERATOR)
    assert "counts again" in why_stale(study, second, finished_batches(study))
    assert AgreementSnapshot.objects.filter(study=study).count() == 2


def test_the_pages_lead_from_waiting_to_rejected_to_appeal(study: Study, researcher: Member) -> None:
    reader, own = signed_in(researcher), signed_in(worker(study))
    place = submitted_places(study, "A")[0]
    address = {"slug": study.slug, "pk": place.pk, "member": worker(study).pk}
    assert "waits" in words(reader, reverse("reviews", args=[study.slug]))
    assert "It leaves out" in words(reader, reverse("review", kwargs=address))
    decide, mine = reverse("decide_review", kwargs=address), reverse("my_submission", args=[place.pk])
    assert reader.post(decide, {"decision": "reject", "because": " "}).status_code == 422
    reader.post(decide, {"decision": "reject", "because": "Copied from the answer"})
    assert "Copied from the answer" in words(own, mine)
    assert "不承認" in words(signed_in(worker(study), "ja"), mine)
    assert own.post(mine, {"appeal": "  "}).status_code == 422
    assert own.post(mine, {"appeal": "Sentence 2 says so."}).status_code == 302
    too_late = own.post(mine, {"appeal": "And more"})
    assert too_late.status_code == 422
    assert "Sentence 2 says so." in words(reader, reverse("review", kwargs=address))
    reader.post(decide, {"decision": "accept", "because": "You are right"})
    assert "Your appeal was accepted" in words(own, mine)
    assert "approved" in words(own, reverse("my_submissions"))


def test_the_start_page_leads_to_an_appeal_until_after_it_is_answered(study: Study, researcher: Member) -> None:
    review, own = rejected(study), signed_in(worker(study))
    mine = reverse("my_submission", args=[review.assignment_id])

    def told() -> str:
        page = own.get(reverse("work"))
        assert mine in page.text
        return page.text

    assert "Rejected:" in told()
    services.appeal(review=review, words="Sentence 2 says so.", actor=OPERATOR)
    assert "Rejected, appeal under way:" in told()
    review.refresh_from_db()
    services.decide_appeal(review=review, accept=False, note="It does not.", by=researcher, actor=OPERATOR)
    assert "Rejected, appeal turned down:" in told()


def test_the_start_page_shows_first_what_may_still_be_appealed_against(study: Study, researcher: Member) -> None:
    places = submitted_places(study, "A")[:2]
    reviews = [services.reject(assignment=place, because="Copied.", by=None, actor=OPERATOR) for place in places]
    services.appeal(review=reviews[1], words="Sentence 2 says so.", actor=OPERATOR)
    found = home_card(worker(study).user)
    assert found is not None
    assert [each.pk for each in found["card"].rejected] == [each.pk for each in reviews]


def test_what_was_submitted_shows_its_checks_like_all_else(study: Study, researcher: Member) -> None:
    slip_checks_in(study)
    place = submitted_places(study, "A")[0]
    address = {"slug": study.slug, "pk": place.pk, "member": worker(study).pk}
    assert "heliotrope" in words(signed_in(researcher), reverse("review", kwargs=address))
    assert "heliotrope" in words(signed_in(worker(study)), reverse("my_submission", args=[place.pk]))


def test_rejected_work_is_read_in_the_words_of_the_scheme_that_it_was_done_under(
    study: Study, researcher: Member
) -> None:
    place = rejected(study).assignment
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    pages = {
        reverse("review", args=[study.slug, place.pk, worker(study).pk]): researcher,
        reverse("my_submission", args=[place.pk]): worker(study),
    }
    for address, reader in pages.items():
        page = words(signed_in(reader), address)
        for said in ("Is the answer correct?", "Yes", "How complete is it?", "Misses some", "It leaves out"):
            assert said in page


def test_a_rejection_in_a_closed_batch_says_that_nobody_gets_the_place(study: Study, researcher: Member) -> None:
    reader, places = signed_in(researcher), submitted_places(study, "A")
    told = ("its place is open again", "open it again to have the task judged")
    for place, said in zip(places[:2], told, strict=True):
        decide = reverse("decide_review", args=[study.slug, place.pk, worker(study).pk])
        page = reader.post(decide, {"decision": "reject", "because": "Copied"}, follow=True).content.decode()
        assert said in page
        for batch in study.batches.filter(state=BatchState.OPEN):
            close_batch(batch=batch, because="enough", actor=OPERATOR)


def test_many_are_approved_at_once_after_their_number_was_confirmed(study: Study, researcher: Member) -> None:
    reader = signed_in(researcher)
    url = reverse("approve_many", args=[study.slug])
    count = counts_of(study)[ReviewState.WAITING]
    asked = reader.post(url).content.decode()
    assert f"Approve {count}" in asked
    assert not Review.objects.exists()
    rejected(study)
    assert "Meanwhile" in reader.post(url, {"confirmed": str(count)}).content.decode()
    assert not Review.objects.filter(verdict="approved").exists()
    mine = len(submitted_places(study, "A"))
    reader.post(url, {"annotator": worker(study).pk, "confirmed": str(mine)})
    assert Review.objects.filter(verdict="approved").count() == mine
    reader.post(url, {"confirmed": str(count - 1 - mine)})
    assert counts_of(study)[ReviewState.WAITING] == 0


def test_work_of_who_left_waits_for_review_as_it_waits_to_be_paid(study: Study, researcher: Member) -> None:
    reader, member, place = signed_in(researcher), worker(study), submitted_places(study, "A")[0]
    waited = counts_of(study)[ReviewState.WAITING]
    leave_study(member=member, actor=OPERATOR)
    assert counts_of(study)[ReviewState.WAITING] == to_approve(study).count() == waited
    assert f"{member.pseudonym} <span" in words(
        reader, f"{reverse('reviews', args=[study.slug])}?annotator={member.pk}"
    )
    address = {"slug": study.slug, "pk": place.pk, "member": member.pk}
    page = words(reader, reverse("review", kwargs=address))
    assert "has left the study" in page
    assert "can appeal once" not in page
    reader.post(reverse("approve_many", args=[study.slug]), {"confirmed": str(waited)})
    assert counts_of(study)[ReviewState.WAITING] == 0


def test_nobody_else_enters(study: Study, researcher: Member) -> None:
    place = submitted_places(study, "A")[0]
    args = [study.slug, place.pk, worker(study).pk]
    pages = [reverse("reviews", args=[study.slug]), reverse("review", args=args)]
    posts = [reverse("approve_many", args=[study.slug]), reverse("decide_review", args=args)]
    foreign = MemberFactory(role=Role.RESEARCHER)
    for outsider in (worker(study), foreign):
        client = signed_in(outsider)
        assert [client.get(url).status_code for url in pages] == [404, 404]
        assert [client.post(url, {"decision": "approve"}).status_code for url in posts] == [404, 404]
    assert all(Client().get(url).url.startswith("/account") for url in pages)  # type: ignore[attr-defined]
    mine = reverse("my_submission", args=[place.pk])
    other = study.members.get(pseudonym="B")
    for outsider in (other, foreign, researcher):
        assert signed_in(outsider).get(mine).status_code == 404
        assert signed_in(outsider).post(mine, {"appeal": "x"}).status_code == 404
    assert not Review.objects.exists()
    assert signed_in(researcher).get(reverse("review", args=[study.slug, place.pk, other.pk])).status_code == 404


def test_a_task_without_an_article_is_called_a_task(study: Study, researcher: Member) -> None:
    place = submitted_places(study, "A")[0]
    Article.objects.filter(pk=place.hit.article_id).update(title="")
    Assignment.objects.filter(pk=place.pk).update(submitted_at=None)  # as where the file of an import gives no time
    page = words(signed_in(researcher), reverse("reviews", args=[study.slug]))
    assert f"Task {place.hit.position}" in page
    assert "HIT" not in page
    assert "–" in page
