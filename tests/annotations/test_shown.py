"""What the page shows of an item: every part, by the scheme's headings, all of it escaped, whatever its language."""

import re

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext

from annotation_platform.annotations import forms
from annotation_platform.core.schemes import build_scheme, preset, presets
from annotation_platform.corpus.models import Answer, Article, Question, Sentence
from tests.annotations.desk import Desk, sit_down
from tests.annotations.every_kind import CHOICES, SCHEMES, definition, rich_corpus, study_of
from tests.markup import markup

pytestmark = pytest.mark.pages

EVIL = "<script>alert(1)</script>\" onload='alert(2)"


@pytest.fixture
def group(db: None) -> Desk:
    return sit_down(study_of("every_kind"))


@pytest.fixture
def single(db: None) -> Desk:
    return sit_down(study_of("every_part"))


def page_of(desk: Desk) -> str:
    return markup(desk.client.get(desk.url()))


def test_every_part_of_one_answer_is_shown_in_the_schemes_order(single: Desk) -> None:
    page = page_of(single)
    question = single.items[0].question
    for text in (question.text, *CHOICES, *question.reference_answers, single.items[0].answer.rationale):
        assert text in page
    assert "What it chose" in page
    assert "Answer to judge" not in page, "the scheme has a heading of its own"
    headings = re.findall(r'class="part[^"]*"><h2>([^<]+)', page)
    assert headings == ["Choices", "What it chose", "Explanation", "Reference answers"]
    assert 'id="document"' not in page


def test_reference_documents_are_folded_and_their_sentences_can_be_cited(group: Desk) -> None:
    page = page_of(group)
    assert page.count('<details class="reference"') == 2
    assert "<details open" not in page
    assert 'href="https://example.org/2" target="_blank" rel="noopener noreferrer"' in page
    assert page.count('data-sentence="R2:') == 4
    assert page.count('data-sentence="R') == 8
    assert page.count("data-sentence=") == 16
    assert 'id="document-search"' in page
    assert "Four replies" in page


def test_a_link_leads_to_the_web_or_nowhere(group: Desk) -> None:
    Article.objects.filter(title="Reference 1").update(url="javascript:alert(1)")
    assert "javascript:" not in page_of(group)


@pytest.mark.parametrize("name", ["every_kind", "every_part"])
def test_nothing_from_the_corpus_is_markup(db: None, name: str) -> None:
    desk = sit_down(study_of(name))
    Article.objects.update(title=EVIL, source=EVIL)
    Sentence.objects.update(text=EVIL)
    Answer.objects.update(text=EVIL, rationale=EVIL)
    Question.objects.update(text=EVIL, choices=[EVIL] * 3, reference_answers=[EVIL])
    page = page_of(desk)
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert " onload='" not in page


@pytest.mark.parametrize("language", ["ar", "ja"])
def test_texts_carry_their_language_and_find_their_direction(db: None, language: str) -> None:
    desk = sit_down(study_of("every_kind", corpus=rich_corpus(language=language)))
    page = page_of(desk)
    assert f'<ol class="numbered" dir="auto" lang="{language}">' in page
    assert f'class="question" dir="auto" lang="{language}"' in page
    assert f'class="candidate-text" dir="auto" lang="{language}"' in page


def test_guidelines_of_aspects_are_markdown_in_which_html_is_text(group: Desk, single: Desk) -> None:
    page = page_of(group)
    assert page.count("<strong>every claim</strong>") == 4
    assert "&lt;b&gt;No markup&lt;/b&gt;" in page
    instructions = markup(single.client.get(single.url("instructions", None)))
    assert "<em>alone</em>" in instructions
    assert '<a href="https://example.org/notes" target="_blank" rel="noopener">' in instructions
    assert "<script>alert" not in instructions


def test_the_instructions_show_examples_of_every_part_and_kind(group: Desk, single: Desk) -> None:
    page = markup(group.client.get(group.url("instructions", None)))
    for text in (
        "Harbour notice",
        "The engine is being repaired.",
        "Its engine had broken.",
        "−0.5",
        "just right",
        "A (None is acceptable, but if I must choose)",
        "4 stars",
        "a: Its engine broke",
        "2, R1:2",
        "Facts",
        "Only the first names the engine.",
    ):
        assert text in page, text
    assert page.count("is-cited") == 3
    other = markup(single.client.get(single.url("instructions", None)))
    for text in ("What it chose", "Painters hang below it.", "It names the painters."):
        assert text in other


def test_the_page_of_a_group_takes_the_same_queries_however_many_documents(db: None) -> None:
    counts = []
    for documents in (1, 5):
        desk = sit_down(study_of("every_kind", corpus=rich_corpus(documents=documents)))
        desk.client.get(desk.url())
        with CaptureQueriesContext(connection) as queries:
            desk.client.get(desk.url())
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15


@pytest.mark.parametrize("name", [*presets(), *sorted(path.stem for path in SCHEMES.glob("*.yaml"))])
@pytest.mark.parametrize("has_example", [True, False])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_any_scheme_can_be_previewed_without_a_task(name: str, has_example: bool, language: str) -> None:
    data = preset(name) if name in presets() else definition(name)
    scheme = build_scheme(data if has_example else data | {"examples": []}, language)
    page = render_to_string("annotations/_form_preview.html", forms.preview(scheme))
    for aspect in scheme.aspects:
        assert f'name="aspect-{aspect.key}' in page
    assert "hx-post" not in page
    assert 'method="post"' not in page
