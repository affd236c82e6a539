"""The annotator's pages in Japanese: the interface by gettext, the scheme by its own texts."""

import gettext
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils.html import strip_tags

from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Answer, Article, Question, Sentence
from tests.annotations.desk import FORM, Desk, sit_down
from tests.annotations.every_kind import rich_corpus, study_of
from tests.factories import submit

pytestmark = pytest.mark.pages

JAPANESE = {"Accept-Language": "ja"}
LOCALE = Path(settings.BASE_DIR) / "annotation_platform" / "locale" / "ja" / "LC_MESSAGES"
NOT_TRANSLATED = {"Tab", "Ctrl", "Esc", "csrfmiddlewaretoken"}
# The guidelines and data that the scheme of the tests has in English only, and who is signed in.
ENGLISH_EXAMPLE = set(
    re.findall(
        r"[A-Za-z]{3,}",
        "Compare every claim with the documents. No markup. The ferry stopped in May. Its engine had broken. Harbour "
        "notice No boats run in May. The engine is being repaired. Its engine broke Nobody used it It was cancelled. "
        "person example org",
    )
)


def english_words(page: str) -> set[str]:
    switch = r'<button[^>]* lang="en"[^>]*>.*?</button>'  # names the other language in that language
    page = re.sub(rf"<title>.*?</title>|<script.*?</script>|<kbd.*?</kbd>|{switch}", "", page, flags=re.DOTALL)
    return set(re.findall(r"[A-Za-z]{3,}", strip_tags(page.replace("<", " <")))) - NOT_TRANSLATED


def test_no_english_is_left_on_the_question_page(desk: Desk) -> None:
    item = desk.items[0]
    answer, question = item.answer, item.question
    answer.text = question.text = "日本語の文。"
    answer.save()
    question.save()
    article = desk.assignment.hit.article
    article.title = "日本語の題"
    article.save()
    article.sentences.update(text="日本語の文。")
    page = desk.client.get(desk.url(), headers=JAPANESE).content.decode()
    assert '<html lang="ja">' in page
    assert english_words(page) == set()
    script = page.split('id="annotate-texts"')[1].split("</script>")[0]
    assert "保存しました" in script.encode().decode("unicode_escape", errors="ignore") or "\\u4fdd" in script


def test_no_english_is_left_on_a_page_with_every_kind_and_part(db: None) -> None:
    desk = sit_down(study_of("every_kind", corpus=rich_corpus(language="ja")))
    Article.objects.update(title="日本語の題", url="")
    Sentence.objects.update(text="日本語の文。")
    Answer.objects.update(text="日本語の回答。")
    Question.objects.update(text="質問", choices=["一", "二", "三"], reference_answers=["参照"])
    for url in (desk.url(), desk.url("instructions", None)):
        page = desk.client.get(url, headers=JAPANESE).content.decode()
        assert english_words(page) - ENGLISH_EXAMPLE == set()


def test_the_other_pages_speak_japanese(desk: Desk) -> None:
    work = desk.client.get(reverse("work"), headers=JAPANESE).content.decode()
    assert "タスク一覧" in work
    assert "回答が" in desk.client.get(desk.url("instructions", None), headers=JAPANESE).content.decode()
    for item in desk.items:
        submit(desk.assignment, item)
    assert "3件の判定" in desk.client.get(desk.url("done", None), headers=JAPANESE).content.decode()
    assert "メッセージ" in desk.client.get(desk.url("messages", None), headers=JAPANESE).content.decode()


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("aspect-sentences", "3, 9", "文9はありません。番号は1から8までです。"),
        ("aspect-sentences", "three", "「three」は文番号ではありません。"),
        ("aspect-sentences", "5-3", "「5-3」は順序が逆です。"),
        ("aspect-sentences", "", "文を挙げるか、「答えになる文はない」に印をつけてください。"),
        ("aspect-reasons", "", "ここに記入してください。"),
        ("aspect-reasons", "a", "3文字以上で書いてください（現在1文字）。"),
        ("aspect-reasons", "x" * 6000, "6,000文字あります。5,000文字以内に短くしてください。"),
        ("aspect-correct", "{value}", "「{value}」は選択肢"),
        ("aspect-completeness", "", "一つ選んでください。"),
    ],
)
def test_a_mistake_is_told_in_japanese(desk: Desk, field: str, value: str, reason: str) -> None:
    response = desk.submit(form=FORM | {field: value}, headers=JAPANESE)
    assert response.status_code == 422
    assert reason in response.content.decode()


def test_a_japanese_judgment_is_stored_by_the_same_keys(desk: Desk) -> None:
    form = FORM | {"aspect-sentences": "２、４〜５", "aspect-reasons": "文4が抜けている。"}
    assert desk.submit(form=form, headers=JAPANESE).status_code == 302
    assert Annotation.objects.get().values == {
        "correct": "yes",
        "completeness": "missing_minor",
        "sentences": [2, 4, 5],
        "reasons": "文4が抜けている。",
    }


def test_the_compiled_catalogue_is_that_of_the_written_one() -> None:
    lines = (LOCALE / "django.po").read_text(encoding="utf-8").replace('"\n"', "")  # a text may go over several
    written = set(re.findall(r'^msgid "(.+)"$', lines, re.MULTILINE))
    with open(LOCALE / "django.mo", "rb") as file:
        compiled = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    keys = {key[0] if isinstance(key, tuple) else key for key in compiled} - {""}
    known = {key.rpartition("\x04")[2] for key in keys}  # without its context, such as “difference”
    assert {text.replace('\\"', '"').replace("\\n", "\n") for text in written} == known
