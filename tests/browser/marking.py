"""Marking words of a question's texts: what several tests of the question page do."""

from typing import Any

from playwright.sync_api import Page, expect


def listed(step: Any) -> Any:
    """The marks in the list of a step, or of the page."""
    return step.locator("[data-spans-list] li")


def mark_by_keyboard(page: Page, step: Any, span: dict[str, Any]) -> None:
    """Mark the words of a span from the step that has the focus, note it where it has a note, and come back."""
    page.keyboard.press("m")
    expect(page.locator(f'[data-marked="{span["text"]}"]')).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("Home")  # the first key begins at the first word, wherever it would lead
    _press_until(page, "ArrowRight", lambda start, _: start >= span["start"])
    _press_until(page, "Shift+ArrowRight", lambda _, end: end >= span["end"])
    _press_until(page, "Alt+Shift+ArrowLeft", lambda _, end: end <= span["end"])
    assert _selected(page) == [span["start"], span["end"]]
    page.keyboard.press(step.locator(f'[data-label="{span["label"]}"]').get_attribute("data-sign"))
    page.keyboard.press("Escape")
    expect(step).to_be_focused()
    if note := span.get("note"):
        tab_to(page, listed(step).last.get_by_role("textbox"))
        page.keyboard.press("Control+A")
        page.keyboard.type(note)
        page.keyboard.press("Escape")


def tab_to(page: Page, target: Any) -> None:
    for _ in range(60):
        if target.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {target}")


def _press_until(page: Page, key: str, is_there: Any) -> None:
    for _ in range(200):
        if is_there(*_selected(page)):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} never comes there")


def _selected(page: Page) -> list[int]:
    """The places, in code points of the text, between which it is selected."""
    places: list[int] = page.evaluate(
        """() => {
          const range = window.getSelection().getRangeAt(0);
          return [[range.startContainer, range.startOffset], [range.endContainer, range.endOffset]].map((at) => {
            const piece = at[0].parentElement.closest("[data-piece]");
            const before = new Range();
            before.setStart(piece, 0);
            before.setEnd(...at);
            return Number(piece.dataset.start) + [...before.toString()].length;
          });
        }"""
    )
    return places
