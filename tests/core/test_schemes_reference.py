"""The reference page of the scheme language says of every key, kind, part and condition what the types say."""

from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from annotation_platform.core.schemes import Scheme
from annotation_platform.core.schemes.aspects import CONDITIONS, Aspect
from annotation_platform.core.schemes.definition import Part
from annotation_platform.core.schemes.mistakes import models_in
from tests.some import some

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "scheme-language.md").read_text(encoding="utf-8")


def models() -> list[type[BaseModel]]:
    """The types that a scheme is made of, each once."""
    found: list[type[BaseModel]] = [Scheme]
    for model in found:
        for field in model.model_fields.values():
            found += [each for each in models_in(field.annotation) if each not in found]
    return found


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_every_key_is_described_in_the_words_of_its_type(model: type[BaseModel]) -> None:
    for name, field in some(model.model_fields.items()):
        key = field.alias or name
        if key == "kind":
            continue
        rows = [line for line in PAGE.splitlines() if line.startswith(f"| `{key}` |")]
        assert field.description, f"{model.__name__}.{key} says nothing"
        assert any(row.endswith(f"| {field.description} |") for row in rows), (model.__name__, key, rows)


def test_every_kind_part_and_condition_has_its_place() -> None:
    kinds = {get_args(model.model_fields["kind"].annotation)[0] for model in models_in(Aspect)}
    assert len(kinds) == 10
    assert all(f"\n### {kind}\n" in PAGE for kind in kinds)
    assert all(f"\n| `{part}` | " in PAGE for part in get_args(Part))
    assert all(f"`{name}`" in PAGE for name in CONDITIONS)
