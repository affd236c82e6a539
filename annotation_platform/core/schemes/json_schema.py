"""The scheme language as a JSON Schema, with which editors complete and check scheme files as one types."""

from typing import Any

from annotation_platform.core.schemes.definition import Scheme
from annotation_platform.core.schemes.languages import LANGUAGES

TEXT = "Text"


def scheme_json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a scheme file.

    Every text may also be written once per language. What depends on other parts of the file (that a condition asks
    for an aspect above it, that a scale has the number it calls best, …) only ``read_scheme`` can tell.

    Returns
    -------
    dict
        Good for ``json.dumps``.
    """
    schema = _with_languages(Scheme.model_json_schema(by_alias=True))
    schema["$defs"][TEXT] = {
        "description": "A text, or one text per language; English stands in where another language is missing.",
        "anyOf": [{"type": "string"}, _by_language({"type": "string"})],
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Annotation scheme"}


def _with_languages(part: Any) -> Any:
    """The schema with every plain text, and every list of texts, opened to one per language."""
    if isinstance(part, list):
        return [_with_languages(each) for each in part]
    if not isinstance(part, dict):
        return part
    if _is_text(part):
        told = {key: value for key, value in part.items() if key not in ("type", "minLength", "title")}
        limit = {"minLength": part["minLength"]} if "minLength" in part else {}
        return {"$ref": f"#/$defs/{TEXT}", **limit, **told}
    whole = {key: _with_languages(value) for key, value in part.items() if not _is_label(key, value)}
    if part.get("type") == "array" and _is_text(part.get("items", {})):
        told = {key: value for key, value in whole.items() if key in ("description", "default")}
        items = {key: value for key, value in whole.items() if key not in told}
        return {"anyOf": [items, _by_language(items)], **told}
    return whole


def _is_text(part: dict[str, Any]) -> bool:
    """Free text: names and the words that the language knows have a pattern or are listed."""
    return part.get("type") == "string" and not {"pattern", "enum", "const"} & set(part)


def _is_label(key: str, value: Any) -> bool:
    """Pydantic titles everything after its field, which tells an editor nothing."""
    return key == "title" and isinstance(value, str)


def _by_language(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict.fromkeys(LANGUAGES, one),
        "required": [LANGUAGES[0]],
        "additionalProperties": False,
    }
