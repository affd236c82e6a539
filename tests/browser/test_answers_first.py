"""Nobody is asked which answer is better before they have seen the answers; what was wrong goes once it is mended."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import read_scheme
from annotation_platform.studies.models import Assignment, Member, Study
from annotation_platform.studies.services import claim_assignment
from tests.browser.question_page import PHONE, fill_in, question, reasons, sentences
from tests.factories import OPERATOR, MemberFactory, make_corpus, open_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DUEL = """\
key: duel
title: "Which answer?"
shown: [question, candidates]
cannot_judge: I cannot judge these answers
aspects:
  - {key: clear, kind: yes_no, title: "Is the question clear?"}
  - {key: best, kind: best_of, title: "Which is better?"}
  - {key: why, kind: text, title: "Why that one?", min_length: 5}
"""
PER_CANDIDATE = (
    "  - {key: truth, kind: stars, title: 'True?', per: candidate, shown_when: {aspect: best, answered: true}}\n"
)


def place(text: str) -> Assignment:
    study = open_study(corpus=make_corpus(questions=1), definition=read_scheme(text))
    claimed = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    assert claimed is not None
    return claimed


def top(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None, selector
    return float(box["y"])


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("per_candidate", ["", PER_CANDIDATE], ids=["only read", "rated"])
def test_the_answers_stand_above_the_question_which_is_better(
    open_page: Any, options: dict[str, Any], per_candidate: str
) -> None:
    claimed = place(DUEL + per_candidate)
    page = open_page(claimed.annotator.user, **options)
    page.goto(question(claimed))
    page.wait_for_load_state()
    answers = page.locator(".candidate-text:visible").all()
    assert len(answers) == (1 if options and per_candidate else page.locator("[data-card]").count())
    assert all(each.bounding_box()["y"] < top(page, '[data-slot="best"]') for each in answers)
    if per_candidate:
        assert not page.locator('[data-slot="truth.1"]').is_visible()
        page.locator('input[name="aspect-best"]').first.check()
        expect(page.locator('[data-card][data-current] [data-aspect="truth"]').first).to_be_visible()
        assert top(page, "#candidates") < top(page, '[data-slot="best"]')
    numbers = [int(text) for text in page.locator(".step:visible .step-number").all_inner_texts() if text]
    assert numbers == sorted(numbers)


def test_what_cannot_be_judged_is_said_with_a_reason(open_page: Any) -> None:
    claimed = place(DUEL + PER_CANDIDATE)
    page = open_page(claimed.annotator.user, **PHONE)
    page.goto(question(claimed))
    page.wait_for_load_state()
    assert not page.get_by_label("Why can you not judge this?").is_visible()
    page.get_by_label("I cannot judge these answers").check()
    expect(page.locator('[data-slot="best"]')).to_be_hidden()
    expect(page.locator("[data-card][data-current] .candidate-text")).to_be_visible()
    page.get_by_label("Why can you not judge this?").fill("Both are cut off.")
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.reload()
    expect(page.get_by_label("Why can you not judge this?")).to_have_value("Both are cut off.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("#submit").click()
    page.wait_for_url("**/done/")
    assert Annotation.objects.get().values == {"cannot_judge": True, "cannot_judge.reason": "Both are cut off."}


def test_what_was_wrong_is_not_said_of_what_is_mended(open_page: Any, study: Study, annotator: Member) -> None:
    claimed = claim_assignment(annotator=annotator, actor=OPERATOR)
    assert claimed is not None
    page = open_page(annotator.user)
    page.goto(question(claimed))
    page.wait_for_load_state()
    fill_in(page)
    sentences(page).fill("99")
    reasons(page).fill("")
    page.locator("#submit").click()
    expect(page.locator("#errors li")).to_have_count(2)
    expect(page.locator("#aspect-sentences-error")).to_contain_text("There is no sentence 99")
    page.wait_for_load_state()  # before that, no script hears that something is mended
    sentences(page).fill("3")
    expect(page.get_by_text("There is no sentence 99")).to_have_count(0)
    expect(page.locator("#errors li")).to_have_count(1)
    reasons(page).fill("It leaves out sentence 3.")
    expect(page.locator("#errors")).to_have_count(0)
    assert page.locator("[aria-invalid]").count() == 0
