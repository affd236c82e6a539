"""Conversations, announcements and the annotator's home in a real browser."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation_platform.annotations.services import send_message, send_message_about_study
from annotation_platform.crowd.talk.models import Audience
from annotation_platform.crowd.talk.services.announcements import announce
from annotation_platform.crowd.talk.services.faq import add_entry
from annotation_platform.studies.models import Assignment, Member, Role, Study
from tests import rests_on
from tests.browser.conftest import OpenPage
from tests.factories import OPERATOR, MemberFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def researcher(study: Study, annotator: Member, place: Assignment) -> Member:
    """One who has been written to, has answered, announced something and answers a frequent question."""
    member: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    send_message(assignment=place, author=annotator, text="Sentence 4 is cut off.", actor=OPERATOR)
    send_message(assignment=place, author=member, text="Judge it as it stands.", actor=OPERATOR)
    send_message_about_study(annotator=annotator, author=annotator, text="When is the pay?", actor=OPERATOR)
    announce(author=member, text="Answer all questions.", audience=Audience.ALL, by_mail=False, actor=OPERATOR)
    texts = {"question_ja": "いつですか。", "answer_ja": "金曜日です。"}
    add_entry(study=study, question_en="When is the pay?", answer_en="On Friday.", **texts, actor=OPERATOR)
    return member


def annotators_pages(study: Study) -> list[str]:
    in_study = [reverse(name, args=[study.slug]) for name in ("my_study_messages", "faq", "leave_study")]
    return [*map(reverse, ("work", "my_messages", "my_data", "mail_wishes")), *in_study]


@pytest.mark.long(*rests_on.PAGES)
def test_the_pages_are_accessible(
    open_page: OpenPage,
    assert_accessible_in_both: Callable[[Page], None],
    study: Study,
    annotator: Member,
    researcher: Member,
) -> None:
    names = ("crowd_messages", "crowd_announcements", "crowd_faq", "new_faq_entry")
    researchers = [reverse(name, args=[study.slug]) for name in names]
    for member, paths in ((annotator, annotators_pages(study)), (researcher, researchers)):
        page = open_page(member.user)
        for path in paths:
            page.goto(path)
            assert_accessible_in_both(page)


@pytest.mark.parametrize("locale", ["en-GB", "ja"])
def test_the_annotators_pages_fit_on_a_phone(
    open_page: OpenPage, study: Study, annotator: Member, researcher: Member, locale: str
) -> None:
    page = open_page(annotator.user, viewport={"width": 360, "height": 740}, locale=locale)
    for path in annotators_pages(study):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path


def test_a_message_is_answered_in_place_and_waits_no_more(
    open_page: OpenPage, study: Study, researcher: Member
) -> None:
    page = open_page(researcher.user)
    page.goto(reverse("crowd_messages", args=[study.slug]))
    card = page.locator("article", has_text="When is the pay?")
    expect(card.get_by_text("to answer")).to_be_visible()
    card.get_by_role("textbox").fill("On Friday.")
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_text("On Friday.")).to_be_visible()
    expect(card.get_by_text("to answer")).to_be_hidden()
    expect(card.get_by_role("textbox")).to_have_value("")


def test_an_announcement_is_put_away_where_one_judges(
    open_page: OpenPage, place: Assignment, annotator: Member, researcher: Member
) -> None:
    page = open_page(annotator.user)
    page.goto(reverse("judge", args=[place.pk, 1]))
    page.get_by_label("Why do you think so?").fill("Half a sentence")
    page.get_by_role("button", name="I have read it").click()
    expect(page.get_by_text("Answer all questions.")).to_be_hidden()
    expect(page.get_by_label("Why do you think so?")).to_have_value("Half a sentence")
    page.reload()
    expect(page.get_by_text("Answer all questions.")).to_be_hidden()


def test_frequent_questions_are_found_while_one_types(
    open_page: OpenPage, study: Study, annotator: Member, researcher: Member
) -> None:
    page = open_page(annotator.user)
    page.goto(reverse("faq", args=[study.slug]))
    page.get_by_role("searchbox").fill("windmill")
    expect(page.get_by_text("No answer has these words.")).to_be_visible()
    page.get_by_role("searchbox").fill("friday")
    expect(page.get_by_role("heading", name="When is the pay?")).to_be_visible()
