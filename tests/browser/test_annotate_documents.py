"""The documents of the question page in a real browser: folded, searched, cited, long, and right to left."""

from typing import Any

import pytest
from playwright.sync_api import expect

from annotation_platform.corpus.models import Answer, Question, Sentence
from annotation_platform.studies.services import claim_assignment
from tests.annotations.every_kind import rich_corpus, study_of
from tests.browser.question_page import PHONE, question
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ARABIC = "توقفت العبارة في مايو لأن محركها تعطل."


def held_place(study: Any) -> Any:
    return claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)


def test_the_pane_opens_beside_the_candidates_and_closes_again(open_page: Any, transactional_db: None) -> None:
    place = held_place(study_of("every_kind"))
    page = open_page(place.annotator.user)
    page.goto(question(place))
    pane, opener = page.locator("#document"), page.locator("[data-sheet='toggle']")
    expect(pane).to_be_hidden()
    page.keyboard.press("d")
    expect(pane).to_be_visible()
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(page.locator("[data-card]").first).to_be_visible()
    page.keyboard.press("d")
    expect(pane).to_be_hidden()
    opener.click()
    expect(pane).to_be_visible()
    page.keyboard.press("Escape")
    expect(pane).to_be_hidden()


def test_a_search_leaves_the_sentences_that_have_the_words_and_gives_the_rest_back(
    open_page: Any, transactional_db: None
) -> None:
    corpus = rich_corpus(documents=3)
    Sentence.objects.filter(article__title="Reference 2", number=3).update(text="The Engine broke in May.")
    place = held_place(study_of("every_kind", corpus=corpus))
    page = open_page(place.annotator.user)
    page.goto(question(place))
    page.keyboard.press("/")
    search = page.locator("#document-search")
    expect(search).to_be_focused()
    page.keyboard.type("engine")
    expect(page.locator("#document-found")).to_have_text("1 sentences found")
    expect(page.locator("[data-sentence]:visible")).to_have_count(1)
    expect(page.locator("[data-sentence='R2:3']")).to_be_visible()
    assert page.evaluate("[...CSS.highlights.get('found')].map(String)") == ["Engine"]
    search.fill("nowhere")
    expect(page.locator("#document-found")).to_have_text("Nothing found")
    page.keyboard.press("Escape")
    expect(search).to_have_value("")
    expect(page.locator("[data-sentence]:visible")).to_have_count(8)
    expect(page.locator(".reference[open]")).to_have_count(0)


def test_a_search_takes_full_and_half_width_for_the_same(open_page: Any, transactional_db: None) -> None:
    corpus = rich_corpus(documents=3)
    text = "㈱ミナトは２０２３年にＮＨＫへｶﾞｽ船を貸した。"
    Sentence.objects.filter(article__title="Reference 2", number=3).update(text=text)
    place = held_place(study_of("every_kind", corpus=corpus))
    page = open_page(place.annotator.user)
    page.goto(question(place))
    page.keyboard.press("/")
    search = page.locator("#document-search")
    marked = "[...CSS.highlights.get('found')].map(String)"
    for words, found in {
        "２０２３年": "２０２３年",
        "2023": "２０２３",
        "nhk": "ＮＨＫ",
        "ガス": "ｶﾞｽ",
        "株": "㈱",
        "船を": "船を",
        text: text,
    }.items():
        search.fill(words)
        expect(page.locator("#document-found")).to_have_text("1 sentences found")
        expect(page.locator("[data-sentence='R2:3']")).to_be_visible()
        assert page.evaluate(marked) == [found]


