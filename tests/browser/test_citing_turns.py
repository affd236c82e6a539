"""Citing sentences inside the turns of a conversation in a real browser: by press, by keys, typed, on a phone."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.annotations.models import Annotation
from annotation_platform.studies.models import Assignment, Member, Study
from annotation_platform.studies.services import claim_assignment
from tests.browser.question_page import PHONE, question, save_state
from tests.browser.test_conversations import seen
from tests.factories import OPERATOR, MemberFactory
from tests.talks import CITING, PAIR_CITING, study_of_talks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def long_one(study: Study) -> tuple[Member, Assignment, int]:
    """Somebody with the task in which the long conversation is judged, and where."""
    while True:
        annotator = MemberFactory(study=study)
        place = claim_assignment(annotator=annotator, actor=OPERATOR)
        for item in place.hit.items.filter(question__external_id="ice", candidates__answer__system__name="alder"):
            return annotator, place, item.position


def sentence(page: Page, reference: str) -> Any:
    return page.locator(f'[data-sentence="{reference}"]')


def where(page: Page) -> Any:
    return page.locator('input[name="aspect-where"]')


def test_sentences_of_turns_are_cited_by_press_by_keys_and_typed(
    open_page: Any, assert_accessible: Any, tmp_path: Path
) -> None:
    study = study_of_talks(tmp_path, CITING, questions_per_hit=2, overlap=2)
    annotator, place, position = long_one(study)
    page = open_page(annotator.user)
    page.goto(question(place, position))
    assert_accessible(page)
    sentence(page, "T8:1").click()
    expect(where(page)).to_have_value("T8:1")
    expect(sentence(page, "T8:1")).to_have_attribute("aria-pressed", "true")
    sentence(page, "T10:1").click()
    expect(where(page)).to_have_value("T8:1, T10:1")
    page.locator("h1").click()
    sentence(page, "T8:1").focus()
    page.keyboard.press("j")
    expect(sentence(page, "T10:1")).to_be_focused()
    page.keyboard.press("c")
    expect(where(page)).to_have_value("T8:1")
    page.keyboard.press("k")
    page.keyboard.press("k")
    expect(sentence(page, "T7:1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(where(page)).to_have_value("T7:1, T8:1")
    expect(page.get_by_text("Answer briefly.")).to_be_hidden()
    where(page).fill("t1:1, T10:1")
    expect(sentence(page, "T10:1")).to_have_attribute("aria-pressed", "true")
    expect(sentence(page, "T8:1")).to_have_attribute("aria-pressed", "false")
    save_state(page).to_have_text("Saved")
    page.reload()
    expect(page.get_by_text("Answer briefly."), "what is cited stands unfolded").to_be_visible()
    expect(sentence(page, "T1:1")).to_have_attribute("aria-pressed", "true")
    assert_accessible(page)
    seen(page, "citing-light")
    page.locator('input[name="aspect-good"][value="yes"]').check()
    page.locator("#submit").click()
    expect(page).not_to_have_url(re.compile(f"/{position}/$"))
    assert Annotation.objects.get().values["where"] == ["T1:1", "T10:1"]


def test_on_a_phone_in_the_dark(open_page: Any, assert_accessible: Any, tmp_path: Path) -> None:
    study = study_of_talks(tmp_path, CITING, questions_per_hit=2, overlap=2)
    annotator, place, position = long_one(study)
    page = open_page(annotator.user, color_scheme="dark", **PHONE)
    page.goto(question(place, position))
    sentence(page, "T10:1").tap()
    expect(where(page)).to_have_value("T10:1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    box = sentence(page, "T10:1").bounding_box()
    assert box is not None
    assert box["height"] >= 24
    page.get_by_text("Show 4 earlier turns").tap()
    sentence(page, "T1:1").tap()
    expect(where(page)).to_have_value("T1:1, T10:1")
    assert_accessible(page)
    seen(page, "citing-phone-dark")


def test_what_a_candidate_says_is_cited_where_one_is_asked_about_it(
    open_page: Any, assert_accessible: Any, tmp_path: Path
) -> None:
    study = study_of_talks(tmp_path, PAIR_CITING, overlap=1)
    annotator = MemberFactory(study=study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    (item,) = place.hit.items.filter(question__external_id="sea")
    page = open_page(annotator.user)
    page.goto(question(place, item.position))
    cards = [page.locator(".candidate", has_text=text) for text in ("Really?", "The moon.")]
    fields = [card.locator("fieldset input[type=text]") for card in cards]
    cards[0].locator('[data-sentence="T3:1"]').click()
    cards[1].locator('[data-sentence="T2:1"]').click()
    expect(fields[0]).to_have_value("T3:1")
    expect(fields[1]).to_have_value("T2:1")
    expect(cards[0].locator('[data-sentence="T2:1"]')).to_have_attribute("aria-pressed", "false")
    expect(cards[1].locator('[data-sentence="T2:1"]')).to_have_attribute("aria-pressed", "true")
    page.locator('input[name="aspect-asked"]').focus()
    sentence(page, "T1:1").click()
    expect(page.locator('input[name="aspect-asked"]')).to_have_value("T1:1")
    fields[0].focus()
    sentence(page, "T1:1").click()
    expect(fields[0]).to_have_value("T1:1, T3:1")
    assert_accessible(page)
    seen(page, "citing-candidates")
    save_state(page).to_have_text("Saved")
    page.reload()
    expect(cards[0].locator('[data-sentence="T3:1"]')).to_have_attribute("aria-pressed", "true")
    expect(cards[0].locator('[data-sentence="T2:1"]')).to_have_attribute("aria-pressed", "false")
