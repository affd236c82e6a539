"""Files to import: read once, and able to say on which line something stands."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from yaml.constructor import SafeConstructor

from annotation_platform.core.constraints import broken_constraint
from annotation_platform.core.errors import CodedError
from annotation_platform.core.locations import Location, line_of
from annotation_platform.core.reasons import Reason
from annotation_platform.core.unreadable import why_no_yaml
from annotation_platform.core.yaml_trees import DEEPEST, Loader, doubled_keys, is_too_deep, size_written_out
from annotation_platform.corpus.importers.encoding import check_encoding
from annotation_platform.corpus.importers.mistakes import (
    MOST_KEPT,
    UNSTORABLE,
    ImportFileError,
    RowError,
    in_its_words,
    in_json_words,
    place,
    reason_of,
    wrong_at,
)
from annotation_platform.corpus.importers.yaml_events import (
    DoubledKeyError,
    UnusualYamlError,
    load_plain,
)

MOST_UNFOLDED = 100_000  # parts of a YAML file once its anchors are written out; of a longer one as many as characters
Model = TypeVar("Model", bound=BaseModel)
_PERHAPS_UNSTORABLE = re.compile(UNSTORABLE.pattern + r"|\\[0xuU]")  # as it is, or spelled out
_WORDING = {
    "missing": "corpus.key_missing",
    "extra_forbidden": "corpus.key_unknown",
    "string_type": "corpus.part_no_text",
    "string_too_short": "corpus.part_empty",
    "too_short": "corpus.part_empty",
}
WEB_ADDRESS = r"^(https?://\S+)?$"
LANGUAGE = r"^[a-z]{2,3}$"
_PATTERNS = {WEB_ADDRESS: "corpus.no_web_address", LANGUAGE: "corpus.no_language"}


class Part(BaseModel):
    """A mapping in a file to import: unknown keys and values of another type are mistakes, not guesses."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Document:
    """A JSON or YAML file: its name, which also tells the language it is written in, and its text."""

    name: str
    text: str

    @classmethod
    def read(cls, path: Path, name: str = "") -> Self:
        """Read a file, or say with an :class:`ImportFileError` why that fails."""
        check_encoding(path, name or str(path))
        return cls(name or str(path), path.read_text(encoding="utf-8-sig"))

    def parse(self, model: type[Model]) -> Model:
        """The file as ``model``; an :class:`ImportFileError` with every mistake when it is none."""
        try:
            data = self._json() if self.name.lower().endswith(".json") else self._yaml()
            found = list(_unstorable(data)) if _PERHAPS_UNSTORABLE.search(self.text) else []
            reasons = [wrong_at(self.where(location), reason) for location, reason in found[:MOST_KEPT]]
        except RecursionError:
            raise ImportFileError([wrong_at(self.name, "corpus.contains_itself")]) from None
        if reasons:
            raise ImportFileError(reasons, len(found))
        try:
            return model.model_validate(data)
        except ValidationError as error:
            mistakes = error.errors(include_url=False)
        # To find the line of each of very many takes longer than anybody waits.
        told = [wrong_at(self.where(mistake["loc"]), _reason(mistake)) for mistake in mistakes[:MOST_KEPT]]
        raise ImportFileError(told, len(mistakes))

    def where(self, location: Location) -> str:
        """File, line and key path of a location, as ``study.yaml, line 12: corpus.articles[0].id``."""
        return place(self.name, *location, line=line_of(self._node, location) if self._node else 0)

    def _json(self) -> Any:
        doubled: list[str] = []

        def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            if len(data := dict(pairs)) < len(pairs):
                doubled.append(Counter(key for key, _ in pairs).most_common(1)[0][0])
            return data

        try:
            data = json.loads(self.text, object_pairs_hook=mapping, parse_constant=_refuse_constant)
        except json.JSONDecodeError as error:
            raise ImportFileError(
                [wrong_at(place(self.name, line=error.lineno), "corpus.no_json", why=in_json_words(error))]
            ) from None
        except (ValueError, RecursionError) as error:
            raise ImportFileError([wrong_at(self.name, "corpus.json_unread", why=reason_of(error))]) from None
        if doubled:
            self._refuse_doubled_keys()
            raise ImportFileError([wrong_at(self.name, "corpus.key_twice", key=key) for key in doubled])
        return data

    def _yaml(self) -> Any:
        try:
            with suppress(UnusualYamlError):
                return load_plain(self.text)
            if self._is_too_deep:
                raise ImportFileError([wrong_at(self.name, "corpus.too_deep", most=DEEPEST)])
            # A file that cannot be composed is composed again, for the error that says why.
            node = self._node or yaml.compose(self.text, Loader=Loader)
            most = max(MOST_UNFOLDED, len(self.text))
            if node is not None and size_written_out(node) > most:
                raise ImportFileError([wrong_at(self.name, "corpus.too_many_parts", most=most)])
            data = None if node is None else SafeConstructor().construct_document(node)
        except DoubledKeyError:
            self._refuse_doubled_keys()
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = place(self.name, line=mark.line + 1 if mark else 0)
            raise ImportFileError([wrong_at(where, "corpus.no_yaml", why=why_no_yaml(error))]) from None
        except (ValueError, RecursionError) as error:
            raise ImportFileError([wrong_at(self.name, "corpus.yaml_unread", why=reason_of(error))]) from None
        self._refuse_doubled_keys()
        return data

    @cached_property
    def _node(self) -> yaml.Node | None:
        """The file as a tree with line numbers; JSON is YAML for this purpose, and where it is not, None."""
        if self._is_too_deep:
            return None
        try:
            node: yaml.Node | None = yaml.compose(self.text, Loader=Loader)
        except (yaml.YAMLError, ValueError, RecursionError):
            return None
        return node

    @cached_property
    def _is_too_deep(self) -> bool:
        return is_too_deep(self.text)

    def _refuse_doubled_keys(self) -> None:
        if reasons := [
            wrong_at(place(self.name, line=line), "corpus.key_twice", key=key)
            for key, line, _ in doubled_keys(self._node)
        ]:
            raise ImportFileError(reasons)


def _refuse_constant(name: str) -> Any:
    raise RowError("corpus.no_number_in_json", name=name)


def _reason(mistake: Any) -> Reason:
    if code := _WORDING.get(mistake["type"]):
        return Reason(code)
    if isinstance(error := mistake.get("ctx", {}).get("error"), CodedError):
        return error.reason
    if mistake["type"] == "string_pattern_mismatch" and mistake["ctx"]["pattern"] in _PATTERNS:
        return Reason(_PATTERNS[mistake["ctx"]["pattern"]])
    return broken_constraint(mistake) or in_its_words(mistake["msg"])


def _unstorable(data: Any, location: Location = ()) -> Iterator[tuple[Location, Reason]]:
    if isinstance(data, str):
        if found := UNSTORABLE.search(data):
            yield location, Reason("corpus.unstorable", character=f"U+{ord(found[0]):04X}")
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _unstorable(key, location)
            yield from _unstorable(value, (*location, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _unstorable(value, (*location, index))
