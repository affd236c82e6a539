"""What of a new description of the API breaks programs that were written for the old one.

python -m scripts.openapi_changes            compare with docs/reference/openapi.json
python -m scripts.openapi_changes --write    and store the new one there
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

COMMITTED = Path(__file__).resolve().parents[1] / "docs" / "reference" / "openapi.json"
DEEPEST = 12
Schema = Mapping[str, Any]


def breaking_changes(before: Schema, after: Schema) -> list[str]:
    """A sentence for each path, method, parameter or field that programs could miss, or could fail to send."""
    found = []
    for path, operations in before["paths"].items():
        for method, operation in operations.items():
            name = f"{method.upper()} {path}"
            now = after["paths"].get(path, {}).get(method)
            told = ["is gone"] if now is None else _changes(before, operation, after, now)
            found += [f"{name}: {each}" for each in told]
    return found


def _changes(before: Schema, old: Schema, after: Schema, new: Schema) -> Iterator[str]:
    yield from _parameters(old, new)
    for old_body, new_body in _contents(old.get("requestBody", {}), new.get("requestBody", {})):
        yield from (f"body: {each}" for each in _sent(_Pair(before, old_body, after, new_body)))
    for status, response in old["responses"].items():
        if status not in new["responses"]:
            yield f"reply {status} is gone"
            continue
        for old_body, new_body in _contents(response, new["responses"][status]):
            yield from (f"reply {status}: {each}" for each in _given(_Pair(before, old_body, after, new_body)))


def _parameters(old: Schema, new: Schema) -> Iterator[str]:
    old_ones, new_ones = (
        {(each["in"], each["name"]): each for each in one.get("parameters", [])} for one in (old, new)
    )
    for key in old_ones.keys() - new_ones.keys():
        yield f"parameter “{key[1]}” is gone"
    for key, parameter in new_ones.items():
        if parameter.get("required") and not old_ones.get(key, {}).get("required"):
            yield f"parameter “{key[1]}” has become required"


def _contents(old: Schema, new: Schema) -> Iterator[tuple[Schema, Schema]]:
    for media_type, content in old.get("content", {}).items():
        yield content.get("schema", {}), new.get("content", {}).get(media_type, {}).get("schema", {})


class _Pair:
    """A schema before and after, with the descriptions that they may refer to."""

    def __init__(self, before: Schema, old: Schema, after: Schema, new: Schema, at: str = "", depth: int = 0) -> None:
        self.before, self.after, self.at, self.depth = before, after, at, depth
        self.old, self.new = _resolved(before, old), _resolved(after, new)

    def inner(self, old: Schema, new: Schema, at: str) -> "_Pair":
        return _Pair(self.before, old, self.after, new, at, self.depth + 1)

    def fields(self) -> Iterator["tuple[str, _Pair | None]"]:
        """Every field that there was, and what it is now; None: it is gone."""
        if self.depth > DEEPEST:
            return
        now = self.new.get("properties", {})
        for name, field in self.old.get("properties", {}).items():
            at = f"{self.at}.{name}" if self.at else name
            yield at, self.inner(field, now[name], at) if name in now else None
        if "items" in self.old:
            yield f"{self.at}[]", self.inner(self.old["items"], self.new.get("items", {}), f"{self.at}[]")

    def another_type(self) -> Iterator[str]:
        old, new = self.old.get("type"), self.new.get("type")
        if old and new and old != new:
            yield f"“{self.at}” was {old} and is {new}"


def _sent(pair: _Pair) -> Iterator[str]:
    """What is no longer taken."""
    yield from pair.another_type()
    for name in set(pair.new.get("required", ())) - set(pair.old.get("required", ())):
        yield f"“{pair.at}.{name}” has become required" if pair.at else f"“{name}” has become required"
    if "enum" in pair.old and (gone := [each for each in pair.old["enum"] if each not in pair.new.get("enum", [each])]):
        yield f"“{pair.at}” no longer takes {', '.join(map(str, gone))}"
    for at, inner in pair.fields():
        yield from [f"“{at}” is gone"] if inner is None else _sent(inner)


def _given(pair: _Pair) -> Iterator[str]:
    """What is no longer given."""
    yield from pair.another_type()
    for at, inner in pair.fields():
        yield from [f"“{at}” is gone"] if inner is None else _given(inner)


def _resolved(document: Schema, schema: Schema) -> Schema:
    while True:
        parts = schema.get("allOf", [])
        reference = schema.get("$ref") or (parts[0].get("$ref") if len(parts) == 1 else None)
        if reference is None:
            return schema
        schema = document["components"]["schemas"][reference.rpartition("/")[2]]


def described() -> dict[str, Any]:
    """The description as the platform gives it."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_platform.settings")
    import django

    django.setup()
    from drf_spectacular.generators import SchemaGenerator
    from drf_spectacular.renderers import OpenApiJsonRenderer

    described: dict[str, Any] = json.loads(OpenApiJsonRenderer().render(SchemaGenerator().get_schema(public=True)))
    return described


def main() -> int:
    now = described()
    before = json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {"paths": {}}
    changes = breaking_changes(before, now)
    print("\n".join(changes) or "Nothing breaks.")
    if "--write" in sys.argv:
        COMMITTED.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n")
        return 0
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
