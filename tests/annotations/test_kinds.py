"""Every kind of aspect on the server, as a browser without JavaScript sends it: what is stored, what is refused."""

import html
import json
from typing import Any

import pytest
from django.utils import translation

from annotation_platform.annotations.models import Annotation, Draft
from tests.annotations.desk import Desk, sit_down
from tests.annotations.every_kind import FORM, VALUES, study_of
from tests.markup import markup

pytestmark = pytest.mark.pages


@pytest.fixture
def desk(db: None) -> Desk:
    return sit_down(study_of("every_kind"))


def without(*fields: str, **others: Any) -> dict[str, Any]:
    """The whole form but for some fields, with others changed."""
    changed = {f"aspect-{key}": value for key, value in others.items()}
    return {key: value for key, value in FORM.items() if key.removeprefix("aspect-") not in fields} | changed


def error_beside(page: str, slot: str) -> str:
    """The error that stands in a slot's step, which its fields point to."""
    step = page.split(f'id="aspect-{slot}-step"')[1].split("</fieldset>")[0]
    assert f"aspect-{slot}-error" in step.split(">")[0], "the step does not point to its error"
    return html.unescape(step.split(f'id="aspect-{slot}-error">')[1].split("</p>")[0])


def test_every_kind_is_stored_in_its_one_form(desk: Desk) -> None:
    response = desk.submit(form=FORM)
    assert response.status_code == 302, markup(response)
    assert Annotation.objects.get().values == VALUES


def test_every_kind_comes_back_as_it_was_stored(desk: Desk) -> None:
    desk.submit(form=FORM)
    page = markup(desk.client.get(desk.url()))
    for name, value in FORM.items():
        for each in value if isinstance(value, list) else [value]:
            is_box = f'type="checkbox" name="{name}"' in page or f'type="radio" name="{name}"' in page
            if is_box:
                written = "0.5" if each == "0.50" else each
                assert f'value="{written}" checked' in fields(page, name), name
    assert 'value="85"' in fields(page, "aspect-confidence")
    assert 'value="5, R2:1"' in fields(page, "aspect-evidence")
    assert 'value="2, R1:3, R1:4"' in fields(page, "aspect-wrong.2")
    assert "It names the engine.</textarea>" in page
    again = desk.submit(form=FORM)
    assert again.status_code == 302
    assert Annotation.objects.count() == 1, "unchanged values are no new revision"


def fields(page: str, name: str) -> str:
    """The fields of that name, one after the other."""
    return "".join(part.split(">")[0] + ">" for part in page.split(f'name="{name}"')[1:])


@pytest.mark.parametrize(
    ("slot", "fields", "reason"),
    [
        ("factual.1", {"factual.1": "7"}, "“7” is not one of the choices (0, 1, 2, 3)."),
        ("factual.3", {"factual.3": ""}, "Choose one."),
        ("amount.4", {"amount.4": "0.25"}, "“0.25” is not one of the choices"),
        ("amount.4", {"amount.4": "NaN"}, "“NaN” is not one of the choices"),
        ("wrong.2", {"wrong.2": "", "wrong.2-none": "1"}, "Cite at least one sentence."),
        ("wrong.3", {"wrong.3-none": ""}, "Cite the sentences, or say “No sentence does”."),
        ("wrong.2", {"wrong.2": "R3:1"}, "There is no reference document R3. There are: R1 to R2."),
        ("wrong.2", {"wrong.2": "R1:5"}, "There is no sentence 5. Numbers lie between 1 and 4."),
        ("wrong.2", {"wrong.2-none": "1"}, "You cited sentences and ticked “No sentence does”."),
        ("best", {"best": "5"}, "“5” is not one of the choices (1, 2, 3, 4)."),
        ("best", {"best": "A"}, "“A” is not one of the choices"),
        ("agree", {"agree": "6"}, "“6” is not one of the choices"),
        ("overall", {"overall": "0"}, "“0” is not one of the choices"),
        ("answerable", {"answerable": "maybe"}, "“maybe” is not one of the choices (yes, no, na)."),
        ("confidence", {"confidence": "83"}, "“83” is not one of the choices"),
        ("confidence", {"confidence": "1e9"}, "“1e+09” is not one of the choices"),
        ("confidence", {"confidence": ""}, "Choose one."),
        ("right_choice", {"right_choice": "d"}, "“d” is not one of the choices (a, b, c, none)."),
        ("faults", {"faults": ["facts", "speed"]}, "“speed” is not one of the choices (style, facts, length)."),
        ("faults", {"faults": ""}, "Choose some, or say “Nothing”."),
        ("faults", {"faults-none": "1"}, "You chose something and “Nothing”."),
        ("evidence", {"evidence": ""}, "Cite at least one sentence."),
        ("evidence", {"evidence": "none"}, "Cite at least one sentence."),
        ("evidence", {"evidence": "3 to 5"}, "“to” is not a sentence number."),
        ("why", {"why": ""}, "Please write something here."),
        ("why", {"why": "It"}, "Please write at least 5 characters; there are 2."),
        ("why", {"why": "x" * 401}, "This is 401 characters long; at most 400 fit. Shorten it."),
    ],
)
def test_what_was_tampered_with_is_refused_beside_its_field(
    desk: Desk, slot: str, fields: dict[str, Any], reason: str
) -> None:
    response = desk.submit(form=without(**fields))
    page = markup(response)
    assert response.status_code == 422
    assert error_beside(page, slot).startswith(reason)
    assert not Annotation.objects.exists()
    for kept in ("It names the engine.", "Sentence 4 is cut off.", 'name="aspect-faults-none"'):
        assert kept in page or "why" in fields
    assert desk.submit(form=FORM).status_code == 302, "mended, it is taken"


