"""Every preset from the first page to the stored row by keyboard alone, tampered with, and for everybody.

What is answered comes from each scheme's own worked examples, so a new preset is covered by itself.
"""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import preset, presets
from annotation_platform.studies.models import Assignment, AssignmentState
from annotation_platform.studies.services import claim_assignment
from tests import rests_on
from tests.annotations.worked_examples import ExampleStudy, study_of_examples
from tests.browser.marking import mark_by_keyboard, tab_to
from tests.browser.question_page import PHONE, question
from tests.factories import OPERATOR, MemberFactory

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("key", presets()),
]


@pytest.fixture
def examples(transactional_db: None, key: str) -> ExampleStudy:
    return study_of_examples(preset(key), overlap=1)


def test_the_first_example_by_keyboard_from_the_first_page_to_the_row(open_page: Any, examples: ExampleStudy) -> None:
    annotator = MemberFactory(study=examples.study)
    page = open_page(annotator.user)
    page.goto("/work/")
    tab_to(page, page.get_by_role("button", name="Start the next task"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Worked examples")).to_be_visible()
    tab_to(page, page.get_by_role("link", name="To the questions"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Question 1 of 1")).to_be_visible()
    page.wait_for_load_state()
    place = Assignment.objects.get(annotator=annotator)
    item = place.hit.items.get()
    wanted = examples.values_of(item)
    answer_by_keyboard(page, wanted)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done/")
    assert Annotation.objects.get().values == wanted
    assert Assignment.objects.get(pk=place.pk).state == AssignmentState.SUBMITTED


def test_what_is_tampered_with_in_the_page_is_refused_and_can_be_mended(open_page: Any, examples: ExampleStudy) -> None:
    annotator = MemberFactory(study=examples.study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    wanted = examples.values_of(place.hit.items.get())
    page = open_page(annotator.user)
    page.goto(question(place))
    page.wait_for_load_state()
    answer_by_keyboard(page, wanted)
    page.evaluate(
        """() => {
            for (const field of document.querySelectorAll("#form [name^=aspect-]")) {
                if (field.type === "radio" && field.checked) field.value = "tampered with";
                if (field.type === "text" && field.value) field.value = "0, 99999, R77:1";
                if (field.tagName === "TEXTAREA" && field.value) field.value = "x".repeat(20001);
            }
        }"""
    )
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_be_focused()
    assert page.locator(".field-error[id^=aspect-]").count() > 0
    assert not Annotation.objects.exists()
    page.keyboard.press("Escape")
    answer_by_keyboard(page, wanted)
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/done/")
    assert Annotation.objects.get().values == wanted


@pytest.mark.long(*rests_on.PAGES)
@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desktop", "phone"])
def test_its_page_is_accessible(
    open_page: Any, assert_accessible_in_both: Any, examples: ExampleStudy, screen: dict[str, Any]
) -> None:
    annotator = MemberFactory(study=examples.study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    page = open_page(annotator.user, reduced_motion="reduce", **screen)
    page.goto(question(place))
    assert_accessible_in_both(page)
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_be_visible()
    assert_accessible_in_both(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def answer_by_keyboard(page: Page, values: dict[str, Any]) -> None:
    """Say everything in ``values``, in the order of the page, with keys alone."""
    for slot in page.locator("#form .step").evaluate_all("steps => steps.map((step) => step.dataset.slot)"):
        if slot in values:
            go_to(page, slot)
            say(page, slot, values[slot])
            if values.get(f"{slot}.forced"):
                go_to(page, slot)
                page.keyboard.press("0")


def go_to(page: Page, slot: str) -> None:
    """Press n or p until the step with this key has the focus."""
    for _ in range(60):
        away = page.evaluate(
            """(slot) => {
                const steps = [...document.querySelectorAll("#form .step:not(.is-not-asked)")];
                const at = steps.findIndex((step) => step.contains(document.activeElement));
                return at < 0 ? null : Math.sign(steps.findIndex((step) => step.dataset.slot === slot) - at);
            }""",
            slot,
        )
        if away == 0:
            return
        page.keyboard.press("p" if away == -1 else "n")
    raise AssertionError(f"no key leads to {slot}")


def say(page: Page, slot: str, value: Any) -> None:
    step = page.locator(f'[data-slot="{slot}"]')
    kind = step.get_attribute("data-kind")
    if kind in ("text", "sentences") and value != []:
        if kind == "sentences":
            page.keyboard.press("Tab")
        page.keyboard.press("Control+A")
        page.keyboard.type(value if kind == "text" else ", ".join(map(str, value)))
        page.keyboard.press("Escape")
    elif kind == "spans" and value != []:
        for span in value:
            mark_by_keyboard(page, step, span)
    elif kind in ("sentences", "spans"):
        page.keyboard.press("0")
    elif step.locator("input[type=number]").count():
        page.keyboard.type(value)
        page.keyboard.press("Escape")
    else:
        for each in value if isinstance(value, list) else [value]:
            keys = step.locator(f'.options [value="{each}"]').get_attribute("data-keys")
            page.keyboard.type((keys or "").split()[0])
