"""Marking words of conversations: turns keep roles and calls, and each word its place in the one text."""

from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.turns import Turn, reply_as_text, turns_of
from annotation_platform.corpus.models import Answer
from annotation_platform.studies.models import Assignment, Item, Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.browser.marking import listed, mark_by_keyboard
from tests.browser.question_page import PHONE, question
from tests.browser.test_annotate_spans import bar, box_of, drag_over
from tests.browser.test_conversations import seen
from tests.factories import OPERATOR, MemberFactory
from tests.talks import CALL, study_of_talks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LABELS = """\
    labels:
      - {key: wrong, label: It is false}
      - {key: vague, label: It is vague}
"""
MARKING = f"""\
key: reply
title: A reply
shown: [question, answer]
aspects:
  - key: errors
    kind: spans
    title: Mark what is wrong
    marks: [question, answer]
{LABELS}"""
MARKING_PAIR = f"""\
key: pair
title: A pair
shown: [question, candidates]
aspects:
  - key: errors
    kind: spans
    per: candidate
    title: Mark what is wrong
    marks: [answer]
    required: false
{LABELS}"""
TALK: list[dict[str, Any]] = [
    {"role": "assistant", "text": "I look it up."},
    {"role": "assistant", "text": "", "calls": [CALL]},
    {"role": "user", "text": "And \U0001f6a2 ships?"},
    {"role": "assistant", "text": "Ships are hollow."},
]
SAID = reply_as_text(turns_of(TALK))


def study_with(tmp_path: Path, scheme: str, turns: list[dict[str, Any]]) -> Study:
    """The talks, with these turns as every answer that has some."""
    study = study_of_talks(tmp_path, scheme)
    answers = Answer.objects.filter(question__article__corpus=study.corpus)
    answers.exclude(turns=None).update(turns=turns, text=reply_as_text(turns_of(turns)))
    return study


