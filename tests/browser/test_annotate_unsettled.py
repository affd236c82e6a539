"""What was changed after it was submitted, going back to it by keys, and small screens."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.studies.models import Assignment, AssignmentState, Member
from tests.browser.question_page import PHONE, SAVED, fill_in, question, reasons, save_state, wait_until
from tests.factories import submit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CHANGED = "Changed, not submitted yet"
ZOOMED = {"viewport": {"width": 180, "height": 370}, "has_touch": True}  # 360 pixels at 200 %


@pytest.fixture
def judged(place: Assignment) -> Assignment:
    """The place with its first question submitted."""
    submit(place, place.hit.items.get(position=1))
    return place


def test_a_change_is_called_one_until_it_is_taken_back(
    open_page: Any, annotator: Member, judged: Assignment, assert_accessible: Any
) -> None:
    page = open_page(annotator.user)
    page.goto(question(judged))
    text = reasons(page).input_value()
    reasons(page).fill("On second thought, sentence 5.")
    save_state(page).to_have_text(CHANGED)
    expect(page.locator("#changed")).to_be_visible()
    assert_accessible(page)
    reasons(page).fill(text)
    save_state(page).to_have_text(SAVED)
    expect(page.locator("#changed")).to_be_hidden()
    assert not Draft.objects.exists()


def test_a_dropped_change_is_gone_from_the_page_too(open_page: Any, annotator: Member, judged: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(judged))
    text = reasons(page).input_value()
    reasons(page).fill("On second thought, sentence 5.")
    save_state(page).to_have_text(CHANGED)
    page.reload()
    save_state(page).to_have_text(CHANGED)
    page.get_by_role("button", name="Drop the change").click()
    page.wait_for_url(re.compile("/2/"))
    page.goto(question(judged))
    expect(reasons(page)).to_have_value(text)
    expect(page.locator("#changed")).to_be_hidden()
    assert not Draft.objects.exists()


def test_the_last_answer_lost_on_the_way_is_sent_again_and_leaves_no_draft(
    open_page: Any, annotator: Member, judged: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(judged, 2))
    fill_in(page)
    save_state(page).to_have_text(SAVED)

    def lose_the_answer(route: Any) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    address = re.compile(r"/2/$")
    page.route(address, lose_the_answer)
    page.locator("#submit").click()
    expect(page.locator("#not-sent")).to_contain_text("Not submitted: no connection")
    judged.refresh_from_db()
    assert judged.state == AssignmentState.SUBMITTED
    page.unroute(address)
    save_state(page).to_have_text(SAVED)
    assert not Draft.objects.exists()
    page.locator("#submit").click()
    page.wait_for_url(re.compile("/done/"))
    assert Annotation.objects.count() == 2


def test_a_submitted_question_is_reached_and_changed_by_keys(
    open_page: Any, annotator: Member, judged: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(judged, 2))
    page.keyboard.press(",")
    page.wait_for_url(re.compile("/1/$"))
    expect(page.locator(".step").first).to_have_class(re.compile("is-active"))
    page.keyboard.press("2")
    expect(page.locator('input[name="aspect-correct"]').nth(1)).to_be_checked()
    save_state(page).to_have_text(CHANGED)
    page.keyboard.press(".")
    page.wait_for_url(re.compile("/2/$"))


def test_the_question_is_read_beside_the_document_on_a_phone(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user, **PHONE)
    page.goto(question(place))
    asked = page.locator(".sheet-question")
    expect(asked).to_be_hidden()
    page.get_by_role("button", name="Document").tap()
    expect(asked).to_be_in_viewport()
    expect(asked).to_have_text(place.hit.items.get(position=1).question.text)
    page.locator("[data-sentence]").last.scroll_into_view_if_needed()
    expect(asked).to_be_in_viewport()


@pytest.mark.parametrize("address", ["/work/", "judge", "give_back", "messages"])
def test_pages_fit_a_phone_at_twice_the_size(
    open_page: Any, annotator: Member, judged: Assignment, address: str
) -> None:
    page = open_page(annotator.user, **ZOOMED)
    base = f"/work/assignments/{judged.pk}/"
    page.goto(
        {"judge": base + "1/", "give_back": base + "return/", "messages": base + "messages/"}.get(address, address)
    )
    wide = page.evaluate(
        """[...document.querySelectorAll('main *, header *')].filter((each) => each.checkVisibility()
            && each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.tagName + each.className)"""
    )
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), wide
    if address == "judge":
        page.mouse.wheel(0, 600)
        wait_until(page, "window.scrollY > 100")
        staying = page.evaluate(
            """[...document.querySelectorAll('.task-bar, .sheet-bar')].map((each) => each.getBoundingClientRect())
                .reduce((sum, at) => sum + Math.max(0, Math.min(at.bottom, innerHeight) - Math.max(at.top, 0)), 0)"""
        )
        assert staying < 0.25 * 370


def test_what_is_typed_after_submitting_in_another_tab_is_called_a_change(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    for item in place.hit.items.all():
        submit(place, item)
    reasons(page).fill("Typed in the tab that knows nothing of it")
    save_state(page).to_have_text(CHANGED)
    expect(page.locator("#time-left")).to_be_hidden()
