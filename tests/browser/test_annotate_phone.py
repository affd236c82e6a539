"""The question page on a phone: going back, being led to a mistake, long texts, large letters."""

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from annotation_platform.studies.models import Assignment, Member
from annotation_platform.studies.services import claim_assignment
from tests.annotations.every_kind import study_of
from tests.browser.question_page import PHONE, question, reasons, wait_until
from tests.factories import OPERATOR, MemberFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TWICE_THE_SIZE = {"viewport": {"width": 180, "height": 370}, "has_touch": True, "is_mobile": True}


def test_going_back_closes_the_document_and_stays_at_the_question(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user, **PHONE)
    page.goto("/work/")
    page.goto(question(place))
    for close in (page.go_back, page.get_by_role("button", name="Close").tap):
        page.get_by_role("button", name="Document").tap()
        expect(page.locator("#document")).to_be_in_viewport()
        close()
        expect(page.locator("#document")).to_be_hidden()
        wait_until(page, "history.state === null")
        assert page.url.endswith(question(place))
    page.go_back()
    assert page.url.endswith("/work/")


def test_the_way_from_a_mistake_leads_to_its_question_too(open_page: Any, transactional_db: None) -> None:
    place = claim_assignment(annotator=MemberFactory(study=study_of("every_kind")), actor=OPERATOR)
    assert place.annotator is not None
    page = open_page(place.annotator.user, **PHONE)
    page.goto(question(place))
    page.locator("#submit").tap()
    expect(page.locator("#errors strong")).to_be_in_viewport(ratio=1)
    bar = page.locator(".candidate-tabs")
    for letter in ("B", "D"):
        page.locator("#errors a", has_text=f"{letter} 2.").tap()
        title = page.locator(".candidate:visible legend").nth(1)
        expect(title).to_be_in_viewport(ratio=1)
        assert top(title) >= top(bar) + height(bar)
        page.locator("#errors").scroll_into_view_if_needed()


def test_the_field_grows_with_what_is_written_in_it(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user, **PHONE)
    page.goto(question(place))
    before = height(reasons(page))
    reasons(page).fill("It leaves out why. " * 15)
    assert before < height(reasons(page)) < 740
    assert reasons(page).evaluate("field => field.scrollHeight <= field.clientHeight + 1")


def test_an_emoji_counts_as_one_character_as_on_the_server(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user, **PHONE)
    page.goto(question(place))
    counter = page.locator(".counter").last
    reasons(page).fill("😀" * 4_990)
    expect(counter).to_have_text("10 characters left")
    reasons(page).fill("😀" * 7_000)
    expect(counter).to_have_text("2,000 characters too many")


def test_words_stay_whole_at_twice_the_size(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user, **TWICE_THE_SIZE)
    page.goto(question(place))
    page.locator('input[name="aspect-sentences"]').fill("2, 3")
    expect(page.locator("#cited-count")).to_have_text("2 cited")
    for place_of_word in (page.locator("[data-sheet='toggle']"), page.get_by_text("Complete", exact=True)):
        lines = place_of_word.evaluate(
            """(it) => {
                const range = document.createRange();
                range.selectNode([...it.childNodes].find((each) => each.nodeType === 3 && each.data.trim()));
                return new Set([...range.getClientRects()].map((each) => Math.round(each.top))).size;
            }"""
        )
        assert lines == 1


def top(shown: Locator) -> float:
    return float(shown.evaluate("it => it.getBoundingClientRect().top"))


def height(shown: Locator) -> float:
    return float(shown.evaluate("it => it.getBoundingClientRect().height"))
