"""From a scheme file to a :class:`Scheme`, with the line of whatever is wrong."""

import copy
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from annotation_platform.core.locations import key_path, line_of
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes.definition import Scheme
from annotation_platform.core.schemes.judgment import InvalidJudgmentError, check_judgment
from annotation_platform.core.schemes.languages import LANGUAGES, is_by_language, localise, parts_of
from annotation_platform.core.schemes.mistakes import Mistake, mistakes_in
from annotation_platform.core.unreadable import why_no_yaml
from annotation_platform.core.yaml_trees import Loader, doubled_keys, in_exact_words, is_too_deep, size_written_out

PRESETS = Path(__file__).parent / "presets"
YES_AND_NO = {"yes": {"en": "Yes", "ja": "はい"}, "no": {"en": "No", "ja": "いいえ"}}
MOST_CHARACTERS = 200_000
MOST_PARTS = 20_000  # once what YAML's aliases stand for is written out
_ELSEWHERE = re.compile("(?!data:)(?:[a-z][a-z0-9+.-]*:)?//|(?!data:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL and UTF-8 have no room for these


@dataclass(frozen=True)
class SchemeMistake:
    """Something wrong in a scheme file: its line (0: of no line), its key path, and what was expected."""

    line: int
    path: str
    reason: Reason

    @property
    def told(self) -> Reason:
        """Where in the scheme and why, without the line."""
        return Reason("scheme.at_path", path=self.path, reason=self.reason) if self.path else self.reason


class SchemeError(ValueError):
    """A scheme that cannot be used. Each of ``reasons`` says where and why, and so does each of ``mistakes``."""

    def __init__(self, mistakes: Sequence[SchemeMistake], *, source: str) -> None:
        self.mistakes = sorted(mistakes, key=lambda mistake: mistake.line)
        self.reasons = [
            Reason("scheme.at_line", source=source, line=each.line, mistake=each.told)
            if each.line
            else Reason("scheme.at_file", source=source, mistake=each.told)
            for each in self.mistakes
        ]
        super().__init__("\n".join(self.reasons))


def read_scheme(text: str, *, source: str = "scheme") -> dict[str, Any]:
    """Read and check a scheme file; return its plain data, good for :func:`build_scheme` in any language.

    Parameters
    ----------
    text : str
        YAML.
    source : str
        The file's name, for messages.

    Raises
    ------
    SchemeError
        One reason for each mistake, as ``source, line 12: aspects[2].scale: …``. Contradictions between aspects are
        told once each aspect is right by itself, and those of worked examples once the scheme is right.
    """
    node = _composed(text, source)
    try:
        data = _Loader("").construct_document(node)
        plain = json.loads(json.dumps(data))  # keys such as 1 become "1", as when it is stored
    except yaml.YAMLError as error:
        raise _unreadable(error, source) from None
    except ValueError:
        raise SchemeError([SchemeMistake(0, "", Reason("scheme.number_too_long"))], source=source) from None
    if not isinstance(plain, dict):
        raise SchemeError([SchemeMistake(1, "", Reason("scheme.no_mapping"))], source=source)
    if mistakes := list(_mistakes(plain)):
        located = {SchemeMistake(line_of(node, where), key_path(where), reason): None for where, reason in mistakes}
        raise SchemeError(list(located), source=source)
    return plain


def build_scheme(data: dict[str, Any], language: str = "en") -> Scheme:
    """The scheme in one language, from the plain data that :func:`read_scheme` returned."""
    return Scheme.model_validate(localise(_with_own_words(data), language))


def _with_own_words(data: dict[str, Any]) -> dict[str, Any]:
    """The data with the words that a scheme need not write itself: those of yes and no, in every language."""
    aspects = data.get("aspects")
    if not isinstance(aspects, list):
        return data
    return data | {
        "aspects": [
            YES_AND_NO | aspect if isinstance(aspect, dict) and aspect.get("kind") == "yes_no" else aspect
            for aspect in aspects
        ]
    }


def preset(key: str) -> dict[str, Any]:
    """The plain data of a scheme that comes with the platform; each caller gets a copy of its own.

    Raises
    ------
    SchemeError
        When there is no such preset; the message lists those that there are.
    """
    return copy.deepcopy(_preset(key))


def presets() -> list[str]:
    """The keys of the schemes that come with the platform."""
    return sorted(path.stem for path in PRESETS.glob("*.yaml"))


@cache
def preset_titles(language: str = LANGUAGES[0]) -> dict[str, str]:
    """Key → title of the schemes that come with the platform."""
    return {key: localise(_preset(key)["title"], language) for key in presets()}


def preset_text(key: str) -> str:
    """The file of a scheme that comes with the platform; errors as in :func:`preset`."""
    path = PRESETS / f"{key}.yaml"
    if path not in PRESETS.glob("*.yaml"):
        raise SchemeError([SchemeMistake(0, "", Reason("scheme.no_preset", known=presets()))], source=key)
    return path.read_text(encoding="utf-8")


@cache
def _preset(key: str) -> dict[str, Any]:
    return read_scheme(preset_text(key), source=f"{key}.yaml")


class _Loader(Loader):
    """YAML 1.2, as editors read it: yes, no, on and off are words, and so are dates and times."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] in ("null", "merge")]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


for _tag, _pattern, _firsts in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_firsts))


def _composed(text: str, source: str) -> yaml.Node:
    """The document as YAML's nodes, which know their lines, once it is sure to be of a sensible size."""

    def refused(reason: Reason, line: int = 0) -> SchemeError:
        return SchemeError([SchemeMistake(line, "", reason)], source=source)

    if len(text) > MOST_CHARACTERS:
        raise refused(Reason("scheme.too_long", count=len(text), most=MOST_CHARACTERS))
    try:
        if is_too_deep(text):
            raise refused(Reason("scheme.too_deep"))
        node = yaml.compose(text, Loader=_Loader)
        if node is None:
            raise refused(Reason("scheme.no_mapping"), line=1)
        if (size := size_written_out(node)) > MOST_PARTS:
            raise refused(Reason("scheme.too_many_parts", count=size, most=MOST_PARTS))
        doubled = [
            SchemeMistake(line, "", Reason("scheme.key_twice", key=key, line=first))
            for key, line, first in doubled_keys(node)
        ]
    except yaml.YAMLError as error:
        raise _unreadable(in_exact_words(error, text), source) from None
    except RecursionError:
        raise refused(Reason("scheme.too_deep")) from None
    except UnicodeEncodeError:  # half of a surrogate pair
        raise refused(Reason("scheme.no_yaml", why=Reason("yaml.control_character"))) from None
    if doubled:
        raise SchemeError(doubled, source=source)
    return node


def _unreadable(error: yaml.YAMLError, source: str) -> SchemeError:
    mark = getattr(error, "problem_mark", None)
    reason = Reason("scheme.no_yaml", why=why_no_yaml(error))
    return SchemeError([SchemeMistake(mark.line + 1 if mark else 0, "", reason)], source=source)


def _mistakes(data: dict[str, Any]) -> Iterator[Mistake]:
    for location, part in parts_of(data):
        if is_by_language(part) and "en" not in part:
            yield location, Reason("scheme.without_english")
        if isinstance(part, str) and (match := _UNSTORABLE.search(part)):
            yield location, Reason("scheme.unstorable", character=f"U+{ord(match[0]):04X}")
        if isinstance(part, str) and "guidelines" in location:
            for address in _images_elsewhere(part):
                yield location, Reason("scheme.image_elsewhere", address=address[:80])
    for language in LANGUAGES:
        yield from _mistakes_in(data, language)


def _images_elsewhere(markdown: str) -> Iterator[str]:
    """The addresses of images in guidelines that lie on another server."""
    if "![" not in markdown:
        return
    from markdown_it import MarkdownIt  # most schemes have no image

    for block in MarkdownIt("commonmark", {"html": False}).parse(markdown):
        for token in block.children or ():
            address = str(token.attrs.get("src", ""))
            if token.type == "image" and _ELSEWHERE.match(address):
                yield address


def _mistakes_in(data: dict[str, Any], language: str) -> Iterator[Mistake]:
    try:
        scheme = build_scheme(data, language)
    except ValidationError as error:
        yield from mistakes_in(error, Scheme)
        return
    for index, example in enumerate(scheme.examples):
        try:
            check_judgment(scheme, example.values, example.shape)
        except InvalidJudgmentError as invalid:
            yield from ((("examples", index, "values", key), reason) for key, reason in invalid.errors.items())
