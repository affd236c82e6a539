"""The question page in a real browser: by keyboard, by mouse, on a phone, for everybody."""

import copy
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset
from annotation_platform.studies.models import Assignment, AssignmentState, Member, Study
from annotation_platform.studies.services import claim_assignment
from tests import rests_on
from tests.browser.question_page import PHONE, fill_in, question, reasons, sentences
from tests.factories import OPERATOR, MemberFactory, judgment, make_corpus, open_study, submit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_two_questions_by_keyboard_alone(open_page: Any, study: Study, annotator: Member) -> None:
    page = open_page(annotator.user)
    page.goto("/work/")
    button = page.get_by_role("button", name="Start the next task")
    for _ in range(12):
        page.keyboard.press("Tab")
        if button.evaluate("it => it === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Worked examples")).to_be_visible()
    go_on = page.get_by_role("link", name="To the questions")
    go_on.focus()
    page.keyboard.press("Enter")

    expect(page.get_by_text("Question 1 of 2")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("1")  # the first step is the active one; then comes the next
    page.keyboard.press("2")
    page.keyboard.type("3, 5-7")  # a number in a step of sentences begins to be typed
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("It leaves out 3 things: c, d and i?")
    page.keyboard.press("Control+Enter")

    expect(page.get_by_text("Question 2 of 2")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("2")
    page.keyboard.press("4")
    page.keyboard.press("j")  # to the document: the anchored sentence, which is sentence 2
    page.keyboard.press("j")
    page.keyboard.press("c")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(sentences(page)).to_have_value("3, 4")
    page.keyboard.press("d")  # back to where it came from
    page.keyboard.press("n")
    page.keyboard.type("It says nothing of sentence 3.")
    page.keyboard.press("Control+Enter")

    page.wait_for_url("**/done/")
    first, second = Annotation.objects.order_by("item__position")
    assert first.values == {
        "correct": "yes",
        "completeness": "missing_minor",
        "sentences": [3, 5, 6, 7],
        "reasons": "It leaves out 3 things: c, d and i?",
    }
    assert second.values == {
        "correct": "no",
        "completeness": "missing_all",
        "sentences": [3, 4],
        "reasons": "It says nothing of sentence 3.",
    }
    assert Assignment.objects.get(annotator=annotator).state == AssignmentState.SUBMITTED


def test_citing_by_mouse_and_typing_are_one_thing(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    none = page.get_by_label("No sentence answers it")
    page.locator("[data-sentence='5']").click()
    page.locator("[data-sentence='3']").click()
    expect(sentences(page)).to_have_value("3, 5")
    sentences(page).fill("3, 5-7")
    expect(page.locator("[data-sentence='6']")).to_have_attribute("aria-pressed", "true")
    page.locator("[data-sentence='6']").click()
    expect(sentences(page)).to_have_value("3, 5, 7")
    none.check()
    expect(sentences(page)).to_have_value("")
    expect(page.locator("[aria-pressed='true']")).to_have_count(0)
    none.uncheck()
    expect(sentences(page)).to_have_value("3, 5, 7")
    none.check()
    page.locator("[data-sentence='1']").click()
    expect(none).not_to_be_checked()
    none.focus()
    page.locator("[data-sentence='2']").hover()
    page.keyboard.press("c")
    expect(sentences(page)).to_have_value("1, 2")


def test_conditional_aspects_come_and_go_and_keep_what_they_held(open_page: Any, transactional_db: None) -> None:
    definition = copy.deepcopy(preset("ebr")) | {"examples": []}
    definition["aspects"][1]["shown_when"] = {"aspect": "correct", "is": ["yes"]}
    definition["aspects"][3]["shown_when"] = {"aspect": "completeness", "is": ["missing_minor", "missing_major"]}
    study = open_study(corpus=make_corpus(questions=1), definition=definition)
    annotator = MemberFactory(study=study)
    page = open_page(annotator.user)
    page.goto(question(claim_assignment(annotator=annotator, actor=OPERATOR)))
    completeness, why = page.locator("#aspect-completeness-step"), page.locator("#aspect-reasons-step")
    expect(completeness).to_be_hidden()
    expect(why).to_be_hidden()
    page.keyboard.press("1")
    expect(completeness).to_be_visible()
    page.keyboard.press("3")
    reasons(page).fill("Only when something is missing")
    page.locator('input[name="aspect-correct"][value="no"]').check()
    expect(completeness).to_be_hidden()
    expect(why).to_be_hidden()
    page.locator('input[name="aspect-correct"][value="yes"]').check()
    expect(reasons(page)).to_have_value("Only when something is missing")
    page.locator('input[name="aspect-correct"][value="no"]').check()
    page.get_by_label("No sentence answers it").check()
    page.locator("#submit").click()
    page.wait_for_url("**/done/")
    assert Annotation.objects.get().values == {"correct": "no", "sentences": []}


@pytest.mark.parametrize("blank", [".", "。", "、", ";"])
def test_a_lone_sign_in_a_list_of_sentences_says_nothing(open_page: Any, transactional_db: None, blank: str) -> None:
    definition = copy.deepcopy(preset("ebr")) | {"examples": []}
    definition["aspects"][3]["shown_when"] = {"aspect": "sentences", "answered": True}
    study = open_study(corpus=make_corpus(questions=1), definition=definition)
    annotator = MemberFactory(study=study)
    page = open_page(annotator.user)
    page.goto(question(claim_assignment(annotator=annotator, actor=OPERATOR)))
    why = page.locator("#aspect-reasons-step")
    sentences(page).fill("3")
    expect(why).to_be_visible()
    sentences(page).fill(blank)
    expect(why).to_be_hidden()
    sentences(page).fill("none")
    expect(why).to_be_visible()


def test_a_scheme_without_a_document_is_one_column(
    open_page: Any, assert_accessible: Any, transactional_db: None
) -> None:
    definition = copy.deepcopy(preset("ebr")) | {"examples": [], "shown": ["question", "answer"]}
    del definition["aspects"][2]
    study = open_study(corpus=make_corpus(questions=1), definition=definition)
    annotator = MemberFactory(study=study)
    for screen in (PHONE, {}):
        page = open_page(annotator.user, **screen)
        page.goto(question(claim_assignment(annotator=annotator, actor=OPERATOR)))
        expect(page.locator("#document, .sheet-bar")).to_have_count(0)
        assert_accessible(page)
    for key in ("d", "j", "c", "1", "2"):
        page.keyboard.press(key)
    page.keyboard.type("It leaves out the second reason.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done/")
    assert Annotation.objects.get().values["reasons"] == "It leaves out the second reason."


def test_single_keys_can_be_switched_off_and_are_silent_while_typing(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    reasons(page).press_sequentially("1 i ? d c j")
    expect(reasons(page)).to_have_value("1 i ? d c j")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator('input[type="radio"]:checked')).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.get_by_label("Single keys are on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.reload()
    page.keyboard.press("1")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator('input[type="radio"]:checked')).to_have_count(0)


def test_instructions_are_one_key_away(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.keyboard.press("i")
    expect(page.locator("#instructions")).to_contain_text("Worked examples")
    page.keyboard.press("Escape")
    expect(page.locator("#instructions")).to_be_hidden()


def test_on_a_phone_the_document_is_a_sheet(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user, **PHONE)
    page.goto(question(place))
    document = page.locator("#document")
    expect(document).to_be_hidden()
    opener = page.get_by_role("button", name="Document")
    opener.tap()
    expect(document).to_be_in_viewport()
    page.locator("[data-sentence='2']").tap()
    page.locator("[data-sentence='3']").tap()
    page.get_by_role("button", name="Close").tap()
    expect(document).to_be_hidden()
    expect(opener).to_contain_text("2 cited")
    expect(opener).to_be_focused()
    expect(sentences(page)).to_have_value("2, 3")
    opener.tap()
    page.keyboard.press("Escape")
    expect(document).to_be_hidden()
    opener.tap()
    swipe_down(page, "#document .document-head")
    expect(document).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def swipe_down(page: Page, selector: str) -> None:
    page.locator(selector).evaluate(
        """(it) => {
            const touch = (y) => new Touch({identifier: 1, target: it, clientX: 100, clientY: y});
            const fire = (type, y) => it.dispatchEvent(new TouchEvent(type, {
                bubbles: true, touches: type === "touchend" ? [] : [touch(y)], changedTouches: [touch(y)]}));
            fire("touchstart", 80);
            fire("touchend", 300);
        }"""
    )


def test_a_word_to_the_researcher_is_sent_without_leaving_the_question(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    reasons(page).fill("Half a thought")
    page.get_by_text("A word to the researcher").click()
    page.get_by_label("Is something unclear").fill("Sentence 4 is cut off.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".thread li")).to_contain_text("Sentence 4 is cut off.")
    expect(reasons(page)).to_have_value("Half a thought")
    assert place.messages.get().text == "Sentence 4 is cut off."


def test_a_word_that_cannot_be_sent_stays_with_the_reason(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.get_by_text("A word to the researcher").click()
    word = page.get_by_label("Is something unclear")
    told = page.locator(".thread .field-error")
    word.fill("Sentence 4 is cut off.")
    page.context.set_offline(True)
    page.get_by_role("button", name="Send").click()
    expect(told).to_contain_text("Not sent")
    page.context.set_offline(False)
    Assignment.objects.filter(pk=place.pk).update(annotator=None, state=AssignmentState.OPEN, lease_expires_at=None)
    page.get_by_role("button", name="Send").click()
    expect(told).to_contain_text("it is not yours")
    expect(word).to_have_value("Sentence 4 is cut off.")


def test_a_word_that_was_not_sent_is_there_on_the_next_question(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.get_by_text("A word to the researcher").click()
    word = page.get_by_label("Is something unclear")
    word.fill("Sentence 4 is cut off.")
    fill_in(page)
    page.locator("#submit").click()
    page.wait_for_url("**/2/")
    expect(word).to_be_visible()
    expect(word).to_have_value("Sentence 4 is cut off.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".thread li")).to_contain_text("Sentence 4 is cut off.")
    expect(word).to_have_value("")
    page.reload()
    expect(word).to_have_value("")
    assert place.messages.count() == 1


@pytest.mark.long(*rests_on.PAGES)
@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
def test_every_page_is_accessible(
    open_page: Any, assert_accessible_in_both: Any, annotator: Member, place: Assignment, screen: dict[str, Any]
) -> None:
    page = open_page(annotator.user, reduced_motion="reduce", **screen)
    for url in ("/work/", f"/work/assignments/{place.pk}/", f"/work/assignments/{place.pk}/messages/"):
        page.goto(url)
        assert_accessible_in_both(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), url
    page.goto(question(place))
    page.locator("[name='aspect-sentences']").fill("1, 3")
    assert_accessible_in_both(page)
    for key, dialog in (("?", "#keys"), ("i", "#instructions")):
        page.keyboard.press("Escape")
        page.keyboard.press(key)
        expect(page.locator(dialog)).to_be_visible()
        if dialog == "#instructions":
            expect(page.locator(dialog)).to_contain_text("Worked examples")
        assert_accessible_in_both(page)
        page.keyboard.press("Escape")
    if screen:
        page.locator("[data-sheet='toggle']").tap()
        assert_accessible_in_both(page)
        page.keyboard.press("Escape")
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_be_visible()
    assert_accessible_in_both(page)
    for item in place.hit.items.all():
        submit(place, item, **judgment())
    page.goto(f"/work/assignments/{place.pk}/done/")
    assert_accessible_in_both(page)
    page.goto("/work/")
    assert_accessible_in_both(page)


def test_targets_are_large_enough(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user, **PHONE)
    page.goto(question(place))
    small = page.evaluate(
        """() => [...document.querySelectorAll("a, button, input, textarea, summary, label")]
            .filter((it) => it.checkVisibility({visibilityProperty: true}) && !it.matches(".skip-link, label input"))
            .map((it) => [it.outerHTML.slice(0, 80), it.getBoundingClientRect()])
            .filter(([html, box]) => box.width > 0 && (box.width < 24 || box.height < 24))
            .map(([html, box]) => `${html} ${box.width} x ${box.height}`)"""
    )
    assert small == []
