"""The schema of a judgment says what the check accepts."""

import jsonschema
import pytest

from annotation_platform.core.schemes import build_scheme, check_judgment, preset, presets
from annotation_platform.core.schemes.judgment_schema import judgment_schema


def examples() -> list[tuple[str, int]]:
    return [(key, n) for key in presets() for n in range(len(build_scheme(dict(preset(key))).examples))]


@pytest.mark.parametrize("key", presets())
def test_each_preset_has_a_schema_that_is_one(key: str) -> None:
    of_schemas = jsonschema.Draft202012Validator(jsonschema.Draft202012Validator.META_SCHEMA)
    for language in ("en", "ja"):
        schema = judgment_schema(build_scheme(dict(preset(key)), language))
        assert schema["properties"]
        assert list(of_schemas.iter_errors(schema)) == []


@pytest.mark.parametrize(("key", "number"), examples())
def test_what_the_worked_examples_say_is_in_the_schema(key: str, number: int) -> None:
    scheme = build_scheme(dict(preset(key)))
    example = scheme.examples[number]
    assert check_judgment(scheme, example.values, example.shape)
    jsonschema.validate(dict(example.values), judgment_schema(scheme))


def test_a_label_that_there_is_not_is_not_in_the_schema() -> None:
    scheme = build_scheme(dict(preset("ebr")))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"correct": "perhaps"}, judgment_schema(scheme))
