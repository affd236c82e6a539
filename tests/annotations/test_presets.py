"""Every scheme that comes with the platform, by its own worked examples: a new preset is covered by itself."""

from html.parser import HTMLParser
from typing import Any

import pytest
from django.http import QueryDict

from annotation_platform.annotations import forms
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import SentencesAspect, SeveralAspect, SpansAspect, TextAspect, preset, presets
from tests.annotations.desk import Desk, sit_down
from tests.annotations.worked_examples import ExampleStudy, study_of_examples

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("key", presets()), pytest.mark.pages]

TOO_MUCH = "x" * 20_001


def desks(examples: ExampleStudy) -> list[Desk]:
    """A desk for each worked example's HIT, one annotator taking all of them in turn."""
    return [sit_down(examples.study) for _ in examples.scheme.examples]


def as_sent(examples: ExampleStudy, values: dict[str, Any]) -> dict[str, Any]:
    """Checked values as a browser sends them."""
    sent: dict[str, Any] = {}
    for key, typed in forms.typed_from_values(examples.scheme, values).items():
        aspect = examples.scheme.aspect(key.partition(".")[0])
        if isinstance(aspect, SentencesAspect | SeveralAspect | SpansAspect) and typed == "none":
            sent[f"aspect-{key}-none"] = "1"
        else:
            sent[f"aspect-{key}"] = typed.split(", ") if isinstance(aspect, SeveralAspect) else typed
    return sent


def test_each_worked_example_is_stored_as_it_was_judged(key: str) -> None:
    examples = study_of_examples(preset(key), overlap=1)
    for desk in desks(examples):
        (item,) = desk.items
        assert desk.client.get(desk.url()).status_code == 200
        wanted = examples.values_of(item)
        assert desk.submit(form=as_sent(examples, wanted)).status_code == 302
        stored = Annotation.objects.get(item=item)
        assert stored.values == wanted
        assert (stored.presented is not None) is examples.scheme.judges_candidates
    assert Annotation.objects.count() == len(examples.scheme.examples)


def test_each_field_that_was_tampered_with_is_told_beside_it(key: str) -> None:
    examples = study_of_examples(preset(key), overlap=1)
    desk = desks(examples)[0]
    (item,) = desk.items
    honest = as_sent(examples, examples.values_of(item))
    for name in honest:
        slot = name.removeprefix("aspect-").removesuffix("-none")
        if slot.endswith(".forced"):
            continue
        aspect = examples.scheme.aspect(slot.partition(".")[0])
        forged = TOO_MUCH if isinstance(aspect, TextAspect) else "tampered with"
        kept = {each: value for each, value in honest.items() if each != name}
        response = desk.submit(form=kept | {f"aspect-{slot}": forged})
        page = response.content.decode()
        assert response.status_code == 422, name
        assert f'id="aspect-{slot}-error">' in page
        assert forms.typed_from_sent(examples.scheme, _query(kept)).items() <= _shown_again(examples, page).items()
    assert not Annotation.objects.exists()
    assert desk.submit(form=honest).status_code == 302


def _query(sent: dict[str, Any]) -> QueryDict:
    query = QueryDict(mutable=True)
    for name, value in sent.items():
        query.setlist(name, value if isinstance(value, list) else [value])
    return query


def _shown_again(examples: ExampleStudy, page: str) -> dict[str, str]:
    """What the form of a page would send."""
    query = QueryDict(mutable=True)

    class Fields(HTMLParser):
        area = ""

        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            has = dict(attributes)
            if tag == "textarea":
                self.area = has.get("name") or ""
            elif tag == "input" and (has.get("type") not in ("radio", "checkbox") or "checked" in has):
                query.appendlist(has.get("name") or "", has.get("value") or "")

        def handle_data(self, data: str) -> None:
            if self.area:
                query.appendlist(self.area, data.removeprefix("\n"))
                self.area = ""

    Fields().feed(page)
    return forms.typed_from_sent(examples.scheme, query)
