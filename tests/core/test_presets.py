"""What every scheme that comes with the platform has; what is special to one is in test_preset_<its key>.py."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation_platform.core.schemes import Scheme, TextAspect, build_scheme, check_judgment, preset
from annotation_platform.core.schemes.loading import presets

JAPANESE = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")
LETTER = re.compile(r"[^\W\d_]")
# Where a scheme has names and settings, not words for people.
NO_WORDS = {
    "key", "kind", "per", "display", "level", "better", "part", "parts", "predicts", "aspect", "explained_by",
    "cites", "explains", "shown_when", "required_when", "at_least_one_when", "values", "marks", "colour",
}  # fmt: skip

every_preset = pytest.mark.parametrize("key", presets())
every_language = pytest.mark.parametrize("language", ["en", "ja"])


def words(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text for people in a scheme's plain data, and where it stands."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in NO_WORDS:
                yield from words(value, f"{path}.{key}")
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from words(value, f"{path}[{index}]")
    elif isinstance(data, str):
        yield path, data


def written(scheme: Scheme) -> Iterator[tuple[str, str]]:
    """Every text for people in a scheme, also those that its worked examples type into text fields."""
    yield from words(scheme.model_dump())
    texts = {aspect.key for aspect in scheme.aspects if isinstance(aspect, TextAspect)}
    for index, example in enumerate(scheme.examples):
        yield from ((f"examples[{index}].{key}", example.values[key]) for key in sorted(texts & set(example.values)))


@every_preset
def test_all_that_people_read_is_there_in_english_and_in_japanese(key: str) -> None:
    english, japanese = (dict(written(build_scheme(preset(key), language))) for language in ("en", "ja"))
    assert english.keys() == japanese.keys()
    assert not {path: text for path, text in english.items() if JAPANESE.search(text)}
    same = {path: text for path, text in japanese.items() if text == english[path] and LETTER.search(text)}
    assert not same, "these have no Japanese"


@every_preset
@every_language
def test_the_task_is_explained_and_every_aspect_has_a_line_of_help(key: str, language: str) -> None:
    scheme = build_scheme(preset(key), language)
    assert len(scheme.guidelines) > 200
    assert scheme.description
    assert not [aspect.key for aspect in scheme.aspects if not aspect.help]


@every_preset
@every_language
def test_worked_examples_are_valid_judgments_of_material_that_the_form_shows(key: str, language: str) -> None:
    scheme = build_scheme(preset(key), language)
    assert len(scheme.examples) >= 2
    shown = {"sentences" if part == "article" else part for part in scheme.parts}
    for example in scheme.examples:
        assert check_judgment(scheme, example.values, example.shape) == dict(example.values)
        assert example.comment
        material = example.model_dump(exclude={"title", "comment", "values", "anchor"})
        assert {part for part, content in material.items() if content} == shown


@every_preset
def test_worked_examples_show_more_than_one_point_of_every_scale(key: str) -> None:
    scheme = build_scheme(preset(key))
    for aspect in scheme.rated_aspects:
        given = {
            value
            for example in scheme.examples
            for slot, value in example.values.items()
            if slot.partition(".")[0] == aspect.key
        }
        assert len(given) >= 2, aspect.key


# Aspects' keys that code has other uses for: a kind of aspect, a question word, a column of a table, money, and what
# is wrong with a form or a request (the page's and the API's "errors").
ORDINARY_WORDS = {
    "amount", "correct", "equivalent", "errors", "overall", "preferred", "reasons", "remark", "rule", "sentences",
    "why",
}  # fmt: skip


def test_no_code_and_no_template_knows_an_aspect_of_a_preset() -> None:
    keys = {aspect.key for key in presets() for aspect in build_scheme(preset(key)).aspects} - ORDINARY_WORDS
    quoted = re.compile(rf"""["'`]({"|".join(sorted(keys))})(\.\w+)?["'`]""")
    root = Path(__file__).resolve().parents[2]
    files = [
        file
        for folder in ("annotation_platform", "frontend_templates", "workers")
        for file in (root / folder).rglob("*")
        if file.suffix in (".py", ".html", ".js") and not {"migrations", "vendor", "demo"} & set(file.parts)
    ]
    assert len(files) > 100
    found = [
        f"{file.relative_to(root)}:{number}: {line.strip()[:100]}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if quoted.search(line)
    ]
    assert not found
