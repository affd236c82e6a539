"""The demo's crowd: every page of the tab has something real to show, and its people are paid what they are owed."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db.models import Sum
from django.test import Client, TestCase
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from annotation_platform.accounts.models import User
from annotation_platform.accounts.views import DEMO_ROLES
from annotation_platform.crowd.checks.models import CheckAction
from annotation_platform.crowd.pages import GROUPS
from annotation_platform.crowd.pay.models import EntryKind, LedgerEntry, PaymentState
from annotation_platform.crowd.review.models import Review, ReviewState
from annotation_platform.crowd.rounds.models import Attempt, Verdict
from annotation_platform.demo.crowd import NAME, prepare_crowd
from annotation_platform.demo.management.commands.prepare_demo import Command
from annotation_platform.demo.recorded import SAMPLES
from annotation_platform.demo.samples import FIRST, corpus_name
from annotation_platform.studies.models import BatchState, Study
from annotation_platform.studies.services.deleting import delete_study
from tests.crowd.pieces import signed_in, words
from tests.factories import OPERATOR

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("the demo's crowd")]
SHOWN = {
    "sources": "3 came",
    "consent_texts": "9 agreed, 1 did not",
    "crowd_languages": 'value="en" checked',
    "rounds": "First catch",
    "checks": "warned",
    "monitor": "Demo annotator",
    "crowd_release": "The first batch was done within the hour.",
    "reviews": "Approve it …",
    "crowd_late": "of them late",
    "adjudication": "",
    "crowd_messages": "not in the article",
    "crowd_announcements": "every twelve hours",
    "crowd_faq": "When is the bonus of a batch paid?",
    "crowd_pay": "Payment 2",
}


@pytest.fixture(scope="module")
def users(module_db: None, django_db_blocker: DjangoDbBlocker) -> dict[str, User]:
    """The demo's three, and the study, made once for all tests here."""
    sample = SAMPLES / FIRST
    made = {role: Command._user(role) for role in DEMO_ROLES}
    call_command("import_study", "native", str(sample), name=corpus_name(sample), stdout=StringIO(), stderr=StringIO())
    with TestCase.captureOnCommitCallbacks(execute=True):  # what follows failed checks
        prepare_crowd(source=Study.objects.get(name=corpus_name(sample)), users=made)
    return made


@pytest.fixture
def study(users: dict[str, User]) -> Study:
    return Study.objects.get(name=NAME)


@pytest.fixture
def researcher(users: dict[str, User], study: Study) -> Client:
    return signed_in(study.members.get(user=users["researcher"]))


def test_every_page_of_the_tab_has_something_to_show(study: Study, researcher: Client) -> None:
    pages = [page for group in GROUPS for page in group.pages]
    assert {page.name for page in pages} == SHOWN.keys()
    overview = words(researcher, reverse("crowd", args=[study.slug]))
    for page in pages:
        address = reverse(page.name, args=[study.slug])
        assert f'<a href="{address}">{page.title}</a>: <span class="muted">{page.about}' in overview
        shown = words(researcher, address)
        assert SHOWN[page.name] in shown, page.name
        assert re.search(f'<a href="{address}" aria-current="page"> ?{page.title} ?(</a>|<span)', shown), page.name


def test_what_the_crowd_did_stands_where_a_researcher_looks(study: Study) -> None:
    verdicts = Attempt.objects.filter(round__study__qualifies_for=study).values_list("verdict", flat=True)
    assert sorted(verdicts) == sorted([*[Verdict.PASSED] * 7, Verdict.FAILED, Verdict.PENDING])
    states = study.batches.order_by("number").values_list("state", flat=True)
    assert [*states[:3]] == [BatchState.CLOSED, BatchState.OPEN, BatchState.DRAFT]
    assert CheckAction.objects.get(annotator__study=study, undone_at=None).annotator.pseudonym == "Jay"
    reviews = Review.objects.filter(annotator__study=study)
    assert [each.annotator.pseudonym for each in reviews if each.state == ReviewState.APPEALED] == ["Jay"]


def test_the_first_batch_is_paid_and_a_payment_for_the_second_waits_for_another_person(study: Study) -> None:
    first, second = study.payment_runs.order_by("number")
    assert (first.state, second.state) == (PaymentState.APPROVED, PaymentState.PROPOSED)
    assert first.approved_by != first.made_by
    ledger = LedgerEntry.objects.filter(study=study)
    paid = ledger.filter(kind=EntryKind.PAYMENT).aggregate(sum=Sum("amount"))["sum"]
    assert -paid == first.lines.aggregate(sum=Sum("amount"))["sum"] == 12 * 70 * 1.2
    assert ledger.aggregate(sum=Sum("amount"))["sum"] == second.lines.aggregate(sum=Sum("amount"))["sum"]


def test_the_demos_annotator_has_earned_something_and_may_go_on(users: dict[str, User], study: Study) -> None:
    annotator = signed_in(study.members.get(user=users["annotator"]))
    assert NAME in words(annotator, reverse("earnings"))
    home = words(annotator, reverse("work"))
    assert "Start the next task" in home
    assert "every twelve hours" in home
    assert "One task waits for review" not in home  # what was done in the round has had its verdict
    assert home.count("See how you stand") == 1


def test_it_is_made_once_and_again_where_it_was_deleted(users: dict[str, User], study: Study) -> None:
    source = Study.objects.get(name=corpus_name(SAMPLES / FIRST))
    prepare_crowd(source=source, users=users)
    assert Study.objects.filter(name=NAME).count() == 1
    delete_study(study=study, typed_name=NAME, actor=OPERATOR)
    assert not Study.objects.filter(name=NAME).exists()
    prepare_crowd(source=source, users=users)
    assert Study.objects.filter(name=NAME).count() == 1
