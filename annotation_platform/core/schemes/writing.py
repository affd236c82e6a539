"""From a scheme's plain data back to a file that people edit."""

from typing import Any

import yaml
from pydantic import BaseModel

from annotation_platform.core.schemes.definition import Scheme
from annotation_platform.core.schemes.languages import is_by_language
from annotation_platform.core.schemes.loading import preset, preset_text, presets
from annotation_platform.core.schemes.mistakes import fields_of, models_in

FIRST = ("key", "part", "kind", "title")


def write_scheme(data: dict[str, Any]) -> str:
    """Checked plain data as YAML, with keys in the order of the language's reference; the inverse of ``read_scheme``.

    The data do not keep a file's comments and layout; those of an unchanged preset come from its own file.
    """
    if data.get("key") in presets() and preset(data["key"]) == data:
        return preset_text(data["key"])
    return yaml.dump(_ordered(data, [Scheme]), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    """Long texts as blocks, lists indented as people write them, texts that an old reader takes for a word quoted."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text.strip("\n") else None)


_Dumper.add_representer(str, _text)


def _ordered(data: Any, models: list[type[BaseModel]]) -> Any:
    if isinstance(data, list):
        return [_ordered(each, models) for each in data]
    if not isinstance(data, dict) or is_by_language(data):
        return data
    fields = fields_of(models)
    known = [key for key in (*FIRST, *fields) if key in data and key in fields]
    keys = dict.fromkeys([*known, *data])
    return {key: _ordered(data[key], list(models_in(fields.get(key)))) for key in keys}
