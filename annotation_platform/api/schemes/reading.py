"""A scheme that was sent: by the key of a preset, as text, or as data."""

import json
from collections.abc import Mapping
from typing import Any

from annotation_platform.core.errors import InvalidInputError, NotThereError
from annotation_platform.core.schemes import preset, presets, read_scheme

USUAL_ROWS = "ebr"
"""The preset by which rows are read where none is named."""


def rows_as(key: str) -> str:
    """The preset that says what a row of a corpus may hold, by the key of a scheme."""
    return key if key in presets() else USUAL_ROWS


def definition_of(sent: Mapping[str, Any]) -> dict[str, Any]:
    """The checked definition.

    Raises
    ------
    SchemeError
        With every mistake in a text or in data.
    NotThereError
        When there is no such preset.
    InvalidInputError
        When nothing of the three was sent, or more than one.
    """
    if len(sent) != 1:
        raise InvalidInputError("api.scheme_missing")
    if "preset" in sent:
        return preset_named(sent["preset"])
    text = sent["text"] if "text" in sent else json.dumps(sent["definition"], ensure_ascii=False, indent=1)
    return read_scheme(text)


def preset_named(key: str) -> dict[str, Any]:
    """
    Raises
    ------
    NotThereError
        When there is no such preset.
    """
    if key not in presets():
        raise NotThereError("api.no_preset", key=key, known=[*presets()])
    return dict(preset(key))
