"""One declaration of a parameter gives its field on the page, its argument, its help and its JSON schema."""

from typing import Annotated, Any, Literal

import pytest
from django.core.management import load_command_class
from django.test import Client
from django.urls import reverse
from pydantic import BaseModel, Field

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.scoring.methods import METHODS
from annotation_platform.scoring.methods.contract import RunMethod
from annotation_platform.scoring.options import Ask, OptionKind, options_of, title_of, typed_as
from annotation_platform.scoring.parameters import ModelCall, Parameters, chosen
from annotation_platform.studies.models import Role
from tests.factories import MemberFactory, study_with_judgments
from tests.markup import markup

EVERY = [
    pytest.param(method, each.parameters, id=f"{method.name}-{each.scorer}")
    for method in METHODS
    for each in method.scored_by
]


class Inner(BaseModel):
    order: Annotated[Literal["up", "down"], Ask(choices={"up": "Upwards", "down": "Downwards"})] = Field(
        default="up", title="Order"
    )


class LengthParameters(Parameters):
    least: Annotated[int, Ask(is_rare=True)] = Field(default=3, ge=0, alias="min", title="Shortest")
    warmth: Annotated[float | None, Ask(decides=False)] = Field(default=0.5, title="Warmth", description="How warm.")
    limit: Annotated[int | None, Ask(on_page=False)] = Field(default=None, title="Limit")
    is_strict: Annotated[bool, Ask()] = Field(default=True, title="Strict")
    inner: Inner = Inner()
    digest: str = Field(default="", title="Digest")


def test_a_field_says_all_that_a_form_needs() -> None:
    least, warmth, limit, is_strict, order = options_of(LengthParameters)
    assert (least.name, least.label, least.kind, least.usual) == ("min", "Shortest", OptionKind.WHOLE, "3")
    assert (warmth.kind, warmth.initial, warmth.can_be_none) == (OptionKind.NUMBER, "0.5", True)
    assert (limit.kind, limit.usual, limit.initial, limit.can_be_none) == (OptionKind.WHOLE, "", "", False)
    assert (is_strict.kind, is_strict.usual) == (OptionKind.YES_NO, "yes")
    assert (order.kind, order.choices) == (OptionKind.CHOICE, (("up", "Upwards"), ("down", "Downwards")))


def test_what_is_typed_for_a_number_has_no_needless_places_and_a_name_keeps_its_own() -> None:
    assert [typed_as(value) for value in (2.0, 0.5, "vllm 1.0", None)] == ["2", "0.5", "vllm 1.0", ""]


def test_what_was_left_open_is_left_out_unless_none_is_a_value_of_its_own() -> None:
    assert chosen(LengthParameters, {"min": None, "warmth": None, "limit": 4}) == {"warmth": None, "limit": 4}


def test_what_decides_no_score_is_no_part_of_what_does() -> None:
    assert LengthParameters().deciding() == {
        "min": 3, "limit": None, "is_strict": True, "inner": {"order": "up"}, "digest": "",
    }  # fmt: skip


def test_a_parameter_is_called_by_its_title_wherever_it_stands() -> None:
    named = {path: title_of(LengthParameters, path) for path in ("min", "inner.order", "digest.aspect", "gone")}
    assert named == {"min": "Shortest", "inner.order": "Order", "digest.aspect": "Digest, aspect", "gone": "gone"}


def test_a_bound_is_checked_and_told() -> None:
    with pytest.raises(InvalidInputError, match="min: -1 is not at least 0"):
        LengthParameters.checked(min=-1)


@pytest.mark.parametrize(("method", "kind"), EVERY)
def test_the_first_choice_is_the_default(method: RunMethod, kind: type[Parameters]) -> None:
    defaults = {
        each.alias or name: each.default
        for model in (kind, *(field.annotation for field in kind.model_fields.values()))
        if isinstance(model, type) and issubclass(model, BaseModel)
        for name, each in model.model_fields.items()
    }
    chosen_first = {name: option.choices[0][0] for name, option in kind.options().items() if option.choices}
    assert chosen_first.pop("variant", "label_article") == "label_article"  # None: the study's own, else this one
    assert chosen_first == {name: defaults[name] for name in chosen_first}


@pytest.mark.parametrize(("method", "kind"), EVERY)
def test_the_json_schema_has_the_words_and_the_bounds(method: RunMethod, kind: type[Parameters]) -> None:
    schema = kind.model_json_schema(by_alias=True)
    models = [schema, *schema.get("$defs", {}).values()]
    properties = {name: each for model in models for name, each in model.get("properties", {}).items()}
    for name, option in kind.options().items():
        assert properties[name]["title"] == option.label
        assert properties[name].get("description", "") == option.help
    if issubclass(kind, ModelCall):
        assert properties["temperature"]["anyOf"][0]["maximum"] == 2


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_command_takes_every_parameter_of_every_method(method: RunMethod) -> None:
    parser = load_command_class("annotation_platform.scoring", "score_study").create_parser("manage.py", "score_study")
    arguments: dict[str, Any] = {action.dest: action for action in parser._actions}
    for name, option in method.options().items():
        assert f"--{name.replace('_', '-')}" in arguments[name].option_strings
        assert option.label[1:] in arguments[name].help.replace("%%", "%")


@pytest.mark.django_db
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_page_asks_for_those_that_are_for_pages(method: RunMethod, client: Client) -> None:
    study = study_with_judgments(annotators=2)
    client.force_login(MemberFactory(study=study, role=Role.RESEARCHER).user)
    page = markup(client.get(reverse("new_run", args=[study.slug, method.name])))
    options = method.options()
    asked = {name for name in options if f'name="{name}"' in page}
    assert asked == {name for name, option in options.items() if option.ask.on_page} - {"rescaler"}  # it has none yet