def opened(open_page: Any, study: Study, position: int = 1, **options: Any) -> Page:
    annotator = MemberFactory(study=study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    page: Page = open_page(annotator.user, reduced_motion="reduce", **options)
    page.goto(question(place, position))
    page.wait_for_load_state()
    return page


def span(words: str, label: str = "wrong", *, end: str = "") -> dict[str, Any]:
    start = SAID.index(words)
    last = SAID.index(end) + len(end) if end else start + len(words)
    return {"text": "answer", "start": start, "end": last, "label": label}


def stored(page: Page) -> Any:
    with page.expect_navigation():
        page.locator("#submit").click()
    return Annotation.objects.get(is_current=True).values


def test_words_of_two_turns_and_of_a_call_are_marked_by_mouse_and_shown_again(
    open_page: Any, assert_accessible: Any, tmp_path: Path
) -> None:
    study = study_with(tmp_path, MARKING, TALK)
    page = opened(open_page, study, viewport={"width": 1280, "height": 2400})  # all in view, so that nothing scrolls
    answer = page.locator('[data-marked="answer"]')
    expect(answer.locator(".turn-role")).to_have_text(["Assistant", "Assistant", "User", "Assistant"])
    expect(answer.locator("pre").first).to_be_hidden()
    first, last = box_of(page, "ships?"), box_of(page, "Ships are")
    page.mouse.move(first["x"] + 1, first["y"])
    page.mouse.down()
    page.mouse.move(last["right"] - 0.5, last["bottom"], steps=6)
    page.mouse.up()
    bar(page).get_by_role("button", name="It is false").click()
    answer.get_by_text("look_up").first.click()
    drag_over(page, "ice")
    bar(page).get_by_role("button", name="It is vague").click()
    seen(page, "marked-turns")
    assert_accessible(page)
    step = page.locator(".step").first
    expect(listed(step)).to_have_count(2)
    assert stored(page)["errors"] == [span("ice", "vague"), span("ships?", end="Ships are")]
    place = Assignment.objects.get(hit__batch__study=study, annotator__isnull=False)
    Assignment.objects.filter(pk=place.pk).update(state="submitted", submitted_at=timezone.now())
    item = Item.objects.filter(study=study).earliest("pk")
    page = open_page(MemberFactory(study=study, role=Role.ADMIN).user)
    page.goto(f"/studies/{study.slug}/items/{item.pk}/")
    marked = page.locator(".marked-by")
    expect(marked.locator("mark")).to_have_text(["ice", "ships?", "Ships are"])
    expect(marked.locator(".turn-role")).to_have_count(4)
    expect(marked.locator(".tool-call")).to_have_attribute("open", "")
    seen(page, "marked-turns-item")
    assert_accessible(page)
    page.goto(reverse("review", args=[study.slug, place.pk, place.annotator_id]))
    expect(page.locator(".marked-by mark")).to_have_text(["ice", "ships?", "Ships are"])


def test_by_keyboard_a_folded_call_opens_when_its_words_are_reached(open_page: Any, tmp_path: Path) -> None:
    page = opened(
        open_page, study_with(tmp_path, MARKING.replace("[question, answer]\n    l", "[answer]\n    l"), TALK)
    )
    step, call = page.locator(".step").first, page.locator(".tool-call").last
    expect(call).not_to_have_attribute("open", "")
    step.focus()
    mark_by_keyboard(page, step, span("look_up"))
    expect(call).to_have_attribute("open", "")
    mark_by_keyboard(page, step, span("ships?", "vague", end="Ships are"))
    expect(listed(step)).to_have_count(2)
    assert stored(page)["errors"] == [span("look_up"), span("ships?", "vague", end="Ships are")]


def test_each_candidate_is_marked_in_its_own_turns(open_page: Any, assert_accessible: Any, tmp_path: Path) -> None:
    page = opened(open_page, study_with(tmp_path, MARKING_PAIR, TALK), 2)
    card = page.locator(".candidate", has=page.locator('[data-marked="answer"] .turn'))
    expect(card.locator(".turn-role")).to_have_text(["Assistant", "Assistant", "User", "Assistant"])
    card.scroll_into_view_if_needed()
    drag_over(page, "hollow")
    bar(page).get_by_role("button", name="It is false").click()
    expect(listed(card.locator(".step"))).to_have_count(1)
    seen(page, "marked-turns-pair")
    assert_accessible(page)
    number = card.get_attribute("data-card")
    assert stored(page)[f"errors.{number}"] == [span("hollow")]


def test_by_finger_on_a_phone_and_what_is_no_part_of_the_text_says_so(
    open_page: Any, assert_accessible: Any, tmp_path: Path
) -> None:
    turns = [
        {"role": "assistant", "text": "Let me look.", "calls": [CALL]},
        {"role": "assistant", "text": "It is light."},
    ]
    page = opened(open_page, study_with(tmp_path, MARKING, turns), color_scheme="dark", **PHONE)
    answer = page.locator('[data-marked="answer"]')
    expect(answer.get_by_text("Its words cannot be marked.")).to_be_visible()
    box = box_of(page, "light")
    page.touchscreen.tap((box["x"] + box["right"]) / 2, box["y"])
    bar(page).get_by_role("button", name="It is vague").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    seen(page, "marked-turns-phone")
    assert_accessible(page)
    assert stored(page)["errors"] == [{"text": "answer", "start": 6, "end": 11, "label": "vague"}]
    assert reply_as_text([Turn("assistant", "It is light.")])[6:11] == "light"


def test_words_of_the_question_are_marked_turn_by_turn(open_page: Any, tmp_path: Path) -> None:
    study = study_with(tmp_path, MARKING, TALK)
    page = opened(open_page, study)
    expect(page.locator('[data-marked="question"] > .turns > ol .turn')).to_have_count(4)
    drag_over(page, "Why does it float?", "question")
    bar(page).get_by_role("button", name="It is false").click()
    text = Item.objects.filter(study=study).earliest("pk").question.text
    (mark,) = stored(page)["errors"]
    assert (mark["text"], text[mark["start"] : mark["end"]]) == ("question", "Why does it float?")
