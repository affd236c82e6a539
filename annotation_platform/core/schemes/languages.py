"""The texts of a scheme file, each written once or once per language (``{en: …, ja: …}``)."""

from collections.abc import Iterator
from typing import Any

from annotation_platform.core.locations import Location

LANGUAGES = ("en", "ja")


def localise(data: Any, language: str) -> Any:
    """Replace every ``{en: …, ja: …}`` in plain data by its text in one language, English where it is missing."""
    if is_by_language(data):
        return next(data[each] for each in (language, *LANGUAGES) if each in data)
    if isinstance(data, dict):
        return {key: localise(value, language) for key, value in data.items()}
    if isinstance(data, list):
        return [localise(value, language) for value in data]
    return data


def is_by_language(data: Any) -> bool:
    """Whether this is a text written once per language."""
    return isinstance(data, dict) and bool(data) and set(data) <= set(LANGUAGES)


def parts_of(data: Any, location: Location = ()) -> Iterator[tuple[Location, Any]]:
    """Everything in plain data, from the whole to the single texts and numbers, with its location."""
    yield location, data
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from parts_of(value, (*location, key))
