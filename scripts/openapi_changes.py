"""What of a new description of the API breaks programs that were written for the old one.

python -m scripts.openapi_changes            compare with docs/reference/openapi.json
python -m scripts.openapi_changes --write    and store the new one there
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

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
    for media_type, old_body, new_body in _contents(old.get("requestBody", {}), new.get("requestBody", {})):
        told = ["is gone"] if new_body is None else _sent(_Pair(before, old_body, after, new_body))
        yield from (f"body{media_type}: {each}" for each in told)
    for status, response in old["responses"].items():
        if status not in new["responses"]:
            yield f"reply {status} is gone"
            continue
        for media_type, old_body, new_body in _contents(response, new["responses"][status]):
            told = ["is gone"] if new_body is None else _given(_Pair(before, old_body, after, new_body))
            yield from (f"reply {status}{media_type}: {each}" for each in told)


def _parameters(old: Schema, new: Schema) -> Iterator[str]:
    old_ones, new_ones = (
        {(each["in"], each["name"]): each for each in one.get("parameters", [])} for one in (old, new)
    )
    for key in old_ones.keys() - new_ones.keys():
        yield f"parameter “{key[1]}” is gone"
    for key, parameter in new_ones.items():
        if parameter.get("required") and not old_ones.get(key, {}).get("required"):
            yield f"parameter “{key[1]}” has become required"


def _contents(old: Schema, new: Schema) -> Iterator[tuple[str, Schema, Schema | None]]:
    """What there was by media type, of which JSON is not named, and what it is now; None: it is gone."""
    contents = new.get("content", {})
    for media_type, content in old.get("content", {}).items():
        now = contents.get(media_type)
        name = "" if media_type == "application/json" else f" ({media_type})"
        yield name, content.get("schema", {}), None if now is None else now.get("schema", {})


class _Said(NamedTuple):
    """What a schema allows: one of several kinds, and perhaps null."""

    kinds: list[Schema]
    takes_null: bool


class _Pair:
    """A schema before and after, with the descriptions that they may refer to."""

    def __init__(self, before: Schema, old: Schema, after: Schema, new: Schema, at: str = "", depth: int = 0) -> None:
        self.before, self.after, self.depth = before, after, depth
        self.path, self.at = at, f"“{at}”" if at else "the whole"
        self.old, self.new = _said(before, old), _said(after, new)

    def inner(self, old: Schema, new: Schema, at: str) -> "_Pair":
        return _Pair(self.before, old, self.after, new, at, self.depth + 1)

    def name_of(self, field: str) -> str:
        return f"{self.path}.{field}" if self.path else field

    def fields(self, old: Schema, new: Schema) -> Iterator["tuple[str, _Pair | None]"]:
        """Every field that there was in a kind, and what it is now; None: it is gone."""
        now = new.get("properties", {})
        for name, field in old.get("properties", {}).items():
            at = self.name_of(name)
            yield at, self.inner(field, now[name], at) if name in now else None
        if "items" in old:
            yield f"{self.path}[]", self.inner(old["items"], new.get("items", {}), f"{self.path}[]")

    def others(self, old: Schema, new: Schema) -> "_Pair | None":
        """What fields without a name were and are."""
        if (was := _others(old)) is None or (now := _others(new)) is None:
            return None
        return self.inner(was, now, self.name_of("*"))


def _sent(pair: _Pair) -> Iterator[str]:
    """What is no longer taken."""
    if pair.depth > DEEPEST:
        return
    if pair.old.takes_null and not pair.new.takes_null:
        yield f"{pair.at} no longer takes null"
    if len(pair.old.kinds) == len(pair.new.kinds) == 1:
        yield from _kind_sent(pair, pair.old.kinds[0], pair.new.kinds[0])
        return
    for kind in pair.old.kinds:
        if all(any(_kind_sent(pair, kind, each)) for each in pair.new.kinds):
            yield f"{pair.at} no longer takes {_in_words(kind)}"


def _kind_sent(pair: _Pair, old: Schema, new: Schema) -> Iterator[str]:
    if _is_anything(new):
        return
    if _is_anything(old):
        yield f"{pair.at} took anything and takes {_in_words(new)}"
        return
    yield from _another_type(pair, old, new)
    for name in set(new.get("required", ())) - set(old.get("required", ())):
        yield f"“{pair.name_of(name)}” has become required"
    if "enum" in old and (gone := [each for each in old["enum"] if each not in new.get("enum", [each])]):
        yield f"{pair.at} no longer takes {', '.join(map(str, gone))}"
    for at, inner in pair.fields(old, new):
        yield from [f"“{at}” is gone"] if inner is None else _sent(inner)
    if (others := pair.others(old, new)) is not None:
        yield from _sent(others)
    elif _others(old) is not None:
        yield f"{pair.at} takes no other fields"


def _given(pair: _Pair) -> Iterator[str]:
    """What is no longer given, or is given though it was not."""
    if pair.depth > DEEPEST:
        return
    if pair.new.takes_null and not pair.old.takes_null:
        yield f"{pair.at} may be null"
    if len(pair.old.kinds) == len(pair.new.kinds) == 1:
        yield from _kind_given(pair, pair.old.kinds[0], pair.new.kinds[0])
        return
    for kind in pair.new.kinds:
        if all(any(_kind_given(pair, each, kind)) for each in pair.old.kinds):
            yield f"{pair.at} may be {_in_words(kind)}"


def _kind_given(pair: _Pair, old: Schema, new: Schema) -> Iterator[str]:
    if _is_anything(old):
        return
    if _is_anything(new):
        yield f"{pair.at} was {_in_words(old)} and may be anything"
        return
    yield from _another_type(pair, old, new)
    for name in set(old.get("required", ())) - set(new.get("required", ())):
        if name in new.get("properties", {}):
            yield f"“{pair.name_of(name)}” may be left out"
    for at, inner in pair.fields(old, new):
        yield from [f"“{at}” is gone"] if inner is None else _given(inner)
    if (others := pair.others(old, new)) is not None:
        yield from _given(others)
    elif _others(old) is not None:
        yield f"“{pair.name_of('*')}” is gone"


def _another_type(pair: _Pair, old: Schema, new: Schema) -> Iterator[str]:
    was, now = old.get("type"), new.get("type")
    if was and now and was != now:
        yield f"{pair.at} was {was} and is {now}"


def _others(kind: Schema) -> Schema | None:
    """What fields without a name may be; None: there are none."""
    allowed = kind.get("additionalProperties")
    return {} if allowed is True else None if allowed is False else allowed


def _is_anything(kind: Schema) -> bool:
    return not {"type", "enum", "properties", "items"} & kind.keys()


def _in_words(kind: Schema) -> str:
    if "enum" in kind:
        return ", ".join(map(str, kind["enum"]))
    fields = ", ".join(kind.get("properties", ()))
    return f"{kind.get('type', 'anything')} ({fields})" if fields else str(kind.get("type", "anything"))


def _said(document: Schema, schema: Schema) -> _Said:
    resolved = _resolved(document, schema)
    parts = resolved.get("oneOf") or resolved.get("anyOf")
    said = [_said(document, part) for part in parts] if parts else [_without_null(resolved)]
    kinds = [kind for each in said for kind in each.kinds]
    return _Said(kinds, bool(resolved.get("nullable")) or any(each.takes_null for each in said))


def _without_null(kind: Schema) -> _Said:
    """A kind whose “null”, as OpenAPI 3.1 and enumerations write it, stands apart."""
    types, values = kind.get("type"), kind.get("enum")
    if types == "null" or values == [None]:
        return _Said([], takes_null=True)
    takes_null, plain = _is_anything(kind), dict(kind)
    if isinstance(types, list):
        takes_null, rest = "null" in types, [each for each in types if each != "null"]
        plain["type"] = rest[0] if len(rest) == 1 else rest
    if values and None in values:
        takes_null, plain["enum"] = True, [each for each in values if each is not None]
    return _Said([plain], takes_null)


def _resolved(document: Schema, schema: Schema) -> Schema:
    """What a reference refers to, with what is said beside it."""
    while True:
        parts = schema.get("allOf", [])
        reference = schema.get("$ref") or (parts[0].get("$ref") if len(parts) == 1 else None)
        if reference is None:
            return schema
        beside = {name: value for name, value in schema.items() if name not in ("$ref", "allOf")}
        schema = {**document["components"]["schemas"][reference.rpartition("/")[2]], **beside}


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