def test_a_field_of_a_candidate_that_is_not_there_is_refused(desk: Desk) -> None:
    response = desk.submit(form=without(**{"factual.9": "3"}))
    assert response.status_code == 422
    assert "This scheme has no such aspect." in markup(response)
    assert not Annotation.objects.exists()


def test_fields_that_no_slot_has_are_left_out(desk: Desk) -> None:
    strange = {"factual": "3", "best.2": "1", "best.else": "1", "agree.forced": "1", "factual.0": "3", "factual.x": "3"}
    assert desk.submit(form=without(**strange)).status_code == 302
    assert Annotation.objects.get().values == VALUES


def test_several_and_none_are_answers_of_their_own(desk: Desk) -> None:
    assert desk.submit(form=without("faults", **{"faults-none": "1"})).status_code == 302
    assert Annotation.objects.get().values["faults"] == []
    page = markup(desk.client.get(desk.url()))
    assert 'name="aspect-faults-none" value="1" checked' in page


def test_the_mark_that_none_is_acceptable_is_optional(desk: Desk) -> None:
    desk.submit(form=without("best.forced"))
    assert "best.forced" not in Annotation.objects.get().values


def test_a_number_is_read_as_people_write_it(desk: Desk) -> None:
    for position, written in ((1, "０．５"), (2, "-0.50")):
        assert desk.submit(position, without(**{"amount.1": written})).status_code == 302
    assert [each.values["amount.1"] for each in Annotation.objects.order_by("pk")] == ["0.5", "-0.5"]
    assert desk.submit(form=without(**{"amount.1": "-0"})).status_code == 302
    assert Annotation.objects.current().get(item__position=1).values["amount.1"] == "0"


def test_a_hidden_step_is_neither_required_nor_stored(desk: Desk) -> None:
    shown = without(**{"factual.2": "3", "factual.3": "3", "answerable": "yes"})
    assert desk.submit(form=shown).status_code == 302
    assert not {"wrong.2", "wrong.3", "remark"} & set(Annotation.objects.get().values)


def test_a_requirement_follows_its_condition(desk: Desk) -> None:
    assert desk.submit(form=without("why", agree="3")).status_code == 302
    assert "why" not in Annotation.objects.get().values


def test_the_page_marks_what_is_asked_without_javascript(desk: Desk) -> None:
    page = markup(desk.client.get(desk.url()))
    assert "is-not-asked" in page.split('id="aspect-remark-step"')[0].rsplit("<fieldset", 1)[1]
    desk.submit(form=FORM)
    page = markup(desk.client.get(desk.url()))
    assert "is-not-asked" not in page.split('id="aspect-remark-step"')[0].rsplit("<fieldset", 1)[1]
    assert "is-not-asked" in page.split('id="aspect-wrong.1-step"')[0].rsplit("<fieldset", 1)[1]


def test_conditions_are_on_the_page_in_their_plain_forms(desk: Desk) -> None:
    page = markup(desk.client.get(desk.url()))
    step = page.split('id="aspect-remark-step"')[1].split(">")[0]
    condition = json.loads(html.unescape(step.split('data-shown_when="')[1].split('"')[0]))
    assert condition == desk.study.scheme().condition("remark", "shown_when")


def test_drafts_keep_every_slot_as_typed(desk: Desk) -> None:
    sent = without(**{"evidence": "R9:1 oops", "amount.1": "0.5"}) | desk.hidden()
    assert desk.client.post(desk.url("draft"), sent).status_code == 200
    typed = Draft.objects.get().values
    assert typed["factual.2"] == "0"
    assert typed["evidence"] == "R9:1 oops"
    assert typed["faults"] == "facts, style"
    assert typed["best.forced"] == "1"
    assert typed["wrong.3"] == "none"
    page = markup(desk.client.get(desk.url()))
    assert 'value="R9:1 oops"' in page
    assert 'name="aspect-wrong.3-none" value="1" checked' in page
    assert page.count('value="facts" checked') == page.count('value="style" checked') == 1


def test_in_japanese_every_kind_is_told_in_japanese(desk: Desk) -> None:
    with translation.override("ja"):
        response = desk.submit(
            form=without(**{"evidence": "", "faults": "", "wrong.2": "R3:1"}), headers={"Accept-Language": "ja"}
        )
    page = markup(response)
    assert error_beside(page, "evidence") == "少なくとも一つの文を挙げてください。"
    assert error_beside(page, "faults") == "当てはまるものを選ぶか、「なし」に印をつけてください。"
    assert error_beside(page, "wrong.2") == "参照文書R3はありません。あるのはR1からR2までです。"