def test_browsers_that_cannot_split_texts_have_all_of_the_page(open_page: Any, transactional_db: None) -> None:
    """Firefox before 125 has no ``Intl.Segmenter``."""
    corpus = rich_corpus(documents=3)
    text = "ミナトは２０２３年にＮＨＫへｶﾞｽ船を貸した。"
    Sentence.objects.filter(article__title="Reference 2", number=3).update(text=text)
    place = held_place(study_of("every_kind", corpus=corpus))
    page = open_page(place.annotator.user)
    page.add_init_script("delete Intl.Segmenter")
    page.goto(question(place))
    page.keyboard.press("/")
    search = page.locator("#document-search")
    for words, found in {"nhk": "ＮＨＫ", "2023": "２０２３", "ガス": "ｶﾞｽ"}.items():
        search.fill(words)
        expect(page.locator("#document-found")).to_have_text("1 sentences found")
        assert page.evaluate("[...CSS.highlights.get('found')].map(String)") == [found]
    page.locator("[data-sentence='R2:3']").click()
    expect(page.locator('[name="aspect-evidence"]')).to_have_value("R2:3")


def test_cited_reference_sentences_are_counted_beside_their_document(open_page: Any, transactional_db: None) -> None:
    place = held_place(study_of("every_kind"))
    page = open_page(place.annotator.user)
    page.goto(question(place))
    page.locator('[name="aspect-evidence"]').fill("R2:1-3, r1:2, 4")
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    expect(page.locator("[data-cited-in='R2']")).to_have_text("3 cited")
    expect(page.locator("[data-cited-in='R1']")).to_have_text("1 cited")
    page.locator("summary", has_text="Reference 2").click()
    page.locator("[data-sentence='R2:2']").click()
    expect(page.locator('[name="aspect-evidence"]')).to_have_value("4, R1:2, R2:1, R2:3")


def test_of_a_document_of_500_sentences_only_those_are_drawn_again_that_changed(
    open_page: Any, transactional_db: None
) -> None:
    place = held_place(open_study(corpus=make_corpus(questions=1, sentences=500)))
    page = open_page(place.annotator.user)
    page.goto(question(place))
    expect(page.locator("[data-sentence]")).to_have_count(500)
    typing, citing = page.evaluate(
        """() => {
            const observer = new MutationObserver(() => {});
            const subtree = {subtree: true, childList: true, attributes: true, characterData: true};
            observer.observe(document.querySelector(".document .numbered"), subtree);
            const touched = (act) => {
                act();
                return new Set(observer.takeRecords().map((each) => each.target)).size;
            };
            const area = document.querySelector("textarea[name^=aspect-]");
            const typing = touched(() => {
                area.value += "x"; area.dispatchEvent(new Event("input", {bubbles: true})); });
            const sentences = [...document.querySelectorAll("[data-sentence]")];
            const citing = Array.from({length: 40}, (_, n) => touched(() => sentences[n * 12].click()));
            return [typing, Math.max(...citing)];
        }"""
    )
    assert typing == 0
    assert citing == 40
    page.keyboard.press("Escape")
    page.locator("[data-sentence='499']").scroll_into_view_if_needed()
    expect(page.locator("[data-sentence='499']")).to_be_in_viewport()


def test_right_to_left_documents_mirror(open_page: Any, assert_accessible: Any, transactional_db: None) -> None:
    corpus = rich_corpus(language="ar")
    Sentence.objects.update(text=ARABIC)
    Question.objects.update(text="لماذا توقفت العبارة؟", choices=[ARABIC] * 3)
    Answer.objects.update(text=ARABIC)
    place = held_place(study_of("every_kind", corpus=corpus))
    for screen in ({}, PHONE):
        page = open_page(place.annotator.user, **screen)
        page.goto(question(place))
        page.locator("[data-sheet='toggle']").click()
        direction = "(it) => getComputedStyle(it).direction"
        for selector in (".document .numbered", ".question", ".candidate-text", ".option-what[lang=ar]"):
            assert page.locator(selector).first.evaluate(direction) == "rtl", selector
        number, text = (
            page.locator(f"[data-sentence='2'] .sentence-{part}").bounding_box() for part in ("number", "text")
        )
        assert number["x"] > text["x"], "the number stands before the text, on its right"
        assert page.locator("legend").first.evaluate(direction) == "ltr", "the interface stays as it is"
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert_accessible(page)
