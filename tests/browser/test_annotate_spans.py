"""Marking words in the texts of a question, in a real browser: by mouse, by keyboard alone, by touch."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.core.schemes import preset, read_scheme
from annotation_platform.corpus.models import Answer, Corpus
from annotation_platform.studies.models import Assignment
from annotation_platform.studies.services import claim_assignment
from tests import rests_on
from tests.browser.marking import listed
from tests.browser.question_page import PHONE, SAVED, question, save_state
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ANSWER = "The \U0001f6a2 ferry stopped in June.\nIts captain  fell ill, and the engine broke."
EVERYWHERE = """\
key: everywhere
title: Everywhere
shown: [article, question, answer]
aspects:
  - {key: lines, kind: sentences, title: Cite the sentences}
  - key: errors
    kind: spans
    title: Mark what is wrong
    marks: [article, question, answer]
    labels:
      - {key: wrong, label: It is false}
      - {key: vague, label: It is vague}
  - {key: why, kind: text, title: "Why is it vague?", shown_when: {aspect: errors, is: vague}}
"""


def corpus_of(answer: str = ANSWER, **kind: Any) -> Corpus:
    corpus = make_corpus(**{"questions": 1, "systems": ["alder"], "sentences": 4} | kind)
    Answer.objects.filter(question__article__corpus=corpus).update(text=answer)
    return corpus


def place_in(definition: dict[str, Any], corpus: Corpus | None = None) -> Assignment:
    study = open_study(corpus=corpus or corpus_of(), definition=definition)
    return claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)


@pytest.fixture
def place(transactional_db: None) -> Assignment:
    return place_in(preset("error_spans"))


def opened(open_page: Any, place: Assignment, **options: Any) -> Page:
    assert place.annotator is not None
    page: Page = open_page(place.annotator.user, reduced_motion="reduce", **options)
    page.goto(question(place))
    page.wait_for_load_state()
    return page


def box_of(page: Page, words: str, name: str = "answer") -> dict[str, float]:
    """Where words stand on the page."""
    return page.evaluate(
        """([words, name]) => {
          const pieces = [...document.querySelectorAll(`[data-marked="${name}"] [data-piece]`)];
          const piece = pieces.find((each) => each.textContent.includes(words));
          piece.scrollIntoView({ block: "center", behavior: "instant" });
          const from = piece.textContent.indexOf(words);
          const walker = document.createTreeWalker(piece, NodeFilter.SHOW_TEXT);
          const range = new Range();
          let passed = 0;
          while (walker.nextNode()) {
            const { length } = walker.currentNode;
            if (from >= passed && from < passed + length) range.setStart(walker.currentNode, from - passed);
            const end = from + words.length;
            if (end > passed && end <= passed + length) range.setEnd(walker.currentNode, end - passed);
            passed += length;
          }
          const boxes = [...range.getClientRects()];
          const last = boxes[boxes.length - 1];
          const middle = (box) => box.top + box.height / 2;
          return { x: boxes[0].left, y: middle(boxes[0]), right: last.right, bottom: middle(last) };
        }""",
        [words, name],
    )


def drag_over(page: Page, words: str, name: str = "answer") -> None:
    box = box_of(page, words, name)
    page.mouse.move(box["x"] + 1, box["y"])
    page.mouse.down()
    page.mouse.move((box["x"] + box["right"]) / 2, box["bottom"], steps=3)
    page.mouse.move(box["right"] - 0.5, box["bottom"], steps=3)
    page.mouse.up()


def bar(page: Page) -> Any:
    return page.get_by_role("toolbar")


def span_of(words: str, label: str, text: str = ANSWER, name: str = "answer", **more: Any) -> dict[str, Any]:
    start = text.index(words)
    return {"text": name, "start": start, "end": start + len(words), "label": label} | more


def stored() -> dict[str, Any]:
    values: dict[str, Any] = Annotation.objects.get(is_current=True).values
    return values


def test_words_are_chosen_by_keys_also_where_the_browser_cannot_split_texts(open_page: Any, place: Assignment) -> None:
    """Firefox before 125 has no ``Intl.Segmenter``."""
    assert place.annotator is not None
    page: Page = open_page(place.annotator.user)
    page.add_init_script("delete Intl.Segmenter")
    page.goto(question(place))
    page.keyboard.press("m")
    for key, chosen in (
        ("Home", "The"),
        ("ArrowRight", "ferry"),
        ("Shift+ArrowRight", "ferry stopped"),
        ("End", "broke"),
    ):
        page.keyboard.press(key)
        assert page.evaluate("window.getSelection().toString()") == chosen


def submit(page: Page) -> None:
    with page.expect_navigation():
        page.locator("#submit").click()


def test_by_mouse_with_overlap_notes_and_another_label(open_page: Any, place: Assignment) -> None:
    page = opened(open_page, place)
    drag_over(page, "ferry stopped in June")
    bar(page).get_by_role("button", name="Contradiction").click()
    drag_over(page, "in June.\nIts captain")
    page.keyboard.press("1")
    drag_over(page, "captain  fell ill")
    bar(page).get_by_role("button", name="Irrelevant").click()
    expect(listed(page)).to_have_count(3)
    expect(page.locator("mark mark")).not_to_have_count(0)  # where two lie over each other
    assert page.locator('[data-marked="answer"] [data-piece]').evaluate("each => each.textContent") == ANSWER
    listed(page).nth(2).get_by_role("combobox").select_option("unsupported")
    listed(page).nth(2).get_by_role("textbox").fill("nobody says so")
    listed(page).nth(1).get_by_role("button", name="Delete").click()
    page.get_by_role("radio", name="No").check()
    save_state(page).to_contain_text(SAVED)
    page.reload()
    expect(listed(page)).to_have_count(2)
    expect(listed(page).nth(1).get_by_role("textbox")).to_have_value("nobody says so")
    submit(page)
    assert stored() == {
        "errors": [
            span_of("ferry stopped in June", "contradiction"),
            span_of("captain  fell ill", "unsupported", note="nobody says so"),
        ],
        "acceptable": "no",
    }
    assert not Draft.objects.exists()


def test_by_keyboard_alone(open_page: Any, place: Assignment) -> None:
    page = opened(open_page, place)
    press = page.keyboard.press
    press("1")
    expect(page.locator("#marking-said")).to_have_text(
        ""
    )  # the verdict's own key is not taken before a text is gone to
    press("m")
    expect(page.locator('[data-marked="answer"]')).to_be_focused()
    press("1")
    expect(page.locator("#marking-said")).to_contain_text("Select words")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight"):
        press(key)
    expect(page.locator("#marking-said")).to_contain_text("stopped in June")
    press("2")
    expect(page.locator("#marking-said")).to_contain_text("Contradiction")
    press("End")
    press("Alt+Shift+ArrowLeft")
    press("Enter")
    press("ArrowRight")
    press("ArrowRight")
    press("Enter")
    expect(listed(page)).to_have_count(2)
    press("Escape")
    press("n")
    press("2")
    save_state(page).to_contain_text(SAVED)
    with page.expect_navigation():
        press("Control+Enter")
    assert stored() == {
        "errors": [span_of("stopped in June", "contradiction"), span_of("brok", "irrelevant")],
        "acceptable": "no",
    }


def test_by_touch_on_a_phone(open_page: Any, place: Assignment, assert_accessible: Any) -> None:
    page = opened(open_page, place, **PHONE, color_scheme="dark")
    for word in ("ferry", "June"):
        box = box_of(page, word)
        page.touchscreen.tap((box["x"] + box["right"]) / 2, box["y"])
    expect(bar(page)).to_be_in_viewport(ratio=1)
    expect(bar(page)).to_contain_text("ferry stopped in June")
    assert_accessible(page)
    bar(page).get_by_role("button", name="Unsupported claim").tap()
    expect(bar(page)).to_be_hidden()
    expect(listed(page)).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("radio", name="Yes").check()
    page.locator("#submit").tap()
    page.wait_for_url("**/done/**")
    assert stored() == {"errors": [span_of("ferry stopped in June", "unsupported")], "acceptable": "yes"}


def test_none_and_marks_exclude_each_other_and_come_back(open_page: Any, place: Assignment) -> None:
    page = opened(open_page, place)
    drag_over(page, "captain")
    page.keyboard.press("1")
    none = page.get_by_role("checkbox", name="There is no error")
    none.check()
    expect(listed(page)).to_have_count(0)
    expect(page.locator("mark")).to_have_count(0)
    none.uncheck()
    expect(listed(page)).to_have_count(1)
    none.check()
    page.get_by_role("radio", name="Yes").check()
    submit(page)
    assert stored() == {"errors": [], "acceptable": "yes"}


def test_what_is_missing_is_told_and_marks_stay_through_it(open_page: Any, place: Assignment) -> None:
    page = opened(open_page, place)
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_contain_text("Mark words in the text, or say “There is no error”.")
    expect(page.locator(".htmx-settling")).to_have_count(0)  # only then have the form's scripts seen the new form
    drag_over(page, "captain")
    page.keyboard.press("1")
    page.locator("#submit").click()
    expect(page.locator("#errors li")).to_have_count(1)
    expect(listed(page)).to_have_count(1)
    expect(page.locator('[data-marked="answer"] mark')).to_have_text("captain")


def test_no_connection_loses_no_mark(open_page: Any, place: Assignment) -> None:
    page = opened(open_page, place)
    page.context.set_offline(True)
    drag_over(page, "captain")
    page.keyboard.press("3")
    save_state(page).to_contain_text("no connection")
    page.context.set_offline(False)
    save_state(page).to_contain_text(SAVED)
    page.reload()
    expect(listed(page)).to_have_count(1)
    draft = Draft.objects.get()
    assert '"irrelevant"' in draft.values["errors"]


def test_sentences_can_be_cited_and_marked_and_searched(open_page: Any, assert_accessible: Any) -> None:
    corpus = corpus_of(sentences=24)
    place = place_in(read_scheme(EVERYWHERE), corpus)
    sentences = list(corpus.articles.get().sentences.order_by("number").values_list("text", flat=True))
    page = opened(open_page, place)
    word = sentences[2].split()[-1].rstrip(".")
    whole = "\n".join(sentences)
    start = len("\n".join(sentences[:2])) + 1 + sentences[2].index(word)
    drag_over(page, word, "article")
    page.keyboard.press("1")
    expect(page.get_by_role("textbox", name="Cite the sentences")).to_have_value("")
    page.locator('[data-sentence="3"]').click()
    expect(page.get_by_role("textbox", name="Cite the sentences")).to_have_value("3")
    page.get_by_role("searchbox").fill(sentences[2])
    expect(page.locator("#document-found")).to_contain_text("1")
    page.get_by_role("searchbox").fill("")
    expect(page.get_by_text("Why is it vague?")).to_be_hidden()
    drag_over(page, "captain")
    page.keyboard.press("2")
    page.get_by_role("textbox", name="Why is it vague?").fill("Which one?")
    assert_accessible(page)
    submit(page)
    assert stored() == {
        "lines": [3],
        "errors": [
            span_of("captain", "vague"),
            {"text": "article", "start": start, "end": start + len(word), "label": "wrong"},
        ],
        "why": "Which one?",
    }
    assert whole[start : start + len(word)] == word


def test_candidates_are_marked_one_by_one(open_page: Any) -> None:
    definition = preset("error_spans") | {"key": "side_by_side", "shown": ["question", "candidates"], "examples": []}
    definition["aspects"] = [each | {"per": "candidate"} for each in definition["aspects"]]
    corpus = make_corpus(questions=1)
    Answer.objects.filter(question__article__corpus=corpus).update(text=ANSWER)
    page = opened(open_page, place_in(definition, corpus))
    cards = page.locator(".candidate")
    for index in range(cards.count()):
        cards.nth(index).locator("h3").scroll_into_view_if_needed()
        cards.nth(index).locator("[data-marked]").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press(str(index % 3 + 1))
        cards.nth(index).get_by_role("radio", name="No").check()
    numbers = [int(cards.nth(index).get_attribute("data-card") or 0) for index in range(cards.count())]
    submit(page)
    labels = ["unsupported", "contradiction", "irrelevant"]
    assert stored() == {f"acceptable.{number}": "no" for number in numbers} | {
        f"errors.{number}": [span_of("The", labels[index % 3])] for index, number in enumerate(numbers)
    }


@pytest.mark.long(*rests_on.PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_is_accessible(
    open_page: Any, place: Assignment, assert_accessible: Any, scheme: str, language: str
) -> None:
    page = opened(open_page, place, color_scheme=scheme, locale=language)
    for words in ("ferry stopped in June", "in June.\nIts captain", "captain"):
        drag_over(page, words)
        page.keyboard.press("2")
    drag_over(page, "engine")
    assert_accessible(page)
