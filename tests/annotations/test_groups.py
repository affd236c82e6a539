"""Candidates judged together: blinded, in the annotator's own order, which is recorded."""

import re

import pytest

from annotation_platform.annotations.models import Annotation
from annotation_platform.studies.selectors import presentation_order
from tests.annotations.desk import Desk, sit_down
from tests.annotations.every_kind import FORM, LONG_ANSWER, study_of
from tests.factories import SYSTEMS
from tests.markup import markup

pytestmark = pytest.mark.pages


@pytest.fixture
def desk(db: None) -> Desk:
    return sit_down(study_of("every_kind", overlap=6))


def order_on(page: str) -> list[int]:
    return [int(number) for number in re.findall(r'data-card="(\d+)"', page)]


def test_candidates_stand_in_the_annotators_own_order(desk: Desk) -> None:
    others = [desk, *(sit_down(desk.study) for _ in range(4))]
    orders = []
    for each in others:
        page = markup(each.client.get(each.url()))
        expected = presentation_order(item_id=each.items[0].pk, member_id=each.annotator.pk, count=4)
        assert order_on(page) == expected == order_on(markup(each.client.get(each.url())))
        orders.append(tuple(expected))
    assert len(set(orders)) > 1


def test_each_card_has_its_candidates_text_and_fields(desk: Desk) -> None:
    page = markup(desk.client.get(desk.url()))
    answers = {each.number: each.answer.text for each in desk.items[0].candidates.select_related("answer")}
    for letter, number in zip("ABCD", order_on(page), strict=True):
        card = page.split(f'data-card="{number}"')[1].split("</section>")[0]
        assert f"Answer {letter}" in card
        assert answers[number][:60] in card
        names = set(re.findall(r'name="aspect-([\w.]+)"', card))
        assert names == {f"factual.{number}", f"amount.{number}", f"wrong.{number}"}


def test_no_system_is_named(desk: Desk) -> None:
    page = markup(desk.client.get(desk.url()))
    assert LONG_ANSWER[:20] in page
    assert not {name for name in (*SYSTEMS, "dogwood") if name in page}


def test_the_best_is_chosen_by_letter_and_stored_by_number(desk: Desk) -> None:
    page = markup(desk.client.get(desk.url()))
    step = page.split('id="aspect-best-step"')[1].split("</fieldset>")[0]
    assert [int(n) for n in re.findall(r'name="aspect-best" id="[^"]+" value="(\d)"', step)] == order_on(page)
    assert re.findall(r'class="option-label">(\w)<', step) == ["A", "B", "C", "D"]


def test_the_order_shown_is_recorded(desk: Desk) -> None:
    page = markup(desk.client.get(desk.url()))
    desk.submit(form=FORM)
    assert Annotation.objects.get().presented == order_on(page)


def test_mistakes_name_the_answer_by_its_letter(desk: Desk) -> None:
    response = desk.submit(form=FORM | {"aspect-factual.3": ""})
    page = markup(response)
    letter = "ABCD"[order_on(page).index(3)] if order_on(page) else ""
    assert response.status_code == 422
    assert f'href="#aspect-factual.3-1">{letter} 1. How factual is it?</a>' in page.split('id="errors"')[1]
