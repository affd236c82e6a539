"""Every kind of aspect and groups of candidates in a real browser: by keyboard, by touch, for everybody."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.core.schemes import read_scheme
from annotation_platform.studies.models import Assignment, Member
from annotation_platform.studies.selectors import presentation_order
from annotation_platform.studies.services import claim_assignment
from tests import rests_on
from tests.annotations.every_kind import study_of
from tests.browser.question_page import PHONE, SAVED, question, save_state
from tests.factories import OPERATOR, MemberFactory, open_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SLIDER = """\
key: shares
title: Shares
shown: [question, answer]
aspects:
  - {key: share, kind: range, low: 0, high: 1, step: 0.05, title: "How much of it?"}
  - {key: why, kind: text, title: "Why?", shown_when: {aspect: share, at_most: 0.5}}
"""
BALANCE = """\
key: balance
title: Balance
shown: [question, answer]
aspects:
  - {key: amount, kind: range, low: -1, high: 1, best: 0, title: "How much does it tell?"}
"""
AXE_SCREENS = [pytest.param({}, id="desktop"), pytest.param(PHONE, id="phone")]


@pytest.fixture
def annotator(transactional_db: None) -> Member:
    return MemberFactory(study=study_of("every_kind"))


@pytest.fixture
def place(annotator: Member) -> Assignment:
    return claim_assignment(annotator=annotator, actor=OPERATOR)


def numbers_by_letter(place: Assignment) -> dict[str, int]:
    item, member = place.hit.items.order_by("position")[0], place.annotator
    assert member is not None
    return dict(zip("ABCD", presentation_order(item_id=item.pk, member_id=member.pk, count=4), strict=True))


def expected_values(place: Assignment, **changed: Any) -> dict[str, Any]:
    """What both the keyboard's and the touch's walk through the form store."""
    a, b, c, d = numbers_by_letter(place).values()
    return {
        f"factual.{a}": "3",
        f"amount.{a}": "0.5",
        f"factual.{b}": "0",
        f"amount.{b}": "0",
        f"wrong.{b}": [2, "R1:3", "R1:4"],
        f"factual.{c}": "1",
        f"amount.{c}": "0",
        f"wrong.{c}": [],
        f"factual.{d}": "2",
        f"amount.{d}": "-1",
        "best": str(b),
        "best.forced": True,
        "agree": "4",
        "overall": "2",
        "answerable": "no",
        "confidence": "85",
        "right_choice": "b",
        "faults": ["style", "facts"],
        "evidence": [5, "R2:1"],
        "why": "It names the engine of 1912.",
        "remark": "Sentence 4 is cut off.",
    } | changed


def test_every_kind_by_keyboard_alone(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.wait_for_load_state()
    press = page.keyboard.press
    for key in ("3", "4"):  # A: the scale's own number, then a place in the row; each leads to the next open step
        press(key)
    for key in ("0", "3"):  # B: which shows a third step
        press(key)
    page.keyboard.type("2, R1:3-4")
    press("Escape")
    press("n")
    for key in ("1", "3", "0"):  # C: 0 is "none"
        press(key)
    for key in ("2", "1"):  # D
        press(key)
    press("2")  # the best is B
    press("p")
    press("0")  # the mark that none is acceptable
    press("n")
    for key in ("4", "2", "2"):
        press(key)
    page.keyboard.type("85")
    press("Escape")
    press("n")
    press("2")
    for key in ("2", "1", "3", "3"):  # of several choices each key ticks or unticks one
        press(key)
    press("n")
    page.keyboard.type("5, R2:1")
    press("Escape")
    press("n")
    page.keyboard.type("It names the engine of 1912.")
    press("Escape")
    press("n")
    page.keyboard.type("Sentence 4 is cut off.")
    press("Control+Enter")
    expect(page.get_by_text("Question 2 of 2")).to_be_visible()
    assert Annotation.objects.get().values == expected_values(place)


def test_every_kind_by_touch_on_a_phone(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user, **PHONE)
    page.goto(question(place))

    def tap(slot: str, value: str) -> None:
        page.locator(f'label:has(> [name="aspect-{slot}"][value="{value}"])').tap()

    wanted = expected_values(place)
    for letter, number in numbers_by_letter(place).items():
        expect(page.locator(f'[data-card="{number}"] h3')).to_contain_text(f"Answer {letter}")
        expect(page.locator("[data-card]:visible")).to_have_count(1)
        tap(f"factual.{number}", wanted[f"factual.{number}"])
        tap(f"amount.{number}", wanted[f"amount.{number}"])
        if letter == "B":
            page.get_by_role("button", name="Documents").tap()
            page.locator("[data-sentence='2']").tap()
            page.locator("summary", has_text="Reference 1").tap()
            for reference in ("R1:3", "R1:4"):
                page.locator(f"[data-sentence='{reference}']").tap()
            page.get_by_role("button", name="Close", exact=True).tap()
            expect(page.locator(f'[name="aspect-wrong.{number}"]')).to_have_value("2, R1:3, R1:4")
        if letter == "C":
            page.locator(f'label:has(> [name="aspect-wrong.{number}-none"])').tap()
        expect(page.locator(f'[data-card-tab="{number}"]')).to_contain_text("complete")
        if letter != "D":
            page.locator("[data-card-next]:visible").tap()
    tap("best", wanted["best"])
    tap("best.forced", "1")
    for slot in ("agree", "overall", "answerable", "right_choice"):
        tap(slot, wanted[slot])
    page.locator('[name="aspect-confidence"]').fill("85")
    for fault in wanted["faults"]:
        tap("faults", fault)
    page.locator('[name="aspect-evidence"]').tap()
    page.get_by_role("button", name="Documents").tap()
    page.locator("[data-sentence='5']").tap()
    page.locator("summary", has_text="Reference 2").tap()
    page.locator("[data-sentence='R2:1']").tap()
    page.get_by_role("button", name="Close", exact=True).tap()
    page.locator('[name="aspect-why"]').fill(wanted["why"])
    page.locator('[name="aspect-remark"]').fill(wanted["remark"])
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("#submit").tap()
    expect(page.get_by_text("Question 2 of 2")).to_be_visible()
    assert Annotation.objects.get().values == wanted


def test_every_kind_without_javascript(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user, java_script_enabled=False, **PHONE)
    page.goto(question(place))
    wanted = expected_values(place)
    page.locator("summary", has_text="Reference 1").click()
    expect(page.locator("[data-sentence='R1:4']")).to_be_visible()
    for slot, value in wanted.items():
        step = page.locator(f'[data-slot="{slot}"]')
        if slot == "best.forced":
            page.locator(f'[name="aspect-{slot}"]').check()
        elif value == []:
            page.locator(f'[name="aspect-{slot}-none"]').check()
        elif slot == "why":
            continue
        elif step.locator(".options").count():
            for each in value if isinstance(value, list) else [value]:
                step.locator(f'.options label:has(> [value="{each}"])').click()
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            step.locator("input[type=text], input[type=number], textarea").fill(text)
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_contain_text("Please write something here")
    page.locator('[name="aspect-why"]').fill(wanted["why"])
    page.locator("#submit").click()
    expect(page.get_by_text("Question 2 of 2")).to_be_visible()
    assert Annotation.objects.get().values == wanted


@pytest.mark.long(*rests_on.PAGES)
@pytest.mark.parametrize("screen", AXE_SCREENS)
def test_a_page_with_every_kind_is_accessible(
    open_page: Any, assert_accessible_in_both: Any, annotator: Member, place: Assignment, screen: dict[str, Any]
) -> None:
    page = open_page(annotator.user, reduced_motion="reduce", **screen)
    page.goto(question(place))
    assert_accessible_in_both(page)
    number = numbers_by_letter(place)["A"]
    page.locator(f'[name="aspect-factual.{number}"][value="0"]').check()
    for step in page.locator(".step-guidelines summary:visible").all()[:1]:
        step.click()
    page.locator('label:has(> [name="aspect-overall"][value="3"])').click()
    page.locator('[name="aspect-agree"][value="5"]').check()
    assert_accessible_in_both(page)
    page.locator("[data-sheet='toggle']").click()
    page.locator("summary", has_text="Reference 1").click()
    page.locator("#document-search").fill("matter 3")
    expect(page.locator("#document-found")).to_have_text("3 sentences found")
    assert_accessible_in_both(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_be_visible()
    assert_accessible_in_both(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.goto(f"/work/assignments/{place.pk}/")
    assert_accessible_in_both(page)


def focused(page: Page) -> str:
    return page.evaluate(
        "document.activeElement.name || document.activeElement.dataset.sheet || document.activeElement.tagName"
    )


def test_the_focus_goes_through_the_page_in_its_order(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.locator("[data-sheet='toggle']").focus()
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = focused(page)
        if name.startswith("aspect-"):
            seen.append(name)
        if page.evaluate("document.activeElement.id") == "submit":
            break
    a, b, c, d = numbers_by_letter(place).values()
    assert list(dict.fromkeys(seen)) == [
        *(f"aspect-{slot}.{number}" for number in (a, b, c, d) for slot in ("factual", "amount")),
        "aspect-best",
        "aspect-best.forced",
        "aspect-agree",
        "aspect-overall",
        "aspect-answerable",
        "aspect-confidence",
        "aspect-right_choice",
        "aspect-faults",
        "aspect-faults-none",
        "aspect-evidence",
        "aspect-why",
    ]


def test_every_field_has_a_name_that_tells_it_from_the_others(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    for letter in "ABCD":
        group = page.get_by_role("group", name=f"Answer {letter}: How factual is it?")
        expect(group.get_by_role("radio", name="Mostly")).to_have_count(1)
        amounts = page.get_by_role("group", name=f"Answer {letter}: How long is it?")
        expect(amounts.get_by_role("radio", name="−1 too short")).to_have_count(1)
        expect(page.get_by_role("region", name=f"Answer {letter}")).to_have_count(1)
    stars = page.get_by_role("group", name="How good is the group overall?")
    expect(stars.get_by_role("radio", name="5 stars excellent")).to_have_count(1)
    expect(page.get_by_role("radio", name="b A storm")).to_have_count(1)
    expect(page.get_by_role("spinbutton", name="How sure are you?")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Which sentences decide it?")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Why is it the best?")).to_have_count(1)
    expect(page.get_by_role("checkbox", name="None is acceptable, but if I must choose")).to_have_count(1)


def test_conditions_show_and_require_as_the_annotator_goes(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    remark, why = page.locator("#aspect-remark-step"), page.locator("#aspect-why-step")
    optional = why.get_by_text("(optional)")
    expect(remark).to_be_hidden()
    expect(optional).to_be_hidden()
    page.locator('[name="aspect-agree"][value="3"]').check()
    expect(optional).to_be_visible()
    page.locator('[name="aspect-agree"][value="4"]').check()
    expect(optional).to_be_hidden()
    page.locator('[name="aspect-answerable"][value="no"]').check()
    expect(remark).to_be_hidden()
    page.locator('[name="aspect-faults"][value="facts"]').check()
    expect(remark).to_be_visible()
    page.locator('[name="aspect-faults-none"]').check()
    expect(page.locator('[name="aspect-faults"][value="facts"]')).not_to_be_checked()
    expect(remark).to_be_hidden()
    page.locator('label:has(> [name="aspect-overall"][value="2"])').click()
    expect(remark).to_be_visible()
    first, second = list(numbers_by_letter(place).values())[:2]
    page.locator(f'[name="aspect-factual.{first}"][value="1"]').check()
    expect(page.locator(f'[id="aspect-wrong.{first}-step"]')).to_be_visible()
    expect(page.locator(f'[id="aspect-wrong.{second}-step"]')).to_be_hidden()


def test_a_group_is_saved_and_goes_on_elsewhere(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    a, b, *_ = numbers_by_letter(place).values()
    page.locator(f'[name="aspect-factual.{a}"][value="0"]').check()
    page.locator(f'[name="aspect-wrong.{a}"]').fill("R1:2")
    page.locator(f'[name="aspect-amount.{b}"][value="-0.5"]').check()
    page.locator('[name="aspect-best.forced"]').check()
    page.locator('[name="aspect-faults"][value="style"]').check()
    page.locator('[name="aspect-faults"][value="length"]').check()
    page.locator('[name="aspect-confidence"]').fill("40")
    save_state(page).to_have_text(SAVED)
    assert Draft.objects.get().values == {
        f"factual.{a}": "0",
        f"wrong.{a}": "R1:2",
        f"amount.{b}": "-0.5",
        "best.forced": "1",
        "faults": "style, length",
        "confidence": "40",
    }
    phone = open_page(annotator.user, **PHONE)
    phone.goto(question(place))
    expect(phone.locator(f'[name="aspect-wrong.{a}"]')).to_have_value("R1:2")
    expect(phone.locator(f'[name="aspect-amount.{b}"][value="-0.5"]')).to_be_checked()
    expect(phone.locator('[name="aspect-faults"]:checked')).to_have_count(2)
    expect(phone.locator(".slider")).to_have_value("40")
    phone.locator('[name="aspect-confidence"]').fill("45")
    save_state(phone).to_have_text(SAVED)
    page.locator('[name="aspect-agree"][value="1"]').check()
    page.get_by_role("button", name="Load that version").click()
    expect(page.locator('[name="aspect-confidence"]')).to_have_value("45")
    expect(page.locator('[name="aspect-agree"]:checked')).to_have_count(0)
    expect(page.locator('[name="aspect-faults"]:checked')).to_have_count(2)


def test_candidates_are_tabs_on_a_phone_and_turn_by_swiping(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user, **PHONE)
    page.goto(question(place))
    a, b, c, d = numbers_by_letter(place).values()
    tab = page.locator(f'[data-card-tab="{c}"]')
    tab.tap()
    expect(tab).to_have_attribute("aria-pressed", "true")
    expect(page.locator(f'[data-card="{c}"]')).to_be_visible()
    swipe(page, f'[data-card="{c}"]', dx=-150)
    expect(page.locator(f'[data-card="{d}"]')).to_be_visible()
    swipe(page, f'[data-card="{d}"]', dx=-150)
    expect(page.locator(f'[data-card="{d}"]')).to_be_visible()
    for card in (d, c, b):
        swipe(page, f'[data-card="{card}"]', dx=150)
    expect(page.locator(f'[data-card="{a}"]')).to_be_visible()
    page.locator("#submit").tap()
    page.locator(f"#errors a[href='#aspect-factual.{d}-1']").tap()
    expect(page.locator(f'[data-card="{d}"]')).to_be_visible()
    expect(page.locator(f'[id="aspect-factual.{d}-1"]')).to_be_focused()


def swipe(page: Page, selector: str, dx: int) -> None:
    page.locator(selector).evaluate(
        """(it, dx) => {
            const touch = (x) => new Touch({identifier: 1, target: it, clientX: x, clientY: 300});
            const fire = (type, x) => it.dispatchEvent(new TouchEvent(type, {
                bubbles: true, touches: type === "touchend" ? [] : [touch(x)], changedTouches: [touch(x)]}));
            fire("touchstart", 180);
            fire("touchend", 180 + dx);
        }""",
        dx,
    )


def test_keys_go_from_candidate_to_candidate_and_step_to_step(
    open_page: Any, annotator: Member, place: Assignment
) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    a, b, *_ = numbers_by_letter(place).values()
    page.keyboard.press("Shift+N")
    expect(page.locator(f"#candidate-{a}")).to_be_focused()
    page.keyboard.press("Shift+N")
    expect(page.locator(f"#candidate-{b}")).to_be_focused()
    page.keyboard.press("Shift+P")
    expect(page.locator(f"#candidate-{a}")).to_be_focused()
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert focused(page) == f"aspect-amount.{a}"
    page.keyboard.press("p")
    assert focused(page) == f"aspect-factual.{a}"


def test_the_list_of_keys_has_those_of_this_page_alone(open_page: Any, annotator: Member, place: Assignment) -> None:
    page = open_page(annotator.user)
    page.goto(question(place))
    page.keyboard.press("?")
    keys = page.locator("#keys")
    for text in ("next, previous answer", "search the documents", "cite the sentence", "to the document and back"):
        expect(keys).to_contain_text(text)
    expect(keys).not_to_contain_text("by letter")  # c and d are taken


def test_where_letters_are_free_they_choose(open_page: Any, transactional_db: None) -> None:
    annotator = MemberFactory(study=study_of("every_part"))
    page = open_page(annotator.user)
    page.goto(question(claim_assignment(annotator=annotator, actor=OPERATOR)))
    page.keyboard.press("c")
    expect(page.locator('[name="aspect-supports"][value="c"]')).to_be_checked()
    page.keyboard.press("1")
    page.keyboard.type("It names painters and ropes.")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("by letter")
    for text in ("search the documents", "next, previous answer", "to the document", "cite"):
        expect(page.locator("#keys")).not_to_contain_text(text)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/2/")
    assert Annotation.objects.get().values["supports"] == "c"


def test_a_number_typed_with_more_digits_than_needed_is_the_same_number_to_conditions(open_page: Any) -> None:
    definition = read_scheme(SLIDER)
    annotator = MemberFactory(study=open_study(definition=definition))
    page = open_page(annotator.user)
    page.goto(question(claim_assignment(annotator=annotator, actor=OPERATOR)))
    page.locator('input[type=number][name="aspect-share"]').fill("0.50")
    expect(page.locator('[data-slot="why"]')).to_be_visible()
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_contain_text("Please write something here.")
    expect(page.locator('[data-slot="why"]')).to_be_visible()


def test_a_number_below_zero_is_chosen_as_it_is_written(open_page: Any) -> None:
    annotator = MemberFactory(study=open_study(definition=read_scheme(BALANCE)))
    page = open_page(annotator.user)
    page.goto(question(claim_assignment(annotator=annotator, actor=OPERATOR)))
    page.wait_for_load_state()
    chosen = page.locator('input[name="aspect-amount"]:checked')
    for typed, value in (("-1", "-1"), ("1", "1"), ("0", "0"), ("-0", "0"), ("-1", "-1")):
        page.keyboard.type(typed)
        expect(chosen).to_have_value(value)
    page.keyboard.press("?")
    expect(page.get_by_text("a number below zero: the minus, then the digit")).to_be_visible()
