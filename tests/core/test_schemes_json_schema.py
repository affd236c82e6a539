"""The JSON Schema of scheme files: it takes what the reader takes, and refuses what editors can know to be wrong."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from annotation_platform.core.schemes import preset, presets, read_scheme
from annotation_platform.core.schemes.json_schema import scheme_json_schema
from tests import rests_on
from tests.core.test_schemes_properties import Data, schemes
from tests.core.whole_schemes import GROUP, ONE_ANSWER

SCHEMA = scheme_json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def objections(data: Data) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(data)]


def test_it_is_a_json_schema() -> None:
    assert list(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(SCHEMA)) == []


@pytest.mark.parametrize("key", presets())
def test_every_preset_is_valid(key: str) -> None:
    assert objections(preset(key)) == []


def test_the_whole_schemes_are_valid() -> None:
    assert [*objections(read_scheme(ONE_ANSWER)), *objections(read_scheme(GROUP))] == []


@pytest.mark.long(*rests_on.CORE)
@given(schemes())
def test_what_the_reader_takes_is_valid(data: Data) -> None:
    assert objections(data) == []


def setting(*way: str | int, to: Any) -> Callable[[Data], None]:
    def change(data: Any) -> None:
        for part in way[:-1]:
            data = data[part]
        data[way[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (setting("titel", to="A dish"), "$"),
        (setting("title", to=5), "$.title"),
        (setting("title", to={"ja": "料理"}), "$.title"),
        (setting("title", to={"en": "A dish", "fr": "Un plat"}), "$.title"),
        (setting("key", to="Dish"), "$.key"),
        (setting("shown", 0, to="articel"), "$.shown[0]"),
        (setting("shown", 1, to={"part": "documents", "titel": "x"}), "$.shown[1]"),
        (setting("judgments_per_item", to=0), "$.judgments_per_item"),
        (setting("aspects", to=[]), "$.aspects"),
        (setting("aspects", 0, "kind", to="likert"), "$.aspects[0]"),
        (setting("aspects", 0, "scale", "level", to="nominell"), "$.aspects[0]"),
        (setting("aspects", 0, "scale", "choices", 0, "number", to="2"), "$.aspects[0]"),
        (setting("aspects", 1, "points", to=11), "$.aspects[1]"),
        (setting("aspects", 2, "better", to=True), "$.aspects[2]"),
        (setting("aspects", 3, "step", to=0), "$.aspects[3]"),
        (setting("aspects", 5, "shown_when", to={"aspect": "taste"}), "$.aspects[5]"),
        (setting("aspects", 5, "shown_when", to={"is": "good"}), "$.aspects[5]"),
        (setting("aspects", 5, "shown_when", to={"aspect": "taste", "is": "good", "answered": True}), "$.aspects[5]"),
        (setting("aspects", 5, "shown_when", to={"all": []}), "$.aspects[5]"),
        (setting("aspects", 7, "max_length", to=50_000), "$.aspects[7]"),
        (setting("rescale", 0, to={"aspect": "taste"}), "$.rescale[0]"),
        (setting("composites", 0, "parts", to=[]), "$.composites[0].parts"),
        (setting("examples", 0, "anchor", to=0), "$.examples[0].anchor"),
    ],
)
def test_what_an_editor_can_know_to_be_wrong_is_refused(change: Callable[[Data], None], where: str) -> None:
    data = read_scheme(ONE_ANSWER)
    change(data)
    error = best_match(VALIDATOR.iter_errors(data))
    assert error is not None
    assert any(told.startswith(where) for told in objections(data)), objections(data)


def test_every_key_says_what_it_is_for() -> None:
    parts = {"Scheme": SCHEMA, **SCHEMA["$defs"]}
    silent = [
        f"{name}.{key}"
        for name, part in parts.items()
        for key, field in part.get("properties", {}).items()
        if "description" not in field and "const" not in field and name != "Text"
    ]
    assert silent == []
