"""What was approved before any pay was agreed, and set aside since: a person credits it where the rest is credited."""

import pytest
from django.urls import reverse

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.crowd.pay.approving import approve_oldest
from annotation_platform.crowd.pay.budget import budget_of
from annotation_platform.crowd.pay.models import LedgerEntry
from annotation_platform.crowd.pay.selectors import count_to_credit, to_approve
from annotation_platform.crowd.pay.services import credit_what_is_due
from annotation_platform.crowd.review.selectors import left_aside
from annotation_platform.crowd.review.services import approve, approve_aside, reject
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import exclude_member, lease_assignment, readmit_member
from tests.crowd.pay.paying import agree
from tests.crowd.pieces import RECODED, recoded, signed_in, submitted_places, words
from tests.factories import OPERATOR, MemberFactory, make_corpus, study_with_judgments, submit

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    return study_with_judgments(corpus=make_corpus(articles=2, questions=2), close=False)


@pytest.fixture
def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER)


def approved_aside(study: Study) -> int:
    """One task of A stays aside, since the scheme has another version, and is approved; how much else waits."""
    annotator = study.members.get(pseudonym="A")
    exclude_member(member=annotator, because="Not read", actor=OPERATOR)
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    readmit_member(member=annotator, actor=OPERATOR)
    first = left_aside(study).first()
    assert first is not None
    approve_aside(aside=first, by=None, actor=OPERATOR)
    return to_approve(study).count()


def test_it_is_offered_and_credited_once_by_hand(study: Study, researcher: Member) -> None:
    others = approved_aside(study)
    agree(study, reward=150)
    budget = budget_of(study)
    assert budget is not None
    assert budget.committed == 150 * (others + 1 + study.batches.get().hits.count())
    assert credit_what_is_due(actor=OPERATOR) == 0, "what was there before is for a person"
    assert count_to_credit(study) == others + 1
    client, page = signed_in(researcher), reverse("crowd_pay", args=[study.slug])
    assert f"{others + 1} submitted tasks are not credited yet" in words(client, page)
    assert approve_oldest(study=study, by=researcher, actor=OPERATOR) == others + 1
    assert LedgerEntry.objects.filter(member__pseudonym="A").balance() == 150
    assert count_to_credit(study) == 0
    assert approve_oldest(study=study, by=researcher, actor=OPERATOR) == 0
    assert LedgerEntry.objects.filter(member__pseudonym="A").balance() == 150


def test_it_is_credited_alone_and_by_one_who_saw_nothing_else_wait(study: Study, researcher: Member) -> None:
    approved_aside(study)
    for place in [*submitted_places(study, "B"), *submitted_places(study, "C")]:
        reject(assignment=place, because="Not read", by=None, actor=OPERATOR)
    agree(study, reward=150)
    client, page = signed_in(researcher), reverse("crowd_pay", args=[study.slug])
    assert "1 submitted task is not credited yet" in words(client, page)
    assert 'name="oldest" value="0"' in words(client, page)
    assert "1 task approved and credited." in client.post(page, {"step": "approve", "oldest": "0"}, follow=True).text
    assert LedgerEntry.objects.balance() == 150


def test_what_was_rejected_done_anew_and_approved_is_counted_once(study: Study) -> None:
    place = submitted_places(study, "A")[0]
    annotator = study.members.get(pseudonym="A")
    reject(assignment=place, because="Not read", by=None, actor=OPERATOR)
    place.refresh_from_db()
    assert lease_assignment(place=place, annotator=annotator)
    for item in place.hit.items.all():
        submit(place, item)
    place.refresh_from_db()
    approve(assignment=place, by=None, actor=OPERATOR)
    agree(study, reward=150)
    waiting, budget = to_approve(study).count(), budget_of(study)
    assert budget is not None
    assert (budget.committed, count_to_credit(study)) == (150 * waiting, waiting)
